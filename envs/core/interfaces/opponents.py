"""The agents in the other seats: how opponents are specified and queried."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import check_whole
from ..state import HISTORY, copied
from .settings import Settings

if TYPE_CHECKING:
    from ..game import Game


class Opponent(Protocol):
    """An agent that plays a seat: ``ludotheque.agents.Agent``, or any object with this method."""

    def act(self, observations, masks, *, states=None, seeds=None) -> np.ndarray:
        """Return an action for each row."""


class OpponentPool(Protocol):
    """A changing set of opponents; one is drawn when a game starts and kept to its end."""

    def draw(self, seed: int) -> Opponent:
        """Return the opponent for the game dealt from ``seed``."""


def make_opponents(opponents: Any, game: Game, players: int, seat: int | str) -> list[Any]:
    """Return one opponent or pool for each seat; None plays uniformly at random.

    Args:
        opponents: as for `SeatBatch`.
        game: the game to play.
        players: number of seats.
        seat: the learner's own, or ``"random"``.

    Raises:
        ValueError, TypeError: an unknown agent, a wrong number of agents, or an object that is no
            opponent.
    """
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        sources = list(opponents)
        if len(sources) == players - 1 and isinstance(seat, int):
            sources.insert(seat, None)
        if len(sources) != players:
            raise ValueError(
                f"got {len(sources)} opponents; give one for all, or one for each of the "
                f"{players} seats (or of the {players - 1} others, when seat is fixed)"
            )
    else:
        sources = [opponents] * players
    made: dict[str, Any] = {}
    return [_make_opponent(source, game, made) for source in sources]


def _make_opponent(source: Any, game: Game, made: dict[str, Any]) -> Any:
    if isinstance(source, str):
        if source not in made:
            from ludotheque.agents import make_agent

            made[source] = None if source == "random" else make_agent(source, game)
        return made[source]
    if isinstance(source, type):
        raise TypeError(f"opponent is the class {source.__name__}; give one of its objects")
    if source is not None and not (hasattr(source, "act") or hasattr(source, "draw")):
        raise TypeError(
            f"opponent {source!r} has neither act() nor draw(): give an agent's name, an "
            "agent, a pool of agents, or a list of them"
        )
    check_act(source)
    return source


def check_act(agent: Any) -> None:
    """Raise TypeError if ``agent.act`` doesn't accept the arguments that it will receive."""
    try:
        parameters = inspect.signature(agent.act).parameters
    except (AttributeError, TypeError, ValueError):
        return  # a pool, or a callable without a signature
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return
    missing = [name for name in ("states", "seeds") if name not in parameters]
    if missing:
        raise TypeError(
            f"act() of {agent!r} takes no {' and no '.join(missing)}: write "
            "def act(self, observations, masks, *, states=None, seeds=None)"
        )


def query_agent(agent: Opponent, settings: Settings, states: np.ndarray) -> np.ndarray:
    """Return the actions (int64 ``(n,)``) of ``agent`` for the seats to play in ``states``.

    The agent receives observations, masks and the decisions' seeds. If it searches
    (``needs_states``), it also receives records, determinized for its seat; with a ``history`` of
    k, it receives the last k public actions as ``histories``. An agent's own observation form
    (``observation``) takes precedence over the environment's.

    Raises:
        ValueError: ``act`` returned a wrong number of actions, or values that aren't integers.
    """
    count = len(states)
    form = getattr(agent, "observation", None) or settings.observation
    loops = settings.game.loops_for(form)
    to_play = np.full(count, -1, np.int64)
    observations = np.empty(
        (count, settings.game.observation_size(form)), settings.game.observation_dtype
    )
    masks = np.empty((count, settings.game.num_actions), np.int8)
    loops.views(states, 0, count, to_play, 1, observations, masks)
    known, seeds = None, np.empty(count, np.uint64)
    if getattr(agent, "needs_states", False):
        known, seeds = determinized(settings, states)
    else:
        loops.decision_seeds(states, 0, count, seeds)
    shape = settings.game.observation_shape(form)
    asked: dict[str, Any] = {"states": known, "seeds": seeds}
    length = check_whole(getattr(agent, "history", 0), f"history of {agent!r}", 0, HISTORY)
    if length:
        asked["histories"] = np.empty((count, length, 2), np.int16)
        loops.histories(states, 0, count, to_play, asked["histories"])
    actions = agent.act(observations.reshape(count, *shape), masks, **asked)
    actions = np.asarray(actions)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"{agent!r} returned actions of shape {actions.shape} and type {actions.dtype}; "
            f"act() returns {count} integers"
        )
    return actions.astype(np.int64)


def determinized(settings: Settings, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return copies of records, determinized for the seat to play, and the decisions' seeds."""
    count = len(states)
    known, seeds = copied(states), np.empty(count, np.uint64)
    settings.loops.decision_seeds(states, 0, count, seeds)
    settings.loops.redraw(known, 0, count, np.full(count, -1, np.int64), seeds)
    return known, seeds
