"""The outcome of a short program on each library, for tests of what both have to do alike.

Programs are functions of the library, or text: blocks with an empty line between them, each with a comment
that says what it tries. In a block `t` is the library, and `x` a leaf of three numbers; the outcome is the
value of its last line.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable
from typing import Any

import tensorlab as tl

__all__ = ["blocks", "both", "calling", "function", "leaf", "points", "refusal", "same_outcome"]


def leaf(*numbers: float) -> tl.Tensor:
    """A leaf of this library's, of float64."""
    return tl.tensor(numbers, dtype=tl.float64, requires_grad=True)


def points(t: Any, *shape: int) -> Any:
    """A leaf of some numbers, all different; without a shape of three."""
    shape = shape or (3,)
    numbers = t.arange(math.prod(shape), dtype=t.float64) * 0.3 + 0.5
    return numbers.view(shape).clone().requires_grad_()


def blocks(text: str, **names: Any) -> dict[str, Callable[[Any], Any]]:
    """The programs of a text by their comments.

    Args:
        text: the blocks.
        names: what they may use besides `t`, `x` and `points(t, *shape)`.
    """
    programs = {}
    for block in text.strip().split("\n\n"):
        title, _, source = block.partition("\n")
        assert title.startswith("# "), f"a block begins with a comment: {block}"
        assert title[2:] not in programs, f"two blocks are called {title[2:]}"
        programs[title[2:]] = _program(title[2:], source, names)
    return programs


def _program(title: str, source: str, names: dict[str, Any]) -> Callable[[Any], Any]:
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    body = compile(tree, title, "exec")
    value = None if last is None else compile(ast.Expression(last.value), title, "eval")

    def program(t: Any) -> Any:
        scope = {**names, "t": t, "x": points(t), "points": points}
        exec(body, scope)
        return None if value is None else eval(value, scope)

    return program


def both(torch: Any, program: Callable[[Any], Any]) -> list[Any]:
    """The outcome of a program on each library: its results as lists, or the error's type."""
    outcomes = []
    for library in (tl, torch):
        try:
            results = program(library)
        except Exception as error:
            outcomes.append(type(error).__name__)
        else:
            outcomes.append([r.tolist() if hasattr(r, "tolist") else r for r in results])
    return outcomes


def refusal(program: Callable[[Any], Any]) -> str:
    """What this library says when it refuses a program.

    Raises:
        AssertionError: it does not refuse.
    """
    try:
        program(tl)
    except Exception as error:
        return str(error)
    raise AssertionError("the program runs through")


def same_outcome(torch: Any, program: Callable[[Any], Any]) -> Any:
    """What a program returns on both libraries, as plain numbers, or the type of the error that both raise.

    Raises:
        AssertionError: the outcomes differ.
    """
    ours, theirs = (_outcome(library, program) for library in (tl, torch))
    assert _alike(ours, theirs), f"{ours}\n  PyTorch: {theirs}"
    return theirs


def _outcome(library: Any, program: Callable[[Any], Any]) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _plain(program(library))
    except Exception as error:
        return type(error)


def _plain(value: Any) -> Any:
    """A value without tensors: those become their shape, their numbers and the name of their node."""
    if hasattr(value, "requires_grad"):
        node = None if value.grad_fn is None else value.grad_fn.name().rpartition(":")[2]
        return tuple(value.shape), value.tolist(), value.requires_grad, node
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


def _alike(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, type) and isinstance(theirs, type):  # each library has a CheckpointError of its own
        return ours.__name__ == theirs.__name__
    if isinstance(ours, (tuple, list)) and isinstance(theirs, (tuple, list)):
        return len(ours) == len(theirs) and all(map(_alike, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-12)
    return type(ours) is type(theirs) and ours == theirs


def calling(method: str, *what: Any) -> Any:
    """A forward that calls a method of its context, and doubles its argument."""

    def forward(ctx: Any, a: Any) -> Any:
        getattr(ctx, method)(*what)
        return a * 2

    return forward


def function(t: Any, forward: Any, backward: Any, setup: Any = None) -> Any:
    """A function class of a library, made of plain functions."""
    namespace = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if setup is not None:
        namespace["setup_context"] = staticmethod(setup)
    return type("F", (t.autograd.Function,), namespace)
