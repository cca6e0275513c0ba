"""Hints of chapter 8: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "08.matmul_shape": (
        "There is one rule for all ranks: lend a vector a dimension, multiply the last two, broadcast the "
        "ones before them, take the lent dimension back.",
        "(3,) and (2, 3, 4) give (2, 4), not (2, 1, 4): the row was only lent. And (2, 3, 4) with (4, 5) "
        "is fine: it has a batch on one side only.",
        "Raise an error for a shape without dimensions. Find the inner size of b, which is its only size "
        "or its second-to-last, and compare it with the last size of a. Then broadcast a[:-2] and b[:-2].",
        "return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))",
    ),
    "08.matmul_cost": (
        "Every element of the result is a sum of as many products as the inner size says.",
        "(10, 2, 3) and (3, 4) are ten products, 480 FLOPs. But the second operand is one matrix of 12 "
        "elements in memory, not ten.",
        "Call product_shapes.matmul_shape for the shape of the result and count its elements. The batch "
        "is in there.",
        "elements = layout.numel(product_shapes.matmul_shape(a, b)); flops = 2 * elements * a[-1]",
    ),
    "08.attention_scores": (
        "A table of dot products of rows with rows is the product of the one with the other, transposed.",
        "For 2 queries and 9 keys of length 4, divide the scores by 2. With only 3 of the 9 keys, still "
        "divide by 2: the number of keys doesn't matter.",
        "Transpose the last two dimensions of the keys, and only those. The dimensions before them are a "
        "batch, which @ broadcasts by itself.",
        "scores = query @ key.transpose(-2, -1)",
    ),
    "08.matmul": (
        "Once vectors have been lent a dimension and the batches have been expanded, there is one product "
        "of two matrices for each index of the batch.",
        "For batches (2, 1) and (3,) a reshape to one batch of 6 copies both operands: a stride of 0 "
        "doesn't merge with another one. Walk the batch instead.",
        "Make the result first. Beside it keep a view of it that still has the lent dimensions, "
        "result.unsqueeze(-1) for a vector on the right, and write the products into that.",
        "for index in itertools.product(*map(range, batch)): tl.mm(a[index], b[index], out=full[index])",
    ),
    "08.einsum": (
        "Give every operand all letters as dimensions, in one order: first those of the output, then the "
        "others. If it lacks a letter, give it size 1 there. Then broadcasting does the rest.",
        '"ij,jk->ki": the letters are k, i, j. The first operand becomes (1, i, j), the second (k, 1, j). '
        "Their product has the shape (k, i, j), and the sum over j is the answer.",
        "Take diagonals first, so that each letter occurs once in each operand. diagonal puts the new "
        "dimension last, so move the letter to the end too. For each new dimension, permute takes the "
        "number of the old one.",
        "x = x.permute([term.index(letter) for letter in letters if letter in term])",
    ),
}
