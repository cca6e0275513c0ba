"""What search engines and other sites are told of a page: a description, a card, and a map of the site.

An address is known where `html_baseurl` is set, or where `repository.url` is on GitHub, whose Pages are at
https://OWNER.github.io/NAME/. Only then a page says its own address and its picture, and the site has a
`sitemap.xml`: both need whole addresses.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

LONGEST = 200  # characters of a description
CARD = "_static/social-card.png"
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}
</urlset>
"""


def site_address(repository: str) -> str:
    """Return where GitHub publishes a repository's pages; an empty text for another host.

    >>> site_address("https://github.com/owner/name")
    'https://owner.github.io/name/'
    """
    parts = urlsplit(repository)
    owner, _, name = parts.path.strip("/").partition("/")
    return f"https://{owner.lower()}.github.io/{name}/" if parts.hostname == "github.com" else ""


def set_address(app: Sphinx, config: Config) -> None:
    """Derive the site's address from the repository's, where it isn't set."""
    config.html_baseurl = config.html_baseurl or site_address(config.html_theme_options["repository_url"])


def description(doctree: nodes.document) -> str:
    """Return a page's first paragraph, shortened at a word."""
    first = next(doctree.findall(nodes.paragraph), None)
    text = " ".join(first.astext().split()) if first is not None else ""
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"


def plain(title: str) -> str:
    """Return a title's words: Sphinx gives it as HTML, the number of a chapter in an element of its own.

    >>> plain('<span class="section-number">9. </span>Graph &amp; engine')
    '9. Graph & engine'
    """
    return html.unescape(re.sub(r"<[^>]*>", "", title))


def add_tags(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Write the tags of one page."""
    if not isinstance(doctree, nodes.document):
        return
    told = description(doctree)
    tags = {"og:type": "website", "og:site_name": app.config.html_title, "og:title": plain(context["title"])}
    tags |= {"og:description": told} if told else {}
    if base := app.config.html_baseurl:
        tags |= {"og:url": base + app.builder.get_target_uri(pagename), "og:image": base + CARD}
        tags["twitter:card"] = "summary_large_image"
    lines = [f'<meta property="{name}" content="{html.escape(text)}" />' for name, text in tags.items()]
    lines += [f'<meta name="description" content="{html.escape(told)}" />'] if told else []
    context["metatags"] = "\n".join([context.get("metatags", ""), *lines])


def write_map(app: Sphinx, error: Exception | None) -> None:
    """Write `sitemap.xml`, with the address of each page that has a source."""
    base = app.config.html_baseurl
    if error is None and app.builder.format == "html" and base:
        addresses = sorted(base + app.builder.get_target_uri(page) for page in app.env.found_docs)
        entries = "\n".join(f"<url><loc>{html.escape(address)}</loc></url>" for address in addresses)
        (Path(app.outdir) / "sitemap.xml").write_text(SITEMAP.format(entries), encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect(
        "config-inited", set_address, priority=600
    )  # behind the repository's, which checks its address
    app.connect("html-page-context", add_tags)
    app.connect("build-finished", write_map)
