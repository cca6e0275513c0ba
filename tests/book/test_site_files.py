"""The built site as files: links lead somewhere, names are documented, nothing is fetched from elsewhere."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tensorlab_book.reference import public_names

from tests.site_fixtures import SITE, build_book

from .conftest import ROOT, listed_files
from .test_sources import prose

# The reference page of each documented module, and the modules that the overview lists.
REFERENCE = ROOT / "book" / "reference"
PAGE_OF = {
    module: path.stem
    for path in sorted(REFERENCE.iterdir())
    for module in re.findall(r"^\.\. api-module:: (\S+)$", prose(path), re.M)
}
OVERVIEW = (REFERENCE / "index.rst").read_text(encoding="utf-8")
LISTED = re.findall(r"^\.\. api-summary:: (\S+)$", OVERVIEW, re.M)
# What a browser loads by itself, and the attribute that names it.
LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
NOT_LOADED = ("canonical", "search", "next", "prev")


class Page(HTMLParser):
    """The ids of a page, what it links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        if named.get("id"):
            self.ids.add(named["id"])
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
        if named.get(LOADING.get(tag, "")) and named.get("rel") not in NOT_LOADED:
            self.loads.append(named[LOADING[tag]])


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    build_book()
    return {path: Page(path) for path in SITE.rglob("*.html") if "_static" not in path.parts}


def inner(page: Path, addresses: list[str]) -> Iterator[tuple[str, Path, str]]:
    """Yield each address of this site with the file and the fragment it means."""
    for address in addresses:
        parts = urlsplit(address)
        if not parts.scheme and not parts.netloc:
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            yield address, target, parts.fragment


def test_every_listed_page_is_built(pages: dict[Path, Page]) -> None:
    built = {path.relative_to(SITE).with_suffix("").as_posix() for path in pages}
    assert set(listed_files()) <= built


def test_every_link_leads_somewhere(pages: dict[Path, Page]) -> None:
    dead = []
    for path, page in pages.items():
        for address, target, fragment in inner(path, page.links):
            known = pages.get(target)
            if not target.exists() or (fragment and known and unquote(fragment) not in known.ids):
                dead.append(f"{path.relative_to(SITE)} -> {address}")
    assert not dead, "\n".join(dead)


def test_everything_that_is_loaded_is_here(pages: dict[Path, Page]) -> None:
    missing = []
    for path, page in pages.items():
        here = {address: target for address, target, _ in inner(path, page.loads)}
        foreign = [a for a in page.loads if a not in here and urlsplit(a).scheme != "data"]
        absent = [a for a, target in here.items() if not target.is_file()]
        missing += [f"{path.relative_to(SITE)} loads {address}" for address in foreign + absent]
    assert not missing, "\n".join(missing)


def test_without_a_repository_no_page_leads_to_one(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert not [link for link in page.links if "colab" in link or "/issues/new" in link], path


def test_no_script_of_a_page_names_a_cdn(pages: dict[Path, Page]) -> None:
    """Not even for later: the theme's usual company (thebe) keeps a CDN's address for a click."""
    for path in pages:
        text = path.read_text(encoding="utf-8")
        for host in ("unpkg.com", "cdn.jsdelivr", "cdnjs", "googleapis", "mybinder"):
            assert host not in text, f"{path.relative_to(SITE)} names {host}"


def test_every_documented_module_is_in_the_overview() -> None:
    assert set(LISTED) == set(PAGE_OF)
    assert "tensorlab" in PAGE_OF


@pytest.mark.parametrize("module", PAGE_OF)
def test_every_public_name_is_in_the_reference(module: str, pages: dict[Path, Page]) -> None:
    # The package itself stands on two pages, its classes on one and its functions on the other.
    ids = {name for path, page in pages.items() if path.parent.name == "reference" for name in page.ids}
    names = public_names(importlib.import_module(module))
    assert names
    assert [name for name in names if f"{module}.{name}" not in ids] == []


def test_a_notebook_can_be_downloaded_as_it_is_in_the_repository() -> None:
    build_book()
    name = "exercises/01_a_tensor_is_a_line.ipynb"
    offered = json.loads((SITE / "_sources" / name).read_text(encoding="utf-8"))
    assert offered == json.loads((ROOT / name).read_text(encoding="utf-8"))


def test_an_exercise_is_shown_and_not_run(pages: dict[Path, Page]) -> None:
    text = (SITE / "exercises" / "01_a_tensor_is_a_line.html").read_text(encoding="utf-8")
    assert "cell_input" in text
    assert "cell_output" not in text
