"""Where gradients end: how one is added to the ``grad`` of a leaf, and when it is taken over uncopied."""

from __future__ import annotations

from sys import getrefcount

from tensorlab.core.layout import default_strides
from tensorlab.core.memory_formats import contiguous_format, is_non_overlapping_and_dense
from tensorlab.tensor import Tensor


def add_to_grad(variable: Tensor, gradient: Tensor, differentiable: bool, unshared: bool) -> None:
    """Add a gradient to a leaf's ``grad``. The first one is taken over if nobody else holds it, else copied.

    A leaf without gaps gets a gradient of its own strides, any other a row-major one.
    """
    if variable._edge is None:  # it was frozen, or detached, since the graph was made
        return
    held = variable._grad
    if held is not None:
        if differentiable:
            variable._grad = held + gradient
        else:
            held.add_(gradient)
        return
    row_major = default_strides(variable._shape)
    dense = is_non_overlapping_and_dense(variable._shape, variable._stride)
    strides = variable._stride if dense else row_major
    if unshared and not differentiable and gradient._stride == strides and _has_storage_to_itself(gradient):
        gradient._base = None
        variable._grad = gradient
    elif dense and (differentiable or strides != row_major):
        copy = gradient.new_empty_strided(variable._shape, strides)
        variable._grad = copy.copy_(gradient)
    else:
        variable._grad = gradient.clone(memory_format=contiguous_format)


def _has_storage_to_itself(gradient: Tensor) -> bool:
    """Whether no other tensor that anybody holds looks into a gradient's storage."""
    held = getrefcount(gradient._storage)
    base = gradient._base
    if base is None:
        return held == HELD_BY_A_SLOT
    # A base that only this view holds goes when the view lets go of it.
    return held == HELD_BY_A_SLOT + 1 and getrefcount(base) == HELD_ONCE + 1


class _Holder:
    __slots__ = ("held",)

    held: object


def _references() -> tuple[int, int]:
    """What `getrefcount` says of an object that one variable holds, and of one that one slot holds."""
    holder = _Holder()
    holder.held = object()
    fresh = object()
    return getrefcount(fresh), getrefcount(holder.held)


HELD_ONCE, HELD_BY_A_SLOT = _references()
