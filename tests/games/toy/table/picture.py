"""The board in words and as a picture."""

from ludotheque.envs.core.drawing.canvas import Canvas
from ludotheque.envs.core.drawing.words import check_seat

MARKS, SIZE = ".XO", 60


def describe(state, seat=None, last_action=None):
    check_seat(state, seat)
    rows = [[MARKS[mark] for mark in row] for row in state["square"].reshape(3, 3)]
    turn = "over" if state["terminated"] else f"player_{state['to_play']} is to play"
    return "\n".join([*(" ".join(row) for row in rows), turn])


def draw(state, seat=None, last_action=None):
    canvas = Canvas(3 * SIZE, 3 * SIZE)
    for row, line in enumerate(describe(state, seat).splitlines()[:3]):
        for column, mark in enumerate(line.split()):
            canvas.rect(column * SIZE, row * SIZE, SIZE, SIZE, fill="white", stroke="black")
            middle = (column + 0.5) * SIZE, (row + 0.5) * SIZE
            canvas.text(*middle, mark.replace(".", ""), size=40, fill="black")
    return canvas


def locate(x, y, state):
    row, column = int(y // SIZE), int(x // SIZE)
    return ("mark", row, column) if 0 <= row < 3 and 0 <= column < 3 else None
