"""Whether an observation holds everything that a seat may know, as an oracle lists it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

Facts = Mapping[str, object]


def differing(one: Facts, other: Facts) -> set[str]:
    """The names of the facts in which two positions differ."""
    return {name for name in {*one, *other} if one.get(name) != other.get(name)}


class Knowledge:
    """Facts and observations of many positions: no two different facts may look alike."""

    def __init__(self) -> None:
        self._facts_of: dict[bytes, Facts] = {}

    def note(self, facts: Facts, seen: np.ndarray) -> None:
        """Add what a seat knows about a position, and its observation."""
        known = self._facts_of.setdefault(seen.tobytes(), facts)
        unseen = sorted(differing(known, facts))
        assert not unseen, f"not in the observation: {unseen}"

    def __len__(self) -> int:
        return len(self._facts_of)
