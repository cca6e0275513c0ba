"""`ReductionLab`: the Python side. The library's own reductions decide what comes out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import layout, view_rules
from tensorlab.core.layout import Size
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab
from tensorlab.widgets.storage_lab.twin import cell_text

__all__ = ["ReductionLab"]

MOST_DIMS, MOST_ELEMENTS = 4, 256  # as in engine.js: what the lab draws
OPERATIONS = ("sum", "mean", "amax", "argmax")


class ReductionLab(Lab):
    """Squash an axis: which shape is left, what each result gathers, and whether it broadcasts back.

    The reader chooses the axes and commits to the shape of the result. Then each element of the result shows
    the elements that it was made of, and the lab says whether ``x / x.sum(…)`` divides by the right numbers,
    by wrong ones, or raises an error.

    Args:
        shape: sizes of 1 or more, at most 4 of them and 256 elements.
        dims: the axes to squash; none means all.
        keepdim: whether each keeps a dimension of size 1.
        operation: "sum", "mean", "amax" or "argmax".
        told: whether to show the answer from the beginning.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Raises:
        ValueError: a size or the operation is none that the lab shows.
        IndexError, RuntimeError: there is no such dimension, or it is named twice.

    Example:
        >>> lab = ReductionLab((3, 4), dims=(1,))
        >>> lab.tensor.tolist()[0], lab.result.tolist()
        ([0.0, 7.0, 4.0, 1.0], [12.0, 24.0, 16.0])
        >>> lab.change(keepdim=True)
        >>> lab.result.shape
        tensorlab.Size([3, 1])
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        shape: Sequence[int] = (3, 4),
        *,
        dims: Sequence[int] = (0,),
        keepdim: bool = False,
        operation: str = "sum",
        told: bool = False,
        key: str | None = None,
    ) -> None:
        state = {"shape": shape, "dims": dims, "keepdim": keepdim, "operation": operation}
        super().__init__({**state, "guess": None, "told": told}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError, IndexError, RuntimeError: see the class.
        """
        shape = layout.as_shape(state["shape"])
        if 0 in shape:
            raise ValueError(f"sizes are 1 or more here, got {tuple(shape)}")
        if len(shape) > MOST_DIMS:
            raise ValueError(f"up to {MOST_DIMS} dimensions are drawn, got {len(shape)}")
        if layout.numel(shape) > MOST_ELEMENTS:
            raise ValueError(
                f"the lab draws up to {MOST_ELEMENTS} elements; this would have {layout.numel(shape)}"
            )
        if state["operation"] not in OPERATIONS:
            raise ValueError(f"the operation is one of {OPERATIONS}, got {state['operation']!r}")
        asked = [layout.as_int(dim, "every dim") for dim in state["dims"]]
        dims = sorted(view_rules.distinct_dims(asked, len(shape)))
        if state["operation"] == "argmax" and len(dims) > 1:
            raise ValueError("argmax takes one dimension, or none for all elements")
        guess = state["guess"]
        return {
            "shape": list(shape),
            "dims": dims,
            "keepdim": bool(state["keepdim"]) and bool(dims),
            "operation": state["operation"],
            "guess": None if guess is None else [layout.as_int(size, "the guess") for size in guess],
            "told": bool(state["told"]),
        }

    @property
    def tensor(self) -> Tensor:
        """The tensor that is reduced: scattered digits."""
        shape = Size(self.state["shape"])
        return (tl.arange(layout.numel(shape), dtype=tl.float32) * 7 % 10).view(shape)

    @property
    def result(self) -> Tensor:
        """What the operation makes of it."""
        dims, keepdim = self.state["dims"], self.state["keepdim"]
        reduce: Callable[..., Tensor] = getattr(self.tensor, self.state["operation"])
        if not dims:
            return reduce()
        return reduce(dims[0] if len(dims) == 1 else tuple(dims), keepdim=keepdim)

    def text_twin(self) -> str:
        """The tensor, and folded under it the result."""
        x, result, state = self.tensor, self.result, self.state
        dims = ", ".join(map(str, state["dims"])) or "all"
        asked = html_table(
            f"x of shape {tuple(x.shape)}. Which shape has its {state['operation']} over dim {dims}"
            f"{' with keepdim' if state['keepdim'] else ''}?",
            ["index", "value"],
            _elements(x),
        )
        told = html_table(
            f"The result has shape {tuple(result.shape)}.", ["index", "value"], _elements(result)
        )
        summary = "Write down your prediction, then open the answer"
        return f"{asked}<details><summary>{summary}</summary>{told}</details>"


def _elements(x: Tensor) -> list[tuple[str, str]]:
    indices = itertools.product(*map(range, x.shape))
    return [(str(list(index)), cell_text(x[index].item())) for index in indices]
