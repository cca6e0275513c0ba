"""Kernels for random numbers, put together from the functions of the engine, the formulas and the fills.

Fills call a few functions that depend on dtypes and distributions: how words become a number, how a number
becomes a cell, how a cell becomes a number. They stand here for uniform numbers of float32, so that every
fill can be called and stepped through as it is. In the text of a kernel the names mean what it needs; as with
elementwise kernels, the text is written to a real file, and ``print(kernel_source(...))`` shows it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence

from tensorlab.backends.cpu import halves, jit
from tensorlab.backends.cpu.random import counter, engine, fills, formulas
from tensorlab.backends.poisson import poisson_number
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

# The compiler sees through calls of helpers where it looks for vectors.
CALLED = f'error_model="numpy", forceinline=True, {jit.HELPER}'
# What takes words from the engine is long, and called once for many numbers.
ENGINE = f'error_model="numpy", {jit.HELPER}'
ENTRY = f'error_model="numpy", {jit.KERNEL}'

# Which fills take two words for a number whatever the dtype is, and which for integers beyond 32 bits.
_TWO_WORDS = {"categories", "normals"}
_OF_INTEGERS = {"integers", "permutation"}

_IMPORTS = f"""\
import math

import numpy as np
from numba import njit

from tensorlab.backends.cpu.intrinsics import fma, lesser, maximum, minimum, on_stack
from tensorlab.backends.cpu.jit import Part
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.random.engine import {engine.CONSTANTS}
"""

_ENGINE = (engine.twist, engine.draw)
_NUMBERS = (
    engine.temper,
    engine.next_word,
    engine.next_double,
    engine.single_of,
    engine.double_of,
    engine.remainder_of_one,
    engine.remainder_of_two,
)
_FORMULAS = tuple(getattr(formulas, name) for name in formulas.__all__)


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
    r"""The text of one kernel; see `kernel` for the arguments.

    Example:
        >>> text = kernel_source("integers", dtypes.int16)
        >>> "def store(value):\n    return np.int16(np.int64(value))" in text, "WORDS, ROOM" in text
        (True, True)
    """
    # Formulas other than of uniform numbers are computed in float64.
    double = dtypes.float64 in (out, read) or (fill == "numbers" and formula != "uniform")
    wide = formula == "wide" if fill in _OF_INTEGERS else double or fill in _TWO_WORDS
    opened = {"remainder_of": f"remainder_of_{'two' if wide else 'one'}"}
    if fill == "numbers":
        opened["formula"] = formula
    conversions = [
        inspect.getsource(each) for each in halves.needed([t for t in (out, read) if t is not None])
    ]
    after = f"def after(value):\n    return {'math.exp(value)' if formula == 'exp' else 'value'}\n"
    helpers = [*conversions, _store(out), _load(read or out), after]
    head = _head(f"{fill} {formula} to {out.name}", double, 2 if wide else 1, helpers, opened)
    engine_text = _decorated(ENGINE, _ENGINE)
    number = _decorated(ENGINE, [poisson_number])
    return (
        f"{head}REST_DRAWN = {out.itemsize > 2}\n\n\n{engine_text}{number}"
        f"{_decorated(ENTRY, [getattr(fills, fill)])}"
    )


@functools.cache
def counter_kernel(kind: str, out: dtype) -> Callable:
    """A compiled fill of numbers from the counter-based generator.

    Args:
        kind: a function of `tensorlab.backends.cpu.random.counter`: ``"words"``, ``"uniform"``, ``"normal"``.
        out: the dtype that is written: int64 for words, else float32 or float64.
    """
    double = out is dtypes.float64
    head = _head(f"Philox, {kind} to {out.name}", double, 2 if double else 1, [], {})
    levels = counter.philox_block, counter.philox_words, counter.words, counter.uniform, counter.normal
    source = f"{head}\n\n{_decorated(CALLED, levels)}make = {kind}\n\n\n{_decorated(ENTRY, [counter.fill])}"
    return jit.quiet(jit.load(f"philox_{kind}_{out.name}", source).fill)


def _head(title: str, double: bool, words: int, helpers: Sequence[str], opened: Mapping[str, str]) -> str:
    """The beginning of a module: its imports, and what the names mean that fills leave open.

    Args:
        title: what the module is for.
        double: whether uniform numbers are made, and computed with, in float64.
        words: how many words a number takes.
        helpers: the texts of the functions between numbers and cells.
        opened: more of the open names, and what they mean.
    """
    names = {
        "uniform_of": "double_of" if double else "single_of",
        "pair_of": "box_muller" if double else "box_muller_float32",
        **opened,
    }
    return (
        f'"""Generated by tensorlab: {title}."""\n{_IMPORTS}\n'
        f"WORDS, ROOM, REAL = {words}, {words * engine.BLOCK}, np.float{64 if double else 32}\n\n\n"
        + _decorated(CALLED, [*helpers, *_NUMBERS, *_FORMULAS])
        + "".join(f"{name} = {function}\n" for name, function in names.items())
    )


def _decorated(options: str, functions: Sequence[Callable | str]) -> str:
    """The text of some functions under `njit` with these options."""
    texts = [each if isinstance(each, str) else inspect.getsource(each) for each in functions]
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
