"""Random programs of tensor operations, run by tensorlab and by PyTorch side by side.

A program keeps a few tensors alive. Each step applies one operation to some of them: a view, a write, a new
tensor. After each step both libraries must agree on everything that can be seen: the error's type, or the
result's dtype, shape, strides, offset and numbers, which tensors share memory, and the numbers of all live
tensors. Numbers are small integers, so that every sum is exact in every dtype.

    python -m tests.library.random_programs --steps 100000 --seed 1
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tensorlab as tl

DTYPES = ("float32", "float32", "int64", "float64", "int32", "uint8", "int8", "bool", "float16", "bfloat16")
MOST_ALIVE = 6
MOST_ELEMENTS = 400


class Divergence(AssertionError):
    """The two libraries disagree; the message is the program that shows it."""


@dataclass
class Program:
    """The state of one random program."""

    torch: Any
    rng: random.Random
    ours: list[tl.Tensor] = field(default_factory=list)
    theirs: list[Any] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def step(self) -> None:
        """Apply one random operation to both libraries and compare everything."""
        if not self.ours or (len(self.ours) < MOST_ALIVE and self.rng.random() < 0.15):
            self._new()
            return
        source, call, keeps = self.rng.choice(OPERATIONS)(self)
        self.lines.append(source)
        ours, our_error = _attempt(call, tl, self.ours)
        theirs, their_error = _attempt(call, self.torch, self.theirs)
        if our_error is not None or their_error is not None:
            self._compare_errors(our_error, their_error)
        elif keeps:
            self._compare(ours, theirs)
            self._keep(ours, theirs)
        self._compare_alive()

    def _new(self) -> None:
        shape = tuple(self.rng.randint(1, 4) for _ in range(self.rng.randint(0, 4)))
        if self.rng.random() < 0.05 and shape:
            shape = (*shape[:-1], 0)
        dtype = self.rng.choice(DTYPES)
        values = np.array(
            [self.rng.randint(0, 1 if dtype == "bool" else 5) for _ in range(int(np.prod(shape)))]
        )
        self.lines.append(
            f"x{len(self.ours)} = torch.tensor({values.tolist()}).to(torch.{dtype}).reshape({shape})"
        )
        self.ours.append(tl.tensor(values.tolist()).to(getattr(tl, dtype)).reshape(shape))
        self.theirs.append(self.torch.tensor(values.tolist()).to(getattr(self.torch, dtype)).reshape(shape))

    def _keep(self, ours: tl.Tensor, theirs: Any) -> None:
        if ours.numel() > MOST_ELEMENTS or ours.ndim > 5:
            return
        if len(self.ours) < MOST_ALIVE:
            self.lines[-1] = f"x{len(self.ours)} = {self.lines[-1]}"
            self.ours.append(ours)
            self.theirs.append(theirs)
        else:
            slot = self.rng.randrange(MOST_ALIVE)
            self.lines[-1] = f"x{slot} = {self.lines[-1]}"
            self.ours[slot], self.theirs[slot] = ours, theirs

    def _compare_errors(self, ours: Exception | None, theirs: Exception | None) -> None:
        if type(ours) is not type(theirs):
            self._diverge(f"ours: {_describe(ours)}; PyTorch: {_describe(theirs)}")

    def _compare(self, ours: tl.Tensor, theirs: Any) -> None:
        facts = {
            "dtype": (ours.dtype.name, str(theirs.dtype).removeprefix("torch.")),
            "shape": (tuple(ours.shape), tuple(theirs.shape)),
            "stride": (ours.stride(), theirs.stride()),
            "offset": (ours.storage_offset(), theirs.storage_offset()),
        }
        for fact, (our_fact, their_fact) in facts.items():
            if our_fact != their_fact:
                self._diverge(f"{fact}: ours {our_fact}, PyTorch {their_fact}")
        shared = [x.untyped_storage() is ours.untyped_storage() for x in self.ours]
        expected = [
            y.untyped_storage().data_ptr() == theirs.untyped_storage().data_ptr() for y in self.theirs
        ]
        if theirs.numel() and shared != expected:
            self._diverge(f"shares memory with: ours {shared}, PyTorch {expected}")
        self._compare_numbers("result", ours, theirs)

    def _compare_alive(self) -> None:
        for position, (ours, theirs) in enumerate(zip(self.ours, self.theirs, strict=True)):
            self._compare_numbers(f"x{position}", ours, theirs)

    def _compare_numbers(self, name: str, ours: tl.Tensor, theirs: Any) -> None:
        a, b = np.array(ours.tolist(), dtype=np.float64), np.array(theirs.tolist(), dtype=np.float64)
        if a.shape != b.shape or not np.array_equal(a, b, equal_nan=True):
            self._diverge(f"{name}: ours {ours.tolist()}, PyTorch {theirs.tolist()}")

    def _diverge(self, what: str) -> None:
        alive = [
            f"# x{i}: {x.dtype}, shape {tuple(x.shape)}, stride {x.stride()}" for i, x in enumerate(self.ours)
        ]
        raise Divergence("\n".join([*self.lines, *alive, f"# {what}"]))

    # --- random arguments -------------------------------------------------------------------------------

    def pick(self) -> int:
        """The position of a live tensor."""
        return self.rng.randrange(len(self.ours))

    def dim(self, position: int) -> int:
        """A dimension of a live tensor, now and then one too many."""
        ndim = self.ours[position].ndim
        return self.rng.randint(-ndim, ndim - 1) if ndim and self.rng.random() < 0.95 else ndim

    def size(self, position: int, dim: int) -> int:
        """The size of a dimension of a live tensor."""
        shape = self.ours[position].shape
        return shape[dim] if -len(shape) <= dim < len(shape) else 1

    def number(self, position: int) -> int | float | bool:
        """A small number of a kind that a tensor's dtype takes."""
        if self.rng.random() < 0.05:
            return 0.5
        return self.rng.randint(0, 3)

    def index(self, position: int) -> tuple[Any, ...]:
        """A basic index of a live tensor."""
        items: list[Any] = []
        for size in self.ours[position].shape[: self.rng.randint(0, self.ours[position].ndim)]:
            kind = self.rng.random()
            if kind < 0.4 and size:
                items.append(self.rng.randint(-size, size - 1))
            elif kind < 0.9:
                items.append(
                    slice(
                        self.rng.randint(-1, size),
                        self.rng.choice([None, size, size + 1]),
                        self.rng.choice([None, 1, 2]),
                    )
                )
            else:
                items.append(slice(None))
        if self.rng.random() < 0.2:
            items.insert(self.rng.randint(0, len(items)), None)
        if self.rng.random() < 0.2:
            items.append(Ellipsis)
        return tuple(items)


Drawn = tuple[str, Callable[[Any, list[Any]], Any], bool]


def _attempt(
    call: Callable[[Any, list[Any]], Any], library: Any, alive: list[Any]
) -> tuple[Any, Exception | None]:
    try:
        return call(library, alive), None
    except (RuntimeError, IndexError, ValueError, TypeError, OverflowError) as error:
        return None, error


def _describe(error: Exception | None) -> str:
    return "no error" if error is None else f"{type(error).__name__}: {str(error).splitlines()[0]}"


def _method(
    name: str, arguments: Callable[[Program, int], tuple[Any, ...]], keeps: bool = True
) -> Callable[[Program], Drawn]:
    def draw(program: Program) -> Drawn:
        position = program.pick()
        drawn = arguments(program, position)
        text = ", ".join(map(repr, drawn))
        return f"x{position}.{name}({text})", lambda _, alive: getattr(alive[position], name)(*drawn), keeps

    return draw


def _with_other(name: str, keeps: bool = True) -> Callable[[Program], Drawn]:
    def draw(program: Program) -> Drawn:
        first, second = program.pick(), program.pick()
        return (
            f"x{first}.{name}(x{second})",
            lambda _, alive: getattr(alive[first], name)(alive[second]),
            keeps,
        )

    return draw


def _getitem(program: Program) -> Drawn:
    position = program.pick()
    index = program.index(position)
    return f"x{position}[{index}]", lambda _, alive: alive[position][index], True


def _setitem(program: Program) -> Drawn:
    position, index = program.pick(), ()
    index = program.index(position)
    if program.rng.random() < 0.5:
        number = program.number(position)
        return (
            f"x{position}[{index}] = {number}",
            lambda _, alive: alive[position].__setitem__(index, number),
            False,
        )
    other = program.pick()
    return (
        f"x{position}[{index}] = x{other}",
        lambda _, alive: alive[position].__setitem__(index, alive[other]),
        False,
    )


def _some_shape(program: Program, position: int) -> tuple[Any, ...]:
    """A shape with the same number of elements, sometimes with -1."""
    count = program.ours[position].numel()
    sizes: list[int] = []
    rest = count
    while rest > 1 and len(sizes) < 4:
        divisor = program.rng.choice([d for d in range(1, rest + 1) if rest % d == 0])
        sizes.append(divisor)
        rest //= divisor
    sizes.append(rest)
    program.rng.shuffle(sizes)
    if program.rng.random() < 0.2:
        sizes[program.rng.randrange(len(sizes))] = -1
    return (tuple(sizes),)


def _permutation(program: Program, position: int) -> tuple[Any, ...]:
    order = list(range(program.ours[position].ndim))
    program.rng.shuffle(order)
    return (tuple(order),)


def _expansion(program: Program, position: int) -> tuple[Any, ...]:
    shape = [3 if size == 1 and program.rng.random() < 0.7 else size for size in program.ours[position].shape]
    return ((2, *shape) if program.rng.random() < 0.3 else tuple(shape),)


def _two_dims(program: Program, position: int) -> tuple[Any, ...]:
    return program.dim(position), program.dim(position)


def _one_dim(program: Program, position: int) -> tuple[Any, ...]:
    return (program.dim(position),)


def _nothing(program: Program, position: int) -> tuple[Any, ...]:
    return ()


def _narrow(program: Program, position: int) -> tuple[Any, ...]:
    dim = program.dim(position)
    size = program.size(position, dim)
    start = program.rng.randint(0, size)
    return dim, start, program.rng.randint(0, size - start)


def _select(program: Program, position: int) -> tuple[Any, ...]:
    dim = program.dim(position)
    size = program.size(position, dim)
    return dim, program.rng.randint(-size, size)


def _window(program: Program, position: int) -> tuple[Any, ...]:
    dim = program.dim(position)
    return dim, program.rng.randint(1, max(1, program.size(position, dim))), program.rng.randint(1, 2)


def _number_argument(program: Program, position: int) -> tuple[Any, ...]:
    return (program.number(position),)


OPERATIONS: list[Callable[[Program], Drawn]] = [
    _getitem,
    _getitem,
    _setitem,
    _setitem,
    _method("t", _nothing),
    _method("transpose", _two_dims),
    _method("permute", _permutation),
    _method("view", _some_shape),
    _method("reshape", _some_shape),
    _method("contiguous", _nothing),
    _method("clone", _nothing),
    _method("fill_", _number_argument, keeps=False),
    _method("zero_", _nothing, keeps=False),
    _method("add", _number_argument),
    _method("mul", _number_argument),
    _method("add_", _number_argument, keeps=False),
    _method("mul_", _number_argument, keeps=False),
    *[_with_other(name) for name in ("add", "sub", "mul", "eq", "lt", "ge")],
    *[_with_other(name, keeps=False) for name in ("add_", "sub_", "mul_", "copy_")],
]
LATER = {
    "squeeze": _one_dim,
    "unsqueeze": _one_dim,
    "expand": _expansion,
    "narrow": _narrow,
    "select": _select,
    "diagonal": _nothing,
    "unfold": _window,
    "movedim": _two_dims,
    "flatten": _nothing,
    "flip": _one_dim,
    "sum": _one_dim,
    "amax": _one_dim,
    "cumsum": _one_dim,
    "argmax": _one_dim,
    "tril": _nothing,
}
OPERATIONS += [_method(name, arguments) for name, arguments in LATER.items() if hasattr(tl.Tensor, name)]


def run(torch: Any, steps: int, seed: int) -> int:
    """Run programs of some fifty steps each until `steps` steps have agreed; return how many programs ran."""
    programs, done = 0, 0
    while done < steps:
        program = Program(torch, random.Random(f"{seed}/{programs}"))
        length = min(50, steps - done)
        for _ in range(length):
            program.step()
        done += length
        programs += 1
    return programs


def main() -> None:
    """Command line: how many steps, from which seed."""
    import torch

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    programs = run(torch, arguments.steps, arguments.seed)
    print(f"{arguments.steps} steps in {programs} programs, no divergence")


if __name__ == "__main__":
    main()
