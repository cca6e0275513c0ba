"""The watch over a page notices each thing that it is there for."""

from __future__ import annotations

import pytest

from .conftest import Open

PAGE = "book/glossary.html"


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("console.error('an error')", "console error: an error"),
        ("console.warn('a warning')", "console warning: a warning"),
        ("setTimeout(() => { throw new Error('thrown') })", "page error: thrown"),
        ("fetch('/no-such-file')", "status 404"),
        ("fetch('http://127.0.0.2:9/').catch(() => null)", "foreign host: http://127.0.0.2:9/"),
        ("fetch('http://127.0.0.2:9/').catch(() => null)", "failed request: http://127.0.0.2:9/"),
    ],
)
def test_the_watch_sees(open_page: Open, watched: list[str], script: str, problem: str) -> None:
    page = open_page(PAGE)
    assert watched == []
    page.evaluate(script)
    page.wait_for_timeout(200)
    assert any(problem in said for said in watched), watched
    watched.clear()
