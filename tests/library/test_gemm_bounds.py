"""No cell outside of the operands is read or written: beside each of them lies memory that nobody may touch.

A process of its own lays every operand against a page that is protected. A touch ends that process.
"""

from __future__ import annotations

import sys

import pytest

from tests.library.test_kernels import run

PROGRAM = """
import ctypes, itertools, mmap, sys
import numpy as np
import tensorlab as tl
from tensorlab.core import dtypes
from tensorlab.backends import backend_of
from tensorlab.backends.cpu import threads
from tensorlab.scalars import TABLE

libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
held = []

def guarded(cells, at_end):
    "A copy of the cells between two pages that may not be touched, against one of them."
    page = mmap.PAGESIZE
    room = -(-max(cells.nbytes, 1) // page) * page
    memory = mmap.mmap(-1, room + 2 * page)
    held.append(memory)
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for address in (first, first + page + room):
        if libc.mprotect(address, page, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    begin = page + (room - cells.nbytes if at_end else 0)
    copy = np.frombuffer(memory, np.uint8, cells.nbytes, begin).view(cells.dtype)
    copy[:] = cells
    return copy

def laid(rows, columns, kind, make):
    "Cells and strides of a matrix that ends with the last cell."
    if kind == "sliced":
        return make(max(rows * columns * 2 - 1, 0)), (2 * columns, 2)
    return make(rows * columns), (1, rows) if kind == "transposed" else (columns, 1)

def check(name, m, k, n, kinds, at_end, activation, team):
    kind = dtypes.by_name(name)
    rng = np.random.default_rng(m + k + n)
    def make(count):
        return guarded(rng.integers(0, 3, count).astype(kind.cell), at_end)
    (out, o), (a, x), (b, y), (s, z) = (
        laid(*size, layout, make)
        for size, layout in zip(((m, n), (m, k), (k, n), (m, n)), (*kinds, kinds[0]))
    )
    threads.set_num_threads(team)
    plain = backend_of("cpu").gemm(kind, (), (m, n, k), o, x, y)
    plain((out, 0), (a, 0), (b, 0))
    added = backend_of("cpu").gemm(kind, (), (m, n, k), o, x, y, z, activation, z)
    added((out, 0), (a, 0), (b, 0), (s, 0), 2, 3, (s, 0))
    held.clear()

count = 0
for name, sizes, activation in CASES:
    for (m, k, n), at_end in itertools.product(sizes, (True, False)):
        for kinds in KINDS:
            check(name, m, k, n, kinds, at_end, activation and TABLE[activation], 4 if count % 3 else 1)
            count += 1
print(count)
"""

EDGES = [(1, 1, 1), (1, 7, 40), (40, 7, 1), (2, 3, 65), (3, 0, 5), (7, 5, 17), (8, 9, 48), (9, 33, 49)]
LARGE = [(130, 400, 70), (61, 130, 1000), (300, 70, 129), (33, 1000, 3)]
NARROW = [(9, 3000, 2), (2, 2100, 1), (600, 9, 2), (1, 40, 700), (1100, 33, 1)]
KINDS = [
    ("rows", "rows", "rows"),
    ("rows", "transposed", "rows"),
    ("rows", "rows", "transposed"),
    ("transposed", "rows", "transposed"),
    ("sliced", "sliced", "sliced"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows protects pages by another call than mprotect")
@pytest.mark.parametrize(
    "cases",
    [
        [("float32", EDGES + LARGE + NARROW, "relu")],
        [("float64", EDGES + LARGE + NARROW, None)],
        [("bfloat16", EDGES + NARROW, None)],
    ],
    ids=lambda cases: cases[0][0],
)
def test_nothing_outside_is_touched(cases):
    sizes = cases[0][1]
    program = f"CASES = {cases!r}\nKINDS = {KINDS!r}\n{PROGRAM}"
    assert int(run(program, NUMBA_DISABLE_JIT="0")) == 2 * len(sizes) * len(KINDS)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows protects pages by another call than mprotect")
def test_the_guard_guards():
    """A kernel that is told of one column too many is stopped."""
    program = PROGRAM[: PROGRAM.index("count = 0")] + (
        "cells = guarded(np.zeros(16, np.float32), True)\n"
        "whole = np.zeros(20, np.float32)\n"
        'backend_of("cpu").gemm(tl.float32, (), (4, 5, 4), (5, 1), (4, 1), (5, 1))'
        "((whole, 0), (cells, 0), (cells, 0))\n"
    )
    with pytest.raises(AssertionError):
        run(program, NUMBA_DISABLE_JIT="0")
