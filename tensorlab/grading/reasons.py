"""What is wrong with one answer, in words: what its form alone says, and what its content does."""

from __future__ import annotations

import re
from typing import Any

from tensorlab.core.layout import Refusal
from tensorlab.grading.inside import values
from tensorlab.grading.inside.calls import REFUSAL
from tensorlab.grading.inside.strided import Strided
from tensorlab.grading.judge import Failure
from tensorlab.grading.outcomes import Raised, Returned, crowded, missing_parts, untrue_parts, wasted
from tensorlab.grading.tensor_words import explain_tensors

#: What Python says of a call that does not fit a function's first line.
_ARGUMENTS = re.compile(r"positional argument|takes no arguments")

#: Errors that say how the code is written, and nothing of what the question is about.
_SLIPS = {
    "NameError": "Nothing has this name here: it is misspelt, or the cell that makes it was not run.",
    "UnboundLocalError": "The function gives this name a value somewhere, but not before this line.",
    "AttributeError": "What stands before the dot has nothing of this name.",
    "ModuleNotFoundError": "Nothing of this name is installed here, and the exercise does not need it.",
    "RecursionError": "The function calls itself more often than Python allows: it comes to no end, or goes "
    "one call deeper with every step of its input. A loop has no such limit.",
    "MemoryError": "The call asks for more memory than it may have.",
}

#: What None says of the function that gave it.
_NOTHING = "The call gave None, which is also what a function gives that ends without a return."

#: What a function gives whose body does not run when it is called, and the word that is to blame.
_UNRUN = {"generator": "a yield", "coroutine": "async"}


def explain(failure: Failure) -> str:
    """What is wrong with one answer, in a sentence or two, where that can be seen; else ``""``."""
    return of_form(failure) or of_content(failure)


def of_form(failure: Failure) -> str:
    """A slip in the form of an answer, whatever the question was about; ``""`` if there is none.

    Whoever reads it knows what to do: a type, a text, or a line of the function is named.
    """
    got, want = failure.got, failure.want
    if isinstance(got, Raised):
        return _of_error(failure, got)
    if not isinstance(got, Returned) or not isinstance(want, Returned):
        return ""
    if got.value is None or want.value is None:
        return ""
    if isinstance(got.value, Refusal) or isinstance(want.value, Refusal):
        return ""
    if isinstance(got.value, values.Opaque):
        kind = got.value.type_name
        if kind in _UNRUN:
            return f"The function has {_UNRUN[kind]} in it, so a call gives a {kind} and runs nothing."
        return f"The type should be {_type(want.value)}, not {kind}, even where the two print alike."
    if type(got.value) is not type(want.value):
        return f"The type should be {_type(want.value)}, not {_type(got.value)}."
    return _of_inside(got.value, want.value)


def _of_error(failure: Failure, got: Raised) -> str:
    """A slip in the form of an answer that is an exception."""
    want = failure.want
    if got.message == REFUSAL:
        return "The answer calls the library's own function, or is that function. Write the steps yourself."
    if got.type == "TypeError" and not got.line and _ARGUMENTS.search(got.message):
        return (
            "The call does not fit the function's first line. Keep that line as the exercise gives it: "
            "an argument with a value, such as offset=0, may be left out of a call."
        )
    if not got.line and "NoneType" in got.message:  # the program takes it for what it asked for
        return _NOTHING
    if got.kind == "NotImplementedError":
        line = f"the line of {got.unwritten}" if got.unwritten else "the line"
        return f"This case ({failure.topic.title}) still reaches {line} that raises NotImplementedError."
    if got.kind in _SLIPS and not (isinstance(want, Raised) and got.kind == want.kind):
        return _SLIPS[got.kind]
    if isinstance(want, Raised) and got.kind == want.kind:
        missing = missing_parts(got, failure.case)
        if missing:
            return f"The type of the error is right. Its text should contain {_quoted(missing)}."
        untrue = _quoted(untrue_parts(got, failure.case))
        return f"The type of the error is right. Its text also says {untrue}, which is not so here."
    return ""


def _of_inside(got: Any, want: Any) -> str:
    """The first entry of a tuple or list whose type is not the one that should stand there."""
    if type(got) is not type(want):
        if got is None:
            return f"Inside the answer should stand {_type(want)}. {_NOTHING}"
        shown = got.type_name if isinstance(got, values.Opaque) else _type(got)
        return f"Inside the answer should stand {_type(want)}, not {shown}, even where the two print alike."
    if isinstance(want, (tuple, list)) and len(got) == len(want):
        return next(filter(None, map(_of_inside, got, want)), "")
    return ""


def of_content(failure: Failure) -> str:
    """What is wrong with an answer of the right form, where that can be seen; else ``""``.

    It says what is wrong with this answer. Why that is so, the topic's rule or a known belief says.
    """
    got, want = failure.got, failure.want
    if not isinstance(got, Returned):
        return ""
    if isinstance(want, Raised):
        return f"There is no right value for this input, so it should be refused with {want.kind}."
    if want.value is None and got.value is not None:
        return f"The answer should be None here, not a value of type {_type(got.value)}."
    if isinstance(want.value, Refusal):
        return "There is no right value for this input: return a layout.Refusal, and do not raise it."
    if isinstance(got.value, Refusal):
        return "The call refused, and there is an answer."
    if got.value is None and want.value is not None:
        return _NOTHING
    tensors = explain_tensors(got.value, want.value, got.after, want.after, failure.case.rounding)
    return tensors or _of_bytes(got, want, failure)


def _of_bytes(got: Returned, want: Returned, failure: Failure) -> str:
    if wasted(got, want):
        return f"The call allocates {got.allocated} bytes, and {want.allocated} are enough."
    if crowded(got, failure.case):
        return (
            f"At one moment the call holds {got.held} bytes of new tensors, and there is room for "
            f"{failure.case.room}."
        )
    return ""


def _quoted(parts: list[str]) -> str:
    return " and ".join(f"“{part}”" for part in parts)


def _type(value: Any) -> str:
    """The type of a value as a student knows it."""
    return "tensorlab.Tensor" if isinstance(value, Strided) else values.type_name(type(value))
