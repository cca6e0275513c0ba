"""Functions that kernels call by a name or an address, without having them compiled into themselves."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, types
from numba.core import config

from tensorlab.backends.cpu.linking import address_of, call_at, external, table_of
from tensorlab.backends.cpu.pointers import at
from tests.library.test_kernels import run, run_interpreted

WORD, CELLS = types.int64, types.CPointer(types.float64)


@njit(no_cfunc_wrapper=True)
def put(cells, place, value, negates):
    cells[place] = -value if negates else value


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="interpreted functions have no machine code")
def test_a_kernel_calls_what_is_not_compiled_into_it():
    put_by_name = external("tensorlab_tests_put", put, [CELLS, WORD, types.float64, types.boolean])

    @njit
    def fill(cells, first):
        from_numba = cells.ctypes
        put_by_name(from_numba, first, 3, True)  # constants become what the function takes
        put_by_name(from_numba, first + 1, 4.5, False)

    cells = np.zeros(4)
    fill(cells, 1)
    assert cells.tolist() == [0, -3, 4.5, 0]
    text = fill.inspect_llvm(fill.signatures[0])
    assert "declare i32 @tensorlab_tests_put" in text
    assert address_of(put, [CELLS, WORD, types.float64, types.boolean]) > 0


@njit(no_cfunc_wrapper=True)
def put_at(cells, place, value):
    cells[place] = value


def test_a_kernel_calls_by_a_table_what_knows_the_cells_types():
    """The kernel has pointers to bytes; one function sees floats there, the other one integers."""
    kinds = [[types.CPointer(kind), WORD, kind] for kind in (types.float32, types.int64)]
    table = table_of([(put_at, each) for each in kinds])

    @njit
    def fill(table, floats, integers):
        call_at(table[0], (at(floats, 0), 1, np.float32(2.5)))
        call_at(table[1], (at(integers, 0), 1, 7))

    floats, integers = np.zeros(3, np.float32), np.zeros(3, np.int64)
    fill(table, floats.view(np.uint8), integers.view(np.uint8))
    assert (floats.tolist(), integers.tolist()) == ([0, 2.5, 0], [0, 7, 0])


def test_the_twins_call_by_a_table_too():
    run_interpreted(__file__, "by_a_table_what")


def test_interpreted_code_calls_the_function_itself():
    code = """
from tensorlab.backends.cpu.linking import external
print(external("anything", len, []) is len)
"""
    assert run(code, NUMBA_DISABLE_JIT="1").strip() == "True"


def test_products_share_their_parts_on_disk_too(tmp_path):
    """The second process finds the kernels, and the parts by their names; it compiles none of them."""
    code = """
import numba.core.event as event, tensorlab as tl
with event.install_recorder("numba:compile") as recorder:
    x = tl.arange(300 * 200, dtype=tl.float32).reshape(300, 200) % 7
    y = tl.arange(200 * 310, dtype=tl.float32).reshape(200, 310) % 5
    product = tl.addmm(tl.ones(310), x, y)
    scores = tl.nn.functional.scaled_dot_product_attention(x, x, x)
names = {data.data["dispatcher"].py_func.__name__ for _, data in recorder.buffer}
print(product.sum().item(), scores.sum().item(), "tile" in names)
"""
    first, second = (run(code, TENSORLAB_CACHE_DIR=str(tmp_path)).split() for _ in range(2))
    assert first[:2] == second[:2]
    assert (first[2], second[2]) == ("True", "False")


def test_interpreted_products_begin_each_run_of_steps_from_zero():
    code = """
import tensorlab as tl
x = tl.arange(5 * 300).reshape(5, 300).to(tl.float32) % 7
y = tl.arange(300 * 13).reshape(300, 13).to(tl.float32) % 5
print((x @ y).sum().item(), (x.sum(0) * y.sum(1)).sum().item())
"""
    product, expected = run(code, NUMBA_DISABLE_JIT="1").split()
    assert product == expected


def test_random_numbers_share_their_engine_on_disk_too(tmp_path):
    """The second process finds the kernels, and the engine by its name; it compiles none of them."""
    code = """
import numba.core.event as event, tensorlab as tl
with event.install_recorder("numba:compile") as recorder:
    tl.manual_seed(8)
    made = tl.rand(20), tl.randn(20), tl.poisson(tl.full((20,), 3.0))
names = {data.data["dispatcher"].py_func.__name__ for _, data in recorder.buffer}
print(sum(each.sum().item() for each in made), names >= {"draw", "twist", "numbers"}, "draw" in names)
"""
    first, second = (run(code, TENSORLAB_CACHE_DIR=str(tmp_path)).split() for _ in range(2))
    interpreted = run(code, NUMBA_DISABLE_JIT="1").split()
    assert first == [second[0], "True", "True"]
    assert second[1:] == ["False", "False"]
    assert float(interpreted[0]) == pytest.approx(float(first[0]), rel=1e-6)
