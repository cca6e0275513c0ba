"""Chapter 10, products: the questions about the gradients of a matrix product."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes, product_shapes
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch10_right, ch10_wrong_products, draw
from tensorlab.grading.suites.ch08_einsum import shows_the_same

Shape = tuple[int, ...]


def _both_show_the_same(got: Any, want: Any) -> bool:
    pair = type(got) is type(want) and isinstance(want, tuple) and len(got) == len(want)
    return pair and all(map(shows_the_same, got, want))


def _numbers(
    shape: Shape, storage: int, strides: Shape | None = None, dtype: Any = dtypes.float32
) -> Strided:
    """Small whole numbers in an order that no transposing leaves as it is."""
    made = strided(shape, strides, dtype=dtype)
    cells = [(k * k + 3 * storage * k + storage) % 7 - 2 for k in range(len(made.cells))]
    return strided(shape, strides, cells=cells, dtype=dtype, storage=storage)


def _product(a: Shape, b: Shape, dtype: Any = dtypes.float32) -> Case:
    grad = tuple(product_shapes.matmul_shape(a, b))
    return Case(
        (_numbers(grad, 1, dtype=dtype), _numbers(a, 2, dtype=dtype), _numbers(b, 3, dtype=dtype)),
        same=_both_show_the_same,
    )


def _drawn(source: Random, a: Shape, b: Shape) -> Case:
    """The operands in any layout, the gradient perhaps a stretched one."""
    shapes = tuple(product_shapes.matmul_shape(a, b)), a, b
    told = []
    for storage, shape in enumerate(shapes, 1):
        strides = draw.loose(source, shape, zeros=storage == 1)
        made = strided(shape, strides)
        cells = [source.randint(-4, 4) for _ in made.cells]
        told.append(strided(shape, strides, cells=cells, storage=storage))
    return Case(tuple(told), same=_both_show_the_same)


def _sizes(source: Random) -> tuple[int, int, int]:
    m, k, n = source.sample(range(2, 8), 3)
    return m, k, n


def _two_matrices(source: Random) -> Case:
    m, k, n = _sizes(source)
    return _drawn(source, (m, k), (k, n))


def _two_batches(source: Random) -> Case:
    m, k, n = _sizes(source)
    batch = draw.shape(source, 2, 3, (1, 2))
    return _drawn(source, (*batch, m, k), (*batch, k, n))


def _stretched_batches(source: Random) -> Case:
    m, k, n = _sizes(source)
    p, q = source.randint(2, 3), source.randint(2, 3)
    one, other = source.choice((((p,), ()), ((), (p,)), ((p, 1), (q,)), ((q,), (p, 1)), ((1, q), (p, 1))))
    return _drawn(source, (*one, m, k), (*other, k, n))


def _vectors(source: Random) -> Case:
    m, k, n = _sizes(source)
    return _drawn(source, *source.choice((((k,), (k,)), ((m, k), (k,)), ((k,), (k, n)))))


def _vectors_and_batches(source: Random) -> Case:
    m, k, n = _sizes(source)
    batch = draw.shape(source, 2, 3, (1, 2))
    return _drawn(source, *source.choice((((*batch, m, k), (k,)), ((k,), (*batch, k, n)))))


MATMUL_BACKWARD = Exercise(
    id="10.matmul_backward",
    title="The gradients of a product",
    stars=3,
    signature="matmul_backward(grad, a, b)",
    task="Return the gradients of a and of b, as a tuple, where grad is the gradient of a @ b.",
    part="tensorlab.ops.products:matmul_backward",
    topics=(
        Topic(
            "two matrices",
            2,
            "The gradient of a is grad @ b transposed, that of b is a transposed @ grad. The shapes leave no "
            "other order.",
            (
                _product((1, 1), (1, 1)),
                _product((1, 2), (2, 1)),
                _product((2, 3), (3, 2)),
                _product((2, 3), (3, 4)),
                _product((2, 2), (2, 2)),
                _product((2, 3), (3, 4), dtypes.float64),
            ),
            _two_matrices,
        ),
        Topic(
            "a batch times a batch",
            2,
            "Each matrix of the batch has a product of its own. Only the last two dimensions are transposed, "
            "as .mT does.",
            (
                _product((2, 1, 2), (2, 2, 1)),
                _product((2, 2, 3), (2, 3, 2)),
                _product((2, 3, 4), (2, 4, 2)),
                _product((2, 2, 2), (2, 2, 2)),
                _product((2, 2, 2, 3), (2, 2, 3, 2)),
            ),
            _two_batches,
        ),
        Topic(
            "batches that were stretched",
            3,
            "A matrix that served a whole batch gets the sum of what comes back for it: each factor's "
            "gradient "
            "has the factor's own shape.",
            (
                _product((2, 2, 3), (3, 2)),
                _product((3, 2), (2, 2, 3)),
                _product((2, 2, 2), (2, 2)),
                _product((1, 2, 3), (2, 3, 2)),
                _product((2, 1, 2, 3), (2, 3, 2)),
                _product((2, 1, 2, 3), (1, 3, 3, 2)),
            ),
            _stretched_batches,
        ),
        Topic(
            "vectors",
            2,
            "A vector on the left is a row, one on the right a column. Put the dimension in, compute, and "
            "take "
            "it out again.",
            (
                _product((2,), (2,)),
                _product((2, 3), (3,)),
                _product((3,), (3, 2)),
                _product((2, 2), (2,)),
                _product((2,), (2, 2)),
                _product((1,), (1,)),
            ),
            _vectors,
        ),
        Topic(
            "a vector and a batch",
            2,
            "Both at once: the vector served the whole batch, so its gradient is summed over the batch.",
            (
                _product((2, 2, 3), (3,)),
                _product((3,), (2, 3, 2)),
                _product((2, 2, 2), (2,)),
                _product((2,), (2, 2, 2)),
                _product((2, 3, 2, 2), (2,)),
            ),
            _vectors_and_batches,
        ),
        Topic(
            "sizes of 1 and of 0",
            1,
            "They are sizes like all others. A batch of size 1 that wasn't stretched keeps its dimension.",
            (
                _product((1, 2, 3), (3, 2)),
                _product((1, 1, 2), (1, 2, 1)),
                _product((2, 0), (0, 3)),
                _product((0, 2, 3), (3, 2)),
                _product((1,), (1, 2)),
            ),
            lambda source: _product(
                (1, m := source.randint(1, 2), k := source.randint(0, 2)),
                (*source.choice(((), (1,))), k, m + 1),
            ),
        ),
    ),
    wrong=ch10_wrong_products.solutions.wrong_of("10.matmul_backward"),
    right=ch10_right.solutions.right_of("10.matmul_backward"),
)
