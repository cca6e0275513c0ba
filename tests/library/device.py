"""What runs kernels in tests of ``device="cuda"``: the simulator, or a GPU under ``tensorlab test --gpu``."""

from __future__ import annotations

import os

import pytest

from tensorlab.backends import cuda
from tensorlab.backends.cuda.compute import Cuda

__all__ = ["IS_REAL", "SEEDS", "backend", "prepared", "simulated_only"]

IS_REAL = "TENSORLAB_TEST_GPU" in os.environ

# Of the simulator, in which orders threads run.
SEEDS = [0] if IS_REAL else [0, 1]

simulated_only = pytest.mark.skipif(IS_REAL, reason="what the simulator finds, a GPU doesn't tell")


def backend() -> Cuda:
    """The GPU's backend, or a new one in the simulator."""
    return cuda.gpu("tests") if IS_REAL else Cuda()


def prepared(monkeypatch: pytest.MonkeyPatch, seed: int) -> Cuda:
    """The device ``"cuda"`` of the test: the GPU, or the simulator in the order of a seed."""
    if IS_REAL:
        return cuda.gpu("tests")
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    found = cuda.gpu("tests")
    monkeypatch.setattr(found.driver, "seed", seed)
    return found
