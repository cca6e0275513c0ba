"""What every test area shares."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest_plugins = ["tests.interpreting", "tests.site_fixtures"]

# Every core has a worker. Where PyTorch or NumPy shares a product among threads as well, each waits for
# others that have no core, and keeps its own busy while it waits: a program of 0.2 s took a minute. The
# threads of this library are as many as ever.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Tests share work among up to four threads, also where there are fewer cores.
os.environ.setdefault("NUMBA_NUM_THREADS", str(max(4, os.cpu_count() or 1)))

# A worker takes whole files. These take minutes, whatever the number of their tests: begun last, one of them
# would let the other workers wait. The first takes longest; the last calls kernels that the first compiles.
LONG = (
    "library/test_guarded_kernels.py",
    "book/test_pages_axe.py",
    "library/test_operators.py",
    "library/test_programs.py",
    "library/gradients/test_pointwise.py",
    "library/test_small_tensors.py",
    "grading/test_proof.py",
    "learn/test_adopt.py",
    "learn/test_check.py",
    "bench/test_gemm.py",
    "library/test_attention.py",
    "bench/test_figures.py",
    "grading/test_release.py",
    "grading/test_hostile_code.py",
    "library/test_every_kernel.py",
    "library/test_cuda_programs.py",
    "library/test_gemm_bounds.py",
    "bench/test_gpu.py",
    "learn/test_watch.py",
    "library/test_numpy_backend.py",
    "library/test_convolution_bounds.py",
    "library/test_random_programs.py",
    "book/test_site_use.py",
    "library/test_catalogue.py",
    "library/test_processes.py",
)


CONTAINER = Path("/sys/fs/cgroup/cpu.max")  # of Linux: processor time and period, in microseconds


def pytest_xdist_auto_num_workers() -> int:
    """A worker for each core that this process may use: in a container they may be fewer than there are."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    if CONTAINER.exists():
        time, period = CONTAINER.read_text(encoding="ascii").split()
        if time != "max":
            cores = min(cores, -(-int(time) // int(period)))
    return cores


def pytest_configure(config: pytest.Config) -> None:
    """Keep a student's progress file out of it: notebooks that are tested call ``check`` and ``hint``."""
    home = tempfile.TemporaryDirectory(prefix="tensorlab-home-")
    os.environ["TENSORLAB_HOME"] = home.name
    config.add_cleanup(home.cleanup)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let who changes a kernel run every case of what otherwise is run in part."""
    parser.addoption("--whole", action="store_true", help="run every case of the tests marked `part`")


def is_whole(config: pytest.Config) -> bool:
    """Whether every case is run: it was asked for, or somebody chose tests by name."""
    chosen = config.option.keyword or any("::" in argument for argument in config.args)
    return bool(config.getoption("whole") or chosen)


@pytest.fixture(scope="session")
def every(pytestconfig: pytest.Config) -> Callable[[int], int]:
    """For a test that is a loop: `every(5)` is the step through its cases, 1 where all are to be run."""
    return lambda step: 1 if is_whole(pytestconfig) else step


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep every so-manieth case of what is run in part; put the longest files first."""
    if not is_whole(config):
        seen: Counter[str] = Counter()
        kept: dict[bool, list[pytest.Item]] = {True: [], False: []}
        for item in items:
            part, name = item.get_closest_marker("part"), item.nodeid.partition("[")[0]
            kept[part is None or seen[name] % part.args[0] == 0].append(item)
            seen[name] += 1
        config.hook.pytest_deselected(items=kept[False])
        items[:] = kept[True]
    counts = Counter(item.path for item in items)
    places = {
        path: next((place for place, name in enumerate(LONG) if path.as_posix().endswith(name)), len(LONG))
        for path in counts
    }
    items.sort(key=lambda item: (places[item.path], -counts[item.path]))


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
