"""The product compiled for other processors than this one, and the sizes that follow from a processor."""

from __future__ import annotations

import platform

import pytest

from tensorlab.backends.cpu.gemm.blocks import blocks
from tensorlab.backends.cpu.machine import Caches, Vectors, caches, vectors
from tests.library.test_kernels import run

MACHINES = {
    "AVX-512": (Vectors(64, 32), Caches(48 << 10, 2 << 20)),
    "AVX2": (Vectors(32, 16), Caches(32 << 10, 256 << 10)),
    "SSE2": (Vectors(16, 16), Caches(16 << 10, 128 << 10)),
    "NEON": (Vectors(16, 32), Caches(128 << 10, 4 << 20)),
}


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("size", [4, 8])
def test_blocks_fit_their_caches(name, size):
    registers, memory = MACHINES[name]
    found = blocks(size, registers, memory)
    tile = found.rows * found.width // found.lanes
    assert tile + found.width // found.lanes < registers.registers
    assert found.rows * found.steps * size <= memory.first // 2
    assert (found.steps * (found.columns + found.height)) * size <= memory.second
    assert found.columns % found.width == found.height % found.rows == 0


def test_this_machine_is_known():
    assert vectors().size in (16, 32, 64)
    assert 8 << 10 <= caches().first <= caches().second


PRODUCTS = """
import numpy as np
import tensorlab as tl
from tensorlab.backends.cpu.machine import vectors
random = np.random.default_rng(0)
for m, k, n in ((5, 6, 7), (70, 300, 90), (1, 9, 40), (40, 9, 1)):
    a = random.integers(-8, 9, (m, k)).astype(np.float32)
    b = random.integers(-8, 9, (k, n)).astype(np.float32)
    for y in (b, b.T.copy().T):
        assert (np.asarray(tl.from_numpy(a) @ tl.from_numpy(y)) == a @ b).all(), (m, k, n)
print(vectors().size)
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="these are names of x86 processors")
@pytest.mark.parametrize(("processor", "size"), [("haswell", 32), ("x86-64", 16)])
def test_other_processors(processor, size):
    """An empty list of features leaves those that the processor's name stands for."""
    if size > vectors().size:
        pytest.skip("this processor has no such vectors")
    assert int(run(PRODUCTS, NUMBA_CPU_NAME=processor, NUMBA_CPU_FEATURES="", NUMBA_DISABLE_JIT="0")) == size
