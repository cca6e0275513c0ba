"""The memory of backends that compute where Python does: flat NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlab.backends.operands import Buffer
from tensorlab.core import devices

# NumPy's own function, without a call around it: every small result passes here.
_empty: Callable[[int, np.dtype], np.ndarray] = np.empty


class HostMemory:
    """The memory methods of `tensorlab.backends.protocol.Core`, for the device ``"cpu"``."""

    device = devices.CPU

    allocate = staticmethod(_empty)

    @staticmethod
    def fill(cells: Buffer, count: int, value: np.generic, step: int = 0) -> None:
        """See `tensorlab.backends.protocol.Core.fill`."""
        memory, first = cells
        run = memory[first : first + count]
        run.fill(value)
        if step:
            run += (np.arange(count) * step).astype(run.dtype)

    @staticmethod
    def upload(cells: memoryview, non_blocking: bool = False) -> np.ndarray:
        """See `tensorlab.backends.protocol.Core.upload`."""
        return np.asarray(cells).flatten()

    @staticmethod
    def download(cells: np.ndarray) -> memoryview:
        """See `tensorlab.backends.protocol.Core.download`."""
        return cells.data

    @staticmethod
    def copy(to: np.ndarray, cells: np.ndarray) -> None:
        """See `tensorlab.backends.protocol.Core.copy`."""
        to.view(np.uint8)[: cells.nbytes] = cells.view(np.uint8)

    @staticmethod
    def synchronize() -> None:
        """See `tensorlab.backends.protocol.Core.synchronize`."""
