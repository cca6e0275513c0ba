"""Names that do not exist: which one was meant, and a text that is made when somebody reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["LateText", "nearest"]


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
    """The offered name that is a few slips away: a letter too many, too few, or another one.

    One in three letters may be wrong, and one in a name of three or less.

    Example:
        >>> nearest("reshpe", ["resize", "reshape"])
        'reshape'
        >>> nearest("astype", ["dim", "keepdim"])
    """
    allowed = max(1, len(name) // 3)
    likely = [other for other in offered if abs(len(other) - len(name)) <= allowed]
    slips, meant = min(((_slips(name, other), other) for other in likely), default=(allowed + 1, None))
    return meant if slips <= allowed else None


def _slips(written: str, meant: str) -> int:
    """How many letters must be put in, left out or replaced to get from one name to the other."""
    above = list(range(len(meant) + 1))
    for i, letter in enumerate(written, 1):
        row = [i]
        for j, other in enumerate(meant, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != other)))
        above = row
    return above[-1]
