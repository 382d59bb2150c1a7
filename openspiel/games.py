"""Games, states and observers with the interface of ``pyspiel``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.errors import StateError, check_choice, check_finite, check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.recall import Recall
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.loops import RAISE

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'ludotheque.openspiel needs open_spiel. Try: pip install "ludotheque[bench]"',
        name=error.name,
    ) from error

DEALS = 1024
# OpenSpiel requires a list of them.
MOST_DEALS = 1_000_000
REWARDS = ("rank", "win")
# Seeds of redraws are derived from a number in [0, 1).
_PRECISION = 1 << 53


class Rules:
    """What all states of a game share, including copies.

    Attributes:
        settings: the game, its players and options.
        deals: number of chance outcomes.
    """

    def __init__(self, name: str, parameters: tuple[tuple[str, Any], ...]):
        self._key = name, parameters
        options = dict(parameters)
        self.deals = check_whole(options.pop("deals"), "deals", 1, MOST_DEALS)
        reward = options.pop("reward")
        check_choice(reward, REWARDS, "reward")
        players = options.pop("players")
        self.settings = Settings(name, players, reward=reward, options=options)

    @property
    def game(self) -> Game:
        return self.settings.game

    def __deepcopy__(self, memo: Any) -> Rules:
        return self

    def __reduce__(self) -> Any:
        return rules_of, self._key


@lru_cache(maxsize=64)
def rules_of(name: str, parameters: tuple[tuple[str, Any], ...]) -> Rules:
    """Return the rules of the game called ``name`` with these parameters.

    Raises:
        ValueError: an invalid value; the message lists the allowed ones.
    """
    return Rules(name, parameters)


class LudothequeState(pyspiel.State):
    """A game in progress, or the chance node before it."""

    def __init__(self, game: Any):
        super().__init__(game)
        self._rules: Rules = game.rules
        # An array of one record, once dealt.
        self._states: np.ndarray | None = None
        self._rewards = np.zeros(self._rules.settings.num_players, np.float64)
        # Number of actions applied or begun. OpenSpiel counts one once it has been applied.
        self._begun = 0
        self._recall = Recall(self._rules.game, self._rules.settings.num_players)

    @property
    def _dealt(self) -> np.ndarray | None:
        """The record, None before the deal.

        Raises:
            StateError: an action was interrupted; part of it may have been applied.
        """
        if self._begun != self.move_number():
            raise StateError(
                "applying the last action was interrupted: apply the actions of history() to a new "
                "initial state"
            )
        return self._states

    @property
    def record(self) -> np.ndarray:
        """The record, an array of length 1; not a copy.

        Raises:
            ValueError: no game has been dealt.
            StateError: an action was interrupted.
        """
        states = self._dealt
        if states is None:
            raise ValueError("no game has been dealt: this is the chance node at the root")
        return states

    def current_player(self) -> int:
        states = self._dealt
        if states is None:
            return pyspiel.PlayerId.CHANCE
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return int(states["to_play"][0])

    def is_terminal(self) -> bool:
        states = self._dealt
        return states is not None and bool(states["terminated"][0] or states["truncated"][0])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        deals = self._rules.deals
        return [(deal, 1.0 / deals) for deal in range(deals)]

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self._rules.game.legal_mask(self.record)).tolist()

    def _apply_action(self, action: int) -> None:
        states = self._dealt
        if states is None:
            self._deal(action)
        else:
            self._play(states, action)

    def _deal(self, deal: int) -> None:
        check_whole(deal, "deal", 0, self._rules.deals - 1)
        settings = self._rules.settings
        self._begun += 1
        self._states = settings.game.new_states(1)
        seeds = np.array([deal], np.uint64)
        settings.loops.deal(self._states, 0, 1, seeds, settings.options)
        self._recall.look(self._states)

    def _play(self, states: np.ndarray, action: int) -> None:
        settings = self._rules.settings
        seat = int(states["to_play"][0])
        count = settings.num_players
        rewards, scores = np.zeros((2, count), np.float32)
        ranks = np.zeros(count, np.int64)
        rule = (RAISE, 0.0, settings.reward_code)
        self._begun += 1
        seen = np.zeros(settings.game.num_actions, np.int8), np.zeros(3, np.int64)
        code = settings.loops.play(states, action, rule, rewards, scores, ranks, *seen)
        if code:
            self._begun -= 1
            settings.game.raise_refusal(states, 0, action, code)
        # A third isn't exact in float32, and OpenSpiel checks nine digits of the sum. Shares of up
        # to five players are whole sixtieths.
        self._rewards += np.round(rewards.astype(np.float64) * 60) / 60
        self._recall.look(states, seat, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        return self._rules.game.action_to_string(action, None)

    def returns(self) -> list[float]:
        self._dealt  # noqa: B018 - raises an error after an interrupt
        return self._rewards.tolist()

    def resample_from_infostate(self, player: int, sampler: Any) -> LudothequeState:
        """Return a copy in which everything ``player`` can't know is resampled.

        Args:
            player: the player whose information state is kept.
            sampler: called for random numbers from 0 to 1.

        Raises:
            ValueError: there is no such player, or ``sampler`` returns another number.
        """
        # Kernels don't check the seat.
        check_whole(player, "player", 0, self._rules.settings.num_players - 1)
        if self._dealt is None:
            return self.clone()
        drawn = self.clone()
        number = check_finite(sampler(), "the sampler's number")
        if not 0 <= number <= 1:
            raise ValueError(f"the sampler's number is {number}; it must return 0 to 1")
        seed = np.array([int(number * _PRECISION)], np.uint64)
        self._rules.settings.loops.redraw(drawn.record, 0, 1, np.array([player]), seed)
        drawn._recall.forget_others(drawn.record, player)
        return drawn

    def __str__(self) -> str:
        """Describe the position in words. Omniscient."""
        states = self._dealt
        return "before the deal" if states is None else self._rules.game.describe(states[0])


class Observer:
    """The observation of a seat.

    Attributes:
        tensor: float32 ``(size,)``, the flat observation; None with perfect recall.
        dict: ``{"observation": tensor}``, or empty.

    Args:
        kind: ``IIGObservationType``, of which only ``perfect_recall`` matters.
        rules: the rules of the game.
    """

    def __init__(self, kind: Any, rules: Rules):
        self._recalls = kind.perfect_recall
        self._rules = rules
        size = rules.settings.observation_size
        self.tensor = None if self._recalls else np.zeros(size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: LudothequeState, player: int) -> None:
        """Fill the tensor with the observation of ``player``; zeros before the deal."""
        if self.tensor is None:
            return
        states = state._dealt
        self.tensor[:] = 0 if states is None else self._rules.game.observe(states, player)

    def string_from(self, state: LudothequeState, player: int) -> str:
        """Describe the position as seen by ``player``, or with perfect recall return a digest."""
        states = state._dealt
        if self._recalls:
            return f"{player} {state._recall.digest(player)}"
        if states is None:
            return "before the deal"
        return self._rules.game.describe(states[0], player)


def register(game: str | Game) -> str:
    """Register a game with OpenSpiel and return its name there.

    The suite's own games are registered on import.

    Raises:
        ValueError: the game is unknown, or for a single player.
    """
    game = get_game(game) if isinstance(game, str) else game
    if game.max_players < 2:
        raise ValueError(f"{game.name} is for one player; OpenSpiel's algorithms need two or more")
    name = f"ludotheque_{game.name}"
    if name not in pyspiel.registered_names():
        kind = _game_type(game, name)
        pyspiel.register_game(kind, _game_class(game, kind))
    return name


def _game_type(game: Game, name: str) -> Any:
    chosen = {option.name: option.default for option in game.options if option.read is None}
    plain = {key: value for key, value in chosen.items() if isinstance(value, (str, int))}
    return pyspiel.GameType(
        short_name=name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=max(2, min(game.player_counts)),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "players": max(2, game.usual_players),
            "deals": DEALS,
            "reward": "rank",
            **plain,
        },
    )


def _game_class(game: Game, kind: Any) -> type:
    class LudothequeGame(pyspiel.Game):
        """One of the games, with its parameters."""

        def __init__(self, params: dict[str, Any] | None = None):
            chosen = {**kind.parameter_specification, **(params or {})}
            self.rules = rules_of(game.name, tuple(sorted(chosen.items())))
            info = pyspiel.GameInfo(
                num_distinct_actions=game.num_actions,
                max_chance_outcomes=self.rules.deals,
                num_players=chosen["players"],
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=game.max_plies,
            )
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> LudothequeState:
            return LudothequeState(self)

        def max_chance_nodes_in_history(self) -> int:
            return 1

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer | None:
            if params:
                raise ValueError(f"an observer has no parameters; got {params}")
            kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
            own = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
            # Public and private information are only available together.
            return Observer(kind, self.rules) if own and kind.public_info else None

    return LudothequeGame


for _name in game_names():
    register(_name)
