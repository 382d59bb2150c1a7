"""The board in words."""

from ludotheque.envs.core.drawing.words import check_seat

MARKS = ".XO"


def describe(state, seat=None, last_action=None):
    check_seat(state, seat)
    rows = [" ".join(MARKS[mark] for mark in row) for row in state["square"].reshape(3, 3)]
    turn = "over" if state["terminated"] else f"player_{state['to_play']} is to play"
    return "\n".join([*rows, turn])
