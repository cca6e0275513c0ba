"""What `tensorlab watch` shows: a page that is drawn anew on a terminal, lines elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tensorlab.grading import feedback
from tensorlab.learn import progress
from tensorlab.learn.check import card_of, lines_of
from tensorlab.learn.hints import STEPS
from tensorlab.learn.show import Card, Line
from tensorlab.learn.watch.rounds import Answer, Finished

KEYS = (("h", "hint"), ("n", "next"), ("l", "list"), ("d", "difference"), ("q", "quit"))
MOODS = {"good": "green", "partial": "yellow", "bad": "red", "plain": "cyan"}
WIDEST = 88  # columns of text
MOST_CELLS = 6  # whose printed lines are shown


class Screen:
    """Where things are shown.

    Args:
        keys: whether single keys arrive, so that they are named.
    """

    def __init__(self, console: Console, name: str, keys: bool) -> None:
        self.console = console
        self.is_page = keys and console.is_terminal
        self._name = name
        self._printed: tuple[
            tuple[int, str], ...
        ] = ()  # what the cells printed in the round that was shown last

    @property
    def width(self) -> int:
        """Columns of text."""
        return min(WIDEST, self.console.width - 1)

    def round(self, finished: Finished, focus: Answer, changed: Sequence[Answer]) -> None:
        """A round has come to its end: the card of one question, or a line for each that changed.

        What the notebook's cells printed stands below.
        """
        if self.is_page:
            cells = map(Text, cells_printed(finished.printed))
            self.page([*card_lines(answer_card(focus), self.width), *cells], finished)
            return
        solved = sum(answer.is_right for answer in finished.answers)
        most = sum(answer.exercise.points for answer in finished.answers)
        self.line(
            f"{finished.clock} {self._name}: {finished.points} of {most} points, {solved} of "
            f"{len(finished.answers)} exercises ({finished.seconds:.2f} s)"
        )
        for answer in changed:
            row = answer.judged.row
            self.line(f"  {row.question}: {answer.points} of {row.max_points}. {row.feedback}")
            if not answer.is_right:
                self._indented(Card("", "", lines=_heard(answer)).body(self.width)[1:], 4)
        if finished.printed != self._printed:
            self._indented(cells_printed(finished.printed)[1:], 2)
        self._printed = finished.printed

    def page(self, lines: Sequence[RenderableType], finished: Finished | None, note: str = "") -> None:
        """Draw the page: some lines, and below them how far the chapter is, and the keys."""
        if not self.is_page:
            for each in lines:
                self.console.print(each, soft_wrap=True)
            return
        self.console.clear()
        for each in lines:
            self.console.print(each, soft_wrap=True)
        self.console.print()
        if finished is not None:
            self.console.print(_bar(finished, self.width))
            note = note or f"{self._name} · {finished.clock} · {finished.seconds:.2f} s after the save"
        self.console.print(Text(note, style="dim"))
        keys = "   ".join(f"[bold]{key}[/bold] {name}" for key, name in KEYS)
        self.console.print(keys)

    def _indented(self, lines: Sequence[str], columns: int) -> None:
        for text in lines:
            self.line(textwrap.indent(text, " " * columns))

    def busy(self) -> None:
        """A round takes long enough to be noticed."""
        if self.is_page:
            self.console.print(Text("Trying your answers", style="dim"))

    def line(self, text: str) -> None:
        """One line, as it is."""
        self.console.print(text, markup=False, soft_wrap=True)


def answer_card(answer: Answer) -> Card:
    """The card of one question, as after `check`."""
    row, verdict = answer.judged.row, answer.judged.verdict
    headlines = {
        "missing": f"There is no function {answer.exercise.name} yet.",
        "timeout": f"{answer.exercise.name} did not come to an end, so it was stopped.",
        "died": f"{answer.exercise.name} ended the Python process.",
        "machine": "This machine could not run the notebook.",
    }
    if verdict is not None and row.status not in headlines:
        lines = lines_of(verdict, answer.printed) if verdict.failures else _heard(answer)
        footer = ("n goes to the next exercise.",) if verdict.status == "right" else ()
        return card_of(verdict, lines, "Save the notebook.", footer)
    title = f"{row.question} · {row.title}"
    lines = Line("Asked", answer.exercise.task), *_heard(answer), Line("Why", row.feedback)
    return Card(title, headlines[row.status], "bad", lines)


def _heard(answer: Answer) -> tuple[Line, ...]:
    """What a call of the answer printed: the smallest that fails, or the one that ended it, or the first."""
    verdict = answer.judged.verdict
    told = answer.heard[:1] if verdict is not None else answer.heard[-1:]
    if verdict is not None and verdict.smallest is not None:
        args = verdict.smallest.case.args
        told = tuple(heard for heard in answer.heard if heard.args is args)
    if not told:
        return ()
    call = feedback.call_text(answer.exercise, told[0].args)
    return Line("Call", call, code=True), Line("Printed", told[0].printed, code=True)


def cells_printed(printed: Sequence[tuple[int, str]]) -> list[str]:
    """What the notebook's cells printed, the first few of them: lines of text."""
    if not printed:
        return []
    shown = tuple(Line(f"Cell {number}", text, code=True) for number, text in printed[:MOST_CELLS])
    more = len(printed) - len(shown)
    rest = (f"{more} more cell{'s' if more > 1 else ''} printed something.",) if more else ()
    return Card("", "", lines=shown, footer=rest).body()


def card_lines(card: Card, width: int) -> list[RenderableType]:
    """A card for a terminal."""
    head = [Text(card.title, style="bold"), Text(card.headline, style=MOODS[card.mood])]
    return [*head, *(Text(line) for line in card.body(width))]


def exercise_list(answers: Sequence[Answer], focus: str) -> list[RenderableType]:
    """All exercises of the notebook."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("", "exercise", "", "", "points", "hints"):
        right = heading in ("points", "hints")
        table.add_column(heading, justify="right" if right else "left", no_wrap=heading == "exercise")
    for answer in answers:
        asked, record = answer.exercise, progress.load(answer.exercise.id)
        mark = f"{'>' if asked.id == focus else ' '} {'[x]' if answer.is_right else '[ ]'}"
        hints = f"{record.hints} of {len(STEPS)}" + (", assisted" if record.assisted else "")
        table.add_row(
            escape(mark).replace(" ", "\u00a0"),
            asked.id,
            escape(asked.title),
            "*" * asked.stars,
            f"{answer.points} of {asked.points}",
            hints,
        )
    return [Text("The exercises of this notebook", style="bold"), Text(""), table]


def difference(title: str, against: str, lines: Sequence[str]) -> list[RenderableType]:
    """A unified diff."""
    head: list[RenderableType] = [Text(title, style="bold")]
    if not lines:
        return [*head, Text(f"Nothing to compare yet: there is no difference to {against}.")]
    styles = {"+": "green", "-": "red", "@": "cyan"}
    shown = [Text(line, style=styles.get(line[:1], "")) for line in lines]
    return [*head, Text(f"+ is your code now, - is {against}."), Text(""), *shown]


def _bar(finished: Finished, width: int) -> Table:
    most = sum(answer.exercise.points for answer in finished.answers)
    solved = sum(answer.is_right for answer in finished.answers)
    counts = f"{solved} of {len(finished.answers)} exercises, {finished.points} of {most} points"
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_row(
        ProgressBar(total=most, completed=finished.points, width=max(10, min(40, width - len(counts) - 2))),
        counts,
    )
    return grid
