"""The examples of functions that are made from the table of scalar functions.

pytest collects the docstrings of functions that a module defines; these are made by `tensorlab.ops.rows`.
"""

from __future__ import annotations

import doctest

import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.scalars import TABLE

FINDER = doctest.DocTestFinder(exclude_empty=True)

PUBLIC = [name for name in TABLE if hasattr(tl, name) or hasattr(F, name)]


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.example])
def test_examples_of_pointwise_functions(name):
    function = getattr(tl, name, None) or getattr(F, name)
    (example,) = FINDER.find(function, name, module=False, globs={})
    assert example.examples
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, clear_globs=False)
    assert result.failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_documentation_names_arguments_and_result(name):
    text = (getattr(tl, name, None) or getattr(F, name)).__doc__
    assert "Args:" in text
    assert "Returns:" in text
    assert "Example:" in text
