"""``status()``: whose code each part of the library is."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Literal

from tensorlab.grading.suites import chapters, exercises
from tensorlab.learn import parts, progress
from tensorlab.learn.adopt import measured, refused
from tensorlab.learn.kept import kept

State = Literal["yours", "slow", "solved", "refused", "library"]

#: Mark in a terminal, edge and style in a notebook, and what it means.
_LOOKS: dict[State, tuple[str, str, str]] = {
    "yours": ("[x]", "2px solid #2f8a55", "your code, in use"),
    "slow": ("[~]", "2px dotted #c07a1a", "your code, in use, and slow"),
    "solved": ("[+]", "2px dashed #3867b5", "solved by you, and not adopted"),
    "refused": ("[!]", "2px double #c0453f", "your code, refused"),
    "library": ("[ ]", "1px solid #7a8699", "the library's own"),
}


@dataclass(frozen=True)
class Tile:
    """One part of the library.

    Attributes:
        part: the library's function, ``"tensorlab.core.layout.numel"``.
        why: of a part that was refused, the reason; of one that is slow, how slow it is.
    """

    exercise: str
    name: str
    part: str
    state: State
    why: str = ""


@dataclass(frozen=True)
class Status:
    """All parts. Tiles in a notebook, a line for each chapter in a terminal.

    Attributes:
        waiting: how many parts are kept in files and not in use.
    """

    tiles: tuple[Tile, ...]
    waiting: int = 0

    @property
    def headline(self) -> str:
        """How many parts are the student's."""
        yours = sum(tile.state in ("yours", "slow") for tile in self.tiles)
        return f"{yours} of {len(self.tiles)} parts of this library are yours."

    def __repr__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The parts for a terminal, in characters that every terminal has."""
        lines = [self.headline, ""]
        for chapter in chapters():
            marks = [
                f"{_LOOKS[tile.state][0]} {tile.name}" for tile in self.tiles if _chapter(tile) == chapter
            ]
            lines.append(f"{chapter}  {'  '.join(marks)}")
        lines += ["", "   ".join(f"{mark} {meaning}" for mark, _, meaning in _LOOKS.values()), *self._notes()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        for chapter in chapters():
            tiles = "".join(_tile(tile) for tile in self.tiles if _chapter(tile) == chapter)
            rows.append(
                f'<div style="font-weight:600">Chapter {int(chapter)}</div><ul style="display:flex;'
                f'flex-wrap:wrap;gap:.4em;list-style:none;margin:0;padding:0">{tiles}</ul>'
            )
        notes = "".join(f"<div>{html.escape(note)}</div>" for note in self._notes())
        return (
            '<div class="tl-status"><div style="font-weight:600;margin:.3em 0">'
            f"{html.escape(self.headline)}</div>"
            '<div style="display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.5em 1em;'
            f'align-items:center">{"".join(rows)}</div><div style="margin-top:.5em">{notes}</div></div>'
        )

    def _notes(self) -> list[str]:
        notes = [
            f"{tile.exercise} was refused: {tile.why}." for tile in self.tiles if tile.state == "refused"
        ]
        notes += [f"{tile.exercise} {tile.why}." for tile in self.tiles if tile.state == "slow"]
        ready = [tile.exercise for tile in self.tiles if tile.state == "solved"]
        if ready:
            notes.append(f'tl.adopt("{ready[0]}") puts a solved one in, where its function is defined.')
        if self.waiting:
            what, it = ("1 part is", "it") if self.waiting == 1 else (f"{self.waiting} parts are", "them")
            notes.append(f"{what} kept from before and not in use: tl.adopt() puts {it} in again.")
        return notes


def status() -> Status:
    """Show whose code each part of the library is: yours, or the library's own.

    Returns:
        tiles that a notebook shows when this is the last line of a cell.

    Example:
        >>> print(status().headline)  # doctest: +ELLIPSIS
        0 of ... parts of this library are yours.
    """
    yours, told = parts.adopted(), []
    for asked in exercises():
        state: State = "library"
        why = ""
        if asked.id in yours:
            speed = measured.get(asked.id)
            state = "slow" if speed is not None and speed.is_slow else "yours"
            why = str(speed) if state == "slow" else ""
        elif asked.id in refused:
            state, why = "refused", refused[asked.id]
        elif progress.load(asked.id).points == asked.points:
            state = "solved"
        told.append(Tile(asked.id, asked.name, asked.part.replace(":", "."), state, why))
    return Status(tuple(told), sum(asked.id not in yours for asked in kept()))


def _chapter(tile: Tile) -> str:
    return tile.exercise.partition(".")[0]


def _tile(tile: Tile) -> str:
    _, border, meaning = _LOOKS[tile.state]
    meaning = tile.why if tile.state == "slow" else meaning
    mark = {"yours": "✓ ", "slow": "~ ", "solved": "+ ", "refused": "! ", "library": ""}[tile.state]
    return (
        f'<li style="border:{border};border-radius:.3em;padding:.15em .5em" title="{html.escape(tile.part)}">'
        f'<span aria-hidden="true">{mark}</span><code style="background:none;color:inherit;padding:0">'
        f'{html.escape(tile.name)}</code><br><small style="opacity:.8">{html.escape(meaning)}</small></li>'
    )
