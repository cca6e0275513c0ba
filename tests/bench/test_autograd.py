"""What `tensorlab bench autograd` compares: the same gradients in both libraries. No test asks how fast."""

from __future__ import annotations

import numpy as np
import pytest

from tensorlab.bench.autograd import CHAINS, RECORDED, cases
from tensorlab.bench.measure import OURS

NAMES = [name for name, _ in cases(None)]


def test_every_chain_and_operation_is_a_case_of_its_own():
    assert len(set(NAMES)) == len(NAMES) == len(CHAINS) + len(RECORDED)


@pytest.mark.parametrize("name", NAMES)
def test_candidates_compute_the_same(torch, name):
    candidates = dict(cases(torch, name))[name]
    ours, theirs = candidates[OURS](), candidates["torch"]()
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-6)
    assert ours.requires_grad == theirs.requires_grad
    if "no_grad" in candidates:
        plain = candidates["no_grad"]()
        assert ours.grad_fn is not None
        assert plain.grad_fn is None
        np.testing.assert_array_equal(plain.detach().numpy(), ours.detach().numpy())
