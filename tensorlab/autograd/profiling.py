"""A memory meter: how many bytes of tensors live, from moment to moment, and who made them."""

from __future__ import annotations

import sys
import time
import weakref
from types import TracebackType
from typing import Any, NamedTuple

from tensorlab import storage
from tensorlab.storage import UntypedStorage


class Moment(NamedTuple):
    """One change of the live bytes.

    Attributes:
        seconds: since the meter was started.
        live: the bytes of all storages that were made since then and still live, after the change.
        change: the bytes that were allocated, or freed if negative.
        what: the function that allocated them, in the backward pass the node; empty where they were freed.
    """

    seconds: float
    live: int
    change: int
    what: str


class profile:
    """A context that measures the memory of the tensors that are made inside.

    Memory that two tensors share is counted once. Tensors that were there before are not counted. A meter
    inside another one takes nothing from it: both count.

    Attributes:
        timeline: every change, in order.
        peak: the most bytes that lived at once.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(1000, requires_grad=True)
        >>> with tl.autograd.profile() as memory:
        ...     y = (x * 2).exp()
        >>> [(moment.what, moment.change) for moment in memory.timeline if moment.change > 4]
        [('mul', 4000), ('exp', 4000)]
        >>> memory.peak, memory.live
        (8000, 4000)
    """

    def __init__(self) -> None:
        self.timeline: list[Moment] = []
        self.peak = 0
        self.live = 0

    def __enter__(self) -> profile:
        self._start = time.perf_counter()
        self._references: dict[int, weakref.ref] = {}
        self._before = storage.watcher
        storage.watcher = self._made
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        storage.watcher = self._before
        self._references.clear()

    def _made(self, made: UntypedStorage) -> None:
        if self._before is not None:
            self._before(made)
        size = made.nbytes()
        key = id(made)

        def freed(_: Any) -> None:
            if self._references.pop(key, None) is not None:
                self._note(-size, "")

        self._references[key] = weakref.ref(made, freed)
        self._note(size, self._maker())

    def _maker(self) -> str:
        return _maker()

    def _note(self, change: int, what: str) -> None:
        self.live += change
        self.peak = max(self.peak, self.live)
        self.timeline.append(Moment(time.perf_counter() - self._start, self.live, change, what))


class count_bytes(profile):
    """A `profile` that does not ask who allocated: that takes most of its time."""

    def _maker(self) -> str:
        return ""


_OWN = __file__.rsplit("autograd", 1)[0]

# Functions that stand in for another one, and the names under which they know it: that one was called.
_WRAPPERS = {"call", "either", "function", "inside", "operator", "placed", "translated", "with_options"}
_WRAPPED = ("function", "general")


def _maker() -> str:
    """The function that is at work: a row of the scalar table, a node, or the outermost of this library."""
    frame: Any = sys._getframe(2)
    name, row = "", ""
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        where = frame.f_code.co_filename[len(_OWN) :].replace("\\", "/")
        local = frame.f_locals
        if where == "autograd/engine.py" and frame.f_code.co_name == "run" and "node" in local:
            return local["node"].name()
        scalar = local.get("row") or getattr(local.get("primitive"), "row", None)
        row = row or getattr(scalar, "name", "")
        if frame.f_code.co_name not in _WRAPPERS:
            name = frame.f_code.co_name
        else:
            wrapped = next((local[called] for called in _WRAPPED if called in local), None)
            name = getattr(wrapped, "__name__", name)
        frame = frame.f_back
    return row or name.strip("_")
