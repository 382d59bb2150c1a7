"""Compiled kernels, and an on-disk cache of their machine code that cannot go stale.

Numba's own cache tracks only the kernel's own source file: after an edit to an imported kernel, or
to a constant compiled into the machine code, it serves stale code. Here an entry's name is a digest
of everything the machine code depends on: the bytecode of the kernel and of every kernel it calls,
the value of every constant they read, the argument types, the processor and the versions of
Python, numpy and numba. Only what changed is recompiled.

A kernel with many callers (``link_late``) is compiled once and called at its address; numba would
copy its code into each caller and optimize it again there. Entries list such kernels. All others
become machine code only inside their callers (``fragments``) and have no entries.

Each entry is one file, written under a temporary name and renamed, so that processes starting
together on a cold cache don't disturb each other. A cache that can't be written is not an error.
Neither is a numba whose internals have changed: kernels are then compiled at every start, after a
single warning.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import logging
import os
import pickle
import platform
import re
import sys
import threading
import types
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

from .digests import all_names, digest
from .signals import signals_delayed

try:  # numba internals, which any release may move; without them nothing is cached
    from llvmlite.binding import add_symbol
    from numba.core.caching import NullCache
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.cpu import CPUTargetOptions
    from numba.core.errors import NumbaError
    from numba.core.serialize import dumps

    from .fragments import FragmentCompiler, KernelCompiler
except ImportError as error:
    NullCache, _missing, _UNCOUNTED = object, error, {}  # type: ignore[misc, assignment]
    NumbaError = ()  # type: ignore[misc, assignment]
else:
    _missing = None  # type: ignore[assignment]
    # Without numba's runtime, which counts references to arrays in every kernel they are passed to.
    _UNCOUNTED = {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}
    if hasattr(os, "register_at_fork"):
        # A fork waits until no thread compiles: the child would wait for that thread for ever.
        os.register_at_fork(
            before=global_compiler_lock.acquire,
            after_in_parent=global_compiler_lock.release,
            after_in_child=global_compiler_lock.release,
        )

logger = logging.getLogger("ludotheque")

JIT_DISABLED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
# Numba settings that affect machine code, and their defaults. Others override the processor's name
# and features, which are in the key anyway.
_NUMBA_SETTINGS = {
    "BOUNDSCHECK": None,
    "DEBUGINFO_DEFAULT": 0,
    "DISABLE_INTEL_SVML": 0,
    "ENABLE_PROFILING": 0,
    "EXTEND_VARIABLE_LIFETIMES": 0,
    "LLVM_REFPRUNE_FLAGS": "all",
    "LLVM_REFPRUNE_PASS": 1,
    "LOOP_VECTORIZE": 1,
    "OPT": 3,
    "SLP_VECTORIZE": 0,
}
_VERSIONS = (platform.python_version(), np.__version__, numba.__version__)
# What numba says about arrays created without its runtime.
_CREATES_ARRAYS = ("NRT required", "Only accept returning of array")
# Incremented when the format of entries or the way kernels are compiled changes.
_FORMAT = 4
_SYMBOL = re.compile(rb"ludotheque\.\w+-[0-9a-f]{32}")
# Kernels that can be called at their address: name in machine code → argument types.
_published: dict[str, tuple] = {}
_CHECKSUM_SIZE = hashlib.sha256().digest_size
_announced: set[str] = set()
_told_folders: set[str] = set()
_gave_up = False


def cache_dir() -> Path | None:
    """Return the folder of compiled kernels.

    This is ``LUDOTHEQUE_CACHE_DIR`` if set, otherwise ``ludotheque`` in the user's cache folder.
    Without either and without a home directory it is None, and nothing is cached.
    """
    named = os.environ.get("LUDOTHEQUE_CACHE_DIR")
    if named:
        return Path(named)
    windows = sys.platform == "win32"
    base = os.environ.get("LOCALAPPDATA" if windows else "XDG_CACHE_HOME")
    if base:
        return Path(base) / "ludotheque"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("AppData/Local" if windows else ".cache") / "ludotheque"


def is_own(folder: Path) -> bool:
    """Return whether only this user (or root) can write to a folder; warn once if not.

    Its files are unpickled and executed.
    """
    if os.name != "posix":
        return True
    try:
        found = os.stat(folder)
    except OSError:
        return True  # nothing to read yet
    foreign = found.st_uid not in (0, os.getuid())
    # Where new files are group-writable, each user usually has a private group.
    by_others = found.st_mode & 0o002 or (found.st_mode & 0o020 and found.st_gid != os.getgid())
    if not foreign and not by_others:
        return True
    if str(folder) not in _told_folders:
        _told_folders.add(str(folder))
        logger.warning(
            "Ludothèque doesn't use the compiled kernels in %s, %s: %s, or set "
            "LUDOTHEQUE_CACHE_DIR to a folder of your own",
            folder,
            "which belongs to another user" if foreign else "in which others can write",
            "choose another" if foreign else f"chmod go-w {folder}",
        )
    return False


class Kernel:
    """A function compiled for other kernels, and for Python only on demand.

    The wrapper that makes a compiled function callable from Python takes a quarter of the compile
    time, and few kernels need it.
    """

    def __init__(self, compiled: Any, plain: Callable[..., Any]):
        functools.update_wrapper(self, compiled.py_func)
        self.compiled = compiled
        self.py_func = compiled.py_func
        self.plain = plain
        self._numba_type_ = compiled._numba_type_  # its type in other kernels
        self._entry: Any = None

    def __call__(self, *arguments: Any) -> Any:
        if self._entry is None:
            self._entry = specialize(call, f"{self.py_func.__name__}_from_python", inner=self)
        return self._entry(*arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"


inner: Any = None  # bound in ``Kernel.__call__``


def call(*arguments):
    """Call the kernel that ``inner`` stands for."""
    return inner(*arguments)


def kernel(
    function: Callable[..., Any],
    plain: Callable[..., Any] | None = None,
    allocates: bool = False,
) -> Any:
    """Compile ``function`` with numba: no Python objects, GIL released, cached.

    Kernels must read constants by name (``SIZE``), never through a module (``board.SIZE``), so that
    their values are part of the digest.

    Args:
        function: the function to compile.
        plain: its Python equivalent, if ``function`` calls something that only runs compiled.
        allocates: whether it creates arrays, also as a step in between (``mask[:] = a == b``), or
            calls a kernel that returns one. Such kernels are slower: numba counts all references
            to arrays in them.
    """
    if JIT_DISABLED:
        return _in_python(plain or function)
    counted = {"_nrt": True} if allocates and _UNCOUNTED else {}
    compiled = _compile(function, fragment=True, no_cpython_wrapper=True, **counted)
    return Kernel(compiled, plain or function)


allocating_kernel = functools.partial(kernel, allocates=True)


def _in_python(function: Callable[..., Any]) -> Any:
    """Return ``function`` with integers that overflow without warnings, as in compiled code."""

    @functools.wraps(function)
    def run(*args: Any, **named: Any) -> Any:
        # Only in the outermost kernel: switching warnings off takes longer than most kernels.
        if _silence.kept:
            return function(*args, **named)
        _silence.kept = True
        try:
            with np.errstate(over="ignore"):
                return function(*args, **named)
        finally:
            _silence.kept = False

    return run


class _Silence(threading.local):
    """Whether this thread is running a kernel as plain Python."""

    kept = False


_silence = _Silence()


def _compile(function: Callable[..., Any], fragment: bool = False, **settings: bool) -> Any:
    asked: dict[str, Any] = {"no_cfunc_wrapper": True, **_UNCOUNTED, **settings}
    if _missing is None:
        asked["pipeline_class"] = FragmentCompiler if fragment else KernelCompiler
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **asked)(function)
    if _missing is not None or not isinstance(getattr(compiled, "_cache", None), NullCache):
        _give_up(_missing or "its kernels have no cache that can be replaced")
    else:
        compiled._cache = _KernelCache(function, kept=not fragment)
    _share_specializations(compiled)
    _delay_signals(compiled)
    return compiled


def _delay_signals(compiled: Any) -> None:
    """Make signals wait until ``compiled`` is compiled; explain an error that is often made.

    An exception in the middle of it, of Ctrl-C or of a time limit, can leave numba unable to
    compile anything else in this process, or make LLVM free memory twice.
    """
    compile_one = compiled.compile

    def compile_whole(signature: Any) -> Any:
        with signals_delayed():
            try:
                return compile_one(signature)
            except NumbaError as error:
                if any(words in str(error) for words in _CREATES_ARRAYS):
                    error.add_note("A kernel that creates arrays must be an @allocating_kernel.")
                raise

    compiled.compile = compile_whole


def _share_specializations(compiled: Any) -> None:
    """Compile ``compiled`` once for calls from other kernels with any kind of integer.

    Numba recompiles a kernel for every constant and every integer width (an int8 field of a record,
    an int64 variable): a third of the total compile time. Versions of numba without
    ``get_call_template`` still do.
    """
    resolve = getattr(compiled, "get_call_template", None)
    if resolve is not None:
        compiled.get_call_template = lambda args, kws: resolve(
            tuple(map(_widened, args)), {name: _widened(kind) for name, kind in kws.items()}
        )


def _widened(kind: Any) -> Any:
    """Return int64 for signed integers and constants, and other types unchanged."""
    if not isinstance(kind, numba.types.Integer):
        return kind
    kind = numba.types.unliteral(kind)
    return numba.int64 if kind.signed else kind


def link_late(kernel: Any) -> Any:
    """Make callers call ``kernel`` at its address instead of copying its code; return it.

    For large kernels with several callers: compiling is faster, and a call costs a few nanoseconds.
    Callers that are already compiled are not affected.
    """
    compiled: Any = getattr(kernel, "compiled", None)
    cache = getattr(compiled, "_cache", None)
    if not isinstance(cache, _KernelCache) or cache.compiled is not None:
        return kernel
    compiled._compiler.pipeline_class = KernelCompiler
    cache.compiled, cache.kept, add = compiled, True, compiled.add_overload

    def add_and_publish(result: Any) -> None:
        add(result)
        cache.publish(result)

    compiled.add_overload = add_and_publish
    return kernel


def specialize(template: Callable[..., Any], name: str, **kernels: Any) -> Any:
    """Compile ``template``, a plain function, with ``kernels`` in place of its global names.

    This way, a loop is written once and compiled for each game. The result is called from Python,
    unless the template's name starts with an underscore: then it is a kernel.
    """
    unknown = set(kernels) - set(all_names(template.__code__))
    if unknown:
        raise ValueError(f"{template.__name__} reads no name {sorted(unknown)}")
    namespace = {**template.__globals__, **kernels}
    function = types.FunctionType(template.__code__, namespace, name, template.__defaults__)
    function.__module__ = template.__module__
    function.__qualname__ = name
    if JIT_DISABLED or template.__name__.startswith("_"):
        return kernel(function)
    return _compile(function)


class _KernelCache(NullCache):
    """One kernel's entries. Numba loads from it before compiling and saves to it afterwards.

    Uses numba's internal cache interface (``load_overload``, ``save_overload``). If that behaves
    unexpectedly, the kernel is compiled and nothing is cached.
    """

    def __init__(self, function: Callable[..., Any], kept: bool = True):
        self._function = function
        self.kept = kept
        self._digest: str | None = None
        self.compiled: Any = None  # the kernel, if it is called at its address

    @property
    def cache_path(self) -> str | None:
        folder = cache_dir()
        return None if folder is None else str(folder)

    def load_overload(self, *call: Any) -> Any:
        return self._attempt(self._load, *call)

    def save_overload(self, *call: Any) -> None:
        self._attempt(self._save, *call)

    def _attempt(self, act: Callable[..., Any], *call: Any) -> Any:
        """Return ``act(folder, *call)``; None, after one warning, if numba behaves unexpectedly."""
        folder = cache_dir()
        if self._digest is None:
            self._digest = digest(self._function)  # raises errors in the kernel itself
        if _gave_up or not self.kept or folder is None or not is_own(folder):
            _announce_compilation(self._function)
            return None
        try:
            return act(folder, *call)
        except Exception as error:
            if _was_interrupt(error):
                raise KeyboardInterrupt from error
            _give_up(error)
            return None

    def is_kept(self, sig, target_context) -> bool:
        """Return whether there is an entry for argument types ``sig``."""
        folder = cache_dir()
        # Not Path.exists, which raises PermissionError for folders without access.
        return folder is not None and os.path.exists(
            self._path(folder, sig, target_context.codegen())
        )

    def _load(self, folder: Path, sig, target_context) -> Any:
        target_context.refresh()
        try:
            payload = self._path(folder, sig, target_context.codegen()).read_bytes()
        except OSError:
            _announce_compilation(self._function)
            return None
        checksum, pickled = payload[:_CHECKSUM_SIZE], payload[_CHECKSUM_SIZE:]
        if hashlib.sha256(pickled).digest() != checksum:
            return None  # a damaged entry is compiled again and replaced
        try:
            called, reduced = pickle.loads(pickled)
        except Exception:
            return None  # so is one that refers to names that no longer exist
        if not all(self._find(symbol, argument_types) for symbol, argument_types in called):
            return None
        return CompileResult._rebuild(target_context, *reduced)

    def _save(self, folder: Path, sig, data) -> None:
        path = self._path(folder, sig, data.codegen)
        aside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}")
        reduced = data._reduce()
        symbols = {found.decode() for found in _SYMBOL.findall(dumps(reduced))}
        pickled = dumps(([(symbol, _published[symbol]) for symbol in sorted(symbols)], reduced))
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                aside.write_bytes(hashlib.sha256(pickled).digest() + pickled)
                os.replace(aside, path)
            finally:
                aside.unlink(missing_ok=True)
        except OSError as error:
            logger.info("compiled kernels can't be kept in %s: %s", folder, error)

    def publish(self, result: Any) -> None:
        """Give the machine code a name under which callers in any process find it."""
        if not _gave_up:
            try:
                self._publish(result)
            except Exception as error:
                _give_up(error)

    def _publish(self, result: Any) -> None:
        target = self.compiled.targetctx
        argument_types = tuple(result.signature.args)
        symbol = self._symbol(argument_types, target.codegen())
        named = copy.copy(result.fndesc)
        add_symbol(symbol, result.library.get_pointer_to_function(named.llvm_func_name))
        named.mangled_name = symbol
        target.remove_user_function(result.entry_point)
        target.insert_user_function(result.entry_point, named)
        _published[symbol] = argument_types

    def _find(self, symbol: str, argument_types: tuple) -> bool:
        """Return whether the kernel of that name can be called; compile or load it if necessary."""
        for kernel in _late_kernels(self._function, set()):
            codegen = kernel.targetctx.codegen()
            if symbol in _published:
                break
            if kernel._cache._symbol(argument_types, codegen) == symbol:
                kernel.compile(argument_types)
        return symbol in _published

    def _symbol(self, argument_types: tuple, codegen) -> str:
        return f"ludotheque.{self._path(Path(), argument_types, codegen).stem}"

    def _path(self, folder: Path, sig, codegen) -> Path:
        if self._digest is None:
            self._digest = digest(self._function)
        made_for = (_FORMAT, self._digest, str(sig), _machine(codegen), _VERSIONS)
        made_for += (*_changed_settings(), *_named_fields(sig))
        key = hashlib.sha256(repr(made_for).encode()).hexdigest()
        # The name may be in any script, long, or that of a lambda; `_SYMBOL` must find it.
        name = re.sub(r"[^0-9A-Za-z_]", "_", self._function.__name__)[:100]
        return folder / f"{name}-{key[:32]}.nbc"


@functools.cache
def _machine(codegen: Any) -> tuple:
    """Return the target of machine code, from LLVM: the processor and its features.

    Ctrl-C is delayed meanwhile: while LLVM's lock is being acquired, it would leave the lock held,
    and other threads would wait forever.
    """
    with signals_delayed():
        return codegen.magic_tuple()


def _was_interrupt(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused an error; generators in numba turn it into other errors."""
    if error is None or isinstance(error, KeyboardInterrupt):
        return error is not None
    return _was_interrupt(error.__cause__) or _was_interrupt(error.__context__)


def _late_kernels(function: Callable[..., Any], seen: set[int]) -> list[Any]:
    """Return the kernels that ``function`` or its callees may call at their address."""
    found: list[Any] = []
    for name in all_names(function.__code__):
        called = function.__globals__.get(name)
        plain = getattr(called, "py_func", None)
        if isinstance(plain, types.FunctionType) and id(called) not in seen:
            seen.add(id(called))
            called = getattr(called, "compiled", called)
            cache = getattr(called, "_cache", None)
            found += [called] if getattr(cache, "compiled", None) is not None else []
            found += _late_kernels(plain, seen)
    return found


def _named_fields(argument_types) -> tuple[tuple[str, ...], ...]:
    """Return the fields of each NamedTuple among argument types, including nested ones."""
    found: tuple[tuple[str, ...], ...] = ()
    for one in argument_types:
        found += (one.fields,) if hasattr(one, "instance_class") else ()
        found += _named_fields(getattr(one, "types", ()))
    return found


def _changed_settings() -> list[tuple[str, Any]]:
    """Return the numba settings that affect machine code and differ from their defaults."""
    found = [(name, getattr(numba.config, name, usual)) for name, usual in _NUMBA_SETTINGS.items()]
    return [(name, value) for name, value in found if value != _NUMBA_SETTINGS[name]]


def _give_up(reason: object) -> None:
    """Stop caching kernels, and warn once."""
    global _gave_up
    if not _gave_up:
        _gave_up = True
        logger.warning(
            "Ludothèque can't keep compiled kernels with numba %s: every start recompiles them "
            "(%s)",
            numba.__version__,
            reason,
        )


def _announce_compilation(function: Callable[..., Any]) -> None:
    """Log once per game that its kernels are being compiled."""
    game = (function.__module__ or "").rpartition(".")[0].rpartition(".")[2]
    if game in ("", "core", "agents", "td") or game in _announced or _gave_up:
        return
    _announced.add(game)
    folder = cache_dir()
    logger.warning(
        "Ludothèque compiles its kernels on first use (%s: about ten seconds); %s",
        game,
        "there is no home directory to keep them in: set LUDOTHEQUE_CACHE_DIR"
        if folder is None
        else f"later starts take them from {folder}; `ludotheque warmup` compiles all of them",
    )
