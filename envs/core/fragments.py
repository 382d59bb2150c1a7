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

from numba.core import ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import TypingError


class KernelCompiler(Compiler):
    """Numba's compiler without garbage collection, which takes a tenth of the compile time.

    Raises:
        TypingError: one of two kernels that pass an array as a result counts references, and the
            other doesn't (see ``jit.kernel``): the array would be freed too early or never.
    """

    def compile_extra(self, function: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            result = super().compile_extra(function)
        finally:
            if collecting:
                gc.enable()
        self._check_results(function, result.type_annotation)
        return result

    def _check_results(self, function: Any, found: Any) -> None:
        models = self.state.targetctx.data_model_manager
        for call, signature in found.calltypes.items():
            is_call = isinstance(call, ir.Expr) and call.op == "call"
            kernel = found.typemap.get(call.func.name) if is_call else None
            if not isinstance(kernel, types.Dispatcher):
                continue
            counts = kernel.dispatcher.targetoptions.get("_nrt", True)
            returns_array = models[signature.return_type].contains_nrt_meminfo()
            if returns_array and counts != self.state.flags.nrt:
                caller, called = function.__name__, kernel.dispatcher.py_func.__name__
                raise TypingError(
                    f"{called} returns an array to {caller}: make {caller if counts else called} "
                    "an @allocating_kernel too, or fill an array that is passed in"
                )


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
