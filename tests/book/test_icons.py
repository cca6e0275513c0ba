"""The font of the icons that the site shows, cut from the theme's."""

from __future__ import annotations

from pathlib import Path

from fontTools.ttLib import TTFont
from tensorlab_book.icons import FULL, SMALL, cut, icons_of

from tests.site_fixtures import SITE, build_book

from .conftest import Open

SHEET = """
.fa-sun:before{content:"\\f185"}.fa-moon:before,.fa-night:before{content:"\\f186"}
@media print { .fa-file:before { content: "\\f15b" } }
.tip { --icon: "\uf0eb" } .arrow::after { content: "\\2192 \\f107" } .fa-solid { font-weight: 900 }
"""


def test_icons_are_those_of_the_pages_and_those_that_need_no_name() -> None:
    assert icons_of(SHEET, set()) == {0xF0EB, 0xF107}
    assert icons_of(SHEET, {"fa-night", "fa-file"}) == {0xF0EB, 0xF107, 0xF186, 0xF15B}


def test_the_small_font_draws_as_the_full_one_and_keeps_its_licence(tmp_path: Path) -> None:
    build_book()
    full = SITE / "_static" / FULL
    cut(full, {0xF185, 0xF186}).save(tmp_path / "icons.woff")
    small, whole = TTFont(tmp_path / "icons.woff"), TTFont(full)
    assert set(small.getBestCmap()) == {0xF185, 0xF186}
    for code, name in small.getBestCmap().items():
        outline = whole["glyf"][whole.getBestCmap()[code]].getCoordinates(whole["glyf"])[0]
        assert small["glyf"][name].getCoordinates(small["glyf"])[0] == outline
    assert small["name"].getDebugName(0) == whole["name"].getDebugName(0)


def test_a_page_draws_its_icons_with_the_small_font(open_page: Open) -> None:
    page = open_page("book/index.html")
    icons = page.locator(".fa-circle-half-stroke:visible")
    assert icons.count() > 0
    code = icons.first.evaluate("(icon) => getComputedStyle(icon, '::before').content").strip('"')
    assert ord(code) in TTFont(SITE / "_static" / SMALL).getBestCmap()
