"""What the layers of neural networks ask of a backend: normalisation, attention, likelihoods, rows of tables.

It is a part of `tensorlab.backends.protocol.Backend`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from tensorlab.backends.operands import Buffer, Launch
from tensorlab.dtypes import dtype

__all__ = ["AttentionLayout", "LayerOperations", "NormalGroups", "Normalised"]


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


class LayerOperations(Protocol):
    """The operations of layers on one device."""

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

    def attention_gradient(self, element_type: dtype, layout: AttentionLayout, scale: float) -> Launch:
        """Prepare the gradients of `attention`, whose arguments these are.

        Returns:
            a launch of (q, k, v, mask, out, grad, sums, of_q, of_k, of_v), where `grad` are the gradients of
            the results. Those of q, k and v are added to the last three: row-major numbers of the compute
            type.
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
                cell of a row, for each run (see `NormalGroups`), or for each column.
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
        training: bool = True,
        centers: bool = True,
        wants_weights: bool = True,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The gradients of `normalise`: of the cells, of the weights and of the biases.

        Those of the weights and biases are float64. Of runs they are arrays (groups, runs) of the sums
        over each run; of rows they are without meaning where it wants none.

        Args:
            element_type, groups, x, weights, centers: those of `normalise`.
            grad: the gradients of the results.
            means, scales: what it found.
            training: whether the means and variances were the groups' own.
            wants_weights: whether it wants the gradients of the weights.
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
