"""Pages without the widget manager: it weighs 0.9 MB compressed, and the book's own widgets need none of it.

MyST-NB gives every page with a widget the scripts of `nb_ipywidgets_js`: the manager's and `widgets/draw.js`.
A page keeps one of the two. `draw.js` draws anywidgets that stand alone; a page with anything else, such as a
slider of ipywidgets or a link between two widgets, keeps the manager.
"""

from __future__ import annotations

import json
import re
from typing import Any

# The folder of the site in which the scripts lie.
FOLDER = r'(?:[^"]*/)?widgets/'
MANAGER = re.compile(rf'\s*<script[^>]*src="{FOLDER}(?:require|local-loader|embed-amd)\.js[^"]*"></script>')
DRAW = re.compile(rf'\s*<script[^>]*src="{FOLDER}draw\.js[^"]*"></script>')
STATE = re.compile(
    r'<script type="application/vnd\.jupyter\.widget-state\+json">(?P<json>.*?)</script>', re.DOTALL
)

# The traits of an anywidget that hold source text, and those that the manager alone knows how to apply.
SOURCES = ("_esm", "_css")
MANAGED = ("_dom_classes", "tabbable", "tooltip")


def choose_loader(page: str) -> str:
    """Return a page's HTML with what its widgets need; choosing twice changes nothing more."""
    found = STATE.search(page)
    if found is None or not (DRAW.search(page) and MANAGER.search(page)):
        return page
    state = json.loads(found["json"])
    if not all(stands_alone(model) for model in state["state"].values()):
        return DRAW.sub("", page)
    # A "<" inside a script could be read as the script's end.
    text = json.dumps(share_sources(state)).replace("<", r"\u003c")
    page = page[: found.start("json")] + text + page[found.end("json") :]
    return MANAGER.sub("", page)


def stands_alone(model: dict[str, Any]) -> bool:
    """Tell whether `draw.js` can draw a model: an anywidget with its source in the page, tied to no other.

    The layout of ipywidgets, a model that every widget has, is left out where it sets nothing.
    """
    state = model["state"]
    if model["model_name"] == "LayoutModel":
        return not any(value is not None for name, value in state.items() if not name.startswith("_"))
    return (
        model["model_name"] == "AnyModel"
        and not model.get("buffers")
        and not any(state.get(name) for name in MANAGED)
        and not state["_esm"].startswith(("http://", "https://"))
        and not any(
            refers_to_models(value) for name, value in state.items() if name not in (*SOURCES, "layout")
        )
    )


def refers_to_models(value: Any) -> bool:
    """Tell whether a value of a widget's state names another model."""
    if isinstance(value, dict):
        return any(refers_to_models(inner) for inner in value.values())
    if isinstance(value, list):
        return any(refers_to_models(inner) for inner in value)
    return isinstance(value, str) and value.startswith("IPY_MODEL_")


def share_sources(state: dict[str, Any]) -> dict[str, Any]:
    """Return a page's widget state without layouts, and with each source text once, in a list.

    Twenty widgets of three kinds have three modules and three style sheets between them; a model says which.
    """
    places: dict[str, int] = {}
    models = {}
    for key, model in state["state"].items():
        if model["model_name"] == "AnyModel":
            own = model["state"]
            places_of = {name: places.setdefault(own[name], len(places)) for name in SOURCES if own.get(name)}
            models[key] = model | {"state": own | {name: {"source": at} for name, at in places_of.items()}}
    return state | {"state": models, "sources": list(places)}
