"""What a browser has to have before it draws a page: one style sheet, its fonts, and no script.

The theme and its company give a page sixteen sheets and eight scripts, each a request that the first sight of
the page waits for. The sheets are joined into one, scripts run when the page has been read, and the fonts of
the first screen are asked for at once, so that no line moves when they come.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath

STATIC = r'(?P<static>[^"?]*_static/)'
SHEET = re.compile(
    rf'\s*<link (?=[^>]*rel="stylesheet")(?![^>]*media=)[^>]*href="{STATIC}(?P<name>[^"?]+)[^>]*>'
)
PARTS = re.compile(r'data-parts="([^"]*)"')
URL = re.compile(r"""url\(\s*(["']?)(?!data:|[a-z]+:|/|#)([^)"']+)\1\s*\)""")
IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?["']?([^"')\s;]+)["']?\s*\)?\s*;""")
SCRIPT = re.compile(rf'<script (?=[^>]*src="{STATIC})(?![^>]*(?:defer|async|type=))')
# An inline script of the page goes on where this one ends, so that its 0.4 kB stand in the page.
OPTIONS = re.compile(rf'<script src="{STATIC}documentation_options\.js[^"]*"></script>')
PRELOAD = '\n<link rel="preload" as="font" type="font/woff2" crossorigin href="{address}" />'
FONTS = ("source-sans-3-latin-wght-normal", "source-serif-4-latin-wght-normal")


def quick(page: str, static: Path) -> str:
    """Return a page's HTML with as little as possible to wait for; doing it twice changes nothing more.

    Args:
        page: the HTML.
        static: the site's folder of files; the joined sheet is written there.
    """
    # The page of the search has scripts that follow each other.
    return joined(page if "searchtools.js" in page else deferred(page, static), static)


def deferred(page: str, static: Path) -> str:
    """Return the page with scripts that run when it has been read, in their order."""
    options = (static / "documentation_options.js").read_text(encoding="utf-8")
    page = OPTIONS.sub(lambda _: f"<script>{options}</script>", page)
    return SCRIPT.sub('<script defer="defer" ', page)


def joined(page: str, static: Path) -> str:
    """Return the page with one style sheet in the place of its first; the sheet says what it is made of."""
    found = list(SHEET.finditer(page))
    if not found:
        return page
    to_static = found[0]["static"]
    before = PARTS.search(found[0][0])
    names = before[1].split() if before else [match["name"] for match in found]
    text = "\n".join(sheet(static, name) for name in names)
    made = f"site-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:8]}.css"
    (static / made).write_text(text, encoding="utf-8")
    version = hashlib.sha256(text.encode()).hexdigest()[:8]
    link = f'\n<link rel="stylesheet" href="{to_static}{made}?v={version}" data-parts="{" ".join(names)}" />'
    fonts = "".join(
        PRELOAD.format(address=f"{to_static}fonts/{name}.woff2")
        for name in FONTS
        if (static / "fonts" / f"{name}.woff2").exists() and "fonts.css" in names and not before
    )
    start = found[0].start()
    return page[:start] + fonts + link + SHEET.sub("", page[start:])


def sheet(static: Path, name: str) -> str:
    """Return a style sheet's text, with what it imports, and with addresses that hold beside `static`."""
    folder = PurePosixPath(name).parent
    text = (static / name).read_text(encoding="utf-8").removeprefix("\ufeff")
    text = re.sub(r"""@charset\s+["'][^"']*["'];""", "", text)

    def here(address: str) -> str:
        return normpath(str(folder / address.strip()))

    # First those of this sheet: an imported one comes with its own put right.
    parts = IMPORT.split(text)
    parts[::2] = [URL.sub(lambda match: f'url("{here(match[2])}")', own) for own in parts[::2]]
    parts[1::2] = [sheet(static, here(address)) for address in parts[1::2]]
    return "".join(parts)
