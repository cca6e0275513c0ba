"""Graphs: launches that are recorded once, and done again with one call for all of them."""

from __future__ import annotations

import gc
import weakref
from types import TracebackType
from typing import Any

from tensorlab.backends.cuda import gpu
from tensorlab.backends.cuda.memory import Kept

# The graph that is being recorded.
_recording: list[CUDAGraph] = []


def is_current_stream_capturing() -> bool:
    """Whether launches are recorded for a graph just now."""
    return bool(_recording)


def graph_pool_handle() -> Any:
    """Memory that several graphs may share, if they are replayed in the order in which they were recorded.

    Raises:
        RuntimeError: there is no GPU.
    """
    return gpu("cuda.graph_pool_handle()").memory.private()


class CUDAGraph:
    """Launches that are recorded once, and done again with one call for all of them.

    A replay reads and writes the same memory every time: copy new inputs into the tensors that were read
    while recording, and read results from those that were made. The memory that was taken while recording
    stays the graph's. Numbers of Python, as a learning rate, are as they were; optimizers that count their
    steps need ``capturable=True``.

    Raises:
        RuntimeError: there is no GPU.

    Example:
        >>> import tensorlab as tl
        >>> def replayed():
        ...     x = tl.zeros(3, device="cuda")
        ...     graph = tl.cuda.CUDAGraph()
        ...     with tl.cuda.graph(graph):
        ...         y = 2 * x + 1
        ...     x.copy_(tl.tensor([1.0, 2.0, 3.0]))
        ...     graph.replay()
        ...     return y.tolist()
        >>> replayed() if tl.cuda.is_available() else [3.0, 5.0, 7.0]
        [3.0, 5.0, 7.0]
    """

    def __init__(self, keep_graph: bool = False) -> None:
        self._backend = gpu("cuda.CUDAGraph()")
        self._kept: Kept | None = None
        self._within: Any = None
        self._recorded: Any = None
        self._drop: Any = None

    def capture_begin(self, pool: Any = None, capture_error_mode: str = "global") -> None:
        """Record launches from now on instead of doing them.

        Args:
            pool: memory to share with another graph: its `pool`, or a `graph_pool_handle`.
            capture_error_mode: what else would be refused meanwhile; here nothing else.

        Raises:
            RuntimeError: this graph has been recorded, or another one is.
        """
        if self._kept is not None:
            raise RuntimeError("this graph has been recorded: call reset() first, or make another CUDAGraph")
        if self._backend.is_capturing:
            raise RuntimeError("another graph is being recorded: end its capture first")
        self._backend.listen([])  # where kernels tell of indices is not the graph's
        self._kept = self._backend.memory.private() if pool is None else pool
        self._within = self._backend.memory.within(self._kept)
        self._backend.driver.begin_capture()
        self._within.__enter__()
        self._backend.is_capturing = True
        _recording.append(self)

    def capture_end(self) -> None:
        """Record no more.

        Raises:
            RuntimeError: nothing is being recorded.
        """
        if self._within is None:
            raise RuntimeError("capture_end() without capture_begin()")
        self._backend.is_capturing = False
        _recording.clear()
        self._within.__exit__(None, None, None)
        self._within = None
        self._recorded = self._backend.driver.end_capture()
        self._drop = weakref.finalize(self, self._backend.driver.drop, self._recorded)
        self._drop.atexit = False

    def replay(self) -> None:
        """Do all recorded launches, in their order, behind what the GPU was told before.

        Raises:
            RuntimeError: nothing has been recorded.
        """
        if self._drop is None:
            raise RuntimeError("replay() of a graph that has not been recorded")
        self._backend.listen([])
        self._backend.driver.replay(self._recorded)

    def reset(self) -> None:
        """Forget what was recorded; the memory that it needed may serve other tensors."""
        if self._drop is not None:
            self._drop()
        self._drop = self._recorded = self._kept = None

    def pool(self) -> Any:
        """The memory that was taken while recording, for another graph to share."""
        return self._kept


class graph:  # noqa: N801 - PyTorch's name
    """Within a ``with``, record launches for a graph instead of doing them.

    What waits for the GPU, as `Tensor.item`, is refused meanwhile. Run the same work once before, so that
    its kernels are compiled.

    Args:
        cuda_graph: what records.
        pool: memory to share with another graph: its `pool`.
        stream: accepted; all work goes into one stream.
        capture_error_mode: see `CUDAGraph.capture_begin`.
    """

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: Any = None,
        stream: object = None,
        capture_error_mode: str = "global",
    ) -> None:
        self.cuda_graph, self.pool, self.capture_error_mode = cuda_graph, pool, capture_error_mode

    def __enter__(self) -> None:
        gc.collect()
        self.cuda_graph._backend.synchronize()
        self.cuda_graph._backend.memory.empty_cache()
        self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cuda_graph.capture_end()
        if error is not None:
            self.cuda_graph.reset()
