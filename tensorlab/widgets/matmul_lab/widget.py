"""`MatmulLab`: the Python side. The library's own ``a @ b`` decides what comes out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import layout, product_shapes
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab

__all__ = ["MatmulLab"]

MOST_DIMS = 4  # as in engine.js: what the lab draws
MOST_ELEMENTS = 65536  # of each operand and of the product that Python multiplies out


class MatmulLab(Lab):
    """Which axes of ``a @ b`` are summed over, which batch dimensions stretch, and what the product costs.

    The reader joins the axis of a and the axis of b that are summed away, and commits to the shape of the
    product. Then each element of it shows its row and its column, and the lab counts operations and bytes.

    Args:
        a, b: the two shapes: 1 to 4 dimensions, sizes of 1 or more.
        told: whether to show the answer from the beginning.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Raises:
        ValueError: a shape is none that the lab shows.

    Example:
        >>> lab = MatmulLab((2, 1, 3, 4), (5, 4, 6))
        >>> lab.result, lab.flops
        (tensorlab.Size([2, 5, 3, 6]), 1440)
        >>> MatmulLab((3,), (4,)).reason.partition(",")[0]
        'inconsistent tensor size'
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        a: Sequence[int] = (2, 3),
        b: Sequence[int] = (3, 4),
        *,
        told: bool = False,
        key: str | None = None,
    ) -> None:
        super().__init__({"a": a, "b": b, "pair": [], "guess": None, "refused": False, "told": told}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError: a shape or a part of the prediction cannot be.
        """
        plain: dict[str, Any] = {}
        for name in ("a", "b"):
            shape = layout.as_shape(state[name])
            if 0 in shape or not 1 <= len(shape) <= MOST_DIMS:
                raise ValueError(
                    f"{name} has 1 to {MOST_DIMS} dimensions of sizes 1 or more, got {tuple(shape)}"
                )
            plain[name] = list(shape)
        pair = [layout.as_int(dim, "every number of the pair") for dim in state["pair"]]
        if pair and not (
            len(pair) == 2 and 0 <= pair[0] < len(plain["a"]) and 0 <= pair[1] < len(plain["b"])
        ):
            raise ValueError(f"a pair is a dimension of a and one of b, or nothing, got {pair}")
        guess = state["guess"]
        plain["pair"] = pair
        plain["guess"] = None if guess is None else [layout.as_int(size, "the guess") for size in guess]
        return plain | {"refused": bool(state["refused"]), "told": bool(state["told"])}

    @property
    def operands(self) -> tuple[Tensor, Tensor]:
        """The two tensors: small digits in float32, so that the sums can be followed.

        They count up and begin again, at a number that lets no two matrices of a batch begin alike.

        Raises:
            ValueError: one is too large to be made for a picture.
        """
        a, b = (_digits(self.state[name], least) for name, least in (("a", 5), ("b", 3)))
        return a, b

    @property
    def result(self) -> layout.Size | None:
        """The shape of the product; None where the library raises an error."""
        return self._shape()[0]

    @property
    def reason(self) -> str | None:
        """The error that the library raises; None where it raises none."""
        return self._shape()[1]

    @property
    def flops(self) -> int | None:
        """Multiplications and additions of the product; None where there is none."""
        if self.result is None:
            return None
        return product_shapes.matmul_cost(self.state["a"], self.state["b"], tl.float32.itemsize)[0]

    def _shape(self) -> tuple[layout.Size | None, str | None]:
        # Stretched zeros have every shape and take one cell.
        a, b = (tl.zeros(1).expand(*self.state[name]) for name in ("a", "b"))
        try:
            return (a @ b).shape, None
        except RuntimeError as error:
            return None, str(error)

    def text_twin(self) -> str:
        """The two shapes, and folded under them the product."""
        a, b = tuple(self.state["a"]), tuple(self.state["b"])
        shape = self.result
        if shape is None:
            answer = f"<p>The product raises an error: {self.reason}.</p>"
        else:
            rows = [("shape", tuple(shape)), ("summed over", a[-1]), ("operations", self.flops)]
            answer = html_table("The product.", ["what", "value"], rows)
        return (
            f"<p>a of shape {a}, b of shape {b}. Which axes are summed over, and what is the shape of "
            f"a @ b?</p>"
            f"<details><summary>Write down your prediction, then open the answer</summary>{answer}</details>"
        )


def _digits(shape: Sequence[int], least: int) -> Tensor:
    count = layout.numel(shape)
    matrix = layout.numel(shape[-2:])
    period = max(least, count // matrix)
    while math.gcd(matrix, period) > 1:
        period += 1
    if count > MOST_ELEMENTS:
        raise ValueError(f"the lab multiplies out up to {MOST_ELEMENTS} elements; this would have {count}")
    return (tl.arange(float(count)) % period).view(tuple(shape))
