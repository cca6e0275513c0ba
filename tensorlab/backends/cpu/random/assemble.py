"""Kernels for random numbers, put together from the functions of the engine, the formulas and the fills.

A kernel's text is the source of a fill, in which the few functions that depend on dtypes have taken the
places of their calls: how words become a number, how a number becomes a cell, how a cell becomes a number. As
with pointwise kernels, the text is written to a real file; ``print(kernel_source(...))`` shows it.

What takes words from the engine is machine code of its own, which all kernels call.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from numba import types

from tensorlab import dtypes
from tensorlab.backends.cpu import flatten, halves, intrinsics, jit, linking, pointers
from tensorlab.backends.cpu.random import counter, engine, fills, formulas
from tensorlab.dtypes import dtype

__all__ = ["counter_kernel", "engine_part", "kernel", "kernel_source"]

# Options of a helper. Those that return several numbers are pasted into their caller, because the compiler
# does not see through such a call when it looks for vectors.
CALLED = f'error_model="numpy", {jit.HELPER}'
INLINE = 'error_model="numpy", inline="always"'
ENTRY = f'{jit.KERNEL}, error_model="numpy"'

# What a fill calls beside the engine.
_HELPERS: dict[str, tuple[Callable, ...]] = {
    "poisson": (engine.temper, engine.next_word, engine.next_double, fills.poisson_number)
}
# Which fills take two words for a number whatever the dtype is, and which for integers beyond 32 bits.
_TWO_WORDS = {"categories", "normals"}
_OF_INTEGERS = {"integers", "permutation"}

_WORDS = types.CPointer(types.uint32)
_PARTS: dict[str, list[types.Type]] = {"draw": [_WORDS, _WORDS, types.int64], "twist": [_WORDS]}


@functools.cache
def engine_part(name: str) -> Any:
    """``"draw"`` or ``"twist"`` of `tensorlab.backends.cpu.random.engine`, as kernels call it."""
    module = jit.load("mersenne_twister", _engine_source())
    symbol = f"{module.__name__}.{name}".replace(".", "_")
    return linking.external(symbol, jit.quiet(getattr(module, name)), _PARTS[name])


@functools.cache
def kernel(fill: str, out: dtype, formula: str = "", read: dtype | None = None) -> Callable:
    """A compiled fill.

    Args:
        fill: a function of `tensorlab.backends.cpu.random.fills`.
        out: the dtype that is written.
        formula: which of the functions that a fill leaves open. For ``"numbers"``: one of
            `tensorlab.backends.cpu.random.formulas`; for ``"normals"``: what is done with each number,
            ``"exp"``; for integers: ``"wide"`` if they are remainders of 64 bits.
        read: the dtype that is read.
    """
    stem = "_".join(part for part in (fill, formula, read and read.name, out.name) if part)
    return jit.quiet(getattr(jit.load(stem, kernel_source(fill, out, formula, read)), fill))


def kernel_source(fill: str, out: dtype, formula: str = "", read: dtype | None = None) -> str:
    """The text of one kernel; see `kernel` for the arguments.

    Example:
        >>> text = kernel_source("integers", dtypes.int16)
        >>> print(text[text.index("        for"):text.index("        done +=")].rstrip())
                for i in range(count):
                    number = np.int64(raw[i] % np.uint32(span))
                    value = number + base
                    cells[i] = np.int16(np.int64(value))
    """
    # Formulas other than of uniform numbers are computed in float64.
    double = dtypes.float64 in (out, read) or (fill == "numbers" and formula != "uniform")
    wide = formula == "wide" if fill in _OF_INTEGERS else double or fill in _TWO_WORDS
    opened = {
        **_numbers(double),
        "remainder_of": engine.remainder_of_two if wide else engine.remainder_of_one,
        "double_of": engine.double_of,
        "formula": getattr(formulas, formula, None),
    }
    levels = {name: inspect.getsource(function) for name, function in opened.items() if function}
    levels["store"] = _store(out)
    levels["after"] = f"def after(value):\n    return {'math.exp(value)' if formula == 'exp' else 'value'}\n"
    if read is not None:
        levels["load"] = _load(read)
    helpers = [*halves.needed([t for t in (out, read) if t is not None]), *_HELPERS.get(fill, ())]
    title = f"{fill} {formula} to {out.name}"
    taken = "".join(f'{name} = engine_part("{name}")\n' for name in _PARTS if name == "draw" or helpers)
    text = flatten.flatten(inspect.getsource(getattr(fills, fill)), levels)
    return (
        f"{_head(title, double, 2 if wide else 1)}REST_DRAWN = {out.itemsize > 2}\n\n"
        f"from tensorlab.backends.cpu.random.assemble import engine_part\n\n"
        f"# with the engine {_digest()}\n{taken}\n\n"
        f"{_functions(helpers)}@njit({ENTRY})\n{text}\n"
    )


def _engine_source() -> str:
    """The text of the functions of `engine_part`."""
    levels = flatten.texts([engine.twist])
    text = flatten.flatten(
        inspect.getsource(engine.draw), {**levels, "temper": inspect.getsource(engine.temper)}
    )
    options = f"{ENTRY}, no_cpython_wrapper=True"
    return (
        '"""Generated by tensorlab: the Mersenne Twister."""\n'
        f"{_IMPORTS}\n# with the engine {_digest()}\n\n\n"
        f"@njit({options})\n{text}\n\n\n@njit({options})\n{levels['twist']}"
    )


@functools.cache
def _digest() -> str:
    """What a kernel's text changes with beside the functions whose text it has."""
    used = (engine, formulas, intrinsics, pointers)
    return hashlib.sha256("".join(map(inspect.getsource, used)).encode()).hexdigest()[:16]


@functools.cache
def counter_kernel(kind: str, out: dtype, parallel: bool) -> Callable:
    """A compiled fill of numbers from the counter-based generator.

    Args:
        kind: a function of `tensorlab.backends.cpu.random.counter`: ``"words"``, ``"uniform"``, ``"normal"``.
        out: the dtype that is written: int64 for words, else float32 or float64.
        parallel: whether threads share the work.
    """
    made = (counter.words, counter.uniform, counter.normal)[: 1 if kind == "words" else 3]
    double = out is dtypes.float64
    numbers = _numbers(double)
    head = _head(f"Philox, {kind} to {out.name}", double, 2 if double else 1)
    head += f"\n\n{_functions([numbers['pair_of']], INLINE)}{_functions([numbers['uniform_of']])}"
    head += "".join(f"{name} = {function.__name__}\n" for name, function in numbers.items())
    head += f"\n\n{_functions([counter.philox_block], INLINE)}{_functions([counter.philox_words])}"
    options = ENTRY + ", parallel=True" * parallel
    source = f"{head}{_functions(made)}make = {kind}\n\n\n@njit({options})\n{inspect.getsource(counter.fill)}"
    stem = f"philox_{kind}_{out.name}" + "_parallel" * parallel
    return jit.quiet(jit.load(stem, source).fill)


def _numbers(double: bool) -> dict[str, Callable]:
    """How words become a uniform number, and two of these two normal ones, in float64 or in float32."""
    if double:
        return {"uniform_of": engine.double_of, "pair_of": formulas.box_muller}
    return {"uniform_of": engine.single_of, "pair_of": formulas.box_muller_float32}


_IMPORTS = f"""\
import math

import numpy as np
from numba import njit, prange

from tensorlab.backends.cpu.fma import fma
from tensorlab.backends.cpu.intrinsics import lesser, maximum, minimum, on_stack
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.random.engine import {engine.CONSTANTS}
"""


def _head(title: str, double: bool, words: int) -> str:
    """The beginning of a module: its imports, and the numbers that stand for one of several."""
    return (
        f'"""Generated by tensorlab: {title}."""\n{_IMPORTS}\n'
        f"WORDS, ROOM, REAL = {words}, {words * engine.BLOCK}, np.float{64 if double else 32}\n"
    )


def _functions(functions: Iterable[Callable | str], options: str = CALLED) -> str:
    """The text of helpers."""
    texts = [f if isinstance(f, str) else inspect.getsource(f) for f in functions]
    return "".join(f"@njit({options})\n{text}\n\n" for text in texts)


def _store(element_type: dtype) -> str:
    """The function from a number to the cell that holds it."""
    if element_type in halves.TYPES:
        cell = f"{halves.narrow_name(element_type)}(np.float32(value))"
    elif element_type is dtypes.bool:
        cell = "value != 0"
    elif element_type.category == dtypes.INTEGER:
        cell = f"np.{element_type.name}(np.int64(value))"  # what does not fit wraps around
    else:
        cell = f"np.{element_type.name}(value)"
    return f"def store(value):\n    return {cell}\n"


def _load(element_type: dtype) -> str:
    """The function from a cell to the number that it holds."""
    half = element_type in halves.TYPES
    return f"def load(cell):\n    return {f'{halves.widen_name(element_type)}(cell)' if half else 'cell'}\n"
