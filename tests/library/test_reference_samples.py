"""Calls that PyTorch's larger lists of samples, its reference inputs, have and its ordinary ones have not.

Each line is a call on both libraries, as in `tests.library.test_call_variants`.
"""

from __future__ import annotations

import pytest

import tensorlab as tl
from tests.library.test_call_variants import alike, outcome

CALLS = """
# numbers beside an out
t.where(t.tensor([True, False]), t.ones(2), t.zeros(2), out=t.empty(0))
t.where(t.tensor([True, False]), t.ones(2), 2.0, out=t.empty(0))
t.where(t.tensor([True, False]), 1.0, t.ones(2), out=t.empty(0))
t.where(t.tensor([True, False]), 1, 2, out=t.empty(0, dtype=t.int64))
# a dimension of one element is contracted with a longer one
t.tensordot(t.ones(1, 1, 1, dtype=t.int8), t.ones(2, 1, 2, dtype=t.int8), dims=([0, 1], [2, 0]))
t.tensordot(t.ones(2, 1, 2, dtype=t.uint8), t.ones(1, 1, 1, dtype=t.uint8), dims=([2, 0], [0, 1]))
t.tensordot(t.ones(1, 2, dtype=t.float16), t.ones(2, 3, dtype=t.float16), dims=([0], [1]))
# a factor of another range
t.zeros(3, dtype=t.uint8).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.uint8), alpha=-1)
t.zeros(3, dtype=t.uint8).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.uint8), alpha=-200)
t.zeros(3, dtype=t.uint8).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.uint8), alpha=300)
t.zeros(3, dtype=t.uint8).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.uint8), alpha=1.5)
t.zeros(3, dtype=t.int8).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.int8), alpha=-200)
t.zeros(3, dtype=t.bool).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.bool), alpha=300)
t.zeros(3, dtype=t.float16).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.float16), alpha=300)
t.zeros(3, dtype=t.float16).index_add(0, t.tensor([0, 1]), t.ones(2, dtype=t.float16), alpha=2**40)
# losses
F.margin_ranking_loss(t.tensor([1, 2]), t.tensor([2, 1]), t.tensor([1, 1]), reduction="none")
F.margin_ranking_loss(t.tensor([1, 2]), t.tensor([2, 1]), t.tensor([1, 1]), margin=1)
F.margin_ranking_loss(t.tensor([1, 2]), t.tensor([2, 1]), t.tensor([1, 1]), reduction="sum")
F.multi_margin_loss(t.tensor([0.5, 1.0, 2.0]), t.tensor([1]), reduction="none")
F.multi_margin_loss(t.tensor([0.5, 1.0, 2.0]), t.tensor(1), reduction="none")
F.multi_margin_loss(t.tensor([0.5, 1.0, 2.0]), t.tensor([1]))
F.multi_margin_loss(t.tensor([[0.5, 1.0, 2.0]]), t.tensor([1]), reduction="none")
# strides of no elements
t.isinf(t.empty_strided((0, 3, 3), (18, 6, 2), dtype=t.int32))
t.isfinite(t.empty_strided((0, 3, 3), (18, 6, 2), dtype=t.bool))
t.isinf(t.empty_strided((0, 3, 3), (18, 6, 2), dtype=t.float32))
t.isfinite(t.ones(2, 3, 4, dtype=t.int32).permute(2, 0, 1)[:, :, ::2])
"""


@pytest.mark.parametrize("line", [line for line in CALLS.splitlines() if line and not line.startswith("#")])
def test_a_call_of_the_reference_inputs_does_what_it_does_in_pytorch(torch, line):
    ours, theirs = outcome(tl, line), outcome(torch, line)
    assert alike(ours, theirs), f"{ours}\n  PyTorch: {theirs}"
