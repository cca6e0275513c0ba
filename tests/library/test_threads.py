"""The number of threads changes no digit of a result or of a gradient.

Products, convolutions and attention are tried in files of their own.
"""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F

CALLS = {
    "exp": lambda x, w, b: x.exp(),
    "tanh": lambda x, w, b: x.tanh(),
    "sigmoid": lambda x, w, b: x.sigmoid(),
    "gelu": lambda x, w, b: F.gelu(x),
    "gelu by tanh": lambda x, w, b: F.gelu(x, approximate="tanh"),
    "silu": lambda x, w, b: F.silu(x),
    "softplus": lambda x, w, b: F.softplus(x),
    "row by row": lambda x, w, b: x * w + b,
    "transposed": lambda x, w, b: x + x.t()[: x.shape[0], : x.shape[1]].sum(),
    "sum": lambda x, w, b: x.sum(),
    "sums of rows": lambda x, w, b: x.sum(1),
    "sums of columns": lambda x, w, b: x.sum(0),
    "variance": lambda x, w, b: x.var(),
    "running sums": lambda x, w, b: x.cumsum(1),
    "norm": lambda x, w, b: x.norm(),
    "logsumexp": lambda x, w, b: x.logsumexp(0),
    "softmax": lambda x, w, b: F.softmax(x, 1),
    "softmax of columns": lambda x, w, b: F.softmax(x, 0),
    "log_softmax": lambda x, w, b: F.log_softmax(x, 1),
    "layer_norm": lambda x, w, b: F.layer_norm(x, (x.shape[1],), w, b),
    "batch_norm": lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
    "group_norm": lambda x, w, b: F.group_norm(x.view(-1, 6, x.shape[1]), 3),
    "cross_entropy": lambda x, w, b: F.cross_entropy(x, tl.arange(x.shape[0]) % x.shape[1]),
    "mse_loss": lambda x, w, b: F.mse_loss(x, b.expand(x.shape)),
    "embedding": lambda x, w, b: F.embedding((tl.arange(9000) * 7) % x.shape[0], x),
    "max_pool2d": lambda x, w, b: F.max_pool2d(x.view(1, 6, -1, x.shape[1]), 3, 2, 1),
    "avg_pool2d": lambda x, w, b: F.avg_pool2d(x.view(1, 6, -1, x.shape[1]), 3, 2, 1),
}


def found(call, values, count):
    """The result and the gradients of all operands, by so many threads."""
    before = tl.get_num_threads()
    tl.set_num_threads(count)
    try:
        operands = [tl.tensor(value).requires_grad_() for value in values]
        result = call(*operands)
        gradients = tl.autograd.grad(result, operands, result.detach().cos(), allow_unused=True)
    finally:
        tl.set_num_threads(before)
    return [np.asarray(x.detach()).tobytes() for x in (result, *gradients) if x is not None]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", [(606, 770), (60, 9001)], ids=str)
def test_the_number_of_threads_changes_no_digit(name, shape):
    rng = np.random.default_rng(0)
    values = [rng.standard_normal(size).astype(np.float32) for size in (shape, shape[1:], shape[1:])]
    alone = found(CALLS[name], values, 1)
    for count in (2, 3, 4):
        assert found(CALLS[name], values, count) == alone
