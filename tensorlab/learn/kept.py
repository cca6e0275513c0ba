"""The adopted parts as files, so that they outlive a restart: the student's own tensorlab.

They lie in the folder ``mytensorlab`` beside the student's progress, one file a part: ordinary Python to
read, to edit and to take along. They are run when `tensorlab.adopt` is asked for them, and at no other time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorlab.grading.files import write_whole
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import exercises
from tensorlab.learn import progress
from tensorlab.learn.clock import time_limit, uncounted
from tensorlab.learn.written import NotWritable, as_file

__all__ = ["NotKept", "file_of", "keep", "kept", "run"]

#: Seconds that the file of a part may take to be run.
PATIENCE = 5.0


class NotKept(Exception):
    """The function is not kept, or its file gives none; the text says why, in one clause."""


def file_of(asked: Exercise) -> Path:
    """Where the student's function for an exercise lies, or would."""
    return progress.folder() / "mytensorlab" / f"ch{asked.chapter}_{asked.name}.py"


def kept() -> list[Exercise]:
    """The exercises whose functions are kept, in the book's order."""
    return [asked for asked in exercises() if file_of(asked).is_file()]


def keep(asked: Exercise, function: Callable[..., Any]) -> None:
    """Write a function down, in place of an earlier one.

    Raises:
        NotKept: it cannot be written down, or there is no room for it. An earlier one stays.
    """
    path = file_of(asked)
    try:
        text = as_file(asked.name, function)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text, replace=True)
    except NotWritable as error:
        raise NotKept(str(error)) from None
    except OSError as error:
        raise NotKept(f"{path.parent} cannot be written ({error.strerror})") from error


def run(asked: Exercise) -> Callable[..., Any]:
    """The function that the file of a part defines. The file is run for it.

    Raises:
        NotKept: the file cannot be read or run, or defines no such function.
        OutOfTime: it does not come to an end.
    """
    path = file_of(asked)
    names: dict[str, Any] = {"__name__": f"mytensorlab.{path.stem}", "__file__": str(path)}
    try:
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        with time_limit(PATIENCE, aside=uncounted):
            exec(code, names)  # the student's own file, on the student's own word
    except (Exception, SystemExit) as error:
        raise NotKept(f"{path} cannot be run ({type(error).__name__}: {error})") from error
    function = names.get(asked.name)
    if not callable(function):
        raise NotKept(f"{path} defines no function {asked.name}")
    return function
