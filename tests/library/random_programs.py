"""Random programs of tensor operations, run by tensorlab and by PyTorch side by side.

A program keeps a few tensors alive. Each step applies one operation to some of them: a view, a write, a new
tensor. After each step both libraries must agree on everything that can be seen: the error's type, or the
result's dtype, shape, strides, offset, numbers and count of writes, which tensors share memory, and all
this of all live tensors. Numbers are small integers, so that every sum is exact in every dtype.

    python -W ignore -m tests.library.random_programs --steps 100000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tensorlab as tl
from tensorlab.core.memory_formats import is_non_overlapping_and_dense
from tensorlab.dispatch.guards import share_cells
from tests.library.random_arguments import DTYPES, Live, Step
from tests.library.random_operations import draw

MOST_ALIVE = 6
MOST_ELEMENTS = 200
# Beyond it bfloat16, which counts to 256, would soon round, and the order of a sum would matter.
LARGEST = 100
SMALLEST_PARTS = 4  # quarters: products of halves
STEPS_OF_A_PROGRAM = 50


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
        step = draw(self, self.rng.randrange(len(self.ours)))
        if not step.keeps and _order_matters(step, self.ours):
            return
        before = [] if step.keeps else [_numbers(x) for x in self.ours]
        self.lines.append(str(step))
        ours, our_error = _attempt(step, tl, self.ours)
        theirs, their_error = _attempt(step, self.torch, self.theirs)
        if our_error is not None or their_error is not None:
            if type(our_error) is not type(their_error):
                self._diverge(f"ours: {_describe(our_error)}; PyTorch: {_describe(their_error)}")
            self.lines[-1] += "  # raises"
            self._compare_refused(before)
        else:
            self._compare("result", ours, theirs)
            self._compare_sharing(ours, theirs)
            if step.keeps:
                self._keep(ours, theirs)
        self._compare_alive()
        self._retire()

    def _new(self) -> None:
        shape = tuple(self.rng.randint(1, 4) for _ in range(self.rng.randint(0, 4)))
        if self.rng.random() < 0.05 and shape:
            shape = (*shape[:-1], 0)
        dtype = self.rng.choice(DTYPES)
        most = 1 if dtype == "bool" else 5
        values = [self.rng.randint(0, most) for _ in range(int(np.prod(shape)))]
        self.lines.append(f"x{len(self.ours)} = torch.tensor({values}).to(torch.{dtype}).reshape({shape})")
        for library, alive in ((tl, self.ours), (self.torch, self.theirs)):
            alive.append(library.tensor(values).to(getattr(library, dtype)).reshape(shape))

    def _compare_refused(self, before: list[np.ndarray]) -> None:
        """A refused write has written nothing here; PyTorch may have got half way, and then we begin anew."""
        for position, numbers in enumerate(before):
            if not np.array_equal(numbers, _numbers(self.ours[position]), equal_nan=True):
                self._diverge(f"x{position} was written by a step that raised")
            if not np.array_equal(numbers, _numbers(self.theirs[position]), equal_nan=True):
                self.ours.clear()
                self.theirs.clear()
                return

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

    def _retire(self) -> None:
        """Replace by ones whatever has come to hold cells that the libraries need not agree on further.

        These are numbers too large to add without rounding, or with small fractions, as another dtype's bytes
        give them; and bools that are other bytes than 0 and 1: C++ does not say how such bools compare.
        """
        for position, (ours, theirs) in enumerate(zip(self.ours, self.theirs, strict=True)):
            cells = _numbers(ours)
            if ours.dtype is tl.bool:
                if np.array(ours.view(tl.uint8).tolist()).max(initial=0) > 1:
                    self.lines.append(f"x{position} = torch.ones({tuple(ours.shape)}, dtype=torch.bool)")
                    self.ours[position] = tl.ones(ours.shape, dtype=tl.bool)
                    self.theirs[position] = self.torch.ones(theirs.shape, dtype=self.torch.bool)
            elif np.abs(cells).max(initial=0) > LARGEST or np.any(cells * SMALLEST_PARTS % 1):
                self.lines.append(f"x{position}.fill_(1)")
                ours.fill_(1)
                theirs.fill_(1)

    def _compare(self, name: str, ours: tl.Tensor, theirs: Any) -> None:
        facts = {
            "dtype": (ours.dtype.name, str(theirs.dtype).removeprefix("torch.")),
            "shape": (tuple(ours.shape), tuple(theirs.shape)),
            "stride": (ours.stride(), theirs.stride()),
            "offset": (ours.storage_offset(), theirs.storage_offset()),
        }
        for fact, (our_fact, their_fact) in facts.items():
            if our_fact != their_fact:
                self._diverge(f"{name}: {fact}: ours {our_fact}, PyTorch {their_fact}")
        if not np.array_equal(_numbers(ours), _numbers(theirs), equal_nan=True):
            self._diverge(f"{name}: ours {ours.tolist()}, PyTorch {theirs.tolist()}")

    def _compare_sharing(self, ours: tl.Tensor, theirs: Any) -> None:
        shared, expected = [_sharing(x, alive) for x, alive in ((ours, self.ours), (theirs, self.theirs))]
        if theirs.numel() and shared != expected:
            self._diverge(f"shares memory with: ours {shared}, PyTorch {expected}")

    def _compare_alive(self) -> None:
        for position, (ours, theirs) in enumerate(zip(self.ours, self.theirs, strict=True)):
            self._compare(f"x{position}", ours, theirs)

    def _diverge(self, what: str) -> None:
        alive = [
            f"# x{i}: {x.dtype}, shape {tuple(x.shape)}, stride {x.stride()}" for i, x in enumerate(self.ours)
        ]
        raise Divergence("\n".join([*self.lines, *alive, f"# {what}"]))


def _numbers(x: Any) -> np.ndarray:
    return np.array(x.tolist(), dtype=np.float64)


def _sharing(x: Any, alive: list[Any]) -> list[bool]:
    return [x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr() for y in alive]


def _attempt(step: Step, library: Any, alive: list[Any]) -> tuple[Any, Exception | None]:
    try:
        return step.run(library, alive), None
    except (RuntimeError, IndexError, ValueError, TypeError, OverflowError) as error:
        # PyTorch raises NotImplementedError, a RuntimeError, wherever a kernel lacks a dtype.
        return None, RuntimeError(str(error)) if isinstance(error, NotImplementedError) else error


def _order_matters(step: Step, alive: list[tl.Tensor]) -> bool:
    """Whether a step writes into cells that it reads in another order, which neither library promises.

    Between dense tensors both refuse it; where there are gaps neither looks. An index of numbers or slices
    and of tensors chooses among the elements of a view, which may have gaps.
    """
    named = [
        item.position
        for item in (step.owner, *step.arguments, *dict(step.keywords).values())
        if isinstance(item, Live)
    ]
    target = alive[dict(step.keywords)["out"].position if "out" in dict(step.keywords) else named[0]]
    moves = step.name == "[]="  # what is read from a place is written to another
    if moves and len({isinstance(item, (int, slice)) for item in step.arguments[0]}) == 2:
        return any(share_cells(target, alive[position]) for position in named[1:])
    return any(_meet_with_gaps(target, alive[position], moves) for position in named[moves:])


def _meet_with_gaps(target: tl.Tensor, source: tl.Tensor, moves: bool) -> bool:
    """Whether two tensors share cells where neither library refuses it: one has gaps, or another dtype."""
    same = (target.shape, target.stride(), target.data_ptr()) == (
        source.shape,
        source.stride(),
        source.data_ptr(),
    )
    dense = all(is_non_overlapping_and_dense(x.shape, x.stride()) for x in (target, source))
    return (
        (moves or not same)
        and share_cells(target, source)
        and (not dense or target.dtype is not source.dtype)
    )


def _describe(error: Exception | None) -> str:
    return "no error" if error is None else f"{type(error).__name__}: {str(error).splitlines()[0]}"


def run(torch: Any, steps: int, seed: int) -> int:
    """Run programs of some fifty steps each until `steps` steps have agreed; return how many programs ran."""
    programs, done = 0, 0
    while done < steps:
        program = Program(torch, random.Random(f"{seed}/{programs}"))
        length = min(STEPS_OF_A_PROGRAM, steps - done)
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
    began = time.perf_counter()
    programs = run(torch, arguments.steps, arguments.seed)
    seconds = time.perf_counter() - began
    print(f"{arguments.steps} steps in {programs} programs, no divergence, {seconds:.0f} s")


if __name__ == "__main__":
    main()
