"""Names that do not exist: which one was meant, and a text that is made when somebody reads it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable


class LateText:
    """The text of an error, made when it is read: ``hasattr`` raises errors that nobody reads.

    Args:
        function, arguments: what makes it.

    Example:
        >>> str(LateText(nearest, "sun", ["sum", "max"]))
        'sum'
    """

    def __init__(self, function: Callable[..., str | None], *arguments: object) -> None:
        self._made_by = function, arguments

    def __str__(self) -> str:
        function, arguments = self._made_by
        return str(function(*arguments))

    def __repr__(self) -> str:
        return repr(str(self))


def nearest(name: str, offered: Iterable[str]) -> str | None:
    """The offered name that shares most letters with this one; None where too few are shared.

    Example:
        >>> nearest("reshpe", ["resize", "reshape"])
        'reshape'
        >>> nearest("astype", ["dim", "keepdim"])
    """
    return next(iter(difflib.get_close_matches(name, list(offered), n=1, cutoff=0.65)), None)
