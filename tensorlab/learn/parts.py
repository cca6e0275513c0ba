"""The library's parts, and whose code answers for each: the library's own, or a student's.

A part is the library function that an exercise asks for. To put a student's function in its place, the
library's function object gets other code, a bridge of one line. So every name under which the function was
imported leads to the student's, and no line of the library knows of it: where nothing is adopted, nothing is
looked up and nothing is paid.

The bridge keeps three promises. A call that the exercise says nothing about (it has an argument more) goes to
the library's own function. So does a call that a part makes of itself through the library, so that two parts
which are each built on the other come to an end. And a plain tuple becomes a `Size` where the library says
that it returns one.

Of a class it is ``__init__`` that gets the bridge: whoever makes an object of the library's class gets one of
the student's. Classes that are built on the library's class stay as they are.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tensorlab.core.size import Size
from tensorlab.grading.inside.calls import OPERATORS, find_part, fitting
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import exercise
from tensorlab.learn.call_forms import FORMS
from tensorlab.learn.memory import forget

__all__ = ["Part", "adopted", "in_place", "put", "the_librarys_own"]


class Part:
    """One function or class of the library and the code that can stand in it.

    Args:
        exercise: names the function, and the calls that a student's version answers.
    """

    def __init__(self, exercise: Exercise) -> None:
        self.function: Callable[..., Any] | None = None
        self.made: type | None = exercise.reference if isinstance(exercise.reference, type) else None
        own, _ = find_part(exercise.part)
        self._returns = None if self.made else typing.get_type_hints(own).get("return")
        self._here = threading.local()  # says of each thread whether it is inside the student's function
        as_asked = FORMS.get(exercise.id) or _fits(exercise.signature)
        # An operator that does a part's work without calling it is a second place for the same part.
        names = exercise.part, *OPERATORS.get(exercise.part, ())
        self._places = [_Place(self, find_part(name)[0], as_asked) for name in names]

    def take(self, function: Callable[..., Any] | None) -> None:
        """Let `function` answer, or the library's own with None."""
        # In this order, because another thread may call in between: a bridge finds its function.
        if function is not None:
            self.function = function
        for place in self._places:
            place.open(function is not None)
        self.function = function

    def answer(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """What a student's function makes of the arguments that the exercise knows.

        Of a class the first argument is an object of the library's, which becomes one of the student's.
        """
        self._here.busy = True
        try:
            if isinstance(function, type):
                object.__setattr__(args[0], "__class__", function)
                value = function.__init__(*args)  # type: ignore[misc] # it is this very class's
            else:
                value = function(*args)
        finally:
            self._here.busy = False
        return _as_declared(value, self._returns)

    def is_busy(self) -> bool:
        """Whether this thread is inside the student's function."""
        return getattr(self._here, "busy", False)


class _Place:
    """One function object of the library: its own code, and whether a bridge stands in its place."""

    def __init__(
        self, part: Part, function: types.FunctionType, as_asked: Callable[..., tuple[Any, ...] | None]
    ) -> None:
        self._part = part
        self._function = function
        self._as_asked = as_asked
        self._code, self._keywords = function.__code__, function.__kwdefaults__
        self._own = types.FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        self._own.__kwdefaults__ = function.__kwdefaults__

    def open(self, bridged: bool) -> None:
        """Put the bridge in, or the library's own code."""
        # Another thread may call in between, so what code needs is there before the code is.
        if bridged:
            self._function.__kwdefaults__ = {**(self._keywords or {}), "_place": self}
            self._function.__code__ = fitting(_bridge.__code__, self._function)
        else:
            self._function.__code__ = self._code
            self._function.__kwdefaults__ = self._keywords

    def call(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """What the bridge does with a call."""
        function = self._part.function  # once: another thread may take it out meanwhile
        made = self._part.made
        if function is None or self._part.is_busy() or (made and type(args[0]) is not made):
            return self._own(*args, **keywords)
        first, rest = (args[:1], args[1:]) if made else ((), args)
        asked = self._as_asked(*rest, **keywords)
        return self._own(*args, **keywords) if asked is None else self._part.answer(function, first + asked)


def _bridge(*args: Any, _place: _Place, **keywords: Any) -> Any:
    return _place.call(args, keywords)


def _fits(signature: str) -> Callable[..., tuple[Any, ...] | None]:
    """What gives the arguments of a call, in order, if it fits ``"flat_index(index, strides, offset=0)"``."""
    names: dict[str, Any] = {}
    exec(f"def {signature}: ...", names)  # the exercise's own line, from this package
    stated = inspect.signature(names[signature.partition("(")[0]])

    def fits(*args: Any, **keywords: Any) -> tuple[Any, ...] | None:
        try:
            return stated.bind(*args, **keywords).args
        except TypeError:
            return None

    return fits


def _as_declared(value: Any, declared: Any) -> Any:
    """`value`, with each tuple that the library declares as a `Size` made one."""
    if type(value) is not tuple:
        return value
    if declared is Size:
        return Size(value)
    inner = typing.get_args(declared) if typing.get_origin(declared) is tuple else ()
    if Size in inner and len(inner) == len(value):
        return tuple(map(_as_declared, value, inner))
    return value


_parts: dict[str, Part] = {}  # exercise id -> its part; those that were ever tried
_order: list[str] = []  # the adopted ones, oldest first
_lock = threading.RLock()


def adopted() -> dict[str, Callable[..., Any]]:
    """The student's functions that answer for the library now, by exercise, oldest first."""
    return {name: function for name in _order if (function := _parts[name].function) is not None}


def put(asked: Exercise, function: Callable[..., Any] | None) -> None:
    """Let `function` answer for a part, or the library's own with None. Nothing is tried here."""
    with _lock:
        if function is None and asked.id not in _parts:
            return
        if asked.id in _order:
            _order.remove(asked.id)
        if function is not None:
            _order.append(asked.id)
        _part(asked).take(function)
        forget()


def _part(asked: Exercise) -> Part:
    if asked.id not in _parts:
        _parts[asked.id] = Part(asked)
    return _parts[asked.id]


@contextlib.contextmanager
def in_place(functions: Mapping[str, Callable[..., Any]], names: Iterable[str]) -> Iterator[None]:
    """Meanwhile let those of `functions` answer that are named, and the library's own everywhere else.

    What was adopted before is adopted again at the end, whatever happens meanwhile.
    """
    wanted = set(names)
    with _lock:
        for name in wanted:
            _part(exercise(name))
        before = {name: part.function for name, part in _parts.items()}
        for name, part in _parts.items():
            part.take(functions[name] if name in wanted else None)
        forget()
        try:
            yield
        finally:
            for name, part in _parts.items():
                part.take(before.get(name))
            forget()


def the_librarys_own() -> contextlib.AbstractContextManager[None]:
    """Meanwhile every part is the library's own: for graders, whose reference must not be the answer."""
    return in_place({}, ())
