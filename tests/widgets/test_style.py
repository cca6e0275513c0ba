"""The widgets' colours are the book's, every name they use exists, and what they promise can be read."""

from __future__ import annotations

import re

import pytest

from tests.site_fixtures import ROOT

WIDGETS = ROOT / "tensorlab" / "widgets"
BASE = (WIDGETS / "shared" / "base.css").read_text(encoding="utf-8")
BOOK = (ROOT / "book" / "_assets" / "theme.css").read_text(encoding="utf-8")
THEMES = {
    "light": (r"\.tlw \{(.*?)\}", r'html\[data-theme="light"\] \{(.*?)\}'),
    "dark": (r'\.tlw\[data-theme="dark"\] \{(.*?)\}', r'html\[data-theme="dark"\] \{(.*?)\}'),
}


def colours(text: str, block: str) -> dict[str, str]:
    """The names (without ``--tl-``) and colours of the first such block of a style sheet."""
    return dict(re.findall(r"--tl-([a-z0-9-]+): (#[0-9a-f]{6});", re.search(block, text, re.DOTALL)[1]))


@pytest.mark.parametrize("theme", THEMES)
def test_a_colour_is_the_books(theme):
    ours, books = THEMES[theme]
    palette = colours(BASE, ours)
    assert len(palette) > 20
    assert palette.items() <= colours(BOOK, books).items()


def test_both_themes_name_the_same_colours():
    light, dark = (colours(BASE, ours) for ours, _ in THEMES.values())
    assert light.keys() == dark.keys()


@pytest.mark.parametrize(
    "sheet", sorted(WIDGETS.rglob("*.css")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_every_name_in_use_is_defined(sheet):
    text = sheet.read_text(encoding="utf-8")
    used = set(re.findall(r"var\(--tl-([a-z0-9-]+)\)", text))  # with a fallback, a name may be missing
    assert used <= set(re.findall(r"--tl-([a-z0-9-]+):", BASE + text))


def test_a_style_sheet_has_no_colour_of_its_own():
    for sheet in WIDGETS.rglob("*.css"):
        if sheet.name != "base.css":
            assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", sheet.read_text(encoding="utf-8")) == [], (
                sheet
            )
