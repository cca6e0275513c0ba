"""What a backend is: the few things that every device must be able to do.

A backend sees buffers, offsets, shapes and strides. It never sees a Tensor, so that kernels can be tested and
read without one. An operation comes in two steps: from layouts and dtypes a backend *prepares* a launch,
which is then called with the buffers, as often as the same layouts come again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from tensorlab.dtypes import dtype
from tensorlab.folds import Fold
from tensorlab.scalars import Scalar

__all__ = ["Backend", "Launch", "OperandLayout"]


class OperandLayout(NamedTuple):
    """What a backend must know of one operand to prepare a launch.

    Attributes:
        dtype: what the cells mean; of a number, the dtype that Python's type corresponds to.
        strides: one a dimension of the operation's shape, in cells; 0 where the operand is broadcast.
        is_number: the operand is a Python number and is passed as such.
        is_out: the operand is the very tensor that is written.
    """

    dtype: dtype
    strides: tuple[int, ...]
    is_number: bool = False
    is_out: bool = False


# Called with one item an operand, the output first: a pair (cells, offset), or the number itself.
Launch = Callable[..., None]


class Backend(Protocol):
    """The operations of one device."""

    def pointwise(
        self,
        row: Scalar,
        compute: dtype,
        shape: Sequence[int],
        out: OperandLayout,
        inputs: Sequence[OperandLayout],
    ) -> Launch:
        """Prepare one scalar function of every element.

        Each input is widened to `compute`, the formula of `row` is applied, and the result is converted to
        `out.dtype` and stored. The caller has checked every address; `out` reaches no cell twice.
        """
        ...

    def flat_kernel(
        self, row: Scalar, compute: dtype, element_types: tuple[dtype, ...], kinds: tuple[str, ...]
    ) -> Callable[..., None]:
        """The kernel ``kernel(out, a, b)`` for operands that are each one run of cells, of one length.

        `kinds` says of the output and of each input whether it is a ``"run"``, ``"one"`` number, or the
        output ``"self"``, which is then not passed a second time.
        """
        ...

    def gemm(
        self,
        element_type: dtype,
        batch: Sequence[int],
        sizes: tuple[int, int, int],
        out: Sequence[int],
        a: Sequence[int],
        b: Sequence[int],
        source: Sequence[int] | None = None,
    ) -> Launch:
        """Prepare ``out = beta * source + alpha * (a @ b)``, for each index of the batch.

        All operands are of one dtype. Sixteen-bit floats are summed up in float32 and rounded once; integers
        wrap around. With ``beta == 0`` nothing of `source` is read, with ``alpha == 0`` nothing of `a` and
        `b`. The caller has checked every address; `out` reaches no cell twice, none that `a` or `b` reaches,
        and none of `source` but where the two are the same view.

        Args:
            element_type: the dtype.
            batch: the sizes of the leading dimensions, which all operands share.
            sizes: m, n and k: `a` is m × k, `b` is k × n, `out` and `source` are m × n.
            out, a, b: the strides: one for each dimension of the batch, the row's, the column's. A stride of
                0 stands for a dimension along which the operand is broadcast.
            source: the strides of a fourth operand; left out for a product alone.

        Returns:
            a launch of (out, a, b), or of (out, a, b, source, alpha, beta).
        """
        ...

    def reduce(
        self,
        fold: Fold,
        value: dtype,
        shape: Sequence[int],
        dims: Sequence[int],
        out: OperandLayout,
        source: OperandLayout,
        k: float = 0.0,
    ) -> Launch:
        """Prepare one fold over the dimensions `dims` of elements of this shape.

        Each element is converted to `value`, and each result to `out.dtype`. Both layouts have one stride a
        dimension of `shape`; `out`'s is 0 along `dims`. The fold's formulas see the number `k`.
        """
        ...

    def flat_fold(self, fold: Fold, value: dtype, source: dtype, result: dtype) -> Callable[..., None]:
        """The kernel ``kernel(span, k, n, out, x)`` that folds the n cells of one run into ``out[0]``.

        `span` is the array ``[[n], [1]]``: how many cells, and how far apart.
        """
        ...
