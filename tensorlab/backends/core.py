"""The core of a backend: memory, and the operations that everything else can be made of.

A backend sees buffers, offsets, shapes and strides. It never sees a Tensor, so that kernels can be tested and
read without one. An operation comes in two steps: from layouts and dtypes a backend *prepares* a launch,
which is then called with the buffers, as often as the same layouts come again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlab.backends.drawing import RandomOperations
from tensorlab.backends.indexing import IndexOperations
from tensorlab.backends.operands import Launch, OperandLayout
from tensorlab.backends.ordering import OrderOperations
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.folds import Fold
from tensorlab.scalars import Scalar
from tensorlab.scalars.updates import Update

__all__ = ["Core"]


class Core(IndexOperations, OrderOperations, RandomOperations):
    """The memory and the core of one device.

    Attributes:
        device: the device that the memory lies on.
    """

    device: device

    # --- memory -----------------------------------------------------------------------------------------

    def allocate(self, count: int, cell: np.dtype) -> np.ndarray:
        """Memory for so many cells, which holds whatever it held before."""
        raise NotImplementedError

    def allocate_zeros(self, count: int, cell: np.dtype) -> np.ndarray:
        """Memory for so many cells, whose bits are all 0."""
        raise NotImplementedError

    def fill(self, cells: np.ndarray, value: np.generic) -> None:
        """Overwrite each of some cells that lie side by side with one."""
        raise NotImplementedError

    def upload(self, array: np.ndarray) -> np.ndarray:
        """Memory of the device with the elements of an array of the host, in row-major order."""
        raise NotImplementedError

    def download(self, cells: np.ndarray) -> np.ndarray:
        """The cells as a flat array of the host, not to be written: it may be the cells themselves."""
        raise NotImplementedError

    def copy(self, cells: np.ndarray) -> np.ndarray:
        """The same cells in new memory."""
        raise NotImplementedError

    def synchronize(self) -> None:
        """Wait until every launch so far is done."""
        raise NotImplementedError

    # --- arithmetic -------------------------------------------------------------------------------------

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
        raise NotImplementedError

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
        raise NotImplementedError

    def extremes(
        self,
        greatest: bool,
        shape: Sequence[int],
        dims: Sequence[int],
        places: OperandLayout,
        source: OperandLayout,
    ) -> Launch:
        """Prepare a search for the first places of the greatest (or least) elements along `dims`.

        Places are counted through the elements along `dims` in their order. The first NaN, if there is one,
        is the extreme. Both layouts have one stride a dimension of `shape`, 0 along `dims` for the places.
        There is at least one element to each.

        Returns:
            a launch of (places, source).
        """
        raise NotImplementedError

    def scan(
        self,
        name: str,
        value: dtype,
        shape: Sequence[int],
        dim: int,
        out: OperandLayout,
        source: OperandLayout,
        places: bool = False,
    ) -> Launch:
        """Prepare the running sum, product or extreme along a dimension.

        Args:
            name: ``"cumsum"``, ``"cumprod"``, ``"cummax"`` or ``"cummin"``.
            value: the type in which elements are joined.
            shape: the shape of the elements and of the results.
            dim: the dimension to run along.
            out: the results' layout.
            source: the elements' layout. It may be that of `out`, over the same cells.
            places: whether the results are the places of the extremes.

        Returns:
            a launch of (out, source).
        """
        raise NotImplementedError

    def gemm(
        self,
        element_type: dtype,
        batch: Sequence[int],
        sizes: tuple[int, int, int],
        out: Sequence[int],
        a: Sequence[int],
        b: Sequence[int],
        source: Sequence[int] | None = None,
        activation: Scalar | None = None,
        residual: Sequence[int] | None = None,
    ) -> Launch:
        """Prepare ``out = activation(alpha * (a @ b) + beta * source) + residual``, for a batch.

        All operands are of one dtype. Sixteen-bit floats are summed up in float32 and rounded once; integers
        wrap around. With ``beta == 0`` nothing of `source` is read, with ``alpha == 0`` nothing of `a` and
        `b`. The caller has checked every address; `out` reaches no cell twice, none that `a` or `b` reaches,
        and none of `source` or `residual` but where the two are the same view.

        An element's value depends on its own row of `a` and column of `b`, and on how many threads there are
        it does not.

        Args:
            element_type: the dtype.
            batch: the sizes of the leading dimensions, which all operands share.
            sizes: m, n and k: `a` is m × k, `b` is k × n, `out` and `source` are m × n.
            out, a, b: the strides: one for each dimension of the batch, the row's, the column's. A stride of
                0 stands for a dimension along which the operand is broadcast.
            source: the strides of a fourth operand; left out for a product alone.
            activation: a function of one number, without parameters, of the table of scalar functions.
            residual: the strides of a fifth operand, which is added last.

        Returns:
            a launch of (out, a, b), of (out, a, b, source, alpha, beta), or of (out, a, b, source, alpha,
            beta, residual). In the last, `source` is None where there is none.
        """
        raise NotImplementedError

    def update(self, rule: Update, element_type: dtype, count: int) -> Launch:
        """Prepare one step of an optimizer over `count` neighbouring elements.

        Sixteen-bit floats are widened to float32 and rounded once.

        Args:
            rule: the step.
            element_type: the dtype of the parameter, the gradient and what the optimizer remembers.
            count: how many elements.

        Returns:
            a launch of (parameter, gradient, memories…, numbers…), which writes all but the gradient.
        """
        raise NotImplementedError
