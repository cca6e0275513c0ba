"""Chapter 8, costs of products: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.core import broadcasting, layout, product_shapes
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def moved(a, b, itemsize):
    """The bytes, counted rightly."""
    result = product_shapes.matmul_shape(a, b)
    return itemsize * (layout.numel(a) + layout.numel(b) + layout.numel(result))


def worked(a, b):
    """The operations, counted rightly."""
    return 2 * layout.numel(product_shapes.matmul_shape(a, b)) * a[-1]


def rows_and_columns(a, b):
    return (a[-2] if len(a) > 1 else 1), (b[-1] if len(b) > 1 else 1)


@solutions.wrong(
    "08.matmul_cost",
    belief="A product of k pairs takes k multiplications.",
    lesson="And their sum takes k additions: two operations for each pair.",
)
def only_multiplications(a, b, itemsize):
    return worked(a, b) // 2, moved(a, b, itemsize)


@solutions.wrong(
    "08.matmul_cost",
    belief="A sum of k products has one addition less than products.",
    lesson="By hand, yes. The usual count, and this one, starts each sum at 0: k additions.",
)
def one_addition_less(a, b, itemsize):
    elements = layout.numel(product_shapes.matmul_shape(a, b))
    return elements * max(2 * a[-1] - 1, 0), moved(a, b, itemsize)


@solutions.wrong(
    "08.matmul_cost",
    belief="The work is 2 · m · n · k.",
    lesson="That is one product. A batch has many of them.",
)
def ignores_the_batch(a, b, itemsize):
    m, n = rows_and_columns(a, b)
    return 2 * m * n * a[-1], moved(a, b, itemsize)


@solutions.wrong(
    "08.matmul_cost",
    belief="There are as many products as the first operand has matrices.",
    lesson="Each of them may be stretched over the batch of the other. The broadcast batch counts.",
)
def batch_of_the_first(a, b, itemsize):
    m, n = rows_and_columns(a, b)
    return 2 * layout.numel(a[:-2]) * m * n * a[-1], moved(a, b, itemsize)


@solutions.wrong(
    "08.matmul_cost",
    belief="There are as many products as the operand with more matrices has.",
    lesson="Where each stretches in another dimension there are more than either has: (2, 1) and (5,) give "
    "10.",
)
def batch_of_the_larger(a, b, itemsize):
    m, n = rows_and_columns(a, b)
    count = max(layout.numel(a[:-2]), layout.numel(b[:-2]))
    return 2 * count * m * n * a[-1], moved(a, b, itemsize)


@solutions.wrong(
    "08.matmul_cost",
    belief="Every matrix of a is multiplied by every matrix of b.",
    lesson="Batches of one size run together: 5 and 5 matrices are 5 products, not 25.",
)
def all_with_all(a, b, itemsize):
    m, n = rows_and_columns(a, b)
    count = layout.numel(a[:-2]) * layout.numel(b[:-2])
    return 2 * count * m * n * a[-1], moved(a, b, itemsize)


@solutions.wrong(
    "08.matmul_cost",
    belief="A stretched operand is as large as the batch that it is stretched to.",
    lesson="Its stride there is 0. It lies in memory once and is fetched once.",
)
def stretched_is_larger(a, b, itemsize):
    batch = layout.numel(broadcasting.broadcast_shapes(a[:-2], b[:-2]))
    result = layout.numel(product_shapes.matmul_shape(a, b))
    return worked(a, b), itemsize * (batch * layout.numel(a[-2:]) + batch * layout.numel(b[-2:]) + result)


@solutions.wrong(
    "08.matmul_cost",
    belief="What is moved are the operands.",
    lesson="The result has to be written, and it may be the largest of the three.",
)
def forgets_the_result(a, b, itemsize):
    product_shapes.matmul_shape(a, b)
    return worked(a, b), itemsize * (layout.numel(a) + layout.numel(b))


@solutions.wrong(
    "08.matmul_cost",
    belief="The number of elements is the number of bytes.",
    lesson="Each element takes itemsize bytes.",
)
def counts_elements(a, b, itemsize):
    return worked(a, b), moved(a, b, 1)


@solutions.wrong(
    "08.matmul_cost",
    belief="Each element of the result fetches its row and its column.",
    lesson="That is what a naive program does. At the least each operand is read once, and kept for all who "
    "need it.",
)
def fetches_every_row_anew(a, b, itemsize):
    result = layout.numel(product_shapes.matmul_shape(a, b))
    return worked(a, b), itemsize * (2 * a[-1] + 1) * result


@solutions.wrong(
    "08.matmul_cost",
    belief="The inner size is the first size of b.",
    lesson="For a matrix b it is. With a batch the first size of b counts matrices; take the last size of a.",
)
def inner_is_the_first_of_b(a, b, itemsize):
    return 2 * layout.numel(product_shapes.matmul_shape(a, b)) * b[0], moved(a, b, itemsize)


@solutions.wrong(
    "08.matmul_cost",
    belief="A product of vectors is a sum, so it costs one operation for each element.",
    lesson="A vector takes part as a matrix of one row or one column: a multiplication and an addition for "
    "each pair.",
)
def vectors_are_half_price(a, b, itemsize):
    flops = worked(a, b)
    return (flops // 2 if 1 in (len(a), len(b)) else flops), moved(a, b, itemsize)
