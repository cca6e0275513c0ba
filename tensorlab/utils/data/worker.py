"""Processes that make batches, and how the loader's process talks with them.

Each worker has a pipe of its own. The loader sends `BEGIN` at the start of each loop and then ``(indices,)``
for each batch; the worker sends the batches back in the same order. It ends when the loader's process is
gone.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from tensorlab.random import manual_seed

__all__ = ["Failure", "Fetch", "WorkerInfo", "Workers", "get_worker_info"]

# Makes a batch of indices; without indices the next batch of a data set that is read from its beginning.
Fetch = Callable[[Any], Any]

BEGIN = "begin"
SECONDS = 5.0  # how often a worker looks whether its loader's process is still there


class WorkerInfo(NamedTuple):
    """Who a worker is.

    Attributes:
        id: its number, from 0.
        num_workers: how many there are.
        seed: what its generators were seeded with.
        dataset: its copy of the data set.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


class Failure(NamedTuple):
    """What a worker sends instead of a batch: the type of an error, if it can be sent, and its text."""

    type: Any
    text: str

    def raise_again(self, worker: int) -> None:
        """Raise it in the loader's process.

        Raises:
            Exception: of the same type, or RuntimeError where that takes something else than a message.
        """
        message = f"Caught {self.type.__name__} in DataLoader worker process {worker}.\nOriginal {self.text}"
        if self.type is KeyError:
            raise KeyError(_Lines(message))
        try:
            error = self.type(message)
        except Exception:  # a type with arguments of its own
            error = RuntimeError(message)
        raise error


class _Lines(str):
    """A text that a KeyError shows with its line ends."""

    def __repr__(self) -> str:
        return str(self)


class Ended(NamedTuple):
    """What a worker sends when its data set has no more samples."""


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Who this process is among the workers of a loader; None in the loader's own.

    Example:
        >>> from tensorlab.utils.data import DataLoader, get_worker_info
        >>> get_worker_info() is None
        True
    """
    return _info


def work(
    pipe: Connection,
    theirs: list[Connection],
    info: WorkerInfo,
    make_fetch: Callable[[Any], Fetch],
    worker_init_fn: Callable[[int], Any] | None,
) -> None:
    """The life of a worker."""
    global _info
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the loader's affair, which ends its workers
    for each in theirs:
        each.close()  # what a fork brought along
    os.environ["NUMBA_NUM_THREADS"] = "1"
    if threads := sys.modules.get("tensorlab.backends.cpu.threads"):
        threads.set_num_threads(1)
    random.seed(info.seed)
    manual_seed(info.seed)
    np.random.seed(info.seed & 0xFFFFFFFF)  # the generator that data sets use without asking
    _info = info
    tasks: SimpleQueue = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, tasks), daemon=True).start()
    parent = multiprocessing.parent_process()
    fetch: Fetch | None = None
    failure: Failure | None = None
    try:
        if worker_init_fn is not None:
            worker_init_fn(info.id)
    except Exception as error:
        failure = _failure(error)
    while True:
        try:
            task = tasks.get(timeout=SECONDS)
        except Empty:
            if parent is not None and not parent.is_alive():
                return
            continue
        if task is None:
            return
        try:
            if task == BEGIN:
                fetch = make_fetch(info.dataset)
                continue
            made = failure or fetch(*task)  # type: ignore[misc]
            buffers: list[pickle.PickleBuffer] = []  # the bytes of tensors and arrays, sent as they lie
            message = pickle.dumps(made, 5, buffer_callback=buffers.append)
        except StopIteration:
            message, buffers = pickle.dumps(Ended()), []
        except Exception as error:
            if task == BEGIN:
                failure = _failure(error)
                continue
            message, buffers = pickle.dumps(_failure(error)), []
        runs = [buffer.raw() for buffer in buffers]
        pipe.send_bytes(message)
        pipe.send_bytes(pickle.dumps([run.nbytes for run in runs]))
        for run in runs:
            pipe.send_bytes(run)


def _receive(pipe: Connection, tasks: SimpleQueue) -> None:
    """Take tasks out of the pipe at once, so that the loader never waits for room in it."""
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        pass  # the loader's process is gone
    tasks.put(None)


def _failure(error: Exception) -> Failure:
    try:
        pickle.loads(pickle.dumps(type(error)))
    except Exception:  # a type that only this process knows
        return Failure(RuntimeError, traceback.format_exc())
    return Failure(type(error), traceback.format_exc())


class Workers:
    """Some workers, and the batches that are on their way.

    Args:
        context: the way in which `multiprocessing` starts processes.
        count: how many.
        dataset: what they read; each gets a copy.
        make_fetch: makes of its data set a worker's `Fetch`.
        worker_init_fn: called in each worker with its number.
        seed: of the first worker's generators; the others follow it.
        timeout: how many seconds to wait for a batch; 0 for ever.

    Raises:
        RuntimeError: a worker died, or a batch took too long.
    """

    def __init__(
        self,
        context: Any,
        count: int,
        dataset: Any,
        make_fetch: Callable[[Any], Fetch],
        worker_init_fn: Callable[[int], Any] | None,
        seed: int,
        timeout: float,
    ) -> None:
        self.timeout = timeout
        self.pipes: list[Connection] = []
        self.processes: list[Any] = []
        # At the end of this process too, whatever ends it.
        self.close = weakref.finalize(self, _close, self.pipes, self.processes)
        for k in range(count):
            own, other = context.Pipe()
            self.pipes.append(own)
            arguments = (
                other,
                [*self.pipes],
                WorkerInfo(k, count, seed + k, dataset),
                make_fetch,
                worker_init_fn,
            )
            process = context.Process(target=work, args=arguments, daemon=True)
            process.start()
            other.close()
            self.processes.append(process)

    def send(self, worker: int, task: Any) -> None:
        """Give a worker something to do: `BEGIN`, or the indices of a batch in a tuple."""
        try:
            self.pipes[worker].send(task)
        except OSError:
            self._died(worker)

    def receive(self, worker: int) -> Any:
        """The next batch of a worker, in the order in which it was asked.

        Raises:
            RuntimeError: the worker is dead, or took longer than the timeout.
        """
        pipe, process = self.pipes[worker], self.processes[worker]
        until = time.monotonic() + self.timeout if self.timeout else None
        while not pipe.poll(0):
            left = None if until is None else max(0.0, until - time.monotonic())
            ready = wait([pipe, process.sentinel], left)
            if not ready:
                raise RuntimeError(f"DataLoader timed out after {self.timeout} seconds")
            if pipe not in ready:
                self._died(worker)
        try:
            message = pipe.recv_bytes()
            buffers = [np.empty(size, np.uint8) for size in pickle.loads(pipe.recv_bytes())]
            for buffer in buffers:
                pipe.recv_bytes_into(buffer)
        except (EOFError, OSError):
            self._died(worker)
        return pickle.loads(message, buffers=buffers)

    def _died(self, worker: int) -> None:
        process = self.processes[worker]
        process.join(1)
        raise RuntimeError(
            f"DataLoader worker (pid(s) {process.pid}) exited unexpectedly, with exit code "
            f"{process.exitcode}: a negative one is the signal that ended it, -9 mostly for want of memory"
        )


def _close(pipes: list[Connection], processes: list[Any]) -> None:
    """End all workers, and wait until they are gone."""
    for pipe in pipes:
        pipe.close()
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(SECONDS)
        if process.is_alive():  # its program does not let itself be ended
            process.kill()
            process.join()
