"""What stops the build: a cell that fails or warns, a word or an address that leads nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import build_small_book, notebook

# Longer than a kernel keeps what is printed.
PAUSE = "import time\nprint('before')\ntime.sleep(1)\nprint('after')\n6 * 7"


def test_a_sound_book_is_built(tmp_path: Path) -> None:
    done = build_small_book(tmp_path, {"index.md": "# Title", "page.ipynb": notebook(PAUSE)})
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "_build" / "html"
    page = (site / "page.html").read_text(encoding="utf-8")
    assert "42" in page
    assert page.count('class="output stream') == 1
    assert "_static/search.js" in (site / "search.html").read_text(encoding="utf-8")
    assert "_static/search.js" not in page


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ({"page.ipynb": notebook("assert 1 == 2, 'the claim does not hold'")}, "the claim does not hold"),
        ({"page.ipynb": notebook("import sys\nprint('careful', file=sys.stderr)")}, "stderr"),
        ({"page.md": "# Page\n\n{term}`no such word`"}, "no such word"),
        ({"page.md": "# Page\n\n[somewhere](nowhere.md)"}, "nowhere"),
    ],
    ids=["failed assertion", "output on stderr", "unknown word", "dead link"],
)
def test_what_is_wrong_stops_the_build(tmp_path: Path, page: dict[str, str], complaint: str) -> None:
    done = build_small_book(tmp_path, {"index.md": "# Title"} | page)
    assert done.returncode != 0
    assert complaint in done.stdout + done.stderr
