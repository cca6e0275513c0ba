"""Einstein summation: a product of tensors written as letters, ``"ij,jk->ik"``.

An equation names the dimensions of the operands. A letter that the output lacks is summed over. The work is
views, and for each two operands one batched matrix product:

1. A letter twice in one operand takes the diagonal.
2. All operands get all letters as dimensions: those of the output in its order, then those to sum over. What
   an operand lacks has size 1.
3. Two operands at a time are multiplied, and what no other needs is summed over on the way (see `_contract`).

The order of these steps is PyTorch's, so that results are laid out in memory as they are there.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from tensorlab.core.layout import Size
from tensorlab.ops.products import product
from tensorlab.registry import op
from tensorlab.tensor import Tensor

LETTERS = string.ascii_uppercase + string.ascii_lowercase

# A dimension's name: a letter, or for the dimensions under an ellipsis -1, -2, … counted from the right.
Label = str | int
Labels = tuple[Label, ...]


@op()
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
    contracted = sorted(set(sizes).difference(output), key=_rank)
    aligned = [_aligned(operand, labels, (*output, *contracted)) for operand, labels in terms]
    kept = len(output)
    if len(aligned) == 1:
        return aligned[0].sum(list(range(kept, kept + len(contracted)))) if contracted else aligned[0]
    while len(aligned) > 1:
        first, second = _cheapest_pair([operand.shape for operand in aligned], kept)
        b, a = aligned.pop(second), aligned.pop(first)
        done = [dim for dim in range(kept, a.ndim) if all(other.shape[dim] == 1 for other in aligned)]
        aligned.insert(first, _contract(a, b, done))
    return aligned[0].view(aligned[0].shape[:kept]) if contracted else aligned[0]


def _rank(label: Label) -> int:
    """Where a label stands among those that the output lacks: the ellipsis first, then the alphabet."""
    return label if isinstance(label, int) else LETTERS.index(label)


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
        operand = operand.diagonal(0, first, second)
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


def _cheapest_pair(shapes: Sequence[Size], kept: int) -> tuple[int, int]:
    """The two operands to contract next: those whose product is smallest, the leftmost of equals."""
    best: tuple[int, int, int] | None = None
    for first in range(len(shapes)):
        for second in range(first + 1, len(shapes)):
            others = [shape for at, shape in enumerate(shapes) if at not in (first, second)]
            numel = 1
            for dim, pair in enumerate(zip(shapes[first], shapes[second], strict=True)):
                if dim < kept or any(shape[dim] != 1 for shape in others):
                    numel *= 0 if 0 in pair else max(pair)
            if best is None or numel < best[0]:
                best = numel, first, second
    assert best is not None
    return best[1], best[2]


def _aligned(operand: Tensor, labels: Labels, wanted: Sequence[Label]) -> Tensor:
    """A view with the wanted dimensions in their order, of size 1 where the operand has none."""
    places = {label: dim for dim, label in enumerate(labels)}
    for label in wanted:
        if label not in places:
            places[label] = operand.ndim
            operand = operand.unsqueeze(-1)
    return operand.permute([places[label] for label in wanted])


def _contract(a: Tensor, b: Tensor, done: Sequence[int]) -> Tensor:
    """The product of two operands of aligned dimensions, summed over those that nothing else needs.

    A dimension is one of four kinds. What is summed and in both is the inner dimension of a matrix product;
    what is kept and in both is its batch; what is in one operand is a row or a column. The matrix product has
    the order (batch, rows, columns), and a view of it puts the dimensions back to their places.
    """
    alone_in_a = [dim for dim in done if a.shape[dim] != 1 and b.shape[dim] == 1]
    alone_in_b = [dim for dim in done if a.shape[dim] == 1 and b.shape[dim] != 1]
    a = a.sum(alone_in_a, True) if alone_in_a else a
    b = b.sum(alone_in_b, True) if alone_in_b else b
    inner = [dim for dim in done if a.shape[dim] != 1 and b.shape[dim] != 1]
    if not inner:
        return a * b
    others = [dim for dim in range(a.ndim) if dim not in inner]
    batch = [dim for dim in others if a.shape[dim] != 1 and b.shape[dim] != 1]
    rows = [dim for dim in others if a.shape[dim] != 1 and dim not in batch]
    columns = [dim for dim in others if dim not in batch and dim not in rows]
    if rows and columns and columns[-1] < rows[0]:
        a, b, rows, columns = b, a, columns, rows
    result = product(_matrices(a, batch, rows, inner), _matrices(b, batch, inner, columns))
    order = [*batch, *rows, *inner, *columns]
    left, right = [a.shape[dim] for dim in (*batch, *rows)], [b.shape[dim] for dim in columns]
    result = result.view([*left, *[1] * len(inner), *right])
    return result.permute([order.index(dim) for dim in range(a.ndim)])


def _matrices(operand: Tensor, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> Tensor:
    """A batch of matrices: each group of dimensions as one dimension."""
    shape = [Size(operand.shape[dim] for dim in group).numel() for group in (batch, rows, columns)]
    rest = [dim for dim in range(operand.ndim) if dim not in (*batch, *rows, *columns)]  # of size 1
    return operand.permute([*batch, *rows, *columns, *rest]).reshape(shape)


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
        if isinstance(subscripts, str):
            raise TypeError(
                f"einsum(): the equation stands first, einsum({subscripts!r}, …), operands follow it"
            )
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
