"""The judge: asks an answer the questions of an exercise, compares with the library, and says what it saw.

It runs nothing of the student's. It is given `ask`, which returns an `Outcome` for arguments, and cannot tell
whether a box or a function in this process answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tensorlab.grading.inside import values
from tensorlab.grading.inside.calls import REFUSAL
from tensorlab.grading.outcomes import (
    Answered,
    Ended,
    Outcome,
    Raised,
    Returned,
    alike,
    answer_of,
    expected,
    passes,
)
from tensorlab.grading.suite import Case, Exercise, Topic, WrongSolution

#: Hidden cases drawn for each topic.
HIDDEN_CASES = 4

#: How much of what goes wrong in one topic a known belief must explain to be named.
ENOUGH = 0.6

#: How much of what a known belief gets wrong, over all topics, an answer must get wrong in the same way.
HELD = 0.5

Ask = Callable[[tuple[Any, ...]], Outcome]
Known = Callable[[WrongSolution], Sequence[Outcome]]
Status = Literal["right", "partial", "wrong", "unanswered"]


@dataclass(frozen=True)
class Question:
    """One case of a topic, and what the library answers."""

    topic: Topic
    case: Case
    want: Answered
    hidden: bool

    def answered(self, got: Outcome) -> Failure:
        """The question with an answer, which may be right."""
        return Failure(self.topic, self.case, got, self.want, self.hidden)


@dataclass(frozen=True)
class Failure:
    """One case and what was answered; in a `Verdict`, one that went wrong."""

    topic: Topic
    case: Case
    got: Outcome
    want: Answered
    hidden: bool

    @cached_property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return passes(self.got, self.want, self.case)


@dataclass(frozen=True)
class Verdict:
    """What the judge found.

    Attributes:
        failures: the cases that failed: public before hidden, then topic by topic, the smallest first.
        belief: the known wrong solution that makes the same mistakes, if there is one.
        lost: titles of the topics that gave no points.
        returned: of an answer that counts as not written, whether it ran to its end and gave None.
    """

    exercise: Exercise
    status: Status
    points: int
    lost: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    belief: WrongSolution | None = None
    returned: bool = False

    @property
    def smallest(self) -> Failure | None:
        """The smallest public case of the first topic that failed."""
        return next((failure for failure in self.failures if not failure.hidden), None)


def judge(exercise: Exercise, ask: Ask, hidden: random.Random | None = None) -> Verdict:
    """Judge one answer on the public cases, and on fresh hidden ones when `hidden` is given."""
    return weigh(exercise, answers(exercise, draw(exercise, hidden), ask))


def answers(
    exercise: Exercise, questions: Sequence[Question], ask: Ask, before: Sequence[Failure] = ()
) -> list[Failure]:
    """Ask one question after the other.

    A call without an answer costs its topic, so no other case of that topic is asked; of the first topic,
    without which no other gives points, nothing else.

    Args:
        before: questions that were asked earlier.
    """
    given: list[Failure] = []
    lost = {record.topic.title for record in before if isinstance(record.got, Ended)}
    for question in questions:
        if lost & {question.topic.title, exercise.topics[0].title}:
            continue
        given.append(question.answered(ask(question.case.args)))
        if isinstance(given[-1].got, Ended):
            lost.add(question.topic.title)
    return given


def draw(
    exercise: Exercise, hidden: random.Random | None = None, before: Sequence[Question] = ()
) -> list[Question]:
    """All questions of an exercise, topic by topic, public ones first; no hidden ones without `hidden`.

    Args:
        before: public questions that were drawn earlier. What the library answers to them is known.
    """
    known = {id(question.case): question for question in before}
    drawn = []
    for topic in exercise.topics:
        drawn += [
            known.get(id(case)) or Question(topic, case, expected(exercise, case), hidden=False)
            for case in topic.public
        ]
        if hidden is not None:
            drawn += [
                Question(topic, case, expected(exercise, case), hidden=True)
                for case in topic.hidden(hidden, HIDDEN_CASES)
            ]
    return drawn


def weigh(exercise: Exercise, records: Sequence[Failure], known: Known | None = None) -> Verdict:
    """What the answers to all questions of an exercise are worth.

    Args:
        records: each question with its answer, right or wrong.
        known: what a wrong solution answers to the same questions; it is asked them if left out.
    """
    if all(_is_starter(record.got, record.want, exercise.name) for record in records):
        titles = tuple(topic.title for topic in exercise.topics)
        returned = any(isinstance(record.got, Returned) and record.got.value is None for record in records)
        return Verdict(exercise, "unanswered", 0, titles, returned=returned)
    failures = [record for record in records if not record.passed]
    lost = {failure.topic.title for failure in failures}
    if exercise.topics[0].title in lost:  # the foundation
        points = 0
    else:
        points = sum(topic.points for topic in exercise.topics if topic.title not in lost)
    return Verdict(
        exercise,
        "right" if not failures else "partial" if points else "wrong",
        points,
        tuple(topic.title for topic in exercise.topics if topic.title in lost),
        tuple(sorted(failures, key=lambda failure: failure.hidden)),
        _belief(exercise, records, failures[0].topic, known) if failures else None,
    )


def _is_starter(got: Outcome, want: Answered, name: str) -> bool:
    if isinstance(got, Raised):
        # An answer that calls the function of another exercise, not written yet, is itself written.
        return got.kind == "NotImplementedError" and got.unwritten in ("", name)
    if isinstance(got, Ended) or (isinstance(want, Returned) and want.value is None):
        return False  # None is the right answer of a function that works by what it writes
    return got.value is None or (isinstance(got.value, values.Opaque) and got.value.type_name == "ellipsis")


def _belief(
    exercise: Exercise, records: Sequence[Failure], topic: Topic, known: Known | None
) -> WrongSolution | None:
    """The known wrong solution that makes the same mistakes in `topic`, if one is like enough.

    An answer can hold several mistakes at once, so the first topic that went wrong decides; the others only
    choose between beliefs that go wrong there in the same way. Among those that differ in nothing else the
    bytes and the texts of errors decide. A belief that goes wrong in many places where the answer is right is
    not the author's.
    """
    if any(isinstance(record.got, Raised) and record.got.message == REFUSAL for record in records):
        return None  # what was switched off says nothing of what its author believes
    best, best_likeness = None, (ENOUGH, 0.0, 0)
    inside = [place for place, record in enumerate(records) if record.topic is topic]
    outside = [place for place, record in enumerate(records) if record.topic is not topic]
    for solution in exercise.wrong:
        here = _pairs(exercise, records, inside, solution, known)
        if _likeness(here) < best_likeness[0]:
            continue  # whatever else it gets wrong; most are out here, and are asked nothing more
        pairs = here + _pairs(exercise, records, outside, solution, known)
        if sum(pair.shared for pair in pairs) < HELD * sum(pair.theirs for pair in pairs):
            continue
        likeness = _likeness(here), _likeness(pairs), sum(pair.to_the_letter for pair in pairs)
        if likeness > best_likeness:
            best, best_likeness = solution, likeness
    return best


class Pair:
    """An answer beside the answer of a known wrong solution to the same question.

    Attributes:
        ours, theirs: whether each of the two is wrong.
        shared: whether both make the same mistake.
        to_the_letter: whether both allocate the same bytes, or raise with the same text.
    """

    def __init__(self, record: Failure, other: Outcome) -> None:
        got, case = record.got, record.case
        self.ours = not record.passed
        self.theirs = not passes(other, record.want, case)
        self.shared = self.ours and self.theirs and alike(got, other, case)
        if isinstance(got, Returned):
            self.to_the_letter = isinstance(other, Returned) and got.allocated == other.allocated
        else:
            self.to_the_letter = (
                isinstance(got, Raised) and isinstance(other, Raised) and got.message == other.message
            )


def _pairs(
    exercise: Exercise,
    records: Sequence[Failure],
    places: Sequence[int],
    solution: WrongSolution,
    known: Known | None,
) -> list[Pair]:
    """The records of some places, beside what a known wrong solution answers there."""
    if known:
        answers = known(solution)
        return [Pair(records[place], answers[place]) for place in places]
    asked = [records[place] for place in places]
    return [Pair(record, answer_of(solution.function, exercise, record.case)) for record in asked]


def _likeness(pairs: Sequence[Pair]) -> float:
    """The share of questions with the same mistake, among those that either of the two gets wrong."""
    either = sum(pair.ours or pair.theirs for pair in pairs)
    return sum(pair.shared for pair in pairs) / either if either else 0.0
