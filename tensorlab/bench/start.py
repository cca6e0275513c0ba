"""`tensorlab bench start`: how long a new program waits, with kernels in the cache and without.

With the cache filled, what counts is the import, the first operation, which loads the compiler's runtime, and
the first matrix product. With an empty cache each operation waits for its kernels once in the life of the
cache; `compile_times` measures that wait for every call of the catalogue.

All figures are processor time: what a machine takes that has nothing else to do. A process that may use one
core only compiles no kernel that shares its work among threads, so ``NUMBA_NUM_THREADS=4`` goes before a
measurement that is held on one core.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Compiled", "Start", "compile_times", "start"]

PROGRAM = """
import json, time
times = [time.process_time()]
import tensorlab as tl
times.append(time.process_time())
x = tl.ones(4, 4) + 1
times.append(time.process_time())
x @ x
times.append(time.process_time())
print(json.dumps([after - before for before, after in zip(times, times[1:])]))
"""


class Start(NamedTuple):
    """Seconds that a new process takes for its first steps, the medians of some processes."""

    importing: float
    first_operation: float
    first_product: float

    @property
    def whole(self) -> float:
        """All of them together."""
        return self.importing + self.first_operation + self.first_product


class Compiled(NamedTuple):
    """The seconds that one call takes with an empty cache, its kernels' compilation included."""

    text: str
    side: int
    seconds: float


def start(turns: int = 5) -> Start:
    """Measure the first steps of new processes whose kernels are in the cache.

    The first of them, which does not count, keeps the library's bytecode, as Python does by itself.
    """
    command = [sys.executable, "-c", PROGRAM]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [
        json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
        for _ in range(turns + 1)
    ]
    return Start(*(statistics.median(times) for times in zip(*runs[1:], strict=True)))


def compile_times(only: str = "", dtype: str = "float32") -> list[Compiled]:
    """Measure the calls of the catalogue whose text has `only` in it, each with an empty cache.

    Raises:
        OSError: this system cannot fork a process.
    """
    if not hasattr(os, "fork"):
        raise OSError("this system cannot fork a process, which the measurement is made of")
    command = [sys.executable, "-W", "ignore", "-m", "tensorlab.bench.start", only, dtype]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TENSORLAB_CACHE_DIR": folder}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return [Compiled(*found) for found in json.loads(done.stdout)]


def _compile_times(only: str, dtype: str) -> Iterator[Compiled]:
    from tensorlab.backends.cache import cache_directory
    from tensorlab.catalogue import Operands, calls
    from tensorlab.catalogue.warm import LARGE, NEVER_SHARED, SMALL
    from tensorlab.core import dtypes

    element_type = dtypes.by_name(dtype)
    for side in (SMALL, LARGE):
        operands = Operands(element_type, side)
        operands.make_all()
        there = {path for path in cache_directory().rglob("*") if path.is_file()}
        for call in calls():
            if only not in call.text or not call.fits(element_type):
                continue
            if side == LARGE and call.kind in NEVER_SHARED:
                continue
            yield Compiled(call.text, side, _seconds_in_a_child(call.text, operands))
            for path in {path for path in cache_directory().rglob("*") if path.is_file()} - there:
                path.unlink()


def _seconds_in_a_child(text: str, operands: object) -> float:
    """How long a call takes in a copy of this process, which has compiled no kernels but the operands'."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            began = time.process_time()
            eval(text, {}, operands)  # type: ignore[arg-type]  # a mapping will do
            os.write(writing, str(time.process_time() - began).encode())
        finally:
            os._exit(0)  # whatever happened, the copy must not go on as its parent would
    os.close(writing)
    with os.fdopen(reading) as pipe:
        seconds = pipe.read()
    os.waitpid(child, 0)
    if not seconds:
        raise RuntimeError(f"{text} failed in a process of its own")
    return float(seconds)


if __name__ == "__main__":
    json.dump(list(_compile_times(*sys.argv[1:])), sys.stdout)
