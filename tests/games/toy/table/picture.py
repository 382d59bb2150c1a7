"""The board as a picture."""

from ludotheque.envs.core.drawing.canvas import Canvas

from .geometry import SIZE
from .text import MARKS


def draw(state, seat=None, last_action=None):
    canvas = Canvas(3 * SIZE, 3 * SIZE)
    for square, mark in enumerate(state["square"]):
        y, x = (SIZE * k for k in divmod(square, 3))
        canvas.rect(x, y, SIZE, SIZE, fill="white", stroke="black")
        canvas.text(x + SIZE / 2, y + SIZE / 2, MARKS[mark].strip("."), size=40, fill="black")
    return canvas
