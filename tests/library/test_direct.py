"""Functions that become instructions without Numba's analysis: what they compute is what Python computes."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numba.core import config, types

from tensorlab.backends.cpu.direct import direct
from tensorlab.backends.cpu.intrinsics import greater, lesser
from tensorlab.backends.cpu.pointers import advance, at
from tests.library.test_kernels import run

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="interpreted functions are Python's")

SIZE, IS_ON, IS_OFF = 3, True, False


def check(function, *arguments):
    """The function's effect on copies of the arguments is Python's."""
    copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    function(*copies)
    written = direct(function)
    text = ", ".join(f"x{i}" for i in range(len(arguments)))
    kernel = njit(error_model="numpy")(
        eval(f"lambda {text}: written({text})", {"written": written})  # as many as the function takes
    )
    kernel(*arguments)
    for ours, pythons in zip(arguments, copies, strict=True):
        if isinstance(ours, np.ndarray):
            assert ours.tolist() == pythons.tolist()


def loops(out, n):
    total, i = 0, 0
    for i in range(n):
        if i == 2:
            continue
        for j in range(i, 2 * n, SIZE):
            if j > 7:
                break
            total += j * (i + 1)
    for k in range(n - 1, -1, -1):
        out[k] = total - k
    while i > 0:
        i -= 1
        out[i] += i % SIZE if i > 1 else -1
    if IS_OFF:
        out[0] = "never looked at"
    elif not IS_OFF and IS_ON:
        out[n] = i


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_loops(n):
    check(loops, np.zeros(n + 1, np.int64), n)


def divisions(out, x, y):
    out[0], out[1], out[2] = x // y, x % y, -x
    out[3], out[4], out[5], out[6] = x << 2, x >> 1, x & y, x | y
    a, b = y, x
    a, b = b, a
    out[7], out[8] = a, b


@pytest.mark.parametrize(("x", "y"), [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, -5)])
def test_whole_numbers_are_divided_as_pythons(x, y):
    check(divisions, np.zeros(9, np.int64), x, y)


def conditions(out, x, y):
    out[0] = 1 if x < y <= 5 else 0
    out[1] = 1 if (x > 1 and y > 1) or x == -3 else 0
    out[2] = 1 if not x or (IS_OFF and y / x > 1) else 0
    within = 0 <= x < out.size
    within = within and out[x] == 0  # else the cell is not looked at
    out[3] = 2 if within and IS_ON else 3
    out[4] = 1 if x > y or IS_ON else 0


@pytest.mark.parametrize(("x", "y"), [(0, 5), (2, 3), (-3, 6), (100, 1), (4, 4)])
def test_conditions(x, y):
    check(conditions, np.zeros(5, np.int64), x, y)


def floats(out, x, limit):
    total = np.float32(0)
    for i in range(x.size):
        total += x[i] * np.float32(i) - np.float32(1) / x[i]
    out[0] = total if total == total and total != 0 else np.float32(-1)
    out[1] = -total
    out[2] = np.float32(1) if total > limit else np.float32(np.inf)
    out[3] = np.float32(1) if total else np.float32(2)
    out[4] = np.float32(1) if x[3] else np.float32(2)


@pytest.mark.parametrize("last", [1.0, 0.0, float("nan")])
def test_floats(last):
    x = np.array([1, 2, 4, last], np.float32)
    with np.errstate(all="ignore"):
        copy, out = np.zeros(5, np.float32), np.zeros(5, np.float32)
        floats(copy, x, np.float32(3))
        written = direct(floats)
        njit(lambda out, x, limit: written(out, x, limit))(out, x, np.float32(3))
    np.testing.assert_array_equal(out, copy)


def shapes(out, sizes, matrix, strides):
    rows, columns = matrix.shape[0], matrix.shape[1]
    first, second = sizes[:2]
    last = sizes[2:]
    out[0], out[1], out[2] = first, second, last[0]
    for i in range(rows):
        for j in range(columns):
            out[3 + i * columns + j] = matrix[i, j] + strides[1, j]


def test_arrays_and_tuples():
    matrix = np.arange(6).reshape(2, 3)
    check(shapes, np.zeros(9, np.int64), (4, 5, 6), matrix, matrix * 10)


def strided(out, line, matrix):
    for i in range(line.size):
        out[i] = line[i] - 1
        line[i] += matrix[1, i]


def test_arrays_in_steps():
    memory = np.arange(36)
    line, matrix = memory[20:2:-3], memory[:24].reshape(4, 6)[::2]
    out, again = np.zeros((2, 6), np.int64)[:, ::-1]
    copies = memory.copy()
    strided(again, copies[20:2:-3], copies[:24].reshape(4, 6)[::2])
    written = direct(strided)
    njit(lambda out, line, matrix: written(out, line, matrix))(out, line, matrix)
    assert (out.tolist(), memory.tolist()) == (again.tolist(), copies.tolist())


@njit(inline="always")
def twice(x):
    return x + x


@njit
def thrice(x):
    return 3 * x


def last_of(count, cells):
    for i in range(count):
        count = i
    return cells[count]


def calls(out, x):
    place = advance(at(out, 0), 1)
    place[0] = greater(twice(x), thrice(x))
    place[1] = lesser(last_of(SIZE, at(out, 0)), 5)
    x = twice(x)
    place[2] = twice(x)


@pytest.mark.parametrize("x", [4, -4])
def test_functions_are_called_or_take_the_place_of_the_call(x):
    out = np.zeros(4, np.int64)
    written = direct(calls)
    njit(lambda out, x: written(out, x))(out, x)
    assert out.tolist() == [0, max(2 * x, 3 * x), 0, 4 * x]


def sum_of(x):
    total = 0
    for i in range(x.size):
        total += x[i]
    return total


def test_a_result():
    written = direct(sum_of, types.int64)
    assert njit(lambda x: written(x))(np.arange(5)) == 10


def changes_its_type(x):
    y = x
    if x > y:
        y = 1.5


def has_a_list(x):
    y = [x]
    y[0] = 1


def mixes(x):
    y = x + 1.5
    y += x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (changes_its_type, "y is int64, and is assigned float64"),
        (has_a_list, r"cannot have this: \[x\]"),
        (mixes, r"cannot have this: x \+ 1.5"),
    ],
)
def test_what_they_cannot_have(function, message):
    written = direct(function)
    with pytest.raises(Exception, match=message):
        njit(lambda x: written(x))(3)


def test_interpreted_functions_stay_what_they_are():
    code = """
from tensorlab.backends.cpu.direct import direct
print(direct(len) is len)
"""
    assert run(code, NUMBA_DISABLE_JIT="1").strip() == "True"
