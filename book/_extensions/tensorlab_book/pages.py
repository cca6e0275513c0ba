"""The last touches to written pages."""

from __future__ import annotations

import html
from pathlib import Path

from sphinx.application import Sphinx

START = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url={address}">
<link rel="canonical" href="{address}">
<title>{title}</title>
</head>
<body><main><h1>{title}</h1><p><a href="{address}">Open the book</a></p></main></body>
</html>
"""


def write_start_page(app: Sphinx, error: Exception | None) -> None:
    """Lead `index.html` to the landing page, which lies in a folder of its own."""
    if error is not None or app.builder.format != "html" or app.config.root_doc == "index":
        return
    page = START.format(
        language=app.config.language,
        title=html.escape(app.config.html_title),
        address=app.builder.get_target_uri(app.config.root_doc),
    )
    (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> None:
    # Jupyter Book sets this option of sphinx-comments, which this book does not load.
    app.add_config_value("comments_config", {}, "html", dict)
    # After sphinx-external-toc, which writes a redirect without a title at the default priority.
    app.connect("build-finished", write_start_page, priority=900)
