"""Arithmetic: sums, products, quotients and remainders, and what is made of them."""

from __future__ import annotations

import numpy as np

from tensorlab.scalars.row import FLOAT, FLOATING, GRAD, NUMERIC, WHOLE, Scalar, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def copy(x):
    return x


def neg(x):
    return -x


def absolute(x):
    return abs(x)


def sign(x):
    return number(1) if x > 0 else number(-1) if x < 0 else number(0)


def square(x):
    return x * x


def cube(x):
    return x * x * x


def reciprocal(x):
    return number(1) / x


def add(x, y):
    return x + y


def sub(x, y):
    return x - y


def add_scaled(x, y, alpha):
    return x + alpha * y


def sub_scaled(x, y, alpha):
    return x - alpha * y


def mul(x, y):
    return x * y


def div(x, y):
    return x / y


def d_div_y(grad, y, result):
    return -grad * result / y


def trunc_divide(x, y):
    return np.trunc(x / y)


def trunc_divide_integer(x, y):
    # Python's // rounds down: one more where it went below a negative quotient. The least integer over -1
    # has no room for its quotient and wraps to itself, as negation does.
    quotient = -x if y == -1 else x // y
    return quotient + 1 if x % y != 0 and (x < 0) != (y < 0) else quotient


def fmod(x, y):
    return np.fmod(x, y)


def fmod_integer(x, y):
    rest = x % y  # has the sign of y
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest


def remainder(x, y):
    rest = fmod(x, y)  # has the sign of x
    return rest + y if rest != 0 and (rest < 0) != (y < 0) else rest


def remainder_integer(x, y):
    return x % y


def floor_divide(x, y):
    # What is left of x without the remainder is a multiple of y: its quotient is whole but for one rounding.
    rest = fmod(x, y)
    quotient = (x - rest) / y
    quotient = quotient - number(1) if rest != 0 and (rest < 0) != (y < 0) else quotient
    whole = np.floor(quotient)
    whole = whole + number(1) if quotient - whole > 0.5 else whole
    whole = np.copysign(number(0), x / y) if quotient == 0 else whole
    return x / y if y == 0 else whole


def floor_divide_integer(x, y):
    return -x if y == -1 else x // y


def addcmul(x, y, z, value):
    return x + value * y * z


def addcdiv(x, y, z, value):
    return x + value * y / z


def lerp(x, y, weight):
    # from the nearer end, so that weight 1 gives y exactly
    return x + weight * (y - x) if abs(weight) < 0.5 else y - (y - x) * (number(1) - weight)


def maximum(x, y):
    return x if x > y or x != x else y


def minimum(x, y):
    return x if x < y or x != x else y


def fmax(x, y):
    return x if x >= y or y != y else y


def fmin(x, y):
    return x if x <= y or y != y else y


def at_least(x, low):
    return low if x < low or low != low else x


def at_most(x, high):
    return high if x > high or high != high else x


def clamp(x, low, high):
    return at_most(at_least(x, low), high)


BOTH = (0, 1)  # either operand may be a Python number
SECOND = (1,)

ROWS = (
    Scalar("copy", copy, 1, "The elements themselves."),
    Scalar(
        "neg",
        neg,
        1,
        "``-input``, element by element.",
        ">>> tl.neg(tl.tensor([1, -2]))\ntensor([-1,  2])",
        refuses_bool="Negation, the `-` operator, on a bool tensor is not supported. "
        "To invert a mask, use the `~` operator or logical_not()",
        gradients=(("neg", "grad"),),
    ),
    Scalar(
        "abs",
        absolute,
        1,
        "The distance of each element from 0. The least integer has none in its dtype and stays itself.",
        ">>> tl.abs(tl.tensor([-1.5, 2.0]))\ntensor([1.5000, 2.0000])",
        takes=NUMERIC,
    ),
    Scalar(
        "sign",
        sign,
        1,
        "1, 0 or -1, as each element is above, at or below 0; 0 for NaN.",
        ">>> tl.sign(tl.tensor([-2.5, 0.0, 7.0]))\ntensor([-1.,  0.,  1.])",
    ),
    Scalar(
        "sgn",
        sign,
        1,
        "The same as `sign` for real numbers.",
        ">>> tl.sgn(tl.tensor([-2, 0, 7]))\ntensor([-1,  0,  1])",
    ),
    Scalar(
        "square",
        square,
        1,
        "``input * input``, element by element.",
        ">>> tl.square(tl.tensor([3, -4]))\ntensor([ 9, 16])",
        result=WHOLE,
    ),
    Scalar("cube", cube, 1, "``input * input * input``, element by element.", result=WHOLE),
    Scalar(
        "reciprocal",
        reciprocal,
        1,
        "``1 / input``, element by element.",
        ">>> tl.reciprocal(tl.tensor([2, -4]))\ntensor([ 0.5000, -0.2500])",
        result=FLOAT,
    ),
    Scalar(
        "add",
        add,
        2,
        "``input + other``, element by element.",
        ">>> tl.add(tl.tensor([[1.0], [2.0]]), tl.tensor([10.0, 20.0, 30.0]))\n"
        "tensor([[11., 21., 31.],\n        [12., 22., 32.]])",
        numbers=BOTH,
        gradients=(GRAD, GRAD),
    ),
    Scalar(
        "sub",
        sub,
        2,
        "``input - other``, element by element.",
        ">>> tl.sub(tl.tensor([5, 7]), 2)\ntensor([3, 5])",
        numbers=BOTH,
        refuses_bool="Subtraction, the `-` operator, with a bool tensor is not supported. "
        "To find where two masks differ, use the `^` operator or logical_xor()",
        gradients=(GRAD, ("neg", "grad")),
    ),
    Scalar(
        "add_scaled",
        add_scaled,
        2,
        "``input + alpha * other``, element by element.",
        numbers=BOTH,
        parameters=1,
        gradients=(GRAD, ("mul", "grad", "alpha")),
        node="Add",
    ),
    Scalar(
        "sub_scaled",
        sub_scaled,
        2,
        "``input - alpha * other``, element by element.",
        numbers=BOTH,
        parameters=1,
        refuses_bool="Subtraction, the `-` operator, with a bool tensor is not supported. "
        "To find where two masks differ, use the `^` operator or logical_xor()",
    ),
    Scalar(
        "mul",
        mul,
        2,
        "``input * other``, element by element; not the matrix product.",
        ">>> tl.mul(tl.tensor([1, 2, 3]), tl.tensor([1.5, 0.5, 2.0]))\ntensor([1.5000, 1.0000, 6.0000])",
        numbers=BOTH,
        exact_numbers=True,
        gradients=(("mul", "grad", "y"), ("mul", "grad", "x")),
    ),
    Scalar(
        "div",
        div,
        2,
        "``input / other``, element by element. A division by zero gives an infinity or NaN, and no error.",
        ">>> tl.div(tl.tensor([1, 2]), 4)\ntensor([0.2500, 0.5000])",
        result=FLOAT,
        numbers=BOTH,
        exact_numbers=True,
        gradients=(("div", "grad", "y"), d_div_y),
    ),
    Scalar(
        "trunc_divide",
        trunc_divide,
        2,
        "The quotient without its fraction.",
        takes=NUMERIC,
        numbers=BOTH,
        exact_numbers=True,
        cost=4,
    ),
    Scalar(
        "floor_divide",
        floor_divide,
        2,
        "The greatest whole number that is not above ``input / other``: Python's ``//``.",
        ">>> tl.floor_divide(tl.tensor([7, -7]), 2)\ntensor([ 3, -4])",
        takes=NUMERIC,
        numbers=BOTH,
        exact_numbers=True,
        cost=20,
    ),
    Scalar(
        "remainder",
        remainder,
        2,
        "What floor_divide leaves over: Python's ``%``, with the sign of `other`.",
        ">>> tl.remainder(tl.tensor([7, -7]), 3)\ntensor([1, 2])",
        takes=NUMERIC,
        numbers=BOTH,
        cost=20,
    ),
    Scalar(
        "fmod",
        fmod,
        2,
        "What division towards zero leaves over: C's ``%``, with the sign of `input`.",
        ">>> tl.fmod(tl.tensor([7, -7]), 3)\ntensor([ 1, -1])",
        takes=NUMERIC,
        numbers=SECOND,
        cost=20,
    ),
    Scalar(
        "addcmul",
        addcmul,
        3,
        "``input + value * tensor1 * tensor2``, element by element.",
        ">>> tl.addcmul(tl.ones(2), tl.tensor([1.0, 2.0]), tl.tensor([3.0, 4.0]), value=0.5)\n"
        "tensor([2.5000, 5.0000])",
        takes=NUMERIC,
        parameters=1,
    ),
    Scalar(
        "addcdiv",
        addcdiv,
        3,
        "``input + value * tensor1 / tensor2``, element by element.",
        ">>> tl.addcdiv(tl.ones(2), tl.tensor([1.0, 2.0]), tl.tensor([4.0, 4.0]), value=2)\n"
        "tensor([1.5000, 2.0000])",
        takes=FLOATING,
        parameters=1,
        cost=4,
    ),
    Scalar(
        "lerp",
        lerp,
        3,
        "The point `weight` of the way from `input` to `end`: ``input + weight * (end - input)``.",
        ">>> tl.lerp(tl.zeros(3), tl.full((3,), 10.0), 0.25)\ntensor([2.5000, 2.5000, 2.5000])",
        takes=FLOATING,
        numbers=(2,),
    ),
    Scalar(
        "maximum",
        maximum,
        2,
        "The greater of two elements; NaN if either is NaN.",
        ">>> tl.maximum(tl.tensor([1, 5]), tl.tensor([3, 2]))\ntensor([3, 5])",
    ),
    Scalar(
        "minimum",
        minimum,
        2,
        "The lesser of two elements; NaN if either is NaN.",
        ">>> tl.minimum(tl.tensor([1, 5]), tl.tensor([3, 2]))\ntensor([1, 2])",
    ),
    Scalar(
        "fmax",
        fmax,
        2,
        "The greater of two elements; a NaN gives way to the other.",
        '>>> tl.fmax(tl.tensor([1.0, 5.0]), tl.tensor([float("nan"), 6.0]))\ntensor([1., 6.])',
    ),
    Scalar(
        "fmin",
        fmin,
        2,
        "The lesser of two elements; a NaN gives way to the other.",
        '>>> tl.fmin(tl.tensor([1.0, 5.0]), tl.tensor([float("nan"), 4.0]))\ntensor([1., 4.])',
    ),
    Scalar(
        "clamp_min",
        at_least,
        2,
        "Elements below `min` raised to it.",
        ">>> tl.clamp_min(tl.tensor([-1.0, 0.5, 3.0]), 0)\ntensor([0.0000, 0.5000, 3.0000])",
        takes=NUMERIC,
        numbers=SECOND,
    ),
    Scalar(
        "clamp_max",
        at_most,
        2,
        "Elements above `max` lowered to it.",
        ">>> tl.clamp_max(tl.tensor([-1.0, 0.5, 3.0]), 1)\ntensor([-1.0000,  0.5000,  1.0000])",
        takes=NUMERIC,
        numbers=SECOND,
    ),
    Scalar(
        "clamp",
        clamp,
        3,
        "Elements below `min` raised to it, and those above `max` lowered to it.",
        ">>> tl.clamp(tl.tensor([-1.0, 0.5, 3.0]), 0, 1)\ntensor([0.0000, 0.5000, 1.0000])",
        takes=NUMERIC,
        numbers=(1, 2),
    ),
)
