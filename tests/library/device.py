"""What runs kernels in tests of ``device="cuda"``: the simulator, or a GPU under ``tensorlab test --gpu``."""

from __future__ import annotations

import os

import pytest

from tensorlab.backends import cuda
from tensorlab.backends.cuda.compute import Cuda

__all__ = ["IS_REAL", "backend", "simulated_only"]

IS_REAL = "TENSORLAB_TEST_GPU" in os.environ

simulated_only = pytest.mark.skipif(IS_REAL, reason="what the simulator finds, a GPU doesn't tell")


def backend() -> Cuda:
    """The GPU's backend, or a new one in the simulator."""
    return cuda.gpu("tests") if IS_REAL else Cuda()
