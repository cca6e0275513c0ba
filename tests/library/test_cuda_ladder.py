"""Every rung of the GPU's ladder multiplies, at ragged sizes in several orders, and its faults are caught."""

from __future__ import annotations

import functools
import json
import types

import numpy as np
import pytest

from tensorlab.backends.cuda import gemm, ladder, operands, products, tensor_cores, warpgroups
from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.simulator import KernelError, launch


@pytest.mark.parametrize(("sizes", "seed"), [((17, 19, 9), 0), ((5, 3, 21), 1), ((17, 20, 8), 2)])
@pytest.mark.parametrize("rung", ladder.LADDER)
def test_a_rung_agrees_with_numpy(rung, sizes, seed):
    m, n, k = sizes
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    np.testing.assert_allclose(ladder.matmul(rung, a, b, seed), a @ b, rtol=1e-5, atol=1e-5)


class Careless:
    """The names of `cuda` without barriers."""

    def __getattr__(self, name):
        return getattr(ladder.cuda, name)

    def syncthreads(self):
        pass


def given(m, n, k):
    return m, n, k, np.ones(m * k, np.float32), np.ones(k * n, np.float32), np.ones(m * n, np.float32)


@pytest.mark.parametrize("rung", [*ladder.LADDER][2:])
def test_a_rung_without_its_barriers_is_a_race(rung):
    kernel, block, _ = ladder.LADDER[rung]
    with pytest.raises(KernelError, match=r"a race for|read before any thread has written"):
        launch(specialised(kernel, cuda=Careless()), 1, block, *given(16, 16, 16))


def test_a_rung_that_forgets_its_tail_reads_outside():
    def endless(x, cell, step, outer_left, k_left, along_k, is_wide):
        return x[cell], x[cell + step], x[cell + 2 * step], x[cell + 3 * step]

    kernel, block, _ = ladder.LADDER["vectorised"]
    with pytest.raises(KernelError, match="outside of"):
        launch(specialised(kernel, fetch=endless), 1, block, *given(16, 16, 6))


def test_four_cells_that_do_not_begin_at_a_multiple_of_16_bytes_are_refused():
    kernel, block, _ = ladder.LADDER["vectorised"]
    with pytest.raises(KernelError, match="not at a multiple of 4 cells"):
        launch(specialised(kernel, WIDE_A=True), 1, block, *given(16, 16, 6))


def test_the_size_that_a_gpu_runs():
    """A block of 256 threads, at ragged sizes."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((70, 12)).astype("f"), rng.standard_normal((12, 68)).astype("f")
    c = np.zeros(70 * 68, np.float32)
    large = products.LARGEST._asdict() | {"WIDE_A": True, "WIDE_B": True, "WIDE_OUT": True}
    kernel = specialised(ladder.LADDER["warp_tiled"].kernel, **large)
    launch(kernel, 1, products.LARGEST.threads, 70, 68, 12, a.ravel(), b.ravel(), c)
    np.testing.assert_allclose(c.reshape(70, 68), a @ b, rtol=1e-5, atol=1e-5)


# --- tensor cores -------------------------------------------------------------------------------------------

OPERANDS = {
    "bfloat16": lambda x: (x.view(np.uint32) >> 16).astype(np.uint16),
    "float16": lambda x: x.astype(np.float16).view(np.uint16),
    "tf32": lambda x: x,
}
NUMBERS = {
    "bfloat16": lambda x: (x.astype(np.uint32) << 16).view(np.float32),
    "float16": lambda x: x.view(np.float16).astype(np.float32),
    "tf32": lambda x: (x.view(np.uint32) + 0x1000 & 0xFFFFE000).view(np.float32),
}


def multiplied(name, kernel, tile, threads, sizes, along_k):
    """The product of random matrices by a kernel in the simulator, and by NumPy."""
    m, n, k = sizes
    rng = np.random.default_rng(3)
    a, b = (OPERANDS[name](rng.standard_normal(size).astype(np.float32)) for size in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float32)
    a_cells, b_cells = (a if along_k[0] else a.T).ravel(), (b.T if along_k[1] else b).ravel()
    a_strides, b_strides = (k, 1) if along_k[0] else (1, m), (1, k) if along_k[1] else (n, 1)
    out = c.ravel(), 0, (0,), n, 1
    operands = *out, a_cells, 0, (0,), *a_strides, b_cells, 0, (0,), *b_strides, *out, *out
    launch(kernel, (-(-n // tile), -(-m // tile)), threads, m, n, k, 1.0, 0.0, (1,), *operands)
    return c, NUMBERS[name](a) @ NUMBERS[name](b)


def on_tensor_cores(name, sizes, along_k, is_wide=True, **names):
    pieces, functions = tensor_cores.SMALL, (products.finish, products.widen)
    kernel = specialised(tensor_cores.of_type(name, along_k, is_wide, pieces, *functions), **names)
    return multiplied(name, kernel, pieces.tile, pieces.threads, sizes, along_k)


def by_warpgroups(name, sizes, along_k, **names):
    kernel = specialised(warpgroups.of_type(name, along_k, products.finish, products.widen), **names)
    return multiplied(name, kernel, warpgroups.TILE, warpgroups.THREADS, sizes, along_k)


@pytest.mark.parametrize("name", OPERANDS)
@pytest.mark.parametrize(
    ("sizes", "along_k", "is_wide"),
    [
        ((40, 24, 40), (True, False), True),
        ((32, 40, 16), (False, True), True),
        ((17, 35, 21), (True, True), False),
        ((9, 7, 5), (False, False), False),
    ],
)
def test_tensor_cores_multiply(name, sizes, along_k, is_wide):
    found, expected = on_tensor_cores(name, sizes, along_k, is_wide)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_tensor_cores_without_barriers_are_a_race():
    with pytest.raises(KernelError, match=r"a race for|read before any thread has written"):
        on_tensor_cores("bfloat16", (32, 32, 64), (True, False), cuda=Careless())


@pytest.mark.parametrize(
    ("name", "along_k"),
    [
        ("bfloat16", (True, False)),
        ("bfloat16", (False, True)),
        ("float16", (True, True)),
        ("float16", (False, False)),
    ],
)
def test_warpgroups_multiply(name, along_k):
    found, expected = by_warpgroups(name, (72, 120, 80), along_k)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_warpgroups_without_barriers_are_a_race():
    with pytest.raises(KernelError, match=r"a race for|read before any thread has written"):
        by_warpgroups("bfloat16", (72, 120, 80), (True, False), cuda=Careless())


# --- which kernel runs --------------------------------------------------------------------------------------


def test_small_products_get_small_squares_and_large_ones_large_squares():
    card = types.SimpleNamespace(name="another card", capability=(9, 0), blocks=8 * 132)
    choose = functools.partial(gemm.choose, card)
    assert choose(8192, 8192, 1, True, np.float32) is products.LARGEST
    assert choose(512, 512, 1, True, np.float32) is products.MIDDLE
    assert choose(128, 128, 500, True, np.float32) is products.LARGEST
    assert choose(8192, 8192, 1, False, np.float32) is products.MIDDLE
    assert choose(8192, 8192, 1, True, np.float64) is products.MIDDLE


def test_a_card_that_was_measured_chooses_by_what_was_measured(monkeypatch, tmp_path):
    rows = [{"name": "product 64x4", "tflop_per_s": 10.0}, {"name": "product 128x8", "tflop_per_s": 50.0}]
    (tmp_path / "my_card.json").write_text(json.dumps({"products": rows}))
    monkeypatch.setattr(gemm, "CARDS", tmp_path)
    card = types.SimpleNamespace(name="My card", capability=(9, 0), blocks=8 * 132)
    assert gemm.choose(card, 512, 512, 1, True, np.float32) is products.LARGEST


def test_where_four_neighbours_are_moved_at_a_time():
    assert operands.fits((64, 8, 1), -1, 8)
    assert operands.fits((64, 1, 8), -2, 8)
    for strides, size in (((9, 1), 8), ((8, 2), 8), ((8, 1), 7)):
        assert not operands.fits(strides, -1, size)
    memory = types.SimpleNamespace(cells=types.SimpleNamespace(pointer=512, dtype=np.dtype(np.float32)))
    assert [operands.is_aligned((memory, first)) for first in (0, 1, 4)] == [True, False, True]
