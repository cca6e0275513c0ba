"""Labs that show a given tensor follow it: after each cell of a notebook they read its storage again."""

from __future__ import annotations

import weakref
from typing import Protocol

from IPython import get_ipython

__all__ = ["refresh_after_cells"]


class Refreshing(Protocol):
    """What reads its tensor again."""

    def refresh(self) -> None:
        """Read it."""


_labs: weakref.WeakSet[Refreshing] = weakref.WeakSet()


def refresh_after_cells(lab: Refreshing) -> None:
    """Call `lab.refresh` after every cell that runs from now on, as long as the lab lives.

    Outside of IPython nothing runs in cells, and nothing happens.
    """
    shell = get_ipython()
    if shell is not None:
        _labs.add(lab)
        shell.events.register("post_run_cell", _refresh_all)  # once, however often it is asked for


def _refresh_all(_result: object = None) -> None:
    for lab in list(_labs):
        lab.refresh()
