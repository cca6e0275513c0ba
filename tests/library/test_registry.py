"""The registry: what is said of an operator in one place shows everywhere.

An operator is added to a copy of the library, by one row of the scalar table or by one function, and a fresh
Python asks the copy for everything that is made of the registry.
"""

from __future__ import annotations

import inspect
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab import registry

PACKAGE = Path(tl.__file__).parent

ROW = """
def gap(x, y):
    return abs(x - y)


ROWS = (
    Scalar(
        "gap",
        gap,
        2,
        "How far apart the elements are.",
        ">>> tl.gap(tl.tensor([1, 2]), 5)\\ntensor([4, 3])",
        numbers=(0, 1),
        variants="function method in_place",
    ),
"""

ASKS_FOR_THE_ROW = """
import doctest
import tensorlab as tl
from tensorlab.catalogue import calls
from tensorlab.stubs.__main__ import stubs

x = tl.tensor([1.0, 2.0])
assert tl.gap(x, 5.0).tolist() == x.gap(5.0).tolist() == [4.0, 3.0]
assert x.gap_(tl.tensor([1.0, 5.0])) is x and x.tolist() == [0.0, 3.0]
assert tl.gap(x, 0.0, out=tl.empty(2)).tolist() == [0.0, 3.0]
assert "gap" in tl.__all__ and "gap" in dir(tl) and "gap_" in dir(tl.Tensor)
assert tl.ones(2, names=("N",)).gap(tl.ones(2)).names == ("N",)
assert tl.ones(2, names=("N",)).gap_(1).names == ("N",)
texts = stubs()
assert "def gap(input: Tensor | Number, other: Tensor | Number" in texts["pointwise.pyi"]
assert "import gap as gap" in texts["functions.pyi"]
assert "def gap(self" in texts["tensor.pyi"] and "def gap_(self" in texts["tensor.pyi"]
written = {call.text for call in calls()}
assert {"tl.gap(x, y)", "tl.gap(x, 2)", "target.copy_(x).gap_(y)"} <= written
assert "How far apart the elements are." in tl.gap.__doc__
"""

FUNCTION = '''

@op("function method", aliases="reach special.reach", names="reduces")
def largest_size(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The largest size of an element."""
    return input.abs().amax(dim, keepdim)
'''

ASKS_FOR_THE_FUNCTION = """
import pickle
import tensorlab as tl
from tensorlab.stubs.__main__ import stubs

x = tl.tensor([[1.0, -5.0], [2.0, 3.0]])
assert tl.largest_size(x, 1).tolist() == x.largest_size(1).tolist() == x.reach(1).tolist() == [5.0, 3.0]
assert tl.special.reach(x).item() == 5
assert {"largest_size", "reach"} <= {*tl.__all__} and {"largest_size", "reach"} <= {*dir(tl.Tensor)}
assert tl.largest_size(x.rename("N", "C"), "C").names == x.rename("N", "C").reach("C").names == ("N",)
assert "from tensorlab.ops.reduction import largest_size as reach" in stubs()["special.pyi"]
assert "def largest_size(self, dim: builtins.int | None = ..." in stubs()["tensor.pyi"]
assert pickle.loads(pickle.dumps(tl.largest_size)) is tl.largest_size
try:
    tl.largest_size([1.0])
except TypeError as error:
    assert "must be Tensor, not list" in str(error)
else:
    raise AssertionError
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "program"),
    [
        ("scalars/arithmetic.py", "\nROWS = (\n", ROW, ASKS_FOR_THE_ROW),
        ("ops/reduction.py", "", FUNCTION, ASKS_FOR_THE_FUNCTION),
    ],
    ids=["row", "function"],
)
def test_an_operator_is_added_in_one_place(tmp_path, file, old, new, program):
    copy = tmp_path / "tensorlab"
    shutil.copytree(
        PACKAGE, copy, ignore=shutil.ignore_patterns("grading", "learn", "widgets", "cli", "bench")
    )
    changed = copy / file
    text = changed.read_text(encoding="utf-8")
    assert old in text
    changed.write_text(text.replace(old, new) if old else text + new, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["sum", "softmax", "cat", "conv2d", "zeros", "exp", "mul", "add"])
def test_the_source_of_a_function_is_its_own(name):
    assert f"def {name}(" in inspect.getsource(getattr(tl, name))


def test_every_export_is_found_by_pickle_and_stands_in_its_namespace():
    for namespace, module in {"": tl, "linalg": tl.linalg, "special": tl.special, "nn.functional": F}.items():
        for name in registry.functions(namespace):
            assert name in module.__all__
            assert pickle.loads(pickle.dumps(getattr(module, name))) is getattr(module, name)


def test_a_tensor_says_what_it_is():
    assert repr(type(tl.ones(1))) == "<class 'tensorlab.Tensor'>"
    assert "class Tensor(" in inspect.getsource(tl.Tensor)


def test_there_is_no_gpu_and_what_to_do():
    with pytest.raises(RuntimeError, match=r"no CUDA device.*let the program choose: device = 'cuda' if"):
        tl.ones(1).cuda()
