"""What `tensorlab bench nn` compares: the same layers in both libraries. No test asks how fast."""

from __future__ import annotations

import numpy as np
import pytest

from tensorlab.bench.nn import LAYERS, STEP, TITLES, cases

# The widest layers take a second each; what they compute does not hang on their size.
NAMES = [name for layer in LAYERS for name in (layer.name, f"{layer.name}, and gradients")]


def test_layers_have_names_of_their_own():
    assert len({*NAMES, STEP}) == len(NAMES) + 1


@pytest.mark.parametrize("name", [*NAMES, STEP])
def test_candidates_compute_the_same(torch, name):
    found = dict(cases(torch, name))
    assert set(found[name]) == {"tensorlab", *TITLES}
    ours, theirs = (found[name][library]() for library in ("tensorlab", "torch"))
    pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
    for mine, other in pairs:
        mine, other = mine.detach().numpy(), other.detach().numpy()
        # a gradient of a weight is a sum of thousands of numbers: an error in proportion to its size
        np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5 * max(1.0, float(np.abs(other).max())))


def test_without_torch_there_is_one_candidate():
    ((_, candidates),) = cases(None, STEP)
    assert set(candidates) == {"tensorlab"}
