"""Kernels as programs: their text, their cache, their interpreted form, and what an import costs."""

from __future__ import annotations

import ast
import json
import os
import pickle
import platform
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.backends import backend_of
from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.elementwise import kernel_source
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.scalars import TABLE


def run(code: str, **environment: str) -> str:
    """The output of a fresh Python process."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def run_interpreted(file: str, pattern: str) -> None:
    """Run the tests of a file whose names fit, with plain Python in the place of kernels and intrinsics."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", file, "-k", pattern]
    result = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_import_loads_no_compiler_and_no_widgets():
    heavy = ["numba", "llvmlite", "anywidget", "ipywidgets", "IPython", "matplotlib"]
    code = f"import sys, json, tensorlab; print(json.dumps([m for m in {heavy} if m in sys.modules]))"
    assert json.loads(run(code)) == []


PROGRAM = """
import numpy as np
import tensorlab as tl
x = tl.arange(12, dtype=tl.float32).view(3, 4)
print((x + x).tolist(), (x.T * tl.tensor([1.0, 2.0, 3.0])).tolist(), (x / 0).tolist()[1], (-x > 2).tolist())
print((x.to(tl.float16) + 1).tolist(), (x.to(tl.bfloat16) - 0.5).tolist(), x.to(tl.int8)[1, 2:].tolist())
"""


def test_interpreted_kernels_give_the_same():
    assert run(PROGRAM, NUMBA_DISABLE_JIT="1") == run(PROGRAM, NUMBA_DISABLE_JIT="0")


FORMULAS = """
import json
import tensorlab as tl
from tensorlab.ops.elementwise import apply
from tensorlab.scalars import COUNTING, INTEGERS, TABLE
results = {}
for name, row in TABLE.items():
    data = [1, 5, -2, 64] if row.takes in (INTEGERS, COUNTING) else [0.5, -3.0, 0.0, 1e6, float("nan")]
    operands = [tl.tensor(data)] * row.arity + [1.5] * row.parameters
    results[name] = apply(row, *operands).tolist()
    if data[0] == 1 or name in ("floor_divide", "remainder", "pow", "sign", "round", "nan_to_num"):
        continue
    operands[: row.arity] = [tl.tensor(data, dtype=tl.float64)] * row.arity
    results[name + "64"] = apply(row, *operands).tolist()
print(json.dumps(results))
"""


def test_interpreted_formulas_give_the_same():
    """All rows of the table; the last digit may differ, where compiled code joins a product and a sum."""
    compiled, interpreted = (json.loads(run(FORMULAS, NUMBA_DISABLE_JIT=flag)) for flag in ("0", "1"))
    assert compiled.keys() == interpreted.keys()
    for name, values in compiled.items():
        relative = 1e-14 if name.endswith("64") else 1e-6
        np.testing.assert_allclose(interpreted[name], values, rtol=relative, atol=1e-300, err_msg=name)


NUMBERS = """
import tensorlab as tl
for name in ("uint8", "int8", "int16", "int32"):
    x = tl.arange(3, dtype=getattr(tl, name))
    print((x - 300).tolist(), (x * 70000).tolist(), (-1 - x).tolist())
    print((x == -1).tolist(), x.clamp(-2, 2).tolist())
"""


def test_interpreted_numbers_wrap_around_as_compiled_ones_do():
    assert run(NUMBERS, NUMBA_DISABLE_JIT="1") == run(NUMBERS, NUMBA_DISABLE_JIT="0")


def test_a_second_process_compiles_nothing(tmp_path):
    environment = {"TENSORLAB_CACHE_DIR": str(tmp_path), "NUMBA_DEBUG_CACHE": "1", "NUMBA_DISABLE_JIT": "0"}
    first, second = run(PROGRAM, **environment), run(PROGRAM, **environment)
    assert "data saved to" in first
    assert "data loaded from" in second
    assert "data saved to" not in second


def test_kernels_are_loaded_without_what_the_compiler_knows(tmp_path):
    """Numba would register all of its functions first, which takes half of the first operation's time."""
    products = """
y = tl.rand(300, 200)
print((y @ y.T).sum(1).sort().indices[-1].item(), y.std(0).argmax().item(), y.cumsum(1)[7].tolist())
"""
    code = f"import tensorlab as tl; tl.manual_seed(8); {PROGRAM}{products}"
    refuses = """
from numba.core.base import BaseContext
BaseContext.refresh = None
"""
    environment = {"TENSORLAB_CACHE_DIR": str(tmp_path), "NUMBA_DEBUG_CACHE": "0", "NUMBA_DISABLE_JIT": "0"}
    first = run(code, **environment)
    assert run(refuses + code, **environment) == first
    with pytest.raises(AssertionError, match="'NoneType' object is not callable"):
        run(f"{refuses}{code}y.cumprod(0)", **environment)


def test_a_file_that_cannot_be_read_is_made_anew(tmp_path):
    """As after a step back to a version without a module that an index names."""
    code = "import tensorlab as tl; print(tl.tensor([3, 1, 2]).sort())"
    environment = {"TENSORLAB_CACHE_DIR": str(tmp_path), "NUMBA_DEBUG_CACHE": "0", "NUMBA_DISABLE_JIT": "0"}
    first = run(code, **environment)
    written = sorted(path for path in tmp_path.rglob("*.nb[ci]") if path.parent.name != "__pycache__")
    assert {path.suffix for path in written} == {".nbc", ".nbi"}
    names_a_module = pickle.dumps(numba.__version__) + b"ctensorlab.no_such_module\nKind\n."
    for path in written:
        path.write_bytes(names_a_module if path.suffix == ".nbi" else b"half of a file")
    assert run(code, **environment) == first
    assert all(path.stat().st_size > 100 for path in written)


def test_kernels_change_with_what_writes_their_instructions(tmp_path):
    code = """
from numba.core import event
import tensorlab as tl
from tensorlab.backends.cpu import jit
{}
with event.install_recorder("numba:compile") as compiled:
    tl.tensor([3, 1, 2]).sort()
print(len(compiled.buffer) > 0)
"""
    changed = code.format("jit._WRITTEN_BY += 'changed'")
    same = code.format("")
    environment = {"TENSORLAB_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    found = [run(program, **environment).strip() for program in (same, same, changed, changed, same)]
    assert found == ["True", "False", "True", "False", "False"]


def test_the_cache_folder_follows_the_environment_and_survives_a_bad_one(tmp_path):
    code = "from tensorlab.backends.cache import cache_directory; print(cache_directory())"
    assert run(code, TENSORLAB_CACHE_DIR=str(tmp_path)).strip() == str(tmp_path / "kernels")
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    fallback = Path(
        run(
            code + "; import tensorlab as tl; print(tl.ones(2) + 1)", TENSORLAB_CACHE_DIR=str(blocked)
        ).splitlines()[0]
    )
    assert fallback.name.startswith("tensorlab-")
    assert not fallback.exists()


def test_a_broken_kernel_leaves_no_module_behind():
    with pytest.raises(SyntaxError):
        jit.load("broken", "def kernel(:\n")
    assert not any(name.startswith("tensorlab_kernels.broken") for name in sys.modules)


def test_kernel_sources_are_readable_python():
    f32, f16 = tl.float32, tl.float16
    for pattern in ("run", "run", "number"), ("run", "step", "one"), ("run", "transposed", "self"):
        text = kernel_source(TABLE["mul"], f32, (f16, f16, f32), pattern)
        compile(text, "kernel", "exec")
        assert text.count("def float16_to_float32") == 1


@pytest.mark.parametrize("name", TABLE)
def test_no_variable_of_a_kernel_hides_a_function_that_it_calls(name):
    """As a variable ``far`` hid the formula ``far`` of sine, where the output was transposed."""
    row, f32 = TABLE[name], tl.float32
    rest = ["run"] * (row.arity - 1) + ["one"] * row.parameters
    for first in ("run", "step", "transposed"):
        text = kernel_source(row, f32, [f32] * (2 + len(rest)), ["run", first, *rest])
        functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        names = [node for body in functions.values() for node in ast.walk(body) if isinstance(node, ast.Name)]
        assert functions.keys().isdisjoint(node.id for node in names if isinstance(node.ctx, ast.Store)), (
            first
        )


def test_no_backend_for_an_unknown_device():
    with pytest.raises(RuntimeError, match="Invalid device string: 'tpu'"):
        backend_of("tpu")


shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(
    shapes.flatmap(
        lambda s: st.tuples(st.just(s), *[st.lists(st.integers(0, 6), min_size=len(s), max_size=len(s))] * 2)
    )
)
def test_coalesce_visits_the_same_cells_together(drawn):
    shape, *strides = drawn
    visits = _visits(shape, strides)
    new_shape, new_strides = coalesce(shape, strides)
    assert sorted(visits) == sorted(_visits(new_shape, new_strides))
    assert len(new_shape) <= len(shape)


def _visits(shape, strides):
    indices = np.indices(shape).reshape(len(shape), -1).T
    return [tuple(int(index @ np.array(steps)) for steps in strides) for index in indices]


def test_coalesce_makes_one_run_of_what_is_contiguous_in_any_order():
    assert coalesce((3, 4), [(1, 3), (1, 3)]) == ((12,), [(1,), (1,)])
    assert coalesce((1, 1), [(5, 5)]) == ((1,), [(1,)])


ASSEMBLY = """
import numba
from tensorlab.core import dtypes
from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.elementwise import kernel_source
from tensorlab.scalars import TABLE
source = kernel_source(TABLE["exp"], dtypes.float32, (dtypes.float32,) * 2, ("run", "run"))
kernel = jit.load("exp_wide", source).kernel
word, cells = numba.int64, numba.float32[::1]
kinds = word, word, numba.int64[:, ::1], cells, word, cells, word
kernel.compile(kinds)
print(*{register for register in ("zmm", "ymm") if f"%{register}" in kernel.inspect_asm(kinds)})
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="these are names of x86 processors")
@pytest.mark.parametrize(
    ("processor", "register"), [("sapphirerapids", "zmm"), ("znver5", "zmm"), ("haswell", "ymm")]
)
def test_kernels_use_whole_registers(processor, register, tmp_path):
    """LLVM itself would use half of those of Intel's processors. The code is looked at and not run."""
    settings = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "TENSORLAB_CACHE_DIR": str(tmp_path)}
    assert register in run(ASSEMBLY, NUMBA_DISABLE_JIT="0", **settings).split()
