"""The methods of ``Game`` that show records: pictures, texts and the places in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .drawing.words import MINUS

if TYPE_CHECKING:
    from .drawing.canvas import Canvas


def _one(state: np.void) -> np.void:
    if np.ndim(state):
        raise TypeError(
            f"this shows one record, as in states[0], not an array of shape {np.shape(state)}"
        )
    return state


class Pictures(ABC):
    """Base class of ``Game`` that shows records; drawing is imported on first use.

    All methods raise TypeError for an array of records, even of one: pass ``states[0]``.
    """

    @property
    @abstractmethod
    def home(self) -> str:
        """The package that defines the game."""

    def _table(self, module: str) -> ModuleType:
        # Imported on first use: drawing needs packages that playing doesn't.
        return import_module(f"{self.home}.table.{module}")

    def describe(self, state: np.void, seat: int | None = None, last_action: Any = None) -> str:
        """Describe one record in words, as seen by ``seat``; None is omniscient."""
        text = self._table("text").describe(_one(state), seat, last_action)
        # Not every terminal and file can hold a minus sign, and notation has hyphens.
        return text.replace(MINUS, "-")

    def remarks(self, before: np.void, after: np.void) -> list[str]:
        """Describe the consequences of an action in words, one per line. Omniscient.

        Args:
            before, after: the record before and after the action.
        """
        remarks: Any = getattr(self._table("text"), "remarks", lambda before, after: [])
        return [one.replace(MINUS, "-") for one in remarks(_one(before), _one(after))]

    def draw(
        self,
        state: np.void,
        seat: int | None = None,
        last_action: Any = None,
        *,
        clickable: bool = False,
    ) -> Canvas:
        """Return the picture of one record as seen by ``seat``; None is omniscient.

        With ``clickable``, the result of `spots` is drawn on top, invisibly: each path has an
        attribute ``data-place`` with the parts of an action as JSON, for interactive pages.
        """
        canvas = self._table("picture").draw(_one(state), seat, last_action)
        if clickable:
            from .drawing.spots import add_spots

            add_spots(canvas, self.spots(state, seat))
        return canvas

    def see(self, state: np.void, seat: int | None = None, last_action: Any = None) -> Any:
        """Return what ``seat`` may see of one record, the input of pictures and texts.

        The result is the game's subclass of ``VisibleBase`` (``core.drawing.visible``).
        """
        return self._table("visible").see(_one(state), seat, last_action)

    def points_seen(self, state: np.void, seat: int | None = None) -> list[str]:
        """Return each seat's current points as text, as far as ``seat`` may know them.

        The text is empty if nothing is known, and ``"9..12"`` for bounds.
        """
        visible = self._table("visible")
        return visible.points_seen(visible.see(_one(state), seat, None))

    def spots(self, state: np.void, seat: int | None = None) -> list[tuple[Any, Any]]:
        """Return what can be clicked in ``seat``'s picture, topmost first.

        Each place has a shape with ``has(x, y)`` and ``path()``. Places are named as in `locate`,
        whether they are legal or not.
        """
        return self._table("geometry").spots(_one(state), seat)

    def locate(self, x: float, y: float, state: np.void) -> Any:
        """Return the place at a point of the picture (in pixels), for playing with a mouse.

        The game's page describes the result; None means that nothing there can be clicked.
        """
        return self._table("geometry").locate(x, y, _one(state))
