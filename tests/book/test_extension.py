"""The book's own Sphinx extension, one module after the other."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from sphinx.ext.napoleon import Config, GoogleDocstring
from tensorlab_book.coverage import entry_of, linked
from tensorlab_book.freshness import fingerprint
from tensorlab_book.methods import FUNCTIONS, IN_PLACE, OWN, methods
from tensorlab_book.methods import described as described_methods
from tensorlab_book.pages import MENDS, mend
from tensorlab_book.reference import (
    REST,
    SUBJECT_OF,
    SUBJECTS,
    described,
    first_sentence,
    kind,
    public_names,
    subject,
    whole_sentence,
)

import tensorlab


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in ("tensor.py", "cli/app.py", "__pycache__/tensor.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
    return tmp_path


def test_the_fingerprint_stays_while_the_library_does(package: Path) -> None:
    before = fingerprint(package)
    (package / "cli" / "app.py").write_text("2")
    (package / "__pycache__" / "tensor.pyc").write_text("2")
    assert fingerprint(package) == before


@pytest.mark.parametrize("change", ["edit", "add", "rename"])
def test_the_fingerprint_changes_with_the_library(package: Path, change: str) -> None:
    before = fingerprint(package)
    if change == "edit":
        (package / "tensor.py").write_text("2")
    elif change == "add":
        (package / "view.js").write_text("")
    else:
        (package / "tensor.py").rename(package / "tensors.py")
    assert fingerprint(package) != before


@pytest.mark.parametrize(("written", "wanted"), MENDS)
def test_mending_twice_is_mending_once(written: str, wanted: str) -> None:
    once = mend(f"before {written} after")
    assert once == f"before {wanted} after"
    assert mend(once) == once


def test_a_module_in_the_contents_beside_a_page_breaks_behind_its_dots() -> None:
    name = '<span class="pre">tensorlab.nn.utils</span>'
    page = f'<h3>{name}</h3><nav id="pst-page-toc-nav" class="page-toc">{name}<a href="#a.b">a.b</a></nav>'
    broken = '<span class="pre">tensorlab.<wbr>nn.<wbr>utils</span>'
    once = mend(page)
    assert once == page[: page.index("<nav")] + page[page.index("<nav") :].replace(name, broken)
    assert mend(once) == once


def test_only_a_page_with_a_formula_loads_mathjax() -> None:
    script = '<script defer="defer" src="../_static/mathjax/startup.js?v=1"></script>'
    assert mend(f"<p>No formula</p>{script}") == "<p>No formula</p>"
    formula = f'<span class="math notranslate nohighlight">x</span>{script}'
    assert mend(formula) == formula


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("add", "tensorlab.add"),
        ("expand", "tensorlab.Tensor.expand"),
        ("vmap", "tensorlab.func.vmap"),
        ("linalg.norm", "tensorlab.linalg.norm"),
        ("nn.functional.relu", "tensorlab.nn.functional.relu"),
        ("__radd__", None),
    ],
)
def test_a_covered_name_has_an_entry(name: str, entry: str | None) -> None:
    assert entry_of(name) == entry
    assert linked([name]) == (f":py:obj:`{name} <{entry}>`" if entry else f"``{name}``")


@pytest.mark.parametrize(
    "text", ["The transpose, as a view: of real numbers.", "Its elements.", "One: two: three.\n\nMore."]
)
def test_the_first_line_of_a_property_stays_whole(text: str) -> None:
    lines = GoogleDocstring(text, Config(), what="property", name="H").lines()
    whole_sentence(None, "property", "H", None, None, lines)  # type: ignore[arg-type]
    assert "\n".join(lines).rstrip() == text


def test_the_type_of_an_attribute_stays() -> None:
    lines = ["The number of bits.", "", ":type: int"]
    whole_sentence(None, "attribute", "bits", None, None, lines)  # type: ignore[arg-type]
    assert lines == ["The number of bits.", "", ":type: int"]


def test_icons_come_from_the_font_alone() -> None:
    script = '<script src="../_static/scripts/fontawesome.js?digest=1"></script>'
    assert mend(f"<i></i>\n{script}<p></p>") == "<i></i><p></p>"


def a_function() -> None:
    """Do it.

    At length.
    """


class AClass:
    """A thing."""


@pytest.fixture
def module() -> ModuleType:
    module = ModuleType("somewhere", "What it is for.")
    module.__all__ = ["__version__", "a_function", "a_value", "AClass", "pytest"]
    module.__version__, module.a_value, module.pytest = "1", 7, pytest
    module.a_function, module.AClass = a_function, AClass
    return module


def test_public_names_are_sorted_by_kind_and_leave_modules_out(module: ModuleType) -> None:
    assert public_names(module) == ["AClass", "a_function", "a_value"]


def test_a_summary_is_the_first_line() -> None:
    assert first_sentence(a_function) == "Do it."
    assert first_sentence(7) == "``7``"
    assert first_sentence(list(range(100))) == "An object of the class ``list``."


def test_every_name_is_described(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "somewhere", module)
    text = "\n".join(described(module))
    assert "What it is for." in text
    assert ".. autoclass:: somewhere.AClass" in text
    assert ".. autofunction:: somewhere.a_function" in text
    assert ".. py:data:: a_value\n   :value: 7" in text


def test_a_page_may_leave_kinds_to_another(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "somewhere", module)
    classes, rest = "\n".join(described(module, ["class"])), "\n".join(described(module, ["func", "data"]))
    assert ".. py:module:: somewhere" in classes
    assert ".. autoclass:: somewhere.AClass" in classes
    assert "a_function" not in classes
    assert ".. py:module::" not in rest
    assert "AClass" not in rest
    assert ".. autofunction:: somewhere.a_function" in rest
    assert ".. py:data:: a_value" in rest


def test_an_object_that_can_be_called_is_a_value() -> None:
    class Callable:
        """Attributes: of the class, not of the object."""

        def __call__(self) -> None: ...

    assert [kind(thing) for thing in (Callable, a_function, len, Callable())] == [
        "class",
        "func",
        "func",
        "data",
    ]


def test_a_page_may_leave_a_name_to_another(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "somewhere", module)
    text = "\n".join(described(module, without=["a_function"]))
    assert "a_function" not in text
    assert ".. autoclass:: somewhere.AClass" in text


def test_each_function_of_the_package_is_about_one_subject() -> None:
    assert subject(tensorlab.matmul) == "products"
    assert subject(tensorlab.set_printoptions) == REST
    pages = {about: "\n".join(described(tensorlab, ["func", "data"], about)) for about in (*SUBJECTS, REST)}
    for name in public_names(tensorlab):
        if kind(getattr(tensorlab, name)) == "class":
            continue
        lines = (f".. autofunction:: tensorlab.{name}\n", f".. py:data:: {name}\n")
        found = [about for about, text in pages.items() if any(line in text for line in lines)]
        assert len(found) == 1, name


def test_the_modules_of_a_subject_are_there() -> None:
    there = {path.stem for path in (Path(tensorlab.__file__).parent / "ops").rglob("*")}
    assert SUBJECT_OF.keys() - there == set()


def test_every_method_stands_in_one_list() -> None:
    listed = [set(methods(kind)) for kind in (OWN, IN_PLACE, FUNCTIONS)]
    assert set.union(*listed) == {name for name in dir(tensorlab.Tensor) if not name.startswith("_")}
    assert sum(map(len, listed)) == len(set.union(*listed))
    assert "shape" in listed[0]
    assert "add_" in listed[1]
    text = "\n".join(described_methods(FUNCTIONS))
    assert ".. py:method:: Tensor.sum(" in text
    assert "   As :py:func:`tensorlab.sum`, of this tensor." in text
