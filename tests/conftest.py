"""What every test area shares."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

pytest_plugins = ["tests.site_fixtures"]

# A worker takes whole files. These take minutes, whatever the number of their tests: begun last, one of them
# would let the other workers wait.
LONG = (
    "bench/test_figures.py",
    "bench/test_gemm.py",
    "book/test_pages_axe.py",
    "learn/test_adopt.py",
    "learn/test_check.py",
    "library/test_attention.py",
    "library/test_fold_vectors.py",
    "library/test_guarded_kernels.py",
    "library/test_operators.py",
    "library/test_programs.py",
    "library/test_short_ways.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Keep a student's progress file out of it: notebooks that are tested call ``check`` and ``hint``."""
    home = tempfile.TemporaryDirectory(prefix="tensorlab-home-")
    os.environ["TENSORLAB_HOME"] = home.name
    config.add_cleanup(home.cleanup)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, then those of the most tests."""
    counts = Counter(item.path for item in items)
    long = {item.path for item in items if item.path.as_posix().endswith(LONG)}
    items.sort(key=lambda item: (item.path not in long, -counts[item.path]))


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch, the reference for every behaviour, where it is installed."""
    return pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")


@pytest.fixture(scope="module")
def interpreted() -> Iterator[Callable[..., Any]]:
    """Calls a function in a process whose kernels run as they are written, as they do in a box.

    It is for tests that meet ever new dtypes and layouts and ask nothing of machine code: a kernel is
    compiled in the time of a thousand calls.
    """
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NUMBA_DISABLE_JIT", "1")
            process.submit(int).result()  # it has started; this process goes on compiling
        yield lambda function, *args: process.submit(function, *args).result()
