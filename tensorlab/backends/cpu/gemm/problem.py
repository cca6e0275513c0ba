"""A product as integers: sizes and strides, and the changes that leave it the same product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tensorlab.backends.cpu.iterate import coalesce


class Operand(NamedTuple):
    """The strides of a batch of matrices, in cells."""

    batch: tuple[int, ...]
    row: int
    column: int

    def transposed(self) -> Operand:
        """The strides of the transposed matrices."""
        return Operand(self.batch, self.column, self.row)


class Problem(NamedTuple):
    """One product for each index of a batch, `a` of m × k and `b` of k × n, and what is added to it."""

    batch: tuple[int, ...]
    m: int
    n: int
    k: int
    out: Operand
    a: Operand
    b: Operand
    source: Operand
    residual: Operand

    @property
    def products(self) -> int:
        """The number of matrix products."""
        return math.prod(self.batch)

    @property
    def multiply_adds(self) -> int:
        """The number of multiply-adds, and at least that of the elements of the result."""
        return self.products * self.m * self.n * max(self.k, 1)

    def transposed(self) -> Problem:
        """The transposed product: ``outᵀ`` is made of ``bᵀ @ aᵀ``."""
        return Problem(
            self.batch,
            self.n,
            self.m,
            self.k,
            self.out.transposed(),
            self.b.transposed(),
            self.a.transposed(),
            self.source.transposed(),
            self.residual.transposed(),
        )

    def folded(self) -> Problem:
        """With neighbouring matrices of A as one taller matrix, where they meet the same B.

        That takes a batch's last dimension along which B is broadcast, and along which the step from one
        matrix of every other operand to the next is that from row to row.
        """
        if not self.batch or self.b.batch[-1] != 0:
            return self
        tall = [self.out, self.a, self.source, self.residual]
        if self.m == 1:  # a single row's stride was never used
            tall = [operand._replace(row=operand.batch[-1]) for operand in tall]
        elif any(operand.batch[-1] != operand.row * self.m for operand in tall):
            return self
        out, a, source, residual, b = (
            operand._replace(batch=operand.batch[:-1]) for operand in (*tall, self.b)
        )
        m = self.m * self.batch[-1]
        return Problem(self.batch[:-1], m, self.n, self.k, out, a, b, source, residual)

    def walk(self) -> np.ndarray:
        """The integers that a kernel takes: see `tensorlab.backends.cpu.gemm.tasks.kernel`."""
        return np.array(
            [
                [*self.batch, self.m, self.n, self.k],
                [*self.out.batch, self.out.row, self.out.column, 0],
                [*self.a.batch, self.a.row, 0, self.a.column],
                [*self.b.batch, 0, self.b.column, self.b.row],
                [*self.source.batch, self.source.row, self.source.column, 0],
                [*self.residual.batch, self.residual.row, self.residual.column, 0],
            ],
            np.int64,
        )


def problem(
    batch: Sequence[int],
    sizes: tuple[int, int, int],
    out: Sequence[int],
    a: Sequence[int],
    b: Sequence[int],
    source: Sequence[int],
    residual: Sequence[int],
) -> Problem:
    """The problem with these strides, in as few dimensions of the batch as possible.

    Args:
        batch, sizes, out, a, b, source, residual: see `tensorlab.backends.protocol.Core.gemm`. No size
            but k is 0.

    Example:
        >>> out = (20, 4, 4, 1)
        >>> made = problem((2, 5), (1, 4, 3), out, (15, 3, 3, 1), (0, 0, 4, 1), out, out)
        >>> made.batch, made.m, made.n, made.k  # ten rows meet one B
        ((), 10, 4, 3)
    """
    operands = (out, a, b, source, residual)
    dims: tuple[int, ...] = ()
    steps: list[tuple[int, ...]] = [()] * len(operands)
    if batch:
        dims, steps = coalesce(batch, [strides[:-2] for strides in operands])
    m, n, k = sizes
    matrices = (Operand(s, strides[-2], strides[-1]) for s, strides in zip(steps, operands, strict=True))
    return Problem(dims, m, n, k, *matrices).folded()
