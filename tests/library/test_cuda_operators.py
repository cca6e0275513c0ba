"""Operators of every kind give on ``device="cuda"``, in the simulator, what they give on the CPU."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.backends import cuda
from tests.library.device import IS_REAL

F = tl.nn.functional


def _overwritten(x):
    x = x.clone()
    x[:, 0] = 5.0
    return x


OPERATORS = {
    "add of a negative multiple": lambda x, image, kernel: x.byte().add(x.byte(), alpha=-3),
    "a number beside halves": lambda x, image, kernel: tl.stack(
        [x.half() + 1.5, 2 - x.half(), x.half() / 3, (x.bfloat16() == 1).half(), x.half() + tl.tensor(0.5)]
    ).float(),
    "argmax": lambda x, image, kernel: x.argmax(2),
    "attention": lambda x, image, kernel: F.scaled_dot_product_attention(x, x, x),
    "avg_pool2d": lambda x, image, kernel: F.avg_pool2d((9 * image - 20).long(), 2, divisor_override=-3),
    "bfloat16": lambda x, image, kernel: (x.to(tl.bfloat16) * 2).float(),
    "cat": lambda x, image, kernel: tl.cat([x, x], 1),
    "conv2d": lambda x, image, kernel: F.conv2d(image, kernel, padding=1),
    "cumsum": lambda x, image, kernel: x.cumsum(1),
    "einsum": lambda x, image, kernel: tl.einsum("bij,bkj->bik", x, x),
    "gather": lambda x, image, kernel: x.gather(1, x.long() % 3),
    "gelu": lambda x, image, kernel: F.gelu(x),
    "interpolate": lambda x, image, kernel: F.interpolate(image, scale_factor=2.0),
    "layer_norm": lambda x, image, kernel: F.layer_norm(x, (4,)),
    "mask": lambda x, image, kernel: x[x > 1],
    "max_pool2d": lambda x, image, kernel: F.max_pool2d(image, 2),
    "median": lambda x, image, kernel: x.median(1)[0],
    "nonzero": lambda x, image, kernel: (x > 1).nonzero(),
    "norm": lambda x, image, kernel: x.norm(),
    "scatter_add": lambda x, image, kernel: tl.zeros_like(x).scatter_add(1, x.long() % 3, x),
    "searchsorted": lambda x, image, kernel: tl.searchsorted(x[0, 0], x[1]),
    "setitem": lambda x, image, kernel: _overwritten(x),
    "sine of many turns": lambda x, image, kernel: tl.stack(
        [f(each) for each in (1e9 * x, 1e30 * x, 1e9 * x.double()) for f in (tl.sin, tl.cos, tl.tan, tl.sinc)]
    ),
    "softmax": lambda x, image, kernel: x.softmax(-1),
    "sort": lambda x, image, kernel: x.sort(-1, descending=True)[0],
    "topk": lambda x, image, kernel: x.topk(2)[0],
    "tril": lambda x, image, kernel: x.tril(),
    "var": lambda x, image, kernel: x.var(1),
    "where": lambda x, image, kernel: tl.where(x > 1, x, -x),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_gives_on_the_device_what_it_gives_on_the_cpu(name, monkeypatch):
    if not IS_REAL:
        monkeypatch.setenv(cuda.VARIABLE, "simulated")
    given = [
        tl.arange(24.0).view(2, 3, 4) / 7,
        tl.arange(50.0).view(1, 2, 5, 5) / 9,
        tl.arange(36.0).view(2, 2, 3, 3) / 20,
    ]
    expected, found = (OPERATORS[name](*[x.to(place) for x in given]) for place in ("cpu", "cuda"))
    assert found.is_cuda
    tl.testing.assert_close(found.cpu(), expected, rtol=1e-4, atol=1e-5)
