"""The strides of results are those of PyTorch, for operands of every layout and sizes of 0 and 1.

They follow before a kernel runs, so that kernels are interpreted here: each layout would ask for new ones.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import tensorlab as tl
import tensorlab.nn.functional

CALLS = {
    "add": lambda lib, x: x + 1,
    "add itself": lambda lib, x: x + x,
    "add a row": lambda lib, x: x + lib.ones(x.shape[-1]),
    "add 0-dimensional": lambda lib, x: x + lib.tensor(1.0),
    "subtract from a number": lambda lib, x: 1 - x,
    "divide a number": lambda lib, x: 1 / x,
    "compare": lambda lib, x: x < 1,
    "remainder": lambda lib, x: x % 2,
    "pow": lambda lib, x: x.pow(2.5),
    "pow of a number": lambda lib, x: 2**x,
    "clamp": lambda lib, x: x.clamp(0, 2),
    "clamp by tensors": lambda lib, x: x.clamp(lib.tensor(0.0), lib.tensor(1.0)),
    "exp": lambda lib, x: x.exp(),
    "round": lambda lib, x: lib.round(x, decimals=1),
    "nan_to_num": lambda lib, x: x.nan_to_num(),
    "lerp": lambda lib, x: lib.lerp(x, x, 0.5),
    "addcmul": lambda lib, x: lib.addcmul(x, x, x),
    "where": lambda lib, x: lib.where(x > 0, x, 0.0),
    "isclose": lambda lib, x: lib.isclose(x, x),
    "leaky_relu": lambda lib, x: lib.nn.functional.leaky_relu(x, 0.1),
    "hardtanh": lambda lib, x: lib.nn.functional.hardtanh(x),
    "logsigmoid": lambda lib, x: lib.nn.functional.logsigmoid(x),
    "softplus": lambda lib, x: lib.nn.functional.softplus(x),
    "to": lambda lib, x: x.double(),
    "clone": lambda lib, x: x.clone(),
    "ones_like": lambda lib, x: lib.ones_like(x),
    "sum": lambda lib, x: x.sum(-1, keepdim=True),
    "amax": lambda lib, x: x.amax(0) if x.shape[0] else x,
    "sort": lambda lib, x: x.sort(0)[0],
    "cumsum": lambda lib, x: x.cumsum(0),
    "roll": lambda lib, x: x.roll(1, 0),
    "flip": lambda lib, x: x.flip(0),
    "cat": lambda lib, x: lib.cat([x, x], 0),
    "masked_fill": lambda lib, x: x.masked_fill(x > 0, 1),
    "channels_last": lambda lib, x: x.contiguous(memory_format=lib.channels_last) if x.ndim == 4 else x,
}


def layouts(count: int) -> list[tuple[list[int], list[int]]]:
    """Shapes and strides: dense in any order, with gaps, expanded, with sizes of 0 and 1."""
    rng, drawn = random.Random(7), []
    for _ in range(count):
        ndim = rng.randint(1, 4)
        small = rng.random() < 0.5
        shape = [rng.choice([0, 1, 1, 2, 3] if small else [1, 2, 3]) for _ in range(ndim)]
        stride, step = [0] * ndim, rng.choice([1, 1, 2])
        for dim in rng.sample(range(ndim), ndim):
            stride[dim] = step
            step *= max(1, shape[dim]) * rng.choice([1, 1, 1, 2])
        for dim in range(ndim):
            if shape[dim] <= 1 and rng.random() < 0.4:
                stride[dim] = rng.choice([0, 1, 2, 5])
            elif rng.random() < 0.08:
                stride[dim] = 0
        drawn.append((shape, stride))
    return drawn


def results(lib: Any, name: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Shape and strides of what a call gives for each layout."""
    cells = lib.arange(400.0)
    found = [CALLS[name](lib, cells.as_strided(shape, stride)) for shape, stride in layouts(60)]
    return [(tuple(result.shape), tuple(result.stride())) for result in found]


def own_results(name: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The same of this library."""
    return results(tl, name)


@pytest.mark.parametrize("name", CALLS)
def test_results_have_the_strides_of_pytorch(torch, interpreted, name):
    expected = results(torch, name)
    for given, ours, theirs in zip(layouts(60), interpreted(own_results, name), expected, strict=True):
        assert ours == theirs, given
