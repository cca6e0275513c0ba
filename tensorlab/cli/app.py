"""The program ``tensorlab``: a table of commands, each loaded when it is called.

A command is one file, ``tensorlab/cli/NAME.py`` with ``_`` for ``-``, with one function::

    def run(path: Annotated[Path, typer.Argument(help="...")]) -> None:
        '''What the command does. The first line is its help in the list.'''

and one row in `COMMANDS`. Its parameters are Typer's. It returns nothing when all went well, raises
`tensorlab.cli.support.errors.CommandError` to stop with one sentence, and ``typer.Exit(FAILED)`` when it
ran to the end and the answer is bad. A module may also set ``CONTEXT_SETTINGS``, which Typer gets as it is.

Only the module of the command that was asked for is imported, so ``tensorlab book`` never waits for the
grader. ``tensorlab --help`` imports them all.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import tensorlab
from tensorlab.cli.support.errors import EXIT_CODES, CommandError, report

READ, LEARN, TEACH, CARE = "Read", "Learn", "Teach", "Look after"

#: Every command and the heading under which ``tensorlab --help`` lists it, in that order.
COMMANDS: dict[str, str] = {
    "book": READ,
    "lab": LEARN,
    "check": LEARN,
    "watch": LEARN,
    "progress": LEARN,
    "release": TEACH,
    "grade": TEACH,
    "report": TEACH,
    "new-exercise": TEACH,
    "lint-exercise": TEACH,
    "test": CARE,
    "doctor": CARE,
    "warm": CARE,
    "bench": CARE,
}


class LazyCommands(Mapping[str, Any]):
    """The commands by name; a command's module is imported when it is looked up."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        if name not in self._loaded:
            module = importlib.import_module(f"tensorlab.cli.{name.replace('-', '_')}")
            single = typer.Typer(add_completion=False, rich_markup_mode="markdown")
            settings = getattr(module, "CONTEXT_SETTINGS", None)
            single.command(name, context_settings=settings)(module.run)
            command = typer.main.get_command(single)
            command.rich_help_panel = COMMANDS[name]  # type: ignore[attr-defined]
            self._loaded[name] = command
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class LazyGroup(TyperGroup):
    """A group whose commands load late and whose errors are one sentence."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names without importing the modules behind them."""
        return list(COMMANDS)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a `CommandError` becomes its sentence and its exit code."""
        try:
            return super().invoke(ctx)
        except CommandError as error:
            report(error)
            raise typer.Exit(error.exit_code) from error


app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=" · ".join(f"exit code {code}: {meaning}" for code, meaning in EXIT_CODES.items()),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(tensorlab.__version__)
        raise typer.Exit()


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the book *Tensors, Inside Out*, solve its exercises, grade them, look after the project."""
