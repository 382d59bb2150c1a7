"""The record: who has marked each square, the seat's number plus one; 0 is empty."""

import numpy as np

from ludotheque.envs.core.state import game_dtype

MAX_PLIES = 9
DTYPE = game_dtype([("square", np.int8, (MAX_PLIES,))])
