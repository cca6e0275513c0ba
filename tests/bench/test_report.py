"""Reports of comparisons: their tables, and the roofline drawn of them."""

from __future__ import annotations

import re
import sys

import pytest

from tensorlab.backends.cpu import threads
from tensorlab.bench.measure import Comparison
from tensorlab.bench.report import NOISY, Report, Section, measure
from tensorlab.figures import roofline


def report(noise: float = 1.0) -> Report:
    about = {"processor": "a <processor>", "threads": 1, "python": "3.11", "numpy": "2", "torch": None}
    slow = Comparison("add", {"tensorlab": 2e-6, "numpy": 3e-6}, {}, {"numpy": [1.4, 1.5, 1.6, 1.5]})
    return Report({**about, "noise": noise}, [Section("ops", {"numpy": "NumPy", "torch": "T"}, [slow])], None)


def test_a_table_has_a_cell_for_each_title():
    (section,) = report().sections
    assert section.rows == [["add", "2.0", "1.50 (1.42–1.58)", ""]]
    assert len(section.rows[0]) == len(section.header)
    page = report()._repr_html_()
    assert page.count("<td>") == 3
    assert "a &lt;processor&gt;" in page


def test_a_library_that_is_not_there_has_no_column(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    found = measure("ops", only="add, 4 elements", seconds=0.001)
    assert [section.header for section in found.sections] == [["operation", "tensorlab µs", "NumPy ÷ ours"]]
    assert found.summary.endswith(", no PyTorch.")


def test_a_restless_machine_is_said_to_be_one():
    assert report().warning == ""
    assert "varies by a factor of 2.00" in report(2.0).warning
    assert report(NOISY).warning == ""


def test_a_machine_that_was_busy_later_is_said_to_be_restless():
    about, (section,) = report().machine, report().sections
    (calm,) = section.comparisons
    busy = Comparison("sub", calm.seconds, {}, {"numpy": [1.0, 1.0, 2.0, 2.0]})
    for comparisons, warns in (([calm, busy, busy], True), ([calm, calm, busy], False)):
        found = Report(about, [Section("ops", section.titles, comparisons)], None)
        assert ("the same work varies by a factor of 2.00" in found.warning) == warns
        assert found.as_dict()["warning"] == found.warning


def test_threads_are_what_they_were():
    before = threads.get_num_threads()
    found = measure("ops", only="nothing of this name", threads=1)
    assert found.sections == []
    assert threads.get_num_threads() == before


def points(*pairs: tuple[float, float]) -> list[dict]:
    return [{"name": f"<{i}>", "intensity": x, "operations_per_second": y} for i, (x, y) in enumerate(pairs)]


def test_a_roofline_places_dots_on_logarithmic_axes():
    found = {
        "threads": 1,
        "peak_operations_per_second": {"float32": 1e11, "float64": 5e10},
        "copy_bytes_per_second_one_thread": 1e10,
        "points": points((1, 1e9), (10, 1e10), (100, 9e10)),
    }
    svg = roofline(found, "Three products.").draw(720).svg("key")
    dots = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)]
    assert len(dots) == 3
    # a factor of ten is the same distance everywhere
    assert dots[1][0] - dots[0][0] == pytest.approx(dots[2][0] - dots[1][0], abs=0.2)
    assert dots[0][1] > dots[1][1] > dots[2][1]
    assert "&lt;0&gt;: 1.0 GFLOP/s, 1.0 operations a byte" in svg
    assert "float32: 100 GFLOP/s" in svg
    assert "float64: 50 GFLOP/s" in svg
    with pytest.raises(ValueError, match="at least one point"):
        roofline({**found, "points": []}, "Nothing.")
