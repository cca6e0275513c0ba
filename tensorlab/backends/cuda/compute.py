"""The device ``"cuda"``: its memory, how its kernels are launched, and where each operation stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tensorlab.backends.cuda import (
    attention,
    attention_gradient,
    convolution,
    copy,
    elementwise,
    gemm,
    index,
    likelihood,
    masks,
    normalise,
    pooling,
    random,
    reduce,
    scan,
    softmax,
    sort,
    update,
)
from tensorlab.backends.cuda.driver import Driver, Simulated
from tensorlab.backends.cuda.memory import HostPool, Pool, pinned_at
from tensorlab.backends.cuda.operands import raw
from tensorlab.backends.fused import Backend
from tensorlab.backends.operands import Buffer, Memory
from tensorlab.core.devices import device
from tensorlab.core.integers import ceil_div


class Cuda(Backend):
    """The memory and the core of the device ``"cuda"``.

    Args:
        driver: what runs the kernels: the simulator, or a GPU.

    Attributes:
        memory: its memory.
        host: memory of the host that it copies from by itself.
        launches: how many kernels have run.
        is_capturing: whether launches are recorded for a graph.
        waiting: updates that are done before the device does anything else.
    """

    tells_late = True

    def __init__(self, driver: Driver | None = None) -> None:
        self.device = device("cuda", 0)
        self.driver = driver or Simulated()
        self.memory, self.host = Pool(self.driver), HostPool(self.driver)
        self.launches = 0
        self.is_capturing = False
        self.waiting = update.Waiting()
        # What kernels say of indices, what it means, and whether one has run that may have said something.
        self._faults: Memory | None = None
        self._codes: dict[str, int] = {}
        self._may_tell = False

    def run(self, kernel: Callable, grid: Any, block: Any, *arguments: Any) -> None:
        """Run a kernel on so many blocks of so many threads."""
        self.settle()
        self.launches += 1
        self.driver.launch(kernel, grid, block, *arguments)

    def each(self, kernel: Callable, count: int, *arguments: Any) -> None:
        """Run a kernel whose threads share `count` elements among them."""
        self.run(kernel, *self.shared_among(count), *arguments)

    def shared_among(self, count: int) -> tuple[int, int]:
        """How many blocks of how many threads share `count` elements."""
        threads = min(count, self.driver.threads)
        return min(ceil_div(count, threads), self.driver.blocks), threads

    def threads_of(self, n: int) -> int:
        """The threads of a block that joins n numbers: a power of two, so that each has one to join with."""
        return 1 << (min(max(n, 1), self.driver.threads).bit_length() - 1)

    def settle(self) -> None:
        """Do the updates that wait."""
        if self.waiting.updates:
            self.waiting.run(self)

    def together(self) -> AbstractContextManager[None]:
        """See `tensorlab.backends.protocol.Core.together`."""
        return self.waiting.together(self)

    # --- memory ---------------------------------------------------------------------------------------------

    def allocate(self, count: int, cell: np.dtype) -> Memory:
        """See `tensorlab.backends.protocol.Core.allocate`."""
        return self.memory.allocate(count, cell)

    def fill(self, cells: Buffer, count: int, value: np.generic, step: int = 0) -> None:
        """See `tensorlab.backends.protocol.Core.fill`."""
        if count and step:
            self.each(copy.count_up, count, *raw(cells), count, value, step)
        elif count:
            self.each(copy.fill, count, *raw(cells), count, value)

    def upload(self, cells: memoryview, non_blocking: bool = False) -> Memory:
        """See `tensorlab.backends.protocol.Core.upload`."""
        self.need_no_graph("a copy from the host")
        array = np.asarray(cells)
        memory = self.memory.allocate(array.size, array.dtype)
        self.driver.upload(memory.cells, array.reshape(-1))
        pinned = pinned_at(array.__array_interface__["data"][0])
        if pinned is not None:  # the GPU may still read it: it serves again only then
            pinned.mark = self.driver.mark()
            if not non_blocking:
                self.driver.wait(pinned.mark)
        return memory

    def download(self, cells: Memory) -> memoryview:
        """See `tensorlab.backends.protocol.Core.download`."""
        self.need_no_graph("a copy to the host")
        self.settle()
        found = self.driver.download(cells.cells)
        self._tell()
        return found

    def copy(self, to: Memory, cells: Memory) -> None:
        """See `tensorlab.backends.protocol.Core.copy`."""
        if cells.nbytes:
            self.each(
                copy.copy_bytes,
                cells.nbytes,
                to.view(np.uint8).cells,
                cells.view(np.uint8).cells,
                cells.nbytes,
            )

    def synchronize(self) -> None:
        """See `tensorlab.backends.protocol.Core.synchronize`."""
        self.need_no_graph("to wait for the GPU")
        self.settle()
        self.driver.synchronize()
        self._tell()

    def need_no_graph(self, what: str) -> None:
        """Refuse what cannot be part of a graph.

        Raises:
            RuntimeError: launches are recorded for one.
        """
        if self.is_capturing:
            raise RuntimeError(
                f"CUDA error: operation not permitted when stream is capturing: {what} cannot be part of a "
                f"graph. Move this before or behind `with tensorlab.cuda.graph(...)`"
            )

    def listen(self, meanings: Sequence[str]) -> tuple[Any, tuple[int, ...]]:
        """Where a kernel says that an index led out, and the numbers that stand for what it may mean."""
        if self._faults is None:
            self._faults = self.upload(np.zeros(1, np.int64).data)
        self._may_tell = True
        codes = [self._codes.setdefault(meaning, len(self._codes) + 1) for meaning in meanings]
        return self._faults.cells, tuple(codes)

    def _tell(self) -> None:
        """Raise what kernels have said since the last time.

        Raises:
            IndexError: an index led out of a tensor.
        """
        if not self._may_tell or self._faults is None:
            return
        self._may_tell = False
        code, place = divmod(int(self.driver.download(self._faults.cells)[0]), index.SPAN)
        if code:
            self.driver.upload(self._faults.cells, np.zeros(1, np.int64))
            raise IndexError([*self._codes][code - 1].format(place - index.HALF))

    # --- where each operation stands ------------------------------------------------------------------------

    arg_reduce = reduce.prepare_arg_reduce
    attention_gradient = attention_gradient.prepare_attention_gradient
    attention = attention.prepare_attention
    compact = masks.prepare_compact
    correlate = convolution.prepare_correlate
    correlate_weights = convolution.prepare_correlate_weights
    gemm = gemm.prepare_gemm
    indexed = index.prepare_indexed
    likelihood_gradient = likelihood.prepare_likelihood_gradient
    likelihood = likelihood.prepare_likelihood
    normalise_gradient = normalise.prepare_normalise_gradient
    normalise = normalise.prepare_normalise
    pointwise = elementwise.prepare_pointwise
    pool = pooling.prepare_pool
    pool_gradient = pooling.prepare_pool_gradient
    random = random.prepare_random
    reduce = reduce.prepare_reduce
    scan = scan.prepare_scan
    softmax = softmax.prepare_softmax
    sort = sort.prepare_sort
    update = update.prepare_update
