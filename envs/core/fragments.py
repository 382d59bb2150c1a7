"""Kernels that become machine code only inside the kernels that call them.

Numba optimizes every function together with all that it calls and makes machine code of it, then
does the same with each of its callers: what lies at the bottom of a step, thirty times. Here a
kernel's callers take in its code as it is, and only what is called from Python or where it lies is
optimized and becomes machine code, once. Compiling takes half as long; the code runs as fast.
"""

from __future__ import annotations

import gc
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class KernelCompiler(Compiler):
    """Numba's compiler, which doesn't stop to collect garbage: that takes a tenth of its time."""

    def compile_extra(self, function: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(function)
        finally:
            if collecting:
                gc.enable()


class FragmentCompiler(KernelCompiler):
    """The same, but for the machine code."""

    def compile_extra(self, function: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = Fragment(codegen, function.__qualname__)
        return super().compile_extra(function)


class Fragment(JITCodeLibrary):
    """The code of a kernel and of all that it calls, for others to take in.

    Overrides what numba does to a library once its code is complete, and answers for the execution
    engine, which never sees this one.
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
        """Do nothing: kernels use no Python objects, which are what an environment holds."""


for _name in ("_optimize_final_module", "_finalize_final_module", "get_pointer_to_function"):
    if not hasattr(JITCodeLibrary, _name):
        raise ImportError(f"numba's JITCodeLibrary has no {_name}")
