"""Kernels that become machine code only inside the kernels that call them.

Numba optimizes every function together with everything it calls and generates machine code, then
does the same for each of its callers: thirty times for the innermost functions of a step. Here
callers include a kernel's code unoptimized, and only functions called from Python or at their
address are optimized and become machine code, once. Compiling takes half the time; the code is
equally fast.
"""

from __future__ import annotations

import gc
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class KernelCompiler(Compiler):
    """Numba's compiler without garbage collection, which takes a tenth of the compile time."""

    def compile_extra(self, function: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(function)
        finally:
            if collecting:
                gc.enable()


class FragmentCompiler(KernelCompiler):
    """The same, without generating machine code."""

    def compile_extra(self, function: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = Fragment(codegen, function.__qualname__)
        return super().compile_extra(function)


class Fragment(JITCodeLibrary):
    """The code of a kernel and everything it calls, for callers to include.

    Overrides what numba does with a library once its code is complete, and replaces the execution
    engine, which never receives this library.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # no such function, in numba's terms

    @property
    def codegen(self) -> Fragment:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: environments hold Python objects, which kernels don't use."""


for _name in ("_optimize_final_module", "_finalize_final_module", "get_pointer_to_function"):
    if not hasattr(JITCodeLibrary, _name):
        raise ImportError(f"numba's JITCodeLibrary has no {_name}")
