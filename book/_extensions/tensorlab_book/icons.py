"""The site's icons as a font of its own: the theme's weighs 156 kB, and what the site shows of it 3 kB.

`fonts.css` gives the small font the name of the theme's, so that a browser looks there first. The full one
stays where the theme puts it: a browser still fetches it for an icon that the small one lacks.
"""

from __future__ import annotations

import re
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

FULL = "vendor/fontawesome/webfonts/fa-solid-900.ttf"
SMALL = "fonts/icons.woff"

# What stays of the font's name table.
COPYRIGHT, LICENCE, LICENCE_ADDRESS = 0, 13, 14

NAME = re.compile(r"\bfa-[a-z0-9-]+")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
# A character of Unicode's area for private use, as itself or as CSS escapes it.
ICON = re.compile("[\ue000-\uf8ff]|" r"\\(?P<code>[ef][0-9a-f]{3})(?![0-9a-f])")


def icons_of(sheet: str, names: set[str]) -> set[int]:
    """Return the code points of the icons that a style sheet draws on pages with these names of icons.

    A rule whose selector has names of icons counts where the pages have one of them, any other rule always.
    """
    found = set()
    for selector, body in RULE.findall(sheet):
        named = set(NAME.findall(selector))
        if not named or named & names:
            found |= {int(icon["code"], 16) if icon["code"] else ord(icon[0]) for icon in ICON.finditer(body)}
    return found


def cut(full: Path, icons: set[int]) -> TTFont:
    """Return a font with those icons of another that lie at some code points, as WOFF."""
    options = subset.Options(
        layout_features=[], hinting=False, name_IDs=[COPYRIGHT, LICENCE, LICENCE_ADDRESS]
    )
    font = TTFont(full, recalcTimestamp=False)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=icons)
    cutter.subset(font)
    font.flavor = "woff"
    return font


def write_icons(app: Sphinx, error: Exception | None) -> None:
    """Cut the font for what the pages, the theme's scripts and the style sheets show."""
    if error is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    # The script that draws icons without a font knows all their names; no page has it (see `pages`).
    scripts = [path for path in (static / "scripts").glob("*.js") if path.name != "fontawesome.js"]
    pages = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    names = {name for path in pages + scripts for name in NAME.findall(path.read_text(encoding="utf-8"))}
    sheets = [path.read_text(encoding="utf-8") for path in static.rglob("*.css")]
    icons = set().union(*(icons_of(sheet, names) for sheet in sheets))
    target = static / SMALL
    part = target.with_name(target.name + ".part")
    cut(static / FULL, icons).save(part)
    part.replace(target)


def setup(app: Sphinx) -> None:
    # When the pages are as a browser gets them.
    app.connect("build-finished", write_icons, priority=950)
