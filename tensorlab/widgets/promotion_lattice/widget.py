"""`PromotionLattice`: the Python side. `tensorlab.result_type` decides what operands promote to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import dtypes
from tensorlab.dispatch.operands import Number, is_number, number_dtype
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab

__all__ = ["PromotionLattice"]

KINDS = ("tensor", "zerodim", "number")
NUMBERS: dict[str, Number] = {"bool": True, "int64": 1000, "float32": 0.5}

Operand = tl.dtype | Tensor | Number


class PromotionLattice(Lab):
    """To which dtype do two operands promote? The reader chooses in the lattice, then sees the ways up.

    Two tensors promote to the lowest dtype above both. A 0-dim tensor and a Python number speak later: they
    change the result only where their category (bool, integer, floating) is a higher one.

    Args:
        left, right: a dtype (a tensor of it with at least one dimension), a tensor, or a Python number.
        told: whether to show the answer from the beginning.
        key: the widget's name in the page's address; left out, it follows from the first state.

    Raises:
        TypeError: an operand is none of these.
        ValueError: both are Python numbers, which Python combines itself.

    Example:
        >>> PromotionLattice(tl.int8, tl.uint8).result
        tensorlab.int16
        >>> PromotionLattice(tl.int8, 1000).result, PromotionLattice(tl.int8, 0.5).result
        (tensorlab.int8, tensorlab.float32)
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        left: Operand = tl.int8,
        right: Operand = tl.uint8,
        *,
        told: bool = False,
        key: str | None = None,
    ) -> None:
        operands = {"left": _operand(left), "right": _operand(right)}
        super().__init__({**operands, "guess": None, "told": told}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError: an operand or the guess is none.
        """
        plain: dict[str, Any] = {}
        for name in ("left", "right"):
            kind, dtype = state[name]
            if kind not in KINDS:
                raise ValueError(f"the kind of {name} is one of {KINDS}, got {kind!r}")
            known = dtypes.by_name(dtype).name
            if kind == "number" and known not in NUMBERS:
                raise ValueError(f"a Python number is a bool, an int or a float, not {known}")
            plain[name] = [kind, known]
        if plain["left"][0] == plain["right"][0] == "number":
            raise ValueError("Python combines two Python numbers itself: make one operand a tensor")
        guess = state["guess"]
        plain["guess"] = None if guess is None else dtypes.by_name(guess).name
        return plain | {"told": bool(state["told"])}

    @property
    def operands(self) -> tuple[Tensor | Number, Tensor | Number]:
        """The two operands: ones, or the number."""
        return _made(*self.state["left"]), _made(*self.state["right"])

    @property
    def result(self) -> tl.dtype:
        """The dtype that they promote to."""
        return tl.result_type(*self.operands)

    def text_twin(self) -> str:
        """The question, and folded under it the answer with the table for two tensors."""
        left, right = (f"{kind} of {dtype}" for kind, dtype in (self.state["left"], self.state["right"]))
        names = [t.name for t in dtypes.ALL]
        rows = [
            (one.name, *(tl.promote_types(one, other).name for other in dtypes.ALL)) for one in dtypes.ALL
        ]
        table = html_table("The dtype that two tensors promote to.", ["a \\ b", *names], rows)
        return (
            f"<p>a: {left}; b: {right}. What is the dtype of a + b?</p>"
            f"<details><summary>Write down your prediction, then open the answer</summary>"
            f"<p>{self.result.name}</p>{table}</details>"
        )


def _operand(value: Operand) -> list[str]:
    """An operand as its kind and the name of its dtype."""
    if isinstance(value, tl.dtype):
        return ["tensor", value.name]
    if isinstance(value, Tensor):
        return ["tensor" if value.ndim else "zerodim", value.dtype.name]
    if is_number(value):
        return ["number", number_dtype(value).name]
    raise TypeError(f"an operand is a dtype, a tensor or a number, got {value!r}")


def _made(kind: str, dtype: str) -> Tensor | Number:
    if kind == "number":
        return NUMBERS[dtype]
    return tl.ones(2 if kind == "tensor" else (), dtype=dtypes.by_name(dtype))
