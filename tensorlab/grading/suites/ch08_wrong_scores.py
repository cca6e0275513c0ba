"""Chapter 8, attention scores: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "08.attention_scores",
    belief="The scores are divided by the square root of the sequence's length.",
    lesson="Each score is a sum of d products, so its spread grows with d. How many keys there are does not "
    "matter to one score.",
)
def root_of_the_keys(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(key.shape[-2])


@solutions.wrong(
    "08.attention_scores",
    belief="The scale is the square root of the number of queries.",
    lesson="Queries do not know of each other. The spread of a score comes from the d products that it sums.",
)
def root_of_the_queries(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-2])


@solutions.wrong(
    "08.attention_scores",
    belief="A sum of d products is divided by d.",
    lesson="That would be their mean. The spread of a sum of d random numbers grows with √d, and √d brings "
    "it back.",
)
def divides_by_the_length(query, key):
    return query @ key.transpose(-2, -1) / query.shape[-1]


@solutions.wrong(
    "08.attention_scores",
    belief="The scale is multiplied with.",
    lesson="Long vectors give large scores, so they are made smaller: divided by √d.",
)
def multiplies_with_the_root(query, key):
    return query @ key.transpose(-2, -1) * math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="Attention scores are dot products, and that is all.",
    lesson="Scaled ones. Without the division their spread depends on the length of the vectors.",
)
def no_scale(query, key):
    return query @ key.transpose(-2, -1)


@solutions.wrong(
    "08.attention_scores",
    belief="reshape brings the keys into the shape (d, s) that the product needs.",
    lesson="It gives that shape with the elements in their old order. Each column would be pieces of several "
    "keys. Turn them: transpose(-2, -1).",
)
def reshapes_the_keys(query, key):
    turned = key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])
    return query @ turned / math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="transpose exchanges the first two dimensions.",
    lesson="It exchanges those that you name. The matrices are in the last two: transpose(-2, -1).",
)
def turns_the_first_two(query, key):
    return query @ key.transpose(0, 1) / math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="A score is the same whichever of the two comes first.",
    lesson="One score is. The table is not: its rows belong to queries, its columns to keys.",
)
def keys_first(query, key):
    return key @ query.transpose(-2, -1) / math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="A product wants its operands contiguous.",
    lesson="It takes any strides. contiguous() copies all the keys, which are the large operand here.",
)
def copies_the_keys(query, key):
    return query @ key.transpose(-2, -1).contiguous() / math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="Multiply all pairs element by element, then sum over the last dimension.",
    lesson="The numbers are right. But along the way you make a tensor of t · s · d numbers, d "
    "times as large as the "
    "scores.",
)
def all_products_at_once(query, key):
    products = query.unsqueeze(-2) * key.unsqueeze(-3)
    return products.sum(-1) / math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="There are as many queries as keys.",
    lesson="Within one sequence, yes. A query may also look at another sequence, or be the only one.",
)
def as_many_as_keys(query, key):
    if query.shape != key.shape:
        raise RuntimeError(f"{query.shape} and {key.shape} differ")
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="Queries and keys are tables.",
    lesson="In a network they come in batches and in heads. Leave the leading dimensions alone, and the "
    "product takes them as its batch.",
)
def tables_only(query, key):
    return tl.mm(query, key.t()) / math.sqrt(query.shape[-1])


@solutions.wrong(
    "08.attention_scores",
    belief="Queries are compared with the query's own kind.",
    lesson="The scores say how well each query fits each key, so the second factor is the keys.",
)
def queries_with_queries(query, key):
    return query @ query.transpose(-2, -1) / math.sqrt(key.shape[-1])
