"""How much longer a student's function takes than the library's own."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tensorlab.grading.inside import programs
from tensorlab.grading.inside.calls import find_part
from tensorlab.grading.inside.strided import Scene
from tensorlab.grading.outcomes import copy
from tensorlab.grading.suite import Exercise
from tensorlab.learn.parts import the_librarys_own

#: From how many times on a part counts as slow.
LIMIT = 3.0

TURNS = 9
#: Seconds for all turns together; what is slower has fewer of them.
SECONDS = 0.5


@dataclass(frozen=True)
class Slowdown:
    """The time of a student's function over that of the library's own, turn by turn.

    Attributes:
        ratio: the median of the turns.
        at_least: what three of four turns reach.
    """

    ratio: float
    at_least: float

    @property
    def is_slow(self) -> bool:
        """Whether it is clearly beyond `LIMIT`: one turn in which the machine was busy does not count."""
        return self.at_least > LIMIT

    def __str__(self) -> str:
        return f"takes {self.ratio:.{0 if self.ratio >= 10 else 1}f} times as long as the library's own"


def slowdown(
    asked: Exercise, function: Callable[..., Any], clock: Callable[[], float] = time.perf_counter
) -> Slowdown:
    """Measure both on the public cases of the exercise, in turn, so that a busy machine slows both.

    Args:
        function: a right answer.
        clock: tells the seconds.
    """
    own = asked.reference if asked.programs else find_part(asked.part)[0]
    cases = [case for topic in asked.topics for case in topic.public]
    ratios: list[float] = []
    with the_librarys_own():
        for each in (own, function):  # what is done once, such as compiling a kernel, is no part of its speed
            _seconds(each, asked.named, cases, clock)
        started = clock()
        for turn in range(TURNS):
            pair = (own, function) if turn % 2 else (function, own)
            took = dict(zip(pair, [_seconds(each, asked.named, cases, clock) for each in pair], strict=True))
            ratios.append(took[function] / max(took[own], 1e-9))
            if clock() - started > SECONDS:
                break
    ratios.sort()
    return Slowdown(statistics.median(ratios), ratios[len(ratios) // 4])


def _seconds(function: Callable[..., Any], named: str, cases: list[Any], clock: Callable[[], float]) -> float:
    """For one call of each case, without the time that its arguments take to be made."""
    given = [Scene().build(copy(case.args)) for case in cases]
    before = clock()
    for args in given:
        with contextlib.suppress(Exception):  # refusals are answers, too
            programs.run(args[0], named, function) if named else function(*args)
    return clock() - before
