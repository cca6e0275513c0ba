"""What the widget tests share: JavaScript functions called from Python, and a page with living widgets."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ipywidgets import Widget
from ipywidgets.embed import dependency_state, embed_data
from tensorlab_book.widgets import choose_loader

from tensorlab.widgets.base import BookWidget
from tests.site_fixtures import ROOT, WIDGETS_DRAWN, Watch, served

WIDGETS = ROOT / "tensorlab" / "widgets"
ASSETS = ROOT / "book" / "_assets" / "widgets"
MANAGER = ("require", "local-loader", "embed-amd")
VIEW, STATE = ("application/vnd.jupyter.widget-" + kind + "+json" for kind in ("view", "state"))

IN_A_PAGE = """async (calls) => {
  const results = [];
  for (const [file, name, ...parameters] of calls) {
    results.push((await import(file))[name](...parameters) ?? null);
  }
  return JSON.stringify(results);
}"""


@pytest.fixture
def expect() -> Any:
    """Playwright's assertions, which wait until they hold."""
    return pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture(scope="session")
def call_js(request: pytest.FixtureRequest) -> Callable[[list[list[Any]]], list[Any]]:
    """Call functions of the widgets' pure modules.

    ``call_js([["shared/layout.js", "numel", [2, 3]], …])`` gives the list of their results. They run
    in node where it is installed, else in Chromium.
    """

    def in_node(calls: list[list[Any]]) -> list[Any]:
        named = [[(WIDGETS / file).as_uri(), *rest] for file, *rest in calls]
        host = Path(__file__).parent / "engine_host.mjs"
        done = subprocess.run(
            ["node", str(host)],
            input=json.dumps(named),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def in_chromium(calls: list[list[Any]]) -> list[Any]:
        browser = request.getfixturevalue("chromium")
        with served(WIDGETS) as address:
            page = browser.new_page()
            page.goto(address + "shared/base.css")  # any document of this origin may import its modules
            results = page.evaluate(IN_A_PAGE, [[address + file, *rest] for file, *rest in calls])
            page.close()
        return json.loads(results)

    return in_node if shutil.which("node") else in_chromium


def static_page(widgets: list[Widget], theme: str) -> str:
    """A page as the book makes them: the widgets' state, a place for each, and no kernel."""
    data = embed_data(views=widgets, state=dependency_state(widgets, drop_defaults=False))
    views = "".join(
        f'<div class="cell_output"><script type="{VIEW}">{json.dumps(view)}</script></div>'
        for view in data["view_specs"]
    )
    own = [widget for widget in widgets if isinstance(widget, BookWidget)]
    twins = "".join(f"<noscript>{widget.text_twin()}</noscript>" for widget in own)
    state = json.dumps(data["manager_state"]).replace("</", "<\\/")
    background = {"light": "#ffffff", "dark": "#14181e"}[theme]
    scripts = "".join(f'<script src="widgets/{name}.js"></script>' for name in MANAGER)
    return choose_loader(
        f'<!doctype html><html lang="en" data-theme="{html.escape(theme)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Widgets</title>'
        f'<link rel="icon" href="data:,"><style>body {{ background: {background}; margin: 1rem; '
        "font-family: sans-serif }</style>"
        f'<script type="{STATE}">{state}</script>{scripts}<script defer src="widgets/draw.js"></script>'
        f"</head><body>{views}{twins}</body></html>"
    )


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A served folder with what pages of widgets need, and its address."""
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(ASSETS, folder / "widgets")
    with served(folder) as address:
        yield folder, address


@pytest.fixture
def show(chromium: Any, pages: tuple[Path, str]) -> Iterator[Callable[..., Any]]:
    """Open a page with widgets: ``show(StorageLab(shape=(3, 4)), width=390, theme="dark", state="lab1=…")``.

    The test fails at its end if a page complained: console, page errors, failed or foreign requests.
    """
    folder, address = pages
    contexts = []
    watch = Watch(address)

    def show(
        *widgets: Widget,
        width: int = 800,
        theme: str = "light",
        state: str = "",
        touch: bool = False,
        scripts: bool = True,
    ) -> Any:
        (folder / "index.html").write_text(static_page(list(widgets), theme), encoding="utf-8")
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            has_touch=touch,
            is_mobile=touch,
            java_script_enabled=scripts,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        watch.attach(page, scripts=scripts)
        page.goto(f"{address}index.html{'#' if state else ''}{state}", wait_until="load")
        if scripts:
            page.wait_for_function(WIDGETS_DRAWN, timeout=20_000)
        return page

    yield show
    for context in contexts:
        context.close()
    assert not watch.problems, "\n".join(watch.problems)
