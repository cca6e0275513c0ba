"""A verdict in words: what was asked, what came back, why, and how many points.

The same findings are written three ways: as one line for a table of results (here), and as text and HTML for
the student's notebook (`tensorlab.learn.show`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tensorlab.core.dtypes import dtype
from tensorlab.grading.inside.strided import Strided
from tensorlab.grading.judge import Failure, Verdict
from tensorlab.grading.outcomes import Ended, Raised, shorten
from tensorlab.grading.reasons import of_content, of_form
from tensorlab.grading.suite import Exercise


def call_text(exercise: Exercise, args: tuple[Any, ...]) -> str:
    """The call as a student would type it.

    Example:
        >>> from tensorlab.grading.suites import exercise
        >>> call_text(exercise("01.flat_index"), ((1, 2), (3, 1), 4))
        'flat_index((1, 2), (3, 1), 4)'
    """
    if exercise.programs:
        return str(args[0])
    if exercise.bits:
        width = 2 + exercise.bits // 4
        return f"{exercise.name}({', '.join(f'{value:#0{width}X}'.replace('X', 'x') for value in args)})"
    tensors = list(_tensors(args))
    numbers = [told.storage for told in tensors]
    shared = [told for place, told in enumerate(tensors) if numbers.index(told.storage) == place]
    shared = [told for told in shared if numbers.count(told.storage) > 1]
    names = {told.storage: (name, told) for told, name in zip(shared, "abcdefgh", strict=False)}
    lines = [f"{name} = {told.line}" for name, told in names.values()]
    call = f"{exercise.name}({', '.join(_argument(value, names) for value in args)})"
    return "\n".join([*lines, shorten(call)])


def _tensors(value: Any) -> Iterator[Strided]:
    if isinstance(value, Strided):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)


def _argument(value: Any, names: Mapping[int, tuple[str, Strided]]) -> str:
    """One argument as code. A storage that several tensors share stands there by its name."""
    if isinstance(value, Strided) and value.storage in names:
        name, first = names[value.storage]
        return value.over(name if value.dtype is first.dtype else f"{name}.view(tl.{value.dtype.name})")
    if isinstance(value, dtype):
        return f"tl.{value.name}"
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value).replace("inf", "tl.inf").replace("nan", "tl.nan")
    if isinstance(value, list):
        return f"[{', '.join(_argument(item, names) for item in value)}]"
    if isinstance(value, tuple):
        inside = ", ".join(_argument(item, names) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value)


def got_text(failure: Failure) -> str:
    """What the student's function did."""
    return f"nothing: the call {failure.got}" if isinstance(failure.got, Ended) else str(failure.got)


def expected_text(failure: Failure) -> str:
    """What it should have done. Of an exception, only what is required."""
    want = failure.want
    if isinstance(want, Raised):
        text = " … ".join(failure.case.says)
        return f"{want.kind}: {text}" if text else want.kind
    return str(want)


def points_text(verdict: Verdict) -> str:
    """``"3 of 4 points"``."""
    return f"{verdict.points} of {verdict.exercise.points} points"


def topic_points(verdict: Verdict) -> str:
    """Points by topic, ``"a line 1/1; a matrix 0/2"``. Without the first topic no other one counts."""
    topics = verdict.exercise.topics
    lost = {topic.title for topic in topics} if topics[0].title in verdict.lost else verdict.lost
    earned = [(topic, 0 if topic.title in lost else topic.points) for topic in topics]
    return "; ".join(f"{topic.title} {points}/{topic.points}" for topic, points in earned)


def why(verdict: Verdict) -> list[str]:
    """The sentences that explain the first failure: what can be seen, then the belief or the rule.

    A slip in form, such as a list for a tuple, has nothing to do with the rule of its topic.
    """
    if not verdict.failures:
        return []
    failure = verdict.smallest or verdict.failures[0]
    if isinstance(failure.got, Ended):
        return []
    form, content = ("", "") if failure.hidden else (of_form(failure), of_content(failure))
    if verdict.belief is not None:
        belief = [f"A belief that leads here: “{verdict.belief.belief}”", verdict.belief.lesson]
        return [*filter(None, [form or content]), *belief]
    return [form] if form else [*filter(None, [content]), failure.topic.rule]


def one_line(verdict: Verdict) -> str:
    """Feedback for one row of results. Hidden inputs are never shown, only what they are about."""
    exercise = verdict.exercise
    if verdict.status == "right":
        return "All cases pass."
    if verdict.status == "unanswered":
        if verdict.returned:
            given = f"{exercise.name} gives None for every input"
            return f"{given}, as a function does that ends without a return."
        return f"{exercise.name} is not written yet: a placeholder stands where its body goes."
    parts = [f"Lost: {'; '.join(verdict.lost)}."]
    failure = verdict.smallest
    if failure is not None and isinstance(failure.got, Ended):
        parts.append(f"{call_text(exercise, failure.case.args)} {failure.got}.")
    elif failure is not None:
        call = call_text(exercise, failure.case.args)
        parts.append(f"{call} should give {expected_text(failure)} and gave {got_text(failure)}.")
    elif isinstance(verdict.failures[0].got, Ended):
        parts.append(
            f"The public cases pass; a call with a fresh input of the same kind {verdict.failures[0].got}."
        )
    else:
        parts.append("The public cases pass; fresh inputs of the same kind do not.")
    return " ".join(parts + why(verdict))
