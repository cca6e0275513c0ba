"""A few random graphs beside PyTorch's; `tests.library.gradients.random_graphs` runs as many as one likes."""

from __future__ import annotations

import pytest

from tests.library.gradients.random_graphs import compare

pytestmark = pytest.mark.interpreted


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 400, 100))
def test_random_graphs(torch, first):
    for seed in range(first, first + 100):
        compare(torch, seed)
