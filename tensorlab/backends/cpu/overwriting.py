"""A tensor overwritten in one step: the checks of a write, what is noted about it, and the kernel.

Python asks a dozen questions before it writes a tensor, which takes a small write longer than its kernel.
Machine code asks those that may have another answer at the next call; the rest follow from dtypes and layouts
and were asked when the function was made. It changes nothing before the last question is answered.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from tensorlab.backends.cpu import jit, machine_code
from tensorlab.backends.cpu.linking import address_in
from tensorlab.backends.cpu.machine_code import (
    FLOAT,
    INT,
    Code,
    Method,
    bound,
    compiled,
    kind_of,
    places,
)
from tensorlab.backends.cpu.results import (
    cells_of,
    known_and_entry,
    leave_if,
    leave_if_recorded,
    leave_unless_run,
    words,
)
from tensorlab.backends.recipes import Ingredient, Layout, Recipe
from tensorlab.dtypes import dtype

__all__ = ["overwriting"]


def overwriting(
    recipe: Recipe,
    run: Callable[..., None],
    operands: Sequence[Layout | dtype | type],
    writer: object,
    limit: int,
) -> Callable[..., Any] | None:
    """See `tensorlab.backends.recipes.ResultOperations.overwriting`."""
    if not machine_code.usable():
        return None
    known, entry = known_and_entry(run)
    found = jit.compiled(entry)
    if found is None:
        return None
    address = address_in(found)
    kinds = tuple(map(kind_of, found.signature.args))
    of_runs = isinstance(operands[0], dtype)
    with global_compiler_lock:  # see `tensorlab.backends.cpu.results.computing`
        method = _overwriting(recipe, kinds[: len(known)], kinds[len(known) :], of_runs)
    facts: list[object] = []
    for operand in operands:
        if isinstance(operand, dtype):
            facts.append(operand)
        elif isinstance(operand, tuple):
            element_type, shape, stride = operand
            facts += element_type, element_type.cell, shape, stride
    function: Callable[..., Any] = bound(method, (address, writer, limit, *known, *facts))
    return function


@functools.cache
def _overwriting(recipe: Recipe, known: tuple[str, ...], given: tuple[str, ...], of_runs: bool) -> Method:
    """The code for kernels that are called with ``(*known, *given)``, of which the first is written."""

    def write(code: Code) -> None:
        tensors = sum(kind not in (FLOAT, INT) for kind in given)
        each = 1 if of_runs else 4
        address, writer, limit, *others = code.constants(3 + len(known) + each * tensors)
        constants, facts = others[: len(known)], iter(others[len(known) :])
        recording, *operands = code.arguments(1 + len(given), or_none=True)
        target, at, builder = operands[0], words(recipe), code.builder
        storage_at, _, memory = recipe.operand
        of_tensor, of_storage = places(recipe.tensor, storage_at), places(recipe.storage, memory)
        owner = places(recipe.storage, *recipe.written)
        version, readonly, noted = (owner[name] for name in recipe.written)
        passed = code.passed(known, constants)
        storage = memory_written = None
        for kind, operand in zip(given, operands, strict=True):
            if kind in (FLOAT, INT):
                leave_if(code, builder.not_(code.is_exactly(operand, float if kind == FLOAT else int)))
                passed += code.passed([kind], [operand])
                if kind == INT:
                    leave_if(code, code.too_large())
                continue
            leave_if(code, builder.not_(code.is_exactly(operand, recipe.tensor)))
            source = next(facts)
            leave_if(code, builder.icmp_unsigned("!=", code.field(operand, at[Ingredient.DTYPE]), source))
            leave_if_recorded(code, recipe, operand, recording)
            if of_runs:
                cells = leave_unless_run(code, recipe, operand)
                shape = code.field(operand, at[Ingredient.SHAPE])
                if storage is None:
                    leave_if(code, builder.icmp_signed(">", code.size(cells), code.whole(limit)))
                else:
                    first = code.field(target, at[Ingredient.SHAPE])
                    leave_if(code, builder.not_(code.equal(first, shape)))
                passed += code.passed(["1"], [cells])
            else:
                source_cell = next(facts)
                for fact in (Ingredient.SHAPE, Ingredient.STRIDE):
                    leave_if(code, builder.not_(code.equal(code.field(operand, at[fact]), next(facts))))
                cells = cells_of(code, recipe, operand, source_cell)
                if storage is None and not known:  # the kernel of one loop writes all cells that it gets
                    cells = code.shortened(cells, code.whole(limit))
                passed += cells
            its_storage = code.field(operand, of_tensor[storage_at])
            its_memory = code.field(its_storage, of_storage[memory])
            if storage is None:
                storage, memory_written = its_storage, its_memory
            else:
                leave_if(code, builder.icmp_unsigned("==", its_memory, memory_written))
        leave_if(code, builder.icmp_unsigned("!=", code.field(storage, readonly), code.constant(False)))
        count = code.field(storage, version)
        leave_if(code, builder.icmp_unsigned("==", count, code.constant(recipe.untracked)))
        more = code.need(code.python.number_add(count, code.constant(1)))
        code.replace(storage, version, more)
        code.replace(storage, noted, code.owned(writer))
        code.call(address, passed)
        builder.ret(code.owned(target))

    return compiled("overwriting", write)
