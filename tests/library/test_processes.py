"""Forks, threads of Python, several processes with one cache: each gets the right numbers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# 600 rows and columns are enough for sums, products and copies to be shared among threads.
WORK = """
import tensorlab as tl

def work():
    x = tl.arange(360_000.0).view(600, 600)
    return [
        float((x + x.t()).sum()),
        float((x @ tl.eye(600)).sum()),
        x.sum(0)[7].item(),
        int((x > 100).nonzero()[-1].sum()),
        x[tl.arange(600).flip(0)][0, 0].item(),
    ]
"""

FORK = (
    WORK
    + """
import os, sys
tl.set_num_threads(4)
before = work()  # the threads have begun
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0 if work() == before else 1)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
assert codes == [0, 0, 0], codes
assert work() == before
"""
)

FORK_AMID_WORK = (
    WORK
    + """
import os, signal, threading
tl.set_num_threads(4)
before = work()
x = tl.rand(3_000_000)
done = False

def busy():
    while not done:
        x.exp().sum()

threads = [threading.Thread(target=busy) for _ in range(3)]
for thread in threads:
    thread.start()
codes = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends a child that waits for a thread which it does not have
        os._exit(0 if work() == before else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done = True
for thread in threads:
    thread.join()
assert codes == [0] * 20, codes
assert work() == before
"""
)

THREADS = """
import threading
from concurrent.futures import ThreadPoolExecutor
import tensorlab as tl

def work(seed):
    x = tl.arange(360_000.0).view(600, 600) + seed
    for _ in range(5):
        assert (x + x.t()).sum().item() == 2 * x.sum().item()
        assert tl.equal(x @ tl.eye(600), x)
        assert tl.equal(x[x > x[3, 4]], x.view(-1)[1805:])
    return x.sum(1)

def first(_):
    together.wait()
    return [getattr(x, name)().tolist() for name in ("exp", "sqrt", "sum", "square") for x in small]

# All begin at once, with small results that nobody has asked for yet.
small, together = [tl.rand(30), tl.rand(3, dtype=tl.float64)], threading.Barrier(6)
with ThreadPoolExecutor(6) as pool:
    answers = list(pool.map(first, range(6)))
assert all(answer == answers[0] for answer in answers)

with ThreadPoolExecutor(6) as pool:
    found = list(pool.map(work, range(12)))
for seed, sums in enumerate(found):
    assert tl.equal(sums, work(seed))
"""

COLD = """
import tensorlab as tl
x = tl.arange(12.0).view(3, 4)
print((x + x).tolist(), x.sum(1).tolist(), (x * x.t()[0, 0]).tolist())
"""


def run(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-W", "ignore:This process:DeprecationWarning", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def finish(process):
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return output


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.parametrize("program", [FORK, FORK_AMID_WORK], ids=["alone", "amid the work of threads"])
def test_children_of_a_fork_compute(program):
    from tensorlab.backends.cpu import threads

    if threads.layer() == "omp":
        pytest.skip("the OpenMP of GCC ends a child that uses threads after a fork, as Numba says itself")
    finish(run(program))


def test_threads_of_python_do_not_disturb_one_another():
    """In a process of its own, so that the threads also meet while kernels are loaded for the first time."""
    finish(run(THREADS))


def test_processes_that_start_together_share_an_empty_cache(tmp_path):
    """Each compiles for itself what it does not find yet; nobody reads half a kernel."""
    together = [run(COLD, TENSORLAB_CACHE_DIR=str(tmp_path)) for _ in range(3)]
    first, *others = [finish(process) for process in together]
    assert others == [first, first]
    assert finish(run(COLD, TENSORLAB_CACHE_DIR=str(tmp_path))) == first
