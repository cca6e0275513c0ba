"""`draw.js`, which draws the widgets of a page without the widget manager, with small widgets of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import pytest
import traitlets

from tests.widgets.conftest import ASSETS, static_page

COUNTER = """
let initialized = 0;
function initialize({ model }) { initialized += 1; model.set("born", initialized); }
function render({ model, el, signal }) {
  const button = document.createElement("button");
  const show = () => { button.textContent = `${model.get("count")} of ${model.get("born")}`; };
  button.addEventListener("click", () => {
    model.set("count", model.get("count") + 1);
    model.save_changes();
  });
  model.on("change:count", show);
  signal.addEventListener("abort", () => model.off("change:count", show));
  show();
  el.append(button);
}
export default { initialize, render };
"""

PROBE = """
export default async () => ({
  async render({ model, el, experimental }) {
    const heard = [];
    const hear = (of, value) => heard.push(`value ${value} ${of === model}`);
    model.on("change:value change:other", hear);
    model.on("change", () => heard.push("change"));
    model.set({ value: [1], other: 2 });
    model.set("value", [1]);          // equal: nothing changes
    model.off("change:other", hear);
    model.set("other", 3);
    model.off();
    model.set("other", 4);
    model.send({ to: "nobody" });
    const answer = await experimental.invoke("sum").catch((error) => error.message);
    const lines = [...heard, model.get("other"), answer].map((line) => `<li>${line}</li>`);
    el.innerHTML = `<ul>${lines.join("")}</ul>`;
  },
});
"""


class Counter(anywidget.AnyWidget):
    _esm = COUNTER
    _css = "button { color: rgb(1, 2, 3) }"
    count = traitlets.Int(5).tag(sync=True)
    born = traitlets.Int(0).tag(sync=True)


class Probe(anywidget.AnyWidget):
    _esm = PROBE
    value = traitlets.List([0]).tag(sync=True)
    other = traitlets.Int(0).tag(sync=True)


class Broken(anywidget.AnyWidget):
    _esm = "export default { render() { throw new Error('no canvas here'); } };"


def test_the_page_has_no_manager() -> None:
    page = static_page([Counter()], "light")
    assert "draw.js" in page
    assert "embed-amd" not in page


def test_two_places_of_a_widget_share_its_state_and_another_widget_has_its_own(
    show: Callable[..., Any],
) -> None:
    counter = Counter()
    page = show(counter, counter, Counter(count=1))
    buttons = page.locator("button")
    assert buttons.all_inner_texts() == ["5 of 1", "5 of 1", "1 of 2"]
    buttons.nth(1).click()
    assert buttons.all_inner_texts() == ["6 of 1", "6 of 1", "1 of 2"]
    assert page.evaluate("getComputedStyle(document.querySelector('button')).color") == "rgb(1, 2, 3)"
    sheets = page.evaluate("[...document.querySelectorAll('style')].map((sheet) => sheet.textContent)")
    assert sheets.count("button { color: rgb(1, 2, 3) }") == 1


def test_a_model_tells_what_changed_and_to_whom(show: Callable[..., Any]) -> None:
    page = show(Probe())
    page.locator("li").first.wait_for()
    assert page.locator("li").all_inner_texts() == [
        "value 1 true",
        "value 2 true",
        "change",
        "change",
        "4",
        "This page has no kernel that could answer.",
    ]


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Callable[[str], tuple[Any, list[str]]]:
    """Open a page's HTML as a file and give it with the errors it reported."""
    shutil.copytree(ASSETS, tmp_path / "widgets")

    def opened(text: str) -> tuple[Any, list[str]]:
        (tmp_path / "index.html").write_text(text, encoding="utf-8")
        page, errors = chromium.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / "index.html").as_uri())
        page.wait_for_function("document.querySelector('.widget-subarea').textContent")
        return page, errors

    return opened


def test_a_page_that_is_opened_as_a_file_lives(opened: Callable[[str], Any]) -> None:
    page, errors = opened(static_page([Counter()], "light"))
    page.locator("button").click()
    assert page.locator("button").inner_text() == "6 of 1"
    assert errors == []
    page.close()


def test_a_widget_that_fails_is_reported_and_stands_there_as_text(opened: Callable[[str], Any]) -> None:
    text = static_page([Broken(), Counter()], "light")
    twin = "</script><div><noscript><p>Twelve <em>cells</em></p></noscript></div>"
    text = text.replace("</script></div>", f"{twin}</div>", 1)
    page, errors = opened(text)
    assert errors == ["no canvas here"]
    assert page.locator(".widget-subarea").first.inner_text().endswith("Twelve cells")
    assert page.locator("em").count() == 1
    page.locator("button").click()
    assert page.locator("button").inner_text() == "6 of 1"
    page.close()
