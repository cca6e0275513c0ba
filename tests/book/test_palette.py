"""The palette keeps its promises: enough contrast for words and for marks, the same names in both themes."""

from __future__ import annotations

import re
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from tensorlab.figures.ink import PALETTE

ROOT = Path(__file__).resolve().parent.parent.parent
CSS = (ROOT / "book" / "_assets" / "theme.css").read_text(encoding="utf-8")
WORD, MARK = 4.5, 3.0

WORDS = ("ink", "ink-soft", "link", "shape", "stride", "offset", "view", "copy", "gradient", "wrong")
EDGES = ("edge", "cell-edge", "reach-edge", "hand-edge", "focus")
FILLS = ("cell", "reach", "hand")


def palette(theme: str) -> dict[str, str]:
    """Return the colours of one theme by their names without `--tl-`."""
    block = re.search(rf'html\[data-theme="{theme}"\] {{(.*?)}}', CSS, re.DOTALL)[1]
    return dict(re.findall(r"--tl-([a-z0-9-]+): (#[0-9a-f]{6});", block))


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
        used |= set(re.findall(r"var\(--tl-([a-z0-9-]+)", path.read_text(encoding="utf-8")))
    defined = set(re.findall(r"--tl-([a-z0-9-]+):", CSS))
    assert used <= defined


def test_drawings_carry_the_same_colours() -> None:
    named = {
        theme: {name: pair[number] for name, pair in PALETTE.items()} for number, theme in enumerate(PALETTES)
    }
    for theme, colours in named.items():
        assert colours == {name: PALETTES[theme][name] for name in colours}


# ---- the colours of places in memory, mixed in oklab (Ottosson, "A perceptual color space", 2020)

LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of
# color vision deficiency", 2009
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def written(channels: np.ndarray) -> str:
    channels = np.clip(channels, 0, 1)
    coded = np.where(channels <= 0.0031308, channels * 12.92, 1.055 * channels ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * part):02x}" for part in coded)


def mixed(one: str, other: str, share: float) -> str:
    """Return CSS's ``color-mix(in oklab, one, other share)``."""
    start, end = (LAB @ np.cbrt(LMS @ linear(colour)) for colour in (one, other))
    return written(np.linalg.inv(LMS) @ (np.linalg.inv(LAB) @ ((1 - share) * start + share * end)) ** 3)


def places(theme: str) -> list[str]:
    """33 colours from the beginning of memory to its end."""
    stops = [PALETTES[theme][f"memory-{number}"] for number in range(3)]
    return [mixed(*stops[:2], k / 16) for k in range(16)] + [mixed(*stops[1:], k / 16) for k in range(17)]


def test_colours_are_mixed_as_css_mixes_them() -> None:
    assert mixed("#ffffff", "#000000", 0.5) == "#636363"
    assert mixed("#ff0000", "#0000ff", 0.5) == "#8c53a2"


@pytest.mark.parametrize("theme", PALETTES)
def test_a_number_on_a_place_in_memory_can_be_read(theme: str) -> None:
    assert min(contrast(PALETTES[theme]["reach-ink"], place) for place in places(theme)) >= 5.4


@pytest.mark.parametrize("theme", PALETTES)
def test_the_edge_of_a_place_in_memory_can_be_seen(theme: str) -> None:
    colours = PALETTES[theme]
    edges = [mixed(place, colours["ink"], 0.42) for place in places(theme)]
    assert min(contrast(edge, colours["page"]) for edge in edges) >= MARK


@pytest.mark.parametrize(("theme", "eyes"), list(product(PALETTES, BLINDNESS)))
def test_memory_darkens_all_the_way_for_every_eye(theme: str, eyes: str) -> None:
    seen = [np.clip(np.array(BLINDNESS[eyes]) @ linear(place), 0, 1) for place in places(theme)]
    light = [luminance(written(channels)) for channels in seen]
    assert all(before > after for before, after in pairwise(light))
