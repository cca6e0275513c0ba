"""``tensorlab new-exercise ID PART``: the file and the cells with which an exercise begins."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from tensorlab.cli.support.errors import ENVIRONMENT, USAGE, CommandError
from tensorlab.cli.support.project import find_root
from tensorlab.grading.draft import NoDraft, cells_draft, suite_draft, with_cells
from tensorlab.grading.files import write_whole
from tensorlab.grading.lint import EXERCISE_ID
from tensorlab.grading.release import as_text, solution_notebooks


def run(
    exercise_id: Annotated[
        str,
        typer.Argument(metavar="ID", help="Chapter and name: 02.ranges_meet.", show_default=False),
    ],
    part: Annotated[
        str,
        typer.Argument(
            help="The library's function: MODULE:NAME, such as tensorlab.core.layout:ranges_meet.",
            show_default=False,
        ),
    ],
) -> None:
    """Begin an exercise: a file for its questions, and its four cells in the chapter's solution notebook.

    Nothing that is there is replaced. `tensorlab lint-exercise` then says what the exercise still owes.
    """
    if not EXERCISE_ID.match(exercise_id):
        raise CommandError(f"{exercise_id!r} is no chapter and name, such as '02.ranges_meet'.", USAGE)
    chapter, _, name = exercise_id.partition(".")
    root = find_root()
    suite = root / "tensorlab" / "grading" / "suites" / f"ch{chapter}_{name.lower()}.py"
    notebooks = [path for path in solution_notebooks(root / "solutions") if path.name.startswith(chapter)]
    if not notebooks:
        raise CommandError(f"chapter {chapter} has no notebook in {root / 'solutions'}.", USAGE)
    if suite.exists():
        raise CommandError(f"{suite.relative_to(root)} is there already; nothing was written.", USAGE)
    notebook = json.loads(notebooks[0].read_text(encoding="utf-8"))
    try:
        source, cells = suite_draft(exercise_id, part), cells_draft(exercise_id, part)
    except NoDraft as error:
        raise CommandError(f"{error}.", USAGE) from error
    if {cell["id"] for cell in cells} & {cell.get("id") for cell in notebook["cells"]}:
        raise CommandError(f"{notebooks[0].relative_to(root)} has cells of {exercise_id} already.", USAGE)
    try:
        write_whole(suite, source, replace=False)
        write_whole(notebooks[0], as_text(with_cells(notebook, cells)), replace=True)
    except OSError as error:
        raise CommandError(f"{error.filename} cannot be written: {error.strerror}.", ENVIRONMENT) from error
    typer.echo(f"{suite.relative_to(root)} written\n{notebooks[0].relative_to(root)} has four more cells")
    drafted = part.partition(":")[2].upper()
    typer.echo(f"Next: tensorlab lint-exercise tensorlab.grading.suites.{suite.stem}:{drafted}")
