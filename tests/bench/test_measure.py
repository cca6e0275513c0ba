"""The measuring itself: turns, ratios, the command that prints them. No test asks how fast anything is."""

from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner

from tensorlab.bench import compare, machine, noise
from tensorlab.bench.ops import cases
from tensorlab.cli import app


def test_a_ratio_is_the_others_time_over_ours():
    found = compare(
        "sleep",
        {"tensorlab": lambda: time.sleep(0.001), "other": lambda: time.sleep(0.003)},
        seconds=0.1,
        turns=5,
    )
    assert found.ratio("other") > 1.5
    low, high = found.spread("other")
    assert low <= found.ratio("other") <= high
    assert found.seconds["other"] > found.seconds["tensorlab"]
    assert json.loads(json.dumps(found.as_dict()))["name"] == "sleep"


def test_candidates_rest_and_wake_before_each_turn(monkeypatch):
    said = []
    monkeypatch.setattr("tensorlab.bench.measure.time.sleep", said.append)
    calls = {"tensorlab": 0, "other": 0}

    def call(name):
        calls[name] += 1

    candidates = {name: lambda name=name: call(name) for name in calls}
    compare("two", candidates, seconds=0.0, turns=3, rest=0.25)
    assert said == [0.25] * 6
    assert set(calls.values()) == {1 + 3 + 2 * 3}  # to begin with, to see how fast it is, and in turns


def test_every_case_runs_and_has_a_name_of_its_own():
    found = list(cases(None))
    names = [name for name, _ in found]
    assert len(set(names)) == len(names)
    for name, candidates in found:
        assert "tensorlab" in candidates
        assert "torch" not in candidates
        if "10,000,000" not in name:
            for function in candidates.values():
                function()


def test_every_case_has_pytorch_beside_it(torch):
    for _, candidates in cases(torch):
        assert "torch" in candidates


def test_the_machine_is_named():
    about = machine()
    assert about["processor"]
    assert about["numba"]
    assert noise(turns=4) >= 1


def test_the_command_prints_a_table_or_json():
    runner = CliRunner()
    plain = runner.invoke(
        app, ["bench", "ops", "--only", "transpose", "--seconds", "0.01"], env={"COLUMNS": "140"}
    )
    assert plain.exit_code == 0, plain.output
    assert "transpose" in plain.output
    result = runner.invoke(app, ["bench", "--only", "view", "--seconds", "0.01", "--json"])
    found = json.loads(result.output)
    assert [comparison["name"] for comparison in found["comparisons"]] == ["view"]
    assert found["machine"]["threads"] == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bench", "nonsense"], "there is no benchmark called 'nonsense'"),
        (["bench", "--only", "nonsense"], "has 'nonsense' in its name"),
        (["bench", "--threads", "100000"], "the number of threads must be"),
        (["bench", "--seconds", "0"], "must be above 0 seconds, got 0"),
        (["bench", "--seconds", "nan"], "must be above 0 seconds, got nan"),
    ],
)
def test_the_command_refuses(arguments, sentence):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert sentence in " ".join((result.output + str(result.stderr)).split())
