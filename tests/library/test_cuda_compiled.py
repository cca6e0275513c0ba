"""Kernels as machine code for GPUs, and the driver of a GPU without one.

What is compiled needs the packages of ``pip install 'tensorlab[cuda]'``, and no GPU.
"""

from __future__ import annotations

import importlib.util
import re
import types

import numpy as np
import pytest

from tensorlab.backends.cuda import compiler, kernels, ladder, text
from tensorlab.backends.cuda.driver import Gpu, GpuCells
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.core import dtypes
from tensorlab.scalars import TABLE

compiling = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None,
    reason="numba-cuda is not installed (pip install 'tensorlab[cuda]'): no kernel can be compiled",
)

COUNT, FLOATS = np.dtype(np.int64), compiler.Address(np.dtype(np.float32))


def resources(kernel, kinds, capability):
    """Registers a thread, bytes of its stack, and float64 instructions."""
    made = compiler.ptx(kernel, kinds, capability)
    log = compiler.cubin(made, capability).log
    registers = int(re.search(r"used (\d+) registers", log)[1])
    local = sum(map(int, re.findall(r"(\d+) (?:bytes )?(?:stack|lmem|spill)", log)))
    return registers, local, len(re.findall(rb"(?:add|sub|mul|fma|div)\S*\.f64", made.code))


@compiling
@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (9, 0)], ids="sm_{0[0]}{0[1]}".format)
@pytest.mark.parametrize(
    ("rung", "registers"),
    [("naive", 40), ("coalesced", 40), ("shared_tile", 48), ("column_tile", 72), ("square_tile", 80)],
)
def test_a_rung_keeps_its_numbers_in_registers(rung, registers, capability):
    kinds = (COUNT, COUNT, COUNT, FLOATS, FLOATS, FLOATS)
    used, local, doubles = resources(ladder.LADDER[rung].kernel, kinds, capability)
    assert used <= registers
    assert local == doubles == 0


def spilling(n, x):
    kept = cuda.local.array(64, np.float32)
    for i in range(64):
        kept[i] = x[i]
    for i in range(n):
        kept[(i * 7) % 64] += kept[i]
    x[0] = kept[n]


def doubling(n, x):
    x[n] = np.float32(np.float64(x[n]) * 1.1)


@compiling
def test_the_check_sees_local_memory_and_float64():
    assert resources(spilling, (COUNT, FLOATS), (8, 0))[1] > 0
    assert resources(doubling, (COUNT, FLOATS), (8, 0))[2] > 0


@compiling
def test_kernels_with_tuples_truths_and_barriers_compile():
    truths, places = compiler.Address(np.dtype(bool)), compiler.Address(np.dtype(np.int32))
    line = (COUNT,)
    given = COUNT, line, truths, COUNT, line, truths, COUNT, line, places
    whole = compiler.Address(np.dtype(np.int64))
    made = compiler.ptx(kernels.gather, (*given, (whole,), line, (line,), line, line, line), (8, 0))
    assert made.entry.encode() in made.code


@compiling
@pytest.mark.parametrize("name", ["ceil", "copysign", "floor", "fmod", "round", "sqrt", "trunc"])
def test_a_function_that_numba_cuda_has_under_another_name_compiles(name):
    row, single = TABLE[name], dtypes.float32
    made = text.pointwise_text(row, single, [single] * (1 + row.arity), [False] * (1 + row.arity))
    cells = FLOATS, COUNT, (COUNT,)
    kinds = (COUNT, (COUNT,), *cells * (1 + row.arity))
    assert compiler.ptx(text.kernel_of(name, made), kinds, (8, 0)).code


class Core:
    """What the driver uses of ``cuda.core``, on the host."""

    def __init__(self):
        self.launched, self.loaded, self.allocated = [], 0, []
        self.ObjectCode = types.SimpleNamespace(from_cubin=self.load)

    def Device(self, number):
        return types.SimpleNamespace(
            set_current=lambda: None,
            create_stream=lambda: types.SimpleNamespace(sync=lambda: None, handle=7),
            allocate=self.allocate,
            name="a card",
            compute_capability=(8, 0),
            properties=types.SimpleNamespace(multiprocessor_count=4),
        )

    def allocate(self, size, stream):
        self.allocated.append(np.zeros(size, np.uint8))
        return types.SimpleNamespace(handle=self.allocated[-1].ctypes.data)

    def load(self, code):
        self.loaded += 1
        return types.SimpleNamespace(get_kernel=lambda entry: (code, entry))

    def LaunchConfig(self, grid, block):
        return grid, block

    def launch(self, stream, configuration, kernel, *arguments):
        self.launched.append((configuration, kernel, arguments))


def test_a_launch_hands_addresses_and_numbers_to_a_kernel_that_is_compiled_once(monkeypatch):
    monkeypatch.setattr(compiler, "ptx", lambda kernel, kinds, capability: compiler.Compiled(b"", "fill"))
    monkeypatch.setattr(compiler, "cubin", lambda compiled, capability: compiled)
    monkeypatch.setattr(Gpu, "_call", staticmethod(lambda name, *arguments: [0, 1 << 34]))
    core = Core()
    gpu = Gpu(core)
    assert (gpu.name, gpu.capability, gpu.total, gpu.blocks) == ("a card", (8, 0), 1 << 34, 32)
    cells = gpu.new_block(64).view(np.float32)
    gpu.launch(kernels.fill, 2, 32, cells, 4, 12, np.float32(1))
    gpu.launch(kernels.fill, 1, 32, cells[4:], 0, 12, np.float32(2))
    assert core.loaded == 1
    (first, kernel, arguments), (second, _, others) = core.launched
    assert (first, second, kernel) == ((2, 32), (1, 32), (b"", "fill"))
    assert arguments == (cells.pointer, 4, 12, 1)
    assert others[0] == cells.pointer + 16
    gpu.launch(kernels.fill, 1, 32, cells.view(np.int32), 0, 16, np.int32(2))
    assert core.loaded == 2


def test_cells_of_a_gpu_are_sliced_and_viewed_by_address():
    cells = GpuCells(1000, 10, np.int16, None)
    part = cells[2:5]
    assert (part.pointer, part.size, part.nbytes, part.view(np.uint8).size) == (1004, 3, 6, 6)
    assert cells[10:].size == 0
