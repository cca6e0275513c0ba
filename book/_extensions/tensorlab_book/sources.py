"""The library's source as pages, which the reference leads to, and which lead back to it.

Sphinx writes such a page for each file. It expects the names of a file under one module name; here a name
is documented where it is offered, under the package or one of its modules.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PAGES = "_modules/"
BACK = re.compile(r'(?<=<div class="viewcode-block" id=")([^"]+)(">\n<a class="viewcode-back" href=")[^"]*')


def written_in(app: Sphinx, module: str | None, name: str) -> str | None:
    """Return the module in which a public name's source is, for the link to it."""
    if module is None:  # an attribute that a docstring describes
        return None
    value = sys.modules[module]
    for part in name.split("."):
        value = getattr(value, part, None)
    return inspect.unwrap(value).__module__ if inspect.isroutine(value) or inspect.isclass(value) else None


def offered(full: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to part a full name into a module and a name in it.

    >>> list(offered("sys.path.append"))
    [('sys', 'path.append')]
    """
    parts = full.split(".")
    for count in range(1, len(parts)):
        module = ".".join(parts[:count])
        if module in sys.modules:
            yield module, ".".join(parts[count:])


@functools.lru_cache(maxsize=1)
def places(app: Sphinx) -> dict[tuple[str, str], tuple[str, str]]:
    """Return page and place of what the reference documents, by the module of its source and its name there.

    Of several places it is that of the shortest name: the others say that they are the same.
    """
    found: dict[tuple[str, str], tuple[str, str]] = {}
    documented = app.env.get_domain("py").objects
    for full in sorted(documented, key=len):
        for module, name in offered(full):
            if source := written_in(app, module, name):
                found.setdefault((source, name), (documented[full].docname, documented[full].node_id))
    return found


def lead_back(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, str], doctree: nodes.document | None
) -> None:
    """Let each name on a page of source lead to its place in the reference."""
    if not pagename.startswith(PAGES):
        return
    module = pagename.removeprefix(PAGES).replace("/", ".")

    def address(found: re.Match[str]) -> str:
        page, place = places(app)[module, found[1]]
        return f"{found[1]}{found[2]}{app.builder.get_relative_uri(pagename, page)}#{place}"

    context["body"] = BACK.sub(address, context["body"])


def forget_others(app: Sphinx, env: BuildEnvironment) -> None:
    """Leave what has no source in Python out of the list of the pages."""
    env._viewcode_modules = {module: known for module, known in env._viewcode_modules.items() if known}


def setup(app: Sphinx) -> None:
    app.connect("viewcode-follow-imported", written_in)
    app.connect("env-check-consistency", forget_others)
    app.connect("html-page-context", lead_back)
