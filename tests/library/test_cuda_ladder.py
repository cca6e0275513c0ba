"""Every rung of the GPU's ladder multiplies, at ragged sizes and in several orders of its threads."""

from __future__ import annotations

import types

import numpy as np
import pytest

from tensorlab.backends.cuda import ladder
from tensorlab.backends.cuda.simulator import KernelError, launch


@pytest.mark.parametrize(("sizes", "seed"), [((17, 19, 9), 0), ((5, 3, 21), 1), ((16, 16, 1), 2)])
@pytest.mark.parametrize("rung", ladder.LADDER)
def test_a_rung_agrees_with_numpy(rung, sizes, seed):
    m, n, k = sizes
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    np.testing.assert_allclose(ladder.matmul(rung, a, b, seed), a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("rung", ["shared_tile", "column_tile", "square_tile"])
def test_a_rung_without_its_barriers_is_a_race(rung):
    class Careless:
        def __getattr__(self, name):
            return getattr(ladder.cuda, name)

        def syncthreads(self):
            pass

    kernel, block, _ = ladder.LADDER[rung]
    careless = types.FunctionType(kernel.__code__, {**vars(ladder), "cuda": Careless()}, rung)
    a = np.ones(16 * 16, np.float32)
    with pytest.raises(KernelError, match=r"a race for|read before any thread has written"):
        launch(careless, 1, block, 16, 16, 16, a, a.copy(), a.copy())
