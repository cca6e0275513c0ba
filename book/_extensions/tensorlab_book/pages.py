"""The last touches to written pages: labels that a screen reader needs, no idle script, the start page."""

from __future__ import annotations

import html
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from .covers import given_away
from .loading import quick
from .widgets import choose_loader

START = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url={address}">
<link rel="icon" href="data:,">
<link rel="canonical" href="{address}">
<title>{title}</title>
</head>
<body><main><h1>{title}</h1><p><a href="{address}">Open the book</a></p></main></body>
</html>
"""

# What the theme and its company write, and what it should be. The tests run axe on every page; it asks for
# each of these.
MENDS = (
    # The label hides the words that stand in the element.
    ('<summary aria-label="Toggle hidden content">', "<summary>"),
    # So it does here; on a narrow page another button has nothing but an icon, and needs its label.
    (
        'search-button-field search-button__button pst-js-only" title="Search" aria-label="Search"',
        'search-button-field search-button__button pst-js-only"',
    ),
    ('data-mode="light" title="Light"', 'data-mode="light"'),
    ('data-mode="dark"  title="Dark"', 'data-mode="dark"'),
    ('data-mode="auto"  title="System Settings"', 'data-mode="auto"'),
    # The arrow beside a page that has pages below it has no name.
    (
        '<summary><span class="toctree-toggle"',
        '<summary aria-label="The pages below"><span class="toctree-toggle"',
    ),
    # A role that has left the standard, in a list whose children have to be list items.
    (' role="doc-biblioentry"', ' role="listitem"'),
    # The book's name and the search field belong to no landmark.
    (
        '<div id="pst-primary-sidebar" class',
        '<div id="pst-primary-sidebar" role="region" aria-label="The book" class',
    ),
)

# The theme draws each icon twice, by a font of 150 kB and by a script of 1.5 MB, which would also replace the
# icons of the Play widget and leave it with elements that are gone. The font is enough.
FONTAWESOME = re.compile(r'\s*<script[^>]*src="[^"]*/fontawesome\.js[^"]*"></script>')

# The contents beside a page are narrow: a module's long name goes on in the next line behind one of its dots.
CONTENTS = re.compile(r'<nav id="pst-page-toc-nav".*?</nav>', re.DOTALL)
MODULE = re.compile(r'(?<=<span class="pre">)tensorlab\.[\w.]+(?=</span>)')

# Sphinx gives MathJax, more than a megabyte, to every page above one that has a formula.
MATHJAX = re.compile(r'\s*<script[^>]*src="[^"]*/mathjax/[^"]*"></script>')


def mend(page: str) -> str:
    """Return a page's HTML as it should be; mending twice changes nothing more."""
    for written, wanted in MENDS:
        page = page.replace(written, wanted)
    page = CONTENTS.sub(
        lambda contents: MODULE.sub(lambda name: name[0].replace(".", ".<wbr>"), contents[0]), page
    )
    page = choose_loader(FONTAWESOME.sub("", page))
    return page if 'class="math' in page else MATHJAX.sub("", page)


def finish_pages(app: Sphinx, error: Exception | None) -> None:
    """Mend what was written, and lead `index.html` to the landing page, which lies in a folder of its own."""
    if error is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    spoilt = []
    for path in site.rglob("*.html"):
        if "_static" not in path.parts:
            text = path.read_text(encoding="utf-8")
            path.write_text(quick(mend(text), site / "_static"), encoding="utf-8")
            spoilt += [f"{path.relative_to(site).as_posix()}: {sentence}" for sentence in given_away(text)]
    if spoilt:
        raise ExtensionError(
            "\n".join(["answers stand in sight of a reader who has yet to predict them", *spoilt])
        )
    if app.config.root_doc != "index":
        address = app.builder.get_target_uri(app.config.root_doc)
        title = html.escape(app.config.html_title)
        start = START.format(language=app.config.language, title=title, address=address)
        (site / "index.html").write_text(start, encoding="utf-8")


def add_excerpts(app: Sphinx, name: str, template: str, context: dict[str, object], doctree: object) -> None:
    """Give the page of the search its script: excerpts without what a reader has yet to predict."""
    if name == "search":
        app.add_js_file("search.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    # Jupyter Book sets this option of sphinx-comments, which this book does not load.
    app.add_config_value("comments_config", {}, "html", dict)
    app.connect("html-page-context", add_excerpts)
    # After sphinx-external-toc, which writes a redirect without a title at the default priority.
    app.connect("build-finished", finish_pages, priority=900)
