"""Warnings that name the caller's line, however many functions of the library lie between."""

from __future__ import annotations

import sys
import warnings


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about a call, at the line outside of the library that made it."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tensorlab":
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
