"""Which pages keep the widget manager, and what becomes of the state of those that do without it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tensorlab_book.widgets import choose_loader

from .conftest import build_small_book, notebook

MANAGER = ("require.js", "local-loader.js", "embed-amd.js")
ALONE = {
    "_esm": "export default { render({ el }) { el.innerHTML = '<p></p><script></script>'; } };",
    "_css": "p { color: red }",
    "_dom_classes": [],
    "layout": "IPY_MODEL_layout",
    "tooltip": None,
    "value": [3, {"unit": "bytes"}],
}
LAYOUT = {"_view_name": "LayoutView", "width": None, "grid_gap": None}


def page(*models: tuple[str, dict[str, Any]], **more: Any) -> str:
    """Return a page as MyST-NB writes it, with models of some kind and state."""
    state = {
        f"model{at}": {"model_name": name, "state": own, **more} for at, (name, own) in enumerate(models)
    }
    text = json.dumps({"version_major": 2, "version_minor": 0, "state": state}).replace("</", r"<\/")
    scripts = "".join(f'\n<script src="../_static/widgets/{name}?v=1"></script>' for name in MANAGER)
    return (
        f'<script type="application/vnd.jupyter.widget-state+json">{text}</script>{scripts}'
        '\n<script defer="defer" src="../_static/widgets/draw.js?v=1"></script>\n<p>Text</p>'
    )


def state_of(text: str) -> dict[str, Any]:
    """Return the widget state that a page carries."""
    return json.loads(re.search(r"state\+json\">(.*?)</script>", text, re.DOTALL)[1])


def has_manager(text: str) -> bool:
    """Tell which of the two loaders a page has; it must have one of them, whole."""
    named = [name in text for name in MANAGER]
    assert set(named) == {"draw.js" not in text}
    return all(named)


def test_widgets_that_stand_alone_need_no_manager() -> None:
    assert not has_manager(choose_loader(page(("AnyModel", ALONE), ("LayoutModel", LAYOUT))))


@pytest.mark.parametrize(
    "models",
    [
        [("IntSliderModel", {"value": 3})],
        [("AnyModel", ALONE), ("LinkModel", {"source": ["IPY_MODEL_model0", "value"]})],
        [("AnyModel", ALONE | {"parts": [{"child": "IPY_MODEL_model1"}]}), ("AnyModel", ALONE)],
        [("AnyModel", ALONE), ("LayoutModel", LAYOUT | {"width": "50%"})],
        [("AnyModel", ALONE | {"_dom_classes": ["wide"]})],
        [("AnyModel", ALONE | {"tooltip": "a lab"})],
        [("AnyModel", ALONE | {"_esm": "https://example.org/widget.js"})],
    ],
    ids=["slider", "link", "child", "layout", "classes", "tooltip", "address"],
)
def test_what_the_manager_alone_can_do_keeps_it(models: list[tuple[str, dict[str, Any]]]) -> None:
    written = page(*models)
    chosen = choose_loader(written)
    assert has_manager(chosen)
    assert state_of(chosen) == state_of(written)


def test_a_state_with_bytes_keeps_the_manager() -> None:
    assert has_manager(
        choose_loader(page(("AnyModel", ALONE), buffers=[{"path": ["value"], "data": "AA=="}]))
    )


def test_each_source_text_stands_once_in_the_page() -> None:
    other = ALONE | {"_esm": "export default {};", "_css": ""}
    chosen = choose_loader(page(("AnyModel", ALONE), ("AnyModel", ALONE), ("AnyModel", other)))
    state = state_of(chosen)
    assert state["sources"] == [ALONE["_esm"], ALONE["_css"], other["_esm"]]
    own = [model["state"] for model in state["state"].values()]
    assert [one["_esm"]["source"] for one in own] == [0, 0, 2]
    assert [one["_css"] for one in own] == [{"source": 1}, {"source": 1}, ""]
    assert [one["value"] for one in own] == [ALONE["value"]] * 3


def test_choosing_twice_is_choosing_once() -> None:
    for written in (page(("AnyModel", ALONE)), page(("IntSliderModel", {})), "<p>no widget</p>"):
        once = choose_loader(written)
        assert choose_loader(once) == once


def test_a_page_with_a_slider_is_built_with_the_manager(tmp_path: Path) -> None:
    slider = notebook("import ipywidgets\nipywidgets.IntSlider()")
    alone = notebook(f"import anywidget\nanywidget.AnyWidget(_esm={ALONE['_esm']!r})")
    done = build_small_book(tmp_path, {"index.md": "# Title", "slider.ipynb": slider, "lab.ipynb": alone})
    assert done.returncode == 0, done.stdout + done.stderr
    built = {
        path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "_build/html").glob("*.html")
    }
    assert has_manager(built["slider"])
    assert not has_manager(built["lab"])
    assert "widgets/" not in built["index"]
