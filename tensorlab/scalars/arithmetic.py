"""Arithmetic: signs, sums and products, and what is made of them."""

from __future__ import annotations

from tensorlab.scalars.row import BOTH, FLOAT, FLOATING, GRAD, NUMERIC, WHOLE, ZERO, Scalar, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def copy(x):
    """The elements themselves."""
    return x


def neg(x):
    """``-input``, element by element.

    >>> tl.neg(tl.tensor([1, -2]))
    tensor([-1,  2])
    """
    return -x


def absolute(x):
    """The distance of each element from 0. The least integer has none in its dtype and stays itself.

    >>> tl.abs(tl.tensor([-1.5, 2.0]))
    tensor([1.5000, 2.0000])
    """
    return abs(x)


def d_abs(grad, x):
    return grad * sign(x)


def sign(x):
    """1, 0 or -1, as each element is above, at or below 0; 0 for NaN.

    >>> tl.sign(tl.tensor([-2.5, 0.0, 7.0]))
    tensor([-1.,  0.,  1.])
    """
    return number(1) if x > 0 else number(-1) if x < 0 else number(0)


def square(x):
    """``input * input``, element by element.

    >>> tl.square(tl.tensor([3, -4]))
    tensor([ 9, 16])
    """
    return x * x


def d_square(grad, x):
    return grad * (number(2) * x)


def cube(x):
    """``input * input * input``, element by element."""
    return x * x * x


def d_cube(grad, x):
    return grad * (number(3) * (x * x))


def reciprocal(x):
    """``1 / input``, element by element.

    >>> tl.reciprocal(tl.tensor([2, -4]))
    tensor([ 0.5000, -0.2500])
    """
    return number(1) / x


def d_reciprocal(grad, result):
    return -grad * (result * result)


def add(x, y):
    """``input + other``, element by element.

    >>> tl.add(tl.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tl.tensor([10.0, 20.0, 30.0]))
    tensor([[11., 22., 33.],
            [14., 25., 36.]])
    """
    return x + y


def sub(x, y):
    """``input - other``, element by element.

    >>> tl.sub(tl.tensor([5, 7]), 2)
    tensor([3, 5])
    """
    return x - y


def add_scaled(x, y, alpha):
    """``input + alpha * other``, element by element."""
    return x + alpha * y


def sub_scaled(x, y, alpha):
    """``input - alpha * other``, element by element."""
    return x - alpha * y


def d_sub_scaled_y(grad, alpha):
    return -grad * alpha


def rsub_scaled(x, y, alpha):
    """``other - alpha * input``, element by element."""
    return y - alpha * x


def mul(x, y):
    """``input * other``, element by element; not the matrix product.

    >>> tl.mul(tl.tensor([1, 2, 3]), tl.tensor([1.5, 0.5, 2.0]))
    tensor([1.5000, 1.0000, 6.0000])
    """
    return x * y


def addcmul(x, y, z, value):
    """``input + value * tensor1 * tensor2``, element by element.

    >>> tl.addcmul(tl.ones(2), tl.tensor([1.0, 2.0]), tl.tensor([3.0, 4.0]), value=0.5)
    tensor([2.5000, 5.0000])
    """
    return x + value * y * z


def d_addcmul_y(grad, z, value):
    return grad * (z * value)


def d_addcmul_z(grad, y, value):
    return grad * (y * value)


def addcdiv(x, y, z, value):
    """``input + value * tensor1 / tensor2``, element by element.

    >>> tl.addcdiv(tl.ones(2), tl.tensor([1.0, 2.0]), tl.tensor([4.0, 4.0]), value=2)
    tensor([1.5000, 2.0000])
    """
    return x + value * y / z


def d_addcdiv_y(grad, z, value):
    return grad * (value / z)


def d_addcdiv_z(grad, y, z, value):
    return -grad * (value * y / (z * z))


def lerp(x, y, weight):
    """The point `weight` of the way from `input` to `end`: ``input + weight * (end - input)``.

    >>> tl.lerp(tl.zeros(3), tl.full((3,), 10.0), 0.25)
    tensor([2.5000, 2.5000, 2.5000])
    """
    # from the nearer end, so that weight 1 gives y exactly
    return x + weight * (y - x) if abs(weight) < 0.5 else y - (y - x) * (number(1) - weight)


def d_lerp_x(grad, weight):
    return grad * (number(1) - weight)


def d_lerp_weight(grad, x, y):
    return grad * (y - x)


NO_DIFFERENCE_OF_BOOLS = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. "
    "To find where two masks differ, use the `^` operator or logical_xor()"
)

ROWS = (
    Scalar("copy", copy, 1),
    Scalar(
        "neg",
        neg,
        1,
        refuses_bool="Negation, the `-` operator, on a bool tensor is not supported. "
        "To invert a mask, use the `~` operator or logical_not()",
        exact_out=True,
        gradients=(("neg", "grad"),),
        variants="function method in_place in_place_function",
        aliases="negative",
    ),
    Scalar(
        "abs",
        absolute,
        1,
        takes=NUMERIC,
        exact_out=True,
        gradients=(d_abs,),
        variants="function method in_place in_place_function",
    ),
    Scalar("sign", sign, 1, exact_out=True, gradients=(ZERO,), variants="function method in_place"),
    Scalar(
        "sgn",
        sign,
        1,
        "The same as `sign` for real numbers.",
        ">>> tl.sgn(tl.tensor([-2, 0, 7]))\ntensor([-1,  0,  1])",
        exact_out=True,
        gradients=(ZERO,),
        variants="function method in_place",
    ),
    Scalar(
        "square",
        square,
        1,
        result=WHOLE,
        gradients=(d_square,),
        node="PowBackward0",
        variants="function method in_place in_place_function",
    ),
    Scalar("cube", cube, 1, result=WHOLE, gradients=(d_cube,), node="PowBackward0"),
    Scalar(
        "reciprocal",
        reciprocal,
        1,
        result=FLOAT,
        gradients=(d_reciprocal,),
        variants="function method in_place in_place_function",
    ),
    Scalar("add", add, 2, numbers=BOTH, gradients=(GRAD, GRAD)),
    Scalar(
        "sub",
        sub,
        2,
        numbers=BOTH,
        refuses_bool=NO_DIFFERENCE_OF_BOOLS,
        gradients=(GRAD, ("neg", "grad")),
        number_nodes=("RsubBackward1", ""),
    ),
    Scalar(
        "add_scaled",
        add_scaled,
        2,
        numbers=BOTH,
        parameters=1,
        gradients=(GRAD, ("mul", "grad", "alpha")),
        node="AddBackward0",
    ),
    Scalar(
        "sub_scaled",
        sub_scaled,
        2,
        numbers=BOTH,
        parameters=1,
        refuses_bool=NO_DIFFERENCE_OF_BOOLS,
        gradients=(GRAD, d_sub_scaled_y),
        node="SubBackward0",
        number_nodes=("RsubBackward1", ""),
    ),
    Scalar(
        "rsub_scaled",
        rsub_scaled,
        2,
        numbers=BOTH,
        parameters=1,
        refuses_bool=NO_DIFFERENCE_OF_BOOLS,
        gradients=(d_sub_scaled_y, GRAD),
        node="RsubBackward0",
        number_nodes=("", "RsubBackward1"),
    ),
    Scalar(
        "mul",
        mul,
        2,
        numbers=BOTH,
        exact_numbers=True,
        gradients=(("mul", "grad", "y"), ("mul", "grad", "x")),
        variants="function method in_place",
        aliases="multiply",
    ),
    Scalar(
        "addcmul",
        addcmul,
        3,
        takes=NUMERIC,
        parameters=1,
        gradients=(GRAD, d_addcmul_y, d_addcmul_z),
    ),
    Scalar(
        "addcdiv",
        addcdiv,
        3,
        takes=FLOATING,
        parameters=1,
        cost=4,
        gradients=(GRAD, d_addcdiv_y, d_addcdiv_z),
    ),
    Scalar(
        "lerp",
        lerp,
        3,
        takes=FLOATING,
        numbers=(2,),
        gradients=(d_lerp_x, ("mul", "grad", "weight"), d_lerp_weight),
        node="LerpBackward1",
        number_nodes=("", "", "LerpBackward0"),
    ),
)
