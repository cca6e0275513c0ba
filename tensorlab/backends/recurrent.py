"""All steps of a recurrent layer on a backend, and their gradients, made of core operations.

For each step there is a product with the state, and one update of all that is computed of its numbers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

from tensorlab.backends.array import Array
from tensorlab.backends.fused import Backend
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core.dtypes import dtype
from tensorlab.scalars.recurrent import Recurrence


def recur(
    backend: Backend, kind: Recurrence, element_type: dtype, size: int, steps: Sequence[int], backwards: bool
) -> Launch:
    """Prepare the steps of a recurrent layer, in one direction.

    All operands are row-major matrices, and the bias a row. One with a row for each step and example has
    the steps one behind the other. ``size`` columns are a part.

    Args:
        backend: the device's kernels.
        kind: what a step computes.
        element_type: the dtype of all operands.
        size: how many numbers a state has.
        steps: for each step how many of the examples take part, which are the first ones.
        backwards: the last step is computed first.

    Returns:
        a launch of (out, states…, before…, kept, given, weight, bias, initial states…). ``out`` has a row
        for each step and example, and so have the states before it, what it keeps, in `kind.kept` parts,
        and what the input gives, in `kind.gates` parts. The weights have a row for each number of such
        parts. States have a row for each example; those that come out are the last of each.
    """
    gates, width, count = kind.gates * size, kind.kept * size, kind.states
    plan = _plan(steps, backwards)
    wide = (size,) * count + (width,) * kind.kept + (size,) * (1 + count)
    strides = (*wide, *(gates,) * kind.gates, *(0,) * kind.gates)

    def numbers(state: Buffer) -> Array:
        return Array(backend, state, element_type, (max(steps) * size,))

    @functools.cache
    def prepared(n: int) -> tuple[Launch, Launch]:
        product = backend.gemm(element_type, (), (n, gates, size), (width, 1), (size, 1), (1, size))
        return product, backend.update(kind.step, element_type, (n, size), strides)

    def launch(out: Buffer, *buffers: Buffer) -> None:
        states, before, (kept, given, weight, bias), initial = _parted(buffers, count, count, 4, count)
        for state, first in zip(states, initial, strict=True):
            numbers(state).put("copy", numbers(first))
        biases = _parts(bias, size, kind.gates)
        for start, n in plan:
            product, update = prepared(n)
            own = _moved(kept, start * width)
            product(own, states[0], weight)
            update(
                *[_moved(buffer, start * size) for buffer in before],
                *_parts(own, size, kind.kept),
                _moved(out, start * size),
                *states,
                *_parts(_moved(given, start * gates), size, kind.gates),
                *biases,
            )

    return launch


def recur_gradient(
    backend: Backend, kind: Recurrence, element_type: dtype, size: int, steps: Sequence[int], backwards: bool
) -> Launch:
    """Prepare the gradients of `recur`.

    Returns:
        a launch of (of_given, of_products, of_initial…, before…, kept, weight, of_out, of_states…). The
        gradients of what the weights have made of the states are laid out like those of what the input
        gives, and are written where `kind.apart`; else they are the same.
    """
    gates, width, count = kind.gates * size, kind.kept * size, kind.states
    plan = _plan(steps, not backwards)
    written = (gates,) * (kind.gates * (1 + kind.apart)) + (size,) * count
    strides = (*written, *(size,) * count, *(width,) * kind.kept, size, size)

    def numbers(state: Buffer) -> Array:
        return Array(backend, state, element_type, (max(steps) * size,))

    @functools.cache
    def prepared(n: int) -> tuple[Launch, Launch]:
        product = backend.gemm(element_type, (), (n, size, gates), (size, 1), (gates, 1), (size, 1))
        return product, backend.update(kind.gradient, element_type, (n, size), strides)

    def launch(of_given: Buffer, of_products: Buffer, *buffers: Buffer) -> None:
        running, before, (kept, weight, of_out), of_states = _parted(buffers, count, count, 3, count)
        back = numbers(of_states[0]).to(element_type).buffer
        numbers(running[0]).put("copy", 0.0)
        for state, last in zip(running[1:], of_states[1:], strict=True):
            numbers(state).put("copy", numbers(last))
        for start, n in plan:
            product, update = prepared(n)
            made = [_moved(of_given, start * gates)]
            if kind.apart:
                made.append(_moved(of_products, start * gates))
            update(
                *itertools.chain.from_iterable(_parts(buffer, size, kind.gates) for buffer in made),
                *running,
                *[_moved(buffer, start * size) for buffer in before],
                *_parts(_moved(kept, start * width), size, kind.kept),
                back,
                _moved(of_out, start * size),
            )
            product(back, made[-1], weight)
        numbers(running[0]).put("add", numbers(running[0]), numbers(back))

    return launch


def _plan(steps: Sequence[int], backwards: bool) -> list[tuple[int, int]]:
    """The steps in the order in which they are computed: of each the first row, and how many rows it has."""
    starts = itertools.accumulate(steps, initial=0)
    plan = list(zip(starts, steps, strict=False))
    return plan[::-1] if backwards else plan


def _parted(buffers: Sequence[Buffer], *counts: int) -> Iterator[Sequence[Buffer]]:
    """The buffers in groups of so many."""
    rest = iter(buffers)
    return (list(itertools.islice(rest, count)) for count in counts)


def _moved(buffer: Buffer, cells: int) -> Buffer:
    """The same memory, from so many cells behind."""
    return buffer[0], buffer[1] + cells


def _parts(buffer: Buffer, size: int, count: int) -> list[Buffer]:
    """The parts of a row, each of so many cells."""
    memory, first = buffer
    return [(memory, first + part * size) for part in range(count)]
