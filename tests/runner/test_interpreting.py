"""What `tests/interpreting.py` reports of tests that run in another process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

FILE = """
import os
import pytest
from numba.core import config

@pytest.mark.interpreted
def test_that_is_marked(): assert config.DISABLE_JIT

@pytest.mark.interpreted
def test_that_fails(): assert 6 * 7 == 43

@pytest.mark.interpreted
def test_that_skips(): pytest.skip("no reason")

def test_that_is_not_marked(): assert not config.DISABLE_JIT

@pytest.mark.interpreted
def test_that_ends_the_process(): os._exit(3)
"""


BEFORE_ANOTHER_FILE = """
import pytest

@pytest.fixture(scope="module")
def held():
    yield
    print("let go")

def test_that_is_not_marked(held): pass

@pytest.mark.interpreted
def test_that_is_marked(held): pass
"""


def outcomes(folder, file):
    (folder / "conftest.py").write_text('pytest_plugins = ["tests.interpreting"]\n')
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = interpreted\n")
    (folder / "test_file.py").write_text(file)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-rA", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**environment, "NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    ).stdout


def test_each_test_is_reported_as_it_ended_there(tmp_path):
    said = outcomes(tmp_path, FILE[: FILE.rindex("@pytest")])
    assert "PASSED test_file.py::test_that_is_marked" in said
    assert "FAILED test_file.py::test_that_fails - assert (6 * 7) == 43" in said
    assert "SKIPPED [1] test_file.py" in said
    assert "PASSED test_file.py::test_that_is_not_marked" in said
    assert "1 failed, 2 passed, 1 skipped" in said


def test_a_process_that_ends_too_soon_fails_its_tests(tmp_path):
    said = outcomes(tmp_path, FILE)
    assert "It was not run. The process ended with 3." in said
    assert "4 failed, 1 passed" in said


def test_what_the_tests_of_a_file_share_is_let_go_before_the_next_file(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"test_{name}.py").write_text(BEFORE_ANOTHER_FILE)
    said = outcomes(tmp_path, "def test_that_is_not_marked(): pass")
    assert "5 passed" in said
