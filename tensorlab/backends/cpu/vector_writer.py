"""Whole vectors of a processor with AVX-512, and the instructions of LLVM that compute with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from tensorlab.backends.cpu.machine import vectors
from tensorlab.dtypes import dtype, float64

__all__ = ["SIZE", "VectorWriter", "lanes_of", "whole_registers"]

SIZE = 64  # bytes to a register


def whole_registers() -> bool:
    """Whether the processor has registers of this size."""
    return vectors().size == SIZE


def lanes_of(kind: dtype) -> int:
    """How many elements a register holds.

    Example:
        >>> from tensorlab import dtypes
        >>> lanes_of(dtypes.float32), lanes_of(dtypes.float64)
        (16, 8)
    """
    return SIZE // kind.itemsize


class VectorWriter:
    """Writes the instructions for one vector of float32 or float64.

    Attributes:
        builder: where the next instruction goes.
        lanes: how many numbers there are in a vector.
        floats: the type of a vector.
        bits: the type of as many integers of the same size.
        single: whether the numbers are float32.
    """

    def __init__(self, builder: Any, kind: dtype) -> None:
        self.builder, self.lanes, self.single = builder, lanes_of(kind), kind is not float64
        self.align = kind.itemsize
        self.number = ir.FloatType() if self.single else ir.DoubleType()
        self.floats = ir.VectorType(self.number, self.lanes)
        self.bits = ir.VectorType(ir.IntType(8 * kind.itemsize), self.lanes)
        self.name = f"v{self.lanes}f{8 * kind.itemsize}"  # LLVM's, of the vector's type

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """The result of one of the compiler's own functions."""
        declared = ir.FunctionType(result, [argument.type for argument in arguments])
        function = cgutils.get_or_insert_function(self.builder.module, declared, name)
        return self.builder.call(function, arguments)

    def table(self, numbers: Sequence[float]) -> Any:
        """One number for each lane."""
        if self.single:
            numbers = [float(np.float32(x)) for x in numbers]
        return ir.Constant(self.floats, list(numbers))

    def same(self, number: float) -> Any:
        """The same number in every lane."""
        return self.table([float(number)] * self.lanes)

    def spread(self, number: Any) -> Any:
        """A number that is computed, in every lane."""
        order = ir.VectorType(ir.IntType(32), self.lanes)
        first = self.builder.insert_element(ir.Constant(self.floats, ir.Undefined), number, ir.IntType(32)(0))
        return self.builder.shuffle_vector(first, first, ir.Constant(order, [0] * self.lanes))

    def multiply_add(self, a: Any, b: Any, c: Any) -> Any:
        """``a * b + c``, rounded once."""
        return self.call(f"llvm.fma.{self.name}", self.floats, a, b, c)

    def at_least(self, bound: float, x: Any) -> Any:
        """The greater of a bound and each number; a NaN stays."""
        least = self.same(bound)
        return self.builder.select(self.builder.fcmp_ordered(">", least, x), least, x)

    def at_most(self, bound: float, x: Any) -> Any:
        """The lesser of a bound and each number; a NaN stays."""
        greatest = self.same(bound)
        return self.builder.select(self.builder.fcmp_ordered("<", greatest, x), greatest, x)

    def size(self, x: Any) -> Any:
        """The absolute values."""
        return self.call(f"llvm.fabs.{self.name}", self.floats, x)

    def all_of(self, truths: Any) -> Any:
        """Whether all of a vector of truth values are true."""
        mask = ir.IntType(self.lanes)
        return self.builder.icmp_unsigned("==", self.builder.bitcast(truths, mask), mask(-1))

    def look_up(self, numbers: Sequence[float], index: Any) -> Any:
        """Of sixteen numbers those that the last four binary digits of each index name."""
        if self.single:
            name = "llvm.x86.avx512.permvar.sf.512"
            return self.call(name, self.floats, self.table(numbers), index)
        low, high = self.table(numbers[:8]), self.table(numbers[8:])
        return self.call("llvm.x86.avx512.vpermi2var.pd.512", self.floats, low, index, high)

    def scale(self, x: Any, power: Any) -> Any:
        """``x * 2 ** floor(power)``, rounded once."""
        name = f"llvm.x86.avx512.mask.scalef.{'ps' if self.single else 'pd'}.512"
        every, as_set = ir.IntType(self.lanes)(-1), ir.IntType(32)(4)  # lanes; the processor's rounding
        return self.call(name, self.floats, x, power, x, every, as_set)

    def total(self, x: Any) -> Any:
        """The sum of a vector, in any order."""
        declared = ir.FunctionType(self.number, [self.number, self.floats])
        name = f"llvm.vector.reduce.fadd.{self.name}"
        function = cgutils.get_or_insert_function(self.builder.module, declared, name)
        return self.builder.call(function, [self.number(-0.0), x], fastmath=("reassoc",))

    def first_lanes(self, count: Any) -> Any:
        """The mask of so many lanes."""
        numbers, order = (ir.VectorType(ir.IntType(size), self.lanes) for size in (64, 32))
        first = self.builder.insert_element(ir.Constant(numbers, ir.Undefined), count, ir.IntType(32)(0))
        counts = self.builder.shuffle_vector(first, first, ir.Constant(order, [0] * self.lanes))
        return self.builder.icmp_signed("<", ir.Constant(numbers, list(range(self.lanes))), counts)

    def load(self, place: Any, mask: Any = None) -> Any:
        """The vector at a pointer; with a mask, 0 in the other lanes, whose memory is not touched."""
        place = self.builder.bitcast(place, self.floats.as_pointer())
        if mask is None:
            return self.builder.load(place, align=self.align, typ=self.floats)
        name, align = f"llvm.masked.load.{self.name}.p0", ir.IntType(32)(self.align)
        return self.call(name, self.floats, place, align, mask, self.same(0.0))

    def store(self, x: Any, place: Any, mask: Any = None) -> None:
        """Write a vector to a pointer, or its lanes of a mask."""
        place = self.builder.bitcast(place, self.floats.as_pointer())
        if mask is None:
            self.builder.store(x, place, align=self.align)
        else:
            name, align = f"llvm.masked.store.{self.name}.p0", ir.IntType(32)(self.align)
            self.call(name, ir.VoidType(), x, place, align, mask)
