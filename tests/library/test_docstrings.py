"""Every public function has an example, and the examples of functions that other functions make are run.

pytest collects the docstrings of functions that a module defines. Those that are made from the table of
scalar functions, and from the list of dtypes, stand in no module's text.
"""

from __future__ import annotations

import doctest
import inspect

import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.scalars import TABLE

CASTS = ("bool", "byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double")
FINDER = doctest.DocTestFinder(exclude_empty=True)

PUBLIC = [name for name in TABLE if hasattr(tl, name) or hasattr(F, name)]


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.example])
def test_examples_of_pointwise_functions(name):
    home = next(home for home in (tl, F, tl.special) if hasattr(home, name))
    run_example(getattr(home, name), name)


@pytest.mark.parametrize("name", ["clamp_", "selu_", "threshold_", "elu_", "rrelu_", "hardtanh_"])
def test_examples_of_functions_in_place(name):
    run_example(getattr(F if hasattr(F, name) else tl, name), name)


def run_example(function, name):
    (example,) = FINDER.find(function, name, module=False, globs={})
    assert example.examples
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, clear_globs=False)
    assert result.failed == 0


MADE = [
    name
    for name, method in inspect.getmembers(tl.Tensor, inspect.isfunction)
    if not name.startswith("_")
    and (name in CASTS or (name.endswith("_") and method.__code__.co_name != name))
]


def test_made_methods_are_found():
    assert {"arccos_", "lt_", "bitwise_not_", "short"} <= set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_examples_of_methods_in_place_and_of_casts(name):
    run_example(getattr(tl.Tensor, name), name)


HOMES = {
    "tensorlab": tl,
    "Tensor": tl.Tensor,
    "functional": F,
    "linalg": tl.linalg,
    "special": tl.special,
    "func": tl.func,
    "testing": tl.testing,
}


@pytest.mark.parametrize("home", HOMES)
def test_every_public_function_has_an_example(home):
    functions = dict(inspect.getmembers(HOMES[home], inspect.isfunction))
    names = getattr(HOMES[home], "__all__", functions)
    public = [name for name in names if name in functions and not name.startswith("_")]
    assert public
    assert [name for name in public if ">>> " not in (functions[name].__doc__ or "")] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_documentation_names_arguments_and_result(name):
    text = (getattr(tl, name, None) or getattr(F, name)).__doc__
    assert "Args:" in text
    assert "Returns:" in text
    assert "Example:" in text
