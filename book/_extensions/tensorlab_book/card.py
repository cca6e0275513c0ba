"""The card at the end of a chapter: what one can do now, in short, with the opening figure and the ways on.

The words are the chapter's own section 'What you can do now'. The figure is the first one of the page, as
it is drawn for a narrow page: shown again, not drawn again. The card is made for paper, too: a button prints
it alone (`chapter.js`; without a script there is no button).
"""

from __future__ import annotations

import html
import re
from typing import Any

from sphinx.application import Sphinx

from tensorlab.widgets.progress_map.chapters import Chapter

from .opening import FOLDER, written

SECTION = '<section id="what-you-can-do-now">'
FIGURE = re.compile(r'(?P<before><div class="tl-narrow"><svg )(?P<rest>[^>]*viewBox="(?P<box>[^"]*)"[^>]*>)')
SIZE = re.compile(r"(?P<width>[\d.]+) (?P<height>[\d.]+)$")
AGAIN = (
    '<svg class="tl-card-figure" viewBox="{box}" width="{width}" height="{height}" aria-hidden="true">'
    '<use href="#opening-figure"></use></svg>'
)
WAYS = """<nav class="tl-card-ways" aria-label="Go on">{ways}
<button type="button" class="tl-print" hidden>Print this card</button></nav>"""


def carded(body: str, ways: list[tuple[str, str]]) -> str:
    """Return a chapter's body with its summary as a card; `ways` are addresses, each with its words."""
    start = body.find(SECTION)
    if start < 0:
        return body
    end = closing(body, start)
    links = "".join(f'<a class="tl-button" href="{to}">{html.escape(text)}</a>' for to, text in ways)
    inner = body[start:end].replace(SECTION, SECTION.replace(">", ' class="tl-card">'), 1)
    found = FIGURE.search(body[:start])
    if found and (size := SIZE.search(found["box"])):
        inner = inner.replace("</h2>", f"</h2>{AGAIN.format(box=found['box'], **size.groupdict())}", 1)
        named = f'{found["before"]}id="opening-figure" {found["rest"]}'
        body = body[: found.start()] + named + body[found.end() :]
        start, end = (place + len(named) - len(found[0]) for place in (start, end))
    return body[:start] + inner + WAYS.format(ways=links) + body[end:]


def closing(body: str, start: int) -> int:
    """Return where the section that opens at `start` is closed."""
    depth = 0
    for tag in re.finditer(r"<(/?)section\b", body[start:]):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return start + tag.start()
    raise ValueError("a section is not closed")


def ways_from(app: Sphinx, pagename: str, chapter: Chapter) -> list[tuple[str, str]]:
    """Return where a chapter leads: to its exercises, and to the next chapter where that is written."""

    def to(page: str) -> str:
        return app.builder.get_relative_uri(pagename, page)

    ways = [(to(f"exercises/{chapter.page}"), f"The {len(chapter.exercises)} exercises")]
    after = next((each for each in written(app).values() if each.number == chapter.number + 1), None)
    if after:
        ways.append((to(f"{FOLDER}/{after.page}"), f"Chapter {after.number}: {after.title}"))
    return ways


def add_card(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Make the summary of a chapter that is being written a card."""
    chapter = written(app).get(pagename) if doctree is not None and pagename.startswith(FOLDER) else None
    if chapter:
        context["body"] = carded(context["body"], ways_from(app, pagename, chapter))


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add_card)
