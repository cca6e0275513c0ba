"""Kernels as machine code for GPUs.

What is compiled needs the packages of ``pip install 'tensorlab[cuda]'``, and no GPU.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from tensorlab.backends.cuda import compiler, elementwise, figures, index, products
from tensorlab.backends.cuda.checked import CHECKED
from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.kernel_text import kernel_of
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.core import dtypes
from tensorlab.scalars import TABLE

compiling = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None,
    reason="numba-cuda is not installed (pip install 'tensorlab[cuda]'): no kernel can be compiled",
)

disassembling = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None or not figures.disassembler(),
    reason="nvdisasm is not installed (pip install 'tensorlab[cuda,cuda-check]'): no code can be read",
)

COUNT, FLOATS = np.dtype(np.int64), compiler.Address(np.dtype(np.float32))


# --- budgets ------------------------------------------------------------------------------------------------


def excess(name, figures):
    """What of its figures a kernel must not have, by the name of the figure."""
    budget = {"registers": (0, 128), "double": (0, 0)}
    if name.startswith("rung"):
        budget["stack"] = budget["local"] = (0, 0)
    if name.startswith(("rung vec", "rung dou", "rung warp", "product")):
        budget |= {"stack": (0, 32), "shared": (0, 20 << 10), "wide": (20, 60)}
        budget["local"] = (0, 15)  # numbers that are put aside before the loop, and taken back behind it
        budget["loop_fma"] = (64, 512)
    if "128x8" in name or name == "rung warp_tiled":
        budget |= {"loop_fma": (512, 512), "loop_all": (512, 600), "loop_local": (0, 5)}
    if name.startswith(("bfloat16", "float16", "tf32")):  # what is cleared away before results are written
        budget |= {"shared": (0, 48 << 10), "wide": (8, 8), "loop_tensor": (16, 32), "loop_local": (0, 1)}
        budget["loop_all"] = (0, 570 if name.startswith("tf32") else 155)
        budget["stack"] = (0, 288 if name.startswith("float16") else 72)
    if "of columns" in name:  # each number is found by itself: it takes some twenty instructions
        most = 670 if "128x8" in name else 410 if "64x4" in name else 460
        stack = 0 if name.startswith("product") else 16
        budget |= {"loop_all": (0, most), "stack": (0, stack), "wide": (24, 60)}
    if name.startswith("wgmma"):  # two warps' instructions on their way at a time: none may wait for another
        budget |= {"shared": (0, 50 << 10), "wide": (12, 12), "loop_tensor": (2, 2), "loop_all": (0, 150)}
        budget |= {"loop_local": (0, 0), "stack": (0, 256)}
    if name.startswith(("reduce", "row ")):
        budget |= {
            "registers": (0, 48 if name.startswith("reduce") else 64),
            "stack": (0, 0),
            "local": (0, 0),
            "shuffle": (1, 6 if "argmax" in name else 4),
            "atomic": (0, 0),
        }
    if name.startswith("reduce var"):  # it adds up in float64, and as a whole twice
        budget |= {"double": (1, 96), "shuffle": (1, 8), "registers": (0, 64)}
    if name.startswith("reduce argmax"):
        budget["registers"] = (0, 64)
    if name.endswith("in columns"):
        budget["shuffle"] = (0, 0)
    if name.startswith("scan"):
        budget |= {"stack": (0, 0), "local": (0, 0), "double": (0, 40)}
        budget["registers"] = (0, 128 if name.endswith("parts") else 112)
    if name.startswith("sort"):
        budget |= {"registers": (0, 64), "stack": (0, 0), "local": (0, 0), "shared": (0, 26 << 10)}
    if name.startswith("row gradient"):
        budget["registers"] = (0, 208)
    if name.startswith("grouped"):
        budget |= {"registers": (0, 48), "stack": (0, 0), "local": (0, 0), "shared": (1024, 2 << 10)}
        budget |= {"shuffle": (0, 0), "atomic": (0, 0)}
    if name.startswith("pointwise"):
        budget |= {"registers": (0, 72), "stack": (0, 0), "local": (0, 0), "wide": (4, 30)}
    if name.startswith("update"):  # runs of the parameter, the gradient and two memories; three are written
        budget |= {"registers": (0, 80), "stack": (0, 0), "local": (0, 0), "wide": (7, 7)}
    if name.startswith("numbers"):
        budget |= {"registers": (0, 48), "stack": (0, 0), "local": (0, 0)}
    if name.startswith("kept"):
        budget |= {"registers": (0, 144), "stack": (0, 0), "local": (0, 0), "wide": (16, 32)}
    if name == "transpose":
        budget |= {"registers": (0, 48), "stack": (0, 0), "local": (0, 0), "shared": (4224, 6 << 10)}
    if name == "attention":
        budget |= {"stack": (0, 0), "local": (0, 0), "shared": (0, 44 << 10), "registers": (0, 255)}
        budget |= {"shuffle": (3, 100), "atomic": (0, 0), "fma": (640, 720), "wide": (40, 60)}
    if name.startswith("attention gradient"):  # those of keys are two: dK and dV
        budget |= {"stack": (0, 0), "local": (0, 0), "shared": (0, 38 << 10), "registers": (0, 224)}
        budget |= {"shuffle": (0, 9), "atomic": (0, 0), "fma": (540, 680), "wide": (60, 110)}
    if name.startswith("tf32"):
        budget["registers"] = (0, 255)
    return {each: figures[each] for each, (low, high) in budget.items() if not low <= figures[each] <= high}


@pytest.mark.parametrize("name", CHECKED)
def test_a_kernel_keeps_to_its_budget(name):
    found = figures.recorded()[name]
    command = "python -m tensorlab.backends.cuda.figures"
    assert found["source"] == figures.fingerprint(CHECKED[name]), f"the kernel has changed: run {command}"
    kinds = {f"sm_{major}{minor}" for major, minor in CHECKED[name].capabilities}
    assert found.keys() == kinds | {"source"}
    assert [excess(name, found[kind]) for kind in kinds] == [{}] * len(kinds)


def test_figures_are_kept_until_a_kernel_changes(monkeypatch):
    name = "product nn 64x4"
    known = figures.recorded()
    monkeypatch.setattr(figures, "measured", lambda checked, capability: {"registers": 7})
    same, changed = CHECKED[name], CHECKED[name]._replace(kernel=CHECKED["product nn 128x8"].kernel)
    assert figures.taken({name: same}, known) == {name: known[name]}
    found = figures.taken({name: changed}, known)[name]
    assert found["source"] != known[name]["source"]
    assert found["sm_80"] == {"registers": 7}


def test_the_fingerprint_sees_constants_called_functions_and_bounds():
    kernel = CHECKED["product nn 64x4"].kernel
    others = [
        specialised(kernel, STEP=8),
        specialised(kernel, fetch=products.keep),
        specialised(kernel),
    ]
    vars(others[2])["bounds"] = 64, 1
    seen = {figures.fingerprint(figures.Checked(each, (COUNT,))) for each in (kernel, *others)}
    assert len(seen) == 4


def spilling(n, x):
    kept = cuda.local.array(64, np.float32)
    for i in range(64):
        kept[i] = x[i]
    for i in range(n):
        kept[(i * 7) % 64] += kept[i]
    x[0] = kept[n]


def doubling(n, x):
    x[n] = np.float32(np.float64(x[n]) * 1.1)


def dividing(n, x):
    x[n] = x[n] / x[n + 1]


@disassembling
def test_figures_are_those_of_the_machine_code_and_faults_exceed_the_budget():
    name = "product nn 64x4"
    assert figures.measured(CHECKED[name], (8, 0)) == figures.recorded()[name]["sm_80"]
    greedy = specialised(CHECKED["product nn 128x8"].kernel)
    vars(greedy)["bounds"] = 256, 3
    found = figures.measured(figures.Checked(greedy, CHECKED[name].kinds), (8, 0))
    assert excess("product nn 128x8", found).keys() >= {"stack", "local", "loop_local"}
    assert excess("rung", figures.measured(figures.Checked(spilling, (COUNT, FLOATS)), (8, 0))).keys() == {
        "stack",
        "local",
    }
    assert excess("rung", figures.measured(figures.Checked(doubling, (COUNT, FLOATS)), (8, 0))) != {}


@compiling
def test_division_is_exact_and_small_numbers_stay():
    code = compiler.ptx(dividing, (COUNT, FLOATS), (8, 0)).code
    assert b"div.rn.f32" in code
    assert b".ftz" not in code


# --- what compiles ------------------------------------------------------------------------------------------


@compiling
def test_kernels_with_tuples_truths_and_barriers_compile():
    truths = compiler.Address(np.dtype(bool))
    line, whole = (COUNT,), compiler.Address(np.dtype(np.int64))
    given = COUNT, COUNT, line, *(truths, COUNT, line, COUNT) * 2
    led = (whole,), line, (line,), line, line, line, whole, line
    keys = whole, compiler.Address(np.dtype(np.int32)), COUNT
    for kernel, kinds in (
        (index.gather, (*given, *led)),
        (index.number_runs, (COUNT, line, keys[1], line, *led[:-2], COUNT, *led[-2:])),
        (index.combine, (*given[:3], *keys, *given[3:], *led)),
    ):
        made = compiler.ptx(kernel, kinds, (8, 0))
        assert made.entry.encode() in made.code


@compiling
@pytest.mark.parametrize("name", ["ceil", "copysign", "floor", "fmod", "round", "sqrt", "trunc"])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_function_that_numba_cuda_has_under_another_name_compiles_in_the_type_of_its_numbers(name, kind):
    row, element = TABLE[name], dtypes.by_name(kind)
    operands = 1 + row.arity
    made = elementwise.pointwise_text(row, element, [element] * operands, ["run"] * operands, 4, True)
    kinds = COUNT, *(compiler.Address(element.cell), COUNT) * operands
    code = compiler.ptx(kernel_of(name, made), kinds, (8, 0)).code
    assert (b".f64" in code) == (kind == "float64")


@compiling
def test_a_function_of_a_formula_is_no_instruction_of_that_name():
    row, single = TABLE["remainder"], dtypes.float32
    made = elementwise.pointwise_text(row, single, [single] * 3, ["run"] * 3, 4, True)
    kinds = COUNT, *(FLOATS, COUNT) * 3
    code = compiler.ptx(kernel_of("remainder", made), kinds, (8, 0)).code
    assert b"rem.u32" not in code
