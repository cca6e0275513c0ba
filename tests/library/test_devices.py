"""Every operator on another device than the CPU: its results lie there, and it makes nothing elsewhere.

The other device is the backend in plain NumPy under the name of a GPU: what kernels compute is tested with
the kernels, and here only where tensors are made.
"""

from __future__ import annotations

import types
from itertools import islice

import pytest

import tensorlab as tl
from tensorlab.backends import cuda
from tensorlab.backends.numpy import NumPy
from tensorlab.core.devices import device
from tests.library.operators import translation
from tests.library.operators.calls import compare_sample, draws, samples

PARTS = 16


@pytest.fixture
def elsewhere(monkeypatch):
    backend = NumPy()
    backend.device = device("cuda", 0)
    backend.driver = types.SimpleNamespace(name="NumPy", capability=(0, 0), total=1 << 34)
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    monkeypatch.setattr(cuda, "_device", lambda simulated: backend)
    monkeypatch.setattr(translation, "PLACE", "cuda")


@pytest.mark.part(4)
@pytest.mark.filterwarnings("ignore")  # PyTorch's samples warn, of what they are about to do
@pytest.mark.parametrize("part", range(PARTS))
def test_an_operator_stays_on_the_device_of_its_operands(torch, operators, elsewhere, part):
    assert tl.ones(2).cuda().device == tl.device("cuda", 0)
    differences = [
        f"{comparison.operator} [{comparison.form}] {comparison.call}: {comparison.found}"
        for op in operators[part::PARTS]
        for dtype in ("float32", "int64")
        if op.supports_dtype(getattr(torch, dtype), "cpu")
        for sample in islice(samples(torch, op, dtype), 0, 24, 4)
        for comparison in compare_sample(torch, op, sample, values=not draws(torch, op, sample))
        if comparison.found is not None and comparison.reason is None
    ]
    assert not differences, "\n".join(differences)
