"""The roster of a course, as a command is given it."""

from __future__ import annotations

from pathlib import Path

from tensorlab.cli.support.errors import USAGE, CommandError
from tensorlab.grading.reports import BadReport, Student, read_roster


def read_roster_file(path: Path) -> list[Student]:
    """The students of a roster.

    Raises:
        CommandError: it cannot be read, or is no roster.
    """
    try:
        return read_roster(read_text(path))
    except BadReport as error:
        raise CommandError(f"{path}: {error}.", USAGE) from error


def read_text(path: Path) -> str:
    """The text of a file in UTF-8.

    Raises:
        CommandError: it cannot be read, or is no UTF-8.
    """
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8; save it again as UTF-8.", USAGE) from error
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.", USAGE) from error
