"""One setting, `repository.url`, decides about every link to the repository."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sphinx.errors import ConfigError
from tensorlab_book.repository import checked

from .conftest import build_small_book

URL = "https://github.com/owner/name"
PAGE = "# A page\n\n:::{only} colab\nRun {{ colab_install }} first.\n:::\n"
NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# A notebook"}],
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def build(folder: Path, url: str) -> dict[str, str]:
    """Build a book of two pages; return their HTML by name."""
    done = build_small_book(folder, {"index.md": PAGE, "notebook.ipynb": json.dumps(NOTEBOOK)}, url)
    assert done.returncode == 0, done.stdout + done.stderr
    site = folder / "_build" / "html"
    return {name: (site / f"{name}.html").read_text(encoding="utf-8") for name in ("index", "notebook")}


def links(page: str) -> list[str]:
    """Return the addresses on other hosts that a page links to."""
    return re.findall(r'href="(https?://[^"]*)"', page)


def test_without_an_address_nothing_leads_away(tmp_path: Path) -> None:
    for page in build(tmp_path, "").values():
        assert links(page) == []
        assert "colab" not in page.lower()
        assert "pip install" not in page


def test_with_an_address_every_button_follows_from_it(tmp_path: Path) -> None:
    pages = build(tmp_path, URL)
    for name, suffix in (("index", "md"), ("notebook", "ipynb")):
        found = links(pages[name])
        assert URL in found
        assert f"{URL}/blob/main/{name}.{suffix}?plain=1" in found
        assert any(address.startswith(f"{URL}/issues/new") for address in found)
    colab = "https://colab.research.google.com/github/owner/name/blob/main/notebook.ipynb"
    assert colab in links(pages["notebook"])
    assert colab not in links(pages["index"])
    words = re.sub(r"<[^>]*>", "", pages["index"])
    assert f"Run %pip install git+{URL} first." in words


@pytest.mark.parametrize("url", [URL, f"{URL}/", f"{URL}.git", "https://gitlab.com/owner/name"])
def test_an_address_is_put_in_one_form(url: str) -> None:
    assert checked(url) == url.removesuffix("/").removesuffix(".git")


WRONG = ["github.com/owner/name", "https://github.com/owner", "git@github.com:owner/name.git"]


@pytest.mark.parametrize("url", WRONG)
def test_a_wrong_address_is_refused_with_a_right_one(url: str) -> None:
    with pytest.raises(ConfigError, match=r"must be https://HOST/OWNER/NAME.*for example"):
        checked(url)
