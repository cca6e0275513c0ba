"""The palette keeps its promises: enough contrast for words and for marks, the same names in both themes."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CSS = (ROOT / "book" / "_assets" / "theme.css").read_text(encoding="utf-8")
WORD, MARK = 4.5, 3.0

WORDS = ("ink", "ink-soft", "link", "shape", "stride", "offset", "view", "copy", "gradient", "wrong")
EDGES = ("edge", "cell-edge", "reach-edge", "hand-edge", "focus")
FILLS = ("cell", "reach", "hand")


def palette(theme: str) -> dict[str, str]:
    """Return the colours of one theme by their names without `--tl-`."""
    block = re.search(rf'html\[data-theme="{theme}"\] {{(.*?)}}', CSS, re.DOTALL)[1]
    return dict(re.findall(r"--tl-([a-z-]+): (#[0-9a-f]{6});", block))


PALETTES = {theme: palette(theme) for theme in ("light", "dark")}


def luminance(colour: str) -> float:
    """Return WCAG 2's relative luminance of "#rrggbb"."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_wcags() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_both_themes_name_the_same_colours() -> None:
    assert PALETTES["light"].keys() == PALETTES["dark"].keys()


@pytest.mark.parametrize(("theme", "name", "ground"), list(product(PALETTES, WORDS, ("page", "surface"))))
def test_a_word_can_be_read(theme: str, name: str, ground: str) -> None:
    colours = PALETTES[theme]
    assert contrast(colours[name], colours[ground]) >= WORD


@pytest.mark.parametrize(("theme", "name", "ground"), list(product(PALETTES, EDGES, ("page", "surface"))))
def test_an_edge_can_be_seen(theme: str, name: str, ground: str) -> None:
    colours = PALETTES[theme]
    assert contrast(colours[name], colours[ground]) >= MARK


@pytest.mark.parametrize(("theme", "fill"), list(product(PALETTES, FILLS)))
def test_a_number_on_a_cell_can_be_read(theme: str, fill: str) -> None:
    colours = PALETTES[theme]
    assert contrast(colours[f"{fill}-ink"], colours[fill]) >= WORD


def test_every_name_in_use_is_in_the_palette() -> None:
    used = set()
    for path in (ROOT / "book" / "_assets").glob("*.css"):
        used |= set(re.findall(r"var\(--tl-([a-z-]+)", path.read_text(encoding="utf-8")))
    defined = set(re.findall(r"--tl-([a-z-]+):", CSS))
    assert used <= defined
