"""`IndexingLab`: the Python side. The library's own ``x[index]`` decides what is a view."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.indexing_lab.parse import parse_index
from tensorlab.widgets.lab import Lab

__all__ = ["IndexingLab"]

MOST_DIMS, MOST_ELEMENTS = 3, 144  # as in engine.js: what the lab draws


class IndexingLab(Lab):
    """A view or a gather, which shape comes out, and what becomes of an element that is named twice.

    Numbers, slices, ``None`` and ``...`` make a view. A list or a mask gathers a copy. The reader says which,
    commits to a shape, and sees where each element of the result comes from. Where an element is named
    several times, the lab shows that ``x[index] += 1`` adds 1 once, and `index_put_` with ``accumulate=True``
    every time.

    Args:
        shape: the shape of x, which holds 0, 1, 2, …: 1 to 3 dimensions, 144 elements at most.
        index: what stands between the brackets: ``"1:, [0, 2]"``, ``"..., None"``, ``"x > 5"``.
        told: whether to show the answer from the beginning.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Raises:
        ValueError: the index is none that the lab reads, or x is too large to draw.

    Example:
        >>> lab = IndexingLab((3, 4), "1:, ::2")
        >>> lab.is_view, lab.result.tolist()
        (True, [[4, 6], [8, 10]])
        >>> lab.change(index="[0, 0, 2]")
        >>> lab.is_view, lab.result.shape
        (False, tensorlab.Size([3, 4]))
        >>> lab.change(index="5")
        >>> lab.result is None, lab.reason
        (True, 'index 5 is out of bounds for dimension 0 with size 3: use -3 … 2')
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        shape: Sequence[int] = (3, 4),
        index: str = "1:, ::2",
        *,
        told: bool = False,
        key: str | None = None,
    ) -> None:
        prediction = {"says": None, "guess": None, "refused": False}
        super().__init__({"shape": shape, "index": index, **prediction, "told": told}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError: see the class.
        """
        shape = layout.as_shape(state["shape"])
        if 0 in shape or not 1 <= len(shape) <= MOST_DIMS:
            raise ValueError(f"x has 1 to {MOST_DIMS} dimensions of sizes 1 or more, got {tuple(shape)}")
        if layout.numel(shape) > MOST_ELEMENTS:
            raise ValueError(
                f"the lab draws up to {MOST_ELEMENTS} elements; this would have {layout.numel(shape)}"
            )
        index, says, guess = state["index"], state["says"], state["guess"]
        if not isinstance(index, str):
            raise TypeError(f"the index is a text such as '1:, [0, 2]', got {index!r}")
        parse_index(index, _numbered(shape))
        if says not in ("view", "copy", None):
            raise ValueError(f"says is 'view', 'copy' or None, got {says!r}")
        return {
            "shape": list(shape),
            "index": index.strip(),
            "says": says,
            "guess": None if guess is None else [layout.as_int(size, "the guess") for size in guess],
            "refused": bool(state["refused"]),
            "told": bool(state["told"]),
        }

    @property
    def tensor(self) -> Tensor:
        """The tensor x, which holds 0, 1, 2 and so on."""
        return _numbered(self.state["shape"])

    @property
    def result(self) -> Tensor | None:
        """``x[index]``; None where the library refuses it."""
        return self._taken()[1]

    @property
    def reason(self) -> str | None:
        """Why the library refuses it; None where it does not."""
        return self._taken()[2]

    @property
    def is_view(self) -> bool:
        """Whether the result shares x's storage."""
        x, result, _ = self._taken()
        return result is not None and result._storage is x._storage

    def _taken(self) -> tuple[Tensor, Tensor | None, str | None]:
        x = self.tensor
        try:
            return x, x[parse_index(self.state["index"], x)], None
        except (IndexError, ValueError) as error:
            return x, None, str(error)

    def text_twin(self) -> str:
        """The question, and folded under it the elements of the result."""
        x, result, reason = self._taken()
        asked = f"<p>x of shape {tuple(x.shape)} holds 0, 1, 2, … What is x[{self.state['index']}]?</p>"
        if result is None:
            answer = f"<p>It raises an error: {reason}.</p>"
        else:
            kind = "A view" if self.is_view else f"A gathered copy, {result.nbytes} bytes,"
            indices = itertools.product(*map(range, result.shape))
            rows = [(list(index), result[index].item()) for index in indices]
            answer = html_table(f"{kind} of shape {tuple(result.shape)}.", ["index", "value"], rows)
        summary = "Write down your prediction, then open the answer"
        return f"{asked}<details><summary>{summary}</summary>{answer}</details>"


def _numbered(shape: Sequence[int]) -> Tensor:
    return tl.arange(layout.numel(shape)).view(tuple(shape))
