"""What a call came to, and whether that is right."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tensorlab.grading.inside import calls, values
from tensorlab.grading.suite import Case, Exercise
from tensorlab.grading.tensor_words import shown

#: What the line says that stands in an exercise until it is solved; the function's name follows.
STARTER = "replace this line with the body of "

_SHOWN = 200  # characters of a value in a message
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9.<>]{0,119}\Z")


@dataclass(frozen=True)
class Returned:
    """The function returned a value.

    Attributes:
        after: the arguments as the call left them; None when no tensor and no list was among them.
        allocated: the bytes of the storages that the call made; None when they do not count.
        held: the most bytes of such storages that lived at one moment.
    """

    value: Any
    after: tuple[Any, ...] | None = None
    allocated: int | None = None
    held: int | None = None

    def __str__(self) -> str:
        return shorten(shown(self.value, self.after), 2 * _SHOWN if self.after else _SHOWN)


@dataclass(frozen=True)
class Raised:
    """The function raised an exception.

    Attributes:
        kind: its nearest built-in type.
        type: its own type.
        line, source: where in the student's code, from 1; 0 and "" when it is not known.
    """

    kind: str
    type: str
    message: str
    line: int = 0
    source: str = ""

    @property
    def unwritten(self) -> str:
        """The function whose line from the handed-out exercise was reached; ``""`` when it was none."""
        if self.kind != "NotImplementedError" or not self.message.startswith(STARTER):
            return ""
        return self.message.removeprefix(STARTER)

    def __str__(self) -> str:
        return shorten(f"{self.type}: {self.message}" if self.message else self.type)


@dataclass(frozen=True)
class Ended:
    """There was no answer.

    Attributes:
        status: ``timeout``, or ``died`` for a process that ended or broke the protocol.
        words: what became of the call, such as ``"took longer than 4 s and was ended"``.
    """

    status: Literal["timeout", "died"]
    words: str

    def __str__(self) -> str:
        return self.words


Answered = Returned | Raised
Outcome = Answered | Ended


class BadReply(ValueError):
    """What came out of the box describes no outcome."""


def outcome(reply: dict[str, Any]) -> Answered:
    """Read what `inside.calls.call` wrote, trusting none of it.

    Raises:
        BadReply: it describes nothing.
    """
    if "returned" in reply:
        try:
            after = values.decode(reply["after"]) if "after" in reply else None
            allocated, held = reply.get("allocated"), reply.get("held")
            return Returned(
                values.decode(reply["returned"]),
                after if type(after) is tuple else None,
                allocated if type(allocated) is int else None,
                held if type(held) is int else None,
            )
        except values.NotPlain as error:
            raise BadReply(str(error)) from None
    return raised(reply.get("raised"))


def raised(description: Any) -> Raised:
    """Read what `inside.calls.describe` wrote, trusting none of it.

    Raises:
        BadReply: it describes nothing.
    """
    if not isinstance(description, dict):
        raise BadReply("neither a value nor an exception")
    found = [description.get(name) for name in ("kind", "type", "message", "source")]
    text = [part for part in found if isinstance(part, str)]
    line = description.get("line")
    if len(text) != len(found) or type(line) is not int:
        raise BadReply("not the description of an exception")
    kind_name, type_name, message, source = text
    kind = getattr(builtins, kind_name, None)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise BadReply("not a built-in exception")
    return Raised(
        kind=kind.__name__,
        type=type_name if _TYPE_NAME.match(type_name) else kind.__name__,
        message=values.printable(message[: calls.MAX_MESSAGE]),
        line=line if 0 < line < 1_000_000 else 0,
        source=values.printable(source[: calls.MAX_LINE]),
    )


def ask_directly(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    around: AbstractContextManager[Any] | None = None,
    named: str = "",
) -> Answered:
    """Call a function in this process, on its own copy of the arguments; `around` holds during the call.

    With a name the only argument is a program that calls the function so (see `inside.programs`).

    The value goes through the same encoder as in a box, so that an object of the student's own class is
    judged by its type and never asked whether it equals the answer.
    """
    return outcome(calls.call(function, copy(args), around, named))


def answer_of(
    function: Callable[..., Any],
    exercise: Exercise,
    case: Case,
    around: AbstractContextManager[Any] | None = None,
) -> Answered:
    """What a function of this process answers to one case of an exercise."""
    return ask_directly(function, case.args, around, exercise.named)


def copy(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments again, sharing no list with the first: a call may change one that it was given."""
    return tuple(map(_again, args))


def _again(value: Any) -> Any:
    return type(value)(map(_again, value)) if type(value) in (tuple, list) else value


def expected(exercise: Exercise, case: Case) -> Answered:
    """What the library does. The bytes that it allocates stand there only if they count."""
    found = answer_of(exercise.reference, exercise, case)
    if isinstance(found, Returned) and (case.any_bytes or not exercise.lean):
        return Returned(found.value, found.after)
    return found


def passes(got: Outcome, want: Answered, case: Case) -> bool:
    """True when value and exact type are right, or an exception's type and what its text says.

    Of a tensor, layout and storage count, and what the call has done to the arguments (see `inside.strided`).
    """
    if isinstance(want, Returned):
        same = case.same or partial(values.same, rounding=case.rounding)
        return (
            isinstance(got, Returned)
            and same(got.value, want.value)
            and values.same_after(got.after, want.after, case.rounding)
            and not wasted(got, want)
            and not crowded(got, case)
        )
    if not isinstance(got, Raised):
        return False
    wanted_type: type = getattr(builtins, want.kind)
    return issubclass(getattr(builtins, got.kind), wanted_type) and not (
        missing_parts(got, case) or untrue_parts(got, case)
    )


def wasted(got: Returned, want: Returned) -> int:
    """The bytes that a call allocated beyond what is enough; 0 where they do not count."""
    return max(0, (got.allocated or 0) - want.allocated) if want.allocated is not None else 0


def crowded(got: Returned, case: Case) -> bool:
    """Whether a call held more bytes at one moment than the case has room for."""
    return case.room is not None and (got.held is None or got.held > case.room)


def missing_parts(got: Raised, case: Case) -> list[str]:
    """The required parts that an exception's text lacks. Case and spacing do not count."""
    text = _normal(got.message)
    return [part for part in case.says if _normal(part) not in text]


def untrue_parts(got: Raised, case: Case) -> list[str]:
    """What an exception's text says and is not so. Case and spacing do not count."""
    text = _normal(got.message)
    return [part for part in case.denies if _normal(part) in text]


def alike(one: Outcome, other: Outcome, case: Case) -> bool:
    """True when two answers to one question are the same mistake: of two texts, when both miss the same."""
    if isinstance(one, Returned) and isinstance(other, Returned):
        return _told_alike(one.value, other.value, case.rounding) and values.same_after(
            one.after, other.after, case.rounding
        )
    return (
        isinstance(one, Raised)
        and isinstance(other, Raised)
        and one.kind == other.kind
        and missing_parts(one, case) == missing_parts(other, case)
        and _lacking(one, case) == _lacking(other, case)
        and untrue_parts(one, case) == untrue_parts(other, case)
    )


def _lacking(got: Raised, case: Case) -> list[set[str] | None]:
    """For each required part, its words that an exception's text lacks; None when it lacks half and more."""
    said = set(_normal(got.message).split())
    parts = [set(_normal(part).split()) for part in case.says]
    return [part - said if 2 * len(part & said) > len(part) else None for part in parts]


def _told_alike(one: Any, other: Any, rounding: float) -> bool:
    """True when two values are the same as far as is known: of a value that is not plain, the type."""
    if isinstance(one, values.Opaque):
        return bool(one == other)
    if type(one) is type(other) and isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(
            _told_alike(a, b, rounding) for a, b in zip(one, other, strict=True)
        )
    return values.same(one, other, rounding)


def shorten(text: str, limit: int = _SHOWN) -> str:
    """`text`, cut in the middle when it is long."""
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]} … {text[-half:]}"


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()
