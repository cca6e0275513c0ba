"""The text of a kernel in which bodies stand in the places of calls does what the calls did."""

from __future__ import annotations

import ast
import inspect
import math

import numpy as np
import pytest

from tensorlab import dtypes
from tensorlab.backends.cpu.flatten import fixed, flatten, texts
from tensorlab.backends.cpu.gemm.text import kernel_source, parts_source


def add_one(count, cells):
    """Levels may have docstrings."""
    for i in range(count):
        cells[i] = cells[i] + 1


def add_from(first, count, cells):
    while first < count:
        cells[first] += 10
        first += 1  # a parameter that the level changes


def both(count, cells):
    i = count // 2
    add_one(count, cells)
    add_from(i, count, cells)


def larger(a, b):
    wider = max(a, b)
    return wider + 1


def outermost(count, cells):
    for i in range(2):
        both(count - i, cells)
    first = 7
    if count > 2:
        first = larger(count, 3)
    cells[0] = first
    return first + larger(1, 2)


LEVELS = texts([add_one, add_from, both, larger])


def run(text: str, *arguments: object) -> object:
    scope = {"np": np, "math": math, "larger": larger}
    exec(text, scope)
    name = ast.parse(text).body[0].name
    return scope[name](*arguments)


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_a_flattened_function_does_what_its_levels_did(count):
    expected, found = list(range(8)), list(range(8))
    result = outermost(count, expected)
    text = flatten(inspect.getsource(outermost), LEVELS)
    assert run(text, count, found) == result
    assert found == expected
    assert found != list(range(8))


def test_only_calls_inside_of_expressions_are_left():
    text = flatten(inspect.getsource(outermost), LEVELS)
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    called = [node.func.id for node in calls]
    assert called.count("larger") == 1
    assert not {"both", "add_one", "add_from"} & set(called)


def test_names_that_are_taken_get_numbers_and_arguments_are_computed_once():
    caller = "def caller(n, out):\n    i = n\n    level(i + 1, out)\n    level(i, out)\n    out[1] = i\n"
    level = "def level(n, out):\n    for i in range(n):\n        out[0] += i + n\n"
    text = flatten(caller, {"level": level})
    assert "n_1 = i + 1" in text
    out = [0, 0]
    run(text, 2, out)
    assert out == [(0 + 3) + (1 + 3) + (2 + 3) + (0 + 2) + (1 + 2), 2]


def test_a_parameter_that_is_assigned_leaves_the_argument_as_it_was():
    text = flatten(
        "def caller(n, out):\n    level(n, out)\n    out[1] = n\n",
        {
            "level": """
def level(n, out):
    n += 1
    out[0] = n
"""
        },
    )
    out = [0, 0]
    run(text, 4, out)
    assert out == [5, 4]


def test_constants_of_calls_become_numbers_where_a_function_is_named():
    caller = "def caller(out):\n    level(1, out)\n    other(1, out, True)\n"
    level = "def level(n, out):\n    other(n, out, 2.0)\n"
    text = flatten(caller, {"level": level}, ["other"])
    assert "other(np.int64(1), out, 2.0)" in text
    assert "other(np.int64(1), out, np.bool_(True))" in text
    assert "int64" not in flatten(caller, {"level": level})


@pytest.mark.parametrize(
    ("level", "call", "reason"),
    [
        ("def f(x):\n    if x:\n        return\n    x[0] = 1\n", "f(out)", "returns early"),
        ("def f(x):\n    x[0] = 1\n", "y = f(out)", "returns nothing"),
        ("def f(x):\n    x[0] = 1\n", "f(x=out)", "positional"),
        ("def f(x):\n    x[0] = 1\n", "f(out, 1)", "1 positional"),
        ("def f(x):\n    step(x)\n", "f(out)", "step of f is a name of the module"),
    ],
)
def test_what_cannot_take_the_place_of_its_call_is_refused(level, call, reason):
    with pytest.raises(ValueError, match=reason):
        flatten(f"def caller(out):\n    step = 2\n    {call}\n    out[0] = step\n", {"f": level})


def test_a_level_is_one_function():
    with pytest.raises(ValueError, match="one function"):
        flatten("x = 1\n", {})


@pytest.mark.parametrize("ends", [True, False])
def test_the_matrix_product_is_one_function_around_tiles_and_copies(ends):
    """Each function that stands by itself is compiled by itself, and once more in all that call it."""
    module = ast.parse(kernel_source(dtypes.float32, "tiles", ends=ends))
    functions = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    one_cell = {"widen", "narrow", "numbers", "activate"}
    assert functions - one_cell == {"kernel", "kernel_directly"} | ({"finish"} if ends else set())
    module = ast.parse(parts_source(dtypes.float32, 128, 32))
    functions = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    assert functions - one_cell == {"pack", "pack_directly", "tile", "tile_directly"}


def test_fixed_parameters_are_gone():
    text = fixed("def f(a, b, adds):\n    return a + b if adds else a", {"adds": "False", "b": "a"})
    assert ast.parse(text).body[0].args.args[0].arg == "a"
    assert run(text, 3) == 3
    assert run(text.replace("False", "True"), 3) == 6
