"""The methods of Tensor on pages of their own kind, because there are several hundred.

.. api-methods:: own          properties, and methods that no function of tensorlab has the name of
.. api-methods:: in place     those that overwrite the tensor: add_, zero_
.. api-methods:: functions    those that are functions too; each leads to the function
"""

from __future__ import annotations

import inspect

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import tensorlab as tl

OWN, IN_PLACE, FUNCTIONS = "own", "in place", "functions"


def method_kind(name: str) -> str:
    """Return the list that a public attribute of Tensor stands in."""
    if inspect.isroutine(getattr(tl, name, None)) and inspect.isroutine(getattr(tl.Tensor, name)):
        return FUNCTIONS
    return IN_PLACE if name.endswith("_") else OWN


def methods(kind: str) -> list[str]:
    """Return the names of one list, in alphabetical order."""
    return sorted(name for name in dir(tl.Tensor) if not name.startswith("_") and method_kind(name) == kind)


def described(kind: str) -> list[str]:
    """Return the reStructuredText that documents one list."""
    lines = [".. py:currentmodule:: tensorlab", ""]
    for name in methods(kind):
        value = inspect.getattr_static(tl.Tensor, name)
        if kind == FUNCTIONS:
            shown = f".. py:method:: Tensor.{name}{_arguments(value)}"
            lines += [shown, "", f"   As :py:func:`tensorlab.{name}`, of this tensor.", ""]
        else:
            directive = "autoproperty" if isinstance(value, property) else "automethod"
            lines += [f".. {directive}:: tensorlab.Tensor.{name}", ""]
    return lines


def _arguments(function: object) -> str:
    """Return a method's arguments, less the tensor that it belongs to, without types."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return str(inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in parameters]))


class Methods(SphinxDirective):
    """The documentation of one list of methods."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the parsed list."""
        container = nodes.container()
        content = StringList(described(self.arguments[0]), source=tl.tensor.__module__)
        self.state.nested_parse(content, 0, container)
        return container.children


def setup(app: Sphinx) -> None:
    app.add_directive("api-methods", Methods)
