"""`BroadcastLab`: the Python side. `tensorlab.core.broadcasting` decides what fits and what stretches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import traitlets

from tensorlab.core import broadcasting, layout
from tensorlab.core.layout import Size
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab

__all__ = ["BroadcastLab"]

MOST_DIMS = 4  # as in engine.js: what the lab draws


class BroadcastLab(Lab):
    """Two shapes aligned from the right: what stretches with stride 0, and what the gradient will sum.

    The reader moves the shorter shape into place, marks the sizes that stretch, says which shape comes out
    (or that none does), and commits. Then each element of the result shows what it reads, and each element
    of an operand by how many it is read: its gradient is the sum over those.

    Args:
        a, b: the two shapes, of at most 4 dimensions.
        told: whether to show the answer from the beginning.
        gradients: whether to say also what the gradients of the operands sum.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Raises:
        ValueError: a size is negative, or there are too many dimensions.

    Example:
        >>> lab = BroadcastLab((3, 1), (4,))
        >>> lab.result, lab.strides, lab.summed
        (tensorlab.Size([3, 4]), ((1, 0), (0, 1)), ((1,), (0,)))
        >>> BroadcastLab((3,), (4,)).reason.partition(":")[0]
        'The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0'
    """

    folder = Path(__file__).parent

    gradients = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self,
        a: Sequence[int] = (3, 1),
        b: Sequence[int] = (4,),
        *,
        told: bool = False,
        gradients: bool = True,
        key: str | None = None,
    ) -> None:
        prediction = {"shift": 0, "stretch_a": [], "stretch_b": [], "guess": None, "refused": False}
        super().__init__({"a": a, "b": b, **prediction, "told": told}, key)
        self.gradients = gradients

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError: a shape or a part of the prediction cannot be.
        """
        plain: dict[str, Any] = {}
        for name in ("a", "b"):
            shape = layout.as_shape(state[name])
            if len(shape) > MOST_DIMS:
                raise ValueError(f"up to {MOST_DIMS} dimensions are drawn; {name} has {len(shape)}")
            plain[name] = list(shape)
        ndim = max(len(plain["a"]), len(plain["b"]))
        gap = abs(len(plain["a"]) - len(plain["b"]))
        plain["shift"] = layout.as_int(state["shift"], "shift")
        if not 0 <= plain["shift"] <= gap:
            raise ValueError(f"shift is 0 … {gap} columns, got {plain['shift']}")
        for name in ("stretch_a", "stretch_b"):
            plain[name] = sorted({layout.as_int(dim, f"every number of {name}") for dim in state[name]})
            if plain[name] and not 0 <= plain[name][0] <= plain[name][-1] < ndim:
                raise ValueError(f"{name} names dimensions 0 … {ndim - 1} of the result, got {plain[name]}")
        guess = state["guess"]
        plain["guess"] = (
            None if guess is None else [layout.as_int(size, "every size of the guess") for size in guess]
        )
        return plain | {"refused": bool(state["refused"]), "told": bool(state["told"])}

    @property
    def result(self) -> Size | None:
        """The shape of the result; None where they don't fit."""
        return self._fitted()[0]

    @property
    def reason(self) -> str | None:
        """Why they don't fit; None where they do."""
        return self._fitted()[1]

    @property
    def strides(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """The strides with which the result reads `a` and `b`, both dense; None where they don't fit."""
        result = self.result
        if result is None:
            return None
        a, b = (
            broadcasting.broadcast_strides(shape, layout.default_strides(shape), result)
            for shape in (self.state["a"], self.state["b"])
        )
        return a, b

    @property
    def summed(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """The dimensions over which the gradients of `a` and `b` are summed; None where they don't fit."""
        result = self.result
        if result is None:
            return None
        a, b = (_summed(self.state[name], result) for name in ("a", "b"))
        return a, b

    def _fitted(self) -> tuple[Size | None, str | None]:
        try:
            return broadcasting.broadcast_shapes(self.state["a"], self.state["b"]), None
        except RuntimeError as error:
            return None, str(error)

    def text_twin(self) -> str:
        """The two shapes, and folded under them the answer."""
        a, b = tuple(self.state["a"]), tuple(self.state["b"])
        result, strides, summed = self.result, self.strides, self.summed
        asked = f"<p>Shapes {a} and {b}. Which shape does the result have, and what stretches?</p>"
        if result is None or strides is None or summed is None:
            answer = f"<p>They don't fit. {self.reason}.</p>"
        else:
            rows = [
                (name, shape, stride, ", ".join(map(str, dims)) or "none")
                for name, shape, stride, dims in zip("ab", (a, b), strides, summed, strict=True)
            ]
            header = ["operand", "shape", "read with strides", "its gradient is summed over dimensions"]
            shown = len(header) if self.gradients else len(header) - 1
            answer = html_table(
                f"The result has shape {tuple(result)}.", header[:shown], [row[:shown] for row in rows]
            )
        summary = "Write down your prediction, then open the answer"
        return f"{asked}<details><summary>{summary}</summary>{answer}</details>"


def _summed(shape: Sequence[int], result: Sequence[int]) -> tuple[int, ...]:
    lead = len(result) - len(shape)
    inside = [lead + dim for dim, size in enumerate(shape) if size == 1 and result[lead + dim] != 1]
    return (*range(lead), *inside)
