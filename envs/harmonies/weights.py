"""The weights of ``heuristics.py``; ``weights.json`` describes each."""

from __future__ import annotations

import json
from collections import namedtuple
from pathlib import Path
from typing import Any

_GROUPS = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))["weights"]
_VALUES = {name: value for group in _GROUPS for name, value in group.items() if name != "meaning"}
WEIGHTS: Any = namedtuple("Weights", _VALUES)(**_VALUES)
