"""What every kind of operation does with names. Which operator is of which kind says its row of the registry.

A rule takes the arguments of a call and returns them with numbers in the place of dimensions' names, beside
the names of the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tensorlab.core.layout import as_int
from tensorlab.names import labels
from tensorlab.names.following import Inferred, Rule
from tensorlab.names.labels import Names
from tensorlab.names.tensor import names_of
from tensorlab.tensor import Tensor

__all__ = [
    "adds_product",
    "assigns",
    "compares",
    "contracts",
    "copies",
    "drops",
    "fills_masked",
    "flattens",
    "indexes",
    "joins",
    "keeps",
    "leads",
    "moves",
    "multiplies_outer",
    "numbered",
    "permutes",
    "reduces",
    "reduces_last",
    "reduces_or_unifies",
    "reduces_second",
    "reduces_second_last",
    "reverses",
    "selects_masked",
    "squeezes",
    "stacks",
    "swaps_last",
    "takes_diagonal",
    "transposes",
    "unflattens",
    "unifies",
    "unsqueezes",
    "windows",
]


def numbered(names: Names, value: Any) -> Any:
    """`value` with numbers in the place of dimensions' names, also inside lists and tuples."""
    if isinstance(value, str):
        return labels.position(value, names)
    if type(value) in (list, tuple):
        return type(value)(numbered(names, item) for item in value)
    return value


# Keywords whose value is a dimension. Others may be texts of their own, such as rounding_mode="floor".
_DIMENSIONS = {"axis", "dim", "dims"}


def _numbered_call(input: Tensor, arguments: tuple, keywords: dict) -> tuple[list, dict[str, Any]]:
    """The arguments after `input` and the keywords, with numbers for dimensions."""
    names = names_of(input)
    return [numbered(names, argument) for argument in arguments], {
        key: numbered(names, value) if key in _DIMENSIONS else value for key, value in keywords.items()
    }


# --- element by element -----------------------------------------------------------------------------


def copies(input: Tensor, *arguments: Any, **keywords: Any) -> Inferred:
    """The same dimensions, whatever the arguments are: ``clone``, ``to``, ``zeros_like``."""
    return Inferred((input, *arguments), keywords, lambda _: names_of(input))


def keeps(input: Tensor, *arguments: Any, **keywords: Any) -> Inferred:
    """The same dimensions, and a text is one of them: ``cumsum``, ``softmax``, ``narrow``, ``sort``."""
    positional, by_name = _numbered_call(input, arguments, keywords)
    return Inferred((input, *positional), by_name, lambda _: names_of(input))


def unifies(*arguments: Any, **keywords: Any) -> Inferred:
    """Operands that are broadcast against each other: ``add``, ``where``, ``clamp``."""
    names: Names = ()
    for operand in (*arguments, *(value for key, value in keywords.items() if key != "out")):
        if isinstance(operand, Tensor):
            names = labels.unify(names, names_of(operand))
    return Inferred(arguments, keywords, lambda _: names)


def compares(input: Tensor, other: Tensor, *arguments: Any, **keywords: Any) -> Inferred:
    """``equal`` and ``allclose``: one answer for two tensors whose names match."""
    return Inferred((input, other, *arguments), keywords, unifies(input, other).names)


def fills_masked(input: Tensor, mask: Tensor, value: Any) -> Inferred:
    """``masked_fill``: the mask is broadcast against the tensor."""
    return Inferred((input, mask, value), names=unifies(input, mask).names)


def selects_masked(input: Tensor, mask: Tensor, **keywords: Any) -> Inferred:
    """What a mask picks out has one dimension, and no name."""
    labels.unify(names_of(input), names_of(mask))
    return Inferred((input, mask), keywords, lambda result: (None,) * result.ndim)


def joins(tensors: Sequence[Tensor], dim: int | str = 0, **keywords: Any) -> Inferred:
    """``cat``: the tensors have the same dimensions, and the result has them too."""
    names: Names = names_of(tensors[0]) if tensors else ()
    for tensor in tensors:
        names = labels.unify(names, names_of(tensor))
    return Inferred((list(tensors), numbered(names, dim)), keywords, lambda _: names)


def stacks(tensors: Sequence[Tensor], dim: int = 0, **keywords: Any) -> Inferred:
    """``stack``: as `joins`, with a new dimension that has no name."""
    names = joins(tensors, **keywords).names
    return Inferred((list(tensors), dim), keywords, lambda result: labels.insert(names(result), dim))


# --- reductions -------------------------------------------------------------------------------------


def _reduction(place: int, default: int | None = None) -> Rule:
    """The rule of reductions that take the dimension, or a list of them, as argument number `place`.

    Without it they reduce dimension `default`, or all. Whether the dimension was kept shows in the result.
    """

    def reduces(input: Tensor, *arguments: Any, **keywords: Any) -> Inferred:
        names = names_of(input)
        positional, by_name = _numbered_call(input, arguments, keywords)
        said = positional[place] if len(positional) > place else by_name.get("dim", by_name.get("axis"))
        if said is None or isinstance(said, bool):  # var(False) is the older way to say unbiased=False
            said = default
        if said is None or said in ((), []):
            reduced: Sequence[int] = range(input.ndim)
        else:
            reduced = [
                as_int(dim, "a dimension") for dim in (said if isinstance(said, (list, tuple)) else [said])
            ]

        def result_names(result: Tensor) -> Names:
            return names if result.ndim == len(names) else labels.remove(names, reduced)

        return Inferred((input, *positional), by_name, result_names)

    return reduces


reduces = _reduction(0)
reduces_last = _reduction(0, default=-1)
reduces_second = _reduction(1)
reduces_second_last = _reduction(1, default=-1)


def reduces_or_unifies(input: Tensor, *arguments: Any, **keywords: Any) -> Inferred:
    """``max`` and ``min``: of two tensors element by element, or along a dimension."""
    if (arguments and isinstance(arguments[0], Tensor)) or "other" in keywords:
        return unifies(input, *arguments, **keywords)
    return reduces(input, *arguments, **keywords)


# --- dimensions that move, come and go --------------------------------------------------------------
# The names are found out after the call, when the function has checked the dimensions.


def transposes(input: Tensor, dim0: int | str, dim1: int | str) -> Inferred:
    """``transpose``: the two names change places."""
    names = names_of(input)
    first, second = numbered(names, (dim0, dim1))

    def result_names(_: Tensor) -> Names:
        moved = list(names)
        moved[first], moved[second] = names[second], names[first]
        return tuple(moved)

    return Inferred((input, first, second), names=result_names)


def reverses(input: Tensor) -> Inferred:
    """``t`` and ``T``: all dimensions in reverse order."""
    return Inferred((input,), names=lambda _: names_of(input)[::-1])


def swaps_last(input: Tensor) -> Inferred:
    """``mT``: the last two dimensions change places."""
    names = names_of(input)
    return Inferred((input,), names=lambda _: (*names[:-2], names[-1], names[-2]))


def permutes(input: Tensor, *order: Any, dims: Sequence[int | str] | None = None) -> Inferred:
    """``permute``: the names go where the dimensions go."""
    names = names_of(input)
    said = order if dims is None else dims
    if len(said) == 1 and isinstance(said[0], (list, tuple)):
        said = said[0]
    numbers = [numbered(names, dim) for dim in said]
    return Inferred((input, numbers), names=lambda _: tuple(names[dim] for dim in numbers))


def moves(input: Tensor, source: Any, destination: Any) -> Inferred:
    """``movedim``: some dimensions go to other places, the rest stay in their order."""
    names = names_of(input)
    said = numbered(names, source)

    def result_names(_: Tensor) -> Names:
        sources = [dim % len(names) for dim in (said if isinstance(said, (list, tuple)) else [said])]
        targets = destination if isinstance(destination, (list, tuple)) else [destination]
        moved = {place % len(names): dim for dim, place in zip(sources, targets, strict=True)}
        rest = iter([dim for dim in range(len(names)) if dim not in sources])
        order = [moved[place] if place in moved else next(rest) for place in range(len(names))]
        return tuple(names[dim] for dim in order)

    return Inferred((input, said, destination), names=result_names)


def drops(input: Tensor, dim: int | str = 0, *arguments: Any, **keywords: Any) -> Inferred:
    """``select`` and ``unbind``: the dimension goes."""
    number = numbered(names_of(input), dim)
    return Inferred((input, number, *arguments), keywords, lambda _: labels.remove(names_of(input), [number]))


def squeezes(input: Tensor, *dim: Any, **keywords: Any) -> Inferred:
    """``squeeze``: dimensions of size 1 go."""
    names, shape = names_of(input), input.shape
    positional, by_name = _numbered_call(input, dim, keywords)
    said = positional[0] if positional else by_name.get("dim")

    def result_names(_: Tensor) -> Names:
        asked = range(len(names)) if said is None else [said] if isinstance(said, int) else said
        return labels.remove(names, [dim for dim in asked if shape[dim] == 1])

    return Inferred((input, *positional), by_name, result_names)


def unsqueezes(input: Tensor, dim: int) -> Inferred:
    """``unsqueeze``: a dimension of size 1 without a name comes in."""
    names = names_of(input)
    return Inferred((input, dim), names=lambda _: labels.insert(names, dim))


def leads(input: Tensor, *arguments: Any, **keywords: Any) -> Inferred:
    """``expand`` and ``repeat``: new dimensions in front, without names."""
    names = names_of(input)
    return Inferred(
        (input, *arguments), keywords, lambda result: (None,) * (result.ndim - len(names)) + names
    )


def windows(input: Tensor, dimension: int | str, size: int, step: int) -> Inferred:
    """``unfold``: the dimension counts windows, and a new last one, without a name, goes through each."""
    names = names_of(input)
    return Inferred((input, numbered(names, dimension), size, step), names=lambda _: (*names, None))


def takes_diagonal(input: Tensor, offset: int = 0, dim1: Any = 0, dim2: Any = 1) -> Inferred:
    """``diagonal``: two dimensions go, and one without a name comes at the end."""
    names = names_of(input)
    first, second = numbered(names, (dim1, dim2))
    return Inferred(
        (input, offset, first, second), names=lambda _: (*labels.remove(names, [first, second]), None)
    )


def flattens(input: Tensor, *arguments: Any, out_dim: str | None = None) -> Inferred:
    """``flatten(["C", "H", "W"], "features")`` and ``flatten("C", "W", "features")``: neighbours become one.

    Raises:
        RuntimeError: the dimensions are no neighbours in this order, or the new one has no name.
    """
    names = names_of(input)
    listed = bool(arguments) and isinstance(arguments[0], (list, tuple))
    said = arguments[0] if listed else (*arguments[:2], *(0, -1)[len(arguments) :])
    run = [numbered(names, dim) % len(names) for dim in said]
    if not listed:
        run = list(range(run[0], run[1] + 1))
    rest = arguments[1 if listed else 2 :]
    name = rest[0] if rest else out_dim
    if not run or run != list(range(run[0], run[0] + len(run))):
        raise RuntimeError(
            f"flatten: the dimensions {list(said)} of {names} are not consecutive in this order: "
            f"bring them together first, x.align_to(...)"
        )
    start, end = run[0], run[-1]
    if name is None:
        raise RuntimeError(
            f"flatten: say what the dimension that {names[start : end + 1]} become is called: "
            f"x.flatten({list(names[start : end + 1])}, 'features')"
        )
    result = labels.checked([*names[:start], name, *names[end + 1 :]], len(names) - (end - start))
    return Inferred((input, start, end), names=lambda _: result)


def unflattens(input: Tensor, dim: int | str, sizes: Any) -> Inferred:
    """``unflatten("features", [("C", 3), ("H", 4)])``: one dimension becomes several, named and sized."""
    names = names_of(input)
    number = numbered(names, dim) % len(names)
    parts = sizes.items() if isinstance(sizes, Mapping) else sizes
    pairs = [part if isinstance(part, (list, tuple)) else (None, part) for part in parts]
    new = [*names[:number], *[name for name, _ in pairs], *names[number + 1 :]]
    result = labels.checked(new, len(new))
    return Inferred((input, number, [size for _, size in pairs]), names=lambda _: result)


# --- indexing ---------------------------------------------------------------------------------------


def indexes(input: Tensor, index: Any) -> Inferred:
    """``x[index]`` with integers, slices, None and ``...``: dimensions go, stay and come in.

    Raises:
        RuntimeError: an index is something else, such as a tensor, which may merge dimensions.
    """
    items = index if isinstance(index, tuple) else (index,)
    for item in items:
        basic = item is None or item is Ellipsis or isinstance(item, (slice, int, np.integer))
        if not basic or isinstance(item, bool):
            raise RuntimeError(
                f"indexing a named tensor with a {type(item).__name__} is not supported, as it may merge "
                f"dimensions: drop the names, x.rename(None)[index], and give the result its own"
            )
    names = names_of(input)

    def result_names(_: Tensor) -> Names:
        used = sum(item is not None and item is not Ellipsis for item in items)
        result: list[str | None] = []
        dim = 0
        for item in items:
            if item is None:
                result.append(None)
            elif item is Ellipsis:
                result.extend(names[dim : dim + len(names) - used])
                dim += len(names) - used
            else:
                result.extend(names[dim : dim + 1] if isinstance(item, slice) else ())
                dim += 1
        return (*result, *names[dim:])

    return Inferred((input, index), names=result_names)


def assigns(input: Any, index: Any, value: Any) -> Inferred:
    """``x[index] = value``: the names of what is written must fit those of the place."""
    labels.unify(names_of(input[index]), names_of(value))
    return Inferred((input, index, value))


# --- matrix products --------------------------------------------------------------------------------


def contracts(input: Tensor, other: Any, **keywords: Any) -> Inferred:
    """``matmul``, ``mm``, ``bmm``, ``mv``, ``dot``."""
    names = labels.contract(names_of(input), names_of(other))
    return Inferred((input, other), keywords, lambda _: names)


def adds_product(input: Tensor, first: Tensor, second: Tensor, **keywords: Any) -> Inferred:
    """``addmm``, ``addmv``, ``baddbmm``: a matrix product, unified with what it is added to."""
    names = labels.unify(names_of(input), labels.contract(names_of(first), names_of(second)))
    return Inferred((input, first, second), keywords, lambda _: names)


def multiplies_outer(input: Tensor, other: Tensor, **keywords: Any) -> Inferred:
    """``outer``: one dimension of each."""
    names = labels.checked(names_of(input) + names_of(other), 2)
    return Inferred((input, other), keywords, lambda _: names)
