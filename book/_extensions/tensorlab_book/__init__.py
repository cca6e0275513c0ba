"""The book's own Sphinx extension: what the site needs beyond Jupyter Book and its theme.

Each module does one thing and connects itself in `setup`:

    repository   the header's buttons, all of which follow from `repository.url` in _config.yml
    freshness    executed outputs are reused only while the library that made them is unchanged
    reference    the `api-module` directive: a module's public names, from their docstrings
    sources      the pages of the library's source, and where they lead back to
    methods      the `api-methods` directive: Tensor's methods, by kind
    opening      the line above a chapter: its part, its minutes, and the switch that shows everything
    card         the summary at the end of a chapter as a card that can be printed
    landing      the landing page: its lab, the map of the book, the measured figures
    head         what search engines and other sites are told of a page
    badges       what the reference says of a function beside its docstring
    covers       a page whose visible text gives an answer away is no page
    coverage     the tables of the compatibility page: which of PyTorch's names exist here
    pages        the last touches to written pages: the start page, page titles, labels for screen readers
    loading      what a browser waits for before it draws a page: one style sheet and no script
    icons        a font of the icons that the site shows, cut from the theme's
    widgets      which of a page's widgets need the widget manager; the others are drawn without it
"""

from __future__ import annotations

from sphinx.application import Sphinx

from . import (
    badges,
    card,
    coverage,
    freshness,
    head,
    icons,
    landing,
    methods,
    opening,
    pages,
    reference,
    repository,
    sources,
)

__all__ = ["setup"]


def setup(app: Sphinx) -> dict[str, object]:
    for module in (
        repository,
        head,
        freshness,
        reference,
        sources,
        badges,
        methods,
        coverage,
        opening,
        card,
        landing,
        pages,
        icons,
    ):
        module.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
