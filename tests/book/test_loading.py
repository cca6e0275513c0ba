"""What a page waits for before it is drawn: one style sheet whose addresses hold, and no script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tensorlab_book.card import carded
from tensorlab_book.loading import quick

from .conftest import CHAPTER, Open

PAGE = """<html><head>
<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="../_static/fonts.css?v=2" />
<link rel="stylesheet" media="print" href="../_static/paper.css" />
<script src="../_static/documentation_options.js?v=3"></script>
<script src="../_static/doctools.js?v=4"></script>
<script data-a="b" src="../_static/tabs.js"></script>
<script>DOCUMENTATION_OPTIONS.pagename = 'a';</script>
<script defer="defer" src="../_static/last.js"></script>
</head></html>"""


@pytest.fixture
def static(tmp_path: Path) -> Path:
    for name, text in {
        "styles/theme.css": '@charset "utf-8";\n@import "../basic.css";\n.a { src: url(../vendor/a.png) }',
        "basic.css": ".b { background: url('b.svg'), url(data:image/png;base64,AA==), url(#c) }",
        "fonts.css": '@font-face { src: url("fonts/d.woff2") }',
        "fonts/source-sans-3-latin-wght-normal.woff2": "",
        "documentation_options.js": "const DOCUMENTATION_OPTIONS = {};",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_sheets_are_one_sheet_in_their_order(static: Path) -> None:
    page = quick(PAGE, static)
    [sheet] = [link for link in re.findall(r"<link [^>]*stylesheet[^>]*>", page) if "print" not in link]
    name = re.search(r'href="\.\./_static/(site-\w+\.css)\?v=', sheet)
    assert name
    assert 'href="../_static/paper.css"' in page
    assert 'rel="preload" as="font"' in page
    assert [line for line in (static / name[1]).read_text(encoding="utf-8").splitlines() if line] == [
        '.b { background: url("b.svg"), url(data:image/png;base64,AA==), url(#c) }',
        '.a { src: url("vendor/a.png") }',
        '@font-face { src: url("fonts/d.woff2") }',
    ]


def test_no_script_is_waited_for(static: Path) -> None:
    page = quick(PAGE, static)
    assert "<script>const DOCUMENTATION_OPTIONS = {};</script>" in page
    assert re.findall(r"<script (?![^>]*defer)[^>]*src=", page) == []
    search = '<script src="../_static/searchtools.js"></script>'
    assert search in quick(PAGE + search, static)


def test_a_page_that_stays_takes_what_its_sheets_have_become(static: Path) -> None:
    page = quick(PAGE, static)
    assert quick(page, static) == page
    (static / "fonts.css").write_text("p { color: red }", encoding="utf-8")
    again = quick(page, static)
    assert again != page
    assert len(again) == len(page)
    [made] = static.glob("site-*.css")
    assert made.read_text(encoding="utf-8").endswith("p { color: red }")


BODY = (
    '<section id="chapter"><h1>One</h1><figure><div class="tl-narrow"><svg viewBox="0 0 350 120" width="350">'
    '<path/></svg></div></figure><section id="what-you-can-do-now"><h2>So</h2><section id="in-short">'
    "<ul><li>1</li></ul></section></section><section><h2>After</h2></section></section>"
)


def test_the_summary_is_a_card_with_the_opening_figure_and_the_ways_on() -> None:
    page = carded(BODY, [("a.html", "The 6 exercises"), ("b.html", "Chapter 2: x & y")])
    assert page.count("opening-figure") == 2
    assert 'viewBox="0 0 350 120" width="350" height="120" aria-hidden="true"><use' in page
    card = page[page.index('class="tl-card"') : page.index("<section><h2>After")]
    assert '<a class="tl-button" href="b.html">Chapter 2: x &amp; y</a>' in card
    assert card.endswith("</nav></section>")
    assert page.count("<section") == page.count("</section")
    assert carded("<section><p>no summary</p></section>", []) == "<section><p>no summary</p></section>"


def test_the_card_can_be_printed_alone(open_page: Open) -> None:
    page = open_page(CHAPTER)
    card = page.locator("section.tl-card")
    assert card.locator("a.tl-button").all_inner_texts() == ["The 5 exercises", "Chapter 2: Strides"]
    assert card.locator(".tl-card-figure").bounding_box()["height"] > 100  # type: ignore[index]
    page.evaluate("window.print = () => {}")
    card.get_by_role("button", name="Print this card").click()
    page.emulate_media(media="print")
    assert card.locator("li").first.is_visible()
    assert page.locator("h1:visible").count() == 0
    assert card.locator("nav").is_hidden()
