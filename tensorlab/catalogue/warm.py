"""Make every call of the catalogue once, so that its kernels are compiled and kept.

Compiling keeps one core busy, so several processes share the calls. Each kernel is written by one rename
when it is finished: to stop half-way loses what is being compiled, and nothing else.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing.synchronize import Event
from typing import NamedTuple

from tensorlab.catalogue import KINDS, Call, Operands, calls
from tensorlab.core import dtypes

__all__ = ["ALL_KINDS", "Batch", "Failed", "batches", "warm"]

# Operands of so many rows and columns: one thread, and several. A reduction of 512 × 512 elements is the
# first that is computed in parts.
SMALL, LARGE = 4, 512

# Kinds whose calls compile nothing more for large operands.
NEVER_SHARED = {"creation", "views", "linear algebra", "names"}

GRADIENTS = "gradients"

#: The kinds of operations, and their gradients behind them.
ALL_KINDS = (*KINDS, GRADIENTS)

# Calls to a batch: enough that a process seldom waits for the next, few enough to show how far it is.
TOGETHER = 8


class Batch(NamedTuple):
    """Some calls with operands of one dtype and size.

    Attributes:
        dtype: the name of the operands' dtype.
        side: how many rows and columns they have.
        calls: what is called.
        gradients: whether the gradients of the calls are computed as well.
    """

    dtype: str
    side: int
    calls: tuple[Call, ...]
    gradients: bool = False

    @property
    def kind(self) -> str:
        """Which of `ALL_KINDS` it belongs to."""
        return GRADIENTS if self.gradients else self.calls[0].kind


class Failed(NamedTuple):
    """A call that raised: its dtype, its text, and the error."""

    dtype: str
    text: str
    error: str


def batches(element_types: Sequence[str], kinds: Sequence[str] = ALL_KINDS) -> list[Batch]:
    """The calls of some kinds for operands of some dtypes, those that most programs make first.

    Example:
        >>> found = batches(["float32"], ["views"])
        >>> {(batch.dtype, batch.side) for batch in found}, max(len(batch.calls) for batch in found)
        ({('float32', 4)}, 8)
    """
    found = []
    for kind in kinds:
        goes_back = kind == GRADIENTS
        listed = [call for call in calls() if (call.is_differentiable if goes_back else call.kind == kind)]
        for side in (SMALL,) if kind in NEVER_SHARED else (SMALL, LARGE):
            for name in element_types:
                element_type = dtypes.by_name(name)
                fitting = [call for call in listed if call.fits(element_type)]
                if goes_back and not element_type.is_floating_point:
                    continue
                found += [
                    Batch(name, side, tuple(fitting[first : first + TOGETHER]), goes_back)
                    for first in range(0, len(fitting), TOGETHER)
                ]
    return found


def warm(work: Sequence[Batch], processes: int) -> Generator[tuple[Batch, list[Failed]]]:
    """Make the calls, and yield each batch as it is done, with the calls that raised.

    Args:
        work: what is to be called.
        processes: how many processes share the work. They end when the generator is closed.
    """
    # Processes that are forked would share the threads and the locks of this one.
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    with ProcessPoolExecutor(processes, context, _begin, (stop,)) as pool:
        waiting: dict[Future[list[Failed]], Batch] = {pool.submit(_run, batch): batch for batch in work}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


_stop: Event


def _begin(stop: Event) -> None:
    """Begin a process. Ctrl-C reaches every process of a terminal; this one asks its parent's event."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(batch: Batch) -> list[Failed]:
    operands = Operands(dtypes.by_name(batch.dtype), batch.side)
    failed = []
    for call in batch.calls:
        if _stop.is_set():
            break
        try:
            if batch.gradients:
                call.differentiate(operands)
            else:
                call.run(operands)
        except Exception as error:  # reported, and the other kernels are worth having all the same
            failed.append(Failed(batch.dtype, call.text, f"{type(error).__name__}: {error}"))
    return failed
