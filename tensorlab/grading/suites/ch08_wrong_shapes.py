"""Chapter 8, shapes of products: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.core import broadcasting
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def refuse_what_has_no_dimension(a, b):
    if not a or not b:
        raise RuntimeError("both operands need to be at least 1D")


def refuse_unequal(left, right):
    if left != right:
        raise RuntimeError(f"{left} must equal {right}")


def inner_of(b):
    return b[0] if len(b) == 1 else b[-2]


def rows_of(a):
    return a[-2:-1]


def columns_of(b):
    return b[-1:] if len(b) > 1 else ()


def matrices_of(a, b):
    """The ends of both shapes, after the checks that all of these authors do."""
    refuse_what_has_no_dimension(a, b)
    refuse_unequal(a[-1], inner_of(b))
    return (*rows_of(a), *columns_of(b))


@solutions.wrong(
    "08.matmul_shape",
    belief="A vector on the left is a matrix of one row, and the result has that row.",
    lesson="The dimension of size 1 is lent for the product and goes again: (3,) @ (2, 3, 4) is (2, 4).",
)
def keeps_the_row(a, b):
    ends = matrices_of(a, b)
    row = (1,) if len(a) == 1 else ()
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *row, *ends)


@solutions.wrong(
    "08.matmul_shape",
    belief="A vector on the right is a matrix of one column, and the result has that column.",
    lesson="The dimension of size 1 is lent for the product and goes again: (2, 3) @ (3,) is (2,).",
)
def keeps_the_column(a, b):
    ends = matrices_of(a, b)
    column = (1,) if len(b) == 1 else ()
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *ends, *column)


@solutions.wrong(
    "08.matmul_shape",
    belief="A product of two vectors is one number, which is a tensor of one element, (1,).",
    lesson="A single number has no dimension: its shape is ().",
)
def one_number_has_a_dimension(a, b):
    ends = matrices_of(a, b)
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *ends) or (1,)


@solutions.wrong(
    "08.matmul_shape",
    belief="@ multiplies element by element, so the shapes broadcast.",
    lesson="That is *. In a product of matrices the last size of a is compared with the "
    "second-to-last of b, and both "
    "go.",
)
def elementwise(a, b):
    refuse_what_has_no_dimension(a, b)
    return tuple(broadcasting.broadcast_shapes(a, b))


@solutions.wrong(
    "08.matmul_shape",
    belief="Rows are multiplied by rows: the last sizes of both must be equal.",
    lesson="A row of a is multiplied by a column of b. The size along a column is the second-to-last.",
)
def rows_meet_rows(a, b):
    refuse_what_has_no_dimension(a, b)
    refuse_unequal(a[-1], b[-1])
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *rows_of(a), *b[-2:-1])


@solutions.wrong(
    "08.matmul_shape",
    belief="The last size of a is compared with the first size of b.",
    lesson="It does for a matrix b. With a batch the first size of b counts matrices; the inner one is the "
    "second-to-last.",
)
def meets_the_first_size(a, b):
    refuse_what_has_no_dimension(a, b)
    refuse_unequal(a[-1], b[0])
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *rows_of(a), *columns_of(b))


@solutions.wrong(
    "08.matmul_shape",
    belief="Two batches must have the same sizes.",
    lesson="They must have sizes that broadcast: a 1 stretches, and a missing dimension counts as 1.",
)
def batches_must_be_equal(a, b):
    ends = matrices_of(a, b)
    if len(a) > 2 and len(b) > 2 and a[:-2] != b[:-2]:
        raise RuntimeError(f"{a[:-2]} must match {b[:-2]}")
    return (*(a[:-2] or b[:-2]), *ends)


@solutions.wrong(
    "08.matmul_shape",
    belief="Every matrix of a is multiplied by every matrix of b, so the result has both batches.",
    lesson="NumPy's dot does that. Here the batches are broadcast: equal sizes run together.",
)
def all_with_all(a, b):
    return (*a[:-2], *b[:-2], *matrices_of(a, b))


@solutions.wrong(
    "08.matmul_shape",
    belief="A vector fits a matrix when it is as long as the matrix's rows.",
    lesson="A vector on the left is a row, and a row is multiplied by columns: it is as long as the "
    "matrix has rows. "
    "(4,) @ (3, 4) does not exist.",
)
def vectors_meet_rows(a, b):
    if len(a) == 1 and len(b) > 1 and a[0] == b[-1]:
        return (*b[:-2], b[-1])
    ends = matrices_of(a, b)
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *ends)


@solutions.wrong(
    "08.matmul_shape",
    belief="The batch comes first, so it is checked first.",
    lesson="The inner sizes say whether the matrices have a product at all, so they come first.",
)
def looks_at_the_batch_first(a, b):
    refuse_what_has_no_dimension(a, b)
    batch = broadcasting.broadcast_shapes(a[:-2], b[:-2])
    refuse_unequal(a[-1], inner_of(b))
    return (*batch, *rows_of(a), *columns_of(b))


@solutions.wrong(
    "08.matmul_shape",
    belief="Of two sizes in a column the larger one is the result.",
    lesson="A 1 stretches to a 0 as well: a batch without matrices has no products.",
)
def batch_of_the_larger_sizes(a, b):
    ends = matrices_of(a, b)
    batch = broadcasting.broadcast_shapes(a[:-2], b[:-2])
    return (*(max(size, 1) for size in batch), *ends)


@solutions.wrong(
    "08.matmul_shape",
    belief="The batch is what a says.",
    lesson="b may have batch dimensions that a lacks, or sizes where a has a 1. Broadcast the two.",
)
def batch_of_the_first(a, b):
    ends = matrices_of(a, b)
    broadcasting.broadcast_shapes(a[:-2], b[:-2])
    return (*a[:-2], *ends)


@solutions.wrong(
    "08.matmul_shape",
    belief="Batch dimensions are aligned from the left.",
    lesson="They are aligned on the right, as in every broadcast: the missing ones are on the left.",
)
def aligned_from_the_left(a, b):
    ends = matrices_of(a, b)
    batch = broadcasting.broadcast_shapes(a[:-2][::-1], b[:-2][::-1])
    return (*batch[::-1], *ends)


@solutions.wrong(
    "08.matmul_shape",
    belief="A size of 1 stretches everywhere, in the inner dimension too.",
    lesson="Only batch dimensions stretch. (2, 1) @ (3, 4) raises an error.",
)
def the_inner_one_stretches(a, b):
    refuse_what_has_no_dimension(a, b)
    if 1 not in (a[-1], inner_of(b)):
        refuse_unequal(a[-1], inner_of(b))
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *rows_of(a), *columns_of(b))


@solutions.wrong(
    "08.matmul_shape",
    belief="The caller knows that the sizes fit.",
    lesson="A product whose inner sizes differ does not exist. Say so, and name both sizes.",
)
def never_refuses(a, b):
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *rows_of(a), *columns_of(b))


@solutions.wrong(
    "08.matmul_shape",
    belief="A tensor without dimensions scales the other one.",
    lesson="That is what * does. A product sums over an inner size, and here there is none.",
)
def a_number_scales(a, b):
    if not a or not b:
        return (*a, *b)
    ends = matrices_of(a, b)
    return (*broadcasting.broadcast_shapes(a[:-2], b[:-2]), *ends)
