"""What may be shown of the board: all of it."""

from ludotheque.envs.core.drawing.visible import VisibleBase, common_of


def see(state, seat=None, last_action=None):
    return VisibleBase(**common_of(state, seat), move=last_action)


def points_seen(seen):
    return [""] * seen.num_players
