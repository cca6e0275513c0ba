"""Times that are predicted from kernels' machine code, beside those that a card has shown."""

from __future__ import annotations

import copy
import json
import statistics

import pytest

import tensorlab as tl
from tensorlab.backends import cuda
from tensorlab.backends.cuda import figures, predictions
from tensorlab.backends.cuda.gemm import CARDS
from tensorlab.bench import gpu as bench
from tensorlab.bench import training


@pytest.fixture(params=sorted(CARDS.glob("*.json")), ids=lambda file: file.stem)
def run(request):
    return json.loads(request.param.read_text("utf-8"))


def test_what_was_measured_lies_in_the_range_of_its_prediction(run):
    found = predictions.predictions(run)
    measured = [each for each in found if each.measured is not None]
    assert len(measured) >= 12
    for each in found:
        assert 0 < each.least <= each.milliseconds <= each.greatest, each
    for each in measured:
        assert each.least * 0.999 <= each.measured <= each.greatest * 1.001, each
    # No better than this is the model, and no worse: the usual kernel, and the worst.
    off = [max(each.milliseconds / each.measured, each.measured / each.milliseconds) for each in measured]
    assert statistics.median(off) < 1.5
    assert max(off) < 2


def test_a_kernel_that_is_younger_than_the_run_is_predicted_until_it_is_timed(run):
    before = {each.name: each for each in predictions.predictions({**run, "date": "2026-11-27"})}
    assert before["conv2d"].measured is None
    later = copy.deepcopy(run) | {"date": "2027-01-01"}
    later["gradients"] = [
        {"name": "AdamW", "ms": 0.5, "torch": None},
        {"name": "batch norm", "error": "a fault"},
    ]
    after = {each.name: each for each in predictions.predictions(later)}
    assert after["AdamW"].measured == pytest.approx(0.5)
    assert after["conv2d"].measured > 0
    assert after["batch norm"].measured is None


def test_each_prediction_has_a_figure_that_a_card_will_measure(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    monkeypatch.setattr(bench, "_compared", lambda torch, name, *others, **more: {"name": name})
    names = {*bench.CALLS, *(f"matmul {size}" for size in bench.SIZES)}
    names |= {row["name"] for section in (bench.windows, bench.gradients) for row in section(None)}
    assert set(predictions.WORK) <= names
    assert set(predictions.SINCE) <= set(predictions.WORK)


def test_the_launches_of_a_step_are_counted_and_not_done(run, monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    driver = cuda.gpu("a test").driver
    found = predictions.step(training._mlp(4, 6, 5, 3), turns=1)
    assert driver.capability == (0, 0)
    assert tl.ones(2, device="cuda").tolist() == [1, 1]
    assert 10 <= found.launches <= 30
    assert found.moved > 4 * 4 * 6
    kernels, with_calls, host = found.milliseconds(run)
    assert 0 < kernels < with_calls
    assert host > 0


@pytest.mark.parametrize(
    ("line", "read", "written"),
    [
        ("LDG.E.128 R4, desc[UR4][R2.64]", 16, 0),
        ("LDG.E.U16.CONSTANT R4, [R2]", 2, 0),
        ("LDGSTS.E.BYPASS.128 [R6], desc[UR4][R2.64]", 16, 0),
        ("STG.E desc[UR4][R2.64], R4", 0, 4),
        ("STG.E.64 desc[UR4][R2.64], R4", 0, 8),
        ("LDS.128 R4, [R2]", 0, 0),
        ("LDGDEPBAR ", 0, 0),
    ],
)
def test_the_bytes_of_an_instruction(line, read, written):
    assert (figures._read(line), figures._written(line)) == (read, written)


def test_time_goes_by_where_it_is_multiplied_else_where_bytes_move():
    moving, around = ["LDG.E.128 R4, [R2]", "IADD3 R1"], ["IADD3 R1"] * 9
    multiplying = ["FFMA R1, R2, R3, R1"] * 3 + ["BRA `(.L_x_1)"]
    assert max([[], around, moving], key=figures._rank) is moving
    assert max([[], around, moving, multiplying], key=figures._rank) is multiplying
    assert figures._inner(multiplying)["inner_fma"] == 3
