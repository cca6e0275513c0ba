"""What `tensorlab bench training` and `floors` compare: the same in both libraries. No test asks how fast."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tensorlab.bench import autograd, ops, training
from tensorlab.bench.floors import FLOORS, Floor, floors
from tensorlab.cli import app

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
