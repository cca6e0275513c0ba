"""Fixtures for tests that open the built book in a real browser.

Every test folder has them, since tests/conftest.py names this module as a plugin:

    site       str, session: the address of the served book, "http://127.0.0.1:PORT/"; builds it if needed
    chromium   playwright Browser, session: headless Chromium; skips where none is found
    open_page  function: open_page("book/glossary.html", width=390, theme="dark") -> playwright Page, loaded,
               its widgets drawn; the page is watched from the first byte
    watched    the list of what went wrong on the pages of this test so far: console errors and warnings, page
               errors, failed requests, requests to another host. The test fails at its end if it isn't empty.

A keyboard test of a widget is then

    def test_arrow_moves_the_hand(open_page):
        page = open_page("book/chapters/01_a_tensor_is_a_line.html")
        page.locator(".storage-lab").first.focus()
        page.keyboard.press("ArrowRight")
"""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
BUILD_SECONDS = 600
PATIENCE_MS = 120_000  # a page of hundreds of functions takes long where every core is busy
# The first is a Chromium without windows: it draws the same pages in less than half the time.
CHROMIUM_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
)
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """Return the path of an installed Chromium or Chrome; TENSORLAB_CHROMIUM names another one."""
    named = os.environ.get("TENSORLAB_CHROMIUM")
    return named or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def build_book() -> None:
    """Bring `_build/html` up to date: a second when nothing changed. Test processes wait for each other."""
    command = [sys.executable, "-m", "tensorlab", "book", "--build-only"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    if done.returncode:
        pytest.fail(f"the book does not build:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}", pytrace=False)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line in the log for each."""

    def log_message(self, *args: object) -> None:
        """Say nothing: the tests report what matters."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of the loopback interface and yield its address."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        # `shutdown` waits until the server looks, which it does twice a second unless told.
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Watch:
    """Collects what a reader's browser would complain about, one sentence each."""

    def __init__(self, site: str) -> None:
        self.host = urlsplit(site).netloc
        self.problems: list[str] = []
        self.requests: list[str] = []

    def attach(self, page: Page, scripts: bool) -> None:
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.problems.append(f"{page.url}: page error: {error}"))
        page.on("request", self.on_request)
        page.on("requestfailed", lambda request: self.on_failure(request, scripts))
        page.on("response", self.on_response)

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.problems.append(f"{message.location.get('url', '')}: console {message.type}: {message.text}")

    def on_request(self, request: Request) -> None:
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and parts.netloc != self.host:
            self.problems.append(f"request to a foreign host: {request.url}")

    def on_failure(self, request: Request, scripts: bool) -> None:
        # With scripts off, the browser itself drops the scripts that a page asks for.
        if scripts or request.resource_type != "script":
            self.problems.append(f"failed request: {request.url}: {request.failure}")

    def on_response(self, response: Response) -> None:
        if response.status >= 400:
            self.problems.append(f"status {response.status}: {response.url}")


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the served book."""
    build_book()
    with served(SITE) as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium for the whole session."""
    path = find_chromium()
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(CHROMIUM_NAMES)} is on the PATH")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        playwright.expect.set_options(timeout=PATIENCE_MS)
        browser = driver.chromium.launch(executable_path=path, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def watch(site: str) -> Iterator[Watch]:
    """The watch over this test's pages; an unexpected problem fails the test at its end."""
    watch = Watch(site)
    yield watch
    assert not watch.problems, "\n".join(watch.problems)


@pytest.fixture
def watched(watch: Watch) -> list[str]:
    """What went wrong so far on the pages of this test."""
    return watch.problems


@pytest.fixture
def open_page(chromium: Browser, site: str, watch: Watch) -> Iterator[Callable[..., Page]]:
    """Open a page of the book as a reader with a window of some width and a theme of their choice."""
    contexts = []

    def open_page(path: str, *, width: int = 1280, theme: str = "light", scripts: bool = True) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=theme,
            java_script_enabled=scripts,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        watch.attach(page, scripts)
        page.goto(site + path, wait_until="load")
        page.wait_for_load_state("networkidle")
        if scripts:
            page.wait_for_function(WIDGETS_DRAWN)
        return page

    yield open_page
    for context in contexts:
        context.close()


# Every place where the page announces a widget has one in it.
WIDGETS_DRAWN = """() => {
  const views = document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]');
  return [...views].every((view) => view.parentElement.querySelector(".widget-subarea > * > *"));
}"""
