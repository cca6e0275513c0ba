"""Kernels of the longest vectors that the processor has.

Of many processors with AVX-512 the compiler uses half a register unless it is told otherwise: on the first of
them a few long vectors slowed the clock of everything. A kernel is all vectors, and gains.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from tensorlab.backends.cpu.machine import vectors

__all__ = ["WideCompiler"]


class _WideLower(Lower):
    """Writes the instructions of a function that may use whole registers."""

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)  # type: ignore[no-untyped-call]
        # LLVM's own name. llvmlite's `add` knows a list of attributes that have no value.
        set.add(self.function.attributes, f'"prefer-vector-width"="{8 * vectors().size}"')


@register_pass(mutates_CFG=True, analysis_only=False)
class _WideLowering(NativeLowering):
    _name = "wide_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return _WideLower


class WideCompiler(Compiler):
    """Numba's compiler, of functions that may use whole registers."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes, of which the one that writes instructions is another."""
        pipelines: list[PassManager] = super().define_pipelines()  # type: ignore[no-untyped-call]
        for pipeline in pipelines:
            own = {NativeLowering: _WideLowering}
            pipeline.passes = [(own.get(made, made), name) for made, name in pipeline.passes]
            pipeline.finalize()
        return pipelines
