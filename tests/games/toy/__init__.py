"""Noughts and crosses: the smallest game on the engine contract, and the worked example."""

from ludotheque.envs.core.game import Game
from ludotheque.envs.core.loops import KERNELS

from . import observation, rules
from .actions import ACTIONS
from .notation import action_from_string, action_to_string
from .state import DTYPE, MAX_PLIES

_NAMES = vars(rules) | vars(observation)
GAME = Game(
    name="toy",
    title="Toy",
    version=0,
    package=__name__,
    dtype=DTYPE,
    player_counts=(2,),
    num_actions=len(ACTIONS),
    max_plies=MAX_PLIES,
    options=(),
    flat=observation.FLAT,
    planes=(),
    kernels={name: _NAMES[name] for name in (*KERNELS, "evaluate")},
    decode_action=ACTIONS.decode,
    encode_action=ACTIONS.encode,
    targets=ACTIONS.targets,
    action_to_string=action_to_string,
    action_from_string=action_from_string,
)
