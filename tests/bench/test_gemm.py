"""What `tensorlab bench gemm` compares, and the process with NumPy. No test asks how fast."""

from __future__ import annotations

import json
import signal
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import tensorlab as tl
from tensorlab.backends.cpu import threads
from tensorlab.bench.gemm import TITLES, cases, roofline
from tensorlab.bench.measure import compare
from tensorlab.bench.openblas import Child, Timed
from tensorlab.bench.peaks import copy_bandwidth, multiply_adds
from tensorlab.bench.products import PRODUCTS, Product, operands
from tensorlab.cli import app


def test_products_have_names_of_their_own():
    assert len({product.name for product in PRODUCTS}) == len(PRODUCTS)


@pytest.mark.part(3)
@pytest.mark.parametrize("product", [p for p in PRODUCTS if p.operations < 1e7], ids=lambda p: p.name)
def test_candidates_compute_the_same(torch, product):
    ((_, candidates),) = cases(torch, product.name)
    assert set(candidates) <= {"tensorlab", *TITLES}
    ours, theirs = (np.asarray(candidates[name]()) for name in ("tensorlab", "torch"))
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["transposed", "sliced"])
def test_an_operand_that_lies_otherwise_is_compared_with_rows(kind):
    ((_, candidates),) = cases(None, f"float32, 1024³, A {kind}")
    a, b = operands(Product("float32", 1024, 1024, 1024))
    np.testing.assert_allclose(np.asarray(candidates["plain"]()), a @ b, atol=1e-2)
    ((_, candidates),) = cases(None, "float32, 4³")
    assert "plain" not in candidates


def test_operands_lie_as_they_are_said_to():
    a, b = operands(Product("float32", 3, 4, 5, a="transposed", b="sliced"))
    assert (a.shape, a.strides) == ((3, 4), (4, 12))
    assert (b.shape, b.strides) == ((4, 5), (40, 8))
    again = operands(Product("float32", 3, 4, 5, a="transposed", b="sliced"))
    np.testing.assert_array_equal(a, again[0])
    assert operands(Product("float64", 3, 4, 5, batch=2))[0].shape == (2, 3, 4)


def test_another_process_times():
    with Child(1) as child:
        few, many = (min(child.ask(PRODUCTS[4], count) for _ in range(5)) for count in (1, 200))
        assert 0 < few < many
        found = compare("x", {"tensorlab": lambda: None, "numpy": Timed(child, PRODUCTS[0])}, 0.01, 3)
        assert found.seconds["numpy"] > 0
    with pytest.raises(ValueError, match="closed file"):
        child.ask(PRODUCTS[0], 1)


def test_a_process_that_has_ended_is_reported():
    with Child(1) as child:
        child._process.kill()
        child._process.wait()
        with pytest.raises(RuntimeError, match="the process with NumPy has ended"):
            child.ask(PRODUCTS[0], 1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal of this kind")
def test_an_interrupt_leaves_the_end_to_the_process_that_asks(capfd):
    """A terminal sends Ctrl-C to all processes of a command."""
    with Child(1) as child:
        child.ask(PRODUCTS[0], 1)
        child._process.send_signal(signal.SIGINT)
        assert child.ask(PRODUCTS[0], 1) > 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("number", ["float32", "float64"])
def test_twice_the_operations_take_longer(number):
    found = compare(
        "peak", {"tensorlab": multiply_adds(number, 1e7), "more": multiply_adds(number, 4e7)}, 0.1, 5
    )
    assert found.ratio("more") > 2


def test_the_roofline_has_two_limits_and_a_point_for_each_product():
    name = "float32, 64³"
    found = [compare(case, candidates, 0.02, 3) for case, candidates in cases(None, name)]
    roof = roofline(found, 1)
    assert [point["name"] for point in roof["points"]] == [name]
    assert roof["points"][0]["intensity"] == pytest.approx(2 * 64**3 / (3 * 64 * 64 * 4))
    assert roof["peak_operations_per_second"]["float32"] > 1e8
    assert roof["copy_bytes_per_second_one_thread"] > 1e7
    assert copy_bandwidth(1 << 20, 2) > 1e7


def test_the_command_reports_products():
    found = CliRunner().invoke(app, ["bench", "gemm", "--only", "float32, 4³", "--seconds", "0.01", "--json"])
    report = json.loads(found.output)
    assert [comparison["name"] for comparison in report["comparisons"]] == ["float32, 4³"]
    assert set(report["comparisons"][0]["ratio"]) >= {"numpy"}
    assert report["roofline"]["threads"] == 1
    both = CliRunner().invoke(app, ["bench", "all", "--only", "float64, 4³", "--seconds", "0.01"])
    assert both.exit_code == 0, both.output
    assert "float64, 4³" in both.output


@pytest.fixture(autouse=True)
def _as_many_threads_as_before():
    yield
    threads.set_num_threads(1 << 20)
    assert (tl.ones(2, 2) @ tl.ones(2, 2)).tolist() == [[2.0, 2.0], [2.0, 2.0]]
