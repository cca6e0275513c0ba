"""What the layers of neural networks ask of a backend: normalisation, attention, likelihoods.

It is a part of `tensorlab.backends.fused.Backend`. Each operation stands here as a sequence of core
operations, which is what a backend does that has no kernel for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any, NamedTuple

from tensorlab.backends.array import Array, compute_type, new, numbered
from tensorlab.backends.operands import Buffer, Launch, Memory, OperandLayout
from tensorlab.backends.protocol import Core
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype


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
        period, group_weight, run_weight: where the weight of a run stands: at
            ``group % period * group_weight + run * run_weight``.
    """

    form: str
    number: int
    length: int
    runs: int = 1
    run_step: int = 0
    group_step: int = 0
    period: int = 1
    group_weight: int = 0
    run_weight: int = 0


class LayerOperations(Core):
    """The operations of layers on one device."""

    def softmax(
        self, logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout
    ) -> Launch:
        """Prepare softmax along a dimension, or its logarithm, into row-major cells of dtype `result`.

        Elements are converted to `result`'s precision first (to float32 for sixteen-bit floats).

        Returns:
            a launch of (out, source).
        """

        def launch(out: Buffer, item: Buffer) -> None:
            if 0 in shape:
                return
            x = Array(self, item, source.dtype, shape, source.strides).to(compute_type(result))
            x.put("sub", x, x.fold("amax", dim))
            exponentials = x.map("exp")
            total = exponentials.fold("sum", dim)
            target = Array(self, out, result, shape)
            if logarithm:
                target.put("sub", x, total.map("log"))
            else:
                target.put("div", exponentials, total)

        return launch

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

        def launch(q: Buffer, k: Buffer, v: Buffer, mask: Buffer | None, out: Buffer, sums: Any) -> None:
            query, key, value = _attended(self, element_type, layout, q, k, v)
            scores = _scores(self, layout, scale, query, key, mask)
            result = _results(self, element_type, layout, 4, layout.width, out)
            of_sums = Array(self, (sums, 0), query.dtype, (*layout.batch, layout.queries, 1))
            if not layout.keys:
                result.put("copy", 0)
                of_sums.put("copy", inf)
                return
            greatest = scores.fold("amax", -1)
            greatest.put("where", greatest.map("eq", -inf), 0, greatest)  # of nothing all exponentials are 0
            scores.put("exp", scores.map("sub", greatest))
            total = scores.fold("sum", -1)
            nothing = total.map("eq", 0)
            of_sums.put("where", nothing, inf, total.map("log").map("add", greatest))
            total.put("where", nothing, 1, total)
            result.put("div", scores.matmul(value), total)

        return launch

    def attention_gradient(self, element_type: dtype, layout: AttentionLayout, scale: float) -> Launch:
        """Prepare the gradients of `attention`, whose arguments these are.

        Returns:
            a launch of (q, k, v, mask, out, grad, sums, of_q, of_k, of_v), where `grad` are the gradients of
            the results. The last three receive those of q, k and v: row-major numbers of the compute type.
        """

        def launch(
            q: Buffer,
            k: Buffer,
            v: Buffer,
            mask: Buffer | None,
            out: Buffer,
            grad: Buffer,
            sums: Memory,
            *found: Memory,
        ) -> None:
            query, key, value = _attended(self, element_type, layout, q, k, v)
            weights = _scores(self, layout, scale, query, key, mask)
            of_sums = Array(self, (sums, 0), query.dtype, (*layout.batch, layout.queries, 1))
            weights.put("exp", weights.map("sub", of_sums))
            result = _results(self, element_type, layout, 4, layout.width, out).to(query.dtype)
            given = _results(self, element_type, layout, 5, layout.width, grad).to(query.dtype)
            of_value = weights.turned().matmul(given)
            inner = given.map("mul", result).fold("sum", -1)
            change = given.matmul(value.turned())
            change.put("mul", weights, change.map("sub", inner))
            change.put("mul", change, scale)
            made = change.matmul(key), change.turned().matmul(query), of_value
            for cells, part in zip(found, made, strict=True):
                Array(self, (cells, 0), part.dtype, part.shape).put("copy", part)

        return launch

    def likelihood(
        self,
        element_type: dtype,
        sizes: tuple[int, int, int],
        strides: tuple[int, int, int],
        ignored: int,
        reduction: str,
    ) -> Callable[..., int]:
        """Prepare the negative of each place's number at its target class, times the weight of that class.

        Args:
            element_type: the dtype of the cells, a floating one.
            sizes: the rows, the classes and the places of a row.
            strides: the steps from row to row, class to class and place to place, in cells.
            ignored: a class whose places count nothing.
            reduction: ``"none"`` wants the number of each place, ``"sum"`` their sum, and ``"mean"`` the sum
                divided by that of the weights.

        Returns:
            a launch of (out, sums, x, target, weight): the cell of each place, or the one of all; the sum of
            all and of their weights, two float64; the cells; the class of each place, int64, row after row;
            and a number of the compute type for each class. It returns the first place whose target is no
            class, or -1; see `Core.tells_late`.
        """
        (rows, classes, places), (row, step, place) = sizes, strides
        number, count = compute_type(element_type), rows * places

        def launch(out: Buffer, sums: Buffer, x: Buffer, target: Buffer, weight: Buffer) -> int:
            chosen, counted, wrong = _targets(self, target, (rows, places), classes, ignored)
            found = Array(self, x, element_type, (rows, places), (row, place)).gather(classes, step, chosen)
            weights = Array(self, weight, number, (rows, places), (0, 0)).gather(classes, 1, chosen)
            weights.put("where", counted, weights, 0)
            losses = found.map("mul", weights, dtype=number).map("neg")
            losses.put("where", counted, losses, 0)
            total, counted = (Array(self, (sums[0], sums[1] + i), dtypes.float64, (1, 1)) for i in (0, 1))
            for both, part in ((total, losses), (counted, weights)):
                both.put("copy", part.fold("sum", 0, 1, dtype=dtypes.float64))
            if reduction == "none":
                Array(self, out, element_type, (rows, places)).put("copy", losses)
            else:
                operands = (total, counted) if reduction == "mean" else (total,)
                Array(self, out, element_type, (1, 1)).put("div" if operands[1:] else "copy", *operands)
            return _first(self, wrong.view((count,))) if count else -1

        return launch

    def likelihood_gradient(
        self, element_type: dtype, sizes: tuple[int, int, int], ignored: int, each: bool, mean: bool
    ) -> Launch:
        """Prepare the gradient of `likelihood`, row-major: ``-weight * grad`` at targets, else 0.

        Args:
            element_type, sizes, ignored: those of `likelihood`.
            each: whether there is a gradient for each place, or one for all.
            mean: whether it is divided by the sum of the weights.

        Returns:
            a launch of (out, grad, target, weight, sums), where the sums are those that `likelihood` wrote.
        """
        rows, classes, places = sizes
        number, shape = compute_type(element_type), (rows, places)

        def launch(out: Buffer, grad: Buffer, target: Buffer, weight: Buffer, sums: Buffer) -> None:
            made = Array(self, out, element_type, (rows * classes * places,))
            made.put("copy", 0)
            chosen, counted, _ = _targets(self, target, shape, classes, ignored)
            given = Array(self, grad, element_type, shape, (places, 1) if each else (0, 0))
            values = given.map("copy", dtype=number)
            if mean:
                values.put("div", values, Array(self, (sums[0], sums[1] + 1), dtypes.float64, (1, 1)))
            weights = Array(self, weight, number, shape, (0, 0)).gather(classes, 1, chosen)
            values.put("mul", values, weights.map("neg"))
            values.put("where", counted, values, 0)
            target_cells = made.view(shape, (classes * places, 1))
            target_cells.scatter("replace", classes, places, chosen, values.to(element_type))

        return launch

    def normalise(
        self,
        element_type: dtype,
        groups: NormalGroups,
        eps: float,
        training: bool = True,
        centers: bool = True,
    ) -> Launch:
        """Prepare ``(x - mean) / sqrt(variance + eps) * weight + bias`` for the numbers of each group.

        Args:
            element_type: the dtype of the cells, a floating one.
            groups: what is normalised together.
            eps: what is added to the variances.
            training: whether means and variances are those of the groups, or given; of rows they are.
            centers: whether the mean is taken away; else the variance is the mean square.

        Returns:
            a launch of (out, scales, means, variances, x, weights, biases), whose cells lie in runs. The
            scales are the reciprocals of the deviations. Scales, weights and biases are of the compute type
            (float64 for float64, else float32), means and variances float64; those of rows are of the compute
            type, and there are no variances. There is a weight and a bias for each cell of a row, for each
            run (see `NormalGroups`), or for each column.
        """
        number, (cells, statistic, weight, dims) = compute_type(element_type), _groups(self, groups)

        def launch(
            out: Buffer, scales: Buffer, means: Buffer, variances: Buffer | None, x: Buffer, weights: Buffer,
            biases: Buffer,
        ) -> None:  # fmt: skip
            source = cells(x, element_type).to(number)
            kind = number if variances is None else dtypes.float64
            mean, scale = statistic(means, kind), statistic(scales, number)
            if training:
                center = source.fold("mean", *dims, dtype=dtypes.float64)
                if not centers:
                    center.put("copy", 0.0)
                mean.put("copy", center)
                distances = source.map("sub", center, dtype=dtypes.float64)
                variance = distances.map("mul", distances).fold("mean", *dims)
                if variances is not None:
                    statistic(variances, kind).put("copy", variance)
            else:
                assert variances is not None
                variance = statistic(variances, kind)
            scale.put("copy", variance.map("add", eps).map("rsqrt"))
            source.put("mul", source.map("sub", mean.to(number)), scale)
            source.put("mul", source, weight(weights, number))
            cells(out, element_type).put("add", source, weight(biases, number))

        return launch

    def normalise_gradient(
        self,
        element_type: dtype,
        groups: NormalGroups,
        training: bool = True,
        centers: bool = True,
        wants_weights: bool = True,
    ) -> Launch:
        """Prepare the gradients of `normalise`: of the cells, of the weights and of the biases.

        Args:
            element_type, groups, training, centers: those of `normalise`.
            wants_weights: whether it wants the gradients of the weights and biases.

        Returns:
            a launch of (out, of_weights, of_biases, x, grad, weights, means, scales), where `grad` are the
            gradients of the results. Those of weights and biases are numbers of the compute type, one after
            the other as their weights; where they are not wanted, they are not written.
        """
        number, (cells, statistic, weight, dims) = compute_type(element_type), _groups(self, groups)
        kind = number if groups.form == "rows" else dtypes.float64
        along = {"rows": (0, 1, 2), "runs": (0, 3), "columns": (0, 1, 2)}[groups.form]
        if groups.form == "runs" and not groups.run_weight:
            along = (0, 2, 3)

        def launch(
            out: Buffer, of_weights: Buffer, of_biases: Buffer, x: Buffer, grad: Buffer, weights: Buffer,
            means: Buffer, scales: Buffer,
        ) -> None:  # fmt: skip
            scale, given = statistic(scales, number), cells(grad, element_type).to(number)
            z = cells(x, element_type).map("sub", statistic(means, kind).to(number), dtype=number)
            z.put("mul", z, scale)
            g = given.map("mul", weight(weights, number))
            if training:
                change = g.map("sub", z.map("mul", g.map("mul", z).fold("mean", *dims)))
                if centers:
                    change.put("sub", change, g.fold("mean", *dims))
                g = change
            cells(out, element_type).put("mul", g, scale)
            if wants_weights:
                for total, values in (of_weights, given.map("mul", z)), (of_biases, given):
                    sums = values.fold("sum", *along, dtype=dtypes.float64)
                    Array(self, total, number, sums.shape).put("copy", sums)

        return launch


def loss_factor(mean: bool, counted: float) -> float:
    """What the sum of all losses is multiplied by, if their weights add up to `counted`."""
    if mean:
        return 1 / counted if counted else nan
    return 1.0


def _attended(
    backend: Core, element_type: dtype, layout: AttentionLayout, *buffers: Buffer
) -> tuple[Array, Array, Array]:
    """Queries, keys and values in the compute type."""
    heights = layout.queries, layout.keys, layout.keys
    widths = layout.length, layout.length, layout.width
    made = [
        Array(backend, buffer, element_type, (*layout.batch, height, width), strides).to(
            compute_type(element_type)
        )
        for buffer, height, width, strides in zip(buffers, heights, widths, layout.strides[:3], strict=True)
    ]
    return made[0], made[1], made[2]


def _scores(
    backend: Core, layout: AttentionLayout, scale: float, q: Array, k: Array, mask: Buffer | None
) -> Array:
    scores = q.map("mul", scale).matmul(k.turned())
    if mask is not None and layout.mask:
        kind = dtypes.bool if layout.mask == 1 else scores.dtype
        given = Array(backend, mask, kind, scores.shape, layout.strides[3])
        if layout.mask == 1:
            scores.put("where", given, scores, -inf)
        else:
            scores.put("add", scores, given)
    if layout.causal:
        places = numbered(backend, max(layout.queries, layout.keys))
        row, column = places.view((layout.queries, 1)), places.view((1, layout.keys))
        scores.put("where", row.map("ge", column), scores, -inf)
    return scores


def _results(
    backend: Core, element_type: dtype, layout: AttentionLayout, which: int, width: int, buffer: Buffer
) -> Array:
    return Array(backend, buffer, element_type, (*layout.batch, layout.queries, width), layout.strides[which])


def _groups(backend: Core, groups: NormalGroups) -> tuple[Callable, Callable, Callable, tuple[int, ...]]:
    """Four dimensions for all forms: the cells, a number for each group, the weights; what is folded."""
    count, length, period = groups.number, groups.length, groups.period
    dims: tuple[int, ...]
    if groups.form == "rows":
        shape, strides = (count, 1, 1, length), (length, 0, 0, 1)
        each, weights, steps, dims = (count, 1, 1, 1), (1, 1, 1, length), (0, 0, 0, 1), (3,)
    elif groups.form == "columns":
        shape, strides = (1, 1, length, count), (0, 0, count, 1)
        each, weights, steps, dims = (1, 1, 1, count), (1, 1, 1, count), (0, 0, 0, 1), (2,)
    else:
        shape = (count // period, period, groups.runs, length)
        strides = (period * groups.group_step, groups.group_step, groups.run_step, 1)
        each, weights = (*shape[:2], 1, 1), (1, period, groups.runs, 1)
        steps, dims = (0, groups.group_weight, groups.run_weight, 0), (2, 3)

    def cells(memory: Buffer, kind: dtype) -> Array:
        return Array(backend, memory, kind, shape, strides)

    def statistic(memory: Buffer, kind: dtype) -> Array:
        return Array(backend, memory, kind, each)

    def weight(memory: Buffer, kind: dtype) -> Array:
        return Array(backend, memory, kind, weights, steps)

    return cells, statistic, weight, dims


def _targets(
    backend: Core, target: Buffer, shape: tuple[int, int], classes: int, ignored: int
) -> tuple[Array, Array, Array]:
    """Classes to look at, 0 where a target is none; which targets count; and which are wrong."""
    given = Array(backend, target, dtypes.int64, shape)
    counted = given.map("ne", ignored)
    outside = given.map("lt", 0).map("logical_or", given.map("ge", classes))
    wrong = outside.map("logical_and", counted)
    chosen = given.to(dtypes.int64)
    chosen.put("where", outside, 0, given)
    return chosen, counted, wrong


def _first(backend: Core, found: Array) -> int:
    """Where the first true element of a vector stands; -1 if there is none."""
    if not found.fold("any", 0).item():
        return -1
    place, line = new(backend, (1,), dtypes.int64), OperandLayout(dtypes.bool, (1,))
    launch = backend.arg_reduce(True, found.shape, (0,), OperandLayout(dtypes.int64, (0,)), line)
    launch(place.buffer, found.buffer)
    return int(place.item())
