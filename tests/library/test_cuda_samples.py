"""PyTorch's own samples of all operators on a GPU, against PyTorch on the CPU: ``tensorlab test --gpu``."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.library.device import IS_REAL
from tests.library.operators import translation
from tests.library.operators.calls import compare_sample, samples

# So many that hardly a test is on its way when the time is over.
PARTS = 400
# Samples of each dtype: every so-manieth, and so many.
EVERY, MOST = 3, 6
# What draws numbers, which are others on a GPU, and what leaves memory as it is.
DRAWN = "rand", "normal", "multinomial", "bernoulli", "empty"


@pytest.mark.skipif(not IS_REAL, reason="it takes a GPU: tensorlab test --gpu")
@pytest.mark.filterwarnings("ignore")  # PyTorch's samples warn, of what they are about to do
@pytest.mark.parametrize("part", range(PARTS))
def test_operators_on_the_device_agree_with_pytorch(torch, operators, part, monkeypatch):
    monkeypatch.setattr(translation, "PLACE", "cuda")
    differences = [
        f"{comparison.operator} [{comparison.form}] {comparison.call}: {comparison.found}"
        for op in operators[part::PARTS]
        if not op.name.startswith(DRAWN)
        for dtype in ("float32", "int64")
        if op.supports_dtype(getattr(torch, dtype), "cpu")
        for sample in islice(samples(torch, op, dtype), 0, EVERY * MOST, EVERY)
        for comparison in compare_sample(torch, op, sample)
        if comparison.found is not None and comparison.reason is None
    ]
    assert not differences, "\n".join(differences)
