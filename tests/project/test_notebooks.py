"""The notebooks as they are read on the web: with small outputs of the current code."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
# Maximum sizes of a picture and of a notebook; a clone contains every version.
LARGEST, LARGEST_FILE = 150_000, 250_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_there_and_small(path):
    text = path.read_text(encoding="utf-8")
    assert len(text) < LARGEST_FILE
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in cells for output in cell["outputs"]]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds & {"image/png", "image/svg+xml"}, "no picture is kept: run it with its outputs"
    for output in outputs:
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr", output
        assert len(json.dumps(output)) < LARGEST


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_printed_is_kept(path):
    """A cell that prints has an output, so it wasn't edited without being run."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        calls = [
            node.func.id
            for line in ast.parse("".join(cell["source"])).body
            for node in ast.walk(line)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            # Not inside functions that this cell only defines.
            if not isinstance(line, ast.FunctionDef)
        ]
        if "print" in calls:
            assert any(output.get("name") == "stdout" for output in cell["outputs"])
