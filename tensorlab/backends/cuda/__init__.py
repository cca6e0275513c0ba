"""The device ``"cuda"``: kernels for GPUs, written in Python, which run in a simulator.

`tensorlab.backends.cuda.simulator` runs a grid of threads on the CPU and finds what is undefined on a GPU.
The kernels stand in `kernels`, and those made of a formula in `text`; `compute` launches them, and `memory`
keeps what they work on. `ladder` is the product of matrices, written five times.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["VARIABLE", "gpu", "is_simulated"]

VARIABLE = "TENSORLAB_CUDA"


def is_simulated() -> bool:
    """Whether ``TENSORLAB_CUDA=simulated`` asks for a GPU in the simulator.

    Raises:
        RuntimeError: the variable says something else.
    """
    value = os.environ.get(VARIABLE, "")
    if value not in ("", "simulated"):
        raise RuntimeError(f"{VARIABLE} is {value!r}; 'simulated' is the one value that it can have")
    return value == "simulated"


def gpu(asked: str) -> Cuda:
    """The device ``"cuda"``.

    Args:
        asked: who needs it, with which the error begins.

    Raises:
        RuntimeError: there is none.
    """
    if not is_simulated():
        raise RuntimeError(
            f"{asked}: there is no CUDA device. Kernels for GPUs run in a simulator so far, not on a GPU. "
            f"Compute on the CPU, or let the program choose: device = 'cuda' if "
            f"tensorlab.cuda.is_available() else 'cpu'. To see a small program run as on a GPU, start Python "
            f"with {VARIABLE}=simulated, after pip install 'greenlet>=3.5,<4'"
        )
    return _simulated()


@functools.cache
def _simulated() -> Cuda:
    from tensorlab.backends.cuda.compute import Cuda

    return Cuda()
