"""Plans that are kept: what an operation found out about some layouts and dtypes, for the next time.

An operation prepares a launch once for each kind of operands, and keeps it in a dictionary of its own under
all that it depends on. A plan holds no tensor. Programs meet few kinds of operands, so a plan is seldom
thrown away; those that meet ever new ones, as a loop over growing sequences does, must not keep all.
"""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["MOST_PLANS", "remember"]

Found = TypeVar("Found")

# So many plans are kept by one operation. One takes a few hundred bytes.
MOST_PLANS = 4096


def remember(known: dict[Any, Any], key: object, found: Found) -> Found:
    """Keep what was found for a key, and return it. When too much is known, all else is forgotten.

    Example:
        >>> known = {}
        >>> remember(known, ("add", (2, 3)), "a plan"), known
        ('a plan', {('add', (2, 3)): 'a plan'})
    """
    if len(known) >= MOST_PLANS:
        known.clear()
    known[key] = found
    return found
