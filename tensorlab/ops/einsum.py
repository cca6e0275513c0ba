"""Einstein summation: a product of tensors written as letters, ``"ij,jk->ik"``.

An equation names the dimensions of the operands. A letter that the output lacks is summed over. The work is
views, and for each two operands one batched matrix product:

1. A letter twice in one operand takes the diagonal.
2. A letter that one operand alone has, and the output lacks, is summed over at once.
3. Of two operands' letters the common ones are the batch where something else still needs them, and the
   inner dimension where nothing does; the others are rows and columns.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from tensorlab.layout import Size
from tensorlab.ops.dims import permute
from tensorlab.ops.parts import diagonal
from tensorlab.ops.pointwise import mul
from tensorlab.ops.products import product
from tensorlab.ops.reduction import sum as sum_over
from tensorlab.ops.shape import reshape
from tensorlab.tensor import Tensor

__all__ = ["einsum"]

LETTERS = string.ascii_uppercase + string.ascii_lowercase

# A dimension's name: a letter, or for the dimensions under an ellipsis -1, -2, … counted from the right.
Label = str | int
Labels = tuple[Label, ...]


def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation in Einstein's notation describes.

    Args:
        args: an equation and its operands, ``einsum("ij,jk->ik", a, b)``, or operands each followed by the
            list of its subscripts, ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. ``...`` stands for all further
            dimensions, which are broadcast. Without ``->`` the output has the dimensions under an ellipsis,
            then the letters that occur once, in alphabetical order, capitals first.

    Returns:
        a tensor with the output's dimensions; a view of a single operand where nothing is summed.

    Raises:
        RuntimeError: the equation and the operands do not fit.
        ValueError: there is no operand, or a subscript is no number from 0 to 51.

    Example:
        >>> import tensorlab as tl
        >>> a = tl.arange(4).view(2, 2)
        >>> tl.einsum("ij,jk->ik", a, a).tolist() == (a @ a).tolist()
        True
        >>> tl.einsum("ii", a), tl.einsum("ij->ji", a).stride()
        (tensor(3), (1, 2))
    """
    inputs, output, operands = _parse(args)
    sizes: dict[Label, int] = {}
    terms = []
    for position, (labels, operand) in enumerate(zip(inputs, operands, strict=True)):
        operand, labels = _take_diagonals(operand, labels, position)
        _note_sizes(sizes, operand, labels, position)
        terms.append((operand, labels))
    while len(terms) > 1:
        first, second = _cheapest_pair([labels for _, labels in terms], sizes, output)
        b, a = terms.pop(second), terms.pop(first)
        needed = set(output).union(*(labels for _, labels in terms))
        terms.insert(first, _contract(*a, *b, needed, output))
    result, labels = _sum_unneeded(*terms[0], set(output))
    return permute(result, [labels.index(label) for label in output])


def _take_diagonals(operand: Tensor, labels: Labels, position: int) -> tuple[Tensor, Labels]:
    """The operand with each label once: where one comes twice, the elements of equal indices."""
    while len(set(labels)) < len(labels):
        label = next(label for label in labels if labels.count(label) > 1)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        if operand.shape[first] != operand.shape[second]:
            raise RuntimeError(
                f"einsum(): subscript {label} is repeated for operand {position} but the sizes don't match, "
                f"{operand.shape[second]} != {operand.shape[first]}: its shape is {tuple(operand.shape)}"
            )
        operand = diagonal(operand, 0, first, second)
        labels = (*labels[:first], *labels[first + 1 : second], *labels[second + 1 :], label)
    return operand, labels


def _note_sizes(sizes: dict[Label, int], operand: Tensor, labels: Labels, position: int) -> None:
    """Add the operand's sizes to those seen; a size of 1 is broadcast."""
    for label, size in zip(labels, operand.shape, strict=True):
        seen = sizes.setdefault(label, size)
        if seen == 1:
            sizes[label] = size
        elif size not in (1, seen):
            name = "of the ellipsis" if isinstance(label, int) else label
            raise RuntimeError(
                f"einsum(): subscript {name} has size {size} for operand {position} which does not broadcast "
                f"with previously seen size {seen}: a letter stands for one size, or for 1"
            )


def _cheapest_pair(terms: Sequence[Labels], sizes: dict[Label, int], output: Labels) -> tuple[int, int]:
    """The two operands to contract next: those whose product is smallest, the leftmost of equals."""
    best: tuple[int, int, int] | None = None
    for first in range(len(terms)):
        for second in range(first + 1, len(terms)):
            others = (labels for at, labels in enumerate(terms) if at not in (first, second))
            needed = set(output).union(*others)
            numel = 1
            for label in {*terms[first], *terms[second]} & needed:
                numel *= sizes[label]
            if best is None or numel < best[0]:
                best = numel, first, second
    assert best is not None
    return best[1], best[2]


def _contract(
    a: Tensor, a_labels: Labels, b: Tensor, b_labels: Labels, needed: set[Label], output: Labels
) -> tuple[Tensor, Labels]:
    """The product of two operands, summed over the labels that nothing else needs."""
    inner = [label for label in _wide(a, a_labels) if label in _wide(b, b_labels) and label not in needed]
    a, a_labels = _sum_unneeded(a, a_labels, needed.union(inner))
    b, b_labels = _sum_unneeded(b, b_labels, needed.union(inner))
    # In the order of the output, so that the result is laid out as it is asked for.
    kept = [label for label in (*a_labels, *b_labels) if label not in inner]
    kept = sorted(
        dict.fromkeys(kept), key=lambda label: output.index(label) if label in output else len(output)
    )
    if not inner:
        return mul(_aligned(a, a_labels, kept), _aligned(b, b_labels, kept)), tuple(kept)
    # What has size 1 in an operand is broadcast: the other's rows or columns have it.
    in_a, in_b = _wide(a, a_labels), _wide(b, b_labels)
    batch = [label for label in kept if label in in_a and label in in_b]
    rows = [label for label in kept if label in in_a and label not in in_b]
    columns = [label for label in kept if label not in in_a]
    if rows and columns and kept.index(rows[-1]) > kept.index(columns[-1]):
        a, a_labels, b, b_labels, rows, columns = b, b_labels, a, a_labels, columns, rows
    result = product(_grouped(a, a_labels, batch, rows, inner), _grouped(b, b_labels, batch, inner, columns))
    sizes = dict(zip(b_labels, b.shape, strict=True))
    for label, size in zip(a_labels, a.shape, strict=True):
        sizes[label] = max(size, sizes.get(label, 1)) if size else 0
    labels = (*batch, *rows, *columns)
    return reshape(result, [sizes[label] for label in labels]), labels


def _wide(operand: Tensor, labels: Labels) -> list[Label]:
    """The labels of an operand's dimensions that are not of size 1."""
    return [label for label, size in zip(labels, operand.shape, strict=True) if size != 1]


def _sum_unneeded(operand: Tensor, labels: Labels, needed: set[Label]) -> tuple[Tensor, Labels]:
    dims = [dim for dim, label in enumerate(labels) if label not in needed]
    if not dims:
        return operand, labels
    return sum_over(operand, dims), tuple(label for label in labels if label in needed)


def _aligned(operand: Tensor, labels: Labels, wanted: Sequence[Label]) -> Tensor:
    """A view with the wanted dimensions in their order, of size 1 where the operand has none."""
    ordered = permute(operand, [labels.index(label) for label in wanted if label in labels])
    sizes = iter(ordered.shape)
    return reshape(ordered, [next(sizes) if label in labels else 1 for label in wanted])


def _grouped(
    operand: Tensor, labels: Labels, batch: Sequence[Label], rows: Sequence[Label], columns: Sequence[Label]
) -> Tensor:
    """A batch of matrices: the dimensions of the batch, all rows as one, all columns as one."""
    order = [label for label in (*batch, *rows, *columns) if label in labels]
    order += [label for label in labels if label not in order]  # of size 1
    sizes = dict(zip(labels, operand.shape, strict=True))
    shape = [
        *(sizes[label] for label in batch),
        Size(sizes.get(label, 1) for label in rows).numel(),
        Size(sizes.get(label, 1) for label in columns).numel(),
    ]
    return reshape(permute(operand, [labels.index(label) for label in order]), shape)


def _parse(args: Sequence[Any]) -> tuple[list[Labels], Labels, list[Tensor]]:
    """The labels of the operands and of the output, and the operands, of either form of a call."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, "
            "or at least one operand and its subscripts list"
        )
    if isinstance(args[0], Tensor):
        texts, out_text, operands = _from_lists(args)
    elif isinstance(args[0], str):
        given = args[1] if len(args) == 2 and isinstance(args[1], (list, tuple)) else args[1:]
        texts, out_text, operands = *_from_equation(args[0]), list(given)
    else:
        raise TypeError(f"einsum(): argument 'equation' must be str, not {type(args[0]).__name__}")
    for position, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(f"einsum(): operand {position} must be a tensor, got {type(operand).__name__}")
    if len(texts) != len(operands):
        which = "fewer" if len(operands) < len(texts) else "more"
        raise RuntimeError(
            f"einsum(): {which} operands were provided than specified in the equation: "
            f"{len(operands)} operands, and subscripts for {len(texts)}"
        )
    inputs = [
        _labels(text, operand.ndim, position)
        for position, (text, operand) in enumerate(zip(texts, operands, strict=True))
    ]
    return inputs, _output_labels(out_text, texts, inputs), operands


def _from_equation(equation: str) -> tuple[list[list[str]], list[str] | None]:
    """The subscripts of each operand and of the output, ``"..."`` as one of them."""
    left, arrow, right = equation.partition("->")
    texts: list[list[str]] = []
    start = 0
    for text in left.split(","):
        texts.append(_symbols(text, start, f"operand {len(texts)}"))
        start += len(text) + 1
    return texts, _symbols(right, len(left) + 2, "the output") if arrow else None


def _symbols(text: str, start: int, where: str) -> list[str]:
    symbols: list[str] = []
    at = 0
    while at < len(text):
        symbol = "..." if text.startswith("...", at) else text[at]
        if symbol == "." or (symbol == "..." and "..." in symbols):
            reason = (
                "for which an ellipsis was already found"
                if "..." in symbols
                else "that is not part of any ellipsis"
            )
            raise RuntimeError(f"einsum(): found '.' for {where} {reason}: {text!r}")
        if symbol not in (" ", "...") and symbol not in LETTERS:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {start + at} in the equation string, subscripts "
                f"must be in [a-zA-Z]: got {symbol!r}"
            )
        if symbol != " ":
            symbols.append(symbol)
        at += len(symbol)
    return symbols


def _from_lists(args: Sequence[Any]) -> tuple[list[list[str]], list[str] | None, list[Tensor]]:
    """The subscripts and operands of ``einsum(a, [0, 1], b, [1, 2], [0, 2])``."""

    def named(subscripts: Any) -> list[str]:
        symbols = []
        for subscript in subscripts:
            if subscript is not Ellipsis and not (
                isinstance(subscript, int) and 0 <= subscript < len(LETTERS)
            ):
                raise ValueError(
                    f"einsum(): subscript in subscript list is not within the valid range "
                    f"[0, {len(LETTERS)}): got {subscript!r}"
                )
            symbols.append("..." if subscript is Ellipsis else LETTERS[subscript])
        return symbols

    pairs = len(args) // 2
    output = named(args[-1]) if len(args) % 2 else None
    return [named(args[2 * i + 1]) for i in range(pairs)], output, [args[2 * i] for i in range(pairs)]


def _labels(symbols: Sequence[str], ndim: int, position: int) -> Labels:
    """One label a dimension: the ellipsis takes as many as the letters leave."""
    letters = len(symbols) - symbols.count("...")
    covered = ndim - letters
    if covered < 0 or (covered > 0 and "..." not in symbols):
        relation = "does not match" if "..." not in symbols else "is more than"
        hint = " and no ellipsis was given" if "..." not in symbols else ""
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({letters}) {relation} the number of "
            f"dimensions ({ndim}) for operand {position}{hint}"
        )
    labels: list[Label] = []
    for symbol in symbols:
        labels += range(-covered, 0) if symbol == "..." else [symbol]
    return tuple(labels)


def _output_labels(
    symbols: Sequence[str] | None, texts: Sequence[Sequence[str]], inputs: Sequence[Labels]
) -> Labels:
    covered = max((-label for labels in inputs for label in labels if isinstance(label, int)), default=0)
    if symbols is None:
        given = [symbol for text in texts for symbol in text if symbol != "..."]
        return (*range(-covered, 0), *(letter for letter in LETTERS if given.count(letter) == 1))
    for symbol in symbols:
        if symbol != "..." and symbols.count(symbol) > 1:
            raise RuntimeError(f"einsum(): output subscript {symbol} appears more than once in the output")
        if symbol != "..." and not any(symbol in text for text in texts):
            raise RuntimeError(
                f"einsum(): output subscript {symbol} does not appear in the equation for any input operand"
            )
    labels: list[Label] = []
    for symbol in symbols:
        labels += range(-covered, 0) if symbol == "..." else [symbol]
    return tuple(labels)
