"""No cell outside of a convolution's operands is read or written; see `tests.library.test_gemm_bounds`."""

from __future__ import annotations

import sys

import pytest

from tests.library.test_gemm_bounds import PROGRAM as GUARDS
from tests.library.test_kernels import run

PROGRAM = (
    GUARDS[: GUARDS.index("def laid(")]
    + """
import random
from tensorlab.core import layout
from tensorlab.dispatch.primitive import compute
from tensorlab.ops.correlations import IMAGE, RESULT, WEIGHTS, Form
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import make_tensor

def tensor(shape, kind, how, at_end):
    "A tensor of which no cell of the storage lies outside of the elements' range."
    stride = layout.default_strides(shape)
    if how == "turned":
        order = (0, *range(2, len(shape)), 1) if len(shape) > 1 else (0,)
        stride, step = [0] * len(shape), 1
        for dim in reversed(order):
            stride[dim], step = step, step * shape[dim]
    elif how == "sliced":
        stride = tuple(2 * step for step in stride)
    count = 1 + sum((size - 1) * step for size, step in zip(shape, stride))
    cells = guarded(np.random.default_rng(count).integers(-3, 4, count).astype(kind.cell), at_end)
    return make_tensor(UntypedStorage(cells), kind, layout.Size(shape), tuple(stride), 0)

def check(rng):
    kind = dtypes.by_name(rng.choice(["float32", "float32", "float64", "bfloat16"]))
    n, g, m, c = (rng.choice(sizes) for sizes in ((1, 2, 9), (1, 1, 2), (1, 7, 8, 20), (1, 3, 8, 33)))
    dims = rng.choice([1, 2, 2])
    most = 30 if dims == 2 else 700
    def numbers(low, *most):
        return tuple(rng.randint(low, rng.choice(most)) for _ in range(dims))
    image, window = numbers(1, 3, most), numbers(1, 1, 3, 5)
    step, before, spread = numbers(1, 1, 3), numbers(0, 0, 2), numbers(1, 1, 3)
    places = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, s, p, d in zip(image, window, step, before, spread)
    ]
    if min(places) < 1:
        return
    at_end = rng.random() < 0.5
    def made(*shape):
        return tensor(shape, kind, rng.choice(["row", "turned", "sliced"]), at_end)
    form = Form(step, before, spread, g)
    threads.set_num_threads(rng.choice([1, 4]))
    x, w, y = made(n, g * c, *image), made(g * m, c, *window), made(n, g * m, *places)
    compute(RESULT, x, w, made(g * m), params=(form, tuple(places)))
    compute(IMAGE, y, w, made(g * c), params=(form, image))
    compute(WEIGHTS, x, y, params=(form, w.shape))
    held.clear()

rng = random.Random(SEED)
for _ in range(150):
    check(rng)
print("all")
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows protects pages by another call than mprotect")
@pytest.mark.parametrize("seed", range(3))
def test_nothing_outside_is_touched(seed):
    assert run(f"SEED = {seed}\n{PROGRAM}", NUMBA_DISABLE_JIT="0").strip() == "all"
