"""What a GPU is measured and tested by: in the simulator, and what is said where there is none."""

from __future__ import annotations

import itertools
import json

import pytest

from tensorlab.backends import cuda
from tensorlab.bench import gpu
from tensorlab.cli import bench, test
from tensorlab.cli.support.errors import CommandError


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")


def test_a_run_that_is_cut_off_keeps_what_it_has(simulated, monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "SECTIONS", {"peaks": gpu.peaks, "calls": gpu.calls})
    out = tmp_path / "card.json"
    bench.run(gpu=True, limit=1e-9, out=out)
    found = json.loads(out.read_text())
    assert [each.name for each in tmp_path.iterdir()] == ["card.json"]
    assert found["card"] == "tensorlab's simulator"
    assert [row["name"] for row in found["peaks"]] == ["copy"]
    assert "calls" not in found
    assert not found["is_whole"]
    kept = []
    whole = gpu.measure(60, lambda found: kept.append(found["is_whole"]))
    assert whole["is_whole"]
    assert kept
    assert not any(kept)  # a process that ends here leaves a file that says so
    assert len(whole["peaks"]) == 2
    assert all(row["us"] > 0 and row["torch"] is None for row in whole["calls"])


def test_rungs_and_rows_are_checked_before_they_are_timed(simulated, monkeypatch):
    assert [row["name"] for row in itertools.islice(gpu._rungs(None, 16), 2)] == ["naive", "coalesced"]
    assert next(gpu.elements(None))["name"] == "add"
    monkeypatch.setattr(gpu, "CALLS", {"add": (12, lambda t, x, y, rows: x + y + x.is_cuda)})
    assert "not close" in next(gpu.elements(None))["error"]


@pytest.mark.parametrize("command", [bench.run, test.run])
def test_without_a_gpu_it_says_what_is_missing(command, monkeypatch):
    monkeypatch.setattr(cuda, "missing", lambda: "the driver sleeps")
    with pytest.raises(CommandError, match=r"--gpu .* a GPU, and there is none: the driver sleeps"):
        command(gpu=True)
