"""How a result is made: the recipe by which a backend makes objects of classes that it does not know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from tensorlab.dtypes import dtype

__all__ = ["Ingredient", "Layout", "Recipe", "ResultOperations"]


class Ingredient(Enum):
    """What a field of a new object holds that is not the same in all."""

    MEMORY = "the memory, a flat array of cells"
    STORAGE = "the storage"
    DTYPE = "the dtype"
    SHAPE = "the shape"
    STRIDE = "the strides"
    OFFSET = "the offset of a view"
    SAME = "what the tensor has there that a view is of"
    ROOT = "the same, or that tensor itself where it has None"


Fields = tuple[tuple[str, Any], ...]
# A tensor's dtype, shape and strides.
Layout = tuple[dtype, tuple[int, ...], tuple[int, ...]]


class Recipe(NamedTuple):
    """A tensor over new memory: two objects with slots, and what each field holds.

    Attributes:
        storage, storage_fields: the class of the storage, and pairs of its fields and what they hold. What is
            no `Ingredient` is one object for all.
        tensor, tensor_fields: the same of the tensor.
        view_fields: the same of a tensor that is a view of another.
        view_in_steps: called with the tensor, the shape, the strides and the offset, where the tensor lacks
            a field: it says so.
        operand: where an operand's cells are found: the tensor's fields of the storage and of the offset, and
            the storage's of the memory.
        history: the tensor's fields of where a gradient goes on, and of what it is a view of. A tensor is not
            recorded if it, or what it is a view of, has None in the first.
        written: the storage's fields of the number of its writes, of whether they are refused, and of who
            wrote it last.
        untracked: what is in the first of these where writes are not counted.
        watched: the address of a number of 64 bits; while it is not 0, results are made by `in_steps`.
        in_steps: called with the memory, the dtype, the shape and the strides.
    """

    storage: type
    storage_fields: Fields
    tensor: type
    tensor_fields: Fields
    view_fields: Fields
    view_in_steps: Callable[[Any, Any, tuple[int, ...], int], Any]
    operand: tuple[str, str, str]
    history: tuple[str, str]
    written: tuple[str, str, str]
    untracked: object
    watched: int
    in_steps: Callable[[np.ndarray, dtype, Any, tuple[int, ...]], Any]


class ResultOperations(Protocol):
    """Results in one step. Without a compiler there are none: then the answers are None."""

    def new_dense(self, recipe: Recipe) -> Callable[..., Any] | None:
        """The function of (count, cell, dtype, shape, strides) that makes a result as a recipe says."""
        ...

    def dense(self, recipe: Recipe) -> Callable[..., Any] | None:
        """The function of (memory, dtype, shape, strides) that makes a tensor over memory that is there."""
        ...

    def view(self, recipe: Recipe) -> Callable[..., Any] | None:
        """The function of (tensor, shape, strides, offset) that makes a view of a tensor."""
        ...

    def mapping(
        self, recipe: Recipe, run: Callable[..., None], source: dtype, result: dtype, limit: int
    ) -> Callable[..., Any] | None:
        """A short kernel of one operand, or of two, as a function of tensors of one shape: all in one call.

        The answer is None for a tensor of another dtype than `source`, for one whose cells are not known to
        be a run of no more than `limit`, for one that is recorded, and for two of different shapes.
        """
        ...

    def meeting(
        self,
        recipe: Recipe,
        run: Callable[..., None],
        layouts: Sequence[Layout],
        result: dtype,
        count: int,
        shape: tuple[int, ...],
        stride: tuple[int, ...],
    ) -> Callable[..., Any] | None:
        """A short kernel as a function of tensors of these dtypes, shapes and strides: all in one call.

        The answer is None for tensors of others, for one that is recorded, and for one whose memory is of
        another dtype.
        """
        ...

    def overwriting(
        self,
        recipe: Recipe,
        run: Callable[..., None],
        operands: Sequence[Layout | dtype | type],
        writer: object,
        limit: int,
    ) -> Callable[..., Any] | None:
        """A short kernel as a function of (recording, target, *operands) that writes `target` and returns it.

        The answer is None, and nothing is written, where an operand is not as `operands` says, of which the
        target is the first, or the write has to be refused or recorded, or another operand has the target's
        memory. See `tensorlab.ops.results.overwriting`.
        """
        ...

    def exchanging(self, recipe: Recipe) -> Callable[..., Any] | None:
        """The function of a tensor that makes a view of two dimensions, exchanged.

        The answer is None for a tensor of another number of dimensions, and for one that is recorded.
        """
        ...

    def computing(
        self,
        recipe: Recipe,
        run: Callable[..., None],
        cell: np.dtype,
        result: dtype,
        operands: tuple[np.dtype, ...] | None,
    ) -> Callable[..., Any] | None:
        """A short kernel as a function of (count, shape, strides, *operands) that makes its own result.

        `run` is what `flat_kernel`, `short_kernel` or `short_softmax` gave.

        Where the NumPy dtypes of the operands are given, these are tensors, with cells from their first
        element to the end of the memory; where a memory is of another dtype, the answer is None.
        """
        ...
