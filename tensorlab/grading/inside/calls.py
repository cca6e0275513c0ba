"""One call of a student's function, and what came of it, in plain words that may leave the process."""

from __future__ import annotations

import builtins
import importlib
import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from operator import attrgetter
from types import CodeType, FunctionType, TracebackType
from typing import Any

from tensorlab.autograd.profiling import count_bytes
from tensorlab.core.dtypes import get_default_dtype, set_default_dtype
from tensorlab.random import fork_rng, manual_seed

from . import programs, values
from .strided import Scene

WIDEST = 8  # bytes of one number
MAX_MESSAGE = 1000  # characters of an exception's text
MAX_LINE = 200  # characters of a source line

#: What the library's own function says while a student's version of it is being called.
REFUSAL = "this exercise asks for your own code, so the library's function is switched off while it is graded"

#: Operators that do a part's work without calling it: they are switched off with it.
OPERATORS = {
    "tensorlab.ops.matmul:matmul": (
        "tensorlab.ops.methods:_matmul",
        "tensorlab.ops.methods:_reflected_matmul",
    )
}

_ALONG = "tensorlab.ops.indexing.gather_scatter:"

#: Functions that do the whole work of a part under another name. They are switched off while an answer is
#: called, and stay the library's when it is adopted.
TWINS = {
    _ALONG + "scatter_add": (_ALONG + "scatter_reduce",),
    "tensorlab.ops.products:matmul_backward": (
        "tensorlab.ops.products:_left",
        "tensorlab.ops.products:_right",
    ),
    "tensorlab.ops.pairs:squared_distances": ("tensorlab.ops.distances:cdist",),
    "tensorlab.ops.softmax:logsumexp": ("tensorlab.ops.cumulative:logcumsumexp",),
    "tensorlab.ops.pairs:accurate_sum": (
        "tensorlab.ops.reduction:sum",
        "tensorlab.ops.reduction:nansum",
        "tensorlab.ops.reduction:mean",
        "tensorlab.ops.cumulative:cumsum",
    ),
    "tensorlab.random.counter:stream_words": ("tensorlab.random.philox:Philox.words",),
    "tensorlab.ops.dropout:dropout": ("tensorlab.ops.dropout:alpha_dropout",),
}

#: Parts of which the bytes of tensors are counted at every step. The bytes of NumPy's arrays are not seen.
COUNTED = frozenset(
    {
        "tensorlab.ops.matmul:matmul",
        "tensorlab.ops.pairs:squared_distances",
        "tensorlab.ops.pairs:attention_scores",
        "tensorlab.ops.shape:expand",
        "tensorlab.ops.softmax:log_softmax_backward",
    }
)

_BUILTIN_ERRORS = frozenset(
    thing for thing in vars(builtins).values() if isinstance(thing, type) and issubclass(thing, BaseException)
)


#: The value of the latest call and the scene that it is told in; empty when there is none.
Kept = list[tuple[Any, Scene]]


def call(
    function: Callable[..., Any],
    args: Sequence[Any],
    around: AbstractContextManager[Any] | None = None,
    named: str = "",
    kept: Kept | None = None,
) -> dict[str, Any]:
    """Call `function`, or run the program that uses it, and describe the value or the exception.

    If it was given tensors or lists, the arguments after the call are told too. Beside a value stand the
    bytes of all storages that were made for it, and the most that lived at once. Random numbers are those of
    one seed in every call, so that two answers can be compared, and a default dtype that a call sets is
    that of no other call.

    KeyboardInterrupt passes through: it belongs to whoever watches the clock. All else that a function can
    raise, SystemExit included, is an answer.

    Args:
        args: plain values. A `Strided` becomes a tensor for the call.
        around: holds during the call alone, not while tensors are made for it or told of.
        named: what the program calls the function that is the only argument; empty where the arguments are
            those of the call.
        kept: gets the value and the scene, for `told_again`.
    """
    scene = Scene()
    given = scene.build(args)
    changeable = scene.has_changeable
    default = get_default_dtype()
    try:
        with fork_rng():
            manual_seed(0)
            with around or nullcontext(), count_bytes() as memory:
                value = programs.run(given[0], named, function) if named else function(*given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return {"raised": describe(error, _file_of(function))}
    finally:
        set_default_dtype(default)
    if kept is not None:
        kept[:] = [(value, scene)]
    # Room for one number only does not count: the value of an element on its way is no tensor to a reader.
    allocated = sum(moment.change for moment in memory.timeline if moment.change > WIDEST)
    reply = {"returned": values.encode(value, scene), "allocated": allocated, "held": memory.peak}
    if changeable:
        reply["after"] = values.encode(scene.after(), scene)
    return reply


def told_again(kept: Kept, lines: Sequence[Any]) -> dict[str, Any]:
    """Put other numbers into the arguments' storages, and describe the value of the call once more."""
    ((value, scene),) = kept
    scene.write(lines)
    return {"returned": values.encode(value, scene)}


def looked_at(kept: Kept, places: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """Describe a tensor that is too large to tell: dtype, shape, and what it holds at some places."""
    ((value, scene),) = kept
    numbers = [value[place].item() for place in places]
    return {"returned": values.encode((value.dtype, tuple(value.shape), numbers), scene)}


def _file_of(function: Callable[..., Any]) -> str:
    """Where a function was written, or the first method of a class; "" where that is not known."""
    written = [function, *vars(function).values()] if isinstance(function, type) else [function]
    codes = (getattr(each, "__code__", None) for each in written)
    return next((code.co_filename for code in codes if code is not None), "")


def describe(error: BaseException, filename: str) -> dict[str, Any]:
    """An exception as plain data: its type, its nearest built-in type, its text, its line in `filename`."""
    kind = next(t for t in type(error).__mro__ if t in _BUILTIN_ERRORS)
    line = error.lineno if isinstance(error, SyntaxError) else _last_line(error.__traceback__, filename)
    source = linecache.getline(filename, line).strip() if isinstance(line, int) else ""
    return {
        "kind": kind.__name__,
        "type": values.type_name(type(error)),
        "message": values.printable(_text(error)[:MAX_MESSAGE]),
        "line": line if isinstance(line, int) and line > 0 else 0,
        "source": values.printable(source[:MAX_LINE]),
    }


def _text(error: BaseException) -> str:
    try:
        text = str(error.msg) if isinstance(error, SyntaxError) else str(error)
    except Exception as inner:  # an exception's own __str__ is the student's code as well
        return f"(its text could not be read: {type(inner).__name__})"
    return text if type(text) is str else ""


def _last_line(traceback: TracebackType | None, filename: str) -> int:
    """The line in `filename` where things went wrong, or where it called what went wrong; 0 if in neither."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


class Parts:
    """The library functions that exercises ask for, found before any code of a student has run.

    An answer that calls the library's function of the same name would be graded on the library's work. While
    an answer is called, that one function raises `REFUSAL`; all the others work. This is a reminder, not a
    wall: the library is open and its code can be copied by hand.
    """

    def __init__(self, parts: Iterable[str]) -> None:
        self._functions = {part: list(_switched_off(part)) for part in parts}

    @contextmanager
    def without(self, part: str) -> Iterator[None]:
        """Switch one part off, under every name that it was imported by."""
        codes = []
        for (function, forget), refuse in self._functions[part]:
            forget()
            # Swapping the code reaches every alias: ``from tensorlab.core.layout import numel`` binds the
            # same object.
            codes.append((function, function.__code__))
            function.__code__ = fitting(refuse.__code__, function)
        try:
            yield
        finally:
            for function, code in codes:
                function.__code__ = code


def _switched_off(part: str) -> Iterator[tuple[tuple[FunctionType, Callable[[], None]], Callable[..., None]]]:
    """What is switched off with a part, and what stands in its place."""
    for name in (part, *OPERATORS.get(part, ()), *TWINS.get(part, ())):
        yield find_part(name), _refuse
    if part in COUNTED:
        yield find_part("tensorlab.tensor:Tensor.numpy"), _refuse_numpy


def fitting(code: CodeType, function: FunctionType) -> CodeType:
    """`code` as it may stand in `function`: with that one's variables from around it, which it does not use.

    A method that says ``super()`` has one.
    """
    return code.replace(co_freevars=function.__code__.co_freevars)


def find_part(part: str) -> tuple[FunctionType, Callable[[], None]]:
    """The function of a part, and what makes it forget its answers when it keeps them (`functools.cache`).

    Of a class it is the ``__init__`` that stands in it: without that nobody makes an object.
    """
    module, _, name = part.partition(":")
    found = attrgetter(name)(importlib.import_module(module))
    if isinstance(found, type):
        found = vars(found).get("__init__")
    function = getattr(found, "__wrapped__", found)
    if not isinstance(function, FunctionType):
        raise TypeError(
            f"the part {part} must be a plain function, or a class with an __init__ of its own; got "
            f"{type(function).__name__}"
        )
    return function, getattr(found, "cache_clear", lambda: None)


def _refuse(*args: Any, **kwargs: Any) -> None:
    # A literal, not the name REFUSAL: this code runs with the globals of the function that it stands in for.
    raise RuntimeError(
        "this exercise asks for your own code, so the library's function is switched off while it is graded"
    )


def _refuse_numpy(*args: Any, **kwargs: Any) -> None:
    raise RuntimeError(
        "this exercise counts the bytes of tensors, and those of NumPy arrays are not seen, so numpy() is "
        "switched off while it is graded: stay with tensors"
    )
