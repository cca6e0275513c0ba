"""Anomaly mode: which line of the forward pass made the operation whose gradient went wrong."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Container, Sequence
from types import TracebackType
from typing import Any

from tensorlab.autograd.graph import Gradient, Node
from tensorlab.registry import op

# Read by whoever makes or runs a node; for all threads, as in PyTorch.
watching = False
_check_nan = True


class set_detect_anomaly:
    """Turn anomaly mode on or off, as a function or as a context.

    Args:
        mode: whether nodes remember the line that made them.
        check_nan: whether a NaN that a node returns is an error.

    Example:
        >>> import tensorlab as tl
        >>> with tl.autograd.set_detect_anomaly(True):
        ...     tl.is_anomaly_enabled()
        True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = watching, _check_nan
        _set(bool(mode), check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _set(*self._before)


class detect_anomaly(set_detect_anomaly):
    """A context in which an error or a NaN in the backward pass names the forward line behind it.

    It costs time: each operation takes down the stack. For looking for mistakes, not for training.

    Args:
        check_nan: whether a NaN that a node returns is an error.

    Example:
        >>> import tensorlab as tl, warnings
        >>> x = tl.zeros(1, requires_grad=True)
        >>> with tl.autograd.detect_anomaly(), warnings.catch_warnings(action="ignore"):
        ...     (x * 0).sqrt().backward()
        Traceback (most recent call last):
            ...
        RuntimeError: Function 'MulBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(watching, check_nan)
        self._check_nan = check_nan

    def __enter__(self) -> None:
        _set(True, self._check_nan)


@op()
def is_anomaly_enabled() -> bool:
    """True while nodes remember the lines that make them.

    Example:
        >>> import tensorlab as tl
        >>> with tl.autograd.detect_anomaly():
        ...     tl.autograd.is_anomaly_enabled()
        True
    """
    return watching


@op()
def is_anomaly_check_nan_enabled() -> bool:
    """True unless anomaly mode was told to let a NaN pass.

    Example:
        >>> import tensorlab as tl
        >>> with tl.autograd.detect_anomaly(check_nan=False):
        ...     tl.is_anomaly_enabled(), tl.is_anomaly_check_nan_enabled()
        (True, False)
    """
    return _check_nan


def _set(mode: bool, check_nan: bool) -> None:
    global watching, _check_nan
    watching, _check_nan = mode, check_nan


def remember(node: Node) -> None:
    """Note the stack of the call that made a node."""
    own = __file__.rsplit("autograd", 1)[0]
    frames = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(own)]
    node.metadata["traceback_"] = "".join(traceback.format_list(frames))


def watched(
    node: Node, gradient: Any, differentiable: bool, asked: Container[Node] | None
) -> Sequence[Gradient]:
    """What a node returns; if that fails or is NaN, where the node was made is said first.

    Raises:
        RuntimeError: a result is NaN somewhere.
    """
    try:
        results = node.gradients(gradient, differentiable, asked)
    except Exception:  # whatever a backward raises, which may be a user's own, goes on from here
        _point_at(node)
        raise
    if _check_nan:
        for number, result in enumerate(results):
            if result is not None and bool(result.isnan().any()):
                _point_at(node)
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")
    return results


def _point_at(node: Node) -> None:
    trace = node.metadata.get("traceback_")
    where = (
        f"Traceback of forward call that caused the error:\n{trace}"
        if trace
        else "No forward pass information available. Enable detect anomaly during forward pass for more."
    )
    warnings.warn(f"Error detected in {node.name()}. {where}", stacklevel=4)
