"""``blame(program)``: which adopted part makes a program give something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlab.grading.outcomes import shorten
from tensorlab.learn import parts, trials
from tensorlab.learn.samples import SAMPLES
from tensorlab.learn.show import Card, Line

LONGEST = 400  # characters of a result


def blame(program: Callable[[], Any] | None = None) -> Card:
    """Find the adopted part that makes a program give something else than the library alone.

    The program runs several times: with the library's own parts, with yours, and with fewer and fewer of
    yours. What is adopted is the same afterwards, whatever the program does.

    Args:
        program: a function without arguments that makes its tensors itself, and returns what it is about.
            Small programs over the whole library if left out.

    Returns:
        a card that names the part, or the parts that do so only together.

    Example:
        >>> print(blame(lambda: 1).headline)
        Nothing is adopted, so the library is all its own.
    """
    adopted = parts.adopted()
    if not adopted:
        return Card("blame", "Nothing is adopted, so the library is all its own.")
    programs = SAMPLES if program is None else {"what this program gives": program}
    for title, each in programs.items():
        names, want, got = trials.culprits(each, adopted)
        if names:
            return _guilty(names, title, want, got)
        if program is not None and want.error is not None:
            return Card(
                "blame",
                f"It is none of your {len(adopted)} parts: with the library's own the program ends in the "
                "same error.",
                lines=(Line("Error", shorten(str(want), LONGEST), code=True),),
            )
    what = "the small programs give" if program is None else "the program gives"
    return Card("blame", f"It is none of your {len(adopted)} parts: {what} the same without them.", "good")


def _guilty(names: list[str], title: str, want: trials.Result, got: trials.Result) -> Card:
    if len(names) == 1:
        headline = f"It is {names[0]}: your version changes {title}."
    else:
        headline = f"It is {' and '.join(names)} together: they change {title}, and none does alone."
    undo = ", ".join(f'tl.adopt("{name}", None)' for name in names[:1])
    return Card(
        "blame",
        headline,
        "bad",
        (
            Line("With yours", shorten(str(got), LONGEST), code=True),
            Line("Without", shorten(str(want), LONGEST), code=True),
            Line("Undo", undo, code=True),
        ),
        footer=("Your other parts stay. Ask again afterwards: there may be another.",),
    )
