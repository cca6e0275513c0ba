"""The product compiled for other processors than this one, and the sizes that follow from a processor."""

from __future__ import annotations

import platform

import pytest

from tensorlab.backends.cpu import machine
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


def tell(folder, **caches):
    """What Linux tells of caches: for each a level, a type and a size."""
    for name, words in caches.items():
        (folder / name).mkdir()
        for file, word in zip(("level", "type", "size"), words, strict=False):
            (folder / name / file).write_text(f"{word}\n")


def test_what_linux_tells_of_caches(tmp_path):
    tell(tmp_path, index0=("1", "Data", "48K"), index1=("1", "Instruction", "32K"))
    tell(tmp_path, index2=("2", "Unified", "2048K"), index3=("3", "Unified", "32768K"))
    assert machine._told_by_linux(tmp_path) == {1: 48 << 10, 2: 2 << 20, 3: 32 << 20}


def test_what_linux_does_not_tell_is_left_out(tmp_path):
    assert machine._told_by_linux(tmp_path / "nothing") == {}
    tell(tmp_path, index0=("1", "Data"), index1=("2", "Unified", "0K"), index2=("3", "Unified", "unknown"))
    tell(tmp_path, index3=("", "Unified", "64K"))
    assert machine._told_by_linux(tmp_path) == {}


@pytest.mark.parametrize(
    ("system", "processor", "first"),
    [("Linux", "x86_64", 32), ("Linux", "aarch64", 64), ("Windows", "AMD64", 32), ("Windows", "ARM64", 64),
     ("Darwin", "arm64", 128), ("Darwin", "x86_64", 32), ("FreeBSD", "riscv64", 32)],
)  # fmt: skip
def test_where_nothing_is_told_usual_sizes_are_taken(monkeypatch, system, processor, first):
    monkeypatch.setattr(machine.platform, "system", lambda: system)
    monkeypatch.setattr(machine.platform, "machine", lambda: processor)
    monkeypatch.setattr(machine, "_told_by_linux", dict)
    monkeypatch.setattr(machine, "_told_by_macos", dict)
    found = caches.__wrapped__()
    assert found.first == first << 10
    for size in (4, 8):
        assert min(blocks(size, Vectors(16, 32), found)) > 0


def test_a_mac_tells_of_its_fast_cores(monkeypatch):
    told = {"hw.perflevel0.l1dcachesize": "131072\n", "hw.perflevel0.l2cachesize": "16777216\n"}

    def sysctl(command, **_):
        return machine.subprocess.CompletedProcess(command, 0, told.get(command[-1], ""))

    def missing(*_, **__):
        raise FileNotFoundError("sysctl")

    monkeypatch.setattr(machine.subprocess, "run", sysctl)
    assert machine._told_by_macos() == {1: 128 << 10, 2: 4 << 20}
    told.clear()
    assert machine._told_by_macos() == {}
    monkeypatch.setattr(machine.subprocess, "run", missing)
    assert machine._told_by_macos() == {}


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
