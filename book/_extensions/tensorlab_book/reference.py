"""The `api-module` directive: every public name of a module, in the order of its kinds, from its docstrings.

    .. api-module:: tensorlab.layout

A module's `__all__` is the list, so the page can't leave a name out. Classes and functions go through autodoc.
Constants that have no docstring of their own (the dtypes, say) are listed in one table.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from types import ModuleType

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

KINDS = ("Classes", "Functions", "Values")


def kind(value: object) -> str:
    """Name the group under which an object is listed."""
    if inspect.isclass(value):
        return "Classes"
    return "Functions" if callable(value) else "Values"


def public_names(module: ModuleType) -> list[str]:
    """Return what a module offers: its `__all__`, less submodules and dunders, classes first."""
    names = [name for name in module.__all__ if not name.startswith("__")]
    names = [name for name in names if not inspect.ismodule(getattr(module, name))]
    order = {name: (KINDS.index(kind(getattr(module, name))), names.index(name)) for name in names}
    return sorted(names, key=order.__getitem__)


def described(module: ModuleType, names: Iterable[str]) -> list[str]:
    """Return the reStructuredText that documents some names of a module."""
    lines = [f".. py:module:: {module.__name__}", "", *inspect.getdoc(module).splitlines(), ""]
    values = []
    for name in names:
        value = getattr(module, name)
        if kind(value) == "Values":
            values.append(name)
            continue
        directive = "autoclass" if inspect.isclass(value) else "autofunction"
        lines += [f".. {directive}:: {module.__name__}.{name}"]
        lines += ["   :members:", ""] if inspect.isclass(value) else [""]
    for name in values:
        lines += [f".. py:data:: {name}", f"   :value: {getattr(module, name)!r}", ""]
    return lines


class ApiModule(SphinxDirective):
    """Document a module's public names under a section that bears the module's name."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        section = nodes.section(ids=[nodes.make_id(f"module-{module.__name__}")])
        section += nodes.title("", "", nodes.literal("", module.__name__))
        self.state.document.note_implicit_target(section, section)
        lines = described(module, public_names(module))
        self.state.nested_parse(StringList(lines, source=module.__file__), 0, section)
        self.env.note_dependency(module.__file__)
        return [section]


def setup(app: Sphinx) -> None:
    app.add_directive("api-module", ApiModule)
