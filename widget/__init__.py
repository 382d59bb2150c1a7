"""The board in a notebook: ``from ludotheque.widget import Board``. Needs the extra [notebook]."""

from .board import Board

__all__ = ["Board"]
