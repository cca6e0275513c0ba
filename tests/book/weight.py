"""What the first load of a page weighs, compressed as a server sends it: all that the browser asks for."""

from __future__ import annotations

import functools
import gzip
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.site_fixtures import SITE, Watch

if TYPE_CHECKING:
    from playwright.sync_api import Page

LIMIT = 750_000  # bytes
# What no page needs, for there is something lighter.
HEAVY = ("embed-amd.js", "fontawesome.js", "fa-solid-900.woff2")
COMPRESSED = {".woff", ".woff2", ".png"}  # servers send these as they are


@functools.cache
def weight(name: str) -> int:
    """Return the compressed size in bytes of a file of the site; most are asked for by every page."""
    data = (SITE / name).read_bytes()
    return len(data if (SITE / name).suffix in COMPRESSED else gzip.compress(data, 6))


def weights(requests: list[str]) -> dict[str, int]:
    """Return the weight of each file that was asked for, by its path below the site."""
    names = {urlsplit(address).path.lstrip("/") for address in requests if address.startswith("http")}
    return {name: weight(name) for name in sorted(names)}


def assert_light(page: Page, watch: Watch, address: str) -> None:
    """Fail where the first page that a test opened made the browser ask for too much."""
    page.evaluate("document.fonts.ready.then(() => true)")
    found = weights(watch.requests)
    assert urlsplit(address).path in found
    assert not [path for path in found if path.endswith(HEAVY)]
    assert sum(found.values()) < LIMIT, sorted(found.items(), key=lambda item: -item[1])[:10]
