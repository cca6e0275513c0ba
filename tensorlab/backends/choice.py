"""Which backend computes in the memory of the host: the one of compiled kernels, or plain NumPy."""

from __future__ import annotations

import importlib.util
import os
import warnings

from tensorlab.backends.cpu import CPU
from tensorlab.backends.fused import Backend
from tensorlab.backends.numpy import NumPy

__all__ = ["chosen"]

VARIABLE = "TENSORLAB_BACKEND"
_BACKENDS = {"cpu": CPU, "numpy": NumPy}


def chosen() -> Backend:
    """The backend that ``TENSORLAB_BACKEND`` names; else ``cpu``, or ``numpy`` where Numba is not installed.

    Raises:
        RuntimeError: the variable names none.
    """
    name = os.environ.get(VARIABLE, "")
    if not name:
        name = "cpu" if _has_numba() else "numpy"
        if name == "numpy":
            warnings.warn(
                "Numba is not installed, so tensorlab computes with NumPy alone: results are the same, most "
                "operations are slower. `pip install numba` brings compiled kernels; "
                f"{VARIABLE}=numpy chooses NumPy without this warning.",
                stacklevel=2,
            )
    if name not in _BACKENDS:
        raise RuntimeError(f"{VARIABLE} is {name!r}; the backends are {' and '.join(map(repr, _BACKENDS))}")
    return _BACKENDS[name]()


def _has_numba() -> bool:
    try:
        return importlib.util.find_spec("numba") is not None
    except ImportError:  # somebody keeps it from being found
        return False
