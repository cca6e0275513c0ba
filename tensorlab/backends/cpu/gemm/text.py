"""The kernels' text: the levels put together for one dtype, one form and one activation.

Numba's cache on disk sees changes of a kernel's own file only. So the levels, which stand in files of their
own to be read, are put into one module whose name is a hash of its text (see `tensorlab.backends.cpu.jit`).
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorlab import dtypes
from tensorlab.backends.cpu import direct, direct_values, halves, intrinsics, jit, pointers, simd
from tensorlab.backends.cpu.flatten import fixed, flatten, texts
from tensorlab.backends.cpu.gemm import dots, finish, pack, registers, rows, tasks, tile, tiles
from tensorlab.backends.cpu.gemm.blocks import VECTORS, blocks
from tensorlab.backends.cpu.levels import compute_name
from tensorlab.dtypes import dtype
from tensorlab.scalars import Scalar
from tensorlab.scalars.source import compute_type, formula_text

__all__ = [
    "OPTIONS",
    "PACKING",
    "TILE_LEVELS",
    "cell_functions",
    "constants",
    "decorated",
    "kernel_source",
    "level_text",
    "packing",
    "parts_source",
    "tile_source",
]

# A form computes ``out = activate(alpha * (a @ b) + beta * source) + residual`` for one m × k and one k × n
# matrix. All forms have one signature, with a pointer and two strides for each operand; `tiles` copies blocks
# of A and B if it is told to, and `dots` their rows and columns. With `collects` the sums stand in the
# workspace first.
_FORMS: dict[str, list[Any]] = {
    "tiles": [tile.panel, tile.strip, pack.pack_panels, pack.pack_strips, tiles.balanced, tiles.tiles],
    "plain_tiles": [tile.panel, tile.strip, tasks.small_product],
    "plain_batch": [tile.panel, tile.strip, tasks.small_product],
    "plain_panels": [tile.panel],
    "rows": [rows.weighted_row, rows.weighted_rows, rows.rows],
    "dots": [dots.copy_run, dots.dot_run, dots.dot, dots.dots],
    "plain_rows": [rows.weighted_row, rows.weighted_rows],
    "plain_dots": [dots.dot_run, dots.dot],
}

_REASSOCIATED: set[Any] = {dots.dot_run}

# What the parameters of a kernel are that computes the product alone, where the result lies: the end of a
# product takes a third of the time to compile.
_ALONE = {
    "collects": "False",
    "alpha": "1",
    "beta": "0",
    "adds_residual": "False",
    "source": "out",
    "residual": "out",
}

# What is called from several places, or inside of an expression. All others take the places of their calls.
_FUNCTIONS: set[Any] = {dots.dot, dots.dot_run, finish.finish}

# What forms that are made of tiles take from `parts.py`, which has the machine code.
_PARTS = ("pack", "tile")
_PARTS_OF = {"tiles": _PARTS, "plain_tiles": ("tile",), "plain_batch": ("tile",), "plain_panels": _PARTS}

# What takes the places of its calls in other kernels that are made of tiles.
TILE_LEVELS = texts([tile.panel, tile.strip, pack.pack_panels, tiles.balanced])

# The function that is called with constants here and there, and is to be compiled once for all.
PACKING = ("pack",)

# A generated file changes its name with the intrinsics that it imports, which Numba's cache does not see.
_DIGEST = hashlib.sha256(
    "".join(
        inspect.getsource(module) for module in (direct, direct_values, intrinsics, pointers, registers, simd)
    ).encode()
).hexdigest()[:16]

_IMPORTS = f"""\
import math

import numpy as np
from numba import njit

from tensorlab.backends.cpu.direct import direct
from tensorlab.backends.cpu.gemm.registers import add_outer, add_run, add_run_partly, plus
from tensorlab.backends.cpu.gemm.registers import store, store_partly, zeros
from tensorlab.backends.cpu.intrinsics import greater as max, lesser as min
from tensorlab.backends.cpu.pointers import advance, at, copy, copy_second
from tensorlab.backends.cpu.simd import transpose_tile
# with intrinsics {_DIGEST}
"""

# 'contract' makes one instruction of a product and a sum; 'reassoc' lets one long sum be split over the lanes
# of a vector. Infinities and NaN stay what they are with both.
OPTIONS = 'error_model="numpy", fastmath={"contract"}'


def kernel_source(element_type: dtype, form: str, activation: Scalar | None = None, ends: bool = True) -> str:
    """The text of one module, with ``kernel``, or with ``plain_kernel``.

    Args:
        element_type: the dtype of A, B, the result, its source and its residual.
        form: ``"tiles"``, ``"rows"`` or ``"dots"``; ``"plain_tiles"``, ``"plain_batch"``,
            ``"plain_panels"``, ``"plain_rows"`` or ``"plain_dots"``.
        activation: a function of one number that follows the product.
        ends: whether the kernel knows ends: sums that it collects, or something to scale and to add. Else it
            has no parameters for them.

    Example:
        >>> text = kernel_source(dtypes.float64, "dots")
        >>> "number = np.float64" in text, "def pack(" in text
        (True, False)
        >>> text = kernel_source(dtypes.float64, "tiles", ends=False)
        >>> print(text[text.index("def kernel("):].splitlines()[0])
        def kernel(first, last, strip_m, strip_n, packs_a, packs_b, walk, out, a, b, work):
    """
    levels = _FORMS[form]
    plain = form.startswith("plain")
    parts = _taken(_PARTS_OF[form], element_type, tile.RUN, tile.SHORT) if form in _PARTS_OF else ""
    if not plain:
        levels = [finish.finish_row, *([finish.finish] if ends else []), *levels]
    flattened = texts(level for level in levels if level not in _FUNCTIONS)
    functions = "\n\n".join(
        [
            *cell_functions(element_type),
            *([] if plain else [_activation(element_type, activation)]),
            *[
                flatten(level_text(level, reassociates=level in _REASSOCIATED), flattened)
                for level in levels
                if level in _FUNCTIONS
            ],
        ]
    )
    what = activation.name + " of " if activation else ""
    return (
        f'"""Generated by tensorlab: {what}the matrix product of {element_type.name}, {form}."""\n'
        f"{_IMPORTS}\n{constants(element_type)}{parts}\n\n{functions}\n\n{_entry(form, flattened, ends)}"
    )


@functools.cache
def parts_source(element_type: dtype, run: int, short: int) -> str:
    """The text of the module with the parts of large products; see `tensorlab.backends.cpu.gemm.parts`.

    Args:
        element_type: the dtype of the cells.
        run, short: how sums are cut into runs; see `tensorlab.backends.cpu.gemm.tile.run_of`.

    Example:
        >>> text = parts_source(dtypes.float64, 128, 32)
        >>> "def pack(" in text, "def tile(" in text
        (True, True)
    """
    flattened = {**texts([pack.pack_run, pack.pack_cells, tile.run_of]), **_tiles()}
    options = f"cache=True, {OPTIONS}, {jit.HELPER}"
    functions = "\n\n".join(
        [
            *cell_functions(element_type),
            *[
                direct.text(flatten(inspect.getsource(level), flattened), options)
                for level in (pack.pack, tile.tile)
            ],
        ]
    )
    return (
        f'"""Generated by tensorlab: tiles and copies, of {element_type.name}."""\n'
        f"{_IMPORTS}\n{constants(element_type)}RUN, SHORT = {run}, {short}\n\n{functions}\n"
    )


def _tiles() -> dict[str, str]:
    """The texts of the tiles by their names, of which there is one for each number of vectors."""
    return {
        f"{level.__name__}_{vectors}": inspect.getsource(level).replace("VECTORS", str(vectors))
        for level in (tile.whole_tile, tile.edge_tile)
        for vectors in range(1, VECTORS + 1)
    }


def tile_source(title: str, element_type: dtype, run: int, short: int) -> str:
    """The beginning of another kernel that is made of tiles: copies of blocks, and the tiles themselves.

    The levels between them and the kernel are `TILE_LEVELS`, which are to take the places of their calls.

    Args:
        title: what it computes, for its first line.
        element_type: the dtype of the cells.
        run, short: how sums are cut into runs; see `tensorlab.backends.cpu.gemm.tile.run_of`.
    """
    functions = "\n\n".join(
        [
            *cell_functions(element_type),
        ]
    )
    parts = _taken(_PARTS, element_type, run, short)
    return (
        f'"""Generated by tensorlab: {title} of {element_type.name}."""\n'
        f"{_IMPORTS}\n{constants(element_type)}{parts}\n\n{functions}\n"
    )


def _taken(names: Iterable[str], element_type: dtype, run: int, short: int) -> str:
    """The lines by which a kernel takes the parts, and which change with their text."""
    digest = hashlib.sha256(parts_source(element_type, run, short).encode()).hexdigest()[:16]
    lines = [f'{name} = part("{name}", "{element_type.name}", {run}, {short})\n' for name in names]
    return f"\nfrom tensorlab.backends.cpu.gemm.parts import part\n\n# with parts {digest}\n{''.join(lines)}"


def constants(element_type: dtype) -> str:
    """What `cell.py` computes for float32, for this dtype."""
    name = compute_name(element_type)
    sizes = blocks(np.dtype(name).itemsize)
    return (
        f"Number = number = np.{name}\n"
        f"BYTES = {sizes.lanes * np.dtype(name).itemsize}\n"
        f"SAME = {element_type.cell.name == name}\n"
        f"LANES, VECTORS, ROWS, WIDTH = {sizes.lanes}, {VECTORS}, {sizes.rows}, {sizes.width}\n"
        f"STEPS, HEIGHT, COLUMNS = {sizes.steps}, {sizes.height}, {sizes.columns}\n"
        f"RUN, SHORT, MANY, LONG = {tile.RUN}, {tile.SHORT}, {dots.MANY}, {dots.LONG}\n"
    )


def cell_functions(element_type: dtype) -> list[str]:
    """What `cell.py` says for float32, for this dtype."""
    if element_type in halves.TYPES:
        widen = f"{halves.widen_name(element_type)}(cell)"
        narrow = f"{halves.narrow_name(element_type)}(number)"
    else:
        widen, narrow = "Number(cell)", f"np.{element_type.cell.name}(number)"
    same = element_type.cell.name == compute_name(element_type)
    return [
        *[
            f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})\n{inspect.getsource(conversion)}"
            for conversion in halves.needed([element_type])
        ],
        decorated(f"def widen(cell):\n    return {widen}\n"),
        decorated(f"def narrow(number):\n    return {narrow}\n"),
        decorated(f"def numbers(cells, copied):\n    return {'cells' if same else 'copied'}\n"),
    ]


def _activation(element_type: dtype, activation: Scalar | None) -> str:
    if activation is None:
        return decorated("def activate(value):\n    return value\n")
    wanted = dtypes.by_name(compute_name(element_type))
    compute = compute_type(activation.formula, wanted)
    text = formula_text(activation.formula, compute, f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})")
    if compute is not wanted:
        text = f"number = np.{compute.name}\n{text}"
    call = f"Number({activation.formula.__name__}(np.{compute.name}(value)))"
    return f"{text}\n\n" + decorated(f"def activate(value):\n    return {call}\n")


def level_text(level: Any, each_width: bool = False, reassociates: bool = False) -> str:
    """The text of one level of the algorithm.

    Args:
        level: a function.
        each_width: whether there is one for each number of vectors, as there is of a tile.
        reassociates: whether a sum may be split over the lanes of a vector.
    """
    text = inspect.getsource(level)
    if each_width:
        return "\n\n".join(
            text.replace(level.__name__, f"{level.__name__}_{v}").replace("VECTORS", str(v))
            for v in range(1, VECTORS + 1)
        )
    return decorated(text, reassociates=True, inlined=False) if reassociates else text


def packing(element_type: dtype) -> str:
    """The lines by which a kernel that has no tiles takes `pack`."""
    return _taken(("pack",), element_type, tile.RUN, tile.SHORT)


def _entry(form: str, flattened: dict[str, str], ends: bool) -> str:
    """The function that is called from Python, or shared among threads."""
    if form.startswith("plain"):
        text = flatten(inspect.getsource(getattr(tasks, form)), flattened)
        return f"{direct.text(text, f'{jit.KERNEL}, {OPTIONS}')}\n\nplain_kernel = {form}\n"
    text = inspect.getsource(tasks.kernel)
    text = flatten(text if ends else fixed(text, _ALONE), {**flattened, "form": flattened[form]})
    return direct.text(text, f"{jit.INNER}, {OPTIONS}")


def decorated(text: str, reassociates: bool = False, inlined: bool = True) -> str:
    """The text of one level, decorated."""
    options = OPTIONS.replace('"contract"', '"contract", "reassoc"') if reassociates else OPTIONS
    if inlined:
        options += ', inline="always"'
    return f"@njit({options}, {jit.HELPER})\n{text}"
