"""Chapter 8: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type, union-attr"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools
import math

import tensorlab as tl
from tensorlab.core import broadcasting, layout, product_shapes
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right(
    "08.matmul_shape",
    idea="Cut both shapes into batch and matrix, and put the result together.",
    same={
        "A vector has one size.": (
            "inner = b[0] if len(b) == 1 else b[-2] -> inner = b[-1] if len(b) == 1 else b[-2]",
        )
    },
)
def cuts_and_puts_together(a, b):
    if len(a) == 0 or len(b) == 0:
        raise RuntimeError("both operands need to be at least 1D")
    inner = b[0] if len(b) == 1 else b[-2]
    if a[-1] != inner:
        raise RuntimeError("the inner sizes must equal each other")
    batch = broadcasting.broadcast_shapes(a[:-2], b[:-2])
    rows = (a[-2],) if len(a) > 1 else ()
    columns = (b[-1],) if len(b) > 1 else ()
    return (*batch, *rows, *columns)


@solutions.right(
    "08.matmul_shape",
    idea="Make matrices of vectors first, and take the lent sizes away again.",
    same={
        "The size that is lent is taken away again, whatever it is.": (
            "left = (1, *a) if len(a) == 1 else tuple(a) -> left = (2, *a) if len(a) == 1 else tuple(a)",
            "left = (1, *a) if len(a) == 1 else tuple(a) -> left = (0, *a) if len(a) == 1 else tuple(a)",
            "right = (*b, 1) if len(b) == 1 else tuple(b) -> right = (*b, 2) if len(b) == 1 else tuple(b)",
            "right = (*b, 1) if len(b) == 1 else tuple(b) -> right = (*b, 0) if len(b) == 1 else tuple(b)",
        )
    },
)
def lends_a_dimension(a, b):
    if not a or not b:
        raise RuntimeError(f"a product needs tensors that are at least 1D, got {a} and {b}")
    left = (1, *a) if len(a) == 1 else tuple(a)
    right = (*b, 1) if len(b) == 1 else tuple(b)
    if left[-1] != right[-2]:
        raise RuntimeError("the last size of a must equal the last but one of b: they are summed over")
    shape = [*broadcasting.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1]]
    if len(a) == 1:
        del shape[-2]
    if len(b) == 1:
        del shape[-1]
    return tuple(shape)


@solutions.right("08.matmul_cost", idea="The elements of the result, each a sum of k products.")
def counts_elements(a, b, itemsize):
    shape = product_shapes.matmul_shape(a, b)
    elements = layout.numel(shape)
    flops = 2 * elements * a[-1]
    moved = layout.numel(a) + layout.numel(b) + elements
    return flops, moved * itemsize


@solutions.right("08.matmul_cost", idea="The number of products, times m, n and k.")
def counts_products(a, b, itemsize):
    m = a[-2] if len(a) > 1 else 1
    n = b[-1] if len(b) > 1 else 1
    count = math.prod(broadcasting.broadcast_shapes(a[:-2], b[:-2]))
    flops = 2 * count * m * n * a[-1]
    return flops, itemsize * math.prod(a) + itemsize * math.prod(b) + itemsize * count * m * n


@solutions.right(
    "08.matmul",
    idea="Vectors become matrices, then one product for each index of the batch.",
    same={
        "tl.mm gives `out` the shape of the product, in the same cells, and warns.": (
            "input, full = (input.unsqueeze(0), full.unsqueeze(-2)) -> "
            "input, full = (input.unsqueeze(0), full.unsqueeze(-1))",
        )
    },
)
def one_product_for_each_index(input, other):
    shape = product_shapes.matmul_shape(input.shape, other.shape)
    result = tl.empty(shape, dtype=input.dtype)
    full = result
    if other.dim() == 1:
        other, full = other.unsqueeze(-1), full.unsqueeze(-1)
    if input.dim() == 1:
        input, full = input.unsqueeze(0), full.unsqueeze(-2)
    batch = full.shape[:-2]
    a = input.expand(*batch, *input.shape[-2:])
    b = other.expand(*batch, *other.shape[-2:])
    for index in itertools.product(*map(range, batch)):
        tl.mm(a[index], b[index], out=full[index])
    return result


@solutions.right(
    "08.matmul",
    idea="By recursion over the batch, from the outermost dimension in.",
    same={
        "Index -1 of a dimension of size 1 is index 0.": (
            "at_a = (i if a.shape[0] > 1 else 0) if a.dim() == dims else ... -> "
            "at_a = (i if a.shape[0] > 1 else -1) if a.dim() == dims else ...",
            "at_b = (i if b.shape[0] > 1 else 0) if b.dim() == dims else ... -> "
            "at_b = (i if b.shape[0] > 1 else -1) if b.dim() == dims else ...",
        ),
        "tl.mm gives `out` the shape of the product, in the same cells, and warns.": (
            "into = into.unsqueeze(into.dim() - 1) -> into = into.unsqueeze(into.dim() - 0)",
        ),
    },
)
def walks_the_batch(input, other):
    result = tl.empty(product_shapes.matmul_shape(input.shape, other.shape), dtype=input.dtype)
    left = input if input.dim() > 1 else input[None]
    right = other if other.dim() > 1 else other[:, None]
    into = result
    if other.dim() == 1:
        into = into.unsqueeze(into.dim())
    if input.dim() == 1:
        into = into.unsqueeze(into.dim() - 1)
    multiply_into(left, right, into)
    return result


def multiply_into(a, b, into):
    dims = into.dim()
    if dims == 2:
        tl.mm(a, b, out=into)
        return
    for i in range(into.shape[0]):
        at_a = (i if a.shape[0] > 1 else 0) if a.dim() == dims else ...
        at_b = (i if b.shape[0] > 1 else 0) if b.dim() == dims else ...
        multiply_into(a[at_a], b[at_b], into[i])


@solutions.right("08.attention_scores", idea="Turn the keys, multiply, divide.")
def turns_multiplies_divides(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


@solutions.right("08.attention_scores", idea="Multiply, then divide in place.")
def divides_in_place(query, key):
    scores = tl.matmul(query, key.mT)
    scores *= key.shape[-1] ** -0.5
    return scores


@solutions.right("08.attention_scores", idea="By letters: d is summed over, and the batch is whatever it is.")
def by_letters(query, key):
    return tl.einsum("...td,...sd->...ts", query, key) / math.sqrt(query.shape[-1])


@solutions.right("08.einsum", idea="Give all operands all letters, multiply, sum over what the output lacks.")
def all_letters_everywhere(equation, *operands):
    left, output = equation.split("->")
    terms = left.split(",")
    check_sizes(terms, operands)
    letters = output + "".join(sorted(set(left) - set(output) - {","}))
    product = None
    for term, x in zip(terms, operands, strict=True):
        x, term = diagonals(x, term)
        x = x.permute([term.index(letter) for letter in letters if letter in term])
        for place, letter in enumerate(letters):
            if letter not in term:
                x = x.unsqueeze(place)
        product = x if product is None else product * x
    summed = tuple(range(len(output), len(letters)))
    return product.sum(summed) if summed else product


def diagonals(x, term):
    """The tensor with each letter once. A diagonal comes last."""
    for letter in sorted(set(term)):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            x = x.diagonal(0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return x, term


def check_sizes(terms, operands):
    sizes = {}
    for term, x in zip(terms, operands, strict=True):
        for letter, size in zip(term, x.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise RuntimeError(f"{letter} stands for {sizes[letter]} and for {size}")


@solutions.right(
    "08.einsum",
    idea="Element by element, as the equation says; a single operand by views.",
    same={
        "There is one operand.": (
            "x, term = diagonals(operands[0], left) -> x, term = diagonals(operands[-1], left)",
        ),
        "The operands have one dtype.": (
            "result = tl.zeros([sizes[letter] for letter in output], dtype=operands[0].dtype) -> "
            "result = tl.zeros([sizes[letter] for letter in output], dtype=operands[-1].dtype)",
        ),
    },
)
def element_by_element(equation, *operands):
    left, output = equation.split("->")
    terms = left.split(",")
    check_sizes(terms, operands)
    sizes = {
        letter: size
        for term, x in zip(terms, operands, strict=True)
        for letter, size in zip(term, x.shape, strict=True)
    }
    summed = [letter for letter in sizes if letter not in output]
    if len(operands) == 1 and not summed:
        x, term = diagonals(operands[0], left)
        return x.permute([term.index(letter) for letter in output])
    result = tl.zeros([sizes[letter] for letter in output], dtype=operands[0].dtype)
    for index in itertools.product(*(range(sizes[letter]) for letter in (*output, *summed))):
        at = dict(zip((*output, *summed), index, strict=True))
        value = 1
        for term, x in zip(terms, operands, strict=True):
            value *= x[tuple(at[letter] for letter in term)].item()
        result[index[: len(output)]] += value
    return result
