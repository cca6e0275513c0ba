"""What a device must be able to do: its memory, and the core that all operations can be made of.

Whoever writes a backend for another device writes the methods of `Core`, and nothing else. What is fused
(`tensorlab.backends.layers`, `…windows`) has a default made of the core, so the device then
computes everything; where a measurement asks for it, it gets a kernel of its own. `tensorlab.backends.numpy`
is a complete backend in a few hundred lines of plain NumPy: read it beside this file.

**Memory.** A backend sees memory, offsets, shapes and strides. It never sees a Tensor, so that kernels can be
tested and read without one. `Memory` is what its own `allocate` returns; an operand is a `Buffer`, the memory
and the cell of its first element. Nobody but the backend looks inside.

**Launches.** An operation comes in two steps. From layouts and dtypes a backend *prepares* a launch, which is
then called with the buffers, the result's first, as often as the same layouts come again. A launch may return
before the work is done, if later launches see its results; `synchronize` waits.

**Layouts.** Strides are counted in cells, one for each dimension of the operation's shape, 0 where an operand
is broadcast. The caller has broadcast the shapes, promoted the dtypes and checked every address: a method
checks nothing.

**Formulas.** What is computed of a number stands in tables of plain Python functions: `tensorlab.scalars` for
`Core.pointwise`, `tensorlab.folds` for `Core.reduce`. A backend makes its kernels from them.

==========  ==============================================================================================
memory      allocate · fill · upload · download · copy · synchronize
core        pointwise · reduce · arg_reduce · scan · gemm · indexed · compact · sort · random · update
fused       attention · likelihood · normalise · correlate · pool, each with its gradient · softmax
==========  ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import numpy as np

from tensorlab.backends.operands import Buffer, Launch, Memory, OperandLayout
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.folds import Fold
from tensorlab.scalars import Scalar
from tensorlab.scalars.updates import Update


class IndexLayout(NamedTuple):
    """What a backend must know of one index tensor, which says where along one dimension to go.

    Attributes:
        strides: one a dimension of the operation's shape, in cells; 0 where the index is broadcast.
        size: the size of the dimension that it indexes; a negative index counts from there.
        step: the stride of that dimension.
        low: the least index that is allowed: 0, or ``-size``.
    """

    strides: tuple[int, ...]
    size: int
    step: int
    low: int = 0


class RandomState(NamedTuple):
    """Where a stream of random numbers stands. Launches write into the arrays, which lie on the host.

    Attributes:
        words: 625 uint32: the state of the Mersenne Twister, and the position of the next word in it.
        spare: two float64: a normal number that was made but not given out, and 1 if there is one, else 0.
        counted: two uint64: the seed, and how many words have been taken of its counter-based stream 0, from
            which devices draw that make numbers in any order.
    """

    words: Memory
    spare: Memory
    counted: Memory


# Called with the state, the output's (cells, offset), the distribution's numbers, and an input's buffer.
RandomLaunch = Callable[..., int | None]


class Core:
    """The memory and the core of one device.

    Attributes:
        device: the device that the memory lies on.
        tells_late: whether it looks at indices while its kernels run. Nobody looks at them before, and
            `download` and `synchronize` raise an IndexError if one has led out of a tensor since the last
            time; nothing was moved there.
    """

    device: device
    tells_late = False

    # --- memory ---------------------------------------------------------------------------------------------

    def allocate(self, count: int, cell: np.dtype) -> Memory:
        """Memory for so many cells, which holds whatever it held before."""
        raise NotImplementedError

    def fill(self, cells: Buffer, count: int, value: np.generic, step: int = 0) -> None:
        """Overwrite each of `count` cells that lie side by side with one number.

        With a `step` each number is by so much greater than the one before; all are whole numbers then, and
        integers wrap around.
        """
        raise NotImplementedError

    def upload(self, cells: memoryview, non_blocking: bool = False) -> Memory:
        """Memory of the device with the same cells, in row-major order.

        With `non_blocking` the host's memory may still be being read when this returns, if it is pinned.
        """
        raise NotImplementedError

    def download(self, cells: Memory) -> memoryview:
        """The cells in memory of the host, not to be written: it may be the cells themselves."""
        raise NotImplementedError

    def copy(self, to: Memory, cells: Memory) -> None:
        """Overwrite the first bytes of some memory with those of other memory."""
        raise NotImplementedError

    def synchronize(self) -> None:
        """Wait until every launch so far is done."""
        raise NotImplementedError

    # --- arithmetic -----------------------------------------------------------------------------------------

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

    def arg_reduce(
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
        places: OperandLayout | None = None,
    ) -> Launch:
        """Prepare the running sum, product or extreme along a dimension.

        Args:
            name: ``"cumsum"``, ``"cumprod"``, ``"cummax"`` or ``"cummin"``.
            value: the type in which elements are joined.
            shape: the shape of the elements and of the results.
            dim: the dimension to run along.
            out: the results' layout.
            source: the elements' layout. It may be that of `out`, over the same cells.
            places: of extremes, the layout of their places along `dim`, int64. Of equal elements the last
                counts, and so does the last NaN.

        Returns:
            a launch of (out, source), or of (out, places, source).
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

    def update(
        self, rule: Update, element_type: dtype, shape: tuple[int, int], steps: Sequence[int] | None = None
    ) -> Launch:
        """Prepare an update of the numbers at each position of some rows.

        Sixteen-bit floats are widened to float32 and rounded once.

        Args:
            rule: what happens to them.
            element_type: the dtype of all cells.
            shape: how many rows there are, and how many neighbouring cells a row has.
            steps: for each operand by how many cells a row begins behind the one before. Without them the
                rows lie one behind the other.

        Returns:
            a launch of the arguments of the rule's formula: buffers, and numbers. A device other than the
            host's also takes the buffer of one cell for a number, if there are no `steps`.
        """
        raise NotImplementedError

    def together(self) -> AbstractContextManager[None]:
        """Within a ``with``, updates of several tensors may be done by one launch.

        What they write is there for whatever else the device is asked to do, in there and behind.
        """
        return nullcontext()

    # --- where index tensors and masks say ------------------------------------------------------------------

    def indexed(
        self,
        action: str,
        shape: tuple[int, ...],
        target: tuple[int, ...],
        other: tuple[int, ...],
        indices: tuple[IndexLayout, ...],
    ) -> Callable[..., bool]:
        """Prepare a move of elements from or to where index tensors say.

        `target` and `other` are strides over `shape`. The action ``"gather"`` reads `other` where the indices
        say and stores the element in `target`. The actions ``"replace"``, ``"add"``, ``"mul"``, ``"max"`` and
        ``"min"`` combine an element of `other` with the element of `target` where the indices say. Positions
        that lead to one cell act in row-major order of `shape`; but a backend may add in any order.

        The launch is called with the buffers of target, other and each index, and says whether an index led
        out of the tensor, so that nothing was gathered there. Where elements are written, the caller has
        looked at every index before, unless the backend `tells_late`. No size is 0.
        """
        raise NotImplementedError

    def compact(
        self, action: str, shape: Sequence[int], mask: Sequence[int], other: Sequence[int] = ()
    ) -> Launch:
        """Prepare to do something where a mask is not 0, in row-major order.

        Args:
            action: ``"positions"`` writes where: a run of indices for each dimension, one run behind another.
                ``"select"`` writes another operand's elements there into a line, one after the other;
                ``"scatter"`` overwrites them with what the line holds.
            shape: the shape of the operands, every size at least 1.
            mask, other: their strides; `other` is left out for the positions.

        Returns:
            a launch of (line, mask, other, count), where `count` says how many elements are not 0, and the
            line is a run of as many cells. For the positions `other` is None.
        """
        raise NotImplementedError

    # --- elements in order ----------------------------------------------------------------------------------

    def sort(
        self,
        element_type: dtype,
        rows: int,
        size: int,
        wanted: tuple[int, int],
        descending: bool,
        stable: bool = True,
    ) -> Launch:
        """Prepare to say where the elements of each row stand in order.

        NaN counts as greater than every number, and equal elements stay in their order.

        Args:
            element_type: the dtype of the elements.
            rows, size: how many rows there are, and how many elements each has, at least one.
            wanted: from which place in the order to which, that left out: ``(0, size)`` for all of them.
            descending: the greatest first.
            stable: False where the first are wanted, and PyTorch's `topk` says which of equal elements are
                chosen and how they stand.

        Returns:
            a launch of (places, source), both row-major; places in a row are int64.
        """
        raise NotImplementedError

    # --- random numbers -------------------------------------------------------------------------------------

    def random(
        self,
        distribution: str,
        shape: Sequence[int],
        out: OperandLayout,
        read: OperandLayout | None = None,
    ) -> RandomLaunch:
        """Prepare to overwrite `out` with random numbers.

        On the CPU they come from the same words in the same order as PyTorch's. Another device may take the
        words of `RandomState.counted`, a whole number of blocks of four for each launch.

        The distributions, and the numbers that their launches are called with:

        ``"uniform"`` low, high · ``"normal"`` and ``"log_normal"`` mean, std · ``"exponential"`` rate ·
        ``"bernoulli"`` and ``"geometric"`` p · ``"cauchy"`` median, sigma · ``"integers"`` base, span, wide ·
        ``"permutation"`` none · ``"bernoulli_each"`` and ``"poisson"`` the buffer of an input whose elements
        are the parameters · ``"categories"`` the buffer of the weights; `shape` is then rows, categories and
        draws a row, and the launch returns 0 or why it refuses a row (1 negative, 2 infinite, 3 all zero).

        Numbers start, start + 1, … of a counter-based stream take no state, and are called with seed, stream
        and start: ``"philox_words"`` (to int64), ``"philox_uniform"`` and ``"philox_normal"`` (to float32 or
        float64). Which numbers they are is said by `tensorlab.random.Philox`; `out` is one run of cells.
        """
        raise NotImplementedError
