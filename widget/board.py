"""The board in a notebook cell, built on anywidget: Jupyter, VS Code, Colab, marimo."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.arguments import fresh_seed
from ludotheque.envs.core.errors import check_choice
from ludotheque.envs.core.files import atomic_write_text
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.web.guest import CHANGES, Guest, Refused
from ludotheque.web.table import Table

from .env import EnvTable
from .static import STATIC, frame_of, page_of

try:
    import anywidget
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"the board in a notebook needs {missing.name}, not installed. "
        'Try: pip install "ludotheque[notebook]"',
        name=missing.name,
    ) from missing


# The first seat of a game, the omniscient view of anything shown.
_USUAL = -1


class Board(anywidget.AnyWidget):
    """A board that can be clicked, and read and played by code.

    Args:
        what: a game or its name, to play it; a ``Replay`` or records ``(n,)``, to step through; an
            environment of this package (AEC or one seat) that has been reset, to step it by clicks.
            Call ``refresh()`` after stepping it by code.
        opponents: agents in the other seats: one for all, or a list with one for each; specs such
            as ``"mcts:simulations=100"``, or agents. ``"person"`` leaves a seat to code (``play``).
        seat: your seat; None lets agents play among themselves, and shows everything. For a replay
            or records, the observing seat.
        num_players: by default 2, or the fewest the game allows.
        seed: seed of the deal, 0 to 2**64 - 1; random if None.
        explain, cheat: show what an agent would do in your place; also show what others think.
        options: the game's options.

    Raises:
        ValueError, TypeError: an invalid argument; the message says what is allowed.

    Example:
        >>> board = Board("sarena", opponents="random", seed=3)
        >>> board.play(board.legal_moves()[0])
        >>> board.states["ply"][0] > 0
        True
    """

    _esm = STATIC / "board.js"
    _css = STATIC / "board.css"

    def __init__(  # noqa: PLR0913
        self,
        what: str | Game | Replay | np.ndarray | Any,
        *,
        opponents: str | Any | Sequence[Any] = "greedy",
        seat: int | None = _USUAL,
        num_players: int | None = None,
        seed: int | None = None,
        explain: bool = False,
        cheat: bool = False,
        **options: Any,
    ):
        super().__init__()
        if isinstance(what, str | Game):
            seat = 0 if seat == _USUAL else seat
            game = get_game(what) if isinstance(what, str) else what
            players = game.usual_players if num_players is None else num_players
            check_choice(players, game.player_counts, f"num_players of {game.name}")
            others = _others(opponents, seat, players)
            self.table = _begun(
                game, players, fresh_seed() if seed is None else seed, others, options
            )
        else:
            self.table = _shown(what)
            seat = getattr(self.table, "own", None) if seat == _USUAL else seat
        self.table.explain, self.table.cheat = explain or cheat, cheat
        if seat is not None and seat not in range(self.table.players):
            raise ValueError(f"seat is {seat!r}; allowed: 0 to {self.table.players - 1}, or None")
        self.seat = seat
        # The seat that an environment is played from may change with each reset.
        self._follows = isinstance(self.table, EnvTable) and seat == self.table.own
        self._guest = Guest(self.table, seat)
        self.on_msg(lambda _, content, buffers: self._heard(content))
        self._agents_play()

    # For code

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def states(self) -> np.ndarray:
        """A copy of the current record, of shape ``(1,)``. Omniscient."""
        return self.table.states.copy()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.table.over

    @property
    def to_play(self) -> int:
        """The seat that decides next."""
        return self.table.to_play

    def legal_moves(self) -> list[str]:
        """Return the legal actions in notation; none once the game is over."""
        return [] if self.over else [*self.table.legal_moves()]

    def play(self, action: int | str) -> None:
        """Play an action, as a number or in notation, for the seat to play; then agents play.

        Raises:
            ValueError: the game has no such action.
            IllegalActionError, GameOverError: it isn't legal now; nothing has changed.
        """
        self._look()
        # Ctrl-C may have stopped an agent that was thinking.
        self._agents_play(tell=True)
        if isinstance(action, str):
            action = self.game.action_from_string(action, self.table.states[0])
        self.table.take(int(action))
        self._agents_play()
        self._spread()

    def undo(self) -> None:
        """Take back your last decision against agents; raise ValueError if there is none."""
        if self.seat is None:
            raise ValueError("spectators don't play: there is nothing to take back")
        self.table.undo(self.seat)
        self._spread()

    def refresh(self) -> None:
        """Show the current state of the environment that the board was created with, if any."""
        self._look()
        self._agents_play(tell=True)
        self._spread()

    def _look(self) -> None:
        """Read the environment again, if there is one, and move to its seat if that has changed."""
        if not isinstance(self.table, EnvTable):
            return
        self.table.refresh()
        own = self.table.own
        if self._follows and self.seat != own:
            # At once: the other seat's guest must not show the new game.
            self.__dict__.update(seat=own, _guest=Guest(self.table, own))
            self._tell(self._guest.hello())

    def replay(self) -> Replay:
        """Return the game so far as a replay, whose seed reveals everything hidden."""
        return self.table.replay()

    def save_html(self, path: str | os.PathLike) -> None:
        """Write an HTML page that steps through the game so far without Python."""
        atomic_write_text(path, page_of(self.table, self.seat))

    # For notebooks

    def _repr_html_(self) -> str:
        return frame_of(page_of(self.table, self.seat))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Add a page for viewers without widgets, such as sites that show saved notebooks."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        if data is None:
            return bundle
        return {**data, "text/html": self._repr_html_()}, metadata

    def _heard(self, content: Any) -> None:
        """Answer a message from the page in the cell."""
        self._answer(content)
        self._agents_play(tell=True)

    def _answer(self, content: Any) -> None:
        self._look()
        if content == {"do": "hello"}:
            self._tell(self._guest.hello())
            return
        try:
            self._tell(self._guest.ask(content))
        except Refused as error:
            self._tell([{"kind": "error", "text": str(error)}])
            return
        if content["do"] in CHANGES:
            self._spread()

    def _agents_play(self, tell: bool = False) -> None:
        """Let agents play up to a person's turn; without people, each action is requested.

        Ctrl-C may have stopped one that was thinking: it is asked again with the next message.
        """
        while self.table.people and self.table.agent_is_next:
            self.table.agent_acts()
            if tell:
                self._spread()

    def _spread(self) -> None:
        self._tell(self._guest.news())

    def _tell(self, messages: Sequence[Any]) -> None:
        for message in messages:
            self.send(message)


def _begun(
    game: Game, players: int, seed: int, others: dict[int, Any], options: dict[str, Any]
) -> Table:
    from ludotheque.agents import make_agent

    agents = {seat: make_agent(who, game=game) for seat, who in others.items()}
    names = {seat: _name_of(who) for seat, who in others.items()}
    return Table(game, seed, players, options, names, agents)


def _others(opponents: Any, seat: int | None, players: int) -> dict[int, Any]:
    """Return the agents in the other seats."""
    others = [other for other in range(players) if other != seat]
    one_each = isinstance(opponents, Sequence) and not isinstance(opponents, str)
    agents = [*opponents] if one_each else [opponents] * len(others)
    if len(agents) != len(others):
        raise ValueError(f"{len(agents)} opponents for {len(others)} seats: give one, or one each")
    return {other: who for other, who in zip(others, agents, strict=True) if who != "person"}


def _name_of(agent: Any) -> str:
    return agent if isinstance(agent, str) else str(getattr(agent, "name", type(agent).__name__))


def _shown(what: Any) -> Table:
    if isinstance(what, Replay):
        return Table.of_replay(what)
    if isinstance(what, np.ndarray):
        return _table_of_records(np.atleast_1d(what))
    if hasattr(getattr(what, "unwrapped", None), "get_state"):
        return EnvTable(what)
    raise TypeError(
        f"a board shows a game, a Replay, records, or an environment of one game, not {what!r}"
    )


def _table_of_records(states: np.ndarray) -> Table:
    for name in game_names():
        game = get_game(name)
        if game.dtype == states.dtype:
            if not len(states):
                raise ValueError("there are no records to show")
            game.check_states(states, playable=False)
            return Table.of_states(game, states)
    raise TypeError(f"records of type {states.dtype} belong to no game here")
