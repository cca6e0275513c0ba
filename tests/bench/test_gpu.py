"""What a GPU is measured and tested by: in the simulator, and what is said where there is none."""

from __future__ import annotations

import itertools
import json

import pytest

import tensorlab as tl
from tensorlab.backends import cuda
from tensorlab.backends.cuda import ladder
from tensorlab.bench import gpu, training
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


def test_a_whole_run_beside_a_peer(simulated, monkeypatch):
    small = {"MLP": training._mlp(4, 6, 5, 3), "CNN": training._cnn(1, 4), "GPT": training._gpt(1, 32, 2, 1)}
    monkeypatch.setattr(gpu, "NETWORKS", small)
    monkeypatch.setattr(gpu, "TRAINED", tuple(small))
    monkeypatch.setattr(gpu, "_seconds", lambda work, synchronize: work() is synchronize() or 1e-3)
    monkeypatch.setattr(gpu, "SIMULATED_SIZES", (16,))
    monkeypatch.setattr(gpu, "COMPARED", 1)
    monkeypatch.setattr(gpu, "_peer", lambda: tl)
    found = gpu.measure(600)
    assert found["is_whole"]
    rows = {name: found[name] for name in gpu.SECTIONS}
    assert [row["name"] for row in rows["steps"]] == list(small)
    assert len(rows["products"]) == 8 + len(ladder.LADDER)
    for name, section in rows.items():
        for row in section:
            assert "error" not in row, row
            assert row["name"] == "float32" or (row["ratio"] > 0 and row["torch"] > 0), (name, row)


def test_a_step_whose_losses_are_others_gets_no_time(simulated, monkeypatch):
    def step(library, place):
        losses = iter([1.0, 0.5, 0.2 if place == "cpu" else 0.3])
        return lambda: next(losses)

    monkeypatch.setattr(gpu, "NETWORKS", dict.fromkeys(gpu.TRAINED, step))
    for row in gpu.steps(None):
        assert row.keys() == {"name", "error"}
        assert "0.3" in row["error"]


def test_a_section_that_fails_is_the_loss_of_no_other(simulated, monkeypatch):
    def half(torch):
        yield {"name": "first", "us": 1.0}
        raise ValueError("a fault in words")

    monkeypatch.setattr(gpu, "SECTIONS", {"half": half, "calls": gpu.calls})
    found = gpu.measure(60)
    assert found["half"][1] == {"name": "half", "error": "ValueError: a fault in words"}
    assert len(found["calls"]) == 3
    assert found["is_whole"]


def test_a_wrong_product_gets_no_speed_and_the_others_theirs(simulated, monkeypatch):
    monkeypatch.setattr(gpu.matmul, "allow_tf32", False)
    exact = gpu._check_product

    def check(found, a, b, most):
        assert gpu.matmul.allow_tf32 is False, "wrong in tf32"
        exact(found, a, b, most)

    monkeypatch.setattr(gpu, "_check_product", check)
    monkeypatch.setattr(gpu, "TURNS", 1)
    for name in ("tf32", "float32"):
        found = [{"error", "tflop_per_s"} & row.keys() for row in gpu._matmuls(None, name, 16)]
        assert found == [{"error" if name == "tf32" else "tflop_per_s"}] * 2


@pytest.mark.parametrize("command", [bench.run, test.run])
def test_without_a_gpu_it_says_what_is_missing(command, monkeypatch):
    monkeypatch.setattr(cuda, "missing", lambda: "the driver sleeps")
    with pytest.raises(CommandError, match=r"--gpu .* a GPU, and there is none: the driver sleeps"):
        command(gpu=True)
