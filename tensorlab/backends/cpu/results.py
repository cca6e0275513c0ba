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
from tensorlab.backends.cpu.machine_code import OBJECT, WORD, Code, Method, bound, compiled, kind_of, places
from tensorlab.backends.recipes import Ingredient, Recipe
from tensorlab.dtypes import dtype

__all__ = ["computing", "dense", "new_dense"]


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


def computing(
    recipe: Recipe, run: Callable[..., None], cell: np.dtype, result: dtype, limit: int | None
) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.computing`."""
    if not machine_code.usable():
        return None
    known, entry = (run.args, run.func) if isinstance(run, functools.partial) else ((), run)
    found = jit.compiled(entry)
    if found is None:
        return None
    assert found.signature.args[len(known)].ndim == 1, "the result is one run of cells"
    address = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
    kinds = tuple(map(kind_of, found.signature.args))
    with global_compiler_lock:  # of two threads that made the same code at once, only one's would be kept
        method = _computing(recipe, kinds[: len(known)], kinds[len(known) + 1 :], limit)
    function: Callable[..., Any] = bound(method, (cell, result, address, *known))
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
def _computing(recipe: Recipe, known: tuple[str, ...], given: tuple[str, ...], limit: int | None) -> Method:
    """The code for kernels that are called with ``(*known, out, *given)``."""

    def write(code: Code) -> None:
        cell, element_type, address, *constants = code.constants(3 + len(known))
        if limit is None:
            number, shape, stride, *operands = code.arguments(3 + len(given))
            count = code.whole(number)
        else:
            shape, stride, *operands = code.arguments(2 + len(given))
            count = code.size(operands[0])
            with cgutils.if_unlikely(code.builder, code.builder.icmp_signed(">", count, WORD(limit))):
                code.builder.ret(code.owned(code.constant(None)))
        memory = code.need(code.new_array(np.ndarray, count, cell))
        made = _new_tensor(code, recipe, memory, [element_type, shape, stride])
        code.call(address, [*known, "1", *given], [*constants, memory, *operands], made)
        code.builder.ret(made)

    return compiled("computing", write)


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
