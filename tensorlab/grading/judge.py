"""The judge: asks an answer the questions of an exercise, compares with the library, and says what it saw.

It runs nothing of the student's. It is given `ask`, which returns an `Outcome` for arguments, and cannot tell
whether a box or a function in this process answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tensorlab.grading.inside import values
from tensorlab.grading.inside.calls import REFUSAL
from tensorlab.grading.outcomes import (
    Outcome,
    Raised,
    Returned,
    alike,
    ask_directly,
    crowded,
    expected,
    missing_parts,
    passes,
    untrue_parts,
    wasted,
)
from tensorlab.grading.suite import Case, Exercise, Topic, WrongSolution
from tensorlab.grading.tensor_words import explain_tensors

#: Hidden cases drawn for each topic.
HIDDEN_CASES = 4

#: How much of what goes wrong in one topic a known belief must explain to be named.
ENOUGH = 0.6

Ask = Callable[[tuple[Any, ...]], Outcome]
Known = Callable[[WrongSolution], Sequence[Outcome]]
Status = Literal["right", "partial", "wrong", "unanswered"]


@dataclass(frozen=True)
class Question:
    """One case of a topic, and what the library answers."""

    topic: Topic
    case: Case
    want: Outcome
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
    want: Outcome
    hidden: bool


@dataclass(frozen=True)
class Verdict:
    """What the judge found.

    Attributes:
        failures: the cases that failed: public before hidden, then topic by topic, the smallest first.
        belief: the known wrong solution that makes the same mistakes, if there is one.
        lost: titles of the topics that gave no points.
    """

    exercise: Exercise
    status: Status
    points: int
    lost: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    belief: WrongSolution | None = None

    @property
    def smallest(self) -> Failure | None:
        """The smallest public case of the first topic that failed."""
        return next((failure for failure in self.failures if not failure.hidden), None)


def judge(exercise: Exercise, ask: Ask, hidden: random.Random | None = None) -> Verdict:
    """Judge one answer on the public cases, and on fresh hidden ones when `hidden` is given.

    Raises:
        whatever `ask` raises, such as `BoxDied`: the judge gives no points for half an answer.
    """
    questions = draw(exercise, hidden)
    return weigh(exercise, [question.answered(ask(question.case.args)) for question in questions])


def draw(exercise: Exercise, hidden: random.Random | None = None) -> list[Question]:
    """All questions of an exercise, topic by topic, public ones first; no hidden ones without `hidden`."""
    drawn = []
    for topic in exercise.topics:
        cases = [(case, False) for case in topic.public]
        if hidden is not None:
            cases += [(case, True) for case in topic.hidden(hidden, HIDDEN_CASES)]
        drawn += [Question(topic, case, expected(exercise, case), is_hidden) for case, is_hidden in cases]
    return drawn


def weigh(exercise: Exercise, records: Sequence[Failure], known: Known | None = None) -> Verdict:
    """What the answers to all questions of an exercise are worth.

    Args:
        records: each question with its answer, right or wrong.
        known: what a wrong solution answers to the same questions; it is asked them if left out.
    """
    if all(_is_starter(record.got, record.want) for record in records):
        return Verdict(exercise, "unanswered", 0, tuple(topic.title for topic in exercise.topics))
    failures = [record for record in records if not passes(record.got, record.want, record.case)]
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


def explain(failure: Failure) -> str:
    """What is wrong with one answer, in a sentence or two, where its form alone says it; else ``""``."""
    got, want = failure.got, failure.want
    name = failure.topic.title
    if isinstance(got, Raised):
        if got.message == REFUSAL:
            return (
                "The answer calls the library's own function, or is that function. Write the steps yourself."
            )
        if got.type == "TypeError" and not got.line and "positional argument" in got.message:
            return (
                "The call does not fit the function's first line. Keep that line as the exercise gives it: "
                "an argument with a value, such as offset=0, may be left out of a call."
            )
        if got.kind == "NotImplementedError":
            return f"This case ({name}) still reaches the line that raises NotImplementedError."
        if isinstance(want, Raised) and got.kind == want.kind:
            missing = missing_parts(got, failure.case)
            if missing:
                return f"The type of the error is right. Its text should contain {_quoted(missing)}."
            untrue = _quoted(untrue_parts(got, failure.case))
            return f"The type of the error is right. Its text also says {untrue}, which is not so here."
        return ""
    if isinstance(want, Raised):
        return f"There is no right value for this input, so it should be refused with {want.kind}."
    tensors = explain_tensors(got.value, want.value, got.after, want.after)
    if tensors:
        return tensors
    if wasted(got, want):
        return f"The call allocates {got.allocated} bytes, and {want.allocated} are enough."
    if crowded(got, failure.case):
        return (
            f"At one moment the call holds {got.held} bytes of new tensors, and there is room for "
            f"{failure.case.room}."
        )
    if got.value is None and want.value is not None:
        return "The function came to its end without a return, so Python returned None."
    if isinstance(got.value, values.Opaque):
        return f"The type should be {_type(want)}, not {got.value.type_name}, even where the two print alike."
    if type(got.value) is not type(want.value):
        return f"The type should be {_type(want)}, not {_type(got)}."
    return ""


def _quoted(parts: list[str]) -> str:
    return " and ".join(f"“{part}”" for part in parts)


def _type(outcome: Returned) -> str:
    return values.type_name(type(outcome.value))


def _is_starter(got: Outcome, want: Outcome) -> bool:
    if isinstance(got, Raised):
        return got.kind == "NotImplementedError"
    if isinstance(want, Returned) and want.value is None:
        return False  # None is the right answer of a function that works by what it writes
    return got.value is None or (isinstance(got.value, values.Opaque) and got.value.type_name == "ellipsis")


def _belief(
    exercise: Exercise, records: Sequence[Failure], topic: Topic, known: Known | None
) -> WrongSolution | None:
    """The known wrong solution that makes the same mistakes in `topic`, if one is like enough.

    An answer can hold several mistakes at once, so the first topic that went wrong decides; the others only
    choose between beliefs that go wrong there in the same way. Among those that differ in nothing else the
    bytes decide.
    """
    if any(isinstance(record.got, Raised) and record.got.message == REFUSAL for record in records):
        return None  # what was switched off says nothing of what its author believes
    best, best_likeness = None, (ENOUGH, 0.0, 0)
    for solution in exercise.wrong:
        theirs = known(solution) if known else [ask_directly(solution.function, r.case.args) for r in records]
        pairs = list(zip(records, theirs, strict=True))
        here = _likeness([(record, other) for record, other in pairs if record.topic is topic])
        likeness = here, _likeness(pairs), sum(_same_bytes(record.got, other) for record, other in pairs)
        if likeness > best_likeness:
            best, best_likeness = solution, likeness
    return best


def _same_bytes(one: Outcome, other: Outcome) -> bool:
    return isinstance(one, Returned) and isinstance(other, Returned) and one.allocated == other.allocated


def _likeness(pairs: list[tuple[Failure, Outcome]]) -> float:
    """The share of cases with the same mistake, among the cases that either of the two gets wrong."""
    shared = either = 0
    for record, other in pairs:
        wrong_here = not passes(record.got, record.want, record.case)
        wrong_there = not passes(other, record.want, record.case)
        either += wrong_here or wrong_there
        shared += wrong_here and wrong_there and alike(record.got, other, record.case)
    return shared / either if either else 0.0
