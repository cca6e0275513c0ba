"""`tensorlab bench memory`: what an operation needs beside its operands and its result.

Each call of the catalogue is made three times in a process of its own; the third time the peak of the
process is compared with what it held before. That counts everything, whoever allocated it: NumPy, a kernel,
LAPACK. What is left after the result is taken off may be one megabyte a thread, for the blocks that a kernel
works on.

Linux alone tells a process its peak since a given moment.
"""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tensorlab as tl
from tensorlab.catalogue import Operands, calls
from tensorlab.tensor import Tensor

__all__ = ["ALLOWED", "ALONE", "STEPS", "Need", "check_system", "in_a_process", "measure", "peak_of"]

#: Bytes a thread that an operation may need beside its operands and its result.
ALLOWED = 1_000_000

# Rows and columns of a matrix for one thread: 4 MB of float32, so that one hidden copy is four times what is
# allowed. For more threads matrices grow with what is allowed.
SIDE = 1024

#: Large pieces are given back to the system at once, as long as they are mapped one by one.
ALONE = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}

#: Calls that take several steps and keep what is between them, and why.
STEPS = {
    "x.unique(return_inverse=True, return_counts=True)": "where each element stood, in order, in four bytes",
    "x.unique()": "the elements in order, and where each element stood",
    "x.unique(dim=0)": "the rows in order",
    **dict.fromkeys(
        (
            "tl.msort(x)",
            "x.sort(0)",
            "x.argsort()",
            "x.sort(descending=True)",
            "x.sort(stable=True)",
            "x.sort()",
            "x.topk(2, 0)",
            "x.kthvalue(2)",
            "x.median(1)",
            "x.nanmedian(1)",
        ),
        "where each element stands in order; lines side by side",
    ),
    "x.mode()": "the rows in order, and how long each run of equal elements is",
    "tl.histc(x)": "the bin of each element, in eight bytes",
    "x.unique_consecutive()": "where a new element begins, in one byte each",
    "x.take_along_dim(grid, 1)": "the index with its negative places counted from the start",
    "tl.multinomial(x, 2)": "a random number for each category, as in PyTorch",
    "target.copy_(x).__setitem__(mask, x[mask])": "the values, which are made for the call",
    **dict.fromkeys(
        ("tl.chain_matmul(x, y, x)", "tl.linalg.multi_dot([x, y, x])", "tl.linalg.matrix_power(matrix, 3)"),
        "the first product",
    ),
    "tl.addbmm(batch[0], batch, batch)": "the batch's first matrices side by side, so that it is one product",
    **dict.fromkeys(
        (
            "F.mse_loss(x, y)",
            "F.l1_loss(x, y)",
            "F.smooth_l1_loss(x, y)",
            "F.huber_loss(x, y)",
            "F.binary_cross_entropy_with_logits(x, y)",
        ),
        "the loss of each element, as in PyTorch",
    ),
    **dict.fromkeys(
        ("tl.linalg.vecdot(x, y)", "F.cosine_similarity(x, y)"), "the product of each pair, as in PyTorch"
    ),
}


class Need(NamedTuple):
    """What one call was seen to need.

    Attributes:
        text: the call.
        result: the bytes of its result.
        beside: the bytes of its peak beside operands and result.
    """

    text: str
    result: int
    beside: int


def measure(only: str = "", threads: int = 1, every: int = 1) -> list[Need]:
    """Measure the calls whose text has `only` in it, or one of `every` so many of them, in a new process.

    Raises:
        OSError: this system does not tell a process its peak.
    """
    check_system()
    return [Need(*found) for found in in_a_process(__name__, only, str(threads), str(every))]


def in_a_process(module: str, *arguments: str) -> Any:
    """What a module writes as JSON, run in a process that gives large pieces of memory back at once."""
    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    done = subprocess.run(command, env={**os.environ, **ALONE}, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def _needs(only: str, threads: int, every: int) -> Iterator[Need]:
    tl.set_num_threads(threads)
    operands = Operands(tl.float32, SIDE * (math.isqrt(threads - 1) + 1))
    # A decomposition needs what LAPACK asks for.
    measured = (call for call in calls() if call.kind != "linear algebra" and call.fits(tl.float32))
    for call in islice((call for call in measured if only in call.text), 0, None, every):
        for _ in range(2):  # makes the operands and loads the kernels; the second time what repeats is noted
            call.run(operands)
        result, beside = peak_of(partial(call.run, operands))
        held = {place for value in operands.made() for place, _ in _storages(value)}
        size = sum(size for place, size in set(_storages(result)) if place not in held)
        yield Need(call.text, size, beside - size)


def check_system() -> None:
    """Ask whether peaks can be measured here.

    Raises:
        OSError: this system does not tell a process its peak.
    """
    if not Path("/proc/self/clear_refs").exists():
        raise OSError("this system does not tell a process its peak of memory; Linux does")


def peak_of(run: Callable[[], Any]) -> tuple[Any, int]:
    """What a function returns, and by how many bytes the process grew at the highest while it ran."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _bytes("VmRSS")
    result = run()
    return result, _bytes("VmHWM") - before


def _bytes(name: str) -> int:
    """One of the sizes that Linux tells of this process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))


def _storages(result: object) -> Iterator[tuple[int, int]]:
    """Where the memory of a result lies, and its size."""
    if isinstance(result, Tensor):
        storage = result.rename(None).untyped_storage()
        yield storage.data_ptr(), storage.nbytes()
    elif isinstance(result, np.ndarray):
        yield result.ctypes.data, result.nbytes
    elif isinstance(result, tuple | list):
        for part in result:
            yield from _storages(part)


if __name__ == "__main__":
    json.dump(list(_needs(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))), sys.stdout)
