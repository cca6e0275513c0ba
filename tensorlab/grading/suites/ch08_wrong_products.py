"""Chapter 8, products of tensors: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import tensorlab as tl
from tensorlab.core import product_shapes
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def checked_shape(input, other):
    shape = product_shapes.matmul_shape(input.shape, other.shape)
    if input.dtype != other.dtype:
        raise RuntimeError("both need the same dtype")
    return shape


def as_matrices(input, other):
    """Both with at least two dimensions."""
    left = input.unsqueeze(0) if input.dim() == 1 else input
    right = other.unsqueeze(-1) if other.dim() == 1 else other
    return left, right


def lent(result, input, other):
    """The result with the dimensions of size 1 that vectors have lent."""
    full = result.unsqueeze(-1) if other.dim() == 1 else result
    return full.unsqueeze(-2) if input.dim() == 1 else full


def stretched(operands, batch):
    left, right = operands
    a = left.expand(*batch, *left.shape[-2:])
    b = right.expand(*batch, *right.shape[-2:])
    return a, b


def fill(full, a, b):
    for index in itertools.product(*map(range, full.shape[:-2])):
        tl.mm(a[index], b[index], out=full[index])


@solutions.wrong(
    "08.matmul",
    belief="@ multiplies what lies at the same place.",
    lesson="That is *. Each element of a product is a sum: a row of the first with a column of the second.",
)
def elementwise(input, other):
    checked_shape(input, other)
    return input * other


@solutions.wrong(
    "08.matmul",
    belief="Multiply all pairs by broadcasting, then sum over the inner dimension.",
    lesson="The numbers are right. But along the way you make a tensor of m · k · n numbers. A "
    "product needs memory "
    "for its result and no more.",
)
def all_products_at_once(input, other):
    checked_shape(input, other)
    left, right = as_matrices(input, other)
    products = left.unsqueeze(-1) * right.unsqueeze(-3)
    full = products.sum(-2, dtype=input.dtype)
    return full.reshape(product_shapes.matmul_shape(input.shape, other.shape))


@solutions.wrong(
    "08.matmul",
    belief="A batch has to be there before it can be multiplied: repeat what is missing.",
    lesson="repeat and contiguous write the same matrix several times. expand gives it a stride of 0 and "
    "writes nothing.",
)
def copies_what_is_stretched(input, other):
    shape = checked_shape(input, other)
    result = tl.empty(shape, dtype=input.dtype)
    full = lent(result, input, other)
    a, b = stretched(as_matrices(input, other), full.shape[:-2])
    fill(full, a.contiguous(), b.contiguous())
    return result


@solutions.wrong(
    "08.matmul",
    belief="Any batch becomes one dimension by reshape, and one bmm does the rest.",
    lesson="Where two batch dimensions do not merge, because one of them has a stride of 0, reshape copies. "
    "Chapter 4 has the rule.",
)
def one_batch_by_reshape(input, other):
    shape = checked_shape(input, other)
    result = tl.empty(shape, dtype=input.dtype)
    full = lent(result, input, other)
    a, b = stretched(as_matrices(input, other), full.shape[:-2])
    count = full.shape[:-2].numel()
    a, b = (x.reshape(count, *x.shape[-2:]) for x in (a, b))
    tl.bmm(a, b, out=full.view(count, *full.shape[-2:]))
    return result


@solutions.wrong(
    "08.matmul",
    belief="Collect the products in a list and stack them.",
    lesson="stack copies every product once more. Write each into its place with out=.",
)
def stacks_products(input, other):
    shape = checked_shape(input, other)
    left, right = as_matrices(input, other)
    batch = product_shapes.matmul_shape(left.shape, right.shape)[:-2]
    a, b = stretched((left, right), batch)
    products = [tl.mm(a[index], b[index]) for index in itertools.product(*map(range, batch))]
    if len(products) == 1:
        return products[0].view(shape)
    return tl.stack(products).view(shape) if products else tl.empty(shape, dtype=input.dtype)


@solutions.wrong(
    "08.matmul",
    belief="result[index] = tl.mm(x, y) writes the product into the result.",
    lesson="It makes a tensor for the product and then copies that into the result. With out= the product is "
    "written where it belongs at once.",
)
def copies_each_into_its_place(input, other):
    shape = checked_shape(input, other)
    result = tl.empty(shape, dtype=input.dtype)
    full = lent(result, input, other)
    a, b = stretched(as_matrices(input, other), full.shape[:-2])
    for index in itertools.product(*map(range, full.shape[:-2])):
        full[index] = tl.mm(a[index], b[index])
    return result


@solutions.wrong(
    "08.matmul",
    belief="A vector is a matrix with one row or one column, and so is what comes out.",
    lesson="The dimension of size 1 is lent. The result does not have it.",
)
def keeps_the_lent_dimension(input, other):
    checked_shape(input, other)
    left, right = as_matrices(input, other)
    full = tl.empty(product_shapes.matmul_shape(left.shape, right.shape), dtype=input.dtype)
    fill(full, *stretched((left, right), full.shape[:-2]))
    return full


@solutions.wrong(
    "08.matmul",
    belief="Both operands have the same batch, so one index fits both.",
    lesson="A batch of size 1, or none at all, is stretched to the other's.",
)
def one_index_for_both(input, other):
    shape = checked_shape(input, other)
    result = tl.empty(shape, dtype=input.dtype)
    fill(lent(result, input, other), *as_matrices(input, other))
    return result


@solutions.wrong(
    "08.matmul",
    belief="The second operand is a matrix that all matrices of the first are multiplied with.",
    lesson="It is in a linear layer. In general it has a batch of its own, and each index takes its own "
    "matrix.",
)
def one_matrix_for_all(input, other):
    shape = checked_shape(input, other)
    left, right = as_matrices(input, other)
    while right.dim() > 2:
        right = right[0]
    result = tl.empty(shape, dtype=input.dtype)
    full = lent(result, input, other)
    fill(full, *stretched((left, right), full.shape[:-2]))
    return result


@solutions.wrong(
    "08.matmul",
    belief="A new tensor holds float32.",
    lesson="tl.empty makes float32 unless you say otherwise. The product of int64 tensors is int64.",
)
def always_float32(input, other):
    result = tl.empty(checked_shape(input, other))
    full = lent(result, input, other)
    fill(full, *stretched(as_matrices(input, other), full.shape[:-2]))
    return result


@solutions.wrong(
    "08.matmul",
    belief="Different dtypes are promoted, as in a sum.",
    lesson="A product converts nothing: it would have to copy a whole matrix. It asks you to convert.",
)
def promotes(input, other):
    shape = product_shapes.matmul_shape(input.shape, other.shape)
    meet = tl.promote_types(input.dtype, other.dtype)
    result = tl.empty(shape, dtype=meet)
    full = lent(result, input, other)
    fill(full, *stretched(as_matrices(input.to(meet), other.to(meet)), full.shape[:-2]))
    return result


@solutions.wrong(
    "08.matmul",
    belief="A product that is turned twice is the same tensor.",
    lesson="The numbers are. But the result lies column after column, and a new tensor lies row after row.",
)
def turned_twice(input, other):
    checked_shape(input, other)
    left, right = as_matrices(input, other)
    full = product_shapes.matmul_shape(left.shape, right.shape)
    turned = tl.empty((*full[:-2], full[-1], full[-2]), dtype=input.dtype)
    a, b = stretched((left, right), full[:-2])
    fill(turned, b.transpose(-2, -1), a.transpose(-2, -1))
    result = turned.transpose(-2, -1)
    if other.dim() == 1:
        result = result.squeeze(-1)
    return result.squeeze(-1 if other.dim() == 1 else -2) if input.dim() == 1 else result


@solutions.wrong(
    "08.matmul",
    belief="The order of the factors does not matter.",
    lesson="It does not for numbers. Even for square matrices a @ b and b @ a are different.",
)
def factors_exchanged(input, other):
    if input.shape == other.shape and input.dim() > 1:
        input, other = other, input
    shape = checked_shape(input, other)
    result = tl.empty(shape, dtype=input.dtype)
    full = lent(result, input, other)
    fill(full, *stretched(as_matrices(input, other), full.shape[:-2]))
    return result


@solutions.wrong(
    "08.matmul",
    belief="A second operand that does not fit has to be turned.",
    lesson="Nobody asked for that. (2, 3) @ (2, 3) is an error, and the caller decides what was meant.",
)
def turns_what_does_not_fit(input, other):
    if input.dim() > 1 and other.dim() > 1 and input.shape[-1] != other.shape[-2]:
        other = other.transpose(-2, -1)
    shape = checked_shape(input, other)
    result = tl.empty(shape, dtype=input.dtype)
    full = lent(result, input, other)
    fill(full, *stretched(as_matrices(input, other), full.shape[:-2]))
    return result
