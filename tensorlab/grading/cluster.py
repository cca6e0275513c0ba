"""Many submissions on many computers: workers of dask.distributed take one after the other.

A worker grades as a process of the pool does (`tensorlab.grading.pool`): it holds a grader, and a student's
code runs in that one's boxes. The rows of a notebook come back together, and nobody but the process that
called writes them down. A worker that is killed, or a computer that is lost, costs the notebooks in hand,
which the scheduler gives to others.

dask.distributed is optional: the extra ``cluster`` brings it.
"""

from __future__ import annotations

import functools
import os
import pickle
import platform
import threading
from collections.abc import Callable, Generator, Iterable
from typing import Any

from tensorlab.grading.boxes import BoxError
from tensorlab.grading.boxes.canaries import escapes
from tensorlab.grading.boxes.guard import children, end_all
from tensorlab.grading.grader import Grader, Row
from tensorlab.grading.pool import Task, given_up, rows_of
from tensorlab.grading.results import package_digest

CONNECT_SECONDS = 10.0

#: Notebooks that wait at each worker, so that it never waits for this process.
WINDOW = 3


class ClusterError(Exception):
    """The cluster cannot grade; the text says why, in one clause."""


def grade_on(make: Callable[[], Grader], tasks: Iterable[Task], address: str) -> Generator[Row, None, None]:
    """A row for each question of each task, notebook by notebook, in the order in which they are graded.

    Closing the generator takes back what was not graded.

    Args:
        make: makes a grader; each worker has its own. It is sent to them, so it must be picklable.
        tasks: taken as workers become free.
        address: of the scheduler, such as ``"tcp://10.0.0.5:8786"``.

    Raises:
        ClusterError: there is no such scheduler, or a worker has another version of this library or cannot
            close notebooks off.
    """
    distributed = _distributed()
    digest, rest, asked = package_digest(), iter(tasks), dict[str, Task]()
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {address} ({error})") from error
    with client:
        done = distributed.as_completed(loop=client.loop)
        while True:
            for _ in range(WINDOW * max(1, len(client.nthreads())) - len(asked)):
                if task := next(rest, None):
                    future = client.submit(grade, make, task, digest, pure=False)
                    asked[future.key] = task
                    done.add(future)
            if not asked:
                return
            future = next(done)
            task = asked.pop(future.key)
            try:
                rows = future.result()
            except distributed.KilledWorker:
                rows = given_up(make(), task)
            except (distributed.client.FutureCancelledError, OSError) as error:
                raise ClusterError(f"the scheduler at {address} is gone") from error
            yield from rows
            future.release()  # not before its rows are stored: until then a lost worker's are graded again


def grade(make: Callable[[], Grader], task: Task, digest: str) -> list[Row]:
    """What a worker does: the rows of one notebook.

    Args:
        digest: of the library that asks; another one may judge otherwise.

    Raises:
        ClusterError: see `grade_on`.
    """
    with _one_at_a_time:
        grader = _grader(pickle.dumps(make), digest)
        others = children(os.getpid())
        rows = list(rows_of(grader, task))
        if grader.level != "strong":
            end_all(others)  # what was left behind; a strong box leaves nothing
        return rows


_one_at_a_time = threading.Lock()  # a worker may have several threads


@functools.lru_cache(maxsize=1)
def _grader(make: bytes, digest: str) -> Grader:
    """The grader of this worker, whose boxes have been tried."""
    if package_digest() != digest:
        raise ClusterError(f"tensorlab on {platform.node()} is not the one that asks; install the same")
    grader: Grader = pickle.loads(make)()
    if grader.level != "none":
        try:
            found = escapes(grader.open_box, grader.exercises[0].part)
        except BoxError as error:
            raise ClusterError(f"{platform.node()} cannot close a process off: {error}") from error
        if found:
            raise ClusterError(f"code got out of a box on {platform.node()}: {'; '.join(found)}")
    return grader


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(
            "dask.distributed is not installed: pip install 'tensorlab[cluster]', here and on the workers"
        ) from error
    return distributed
