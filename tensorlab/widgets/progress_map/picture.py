"""The book as a picture: 24 chapters are 24 cells of one line, and each part is a row of it."""

from __future__ import annotations

import html
from collections.abc import Sequence

from tensorlab.learn.plan import PARTS, chapters_of
from tensorlab.widgets.progress_map.chapters import Chapter

__all__ = ["chapter_map"]

ROMAN = ("I", "II", "III", "IV", "V", "VI")
LAST = sum(len(part.chapters) for part in PARTS)


def chapter_map(chapters: Sequence[Chapter], folder: str) -> str:
    """Return the map as HTML, for shared/map.css: written chapters are filled, planned ones dashed.

    Args:
        chapters: those that are written.
        folder: where their pages stand, seen from the page of the map.

    Example:
        >>> chapter_map([], "chapters").count("tl-map-planned")
        24
    """
    written = {chapter.number: chapter for chapter in chapters}
    rows = []
    for place, part in enumerate(PARTS, 1):
        numbers = chapters_of(place)
        cells = [
            _cell(number, title, written.get(number), folder)
            for number, title in zip(numbers, part.chapters, strict=True)
        ]
        rows.append(
            f'<section class="tl-map-part"><h3><small>Part {ROMAN[place - 1]}</small> {part.title}</h3>'
            f'<p>{html.escape(part.can)}</p><ol start="{numbers[0]}">{"".join(cells)}</ol></section>'
        )
    return f'<div class="tl-map">{"".join(rows)}</div>'


def _cell(number: int, title: str, chapter: Chapter | None, folder: str) -> str:
    at = (number - 1) / (LAST - 1)
    late = " tl-map-late" if at > 0.5 else ""
    name = (
        f'<span class="tl-map-number">{number}</span> <span class="tl-map-title">{html.escape(title)}</span>'
    )
    if chapter is None:
        return (
            f'<li><span class="tl-map-cell tl-map-planned{late}">{name} '
            '<span class="tl-map-facts">planned</span></span></li>'
        )
    boxes = "<i></i>" * len(chapter.exercises)
    return (
        f'<li><a class="tl-map-cell{late}" style="--at: {at:.3f}" data-chapter="{number}" '
        f'href="{folder}/{chapter.page}.html">{name} '
        f'<span class="tl-map-facts">{chapter.minutes} min</span> '
        f'<span class="tl-map-boxes" aria-hidden="true">{boxes}</span></a></li>'
    )
