"""A class of a student's as a part of the library: adopted, used, kept in a file, given back."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import pytest

import tensorlab as tl
from tensorlab.learn import parts
from tensorlab.learn.speed import slowdown
from tensorlab.learn.written import as_file
from tests.grading.test_programs import LINEAR, Standing

pytestmark = pytest.mark.interpreted


@pytest.fixture
def standing():
    """The library with a student's `Linear`."""
    parts.put(LINEAR, Standing)
    yield
    parts.put(LINEAR, None)


@pytest.mark.usefixtures("standing")
class TestAdopted:
    def test_whoever_makes_one_gets_the_students(self):
        from tensorlab.nn import Linear
        from tensorlab.nn.modules import linear

        for made in (tl.nn.Linear(2, 3), Linear(2, 3), linear.Linear(in_features=2, out_features=3)):
            assert type(made) is Standing
            assert made.weight.tolist() == [[1, 1]] * 3

    def test_it_works_in_a_network(self):
        net = tl.nn.Sequential(tl.nn.Linear(2, 3), tl.nn.ReLU(), tl.nn.Linear(3, 1))
        assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias", "2.weight", "2.bias"]
        net(tl.ones(1, 2)).sum().backward()
        assert net[2].weight.grad.tolist() == [[2, 2, 2]]
        assert copy.deepcopy(net)(tl.ones(1, 2)).item() == 6

    def test_calls_beyond_the_exercise_are_the_librarys(self):
        assert type(tl.nn.Linear(2, 3, bias=False)) is tl.nn.Linear

    def test_classes_built_on_it_stay_as_they_are(self):
        class Mine(tl.nn.Linear):
            pass

        assert type(Mine(2, 3)) is Mine
        assert type(Mine(2, 3)).mro()[1] is tl.nn.Linear

    def test_a_student_may_build_on_the_librarys_class(self):
        class Linear(tl.nn.Linear):
            def __init__(self, in_features, out_features):
                super().__init__(in_features, out_features)
                self.mine = True

        parts.put(LINEAR, Linear)
        assert tl.nn.Linear(2, 3).mine
        assert isinstance(tl.nn.Linear(2, 3), tl.nn.Linear)


def test_afterwards_the_library_is_as_it_was(standing):
    before = tl.nn.Linear(2, 3)
    parts.put(LINEAR, None)
    assert type(before) is Standing
    assert type(tl.nn.Linear(2, 3)) is tl.nn.Linear
    assert tl.nn.Linear(2, 3).weight.requires_grad


def test_one_that_raises_leaves_the_library_usable():
    class Linear(tl.nn.Module):
        def __init__(self, in_features, out_features):
            raise KeyError("mine")

    parts.put(LINEAR, Linear)
    try:
        with pytest.raises(KeyError, match="mine"):
            tl.nn.Linear(2, 3)
    finally:
        parts.put(LINEAR, None)
    assert type(tl.nn.Linear(2, 3)) is tl.nn.Linear


def test_how_slow_it_is():
    """By a clock that moves while an object is made, and never else."""
    seconds = [0.0]

    class Slow(Standing):
        def __init__(self, in_features, out_features):
            super().__init__(in_features, out_features)
            seconds[0] += 1

    assert slowdown(LINEAR, Slow, lambda: seconds[0]).is_slow
    assert slowdown(LINEAR, Standing, lambda: seconds[0]).ratio == 0


SOURCE = '''
import math
import tensorlab as tl

def doubled(x):
    return 2 * x

class Halved(tl.nn.Module):
    """Half of it."""

    def __init__(self, n):
        super().__init__()
        self.n = doubled(n)

    def forward(self, x):
        return x / math.sqrt(self.n)
'''


def test_a_class_is_written_down_with_what_it_needs(tmp_path: Path):
    path = tmp_path / "cell.py"
    path.write_text(SOURCE)
    names: dict = {"__name__": "cell"}
    exec(compile(SOURCE, str(path), "exec"), names)
    text = as_file("Halved", names["Halved"])
    assert text.startswith("import math\nimport tensorlab as tl\n")
    again: dict = {"__name__": "elsewhere"}
    exec(compile(text, "file", "exec"), again)
    assert again["Halved"](8)(tl.tensor(4.0)).item() == 1
    assert "cell" not in sys.modules
