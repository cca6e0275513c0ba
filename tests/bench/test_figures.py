"""Start and memory: the figures that the library promises, measured in processes of their own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tensorlab.bench.graphs import long_graph, step_memory
from tensorlab.bench.memory import ALLOWED, STEPS, measure
from tensorlab.bench.start import compile_times, start
from tensorlab.cli import app

linux = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="only Linux tells a process its peak of memory"
)


def test_a_new_process_starts_within_five_imports_of_numba():
    """Without another one of its size: an import of PyTorch or of SciPy's statistics would be seen."""
    program = "import time; time.process_time(); import numba; print(time.process_time())"
    imports = [
        float(subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True).stdout)
        for _ in range(3)
    ]
    assert start(turns=3).whole < 5 * statistics.median(imports)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the measurement is made of forks")
def test_compilation_is_measured_call_by_call():
    found = compile_times("x.rename(")
    assert {compiled.text for compiled in found} > {'x.rename("N", "C").rename(None)'}
    by_text = {compiled.text: compiled.seconds for compiled in found}
    assert by_text['x.rename("N", "C").sum("N")'] > 10 * by_text['x.rename("N", "C").rename(None)']


@linux
def test_operations_need_one_megabyte_a_thread_beside_operands_and_result():
    found = measure(every=12)  # `tensorlab bench memory` measures all
    assert len(found) > 45
    above = {need.text: need.beside for need in found if need.beside > ALLOWED}
    assert {text: size for text, size in above.items() if text not in STEPS} == {}


@linux
def test_a_hidden_copy_is_seen():
    (need,) = measure("tl.chain_matmul")
    assert need.beside > 3.5e6  # Linux counts pages in batches
    assert need.result == 4 * 1024 * 1024


@linux
def test_a_training_step_needs_no_more_memory_than_pytorch_takes():
    step = step_memory()
    assert step.ours > 12 * 1024 * 512 * 4 / 2  # what the layers keep
    if step.torch is not None:
        assert step.ours <= 1.05 * step.torch


def test_the_parts_of_a_long_chain_are_timed():
    found = long_graph(1000)
    assert found.nodes == 1000
    assert min(found) >= 0
    assert found.build > 0


@linux
def test_the_command_measures_the_graph():
    run = CliRunner().invoke
    found = json.loads(run(app, ["bench", "graph", "--json"]).stdout)
    assert set(found) == {"chain", "step"}


def test_the_command_prints_a_table_or_json():
    run = CliRunner().invoke
    found = json.loads(run(app, ["bench", "start", "--json"]).stdout)
    assert found["whole"] == pytest.approx(sum(seconds for name, seconds in found.items() if name != "whole"))
    assert "first product" in run(app, ["bench", "start"]).stdout


@linux
def test_the_command_names_what_needs_more():
    run = CliRunner().invoke
    shown = run(app, ["bench", "memory", "--only", "chain_matmul"]).stdout
    assert "tl.chain_matmul(x, y, x)" in shown
    assert "0 of 1 calls" in shown
    assert run(app, ["bench", "memory", "--only", "nonsense"]).exit_code == 2
