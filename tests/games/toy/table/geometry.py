"""Where the squares lie in the picture."""

from ludotheque.envs.core.drawing.panels import Rect
from ludotheque.envs.core.drawing.spots import spot_at

SIZE = 60


def spots(state, seat=None):
    squares = Rect(0, 0, 3 * SIZE, 3 * SIZE).grid(3, 3)
    return [(("mark", *divmod(k, 3)), square) for k, square in enumerate(squares)]


def locate(x, y, state):
    return spot_at(spots(state), x, y)
