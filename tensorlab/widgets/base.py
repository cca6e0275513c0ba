"""The base of every widget in the book.

A widget is a folder: ``view.js`` (the entry), further ES modules beside it, ``style.css`` where it has styles
of its own, and ``widget.py`` with a subclass of `BookWidget` that names the folder. The base joins the files
(`tensorlab.widgets.bundle`) and shows, beside the living widget, a text twin for readers without JavaScript.

Example::

    class Predict(BookWidget):
        folder = Path(__file__).parent

        question = traitlets.Unicode().tag(sync=True)

        def text_twin(self) -> str:
            return html_table("…", ["…"], [["…"]])
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import anywidget
from IPython.display import display

from tensorlab.widgets.bundle import bundle_module, bundle_styles

__all__ = ["BookWidget", "html_table"]

_SHARED = Path(__file__).parent / "shared"


class BookWidget(anywidget.AnyWidget):
    """A widget whose JavaScript and styles are the files of its `folder`, with a text twin.

    A subclass sets `folder` (and `sheets`), declares its synced traits, and writes `text_twin`.
    """

    folder: ClassVar[Path]
    sheets: ClassVar[tuple[str, ...]] = ("base.css",)  # of the folder `shared`, before the widget's own

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "folder" in cls.__dict__:
            cls._esm = bundle_module(cls.folder / "view.js")
            own = cls.folder / "style.css"
            shared = [_SHARED / sheet for sheet in cls.sheets]
            cls._css = bundle_styles([*shared, own] if own.exists() else shared)
        super().__init_subclass__(**kwargs)

    def text_twin(self) -> str:
        """The widget's content as HTML without script: what a reader without JavaScript gets."""
        raise NotImplementedError(
            f"{type(self).__name__} has no text_twin; every widget of the book needs one"
        )

    def _ipython_display_(self, **kwargs: Any) -> None:
        # Two outputs, not two forms of one: a page picks the richest form of an output and drops the others,
        # and the twin must stay in the page beside the living widget. A browser with JavaScript shows nothing
        # of a <noscript>.
        bundle = self._repr_mimebundle_()
        if bundle is None:
            raise RuntimeError(f"{type(self).__name__} is closed and has no view")
        data, metadata = bundle
        display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        twin = {"text/html": f"<noscript>\n{self.text_twin()}\n</noscript>"}
        display(twin, raw=True)  # type: ignore[no-untyped-call]


def html_table(caption: str, header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table as HTML, all text escaped; the first cell of each row is its heading.

    Example:
        >>> html_table("Two", ["cell", "value"], [[0, "<a>"]])
        '<table><caption>Two</caption><thead><tr><th scope="col">cell</th><th scope="col">value</th></tr></thead><tbody><tr><th scope="row">0</th><td>&lt;a&gt;</td></tr></tbody></table>'
    """  # noqa: E501
    head = "".join(f'<th scope="col">{html.escape(str(text))}</th>' for text in header)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td>{html.escape(str(text))}</td>"
            if place
            else f'<th scope="row">{html.escape(str(text))}</th>'
            for place, text in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
