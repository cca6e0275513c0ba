"""PyTorch's own samples of all operators on a GPU, against PyTorch on the CPU: ``tensorlab test --gpu``."""

from __future__ import annotations

import importlib.util
from itertools import islice

import pytest

from tensorlab.cli.support import gpu_report
from tests.library.device import IS_REAL
from tests.library.operators import translation
from tests.library.operators.calls import compare_sample, covered_operators, draws, samples

# Samples of each dtype: every so-manieth, and so many.
EVERY, MOST = 3, 6


def pytest_generate_tests(metafunc):
    """A test for each operator, by its name; elsewhere one that says what it takes to run them."""
    if IS_REAL and all(map(importlib.util.find_spec, ("torch", "expecttest"))):
        metafunc.parametrize("op", covered_operators(), ids=lambda op: op.full_name)
    else:
        why = "it takes a GPU, PyTorch and expecttest: tensorlab test --gpu"
        metafunc.parametrize("op", [pytest.param(None, marks=pytest.mark.skip(reason=why))], ids=["none"])


@pytest.mark.filterwarnings("ignore")  # PyTorch's samples warn, of what they are about to do
def test_operators_on_the_device_agree_with_pytorch(torch, op, request, monkeypatch):
    monkeypatch.setattr(translation, "PLACE", "cuda")
    differences = []
    for dtype in ("float32", "int64"):
        if not op.supports_dtype(getattr(torch, dtype), "cpu"):
            continue
        for sample in islice(samples(torch, op, dtype), 0, EVERY * MOST, EVERY):
            for comparison in compare_sample(torch, op, sample, values=not draws(torch, op, sample)):
                if comparison.found is not None and comparison.reason is None:
                    text = f"[{comparison.form}] {comparison.call}: {comparison.found}"
                    gpu_report.append({"difference": text, "of": request.node.nodeid})
                    differences.append(text)
    assert not differences, "\n".join(differences)
