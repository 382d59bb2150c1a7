"""Noughts and crosses: the smallest game on the engine contract, and the worked example."""

from ludotheque.envs.core.assembly import assemble

GAME = assemble(__name__, "Toy")
