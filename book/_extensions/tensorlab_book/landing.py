"""The landing page: its lab, its map of the book and its measured figures.

    .. hero:: ADDRESS     the promise (the directive's content), a button to the page ADDRESS, and the lab
    .. chapter-map::      the book as a line of 24 cells
    .. measured::         what other pages of the book compute, each with a link to where

The lab is `landing.js`; without a script its place says what it would show.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tensorlab import compatibility
from tensorlab.grading.suites import exercises
from tensorlab.widgets.progress_map.picture import chapter_map

from .opening import FOLDER, written

LISTS = ("EVERYDAY", "LESS_OFTEN", "NOW_AND_THEN", "BESIDE_OPERATORS")

STARTS = (
    '<p class="tl-start"><a class="tl-button" href="{address}">Start with chapter {number}</a> '
    "<span>{minutes} minutes, in this page, nothing to install</span></p>"
)
PLACE = """<div class="tl-play"><noscript><p>With scripts on, here stands one line of memory with a tensor
that reads it: drag an arrowhead, and the stride changes.</p></noscript></div>"""

FIGURE = '<li><b>{value}</b> {words} <a href="{address}">{where}</a></li>'

# The page on speed measures while the book is built; its sentence is read from the page that was written.
SPEED_PAGE = "book/speed"
SPEED = re.compile(r"1024³: (\d+%) of the peak")
SPEED_PLACE = "<!-- speed -->"


def raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


class Hero(SphinxDirective):
    """The promise and the way in, with the lab beside them."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the promise with the button, and the lab's place."""
        promise = nodes.container(classes=["tl-promise"])
        self.state.nested_parse(self.content, self.content_offset, promise)
        chapter = written(self.env.app)[self.arguments[0]]
        address = self.env.app.builder.get_relative_uri(self.env.docname, self.arguments[0])
        promise += raw(STARTS.format(address=address, number=chapter.number, minutes=chapter.minutes))
        return [promise, raw(PLACE)]


class ChapterMap(SphinxDirective):
    """The map of the book."""

    def run(self) -> list[nodes.Node]:
        """Return the map."""
        app = self.env.app
        some_page = app.builder.get_relative_uri(self.env.docname, f"{FOLDER}/x")
        return [raw(chapter_map(list(written(app).values()), some_page.rpartition("/")[0]))]


class Measured(SphinxDirective):
    """The figures, counted while the book is built."""

    def run(self) -> list[nodes.Node]:
        """Return a list of the figures."""
        builder, here = self.env.app.builder, self.env.docname

        def figure(value: object, words: str, page: str, where: str) -> str:
            address = builder.get_relative_uri(here, page)
            return FIGURE.format(value=value, words=words, address=address, where=where)

        asked = exercises()
        wrong = sum(len(each.wrong) for each in asked)
        names = [name for each in LISTS for name in getattr(compatibility, each)]
        covered = len(compatibility.coverage(names).covered)
        items = [
            figure(
                f"{wrong} of {wrong}",
                f"known wrong answers to {len(asked)} exercises lose points; no right one does.",
                "book/proof",
                "The proof",
            ),
            figure(
                f"{covered} of {len(names)}",
                "names of everyday PyTorch programs are here, and are tested against PyTorch.",
                "book/reference/compatibility",
                "Which",
            ),
            SPEED_PLACE,
        ]
        return [raw(f'<ul class="tl-measured">{"".join(items)}</ul>')]


def add_speed(site: Path, landing: str, page: str) -> None:
    """Write into the landing page what the page on speed found, or leave the figure out without one."""
    speed, start = site / f"{SPEED_PAGE}.html", site / landing
    if not start.exists():
        return
    found = SPEED.search(speed.read_text(encoding="utf-8")) if speed.exists() else None
    item = found and FIGURE.format(
        value=found[1],
        words="of the processor's peak in a product of 1024 × 1024 matrices, where this book was built.",
        address=page,
        where="Measured here",
    )
    text = start.read_text(encoding="utf-8")
    start.write_text(text.replace(SPEED_PLACE, item or ""), encoding="utf-8")


def add_lab(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Give the landing page its script and its style sheets."""
    if isinstance(doctree, nodes.document) and any(
        "tl-promise" in box["classes"] for box in doctree.findall(nodes.container)
    ):
        app.add_js_file("landing.js", loading_method="defer")
        app.add_css_file("landing.css")
        app.add_css_file("map.css")


def finish(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        root = app.config.root_doc
        page = app.builder.get_relative_uri(root, SPEED_PAGE)
        add_speed(Path(app.outdir), f"{root}.html", page)


def setup(app: Sphinx) -> None:
    for name, directive in (("hero", Hero), ("chapter-map", ChapterMap), ("measured", Measured)):
        app.add_directive(name, directive)
    app.connect("html-page-context", add_lab)
    app.connect("build-finished", finish)
