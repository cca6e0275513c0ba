"""Boxes: places where a student's code runs. One protocol, so that stronger ones can be added beside.

`tensorlab.grading.boxes.process` is a separate process and isolates nothing but the process itself; its
level is ``none``. A box that also closes the network and the files has another level, and every row of
results records the level that it was graded at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

#: ``strong``: network, files, processes and memory closed off. ``limited``: some of them. ``none``: a
#: process.
Level = Literal["strong", "limited", "none"]


class BoxError(Exception):
    """The box could not be started. That is the machine's trouble and never a student's score."""


class NoAnswer(Exception):
    """A request had no answer.

    Attributes:
        output: where the request says that somebody listens, what the process wrote to its output since the
            work on it began. Nothing is scored from it.
    """

    output = ""


class BoxDied(NoAnswer):
    """The process ended, or broke the protocol, before it answered."""


class BoxTimeout(NoAnswer):
    """No answer came before the time that it had was used up."""


class Box(Protocol):
    """One running box. After `BoxDied` or `BoxTimeout` it can only be closed."""

    level: Level

    @property
    def charged(self) -> float:
        """Seconds that all requests until now were charged.

        A request is charged for the work that its process did, and less for its waiting: see `boxes.meter`.
        """
        ...

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send one request and return its reply.

        Raises:
            BoxDied: the process is gone, the box was closed, or what it sent is not a reply to this request.
            BoxTimeout: `seconds` were charged.
        """
        ...

    def close(self) -> None:
        """End the process and all that it started, and remove its folder. May be called twice."""
        ...


#: Starts a box whose process is ready for requests. Raises `BoxError` when it cannot.
BoxFactory = Callable[[], Box]
