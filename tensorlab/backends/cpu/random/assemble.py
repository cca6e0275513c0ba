"""Kernels for random numbers, put together from the functions of the engine, the formulas and the fills.

A kernel's text is the source of the functions that it needs, and beside them the few that depend on dtypes:
how a number becomes a cell, how a cell becomes a number. As with pointwise kernels, the text is written to a
real file; ``print(kernel_source(...))`` shows it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable

from tensorlab import dtypes
from tensorlab.backends.cpu import halves, jit
from tensorlab.backends.cpu.random import counter, engine, fills, formulas
from tensorlab.dtypes import dtype

__all__ = ["counter_kernel", "kernel", "kernel_source"]

# Options of a helper. Those that return several numbers are pasted into their caller, because the compiler
# does not see through such a call when it looks for vectors.
CALLED = f'error_model="numpy", {jit.HELPER}'
INLINE = 'error_model="numpy", inline="always"'

_ENGINE = (
    engine.temper,
    engine.twist,
    engine.draw,
    engine.single_of,
    engine.double_of,
    engine.next_word,
    engine.next_single,
    engine.next_double,
)
_WALK = (fills.elements, fills.scatter)
_EACH = (fills.elements, fills.cell_of, fills.advance)
_HELPERS: dict[str, tuple[Callable, ...]] = {
    "singles": _WALK,
    "doubles": _WALK,
    "integers": _WALK,
    "normals": _WALK,
    "bernoulli_each": _EACH,
    "poisson": (*_EACH, fills.poisson_number),
}


@functools.cache
def kernel(fill: str, out: dtype, formula: str = "", read: dtype | None = None) -> Callable:
    """A compiled fill.

    Args:
        fill: a function of `tensorlab.backends.cpu.random.fills`.
        out: the dtype that is written.
        formula: a function of `tensorlab.backends.cpu.random.formulas`; for ``"normals"`` the name of what is
            done with each number, ``"exp"``.
        read: the dtype that is read.
    """
    stem = "_".join(part for part in (fill, formula, read and read.name, out.name) if part)
    return jit.quiet(getattr(jit.load(stem, kernel_source(fill, out, formula, read)), fill))


def kernel_source(fill: str, out: dtype, formula: str = "", read: dtype | None = None) -> str:
    """The text of one kernel; see `kernel` for the arguments.

    Example:
        >>> text = kernel_source("singles", dtypes.bfloat16, "uniform")
        >>> start = text.index("def store")
        >>> print(text[start:text.index("@njit", start)].rstrip())
        def store(value):
            return float32_to_bfloat16(np.float32(value))
    """
    double = dtypes.float64 in (out, read)
    types = [t for t in (out, read) if t is not None]
    functions: list[Callable | str] = [*halves.needed(types), *_ENGINE, _store(out)]
    functions += _HELPERS.get(fill, ())
    names = {"next_uniform": "next_double" if double else "next_single"}
    if fill == "normals_by_16":
        names["REST_DRAWN"] = str(out.itemsize > 2)
    if read is not None:
        functions.append(_load(read))
    if fill == "normals":
        functions.append(
            f"def after(value):\n    return {'math.exp(value)' if formula == 'exp' else 'value'}\n"
        )
    elif formula:
        functions.append(getattr(formulas, formula))
        names["formula"] = formula
    return (
        _head(f"{fill} {formula} to {out.name}", double, functions, names)
        + (_functions([fills.sixteen]) if fill == "normals_by_16" else "")
        + f'@njit({jit.KERNEL}, error_model="numpy")\n{inspect.getsource(getattr(fills, fill))}'
    )


@functools.cache
def counter_kernel(kind: str, out: dtype, parallel: bool) -> Callable:
    """A compiled fill of numbers from the counter-based generator.

    Args:
        kind: a function of `tensorlab.backends.cpu.random.counter`: ``"words"``, ``"uniform"``, ``"normal"``.
        out: the dtype that is written: int64 for words, else float32 or float64.
        parallel: whether threads share the work.
    """
    made = (counter.words, counter.uniform, counter.normal)[: 1 if kind == "words" else 3]
    functions = [engine.single_of, engine.double_of]
    head = _head(f"Philox, {kind} to {out.name}", out is dtypes.float64, functions, {})
    head += _functions([counter.philox_block], INLINE) + _functions([counter.philox_words])
    options = f'{jit.KERNEL}, error_model="numpy"' + ", parallel=True" * parallel
    source = f"{head}{_functions(made)}make = {kind}\n\n\n@njit({options})\n{inspect.getsource(counter.fill)}"
    stem = f"philox_{kind}_{out.name}" + "_parallel" * parallel
    return jit.quiet(jit.load(stem, source).fill)


def _head(title: str, double: bool, functions: Iterable[Callable | str], names: dict[str, str]) -> str:
    """A module up to its kernel: imports, constants, helpers, and the names that stand for one of several."""
    pair = formulas.box_muller if double else formulas.box_muller_float32
    names = {
        "uniform_of": "double_of" if double else "single_of",
        "pair_of": pair.__name__,
        **names,
    }
    return (
        f'"""Generated by tensorlab: {title}."""\n'
        "import math\n\nimport numpy as np\nfrom numba import njit, prange\n\n"
        "from tensorlab.backends.cpu.fma import fma\n\n"
        f"BLOCK = {engine.BLOCK}\nWORDS = {2 if double else 1}\nREAL = np.float{64 if double else 32}\n\n\n"
        f"{_functions([pair], INLINE)}{_functions(functions)}"
        + "".join(f"{name} = {function}\n" for name, function in names.items())
        + "\n\n"
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
