"""Random graphs on tensorlab and on PyTorch: the same operations, the same gradients, the same refusals.

    python -m tests.library.gradients.random_graphs --graphs 20000 --seed 1

runs many, and prints the program of the first that differs.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Callable
from typing import Any

import tensorlab
from tests.library.gradients.graph_operations import (
    BINARY,
    KEEP_MORE,
    TABLES,
    UNARY,
    VIEWS,
    WRITES,
    WRITES_OF_TWO,
)

Step = tuple[str, tuple]


class Unsettled(Exception):
    """From here on the two may differ."""


class Difference(AssertionError):
    """The two libraries did not do the same."""


# --- one library's side of a program ------------------------------------------------------------------


class Side:
    """The live tensors of one library, and what is done with them."""

    def __init__(self, library: Any) -> None:
        self.t = library
        self.tensors: list[Any] = []
        self.leaves: list[Any] = []
        self.retained: list[Any] = []

    def leaf(self, shape: tuple[int, ...], start: float) -> None:
        count = math.prod(shape)
        numbers = [((start + 0.37 * place) % 1.9) - 0.7 for place in range(count)]
        made = self.t.tensor(numbers, dtype=self.t.float64).reshape(shape).clone()
        self.leaves.append(made.requires_grad_())
        self.tensors.append(made)

    def constant(self, shape: tuple[int, ...], start: float) -> None:
        count = math.prod(shape)
        numbers = [((start + 0.53 * place) % 1.7) - 0.6 for place in range(count)]
        self.tensors.append(self.t.tensor(numbers, dtype=self.t.float64).reshape(shape).clone())

    def run(self, name: str, arguments: tuple) -> Any:
        return getattr(self, name)(*arguments)

    def new(self, function: Callable[..., Any], *places: int) -> None:
        self.tensors.append(function(self.t, *[self.tensors[place] for place in places]))

    def write(self, function: Callable[..., Any], *places: int) -> None:
        tensors = [self.tensors[place] for place in places]
        if _meets_itself(tensors[0]):
            raise ValueError("in which order a cell is written that is several elements is nobody's promise")
        if len({tensor.untyped_storage().data_ptr() for tensor in tensors}) < len(set(places)):
            raise ValueError("what a write that reads its own cells gives is nobody's promise")
        function(self.t, *tensors)

    def retain(self, place: int) -> None:
        tensor = self.tensors[place]
        tensor.retain_grad()
        if not tensor.is_leaf and all(tensor is not kept for kept in self.retained):
            self.retained.append(tensor)

    def backward(self, place: int, keep: bool) -> None:
        output = self.tensors[place]
        output.backward(self._weights(output), retain_graph=keep)

    def twice(self, place: int) -> list[Any]:
        output = self.tensors[place]
        first = self.t.autograd.grad(
            output, self.leaves, self._weights(output), create_graph=True, allow_unused=True
        )
        total = None
        for gradient in first:
            if gradient is not None and gradient.requires_grad:
                term = (gradient * gradient).sum()
                total = term if total is None else total + term
        if total is None:  # run once more, and let go of the graph
            second = [None] * len(first)
            self.t.autograd.grad(output, self.leaves, self._weights(output), allow_unused=True)
        else:
            second = self.t.autograd.grad(total, self.leaves, allow_unused=True)
        # Where the slope is constant, PyTorch gives zeros in some cases and None in others.
        return [*first, *map(self._or_zeros, second, self.leaves)]

    def _or_zeros(self, gradient: Any, leaf: Any) -> Any:
        return leaf.detach() * 0 if gradient is None else gradient

    def _weights(self, output: Any) -> Any:
        count = output.numel()
        return (self.t.arange(count, dtype=self.t.float64) * 0.31 % 1.0 + 0.4).reshape(output.shape)


def _meets_itself(x: Any) -> bool:
    """Whether elements of a tensor lie in one cell, other than by expanding, which both libraries see."""
    cells = {0}
    for size, stride in zip(x.shape, x.stride(), strict=True):
        cells = {cell + step * stride for cell in cells for step in range(size if stride else 1)}
    return len(cells) < math.prod(n for n, stride in zip(x.shape, x.stride(), strict=True) if stride)


SHAPES = [(3,), (2, 3), (3, 2), (3, 3), (1, 3), (2, 1), (), (2, 2, 3), (0, 3)]


# --- programs -----------------------------------------------------------------------------------------


def draw(rng: random.Random, live: int) -> Step:
    """The next step of a program in which `live` tensors are there."""
    kind = rng.random()
    place = rng.randrange(live)
    if kind < 0.32:
        return "new", (rng.choice(list(UNARY.values())), place)
    if kind < 0.52:
        return "new", (rng.choice(list(VIEWS.values())), place)
    if kind < 0.70:
        return "new", (rng.choice(list(BINARY.values())), place, rng.randrange(live))
    if kind < 0.82:
        return "write", (rng.choice(list(WRITES.values())), place)
    if kind < 0.92:
        return "write", (rng.choice(list(WRITES_OF_TWO.values())), place, rng.randrange(live))
    return "retain", (place,)


def compare(torch: Any, seed: int, length: int = 14) -> None:
    """Run one random graph on both libraries.

    Raises:
        Difference: they did not do the same; the message is the program and what differs.
    """
    program: list[str] = []
    try:
        _compare(torch, random.Random(seed), length, program)
    except Unsettled:
        pass
    except Difference as difference:
        raise Difference("\n".join([f"seed {seed}", *program, str(difference)])) from None


def _compare(torch: Any, rng: random.Random, length: int, program: list[str]) -> None:
    ours, theirs = Side(tensorlab), Side(torch)
    keeps_more: set[str] = set()  # the operations so far of which PyTorch keeps more than it needs

    def both(name: str, arguments: tuple) -> Any:
        program.append(f"{name}{tuple(map(_told, arguments))}")
        keeps_more.update(KEEP_MORE.intersection(map(str, map(_told, arguments))))
        outcomes = []
        for side in (ours, theirs):
            count = len(side.tensors)
            try:
                outcomes.append(side.run(name, arguments))
            except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError) as error:
                del side.tensors[count:]
                outcomes.append(error)
        mine, other = outcomes
        if isinstance(other, Exception) and ("multiple views" in str(other) or "ASSERT" in str(other)):
            raise Unsettled  # PyTorch refuses some of several views longer than is needed; or has a mistake
        if "modified by an inplace" in str(other) and not isinstance(mine, Exception) and keeps_more:
            raise Unsettled
        if isinstance(mine, Exception) or isinstance(other, Exception):
            program[-1] += f"  # {type(other).__name__ if isinstance(other, Exception) else 'fine'}"
            if type(mine) is not type(other):
                raise Difference(f"{mine!r}\n  PyTorch: {other!r}")
        return mine, other

    for number in range(rng.randint(1, 3)):
        both("leaf", (rng.choice(SHAPES), 0.2 + 0.4 * number))
    both("constant", (rng.choice(SHAPES), 0.3))
    for _ in range(length):
        both(*draw(rng, len(ours.tensors)))
        if any(_facts(tensor) == REFUSED for tensor in theirs.tensors):
            raise Unsettled
        _same_facts(ours, theirs)
    for _ in range(3):
        place = rng.randrange(len(ours.tensors) // 2, len(ours.tensors))
        if rng.random() < 0.5:
            mine, other = both("backward", (place, rng.random() < 0.5))
        else:
            mine, other = both("twice", (place,))
            if isinstance(mine, list):
                for a, b in zip(mine, other, strict=True):
                    _same(a, b, "a gradient")
        if isinstance(mine, Exception):
            raise Unsettled  # how far the pass came before it failed is nobody's promise
        if _share_gradients(theirs.leaves):
            raise Unsettled  # PyTorch adds the next gradient of one leaf to that of the other, too
        for which in ("leaves", "retained"):
            for number, (a, b) in enumerate(zip(getattr(ours, which), getattr(theirs, which), strict=True)):
                _same(a.grad, b.grad, f"grad of {which}[{number}]")


def _share_gradients(leaves: list[Any]) -> bool:
    """Whether the gradients of two leaves lie in the same memory, which only PyTorch lets happen.

    Those of scalars that were stacked and summed are views of one expanded number there.
    """
    places = [leaf.grad.data_ptr() for leaf in leaves if leaf.grad is not None and leaf.grad.numel()]
    return len(set(places)) < len(places)


def _told(argument: Any) -> Any:
    for table in TABLES:
        for name, function in table.items():
            if function is argument:
                return name
    return argument


def _same_facts(ours: Side, theirs: Side) -> None:
    for place, (a, b) in enumerate(zip(ours.tensors, theirs.tensors, strict=True)):
        mine, other = _facts(a), _facts(b)
        if mine != other:
            raise Difference(
                f"tensor {place}: requires_grad, is_leaf, shape, no grad_fn are {mine}\n  PyTorch: {other}"
            )
    a, b = ours.tensors[-1], theirs.tensors[-1]
    _same(a.detach(), b.detach(), "the last tensor")


REFUSED = ("refused: one of several views, and its base was written",)


def _facts(tensor: Any) -> tuple:
    try:
        return tensor.requires_grad, tensor.is_leaf, tuple(tensor.shape), tensor.grad_fn is None
    except RuntimeError:
        return REFUSED


def _same(mine: Any, other: Any, what: str) -> None:
    if mine is None or other is None:
        if mine is not other:
            raise Difference(f"{what} is {mine}\n  PyTorch: {other}")
        return
    # PyTorch hands out zeros that have no memory, and no list of numbers: adding 0 gives them some.
    a, b = mine.detach().reshape(-1).tolist(), (other.detach() + 0).reshape(-1).tolist()
    if tuple(mine.shape) != tuple(other.shape) or not all(map(_close, a, b)):
        raise Difference(f"{what} is {mine}\n  PyTorch: {other}")


def _close(a: float, b: float) -> bool:
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-6 * (1 + abs(a) + abs(b))


def main() -> None:
    """Run many, and stop at the first difference."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--length", type=int, default=14)
    options = parser.parse_args()
    for number in range(options.graphs):
        seed = options.seed + number
        try:
            compare(torch, seed, options.length)
        except Difference as difference:
            sys.exit(str(difference))
    print(f"{options.graphs} graphs without a difference, seeds {options.seed} … {seed}")


if __name__ == "__main__":
    main()
