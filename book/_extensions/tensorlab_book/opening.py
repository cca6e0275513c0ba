"""The line above a chapter: its part, how long it takes, and the switch that shows everything.

The numbers are counted from the notebook. The switch needs a script (`chapter.js`) and is hidden without it.
"""

from __future__ import annotations

import functools
import html
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from tensorlab.learn.plan import PARTS, chapters_of
from tensorlab.widgets.progress_map.chapters import Chapter, chapters_in
from tensorlab.widgets.progress_map.picture import ROMAN

FOLDER = "book/chapters"

LINE = """
<div class="tl-open"><span>{part}</span><span>{minutes} minutes</span><span>{questions} questions</span>
<a href="{exercises}">{count} exercises</a>
<label hidden><input type="checkbox" role="switch"> show everything</label>
<span class="tl-open-said" role="status"></span></div>
"""


@functools.cache
def written(app: Sphinx) -> dict[str, Chapter]:
    """Return the chapters by the names of their documents."""
    folder = Path(app.srcdir) / FOLDER
    return {f"{FOLDER}/{chapter.page}": chapter for chapter in chapters_in(folder)}


def part_of(number: int) -> str:
    """Return the part of a chapter: 'Part I · Memory'."""
    place = next(place for place in range(1, len(PARTS) + 1) if number in chapters_of(place))
    return f"Part {ROMAN[place - 1]} · {PARTS[place - 1].title}"


def opened(body: str, chapter: Chapter, exercises: str) -> str:
    """Return a chapter's body with the line below its title."""
    line = LINE.format(
        part=html.escape(part_of(chapter.number)),
        minutes=chapter.minutes,
        questions=chapter.questions,
        count=len(chapter.exercises),
        exercises=exercises,
    )
    return body.replace("</h1>", f"</h1>{line}", 1)


def add_line(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Put the line into a chapter that is being written, and give the page its script."""
    if doctree is None or not pagename.startswith(f"{FOLDER}/"):
        return
    chapter = written(app).get(pagename)
    if chapter is None:
        return
    exercises = app.builder.get_relative_uri(pagename, f"exercises/{chapter.page}")
    context["body"] = opened(context["body"], chapter, exercises)
    app.add_js_file("chapter.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add_line)
