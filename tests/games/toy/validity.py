"""Which records are positions."""

LIMITS = {"phase": (0, 0), "square": (0, 2)}
