"""What users call to give, change and use names. These become methods of every tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import view_formulas
from tensorlab.autograd.recording import record_view
from tensorlab.core.layout import Size
from tensorlab.names import labels
from tensorlab.names.labels import Names
from tensorlab.names.tensor import alias, assign, bare, named, names_of
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_view

__all__ = ["with_given_names"]


@op("method")
def has_names(input: Tensor) -> bool:
    """True if any dimension has a name.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2).has_names(), tl.zeros(2).rename("N").has_names()
        (False, True)
    """
    return any(name is not None for name in names_of(input))


@op("method")
def refine_names(input: Tensor, *names: str | None) -> Tensor:
    """A view in which dimensions without a name have one. Names that are there must stay as they are.

    Use it where a function expects certain dimensions: it names them, and finds out when they are others.

    Args:
        input: any tensor.
        names: one a dimension; ``...`` stands for all that are not spoken of.

    Raises:
        RuntimeError: a dimension has another name already, or the number of names is wrong.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3, 4).refine_names("N", ..., "W").names
        ('N', None, 'W')
    """
    return named(alias(input), labels.refine(names_of(input), _one_by_one(names)))


@op("method")
def rename(input: Tensor, *names: str | None, **new_names: str | None) -> Tensor:
    """A view with other names.

    Args:
        input: any tensor.
        names: one a dimension, ``...`` for all that are not spoken of; or a single None for no names at all.
        new_names: instead, new names for single dimensions: ``rename(C="channels")``.

    Raises:
        RuntimeError: there is no such dimension, the number of names is wrong, or a name comes twice.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3).rename("N", "C")
        >>> x.rename(C="channels").names, x.rename("batch", ...).names, x.rename(None).names
        (('N', 'channels'), ('batch', 'C'), (None, None))
    """
    return named(alias(input), _renamed(input, names, new_names))


@op("method")
def rename_(input: Tensor, *names: str | None, **new_names: str | None) -> Tensor:
    """`rename` of this tensor object itself.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3)
        >>> x.rename_("N", "C").names, x.names
        (('N', 'C'), ('N', 'C'))
    """
    assign(input, _renamed(input, names, new_names))
    return input


@op("method")
def align_to(input: Tensor, *names: str) -> Tensor:
    """A view with the dimensions in another order; those that `input` does not have are new and of size 1.

    Args:
        input: a tensor whose dimensions all have names.
        names: the order; ``...`` stands for the dimensions of `input` that are not spoken of.

    Raises:
        RuntimeError: a dimension of `input` has no name, or is not in the order.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3).rename("N", "C")
        >>> x.align_to("C", "H", "N").shape, x.align_to(..., "N").names
        (tensorlab.Size([3, 1, 2]), ('C', 'N'))
    """
    order, result = labels.align(names_of(input), _one_by_one(names))
    base = bare(input)
    shape = Size(1 if dim is None else base.shape[dim] for dim in order)
    stride = [1 if dim is None else base.stride()[dim] for dim in order]
    for place in range(len(order) - 2, -1, -1):
        if order[place] is None:  # a step along a new dimension would be one over all that lies inside
            stride[place] = shape[place + 1] * stride[place + 1]
    view = make_view(base, shape, tuple(stride), base._offset)
    return named(record_view(AlignBackward0, view, base, order=order), result)


def _aligned_back(grad: Any, order: Sequence[int | None]) -> Tensor:
    """The dimensions in their old order, without the new ones."""
    old = [place for _, place in sorted((dim, place) for place, dim in enumerate(order) if dim is not None)]
    new = [place for place, dim in enumerate(order) if dim is None]
    squeezed = grad.permute(*old, *new)
    return squeezed.reshape(squeezed.shape[: len(old)])


AlignBackward0 = view_formulas("AlignBackward0", input=_aligned_back)


@op("method")
def align_as(input: Tensor, other: Tensor) -> Tensor:
    """`align_to` with the names of `other`.

    Example:
        >>> import tensorlab as tl
        >>> images = tl.zeros(2, 3, 4).rename("N", "C", "W")
        >>> (images * tl.ones(3).rename("C").align_as(images)).names
        ('N', 'C', 'W')
    """
    return align_to(input, *names_of(other))  # type: ignore[arg-type]


@op()
def align_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Every tensor aligned to the one with the most dimensions.

    Raises:
        RuntimeError: a tensor has a dimension that the one with the most does not have, or one without name.

    Example:
        >>> import tensorlab as tl
        >>> images, weights = tl.zeros(2, 3).rename("N", "C"), tl.ones(3).rename("C")
        >>> [x.shape for x in tl.align_tensors(images, weights)]
        [tensorlab.Size([2, 3]), tensorlab.Size([1, 3])]
    """
    longest = max((names_of(tensor) for tensor in tensors), key=len, default=())
    return tuple(align_to(tensor, *longest) for tensor in tensors)  # type: ignore[arg-type]


def with_given_names(tensor: Tensor, names: Sequence[str | None] | None) -> Tensor:
    """`tensor` with the names that the argument ``names`` of a function that makes tensors gave."""
    return tensor if names is None else named(tensor, labels.checked(names, tensor.ndim))


def _renamed(input: Tensor, names: tuple, new_names: dict[str, str | None]) -> Names:
    if names and new_names:
        raise RuntimeError(
            f"rename takes a name for every dimension, {names}, or new names for some, {new_names}, not both"
        )
    if new_names:
        return labels.rename_by_map(names_of(input), new_names)
    if names == (None,):
        return (None,) * input.ndim
    return labels.rename(names_of(input), _one_by_one(names))


def _one_by_one(names: tuple) -> Sequence:
    """The names that a call means by ``f("N", "C")`` or by ``f(["N", "C"])``."""
    return names[0] if len(names) == 1 and isinstance(names[0], (list, tuple)) else names


def _names(input: Tensor) -> tuple[str | None, ...]:
    """The name of each dimension, None for one without."""
    return names_of(input)


def _set_names(input: Tensor, names: Sequence[str | None] | None) -> None:
    assign(input, (None,) * input.ndim if names is None else labels.checked(names, input.ndim))


op("property", name="names")(property(_names, _set_names, doc=_names.__doc__))
