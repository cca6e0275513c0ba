"""What `tensorlab bench training` and `floors` compare: the same in both libraries. No test asks how fast."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tensorlab as tl
from tensorlab.bench import agreement, autograd, ops, training
from tensorlab.bench.floors import FLOORS, Floor, floors
from tensorlab.cli import app
from tensorlab.cli.support.figures import SEEN

SMALL = [name for name in training.TRAINED if "MLP" in name or "8 × 8" in name or "64 steps" in name]


@pytest.mark.parametrize("name", SMALL)
def test_both_libraries_lose_the_same(torch, name):
    ((_, steps),) = training.cases(torch, name)
    for _ in range(3):
        ours, theirs = (steps[library]().item() for library in ("tensorlab", "torch"))
        assert ours == pytest.approx(theirs, rel=1e-4)


def test_optimizers_and_loaders_are_there_for_both(torch):
    ((_, steps),) = training.cases(torch, "SGD, 50")
    assert set(steps) == {"tensorlab", "torch"}
    ((_, loaders),) = training.cases(torch, "DataLoader, 2")
    assert {name: load() for name, load in loaders.items()} == {"tensorlab": 2000, "torch": 2000}


def test_every_floor_is_that_of_a_comparison():
    names = {name for suite in (ops, autograd, training) for name, _ in suite.cases(None)}
    assert set(FLOORS) <= names


def test_floors_are_ratios_of_the_least_times(torch):
    (found,) = floors(only="slice", seconds=0.01)
    assert found.ratio == found.torch / found.ours
    assert Floor("", 2.0, 1.0, 1.0).ratio == 0.5
    shown = CliRunner().invoke(app, ["bench", "floors", "--only", "slice", "--json"])
    assert [each["floor"] for each in json.loads(shown.stdout)] == [FLOORS["slice"]]


@pytest.mark.parametrize("name", SMALL[:3])
@pytest.mark.parametrize(("dtype", "near"), [("float32", 1e-4), ("float64", 1e-9)])
def test_first_losses_are_pytorchs(torch, name, dtype, near):
    assert agreement.difference(torch, name, dtype) <= near
    assert tl.get_default_dtype() is tl.float32


def test_another_program_is_told_from_pytorchs(torch, monkeypatch):
    """Of which one library sees twice the rate."""
    made = training.NETWORKS["MLP 64-128-10, batch 32"]

    def other(library):
        before = library.optim.SGD
        if library is tl:
            monkeypatch.setattr(tl.optim, "SGD", lambda parameters, lr: before(parameters, lr=2 * lr))
        return made(library)

    monkeypatch.setitem(training.NETWORKS, "other", other)
    assert agreement.difference(torch, "other", "float64") > 1e-3


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="only Linux tells a process its peak of memory"
)
def test_the_command_compares_losses_and_memory(torch):
    shown = CliRunner().invoke(app, ["bench", "agreement", "--only", "CNN 28", "--json"])
    (found,) = json.loads(shown.stdout)
    assert found["float64"] <= 1e-9
    assert found["ours"] <= 1.1 * found["torch"] + SEEN
    assert CliRunner().invoke(app, ["bench", "agreement", "--only", "nonsense"]).exit_code == 2
