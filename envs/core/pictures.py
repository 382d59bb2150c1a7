"""What a game shows of a record: pictures, texts and places in them, from its package ``table``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .drawing.canvas import Canvas


class Pictures(ABC):
    """The part of ``Game`` that shows records; drawing is imported when first asked for."""

    @property
    @abstractmethod
    def home(self) -> str:
        """The package that the game lives in."""

    def _table(self, module: str) -> ModuleType:
        # Imported when first asked for: drawing needs packages that playing does not.
        return import_module(f"{self.home}.table.{module}")

    def describe(self, state: np.void, seat: int | None = None, last_action: Any = None) -> str:
        """Return one record in words as ``seat`` sees it; None is omniscient."""
        return self._table("text").describe(state, seat, last_action)

    def remarks(self, before: np.void, after: np.void) -> list[str]:
        """Return in words what an action has brought about, a line each. Omniscient.

        Args:
            before, after: the record before and after it.
        """
        return getattr(self._table("text"), "remarks", lambda before, after: [])(before, after)

    def draw(
        self,
        state: np.void,
        seat: int | None = None,
        last_action: Any = None,
        *,
        clickable: bool = False,
    ) -> Canvas:
        """Return the picture of one record as ``seat`` sees it; None is omniscient.

        With ``clickable``, what `spots` returns is drawn over it, invisible: each path has an
        attribute ``data-place``, the parts of an action as JSON, for pages to play on.
        """
        canvas = self._table("picture").draw(state, seat, last_action)
        if clickable:
            from .drawing.spots import add_spots

            add_spots(canvas, self.spots(state, seat))
        return canvas

    def see(self, state: np.void, seat: int | None = None, last_action: Any = None) -> Any:
        """Return what may be shown of one record to ``seat``, as its pictures and texts read it.

        A ``VisibleBase`` (``core.drawing.visible``), with what the game adds to it.
        """
        return self._table("visible").see(state, seat, last_action)

    def points_seen(self, state: np.void, seat: int | None = None) -> list[str]:
        """Return the points of each seat now, as far as ``seat`` may know them, as text.

        Empty where nothing is known; bounds as ``"9..12"``.
        """
        visible = self._table("visible")
        return visible.points_seen(visible.see(state, seat, None))

    def spots(self, state: np.void, seat: int | None = None) -> list[tuple[Any, Any]]:
        """Return what can be clicked in the picture that ``seat`` sees, what lies on top first.

        Each with its shape, which has ``has(x, y)`` and ``path()``. A place is named as by
        `locate`; whether it is legal is not asked.
        """
        return self._table("geometry").spots(state, seat)

    def locate(self, x: float, y: float, state: np.void) -> Any:
        """Return what lies at a point of the picture (pixels), for playing with a mouse.

        The game's page says what comes back; None is nothing that can be clicked.
        """
        return self._table("geometry").locate(x, y, state)
