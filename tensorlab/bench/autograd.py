"""What `tensorlab bench autograd` compares: the graph's own cost, on tensors of four elements.

The arithmetic of four numbers is nothing; what is timed is the making of nodes and the way back through them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import tensorlab as tl
from tensorlab.bench.measure import OURS, Case

__all__ = ["CHAINS", "LINKS", "RECORDED", "TITLES", "cases"]

TITLES = {"torch": "PyTorch ÷ ours", "no_grad": "no_grad ÷ ours"}

# So many operations are timed together: in a chain, or one by one.
LINKS = 100

# What a chain multiplies by, made by a library, there and back.
CHAINS: dict[str, Callable[[Any], Any]] = {
    "a number": lambda library: 1.001,
    "a constant": lambda library: library.full((4,), 1.001),
    "a leaf": lambda library: library.full((4,), 1.001, requires_grad=True),
    "a 0-dim leaf": lambda library: library.tensor(1.001, requires_grad=True),
}

# Single operations: of x, which an operation made, and of the leaf w.
RECORDED: dict[str, Callable[[Any, Any], Any]] = {
    "x * w": lambda x, w: x * w,
    "x + w": lambda x, w: x + w,
    "x * 2": lambda x, w: x * 2,
    "x.exp()": lambda x, w: x.exp(),
    "x.tanh()": lambda x, w: x.tanh(),
    "x ** 2": lambda x, w: x**2,
    "x.sum()": lambda x, w: x.sum(),
    "x.softmax(0)": lambda x, w: x.softmax(0),
    "x @ w": lambda x, w: x @ w,
    "x.view(2, 2)": lambda x, w: x.view(2, 2),
    "x[1:3]": lambda x, w: x[1:3],
    "x.clone()": lambda x, w: x.clone(),
}


def cases(torch: Any, wanted: str = "") -> Iterator[Case]:
    """The comparisons whose name has `wanted` in it; PyTorch is left out where it is not installed."""
    libraries = {OURS: tl} if torch is None else {OURS: tl, "torch": torch}
    for what, make in CHAINS.items():
        name = f"chain of {LINKS}, by {what}"
        if wanted in name:
            yield name, {key: _chain(library, make(library)) for key, library in libraries.items()}
    for what, apply in RECORDED.items():
        name = f"{what}, {LINKS} times"
        if wanted in name:
            candidates = {key: _repeated(library, apply) for key, library in libraries.items()}
            yield name, {**candidates, "no_grad": tl.no_grad()(candidates[OURS])}


def _chain(library: Any, factor: Any) -> Callable[[], Any]:
    x = library.ones(4, requires_grad=True)
    above = library.ones(4)

    def run() -> Any:
        x.grad = None
        y = x
        for _ in range(LINKS):
            y = y * factor
        y.backward(above)
        return x.grad

    return run


def _repeated(library: Any, apply: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    w = library.tensor([0.5, 1.0, 1.5, 2.0], requires_grad=True)
    x = w * 1.0

    def run() -> Any:
        for _ in range(LINKS):
            y = apply(x, w)
        return y

    return run
