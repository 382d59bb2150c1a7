"""What is in the box: a board of three by three squares."""

PLAYER_COUNTS = (2,)
SIDE = 3
