"""The reference pages: every public name of a module, from its docstrings.

    .. api-module:: tensorlab.core.layout     documents each name: classes, then functions, then values
       :kinds: func data                 leaves the classes to another page (else: class func data)
       :subject: creation                only functions about this (see SUBJECTS), without a section
       :without: Tensor                  leaves a name to another page
    .. api-summary:: tensorlab.core.layout    a folded table of the names with the first line about each
    .. api-topics::                           a card for each topic of the package's functions

A module's `__all__` is the list, so a page can't leave a name out. Classes and functions go through autodoc.
A name of a submodule that the package itself offers too gets one line that leads there.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from types import ModuleType
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.ext.napoleon import GoogleDocstring
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import signature, stringify_signature

from tensorlab import Tensor

CLASS, FUNCTION, VALUE = "class", "func", "data"
KINDS = (CLASS, FUNCTION, VALUE)
DIRECTIVES = {CLASS: "class", FUNCTION: "function"}

# The package has several hundred functions. The module that one comes from, below tensorlab.ops, says what it
# is about, and so on which page it stands; what is in no list is about something else.
REST = "else"
SUBJECTS = {
    "creation": "creation from_data ranges interop window_functions default_device",
    "pointwise": "pointwise arithmetic where activations special_functions",
    "shape": "shape dims slicing slice_scatter splitting aliases conversion joining rearranging diagonals "
    "combinations",
    "reductions": "reduction variance argreduce cumulative softmax norms calculus statistics",
    "order": "sorting uniqueness search",
    "indexing": "indexing",
    "products": "matmul contractions einsum linalg factorizations distances matrix_functions matrix_rank",
    "windows": "convolution pooling padding unfolding",
    "random": "random random_integers random_fills",
}
TOPICS = {
    "creation": "Making tensors",
    "pointwise": "Element by element",
    "shape": "Shapes and parts",
    "reductions": "Sums and statistics",
    "order": "Sorting and searching",
    "indexing": "Indexing",
    "products": "Products",
    "windows": "Windows and convolution",
    "random": "Random numbers",
}
SUBJECT_OF = {module: subject for subject, modules in SUBJECTS.items() for module in modules.split()}


def kind(value: object) -> str:
    """Return the role of Sphinx's Python domain under which an object is listed."""
    if inspect.isclass(value):
        return CLASS
    # An object that can be called is a value all the same: its docstring is that of its class.
    return FUNCTION if inspect.isroutine(value) else VALUE


def public_names(module: ModuleType) -> list[str]:
    """Return what a module offers: its `__all__` less submodules and dunders, classes first."""
    values = {name: getattr(module, name) for name in module.__all__ if not name.startswith("__")}
    names = [name for name, value in values.items() if not inspect.ismodule(value)]
    return sorted(names, key=lambda name: (KINDS.index(kind(values[name])), names.index(name)))


def first_sentence(value: object) -> str:
    """Return the first line of an object's docstring; a value stands for itself, or for its class."""
    if kind(value) != VALUE:
        return (inspect.getdoc(value) or "").split("\n", 1)[0]
    return f"``{value!r}``" if is_short(value) else f"An object of the class ``{type(value).__name__}``."


def is_short(value: object) -> bool:
    """Tell whether a value can be shown as it prints itself: what is long may differ from build to build."""
    return len(repr(value)) < 40


def top_level_names(module: ModuleType) -> dict[int, str]:
    """Return the names, by the id of what they name, under which the package itself offers an object."""
    package = importlib.import_module(module.__name__.partition(".")[0])
    if package is module:
        return {}
    return {id(getattr(package, name)): f"{package.__name__}.{name}" for name in public_names(package)}


def subject(value: object) -> str:
    """Return what a function of the package is about."""
    path = (getattr(inspect.unwrap(value), "__module__", None) or "").split(".")
    if path[:2] == ["tensorlab", "scalars"]:  # made of a row of the table, whose formula it shows
        return "pointwise"
    rooms = path[2:] if path[:2] == ["tensorlab", "ops"] else []
    return next((SUBJECT_OF[room] for room in rooms if room in SUBJECT_OF), REST)


def described(
    module: ModuleType, kinds: Sequence[str] = KINDS, topic: str = "", without: Sequence[str] = ()
) -> list[str]:
    """Return the reStructuredText that documents a module's names of some kinds, about one subject.

    The page with the first kind is the module's own; another one only says which module it speaks of.
    """
    lines = [f".. py:currentmodule:: {module.__name__}", ""]
    if kinds[0] == KINDS[0]:
        about = GoogleDocstring(inspect.getdoc(module) or "").lines()
        lines = [f".. py:module:: {module.__name__}", "", *about, ""]
    elsewhere = top_level_names(module)
    for name in public_names(module):
        value = getattr(module, name)
        role = kind(value)
        if role not in kinds or name in without or (topic and subject(value) != topic):
            continue
        if role == VALUE:
            lines += [f".. py:data:: {name}", *([f"   :value: {value!r}"] if is_short(value) else []), ""]
            lines += [] if is_short(value) else [f"   {first_sentence(value)}", ""]
        elif id(value) in elsewhere:
            same = f"The same as :py:{role}:`{elsewhere[id(value)]}`."
            lines += [f".. py:{DIRECTIVES[role]}:: {name}", "", f"   {same}", ""]
        else:
            lines += [f".. auto{DIRECTIVES[role]}:: {module.__name__}.{name}"]
            # What a kind of tensor can do is what a tensor can do, and stands on pages of its own.
            own = role == CLASS and not issubclass(value, Tensor)
            lines += ["   :members:", ""] if own else [""]
    return lines


def summarised(module: ModuleType) -> list[str]:
    """Return the reStructuredText of a table of a module's names."""
    lines = [".. list-table::", "   :class: api-summary", "   :widths: 36 64", ""]
    for name in public_names(module):
        value = getattr(module, name)
        lines += [f"   * - :py:{kind(value)}:`~{module.__name__}.{name}`", f"     - {first_sentence(value)}"]
    return lines


class ModuleSection(SphinxDirective):
    """A section that bears a module's name, filled with what `content_of` writes about the module."""

    required_arguments = 1
    option_spec: ClassVar = {
        "kinds": directives.unchanged_required,
        "subject": directives.unchanged_required,
        "without": directives.unchanged_required,
    }

    def content_of(self, module: ModuleType) -> list[str]:
        """Return what stands in the section."""
        kinds = self.options.get("kinds", " ".join(KINDS)).split()
        without = self.options.get("without", "").split()
        return described(module, kinds, self.options.get("subject", ""), without)

    def run(self) -> list[nodes.Node]:
        """Return the section; what is about one subject belongs to the page's own."""
        module = importlib.import_module(self.arguments[0])
        self.env.note_dependency(module.__file__)
        if "subject" in self.options:
            container = nodes.container()
            content = StringList(self.content_of(module), source=module.__file__)
            self.state.nested_parse(content, 0, container)
            return container.children
        section = nodes.section(ids=[nodes.make_id(f"{self.name} {module.__name__}")])
        section += nodes.title("", "", nodes.literal("", module.__name__))
        self.state.document.note_implicit_target(section, section)
        self.state.nested_parse(StringList(self.content_of(module), source=module.__file__), 0, section)
        return [section]


class ModuleTable(ModuleSection):
    """The same section with a table of the names alone, folded."""

    option_spec: ClassVar = {}

    def content_of(self, module: ModuleType) -> list[str]:
        """Return the table."""
        return summarised(module)

    def run(self) -> list[nodes.Node]:
        """Return the section with its table in a fold that says how many names it has."""
        [section] = super().run()
        title, *table = section.children
        count = len(public_names(importlib.import_module(self.arguments[0])))
        names = "1 name" if count == 1 else f"{count} names"
        begin = f'<details class="tl-fold"><summary>{names}</summary>'
        section.children = []
        section += [
            title,
            nodes.raw("", begin, format="html"),
            *table,
            nodes.raw("", "</details>", format="html"),
        ]
        return [section]


class TopicCards(SphinxDirective):
    """A card for each topic of the package's functions: its page, how many there are, and some of them."""

    def run(self) -> list[nodes.Node]:
        """Return the grid of cards."""
        package = importlib.import_module("tensorlab")
        named: dict[str, list[str]] = {topic: [] for topic in SUBJECTS}
        for name in public_names(package):
            value = getattr(package, name)
            if kind(value) == FUNCTION and subject(value) in named:
                named[subject(value)].append(name)
        lines = [".. grid:: 1 2 3 3", "   :gutter: 3", "   :class-container: tl-cards", ""]
        for topic, names in named.items():
            own = [name for name in names if not name.endswith("_")]
            shown = " ".join(f"``{name}``" for name in own[: self.SHOWN])
            lines += [f"   .. grid-item-card:: {TOPICS[topic]}", f"      :link: functions_{topic}"]
            lines += ["      :link-type: doc", "", f"      {len(names)} functions: {shown} …", ""]
        container = nodes.container()
        self.state.nested_parse(StringList(lines, source=__file__), 0, container)
        return container.children

    SHOWN = 8


def own_signature(
    app: Sphinx, what: str, name: str, obj: object, options: object, given: str | None, returns: str | None
) -> tuple[str, None] | None:
    """Show the arguments of a class's own `__init__` where an inherited `__new__` would hide them.

    A widget inherits ``__new__(*args, **kwargs)`` from traitlets, and autodoc looks at that first. Of a named
    tuple, whose annotations autodoc cannot follow, the names are shown.
    """
    if what == "class" and hasattr(obj, "_fields"):
        return f"({', '.join(obj._fields)})", None
    if what != "class" or "__init__" not in vars(obj) or "__new__" in vars(obj):
        return None
    arguments = signature(vars(obj)["__init__"], bound_method=True)
    return stringify_signature(arguments, show_return_annotation=False, unqualified_typehints=True), None


def whole_sentence(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Put a property's first line together again, which Napoleon takes apart at a colon into type and text.

    The type of a property is that of its annotation, and stands in its signature.
    """
    marks = [number for number, line in enumerate(lines) if line.startswith(":type: ")]
    if what == "property" and marks:
        begun = lines.pop(marks[-1]).removeprefix(":type: ")
        lines[0] = f"{begun}: {lines[0]}"


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", whole_sentence, priority=600)  # behind Napoleon's 500
    app.connect("autodoc-process-signature", own_signature)
    app.add_directive("api-module", ModuleSection)
    app.add_directive("api-summary", ModuleTable)
    app.add_directive("api-topics", TopicCards)
