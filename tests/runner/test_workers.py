"""How many processes share the tests among them."""

from __future__ import annotations

import os

import pytest

from tests import conftest


@pytest.fixture
def four_cores(monkeypatch, tmp_path):
    monkeypatch.setattr(conftest.psutil, "cpu_count", lambda logical: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3}, raising=False)
    monkeypatch.setattr(conftest, "CONTAINER", tmp_path / "cpu.max")
    return tmp_path / "cpu.max"


@pytest.mark.parametrize(
    ("limit", "workers"), [("max 100000", 4), ("250000 100000", 3), ("50000 100000", 1), ("900000 100000", 4)]
)
def test_a_container_has_what_it_is_given(four_cores, limit, workers):
    assert conftest.pytest_xdist_auto_num_workers() == 4
    four_cores.write_text(f"{limit}\n")
    assert conftest.pytest_xdist_auto_num_workers() == workers


def test_a_process_has_the_cores_it_may_run_on(four_cores, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 3}, raising=False)
    assert conftest.pytest_xdist_auto_num_workers() == 2
