"""A verdict in words: what was asked, what came back, why, and how many points.

The same findings are written three ways: as one line for a table of results (here), and as text and HTML for
the student's notebook (`tensorlab.learn.show`).
"""

from __future__ import annotations

from typing import Any

from tensorlab.grading.judge import Failure, Verdict, explain
from tensorlab.grading.outcomes import Outcome, Raised, shorten
from tensorlab.grading.suite import Exercise


def call_text(exercise: Exercise, args: tuple[Any, ...]) -> str:
    """The call as a student would type it.

    Example:
        >>> from tensorlab.grading.suites import exercise
        >>> call_text(exercise("01.flat_index"), ((1, 2), (3, 1), 4))
        'flat_index((1, 2), (3, 1), 4)'
    """
    return shorten(f"{exercise.name}({', '.join(map(_argument, args))})")


def _argument(value: Any) -> str:
    return repr(value).replace("tensorlab.", "tl.", 1) if type(value).__name__ == "dtype" else repr(value)


def got_text(failure: Failure) -> str:
    """What the student's function did."""
    return str(failure.got)


def expected_text(failure: Failure) -> str:
    """What it should have done. Of an exception, only what is required."""
    want: Outcome = failure.want
    if isinstance(want, Raised):
        text = " … ".join(failure.case.says)
        return f"{want.kind}: {text}" if text else want.kind
    return str(want)


def points_text(verdict: Verdict) -> str:
    """``"3 of 4 points"``."""
    return f"{verdict.points} of {verdict.exercise.points} points"


def why(verdict: Verdict) -> list[str]:
    """The sentences that explain the first failure: what its form says, then the belief or the rule."""
    if not verdict.failures:
        return []
    failure = verdict.smallest or verdict.failures[0]
    sentences = [explain(failure)] if not failure.hidden else []
    if verdict.belief is not None:
        sentences += [f"A belief that leads here: “{verdict.belief.belief}”", verdict.belief.lesson]
    elif not sentences or not sentences[0]:
        sentences.append(failure.topic.rule)
    return [sentence for sentence in sentences if sentence]


def one_line(verdict: Verdict) -> str:
    """Feedback for one row of results. Hidden inputs are never shown, only what they are about."""
    exercise = verdict.exercise
    if verdict.status == "right":
        return "All cases pass."
    if verdict.status == "unanswered":
        return f"{exercise.name} is not written yet: it still raises NotImplementedError, or returns nothing."
    parts = [f"Lost: {'; '.join(verdict.lost)}."]
    failure = verdict.smallest
    if failure is not None:
        call = call_text(exercise, failure.case.args)
        parts.append(f"{call} should give {expected_text(failure)} and gave {got_text(failure)}.")
    else:
        parts.append("The public cases pass; fresh inputs of the same kind do not.")
    return " ".join(parts + why(verdict))
