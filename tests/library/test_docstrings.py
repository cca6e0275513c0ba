"""The examples of functions that are made from the table of scalar functions.

pytest collects the docstrings of functions that a module defines; these are made by `tensorlab.ops.rows`.
"""

from __future__ import annotations

import doctest

import pytest

from tensorlab.ops import pointwise
from tensorlab.scalars import TABLE

FINDER = doctest.DocTestFinder(exclude_empty=True)


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.example])
def test_examples_of_pointwise_functions(name):
    function = getattr(pointwise, name)
    (example,) = FINDER.find(function, name, module=False, globs={})
    assert example.examples
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, clear_globs=False)
    assert result.failed == 0


@pytest.mark.parametrize("name", pointwise.__all__)
def test_documentation_names_arguments_and_result(name):
    text = getattr(pointwise, name).__doc__
    assert "Args:" in text
    assert "Returns:" in text
