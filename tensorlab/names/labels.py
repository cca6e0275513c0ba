"""Names of dimensions: pure functions of tuples of texts, None for a dimension without a name.

Like `tensorlab.core.layout`, nothing here knows of tensors: every rule can be tested by writing tuples down.
All refusals are RuntimeErrors, as they were in PyTorch, except where an argument is of the wrong type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Names = tuple[str | None, ...]


def checked(names: Sequence[object], ndim: int) -> Names:
    """`names` for a tensor of `ndim` dimensions, if they can be.

    Raises:
        TypeError: a name is neither a text nor None.
        RuntimeError: there are too many or too few, one comes twice, or one is no identifier.

    Example:
        >>> checked(["N", None], 2)
        ('N', None)
    """
    for name in names:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"a dimension's name must be a str or None, got {name!r} in {tuple(names)}")
    valid: Names = tuple(names)  # type: ignore[arg-type]
    if len(valid) != ndim:
        raise RuntimeError(
            f"Number of names ({len(valid)}) and number of dimensions in tensor ({ndim}) do not match: "
            f"give one name a dimension, None where there is none; got {valid}"
        )
    for name in valid:
        if name is not None and not name.isidentifier():
            raise RuntimeError(
                f"Invalid name: a valid identifier contains only letters, digits and underscores and does "
                f"not begin with a digit, got {name!r}"
            )
    return _distinct(valid, "")


def _distinct(names: Names, context: str) -> Names:
    for name in names:
        if name is not None and names.count(name) > 1:
            raise RuntimeError(
                f"{context}Cannot construct a tensor with duplicate names: {name!r} comes "
                f"{names.count(name)} times in {names}"
            )
    return names


def position(name: str, names: Names) -> int:
    """The dimension that is called `name`.

    Raises:
        RuntimeError: none is.

    Example:
        >>> position("C", ("N", "C"))
        1
    """
    if name not in names:
        raise RuntimeError(f"Name {name!r} not found in Tensor{list(names)}")
    return names.index(name)


def unify(first: Names, second: Names) -> Names:
    """The names of a result that is made of elements of both, paired from the right.

    Two names match if they are equal or one is None. A name must not stand in different places.

    Raises:
        RuntimeError: two names do not match, or one stands in different places.

    Example:
        >>> unify(("N", "C"), (None,)), unify((None, "C"), ("N", None))
        (('N', 'C'), ('N', 'C'))
    """
    result: list[str | None] = []
    for place in range(1, max(len(first), len(second)) + 1):
        a = first[-place] if place <= len(first) else None
        b = second[-place] if place <= len(second) else None
        if a is not None and b is not None and a != b:
            raise RuntimeError(
                f"names {first} and {second} do not match: counted from the right, dimension {-place} is "
                f"{a!r} in one and {b!r} in the other. If they mean the same, rename one: "
                f"x.rename({b}={a!r}); if not, bring them in line: x.align_to(...)"
            )
        for name in (a, b):
            if name in first and name in second and name is not None:
                places = first.index(name) - len(first), second.index(name) - len(second)
                if places[0] != places[1]:
                    raise RuntimeError(
                        f"names {first} and {second} are misaligned: {name!r} is dimension {places[0]} in "
                        f"one and {places[1]} in the other, counted from the right. "
                        f"Bring them in line: x.align_to(...) or x.align_as(y)"
                    )
        result.append(a if a is not None else b)
    return tuple(reversed(result))


def remove(names: Names, dims: Sequence[int]) -> Names:
    """The names without those of some dimensions.

    Example:
        >>> remove(("N", "C", "H"), [1])
        ('N', 'H')
    """
    gone = {dim % len(names) for dim in dims} if names else set()
    return tuple(name for dim, name in enumerate(names) if dim not in gone)


def insert(names: Names, dim: int, name: str | None = None) -> Names:
    """The names with one more at place `dim` of the result.

    Example:
        >>> insert(("N", "C"), -1)
        ('N', 'C', None)
    """
    dim %= len(names) + 1
    return (*names[:dim], name, *names[dim:])


def refine(names: Names, wanted: Sequence[object]) -> Names:
    """`wanted` for a tensor that has `names`: what has no name gets one, and what has one must keep it.

    ``...`` in `wanted` stands for all dimensions that are not spoken of.

    Raises:
        RuntimeError: a name would change or go, or the numbers differ.

    Example:
        >>> refine(("N", None, None), ("N", ..., "W"))
        ('N', None, 'W')
    """
    new = checked(_spread(names, wanted, "refine_names"), len(names))
    for dim, (old, wish) in enumerate(zip(names, new, strict=True)):
        if old is not None and old != wish:
            raise RuntimeError(
                f"refine_names: cannot coerce Tensor{list(names)} to Tensor{list(new)}: dimension {dim} is "
                f"called {old!r} and cannot become {wish!r}. Refining only gives names to dimensions that "
                f"have none; rename changes names"
            )
    return new


def rename(names: Names, wanted: Sequence[object]) -> Names:
    """`wanted` in the place of all names; ``...`` keeps those that are not spoken of.

    Raises:
        RuntimeError: the numbers differ, or a name comes twice.

    Example:
        >>> rename(("N", "C", "H"), ("batch", ...))
        ('batch', 'C', 'H')
    """
    return checked(_spread(names, wanted, "rename"), len(names))


def rename_by_map(names: Names, new_names: Mapping[str, str | None]) -> Names:
    """The names with some of them exchanged.

    Raises:
        RuntimeError: a dimension to be renamed does not exist, or a name comes twice.

    Example:
        >>> rename_by_map(("N", "C"), {"C": "channels"})
        ('N', 'channels')
    """
    for name in new_names:
        position(name, names)
    return checked([name if name is None else new_names.get(name, name) for name in names], len(names))


def _spread(names: Names, wanted: Sequence[object], function: str) -> list[object]:
    """`wanted` with ``...`` replaced by the names of the dimensions that it stands for."""
    dots = [place for place, name in enumerate(wanted) if name is Ellipsis or name == "..."]
    if not dots:
        return list(wanted)
    left, right = dots[0], len(wanted) - dots[0] - 1
    if len(dots) > 1 or left + right > len(names):
        raise RuntimeError(
            f"{function}: {tuple(wanted)} does not fit {len(names)} dimensions {names}: "
            f"one ... may stand for the dimensions that are not spoken of"
        )
    return [*wanted[:left], *names[left : len(names) - right], *wanted[left + 1 :]]


def align(names: Names, order: Sequence[object]) -> tuple[list[int | None], Names]:
    """How to bring the dimensions into an order, which may have more: those are new, of size 1.

    Args:
        names: all of them must be names.
        order: every one of `names` and any others; ``...`` stands for those of `names` not spoken of.

    Returns:
        for each dimension of the result the dimension that it comes from, None for a new one; and the names.

    Raises:
        RuntimeError: a dimension has no name, or would get lost.

    Example:
        >>> align(("N", "C"), ("C", "H", "N"))
        ([1, None, 0], ('C', 'H', 'N'))
        >>> align(("N", "H", "C"), ("C", ...))
        ([2, 0, 1], ('C', 'N', 'H'))
    """
    if None in names:
        raise RuntimeError(
            f"align_to: all dimensions of the tensor must have names, got {names}: "
            f"give the others one first, x.refine_names(...)"
        )
    spoken = [name for name in order if name is not Ellipsis and name != "..."]
    if len(order) - len(spoken) > 1:
        raise RuntimeError(f"align_to: at most one ... may stand in {tuple(order)}")
    wanted: list[object] = []
    for name in order:
        unspoken = [name for name in names if name not in spoken]
        wanted.extend(unspoken if name is Ellipsis or name == "..." else [name])
    if None in wanted:
        raise RuntimeError(f"align_to: the order must be made of names, got None in {tuple(order)}")
    result = checked(wanted, len(wanted))
    lost = [name for name in names if name not in result]
    if lost:
        raise RuntimeError(
            f"align_to: cannot align Tensor{list(names)} to {result}: the dimension {lost[0]!r} would get "
            f"lost. Name it, or let ... stand for the rest"
        )
    return [names.index(name) if name in names else None for name in result], result


def contract(first: Names, second: Names) -> Names:
    """The names of a matrix product: rows of the first, columns of the second, batch dimensions unified.

    Which dimensions are contracted follows from their places, as in `matmul`; their names are not compared.

    Raises:
        RuntimeError: the batch dimensions do not match, or the result would have a name twice.

    Example:
        >>> contract(("N", "in"), ("in", "out")), contract(("B", "N", "in"), ("in",))
        (('N', 'out'), ('B', 'N'))
    """
    batch = unify(first[:-2], second[:-2])
    result = batch + first[-2:-1] + (second[-1:] if len(second) > 1 else ())
    return _distinct(
        result,
        f"Matrix multiplying Tensor{list(first)} with Tensor{list(second)} leaves the dimensions {result}. "
        f"Rename one of the two. ",
    )
