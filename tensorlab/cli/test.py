"""``tensorlab test``: all tests, through pytest."""

from __future__ import annotations

from typing import Annotated

import typer

from tensorlab.cli.support.project import find_root, require, run_module

CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}


def run(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PYTEST ARGUMENTS]", help="Passed on to pytest; paths count from the project's folder."
        ),
    ] = None,
) -> None:
    """Run the tests: library, widgets, grader, book, solutions, and every example in a docstring.

    Exit codes are pytest's: 0 all passed, 1 some failed, 2 interrupted, 4 wrong arguments, 5 no test found.
    For one file in this process: `tensorlab test -n0 tests/library/test_layout.py`.
    """
    root = find_root()
    for module, purpose in (("pytest", "runs the tests"), ("nbval", "runs the notebooks as tests")):
        require(module, purpose, command="python3 tests")
    raise typer.Exit(run_module("pytest", arguments or [], cwd=root))
