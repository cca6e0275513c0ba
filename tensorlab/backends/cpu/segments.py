"""The gelu of whole vectors, by segments whose coefficients lie in vector registers.

Up to `LIMIT`, the normal distribution below -a is a polynomial of degree 6 on each of 16 segments, a quarter
wide. Sixteen is how many float32 a register of AVX-512 holds: so the coefficients of one power, for all
segments, are one register, and one instruction looks the right one up for each of 16 elements. There is no
exponential, and no division. A vector with an element beyond the limit, or NaN, is left to the formula of
`tensorlab.scalars`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from tensorlab import dtypes
from tensorlab.backends.cpu.machine import vectors
from tensorlab.backends.operands import RUN
from tensorlab.dtypes import dtype

__all__ = ["GROUP", "gelu_group", "gelu_rest", "has_groups"]

# Elements to a vector.
GROUP = 16

LIMIT = 3.875  # the middle of the last segment is 15 quarters
ROUNDER = 3145728.0  # 1.5 · 2^21: adding it rounds to a whole number of quarters, in the last binary digits

# Row j: the chance that a normal variable is below -(j/4 + d), in d from -1/8 to 1/8, highest power first.
# `mpmath.chebyfit(lambda d: mpmath.ncdf(-(j / 4 + d)), [-1 / 8, 1 / 8], 7)` gives it again.
COEFFICIENTS = (
    (0.0, -0.009941152, 0.0, 0.06649013, 0.0, -0.3989423, 0.5),
    (0.0019240623, -0.008445308, -0.011831591, 0.060416695, 0.048333514, -0.38666812, 0.40129367),
    (0.003061864, -0.004575267, -0.020170335, 0.044008095, 0.08801633, -0.35206532, 0.30853754),
    (0.0030320322, 0.00013768555, -0.02293814, 0.02195801, 0.112926535, -0.30113742, 0.22662735),
    (0.0020131418, 0.004011888, -0.020164201, 1.6362024e-7, 0.12098536, -0.24197072, 0.15865526),
    (0.0005777703, 0.0059649628, -0.013674913, -0.017123178, 0.11415568, -0.18264909, 0.10564978),
    (-0.0006529305, 0.005853529, -0.0060711745, -0.026982713, 0.097138196, -0.1295176, 0.0668072),
    (-0.0013048757, 0.0043059685, 0.00039315232, -0.029657789, 0.07549266, -0.08627732, 0.040059157),
    (-0.0013466268, 0.002252826, 0.0044992226, -0.026995508, 0.053990968, -0.053990968, 0.022750132),
    (-0.0009905974, 0.00046902956, 0.006137152, -0.021490445, 0.03570711, -0.031739652, 0.012224473),
    (-0.00051426137, -0.0006592659, 0.0059340657, -0.015337319, 0.021910375, -0.017528301, 0.0062096654),
    (-0.00012060146, -0.001117848, 0.0047540017, -0.009946123, 0.012503648, -0.009093562, 0.0029797633),
    (0.00010960708, -0.0011056504, 0.0033238956, -0.005909149, 0.0066477726, -0.0044318484, 0.001349898),
    (0.00019108265, -0.00086519483, 0.0020779304, -0.0032337983, 0.003297203, -0.002029048, 0.00057702506),
    (0.00018028532, -0.0005791887, 0.0011772148, -0.0016362756, 0.0015271947, -0.0008726827, 0.00023262909),
    (0.0001324592, -0.00034278145, 0.00060946716, -0.0007676237, 0.0006611169, -0.0003525957, 8.8417284e-5),
)


def has_groups(name: str, element_types: Sequence[dtype], ways: Sequence[str]) -> bool:
    """Whether a scalar function of such operands is computed vector by vector.

    Args:
        name: the function's.
        element_types: of the output and the inputs.
        ways: how each of them is walked along the innermost dimension; an input may be the output itself.
    """
    if name != "gelu" or set(element_types) != {dtypes.float32} or not set(ways) <= {RUN, "self"}:
        return False
    return vectors().size == 64 and not config.DISABLE_JIT  # type: ignore[attr-defined]


class _Writer:
    """Writes the instructions for one vector of float32."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self.floats, self.bits = (ir.VectorType(t, GROUP) for t in (ir.FloatType(), ir.IntType(32)))

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """The result of one of the compiler's own functions."""
        declared = ir.FunctionType(result, [argument.type for argument in arguments])
        function = cgutils.get_or_insert_function(self.builder.module, declared, name)
        return self.builder.call(function, arguments)

    def same(self, number: float) -> Any:
        """The same number in every lane."""
        return ir.Constant(self.floats, [float(number)] * GROUP)

    def multiply_add(self, a: Any, b: Any, c: Any) -> Any:
        """``a * b + c``, rounded once."""
        return self.call("llvm.fma.v16f32", self.floats, a, b, c)

    def first_lanes(self, count: Any) -> Any:
        """The mask of so many lanes."""
        numbers, order = (ir.VectorType(ir.IntType(size), GROUP) for size in (64, 32))
        first = self.builder.insert_element(ir.Constant(numbers, ir.Undefined), count, ir.IntType(32)(0))
        counts = self.builder.shuffle_vector(first, first, ir.Constant(order, [0] * GROUP))
        return self.builder.icmp_signed("<", ir.Constant(numbers, list(range(GROUP))), counts)

    def size(self, x: Any) -> Any:
        """The absolute values."""
        return self.call("llvm.fabs.v16f32", self.floats, x)

    def all_inside(self, a: Any) -> Any:
        """Whether every element is below the limit, which a NaN is not."""
        mask = ir.IntType(GROUP)
        inside = self.builder.bitcast(self.builder.fcmp_ordered("<", a, self.same(LIMIT)), mask)
        return self.builder.icmp_unsigned("==", inside, mask(-1))

    def tail(self, a: Any) -> Any:
        """The chance that a normal variable is below -a."""
        rounded = self.builder.fadd(a, self.same(ROUNDER))
        rest = self.builder.fsub(a, self.builder.fsub(rounded, self.same(ROUNDER)))
        # The instruction reads the last four digits, so that the rounder beside them does no harm.
        index = self.builder.bitcast(rounded, self.bits)
        total = None
        for power in zip(*COEFFICIENTS, strict=True):
            column = ir.Constant(self.floats, [float(np.float32(c)) for c in power])
            found = self.call("llvm.x86.avx512.permvar.sf.512", self.floats, column, index)
            total = found if total is None else self.multiply_add(total, rest, found)
        return total

    def gelu(self, x: Any, a: Any) -> Any:
        """``max(x, 0) - a · tail``, where of two zeros the maximum is `x`."""
        zero = self.same(0.0)
        positive = self.builder.select(self.builder.fcmp_ordered(">", zero, x), zero, x)
        return self.multiply_add(self.builder.fneg(a), self.tail(a), positive)


@intrinsic
def _gelu_group(typing, source, to):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        writer = _Writer(builder)
        read, write = (builder.bitcast(pointer, writer.floats.as_pointer()) for pointer in arguments)
        x = builder.load(read, align=4, typ=writer.floats)
        a = writer.size(x)
        inside = writer.all_inside(a)
        with builder.if_then(inside, likely=True):
            builder.store(writer.gelu(x, a), write, align=4)
        return inside

    return types.boolean(source, to), generate


@intrinsic
def _gelu_rest(typing, source, to, count):  # type: ignore[no-untyped-def]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        writer = _Writer(builder)
        read, write = (builder.bitcast(pointer, writer.floats.as_pointer()) for pointer in arguments[:2])
        given, align, zeros = writer.first_lanes(arguments[2]), ir.IntType(32)(4), writer.same(0.0)
        x = writer.call("llvm.masked.load.v16f32.p0", writer.floats, read, align, given, zeros)
        a = writer.size(x)
        inside = writer.all_inside(a)
        with builder.if_then(inside, likely=True):
            result = writer.gelu(x, a)
            writer.call("llvm.masked.store.v16f32.p0", ir.VoidType(), result, write, align, given)
        return inside

    return types.boolean(source, to, types.int64), generate


# gelu_group(source, to): the gelu of `GROUP` elements from one place to another, if all are inside the limit;
# otherwise nothing is written. Returns whether it was done.
gelu_group: Any = _gelu_group
# gelu_rest(source, to, count): the same for fewer, the end of a run.
gelu_rest: Any = _gelu_rest
