"""Results made in one step: the memory, the storage and the tensor, and the kernel that fills them.

Python makes three objects with fourteen fields one after another, which takes a small operation longer than
its kernel. Machine code does the same in a third of the time. It is made once for each form that the
arguments of kernels have, in some milliseconds.

A kernel that is called here does not let go of the interpreter's lock: it is done before another thread could
have taken it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock

from tensorlab.backends.cpu import jit, machine_code
from tensorlab.backends.cpu.linking import address_in
from tensorlab.backends.cpu.machine_code import (
    DTYPE,
    OBJECT,
    WORD,
    Code,
    Method,
    bound,
    compiled,
    kind_of,
    places,
)
from tensorlab.backends.recipes import Ingredient, Layout, Recipe
from tensorlab.dtypes import dtype

__all__ = [
    "cells_of",
    "computing",
    "dense",
    "exchanging",
    "known_and_entry",
    "leave_if",
    "leave_if_recorded",
    "leave_unless_run",
    "mapping",
    "meeting",
    "new_dense",
    "view",
    "words",
]


def new_dense(recipe: Recipe) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.new_dense`."""
    if not machine_code.usable():
        return None
    with global_compiler_lock:  # see `computing`
        function: Callable[..., Any] = bound(_making(recipe, True))
    return function


def dense(recipe: Recipe) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.dense`."""
    if not machine_code.usable():
        return None
    with global_compiler_lock:  # see `computing`
        function: Callable[..., Any] = bound(_making(recipe, False))
    return function


def view(recipe: Recipe) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.view`."""
    if not machine_code.usable():
        return None
    with global_compiler_lock:  # see `computing`
        function: Callable[..., Any] = bound(_viewing(recipe))
    return function


def computing(
    recipe: Recipe,
    run: Callable[..., None],
    cell: np.dtype,
    result: dtype,
    operands: tuple[np.dtype, ...] | None,
) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.computing`."""
    if not machine_code.usable():
        return None
    known, entry = known_and_entry(run)
    found = jit.compiled(entry)
    if found is None:
        return None
    assert found.signature.args[len(known)].ndim == 1, "the result is one run of cells"
    address = address_in(found)
    kinds = tuple(map(kind_of, found.signature.args))
    with global_compiler_lock:  # of two threads that made the same code at once, only one's would be kept
        method = _computing(recipe, kinds[: len(known)], kinds[len(known) + 1 :], operands is not None)
    function: Callable[..., Any] = bound(method, (cell, result, address, *known, *(operands or ())))
    return function


def mapping(
    recipe: Recipe, run: Callable[..., None], source: dtype, result: dtype, limit: int
) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.mapping`."""
    if not machine_code.usable():
        return None
    found = jit.compiled(run)
    if found is None:
        return None
    address = address_in(found)
    with global_compiler_lock:  # see `computing`
        method = _mapping(recipe, len(found.signature.args) - 1, limit)
    function: Callable[..., Any] = bound(method, (source, result.cell, result, address))
    return function


def meeting(
    recipe: Recipe,
    run: Callable[..., None],
    layouts: Sequence[Layout],
    result: dtype,
    count: int,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.meeting`."""
    if not machine_code.usable():
        return None
    known, entry = known_and_entry(run)
    found = jit.compiled(entry)
    if found is None:
        return None
    address = address_in(found)
    kinds = tuple(map(kind_of, found.signature.args[: len(known)]))
    with global_compiler_lock:  # see `computing`
        method = _meeting(recipe, kinds, len(layouts))
    operands = [fact for of, *layout in layouts for fact in (of, of.cell, *layout)]
    constants = (result.cell, result, address, count, shape, stride, *known, *operands)
    function: Callable[..., Any] = bound(method, constants)
    return function


def exchanging(recipe: Recipe) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.exchanging`."""
    if not machine_code.usable():
        return None
    with global_compiler_lock:  # see `computing`
        function: Callable[..., Any] = bound(_exchanging(recipe))
    return function


@functools.cache
def _making(recipe: Recipe, with_memory: bool) -> Method:
    def write(code: Code) -> None:
        if with_memory:
            number, cell, *facts = code.arguments(5)
            memory = code.need(code.new_array(np.ndarray, code.whole(number), cell))
        else:
            memory, *facts = code.arguments(4)
            code.owned(memory)
        code.builder.ret(_new_tensor(code, recipe, memory, facts))

    return compiled("new_dense" if with_memory else "dense", write)


@functools.cache
def _viewing(recipe: Recipe) -> Method:
    def write(code: Code) -> None:
        tensor, shape, stride, offset = asked = code.arguments(4)
        where = places(recipe.tensor, *[name for name, _ in recipe.view_fields])
        for name, value in recipe.view_fields:
            if value in (Ingredient.SAME, Ingredient.ROOT):
                lacks = cgutils.is_null(code.builder, code.field(tensor, where[name]))
                with cgutils.if_unlikely(code.builder, lacks):
                    in_steps = code.constant(recipe.view_in_steps)
                    code.builder.ret(code.python.call_function_objargs(in_steps, asked))
        made = code.need(code.new_instance(recipe.tensor))
        for name, value in recipe.view_fields:
            own = code.field(tensor, where[name])
            known = {
                Ingredient.SHAPE: shape,
                Ingredient.STRIDE: stride,
                Ingredient.OFFSET: offset,
                Ingredient.SAME: own,
                Ingredient.ROOT: code.other_than_none(own, tensor),
            }
            item = known[value] if isinstance(value, Ingredient) else code.constant(value)
            code.fill(made, {where[name]: item})
        code.builder.ret(made)

    return compiled("view", write)


@functools.cache
def _computing(recipe: Recipe, known: tuple[str, ...], given: tuple[str, ...], of_tensors: bool) -> Method:
    """The code for kernels that are called with ``(*known, out, *given)``."""

    def write(code: Code) -> None:
        cell, element_type, address, *constants = code.constants(3 + len(known) + of_tensors * len(given))
        number, shape, stride, *operands = code.arguments(3 + len(given))
        constants, cells = constants[: len(known)], constants[len(known) :]
        passed: list[Any] = []
        for tensor, of in zip(operands if of_tensors else (), cells, strict=True):
            passed += cells_of(code, recipe, tensor, of)
        memory = code.need(code.new_array(np.ndarray, code.whole(number), cell))
        made = _new_tensor(code, recipe, memory, [element_type, shape, stride])
        first = code.passed([*known, "1"], [*constants, memory])
        code.call(address, [*first, *(passed if of_tensors else code.passed(given, operands))], made)
        code.builder.ret(made)

    return compiled("computing", write)


@functools.cache
def _mapping(recipe: Recipe, operands: int, limit: int) -> Method:
    def write(code: Code) -> None:
        first, *others = tensors = code.arguments(operands)
        source, cell, element_type, address = code.constants(4)
        builder, at = code.builder, words(recipe)
        for tensor in tensors:
            leave_unless_plain(code, recipe, tensor, source)
            leave_unless_run(code, recipe, tensor)
        shape, stride = (code.field(first, at[fact]) for fact in (Ingredient.SHAPE, Ingredient.STRIDE))
        for tensor in others:
            leave_if(code, builder.not_(code.equal(shape, code.field(tensor, at[Ingredient.SHAPE]))))
        runs = [code.field(tensor, at[Ingredient.MEMORY]) for tensor in tensors]
        count = code.size(runs[0])
        leave_if(code, builder.icmp_signed(">", count, WORD(limit)))
        memory = code.need(code.new_array(np.ndarray, count, cell))
        made = _new_tensor(code, recipe, memory, [element_type, shape, stride])
        code.call(address, code.passed(["1"] * (operands + 1), [memory, *runs]), made)
        builder.ret(made)

    return compiled("mapping", write)


@functools.cache
def _meeting(recipe: Recipe, known: tuple[str, ...], operands: int) -> Method:
    def write(code: Code) -> None:
        cell, element_type, address, count, shape, stride, *others = code.constants(
            6 + len(known) + 4 * operands
        )
        constants, facts = others[: len(known)], others[len(known) :]
        builder, at = code.builder, words(recipe)
        passed: list[Any] = []
        for place, tensor in enumerate(code.arguments(operands)):
            source, source_cell, *layout = facts[4 * place : 4 * place + 4]
            leave_unless_plain(code, recipe, tensor, source)
            for fact, expected in zip((Ingredient.SHAPE, Ingredient.STRIDE), layout, strict=True):
                leave_if(code, builder.not_(code.equal(code.field(tensor, at[fact]), expected)))
            passed += cells_of(code, recipe, tensor, source_cell)
        memory = code.need(code.new_array(np.ndarray, code.whole(count), cell))
        made = _new_tensor(code, recipe, memory, [element_type, shape, stride])
        first = code.passed([*known, "1"], [*constants, memory])
        code.call(address, [*first, *passed], made)
        builder.ret(made)

    return compiled("meeting", write)


@functools.cache
def _exchanging(recipe: Recipe) -> Method:
    def write(code: Code) -> None:
        (tensor,) = code.arguments(1)
        at, where = words(recipe), places(recipe.tensor, *[name for name, _ in recipe.view_fields])
        leave_unless_plain(code, recipe, tensor, None)
        shape, stride = (code.field(tensor, at[fact]) for fact in (Ingredient.SHAPE, Ingredient.STRIDE))
        leave_if(code, code.builder.icmp_signed("!=", code.length(shape), WORD(2)))
        sizes = code.need(code.exchanged(shape))
        steps = code.need(code.exchanged(stride), sizes)
        made = code.need(code.new_instance(recipe.tensor), sizes, steps)
        for name, value in recipe.view_fields:
            own = code.field(tensor, where[name])
            known = {
                Ingredient.SHAPE: sizes,
                Ingredient.STRIDE: steps,
                Ingredient.OFFSET: own,
                Ingredient.SAME: own,
                Ingredient.ROOT: code.other_than_none(own, tensor),
            }
            code.fill(
                made, {where[name]: known[value] if isinstance(value, Ingredient) else code.constant(value)}
            )
        for item in (sizes, steps):  # their owner is the view now
            code.python.decref(item)
        code.builder.ret(made)

    return compiled("exchanging", write)


def known_and_entry(run: Callable[..., None]) -> tuple[tuple, Callable[..., None]]:
    """What a kernel is called with each time, and the kernel."""
    return (run.args, run.func) if isinstance(run, functools.partial) else ((), run)


def words(recipe: Recipe) -> dict[Ingredient, int]:
    """The words of a tensor in which it has what is not the same in all."""
    where = places(recipe.tensor, *[name for name, _ in recipe.tensor_fields])
    return {value: where[name] for name, value in recipe.tensor_fields if isinstance(value, Ingredient)}


def leave_if(code: Code, condition: Any) -> None:
    """The code returns None where that is so."""
    with cgutils.if_unlikely(code.builder, condition):
        code.builder.ret(code.owned(code.constant(None)))


def leave_unless_plain(code: Code, recipe: Recipe, tensor: Any, source: Any) -> None:
    """The code returns None for a tensor that is recorded, lacks fields, or is not of the dtype `source`.

    Without `source` it may be of any dtype.
    """
    element_type = code.field(tensor, words(recipe)[Ingredient.DTYPE])
    lacks = cgutils.is_null(code.builder, element_type)
    leave_if(code, lacks if source is None else code.builder.icmp_unsigned("!=", element_type, source))
    leave_if_recorded(code, recipe, tensor)


def leave_if_recorded(code: Code, recipe: Recipe, tensor: Any, asked: Any = None) -> None:
    """The code returns None for a tensor that is recorded; but not where `asked` is Python's False."""
    edge, base = recipe.history
    where = places(recipe.tensor, edge, base)
    whole = code.other_than_none(code.field(tensor, where[base]), tensor)
    for of in (tensor, whole):
        recorded = code.builder.icmp_unsigned("!=", code.field(of, where[edge]), code.constant(None))
        if asked is not None:
            matters = code.builder.icmp_unsigned("!=", asked, code.constant(False))
            recorded = code.builder.and_(recorded, matters)
        leave_if(code, recorded)


def leave_unless_run(code: Code, recipe: Recipe, tensor: Any) -> Any:
    """The cells of a tensor that are known to be a run; the code returns None where they are not."""
    cells = code.field(tensor, words(recipe)[Ingredient.MEMORY])
    for unknown in (None, False):
        leave_if(code, code.builder.icmp_unsigned("==", cells, code.constant(unknown)))
    return cells


def cells_of(code: Code, recipe: Recipe, tensor: Any, cell: Any) -> list[Any]:
    """What a kernel gets of a tensor's memory; the code returns None where that has cells of another kind."""
    storage, offset, memory = recipe.operand
    of_tensor = places(recipe.tensor, storage, offset)
    of_storage = places(recipe.storage, memory)
    cells = code.field(code.field(tensor, of_tensor[storage]), of_storage[memory])
    leave_if(code, code.builder.icmp_unsigned("!=", code.array_field(cells, DTYPE), cell))
    return code.cells_from(cells, code.whole(code.field(tensor, of_tensor[offset])))


def _new_tensor(code: Code, recipe: Recipe, memory: Any, facts: Sequence[Any]) -> Any:
    """A tensor over memory of which the code is an owner, and gives that up."""
    element_type, shape, stride = facts
    builder = code.builder
    result = builder.alloca(OBJECT)
    number = builder.inttoptr(WORD(recipe.watched), WORD.as_pointer())
    is_watched = builder.icmp_signed("!=", builder.load(number, typ=WORD), WORD(0))
    with builder.if_else(is_watched, likely=False) as (then, otherwise):
        with then:
            made = code.python.call_function_objargs(code.constant(recipe.in_steps), [memory, *facts])
            builder.store(code.need(made, memory), result)
        with otherwise:
            storage = code.need(code.new_instance(recipe.storage), memory)
            tensor = code.need(code.new_instance(recipe.tensor), memory, storage)
            known = {
                Ingredient.MEMORY: memory,
                Ingredient.STORAGE: storage,
                Ingredient.DTYPE: element_type,
                Ingredient.SHAPE: shape,
                Ingredient.STRIDE: stride,
            }
            _fill(code, storage, recipe.storage, recipe.storage_fields, known)
            _fill(code, tensor, recipe.tensor, recipe.tensor_fields, known)
            code.python.decref(storage)  # its owner is the tensor now
            builder.store(tensor, result)
    code.python.decref(memory)
    return builder.load(result, typ=OBJECT)


def _fill(
    code: Code, instance: Any, kind: type, fields: Sequence[tuple[str, Any]], known: Mapping[Ingredient, Any]
) -> None:
    where = places(kind, *[name for name, _ in fields])
    code.fill(
        instance,
        {
            where[name]: known[value] if isinstance(value, Ingredient) else code.constant(value)
            for name, value in fields
        },
    )
