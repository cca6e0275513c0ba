"""Progress as a file of its own: to another machine, to the map in the book, to whoever is to see it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tensorlab.grading.suites import exercises
from tensorlab.learn.progress import Progress, load, parsed, save

LONGEST = 1_000_000  # characters; all exercises of the book need a few thousand


class NotProgress(ValueError):
    """The text is no exported progress; it says why."""


def exported() -> str:
    """What is remembered of every exercise that was tried, as JSON.

    Example:
        >>> exported().splitlines()[1]
        ' "tensorlab": "progress",'
    """
    records = {asked.id: load(asked.id) for asked in exercises()}
    tried = {name: asdict(record) for name, record in records.items() if record != Progress()}
    return json.dumps({"tensorlab": "progress", "version": 1, "exercises": tried}, indent=1) + "\n"


def imported(text: str) -> int:
    """Take over what was exported elsewhere: of each exercise the most points, checks and hints of both.

    Returns:
        how many exercises have changed by that.

    Raises:
        NotProgress: the text is something else, and nothing was taken over.
        NotSaved: it could not be written.
    """
    changed = 0
    for name, theirs in _records(text).items():
        ours = load(name)
        both = Progress(
            points=max(ours.points, theirs.points),
            checks=max(ours.checks, theirs.checks),
            hints=max(ours.hints, theirs.hints),
            assisted=ours.assisted or theirs.assisted,
        )
        if both != ours:
            save(name, both)
            changed += 1
    return changed


def _records(text: str) -> dict[str, Progress]:
    """The exercises of this book that an export names; those of a later edition are left out."""
    if len(text) > LONGEST:
        raise NotProgress(f"it has {len(text):,} characters, and an export has fewer than {LONGEST:,}")
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotProgress("it is not JSON") from error
    if not isinstance(content, Mapping) or content.get("tensorlab") != "progress":
        raise NotProgress("it was not written by `tensorlab progress --export`")
    most = {asked.id: asked.points for asked in exercises()}
    try:
        found = {name: parsed(fields) for name, fields in content["exercises"].items() if name in most}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotProgress("what it says of an exercise cannot be read") from error
    for name, record in found.items():
        if not 0 <= record.points <= most[name]:
            raise NotProgress(f"it gives {name} {record.points} points, and there are {most[name]}")
    return found
