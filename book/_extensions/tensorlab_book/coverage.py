"""The tables of the compatibility page, made from `tensorlab.compatibility`.

.. pytorch-coverage:: EVERYDAY     how many of these names there are, which, and which are missing
.. pytorch-differences::           what is different on purpose
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tensorlab import compatibility


def listed(names: Sequence[str]) -> str:
    """Return names as one paragraph of literals."""
    return " ".join(f"``{name}``" for name in names)


def linked(names: Sequence[str]) -> str:
    """Return names as one paragraph, each a link to its entry in the reference if it has one."""
    return " ".join(
        f":py:obj:`{name} <{entry}>`" if (entry := entry_of(name)) else f"``{name}``" for name in names
    )


def entry_of(name: str) -> str | None:
    """Return what the reference calls a name of PyTorch; operators of Python have no entry."""
    if name.startswith("__"):
        return None
    home, _, last = name.rpartition(".")
    module = importlib.import_module(f"tensorlab.{home}" if home else "tensorlab")
    if last in module.__all__:
        return f"{module.__name__}.{last}"
    if hasattr(module, last):  # of another module, which the entry stands in
        return f"{getattr(module, last).__module__}.{last}"
    return f"tensorlab.Tensor.{last}"


class Table(SphinxDirective):
    """A directive whose content is reStructuredText that `lines` returns."""

    def lines(self) -> list[str]:
        """Return the reStructuredText."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Return the parsed content."""
        container = nodes.container()
        self.state.nested_parse(StringList(self.lines(), source=compatibility.__file__), 0, container)
        self.env.note_dependency(compatibility.__file__)
        return container.children


class CoverageTable(Table):
    """How many of a list of names the library has."""

    required_arguments = 1

    def lines(self) -> list[str]:
        """Return a sentence with the count, the names that exist, and those that do not."""
        names = getattr(compatibility, self.arguments[0])
        found = compatibility.coverage(names)
        lines = [f"{len(found.covered)} of {len(names)} names are covered:", "", linked(found.covered), ""]
        if found.missing:
            lines += ["Not covered yet:", "", listed(found.missing), ""]
        return lines


class DifferenceTable(Table):
    """What is different from PyTorch on purpose."""

    def lines(self) -> list[str]:
        """Return a definition list, one entry a difference."""
        lines: list[str] = []
        for difference in compatibility.DIFFERENCES:
            told = f"PyTorch: {difference.pytorch}. Here: {difference.here}. {difference.reason}"
            lines += [difference.topic.replace("`", "``"), f"   {told.replace('`', '``')}", ""]
        return lines


def setup(app: Sphinx) -> None:
    app.add_directive("pytorch-coverage", CoverageTable)
    app.add_directive("pytorch-differences", DifferenceTable)
