"""Whether operations are recorded: a switch for each thread, and the contexts that turn it.

Recording is on by default. What is recorded is an operation on a tensor that requires a gradient; all others
leave no trace, whatever the switch says.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, TypeVar

from tensorlab.registry import op

F = TypeVar("F", bound=Callable)


class _Switches(threading.local):
    """The switches of one thread.

    Attributes:
        grad: operations are recorded.
        inference: inside of `inference_mode`, where nothing is.
        asked: inside of `inference_mode`, what `is_grad_enabled` answers.
        running: the nodes of the innermost backward pass that runs, None while none does.
    """

    grad = True
    inference = False
    asked = False
    running: list[Any] | None = None


current = _Switches()

# How many contexts of inference mode are entered, in all threads: most programs never look further.
inferring = 0


@op()
def is_grad_enabled() -> bool:
    """True when operations are recorded in this thread.

    Example:
        >>> import tensorlab as tl
        >>> with tl.no_grad():
        ...     tl.is_grad_enabled()
        False
    """
    return current.grad or (current.inference and current.asked)


@op()
def is_inference_mode_enabled() -> bool:
    """True inside of `inference_mode`.

    Example:
        >>> import tensorlab as tl
        >>> with tl.inference_mode():
        ...     tl.is_inference_mode_enabled()
        True
    """
    return current.inference


def _turn_grad(enabled: bool) -> None:
    """Record, or not; within `inference_mode` nothing is recorded, whatever was asked for."""
    current.grad = enabled and not current.inference
    current.asked = enabled


class Decorator:
    """A context that also decorates functions and generators."""

    __slots__ = ()

    def clone(self) -> Any:
        """A context of the same kind, for one call: some objects can be entered only once at a time."""
        return type(self)()

    def __call__(self, function: F) -> F:
        """The function, or the generator, with the context entered while it runs."""
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)

        @functools.wraps(function)
        def inside(*arguments: Any, **keywords: Any) -> Any:
            with self.clone():
                return function(*arguments, **keywords)

        return inside  # type: ignore[return-value]  # wraps() keeps the signature

    def _around_generator(self, function: Any) -> Any:
        """Turned while the generator runs, and not while its caller does."""

        @functools.wraps(function)
        def inside(*arguments: Any, **keywords: Any) -> Generator:
            running = function(*arguments, **keywords)
            try:
                with self.clone():
                    item = next(running)
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        with self.clone():
                            running.close()
                        raise
                    except BaseException as error:
                        with self.clone():
                            item = running.throw(error)
                    else:
                        with self.clone():
                            item = running.send(sent)
            except StopIteration as end:
                return end.value

        return inside


class _Mode(Decorator):
    """A context that turns the switches."""

    def __enter__(self) -> None:
        self._before = current.grad, current.inference, current.asked
        self._turn()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        current.grad, current.inference, current.asked = self._before

    def _turn(self) -> None:
        raise NotImplementedError


class _Plain(_Mode):
    """A mode without arguments: ``@no_grad`` decorates as ``@no_grad()`` does."""

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(_Plain):
    """Nothing is recorded inside: results require no gradient. For evaluation and for updates of weights.

    A context and a decorator, of one thread.

    Example:
        >>> import tensorlab as tl
        >>> w = tl.ones(2, requires_grad=True)
        >>> with tl.no_grad():
        ...     w -= 0.5
        >>> w
        tensor([0.5000, 0.5000], requires_grad=True)
    """

    def _turn(self) -> None:
        _turn_grad(False)


class enable_grad(_Plain):
    """Recorded inside, also within `no_grad`; without effect within `inference_mode`.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> with tl.no_grad(), tl.enable_grad():
        ...     (2 * x).requires_grad
        True
    """

    def _turn(self) -> None:
        _turn_grad(True)


class set_grad_enabled(_Mode):
    """Recorded, or not, by a flag. It turns the switch at once, and as a context turns it back at the end.

    Args:
        mode: whether to record.

    Example:
        >>> import tensorlab as tl
        >>> with tl.set_grad_enabled(False):
        ...     tl.is_grad_enabled()
        False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'mode' must be bool, not {type(mode).__name__}: True to record"
            )
        self._outside = current.grad, current.inference, current.asked
        self._mode = mode
        self._turn()

    def __enter__(self) -> None:
        self._before = self._outside
        self._turn()

    def __call__(self, function: F) -> F:
        """The function, with the switch turned while it runs."""
        # As a decorator it turns the switch for the function alone, and `__init__` has turned it already.
        current.grad, current.inference, current.asked = self._outside
        return super().__call__(function)

    def _turn(self) -> None:
        _turn_grad(self._mode)

    def clone(self) -> set_grad_enabled:
        """Another context with the same flag."""
        outside = current.grad, current.inference, current.asked
        copy = type(self)(self._mode)
        current.grad, current.inference, current.asked = outside
        return copy


class inference_mode(_Mode):
    """`no_grad`, and a promise: the tensors made inside will never take part in a recorded operation.

    Outside they can be read. They cannot be written in place while recording is on, nor be kept for a
    backward pass; ``x.clone()`` gives an ordinary tensor.

    Args:
        mode: False for a context in which operations are recorded, also within another inference mode.

    Example:
        >>> import tensorlab as tl
        >>> with tl.inference_mode():
        ...     x = tl.ones(2)
        >>> x.is_inference()
        True
    """

    def __new__(cls, mode: Any = True) -> Any:
        """A context; or, of a function, the function decorated."""
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        self._mode = bool(mode)

    def __enter__(self) -> None:
        global inferring
        inferring += 1
        super().__enter__()

    def __exit__(self, *error: Any) -> None:
        global inferring
        inferring -= 1
        super().__exit__(*error)

    def _turn(self) -> None:
        current.grad, current.inference, current.asked = not self._mode, self._mode, False

    def clone(self) -> inference_mode:
        """Another context with the same flag."""
        return type(self)(self._mode)
