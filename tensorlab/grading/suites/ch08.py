"""Chapter 8, *Matmul in all ranks*: the questions about shapes and costs alone.

Those about tensors are in `ch08_tensors`, the hardest one is in `ch08_einsum`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch08_draw, ch08_right, ch08_wrong_costs, ch08_wrong_shapes
from tensorlab.grading.suites.ch08_draw import Pair, Shape
from tensorlab.grading.suites.ch08_einsum import EINSUM
from tensorlab.grading.suites.ch08_tensors import ATTENTION_SCORES, MATMUL

_INNER = "must equal"
_BATCH = "must match"
_SCALAR = "at least 1D"


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _refused(a: Shape, b: Shape, says: str) -> Case:
    return Case((a, b), (says,), tuple(sorted({_INNER, _BATCH, _SCALAR} - {says})))


def _unfit(source: Random) -> Case:
    """Inner sizes that differ, batches that do not broadcast, or a tensor without dimensions."""
    kind = source.choice((_INNER, _INNER, _BATCH, _SCALAR))
    m, k, n = ch08_draw.sizes(source)
    if kind == _INNER:
        both = (2, m, k), (3, k + 4, n)  # the batches do not broadcast either
        vector = (n,), (k, n)  # as long as a row of the matrix
        return _refused(*source.choice((both, vector, ch08_draw.inner_sizes_differ(source))), _INNER)
    if kind == _BATCH:
        lead = source.choice(((), (2,), (1,)))
        return _refused((*lead, 2, m, k), (3, k, n), _BATCH)
    return _refused((), (k, n), _SCALAR) if source.random() < 0.5 else _refused((m, k), (), _SCALAR)


MATMUL_SHAPE = Exercise(
    id="08.matmul_shape",
    title="What comes out?",
    stars=2,
    signature="matmul_shape(a, b)",
    task="Return the shape of the product of tensors of the shapes a and b, as a tuple, or raise "
    "RuntimeError.",
    part="tensorlab.core.product_shapes:matmul_shape",
    topics=(
        Topic(
            "two matrices",
            2,
            "(m, k) and (k, n) give (m, n): the inner size is summed away.",
            _cases(
                ((1, 1), (1, 1)),
                ((1, 2), (2, 1)),
                ((2, 1), (1, 2)),
                ((2, 3), (3, 4)),
                ((3, 2), (2, 4)),
                ((2, 2), (2, 2)),
                ((4, 0), (0, 3)),
            ),
            lambda source: Case(ch08_draw.matrices(source)),
        ),
        Topic(
            "vectors",
            2,
            "A vector on the left is a row, one on the right a column. That dimension is summed away or was "
            "only lent, and the result does not have it.",
            _cases(
                ((2,), (2,)),
                ((3,), (3, 4)),
                ((2, 3), (3,)),
                ((3,), (2, 3, 4)),
                ((2, 3, 4), (4,)),
                ((3,), (5, 2, 3, 4)),
                ((5, 2, 3, 4), (4,)),
                ((1,), (1, 1)),
                ((3,), (4, 3, 3)),
            ),
            lambda source: Case(ch08_draw.with_vector(source)),
        ),
        Topic(
            "batches of one shape",
            1,
            "The last two dimensions are the matrices. All before them is the batch, and stays.",
            _cases(
                ((2, 1, 1), (2, 1, 1)),
                ((2, 3, 4), (2, 4, 5)),
                ((3, 2, 2), (3, 2, 2)),
                ((5, 2, 3, 4), (5, 2, 4, 6)),
                ((0, 2, 3), (0, 3, 4)),
            ),
            lambda source: Case(ch08_draw.same_batch(source)),
        ),
        Topic(
            "batches that are stretched",
            2,
            "Batch dimensions are broadcast: aligned from the right, a size of 1 stretches, a missing one is "
            "1. The sizes of the matrices take no part in that.",
            _cases(
                ((2, 3, 4), (4, 5)),
                ((3, 4), (2, 4, 5)),
                ((1, 3, 4), (2, 4, 5)),
                ((2, 3, 4), (1, 4, 5)),
                ((2, 1, 3, 4), (5, 4, 6)),
                ((5, 3, 4), (2, 1, 4, 6)),
                ((7, 1, 2, 3), (7, 5, 3, 2)),
                ((2, 2, 3, 4), (2, 4, 5)),
                ((0, 2, 3), (1, 3, 4)),
            ),
            lambda source: Case(ch08_draw.stretched(source)),
        ),
        Topic(
            "what does not fit",
            1,
            "The inner sizes must equal each other, and no 1 stretches there. Batches must match as operands "
            "of a sum do. A tensor without dimensions has no inner size at all.",
            (
                _refused((2, 3), (2, 3), _INNER),
                _refused((2, 3), (4, 3), _INNER),
                _refused((2, 1), (3, 4), _INNER),
                _refused((2, 3), (1, 4), _INNER),
                _refused((3,), (4,), _INNER),
                _refused((1,), (4,), _INNER),
                _refused((4,), (3, 4), _INNER),
                _refused((2,), (2, 3, 4), _INNER),
                _refused((2, 3, 4), (3,), _INNER),
                _refused((2, 3, 4), (2, 3, 4), _INNER),
                _refused((2, 3, 4), (3, 5, 6), _INNER),
                _refused((2, 3, 4), (3, 4, 5), _BATCH),
                _refused((4, 2, 3, 4), (3, 4, 5), _BATCH),
                _refused((1, 2, 3, 4), (3, 4, 5), _BATCH),
                _refused((), (3,), _SCALAR),
                _refused((2, 3), (), _SCALAR),
                _refused((), (), _SCALAR),
            ),
            _unfit,
        ),
    ),
    wrong=ch08_wrong_shapes.solutions.wrong_of("08.matmul_shape"),
    right=ch08_right.solutions.right_of("08.matmul_shape"),
)


def _cost(pair: Pair, source: Random) -> Case:
    return Case((*pair, source.choice((1, 2, 4, 8))))


MATMUL_COST = Exercise(
    id="08.matmul_cost",
    title="What does it cost?",
    stars=1,
    signature="matmul_cost(a, b, itemsize)",
    task="Return the FLOPs of the product and the bytes that it moves at the least, as a tuple of two ints.",
    part="tensorlab.core.product_shapes:matmul_cost",
    topics=(
        Topic(
            "two matrices",
            2,
            "Each of the m · n elements is a sum of k products: 2 · m · n · k operations. Both operands are "
            "read once, the result is written once.",
            _cases(
                ((1, 1), (1, 1), 1),
                ((1, 2), (2, 1), 4),
                ((2, 1), (1, 3), 4),
                ((2, 3), (3, 4), 4),
                ((2, 3), (3, 4), 8),
                ((4, 3), (3, 2), 1),
                ((2, 0), (0, 3), 4),
            ),
            lambda source: _cost(ch08_draw.matrices(source), source),
        ),
        Topic(
            "vectors",
            1,
            "The result has fewer dimensions. It is still one sum of k products for each of its elements.",
            _cases(
                ((3,), (3,), 4),
                ((3,), (3, 4), 4),
                ((2, 3), (3,), 4),
                ((3,), (2, 3, 4), 4),
                ((2, 3, 4), (4,), 2),
            ),
            lambda source: _cost(ch08_draw.with_vector(source), source),
        ),
        Topic(
            "batches of one shape",
            1,
            "A batch of b products takes b times the work of one, and moves b times the bytes.",
            _cases(
                ((2, 1, 1), (2, 1, 1), 1),
                ((5, 2, 3), (5, 3, 4), 4),
                ((3, 2, 2, 3), (3, 2, 3, 4), 2),
                ((0, 2, 3), (0, 3, 4), 4),
            ),
            lambda source: _cost(ch08_draw.same_batch(source), source),
        ),
        Topic(
            "batches that are stretched",
            2,
            "The product has as many matrices as the broadcast batch. A matrix that is stretched takes part "
            "in several products, and lies in memory once.",
            _cases(
                ((2, 3, 4), (4, 5), 4),
                ((3, 4), (2, 4, 5), 4),
                ((1, 3, 4), (6, 4, 5), 4),
                ((2, 1, 3, 4), (5, 4, 6), 4),
                ((2, 1, 3, 4), (2, 5, 4, 6), 4),
                ((5, 3, 4), (2, 1, 4, 6), 8),
            ),
            lambda source: _cost(ch08_draw.stretched(source), source),
        ),
    ),
    wrong=ch08_wrong_costs.solutions.wrong_of("08.matmul_cost"),
    right=ch08_right.solutions.right_of("08.matmul_cost"),
)


EXERCISES = (MATMUL_SHAPE, MATMUL_COST, ATTENTION_SCORES, MATMUL, EINSUM)
