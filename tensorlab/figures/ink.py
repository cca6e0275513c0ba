"""The palette of the drawings: names for meanings, and the colours of places in memory.

Each colour is a name of the book's style sheet with its light value beside it, for pages that do not load the
sheet; `NOTEBOOK` gives such a page the dark values where the notebook is dark.
"""

from __future__ import annotations

__all__ = ["MEMORY", "MONO", "NOTEBOOK", "PALETTE", "UI", "colour", "memory", "mixed"]

PALETTE = {  # name: light, dark
    "page": ("#ffffff", "#14171c"),
    "surface": ("#f6f7f9", "#1c2027"),
    "ink": ("#1b2430", "#e3e7ee"),
    "ink-soft": ("#4d5868", "#a7b0bf"),
    "rule": ("#dde2ea", "#323945"),
    "edge": ("#7d8798", "#7a8598"),
    "cell": ("#e5e9f0", "#2b313c"),
    "cell-edge": ("#7d8798", "#7a8598"),
    "cell-ink": ("#1b2430", "#e3e7ee"),
    "reach": ("#5b8def", "#7aa5ff"),
    "reach-edge": ("#2f5fc4", "#b9d0ff"),
    "reach-ink": ("#101828", "#101828"),
    "hand": ("#f2a33a", "#ffbf5e"),
    "hand-edge": ("#9a580a", "#ffbf5e"),
    "hand-ink": ("#101828", "#101828"),
    "shape": ("#3867b5", "#8fb4f5"),
    "stride": ("#9a580a", "#f0a95a"),
    "offset": ("#2f7d4a", "#79cf97"),
    "view": ("#17756f", "#5fd0d0"),
    "copy": ("#c0453f", "#ff8a80"),
    "gradient": ("#7a4fb5", "#bd9bf2"),
    "wrong": ("#c0453f", "#ff8a80"),
    "memory-0": ("#fbf0c0", "#f0e2ab"),
    "memory-1": ("#86d0c0", "#74c3b4"),
    "memory-2": ("#5b8def", "#6b9af5"),
}
MEMORY = ("memory-0", "memory-1", "memory-2")
MONO = "var(--tl-font-mono, ui-monospace, Menlo, Consolas, monospace)"
UI = "var(--tl-font-ui, system-ui, sans-serif)"
_DARK = ";".join(f"--tl-{name}:{dark}" for name, (_, dark) in PALETTE.items() if name != "page")
#: JupyterLab and VS Code say on the body that they are dark; behind a drawing is then their own page.
NOTEBOOK = (
    f"[data-jp-theme-light=false] .tl-figure{{--tl-page:var(--jp-layout-color0);{_DARK}}}"
    f".vscode-dark .tl-figure{{--tl-page:var(--vscode-editor-background);{_DARK}}}"
)


def colour(name: str) -> str:
    """Return the CSS colour of a meaning, such as ``"stride"`` or ``"ink-soft"``.

    Raises:
        ValueError: the palette has no such name.

    Example:
        >>> colour("stride")
        'var(--tl-stride, #9a580a)'
    """
    if name not in PALETTE:
        raise ValueError(f"the palette has no colour {name!r}; it has {', '.join(PALETTE)}")
    return f"var(--tl-{name}, {PALETTE[name][0]})"


def memory(share: float) -> str:
    """Return the CSS colour of a place in memory: sand at its start (0), aqua halfway, sea at its end (1).

    Example:
        >>> memory(0.25)
        'color-mix(in oklab,var(--tl-memory-0, #fbf0c0),var(--tl-memory-1, #86d0c0) 50%)'
    """
    twice = 2 * min(max(share, 0.0), 1.0)
    low = min(int(twice), 1)
    return f"color-mix(in oklab,{colour(MEMORY[low])},{colour(MEMORY[low + 1])} {twice - low:.0%})"


def mixed(name: str, percent: int) -> str:
    """Return a pale form of a colour: so many percent of it on the page's own.

    Example:
        >>> mixed("copy", 12)
        'color-mix(in oklab,var(--tl-page, #ffffff),var(--tl-copy, #c0453f) 12%)'
    """
    return f"color-mix(in oklab,{colour('page')},{colour(name)} {percent}%)"
