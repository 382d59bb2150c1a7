"""Atomic writing of files, and locks on folders.

The new content is written to a temporary file in the same folder (so that the last step is a rename
within one file system), flushed to disk and then renamed, so readers see either the old or the new
file.
"""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import re
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCK", "atomic_path", "atomic_write_bytes", "atomic_write_text", "lock_folder"]

# Names the process writing to a folder while it is locked.
LOCK = ".lock"
# The end of the names of files that are being written, before the extension.
_TEMPORARY = re.compile(r"-[0-9a-f]{12}$")


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield the name of a temporary file that replaces `path` if the block succeeds.

    Inside the block, write to the yielded path (it exists, is empty and has the extension of
    `path`, which many libraries depend on). If the block raises anything, even KeyboardInterrupt,
    the temporary file is removed and `path` is unchanged. Symbolic links are followed and their
    targets replaced. An existing file keeps its permissions.

    Raises:
        FileNotFoundError: the folder of `path` does not exist.
        IsADirectoryError: `path` is a folder.
        FileExistsError: `path` is a device, a pipe or a socket, which the file would replace.
    """
    target = Path(os.path.realpath(path))
    _check_target(target, path)
    temporary = _name_beside(target)
    try:
        # Inside the try: an interrupt may come before the next line.
        _create(temporary, target)
        yield temporary
        _flush_to_disk(temporary)
        os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = os.fspath(path)  # a full disk reports no name, or the temporary one
        raise
    _flush_folder(target.parent)


def atomic_write_bytes(path: str | os.PathLike, data: bytes) -> None:
    """Write `data` to `path`, atomically. Raises the errors of `atomic_path`."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(data)


def atomic_write_text(path: str | os.PathLike, text: str) -> None:
    r"""Write `text` to `path` as UTF-8 with `\n` line ends, whole or not at all."""
    # Bytes, not text mode: Windows would turn "\n" into "\r\n" and a file's digest would differ.
    atomic_write_bytes(path, text.encode("utf-8"))


@contextlib.contextmanager
def lock_folder(folder: str | os.PathLike, what: str, files: Sequence[str] = ()) -> Iterator[None]:
    """Hold an exclusive lock on a folder, which is created if necessary, inside the block.

    Without support by the file system or operating system, there is no exclusion.

    Args:
        folder: the folder.
        what: what is written there, for the message: ``"a run"``.
        files: the files that ``atomic_path`` writes there, by name or pattern; what a killed
            process has left of them is removed.

    Raises:
        BlockingIOError: another process holds the lock; the message says which.
        PermissionError: a link in the folder leads to a file outside, which might be overwritten.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _check_links(folder)
    with open(folder / LOCK, "a+", encoding="utf-8") as file:
        held = fcntl is not None
        try:
            if not _locks(file):
                # After an interrupt, a lock of our own may be waiting for the garbage collector.
                gc.collect()
                if not _locks(file):
                    file.seek(0)
                    holder = file.read(200).strip() or "another process"
                    raise BlockingIOError(
                        f"{holder} is writing {what} in {str(folder)!r}: wait for it, or name "
                        "another folder"
                    )
        except BlockingIOError:
            raise
        except OSError:
            held = False  # a file system without locks
        with contextlib.suppress(OSError):  # the name is not worth failing for
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node() or 'this machine'}")
            file.flush()
        if held:
            _remove_leftovers(folder, files)
        yield


def _remove_leftovers(folder: Path, files: Sequence[str]) -> None:
    """Remove the temporary files of a process that was killed; only this one writes here now."""
    for file in files:
        parent, name = folder / Path(file).parent, Path(file)
        for path in parent.glob(f".{name.stem}-*{name.suffix}"):
            if _TEMPORARY.search(path.stem) and path.is_file() and not path.is_symlink():
                with contextlib.suppress(OSError):  # the space is not worth failing for
                    path.unlink()


def _check_links(folder: Path) -> None:
    """Raise PermissionError for links to files outside the folder, or a lock that isn't a file.

    Someone else may have created the folder, with links under the usual names that lead to the
    user's own files.
    """
    inside = folder.resolve()
    for path in (*folder.iterdir(), *folder.glob("*/*")):
        if path.is_symlink() and not path.is_dir() and not path.resolve().is_relative_to(inside):
            raise PermissionError(
                f"{str(path)!r} is a link to {os.readlink(path)!r}, outside the folder, which "
                "might be overwritten: remove it, or name another folder"
            )
    lock = folder / LOCK
    if lock.exists() and not lock.is_file():
        raise PermissionError(f"{str(lock)!r} isn't a file: remove it, or name another folder")


def _locks(file: Any) -> bool:
    """Lock a file; return False if it is already locked, True if locks aren't supported."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _check_target(target: Path, given: str | os.PathLike) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{os.fspath(given)!r} is a folder; give the name of a file in it")
    if target.exists() and not target.is_file():
        # With the permission to, as root, renaming would replace even /dev/null.
        raise FileExistsError(
            f"{os.fspath(given)!r} is a device, a pipe or a socket; give the name of a file"
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"cannot write {os.fspath(given)!r}: the folder {str(target.parent)!r} does not "
            "exist; make it first, for example with Path(folder).mkdir(parents=True)"
        )


def _name_beside(target: Path) -> Path:
    """Return an unused name in the target's folder, with its extension."""
    # Long names are cut: the temporary name must not exceed the usual limit of 255 bytes.
    name = f".{target.stem[:40]}-{secrets.token_hex(6)}{target.suffix[:40]}"
    return target.with_name(name)


def _create(temporary: Path, target: Path) -> None:
    """Create an empty file with the target's permissions."""
    # Not tempfile: its files are private (0600), and so would be the result.
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o777)


def _flush_to_disk(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Make the rename durable. Windows can't open folders and doesn't need this."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # some network file systems refuse
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
