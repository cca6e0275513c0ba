"""Machine code of GPUs' kernels that is kept for the next process, by a stand-in for the compiler."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tensorlab.backends.cache import contents
from tensorlab.backends.cuda import compiler, intrinsics, products
from tensorlab.backends.cuda.checked import CHECKED
from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.kernel_text import functions_of

KINDS = np.dtype(np.int64), compiler.Address(np.dtype(np.float32))
CARD = 8, 0

TEXT = """
FACTOR = 2.0

def scaled(x):
    return x * FACTOR

def kernel(n, x):
    x[0] = scaled(x[n])
"""


def kernel_of(before="", after=""):
    """The kernel of the text, with some of it replaced."""
    return functions_of("kept", TEXT.replace(before, after) if before else TEXT)["kernel"]


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """What a stand-in has compiled, in a process whose kernels are kept in ``tmp_path``."""
    done = []

    def cubin(made, capability):
        done.append((made, capability))
        return compiler.Compiled(b"\x7fELF\n" + made.code, "entry_1")

    monkeypatch.setattr(compiler, "ptx", lambda *given: compiler.Compiled(str(given[1:]).encode(), "entry"))
    monkeypatch.setattr(compiler, "cubin", cubin)
    monkeypatch.setattr(compiler, "toolchain", lambda: "tools 1.0")
    monkeypatch.setattr(compiler, "cache_directory", lambda: tmp_path)
    return done


def test_what_is_kept_is_not_compiled_again(compiled, tmp_path):
    first = compiler.machine_code(kernel_of(), KINDS, CARD)
    assert compiler.machine_code(kernel_of(), KINDS, CARD) == first
    assert (first.entry, len(compiled)) == ("entry_1", 1)
    assert [each.suffix for each in tmp_path.iterdir()] == [".cubin"]
    assert contents(tmp_path)[:2] == (0, 1)


def test_all_that_decides_the_machine_code_decides_the_key(compiled, monkeypatch):
    others = [
        kernel_of("x * FACTOR", "x + FACTOR"),
        kernel_of("x * FACTOR", "x * FACTOR * FACTOR"),
        kernel_of("2.0", "3.0"),
        kernel_of("2.0", "2"),
        kernel_of("x[0]", "x[1]"),
        kernel_of("n, x", "n, x=0"),
        kernel_of("n, x", "n, x=1"),
        kernel_of("(x[n])", "(sum(i for i in (1, 2)))"),
        kernel_of("(x[n])", "(sum(i for i in (1, 3)))"),
        specialised(kernel_of(), scaled=products.keep),
        specialised(kernel_of(), scaled=intrinsics.word),
        specialised(kernel_of(), scaled=intrinsics.tf32),
    ]
    vars(others[-1])["bounds"] = 64, 1
    others.append(specialised(kernel_of(), scaled=intrinsics.tf32, UNUSED=0))
    found = [compiler.key(each, KINDS, CARD) for each in (kernel_of(), *others)]
    found += [compiler.key(kernel_of(), KINDS[:1], CARD), compiler.key(kernel_of(), KINDS, (7, 5))]
    monkeypatch.setattr(compiler, "toolchain", lambda: "tools 1.1")
    found.append(compiler.key(kernel_of(), KINDS, CARD))
    assert len(set(found)) == len(found)


def test_two_functions_of_one_code_are_told_apart():
    text = "def f(x):\n    return C\n\ndef kernel(n, x):\n    x[n] = g(f(x))\n"
    one, two = (specialised(functions_of("kept", text)["f"], C=c) for c in (1, 2))
    kernel = functions_of("kept", text)["kernel"]
    pairs = [(one, one), (one, two), (two, one), (two, two)]
    told = {tuple(compiler.read_by(specialised(kernel, f=f, g=g), compiler.bytecode)) for f, g in pairs}
    assert len(told) == 4


def test_constants_that_are_equal_but_of_another_type_make_another_kernel():
    kernel = functions_of("typed", "def kernel(x):\n    x[0] = type(C).__name__\n")["kernel"]
    found = [[""] for _ in range(3)]
    for value, x in zip((2, 2.0, np.float32(2)), found, strict=True):
        specialised(kernel, C=value)(x)
    assert found == [["int"], ["float"], ["float32"]]


def test_comments_and_places_in_a_file_change_no_key(compiled):
    moved = kernel_of("    return", "\n    # twice\n    return")
    assert compiler.key(moved, KINDS, CARD) == compiler.key(kernel_of(), KINDS, CARD)


def test_every_process_finds_the_same_key():
    code = (
        "from tensorlab.backends.cuda import compiler; from tensorlab.backends.cuda.checked import CHECKED\n"
        "compiler.toolchain = lambda: ''\n"
        "print(*[compiler.key(each.kernel, each.kinds, (8, 0)) for each in CHECKED.values()])"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in "12"
    ]
    assert found[0] == found[1]
    assert len(set(found[0])) == len(CHECKED)


@pytest.mark.parametrize("harm", ["empty", "cut", "changed", "of another kernel"])
def test_a_damaged_or_foreign_file_is_replaced(compiled, tmp_path, harm):
    first = compiler.machine_code(kernel_of(), KINDS, CARD)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    other = tmp_path / "other.cubin"
    if harm == "of another kernel":
        compiler.machine_code(kernel_of("2.0", "3.0"), KINDS, CARD)
        (other,) = set(tmp_path.iterdir()) - {path}
    harmed = {"empty": b"", "cut": whole[:-1], "changed": whole[:-1] + b"?"}
    path.write_bytes(other.read_bytes() if harm == "of another kernel" else harmed[harm])
    before = len(compiled)
    assert compiler.machine_code(kernel_of(), KINDS, CARD) == first
    assert len(compiled) == before + 1
    assert path.read_bytes() == whole


def test_a_folder_that_is_gone_or_cannot_be_written_is_no_error(compiled, monkeypatch, tmp_path):
    monkeypatch.setattr(compiler, "cache_directory", lambda: tmp_path / "gone")
    assert compiler.machine_code(kernel_of(), KINDS, CARD).entry == "entry_1"
    monkeypatch.setattr(compiler, "cache_directory", lambda: tmp_path)

    def refuse(path, content):
        raise PermissionError(path)

    monkeypatch.setattr(compiler, "write", refuse)
    assert compiler.machine_code(kernel_of(), KINDS, CARD).entry == "entry_1"
    assert len(compiled) == 2


def test_those_who_keep_the_same_kernel_at_once_find_all_of_it(compiled, tmp_path):
    with ThreadPoolExecutor(8) as threads:
        found = list(
            threads.map(lambda i: compiler.machine_code(kernel_of("2.0", str(i % 4)), KINDS, CARD), range(64))
        )
    assert len(set(found)) == 1
    assert sorted(each.suffix for each in tmp_path.iterdir()) == [".cubin"] * 4


@pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None,
    reason="numba-cuda is not installed (pip install 'tensorlab[cuda]'): no kernel can be compiled",
)
def test_the_second_process_compiles_nothing_and_imports_no_compiler(tmp_path):
    code = (
        "import sys; from tensorlab.backends.cuda import compiler\n"
        "from tensorlab.backends.cuda.checked import CHECKED\n"
        "checked = [CHECKED[name] for name in ('transpose', 'row softmax')]\n"
        "made = [compiler.machine_code(each.kernel, each.kinds, (8, 0)) for each in checked]\n"
        "print([(hash(each.code), each.entry) for each in made], 'numba.cuda' in sys.modules)"
    )
    environment = {**os.environ, "TENSORLAB_CACHE_DIR": str(tmp_path), "PYTHONHASHSEED": "0"}
    first, second = (
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True).stdout
        for _ in range(2)
    )
    assert first.endswith("] True\n")
    assert second == first.replace("] True", "] False")
    assert contents(tmp_path / "kernels").gpu_kernels == 2
