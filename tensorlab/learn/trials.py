"""A program with one set of parts and with another: whether it gives the same, and else whose part it is."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorlab.learn.check import Beginning
from tensorlab.learn.clock import OutOfTime, time_limit, uncounted
from tensorlab.learn.parts import in_place, the_librarys_own
from tensorlab.random import get_rng_state, set_rng_state
from tensorlab.tensor import Tensor

Functions = Mapping[str, Callable[..., Any]]  # exercise id -> a student's function
Program = Callable[[], Any]

#: Seconds that a program has with a student's parts, beyond this many times what the library's own take.
LEAST_SECONDS, TIMES = 5.0, 50


@dataclass(frozen=True)
class Result:
    """What a program came to: its value, or the exception that ended it.

    Attributes:
        seconds: how long it took.
    """

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.error is None:
            with the_librarys_own():
                return repr(self.value)
        text = str(self.error)
        name = type(self.error).__name__
        return "it does not come to an end" if name == "OutOfTime" else f"{name}: {text}" if text else name


def run(program: Program, functions: Functions, names: Sequence[str], seconds: float | None = None) -> Result:
    """Run `program` with some of `functions` in the library and the library's own otherwise.

    Random numbers are the same in every run, and what is printed is dropped.

    Args:
        seconds: after how long to give up; never if left out.
    """
    with the_librarys_own():
        state = get_rng_state()
    started = time.perf_counter()
    try:
        limit = contextlib.nullcontext() if seconds is None else time_limit(seconds, aside=uncounted)
        with in_place(functions, names), contextlib.redirect_stdout(Beginning()), limit:
            value = program()
        return Result(value, seconds=time.perf_counter() - started)
    except (Exception, OutOfTime) as error:
        return Result(error=error, seconds=time.perf_counter() - started)
    finally:
        with the_librarys_own():
            set_rng_state(state)


def culprits(program: Program, functions: Functions) -> tuple[list[str], Result, Result]:
    """A smallest set of `functions` with which `program` gives something else than with none.

    Returns:
        their names, empty when all of them together change nothing; what the program gives with none; and
        what it gives with all.
    """
    want = run(program, {}, ())
    limit = max(LEAST_SECONDS, TIMES * want.seconds)

    def changes(names: Sequence[str]) -> bool:
        return not same(run(program, functions, names, limit), want)

    names = list(functions)
    got = run(program, functions, names, limit)
    if same(got, want):
        return [], want, got
    # Bisection: the shortest beginning of the list that changes something ends with a part that is needed.
    # It is kept, what stood before it is looked through again, and so on until those that are kept suffice.
    needed: list[str] = []
    while names and not changes(needed):
        low, high = 0, len(names)
        while low + 1 < high:
            middle = (low + high) // 2
            if changes([*names[:middle], *needed]):
                high = middle
            else:
                low = middle
        needed.append(names[high - 1])
        names = names[: high - 1]
    return needed, want, got


def same(got: Result, want: Result) -> bool:
    """Whether two results agree: of errors the type, of values type, layout and numbers, up to rounding."""
    if got.error is not None or want.error is not None:
        return type(got.error) is type(want.error)
    with the_librarys_own():
        return _equal(got.value, want.value)


def _equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor):
        if (one.dtype, one.shape) != (other.dtype, other.shape) or _steps(one) != _steps(other):
            return False
        return _close(one.detach().tolist(), other.detach().tolist(), _tolerance(one))
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and _close(one, other, 1e-5)
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-9) or (one != one and other != other)
    return bool(one == other)


def _steps(x: Tensor) -> list[int]:
    """The strides along which a step is taken; of the others any will do."""
    return [stride for size, stride in zip(x.shape, x.stride(), strict=True) if size > 1 and x.numel()]


def _tolerance(x: Tensor) -> float:
    """Room for the rounding of a sum in another order."""
    return {2: 1e-2, 4: 1e-5, 8: 1e-9}[x.dtype.itemsize] if x.dtype.is_floating_point else 0.0


def _close(one: Any, other: Any, relative: float) -> bool:
    first, second = np.asarray(one), np.asarray(other)
    if first.dtype.kind not in "fc":
        return bool(np.array_equal(first, second))
    scale = float(np.max(np.abs(second), initial=0.0, where=np.isfinite(second)))
    return bool(np.allclose(first, second, rtol=relative, atol=relative * scale, equal_nan=True))
