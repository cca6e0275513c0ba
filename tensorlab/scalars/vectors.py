"""What is made of the elements of two vectors and then folded: no operation has these functions' names.

They have no gradients: what is recorded goes step by step.
"""

from __future__ import annotations

from tensorlab.scalars.row import FLOATING, Scalar

__all__ = ["PRODUCT_OF_UNITS", "SHIFTED_DIFFERENCE"]

# mypy: disable-error-code="no-untyped-def"


def product_of_units(x, y, u, v):
    return (x / u) * (y / v)


def shifted_difference(x, y, shift):
    return x - y + shift


PRODUCT_OF_UNITS = Scalar(
    "product_of_units",
    product_of_units,
    4,
    "Each element divided by its vector's length.",
    takes=FLOATING,
    cost=4,
)
SHIFTED_DIFFERENCE = Scalar(
    "shifted_difference", shifted_difference, 2, "The difference, moved.", takes=FLOATING, parameters=1
)
