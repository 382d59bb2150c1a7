"""The variants of Sàrèná."""

from __future__ import annotations

from ..core.arguments import Option

OPTIONS = (
    Option(
        "deal",
        ("random", "balanced"),
        "random",
        "random faces up, or every colour on top of exactly nine discs",
    ),
)
