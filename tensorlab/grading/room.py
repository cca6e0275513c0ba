"""How much memory an answer takes, proven: one call where what its topic forbids does not fit.

Code in a box can lie about what it allocates. So an answer that has passed all cases of a topic about memory
is called once more, with large tensors, in a process that the kernel lets have half of what the mistake
takes, or less. What it returned is looked at in places that it could not foresee. The box computes with
NumPy, which is fast and compiles nothing. If a known right answer has no room either, it is the machine that
lacks it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

from tensorlab.grading.boxes import BoxError
from tensorlab.grading.judge import Failure
from tensorlab.grading.notebook import Cell
from tensorlab.grading.outcomes import Ended, Outcome, Raised, Returned
from tensorlab.grading.session import Exhausted, Session
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Exercise, Large

#: Of all processes of the box together, and of the address space of each: Python and the library take a
#: fifth. What a topic forbids has no room beside Python and what it is given.
MEMORY = 512 << 20

#: The backend of the library in such a box.
BACKEND = "numpy"

#: Elements of the answer that are looked at.
_LOOKS = 8

_CLOSE = 1e-4  # relative to the larger of 1 and the number


def unproven(
    exercise: Exercise,
    records: Sequence[Failure],
    session: Session,
    source: random.Random,
    another: Callable[[list[Cell]], Session],
) -> list[Failure]:
    """The topics that an answer seemed to get right, and has no room for.

    Args:
        records: what was answered until now. A topic that is lost already is not asked again.
        session: the notebook in boxes of `MEMORY`.
        source: draws the arguments and the places.
        another: starts a session of other cells in such boxes.

    Raises:
        BoxError: a right answer has no room either.
    """
    failed = {record.topic.title for record in records if not record.passed}
    lost = []
    for topic in exercise.topics:
        if topic.large and not failed & {topic.title, exercise.topics[0].title}:
            large = topic.large(source)
            if ended := _ended(exercise, large, session, source):
                session.close()  # what it takes must be missing in no other box
                known = answer_source(exercise, exercise.right[0].function)
                with closing(another([Cell(1, exercise.answer_cell, "code", known)])) as right:
                    if _ended(exercise, large, right, source):
                        raise BoxError(f"a right answer has no room in {MEMORY >> 20} MB either")
                last = next(record for record in reversed(records) if record.topic is topic)
                lost.append(replace(last, got=ended))
    return lost


def _ended(exercise: Exercise, large: Large, session: Session, source: random.Random) -> Ended | None:
    """What the call came to, in words of the grader's own; None if it is right."""
    places = [tuple(map(source.randrange, large.shape)) for _ in range(_LOOKS)]
    try:
        got = session.ask_large(exercise, large.program, places)
    except Exhausted:
        return Ended("died", "was not made: in little memory, too many cells ended the process")
    if isinstance(got, Ended):
        return replace(got, words=f"{got.words}: its tensors were large, and memory is limited")
    if isinstance(got, Raised):
        what = "found no room" if got.kind == "MemoryError" else "raised an exception"
        return Ended("died", f"{what}: its tensors were large, and memory is limited")
    return None if _is_right(got, large, places) else Ended("died", "gave no right answer for large tensors")


def _is_right(got: Outcome, large: Large, places: Sequence[tuple[int, ...]]) -> bool:
    if not isinstance(got, Returned) or type(got.value) is not tuple or len(got.value) != 3:
        return False
    found, shape, numbers = got.value
    return (
        (found, shape) == (large.dtype, large.shape)
        and type(numbers) is list
        and len(numbers) == len(places)
        and all(map(_is_near, numbers, (large.element(*place) for place in places)))
    )


def _is_near(got: object, want: float) -> bool:
    return type(got) is float and math.isclose(got, want, rel_tol=_CLOSE, abs_tol=_CLOSE)
