"""What a backend is: the few things that every device must be able to do.

A backend sees buffers, offsets, shapes and strides. It never sees a Tensor, so that kernels can be tested and
read without one. An operation comes in two steps: from layouts and dtypes a backend *prepares* a launch,
which is then called with the buffers, as often as the same layouts come again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tensorlab.backends.windows import WindowOperations
from tensorlab.dtypes import dtype
from tensorlab.folds import Fold
from tensorlab.scalars import Scalar

__all__ = [
    "AttentionLayout",
    "Backend",
    "Buffer",
    "IndexLayout",
    "Launch",
    "NormalGroups",
    "Normalised",
    "OperandLayout",
    "RandomLaunch",
    "RandomState",
    "Walk",
]


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


class IndexLayout(NamedTuple):
    """What a backend must know of one index tensor, which says where along one dimension to go.

    Attributes:
        strides: one a dimension of the operation's shape, in cells; 0 where the index is broadcast.
        size: the size of the dimension that it indexes; a negative index counts from there.
        step: the stride of that dimension.
    """

    strides: tuple[int, ...]
    size: int
    step: int


class Walk(NamedTuple):
    """Operands to be walked together, in row-major order of the shape.

    Attributes:
        shape: the operation's shape, every size at least 1.
        strides: for each operand one stride a dimension.
        buffers: for each operand its cells, and the cell of its first element.
    """

    shape: Sequence[int]
    strides: Sequence[Sequence[int]]
    buffers: Sequence[tuple[np.ndarray, int]]


Buffer = tuple[np.ndarray, int]

# Called with one item an operand, the output first: a pair (cells, offset), or the number itself.
Launch = Callable[..., None]


class AttentionLayout(NamedTuple):
    """The shapes and strides of an attention.

    Attributes:
        batch: the sizes of the batch dimensions, which all operands share.
        queries, keys: how many there are in each batch element.
        length, width: the lengths of a query and of a value.
        strides: of the queries, the keys, the values, the mask, the results and their gradients: one for each
            batch dimension, that from row to row, and that from column to column; 0 where an operand is
            broadcast, or is not there.
        mask: 0 without a mask, 1 if it says which scores count, 2 if it is added to them.
        causal: whether a query sees no key behind its own place.
    """

    batch: tuple[int, ...]
    queries: int
    keys: int
    length: int
    width: int
    strides: tuple[tuple[int, ...], ...]
    mask: int
    causal: bool


class NormalGroups(NamedTuple):
    """Which cells are normalised together.

    Attributes:
        form: ``"rows"``: each row of `length` cells, with a weight for each cell. ``"runs"``: groups of runs
            of `length` cells, with a weight for each run. ``"columns"``: each of `number` neighbouring
            columns of `length` cells, with a weight each.
        number: how many groups there are.
        length: see `form`.
        runs, run_step, group_step: of the form ``"runs"``: the runs of a group, and by how many cells one
            run, and one group, begins behind another.
    """

    form: str
    number: int
    length: int
    runs: int = 1
    run_step: int = 0
    group_step: int = 0


class Normalised(NamedTuple):
    """What a normalisation found.

    Attributes:
        out: the cells of the results.
        means: the mean of each group.
        variances: the mean square of the distances from it; of rows None.
        scales: the reciprocals of the deviations, in the compute type.
    """

    out: np.ndarray
    means: np.ndarray
    variances: np.ndarray | None
    scales: np.ndarray


class RandomState(NamedTuple):
    """Where a stream of random numbers stands. Launches write into both arrays.

    Attributes:
        words: 625 uint32: the state of the Mersenne Twister, and the position of the next word in it.
        spare: two float64: a normal number that was made but not given out, and 1 if there is one, else 0.
    """

    words: np.ndarray
    spare: np.ndarray


# Called with the state, the output's (cells, offset), the distribution's numbers, and an input's buffer.
RandomLaunch = Callable[..., int | None]


class Backend(WindowOperations, Protocol):
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

    def joint_kernel(
        self,
        parts: Sequence[tuple[Callable | None, tuple[int, ...]]],
        element_type: dtype,
        kinds: Sequence[str],
    ) -> Callable[..., None]:
        """The kernel ``kernel(a, b, …, out0, add0, out1, add1, …)`` of several functions of some operands.

        Each part is a scalar formula and the places of its arguments among the operands; None stands for the
        first operand itself. An output is added to where its flag is 1, and overwritten where it is 0.
        `kinds` says of each operand whether it is a ``"run"`` or ``"one"`` number.
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
        ...

    def small_gemm(
        self, element_type: dtype, sizes: tuple[int, int, int]
    ) -> tuple[Callable[..., None], np.ndarray] | None:
        """The kernel of one small product of row-major matrices, where there is one: it saves time per call.

        Args:
            element_type, sizes: those of `gemm`.

        Returns:
            a kernel and the first of its arguments; the others are the cells of the result, of A and of B.
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

    def flat_fold(
        self, fold: Fold, value: dtype, source: dtype, result: dtype, form: str
    ) -> Callable[..., None]:
        """The kernel ``kernel(out, x)`` that folds one run of cells into another, with k = 0.

        By the form ``"rows"`` each result is the fold of neighbouring cells, ``"columns"`` of cells that lie
        as far apart as there are results. One result is the fold of all cells. Folds with a center have none.
        """
        ...

    def extremes(
        self,
        greatest: bool,
        shape: Sequence[int],
        dims: Sequence[int],
        places: OperandLayout,
        out: OperandLayout | None,
        source: OperandLayout,
    ) -> Launch:
        """Prepare a search for the greatest (or least) elements along `dims` and the first places of each.

        Places are counted through the elements along `dims` in their order. The first NaN, if there is one,
        is the extreme. All layouts have one stride a dimension of `shape`, 0 along `dims` for the results;
        without `out` only the places are written. There is at least one element to each result.

        Returns:
            a launch of (places, out, source), where the pair of `out` is (None, 0) if there is none.
        """
        ...

    def search(
        self,
        places: np.ndarray,
        numbers: np.ndarray,
        sequences: np.ndarray,
        order: np.ndarray,
        length: int,
        several: int,
        after: bool,
    ) -> None:
        """For each number, how many elements of its sorted sequence come before it.

        Args:
            places: a flat array that receives the results.
            numbers: the flat array of what is looked for, `several` numbers for each sequence in turn.
            sequences: the elements of the sequences, one sequence after another, each of this `length`.
            order: where the elements stand in order in their sequence; empty if they are in order.
            length: how many elements a sequence has.
            several: how many numbers are looked for in each sequence.
            after: whether elements that equal the number come before it too.
        """
        ...

    def attention(self, element_type: dtype, layout: AttentionLayout, scale: float) -> Launch:
        """Prepare ``softmax(q @ k.T * scale + mask) @ v``, without holding the scores.

        Args:
            element_type: the dtype of everything but the mask, which is bool or of the compute type.
            layout: the shapes and strides.
            scale: what the scores are multiplied by.

        Returns:
            a launch of (q, k, v, mask, out, sums), where the pair of a mask that is not there is None. `sums`
            is an array of the compute type. It receives for each row the logarithm of the sum of the
            exponentials of its scores.
        """
        ...

    def attention_gradient(
        self, element_type: dtype, layout: AttentionLayout, scale: float
    ) -> Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Prepare the gradients of `attention`, whose arguments these are.

        Returns:
            a launch of (q, k, v, mask, out, grad, sums), where `grad` are the gradients of the results. It
            returns those of q, k and v: row-major numbers of the compute type.
        """
        ...

    def softmax(
        self, logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout
    ) -> Launch:
        """Prepare softmax along a dimension, or its logarithm, into row-major cells of dtype `result`.

        Elements are converted to `result`'s precision first (to float32 for sixteen-bit floats).

        Returns:
            a launch of (out, source).
        """
        ...

    def softmax_gradient(
        self, logarithm: bool, shape: Sequence[int], dim: int, element_type: dtype
    ) -> Launch:
        """Prepare the gradient of `softmax`, or of its logarithm, from its results and their gradients.

        Everything is row-major and of one dtype.

        Returns:
            a launch of (out, gradients, results).
        """
        ...

    def take_rows(
        self,
        element_type: dtype,
        width: int,
        table: Buffer,
        step: int,
        size: int,
        numbers: np.ndarray,
    ) -> tuple[np.ndarray, int]:
        """Rows of a table, one after the other.

        Args:
            element_type: the dtype of the cells.
            width: the cells of a row, which are neighbours.
            table: the cells; a row begins `step` cells behind the one before it.
            step, size: the step, and how many rows there are.
            numbers: which rows, int64.

        Returns:
            the cells, and the place of the first number that is no row, or -1.
        """
        ...

    def add_rows(
        self,
        element_type: dtype,
        width: int,
        rows: np.ndarray,
        numbers: np.ndarray,
        passed: int,
        counts: np.ndarray,
        totals: np.ndarray,
    ) -> None:
        """Add rows of cells to the rows of `totals` with their numbers, in their order.

        Args:
            element_type: the dtype of the cells, a floating one.
            width: the cells of a row.
            rows: the cells, row after row.
            numbers: the number of each, int64, each of a row of `totals`.
            passed: a number whose rows are left out.
            counts: a divisor for each number; empty for none.
            totals: numbers of the compute type.
        """
        ...

    def likelihood(
        self,
        element_type: dtype,
        walk: np.ndarray,
        strides: np.ndarray,
        x: Buffer,
        target: np.ndarray,
        weight: np.ndarray,
        ignored: int,
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """The negative of each place's number at its target class, times the weight of that class.

        Args:
            element_type: the dtype of the cells, a floating one.
            walk: the rows, the classes and the places of a row: three int64.
            strides: the steps from row to row, class to class and place to place, in cells.
            x: the cells.
            target: the class of each place, row after row.
            weight: numbers of the compute type, one for each class.
            ignored: a class whose places count nothing.

        Returns:
            the cell of each place, the sum of all and of their weights, and the first place whose target is
            no class, or -1.
        """
        ...

    def likelihood_gradient(
        self,
        element_type: dtype,
        walk: np.ndarray,
        target: np.ndarray,
        weight: np.ndarray,
        ignored: int,
        grad: np.ndarray,
        factor: float,
        cells: int,
    ) -> np.ndarray:
        """The gradient of `likelihood`, row-major: ``-weight * grad * factor`` at the targets, else 0.

        `grad` has a cell for each place, or one for all. There are so many `cells` of results.
        """
        ...

    def normalise(
        self,
        element_type: dtype,
        groups: NormalGroups,
        eps: float,
        x: np.ndarray,
        weights: np.ndarray,
        biases: np.ndarray,
        given: tuple[np.ndarray, np.ndarray] | None = None,
        centers: bool = True,
    ) -> Normalised:
        """``(x - mean) / sqrt(variance + eps) * weight + bias``, with the mean and variance of each group.

        Args:
            element_type: the dtype of the cells, a floating one.
            groups: what is normalised together.
            eps: what is added to the variances.
            x: the cells, one run.
            weights, biases: numbers of the compute type (float64 for float64, else float32): one for each
                cell of a row, an array (groups, runs), or one for each column.
            given: means and variances in float64 to take instead of the groups' own; not of rows.
            centers: whether the mean is taken away; else the variance is the mean square.
        """
        ...

    def normalise_gradient(
        self,
        element_type: dtype,
        groups: NormalGroups,
        x: np.ndarray,
        grad: np.ndarray,
        weights: np.ndarray,
        means: np.ndarray,
        scales: np.ndarray,
        learns: bool = True,
        centers: bool = True,
        weighs: bool = True,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The gradients of `normalise`: of the cells, of the weights and of the biases.

        Those of the weights and biases are float64, and shaped as the weights are. Of runs they are the sums
        over each run; of rows they are without meaning unless it `weighs`.

        Args:
            element_type, groups, x, weights, centers: those of `normalise`.
            grad: the gradients of the results.
            means, scales: what it found.
            learns: whether the means and variances were the groups' own.
            weighs: whether the gradients of the weights are wanted.
        """
        ...

    def scan(
        self,
        name: str,
        value: dtype,
        shape: Sequence[int],
        dim: int,
        out: OperandLayout,
        places: OperandLayout | None,
        source: OperandLayout,
    ) -> Launch:
        """Prepare the running sum, product or extreme along a dimension.

        Args:
            name: ``"cumsum"``, ``"cumprod"``, ``"cummax"`` or ``"cummin"``.
            value: the type in which elements are joined.
            shape: the shape of the elements and of the results.
            dim: the dimension to run along.
            out: the results' layout.
            places: the layout of the extremes' places; None for sums and products.
            source: the elements' layout. It may be that of `out`, over the same cells.

        Returns:
            a launch of (out, places, source), where the pair of `places` is (None, 0) if there are none.
        """
        ...

    def first_k(self, keys: np.ndarray, k: int, largest: bool) -> np.ndarray:
        """The places (rows, k) of the greatest or least k keys of each row, in order.

        Equal keys come in PyTorch's order. `keys` is (rows, columns), of a NumPy type, and is left in
        disorder. NaN counts as the greatest.
        """
        ...

    def random(
        self,
        distribution: str,
        shape: Sequence[int],
        out: OperandLayout,
        read: OperandLayout | None = None,
    ) -> RandomLaunch:
        """Prepare to overwrite `out` with random numbers, from the same words in the same order as PyTorch.

        The distributions, and the numbers that their launches are called with:

        ``"uniform"`` low, high · ``"normal"`` and ``"log_normal"`` mean, std · ``"exponential"`` rate ·
        ``"bernoulli"`` and ``"geometric"`` p · ``"cauchy"`` median, sigma · ``"integers"`` base, span, wide ·
        ``"permutation"`` none · ``"bernoulli_each"`` and ``"poisson"`` the buffer of an input whose elements
        are the parameters · ``"categories"`` the buffer of the weights; `shape` is then rows, categories and
        draws a row, and the launch returns 0 or why it refuses a row (1 negative, 2 infinite, 3 all zero).
        """
        ...

    def seed_words(self, words: np.ndarray, seed: int) -> None:
        """Write the Mersenne Twister's state for a seed of 32 bits into 625 uint32."""
        ...

    def philox(
        self, kind: str, seed: int, stream: int, start: int, out: np.ndarray, element_type: dtype
    ) -> None:
        """Fill a run of cells with numbers start, start + 1, … of a counter-based stream.

        `kind` is ``"words"`` (to int64), ``"uniform"`` or ``"normal"`` (to float32 or float64). Which numbers
        they are is said by `tensorlab.random.Philox`, and is the same on every device.
        """
        ...

    def indexed(
        self,
        action: str,
        shape: tuple[int, ...],
        target: tuple[int, ...],
        other: tuple[int, ...],
        indices: tuple[IndexLayout, ...],
    ) -> Launch:
        """Prepare a move of elements from or to where index tensors say.

        `target` and `other` are strides over `shape`. The action ``"gather"`` reads `other` where the indices
        say and stores the element in `target`. The actions ``"replace"``, ``"add"``, ``"mul"``, ``"max"`` and
        ``"min"`` combine an element of `other` with the element of `target` where the indices say. Positions
        that lead to one cell act in row-major order of `shape`.

        The launch is called with the buffers of target, other and each index. The caller has checked every
        index; no size is 0.
        """
        ...

    def count_outside(
        self, shape: Sequence[int], strides: Sequence[int], buffer: Buffer, low: int, high: int
    ) -> int:
        """How many elements of an integer tensor are less than `low`, or not less than `high`."""
        ...

    def mask_count(self, walk: Walk) -> int:
        """How many elements of the one operand are not 0."""
        ...

    def mask_positions(self, walk: Walk, out: np.ndarray) -> None:
        """Where the elements of the one operand are not 0: row `d` of `out` gets the index of dimension d."""
        ...

    def mask_select(self, walk: Walk, out: np.ndarray) -> None:
        """The elements of the second operand where the first, a mask, is true, one after the other."""
        ...

    def mask_scatter(self, walk: Walk, values: np.ndarray) -> None:
        """The elements of the second operand where the first, a mask, is true, overwritten with `values`."""
        ...

    def mask_fill(self, walk: Walk, value: np.generic) -> None:
        """The elements of the second operand where the first, a mask, is true, overwritten with one value."""
        ...
