"""Cards: what `check` and `hint` return. HTML in a notebook, text in a terminal, the same words in both.

The HTML has no colours of its own for text or background, so it takes the notebook's theme, light or dark.
The coloured edge repeats what the first line says.
"""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass

_EDGES = {"good": "#2f8a55", "partial": "#c07a1a", "bad": "#cf5149", "plain": "#7a8699"}
_LABEL_GAP = 2
_TEXT_WIDTH = 88


@dataclass(frozen=True)
class Line:
    """A label and what stands beside it.

    Attributes:
        code: whether it is shown in the type of code, with its line breaks.
    """

    label: str
    text: str
    code: bool = False


@dataclass(frozen=True)
class Card:
    """One answer to a student.

    Attributes:
        mood: ``"good"``, ``"partial"``, ``"bad"`` or ``"plain"``: the colour of the edge.
        title: which exercise.
        headline: the result in one sentence.
        items: a list of (done, text), such as the topics of an exercise.
        points: of the answer that was checked.
    """

    title: str
    headline: str
    mood: str = "plain"
    lines: tuple[Line, ...] = ()
    items: tuple[tuple[bool, str], ...] = ()
    footer: tuple[str, ...] = ()
    points: int = 0

    def __repr__(self) -> str:
        return self.text()

    def text(self, width: int = _TEXT_WIDTH) -> str:
        """The card for a terminal of so many columns, in characters that every terminal has."""
        parts = [self.title, self.headline, *self.body(width)]
        return "\n".join(parts)

    def body(self, width: int = _TEXT_WIDTH) -> list[str]:
        """What stands below the headline."""
        parts: list[str] = []
        if self.lines:
            parts.append("")
        indent = max((len(line.label) for line in self.lines), default=0) + _LABEL_GAP
        parts += [_labelled(line, indent, width) for line in self.lines]
        if self.items:
            parts.append("")
            parts += [f"  [{'x' if done else ' '}] {text}" for done, text in self.items]
        if self.footer:
            parts += ["", *(textwrap.fill(text, width) for text in self.footer)]
        return parts

    def _repr_html_(self) -> str:
        edge = _EDGES[self.mood]
        rows = "".join(
            f'<div style="opacity:.75">{html.escape(line.label)}</div><div>{_value(line)}</div>'
            for line in self.lines
        )
        items = "".join(
            f'<li><span aria-hidden="true">{"✓" if done else "✗"}</span> '
            f"{html.escape(text)}: {'passed' if done else 'not yet'}</li>"
            for done, text in self.items
        )
        parts = [
            f'<div class="tl-card tl-card-{self.mood}" style="border-left:4px solid {edge};padding:.3em .9em;'
            'margin:.4em 0;max-width:46em;overflow-wrap:anywhere;font-variant-numeric:tabular-nums">',
            f'<div style="opacity:.75">{html.escape(self.title)}</div>',
            f'<div style="font-weight:600;margin:.15em 0 .5em">{html.escape(self.headline)}</div>',
        ]
        if rows:
            parts.append(
                '<div style="display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.3em .9em">'
                f"{rows}</div>"
            )
        if items:
            parts.append(f'<ul style="list-style:none;padding:0;margin:.6em 0 0">{items}</ul>')
        parts += [f'<div style="margin-top:.6em">{html.escape(text)}</div>' for text in self.footer]
        return "".join(parts) + "</div>"


def _value(line: Line) -> str:
    text = html.escape(line.text)
    if not line.code:
        return text
    return f'<code style="white-space:pre-wrap;background:none;color:inherit;padding:0">{text}</code>'


def _labelled(line: Line, gap: int, width: int) -> str:
    indent = " " * gap
    if line.code:
        text = textwrap.indent(line.text, indent)
    else:
        text = textwrap.fill(line.text, width, initial_indent=indent, subsequent_indent=indent)
    return f"{line.label:<{gap}}{text[gap:]}"
