"""The command `ludotheque`.

Typer and rich are in the extra [cli]; without them the command prints a message, not a traceback.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import sys

EXTRA_MODULES = ("typer", "rich")
# How output is encoded where it can't be: minus signs as hyphens, the rest as question marks.
PLAIN = "ludotheque.plain"
_SIMILAR = {"\u2212": "-"}


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    return "".join(_SIMILAR.get(sign, "?") for sign in part), error.end


codecs.register_error(PLAIN, _plain)


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
        # Terminals or pipes that can't encode a character get a similar one or a question mark.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=PLAIN)
    # What is typed may be in another encoding: such a move is no move, not an error.
    if hasattr(sys.stdin, "reconfigure"):
        with contextlib.suppress(io.UnsupportedOperation):  # something was read already
            sys.stdin.reconfigure(errors="replace")
    try:
        app(prog_name="ludotheque")
    except KeyboardInterrupt:
        sys.exit(130)


__all__ = ["main"]
