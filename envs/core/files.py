"""Writing a file so that a reader sees the old one or the new one, never half of it.

The new content goes to a temporary file in the same folder (so that the last step is a rename
within one file system), is flushed to the disk and then takes the old file's name.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

__all__ = ["DAMAGED_ARCHIVE", "atomic_path", "atomic_write_bytes", "atomic_write_text"]

# What reading a zip file of arrays with wrong bytes in it can raise: KeyError for a member that is
# missing, RuntimeError for an "encrypted" one, NotImplementedError for one packed in another way.
DAMAGED_ARCHIVE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield the name of a temporary file that becomes `path` when the block ends well.

    Inside the block write to the yielded path (it exists, is empty and ends like `path`, since
    many libraries look at a file's ending). When the block raises anything, KeyboardInterrupt
    included, the temporary file is removed and `path` stays what it was. A symbolic link is
    followed: the file it leads to is replaced. An existing file keeps its permissions.

    Raises:
        FileNotFoundError: the folder of `path` does not exist.
        IsADirectoryError: `path` is a folder.
    """
    target = Path(os.path.realpath(path))
    _check_target(target, path)
    temporary = _create_beside(target)
    try:
        yield temporary
        _flush_to_disk(temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def atomic_write_bytes(path: str | os.PathLike, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all. Errors as in `atomic_path`."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(data)


def atomic_write_text(path: str | os.PathLike, text: str) -> None:
    r"""Write `text` to `path` as UTF-8 with `\n` line ends, whole or not at all."""
    # Bytes, not text mode: Windows would turn "\n" into "\r\n" and a file's digest would differ.
    atomic_write_bytes(path, text.encode("utf-8"))


def _check_target(target: Path, given: str | os.PathLike) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{os.fspath(given)!r} is a folder; give the name of a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"cannot write {os.fspath(given)!r}: the folder {str(target.parent)!r} does not "
            "exist; make it first, for example with Path(folder).mkdir(parents=True)"
        )


def _create_beside(target: Path) -> Path:
    """Make an empty file in the target's folder, with the target's ending and permissions."""
    # Long names are cut: the temporary name must not pass the usual limit of 255 bytes.
    name = f".{target.stem[:40]}-{secrets.token_hex(6)}{target.suffix[:40]}"
    temporary = target.with_name(name)
    # Not tempfile: its files are private (0600), and the result would stay so.
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o777)
    return temporary


def _flush_to_disk(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Make the rename itself durable. Windows cannot open a folder and does not need it."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # some network file systems refuse; the file is written
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
