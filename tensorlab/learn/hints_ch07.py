"""Hints of chapter 7: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "07.fold_layout": (
        "A sum writes into the cells of a new, smaller tensor. Along a dimension that goes, all elements "
        "go into the same cell, so its stride is 0. The other strides are those of the new tensor.",
        "(2, 3, 4) added along (0, 1) leaves (4,). If you remove dimension 0 first and then dimension 1 "
        "of what is left, you have removed 0 and 2.",
        "First find out which dimensions go, each counted from 0 with layout.wrap_dim, and raise an error "
        "if one comes up twice. Then the sizes that stay, then their strides.",
        "strides = tuple(0 if dim in gone else steps.pop(0) for dim in range(len(shape)))",
    ),
    "07.argmax": (
        "Walk over all elements. For each result keep the best value so far and its place.",
        "In [1, nan, 3] every comparison with nan is false: a plain 'if value > best' finds the 3. In [7, "
        "7] a '>=' finds the second 7.",
        "Write the case with a dimension first. Without one, it is the case of dimension 0 of "
        "input.reshape(-1). As the key of a result take the index with a 0 in place of the int at dim.",
        "if value > best or (value != value and best == best): ...",
    ),
    "07.normalize": (
        "There is a reduction in it, and its result has to broadcast back to the input.",
        "[[3, 4], [6, 8]] has the lengths [5, 10]. Without keepdim they are aligned with the columns: 3 / "
        "5, 4 / 10, and no error, because the table is square.",
        "Powers of absolute values, their sum with keepdim=True, the root of that. Then make sure that no "
        "divisor is less than eps.",
        "norms = (input.abs() ** p).sum(dim, keepdim=True) ** (1 / p)",
    ),
    "07.index_add_": (
        "input[index] += source is three steps: gather a copy, add, write back. A place that comes up "
        "twice is written twice, and one of the sums is lost. Add slice by slice instead.",
        "Adding [1, 2, 4] into the places [2, 0, 2] of zeros gives [2, 0, 5]. With += it is [2, 0, 4].",
        "Loop over index.tolist() with enumerate. In each step take one slice of both tensors along dim, "
        "as a view, and add in place.",
        "input.select(dim, place).add_(source.select(dim, k))",
    ),
    "07.gather": (
        "The answer has the shape of the index. To fill one of its places, read the input at the same "
        "place, with the int at dim replaced.",
        "gather([[5, 6, 7], [8, 9, 10]], 1, [[2], [0]]): place [0, 0] of the index holds 2, so the answer "
        "is input[0, 2], which is 7. With dim 0 it would be input[2, 0], which doesn't exist.",
        "Make an empty tensor of the index's shape and the input's dtype. Loop over all places with "
        "itertools.product. Make the place a list and you can change its int at dim, also for a negative "
        "dim.",
        "source = list(place); source[dim] = index[place].item()",
    ),
    "07.scatter_add": (
        "It is gather with the arrows reversed: now the index says where to write, and you add what you "
        "write.",
        "Into zeros of (1, 2) the values [[5, 6]] with the index [[1, 1]] give [[0, 11]]. Overwriting "
        "gives [[0, 6]].",
        "Copy the input before you add anything. Loop over the places of the index, not of src, which may "
        "be larger.",
        "result[tuple(target)] += src[place]",
    ),
    "07.stream_words": (
        "Word i is word i % 4 of block i // 4, and you can compute a block from its number alone.",
        "Words 3 and 4 lie in two blocks: the last word of block 0 and the first of block 1. One block "
        "for two words isn't enough here.",
        "Which block holds the first word, and which the last? Make these and all between them, and cut "
        "off what is too much at both ends. To split a number of more than 32 bits, use % 2**32 and // "
        "2**32.",
        "for block in range(start // 4, (start + count + 3) // 4): ...",
    ),
}
