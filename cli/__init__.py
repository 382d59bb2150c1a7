"""The command `ludotheque`.

Typer and rich are in the extra [cli]; without them the command prints a message, not a traceback.
"""

from __future__ import annotations

import sys

EXTRA_MODULES = ("typer", "rich")


def main() -> None:
    """Run the command with the arguments of the process, and exit with its exit code.

    Exit codes: 0 success, 1 failure, 2 invalid arguments, 130 stopped by Ctrl-C.
    """
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA_MODULES:
            raise
        sys.exit(
            f"The command `ludotheque` needs {error.name}, which is not installed.\n"
            "Install it with the command's extra:  pip install 'ludotheque[cli]'"
        )
    except KeyboardInterrupt:
        sys.exit(130)
    for stream in (sys.stdout, sys.stderr):
        # Terminals or pipes that can't encode the accents in names get a question mark.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="ludotheque")
    except KeyboardInterrupt:
        sys.exit(130)


__all__ = ["main"]
