"""Some operators, drawn by seed, on PyTorch's own samples; `python -m tests.library.operators` runs all."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest

from tests.library.gradients.operator_layouts import check_operator
from tests.library.operators.calls import compare_sample, samples
from tests.library.operators.gradients import compare_gradients

DRAWN = 16
SAMPLES = 4


def some(torch: Any, op: Any, rng: random.Random) -> list[Any]:
    """A few samples of two dtypes, and of those that must raise."""
    chosen: list[Any] = []
    for dtype in ("float32", "int64"):
        if op.supports_dtype(getattr(torch, dtype), "cpu"):
            found = list(islice(samples(torch, op, dtype), 400))
            chosen += rng.sample(found, min(SAMPLES, len(found)))
    if op.error_inputs_func is not None:
        chosen += [error.sample_input for error in islice(op.error_inputs("cpu"), SAMPLES)]
    return chosen


@pytest.mark.filterwarnings("ignore")  # PyTorch's samples warn, of what they are about to do
@pytest.mark.parametrize("seed", range(DRAWN))
def test_an_operator_agrees_with_pytorch_on_its_own_samples(torch, operators, seed):
    rng = random.Random(seed)
    op = rng.choice(operators)
    differences = [
        f"{comparison.operator} [{comparison.form}] {comparison.call}: {comparison.found}"
        for sample in some(torch, op, rng)
        for comparison in compare_sample(torch, op, sample)
        if comparison.found is not None and comparison.reason is None
    ]
    assert not differences


@pytest.mark.interpreted
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_the_gradients_of_operators_agree_with_pytorch(torch, operators, part):
    """The first sample of every operator; ``python -m tests.library.operators.gradients`` runs all."""
    differences = [
        f"{comparison.operator} [{comparison.form}] {comparison.call}: {comparison.found}"
        for op in operators[part::4]
        for comparison in compare_gradients(torch, op, most=1)
        if comparison.found is not None
    ]
    assert not differences


@pytest.mark.interpreted
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(8))
def test_derivatives_are_what_differences_say_in_every_layout(torch, operators, seed):
    """``python -m tests.library.gradients.operator_layouts`` runs all."""
    rng = random.Random(seed)
    failed = [
        check for op in rng.sample(operators, 4) for check in check_operator(torch, op, most=1) if check.found
    ]
    assert not failed


def test_most_of_the_operators_that_tensorlab_names_are_compared(operators):
    assert len({op.name for op in operators}) >= 300
