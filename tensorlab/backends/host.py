"""The memory of backends that compute where Python does: flat NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlab.core import devices

__all__ = ["HostMemory"]

# NumPy's own function, without a call around it: every small result passes here.
_empty: Callable[[int, np.dtype], np.ndarray] = np.empty
_zeros: Callable[[int, np.dtype], np.ndarray] = np.zeros
_fill: Callable[[np.ndarray, np.generic], None] = np.ndarray.fill


class HostMemory:
    """The memory methods of `tensorlab.backends.protocol.Core`, for the device ``"cpu"``."""

    device = devices.CPU

    allocate = staticmethod(_empty)

    # The operating system hands out zeroed pages, so large zeros cost nothing until touched.
    allocate_zeros = staticmethod(_zeros)

    fill = staticmethod(_fill)

    @staticmethod
    def upload(cells: memoryview) -> np.ndarray:
        """See `tensorlab.backends.protocol.Core.upload`."""
        return np.asarray(cells).flatten()

    @staticmethod
    def download(cells: np.ndarray) -> memoryview:
        """See `tensorlab.backends.protocol.Core.download`."""
        return cells.data

    @staticmethod
    def copy(cells: np.ndarray) -> np.ndarray:
        """See `tensorlab.backends.protocol.Core.copy`."""
        return cells.copy()

    @staticmethod
    def synchronize() -> None:
        """See `tensorlab.backends.protocol.Core.synchronize`."""
