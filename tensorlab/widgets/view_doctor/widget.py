"""`ViewDoctor`: the Python side. `tensorlab.core.layout.view_strides` decides what merges and is a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import layout, view_rules
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab
from tensorlab.widgets.storage_lab.checks import check_layout

__all__ = ["ViewDoctor"]

MOST_ELEMENTS = 1024  # as in engine.js: what the doctor draws
MARKS, ANSWERS = ("open", "merge", "apart"), ("open", "view", "copy")


class ViewDoctor(Lab):
    """Which neighbouring dimensions merge? The reader brackets them, says what reshape makes; then it tells.

    Two neighbours merge where the outer stride is the inner size times the inner stride. A new shape is a
    view when its sizes cut inside of the runs of merged dimensions. Where it is none, the doctor shows the
    copy that `reshape` would make.

    Args:
        tensor: a tensor whose layout is looked at; or give the layout itself.
        shape, stride, offset: the layout; strides default to those of a dense tensor.
        target: the new shape, with one -1 perhaps.
        told: whether to show the diagnosis from the beginning, with nothing to predict.
        key: the doctor's name in the page's address; left out, it follows from the first state.

    Raises:
        RuntimeError: the new shape holds another number of elements.
        ValueError: the doctor cannot draw that many.

    `marks` and `answer` are what the reader has said so far.

    Example:
        >>> doctor = ViewDoctor(tl.arange(24).view(2, 3, 4).transpose(0, 1), target=(3, 2, 2, 2))
        >>> doctor.state["stride"], doctor.merges, doctor.view
        ([4, 12, 1], [False, False], (4, 12, 2, 1))
        >>> doctor.change(target=[6, 4])
        >>> doctor.view is None, doctor.reason
        (True, 'dimensions 0 and 1 are not adjacent in memory')
        >>> doctor.marks, doctor.answer
        (['open', 'open'], 'open')
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        tensor: Tensor | None = None,
        *,
        shape: Sequence[int] = (2, 3, 4),
        stride: Sequence[int] | None = None,
        offset: int = 0,
        target: Sequence[int] = (-1,),
        told: bool = False,
        key: str | None = None,
    ) -> None:
        if tensor is not None:
            if not isinstance(tensor, Tensor):
                raise TypeError(f"ViewDoctor looks at a tensorlab tensor, got {tensor!r}")
            shape, stride, offset = tensor.shape, tensor.stride(), tensor.storage_offset()
        strides = layout.default_strides(shape) if stride is None else stride
        state = {"shape": shape, "stride": strides, "offset": offset, "target": target}
        super().__init__({**state, "marks": [], "answer": "open", "told": told}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError, RuntimeError: the layout or the new shape cannot be, or is too large.
        """
        shape = layout.as_shape(state["shape"])
        stride = tuple(layout.as_int(step, "every stride") for step in state["stride"])
        offset = layout.as_int(state["offset"], "offset")
        if not shape:
            raise ValueError("a tensor without dimensions has no borders to look at")
        count = layout.numel(shape)
        if count > MOST_ELEMENTS:
            raise ValueError(f"the doctor draws up to {MOST_ELEMENTS} elements; this would have {count}")
        check_layout(shape, stride, offset, 4 * MOST_ELEMENTS)
        target = tuple(layout.as_int(size, "every size of the target") for size in state["target"])
        view_rules.viewed(shape, stride, target)
        marks = list(state["marks"]) or ["open"] * (len(shape) - 1)
        if len(marks) != len(shape) - 1 or not set(marks) <= set(MARKS) or state["answer"] not in ANSWERS:
            raise ValueError(
                f"marks are {len(shape) - 1} of {MARKS} and an answer is one of {ANSWERS}, "
                f"got {marks} and {state['answer']!r}"
            )
        return {
            "shape": list(shape),
            "stride": list(stride),
            "offset": offset,
            "target": list(target),
            "marks": marks,
            "answer": state["answer"],
            "told": bool(state["told"]),
        }

    @property
    def merges(self) -> list[bool]:
        """For each pair of neighbours, whether the two dimensions merge into one."""
        shape, stride = self.state["shape"], self.state["stride"]
        pairs = [(shape[dim : dim + 2], stride[dim : dim + 2]) for dim in range(len(shape) - 1)]
        return [isinstance(layout.view_strides(s, t, (layout.numel(s),)), tuple) for s, t in pairs]

    @property
    def view(self) -> tuple[int, ...] | None:
        """The strides of the new shape as a view; None where there is no such view."""
        stride = self._treated()
        return stride if isinstance(stride, tuple) else None

    @property
    def reason(self) -> str | None:
        """Why there is no such view; None where there is one."""
        stride = self._treated()
        return stride.reason if isinstance(stride, layout.Refusal) else None

    @property
    def marks(self) -> list[str]:
        """What the reader said of each border: "merge", "apart", or "open"."""
        return list(self.state["marks"])

    @property
    def answer(self) -> str:
        """What the reader said that reshape makes: "view", "copy", or "open"."""
        return str(self.state["answer"])

    def _treated(self) -> tuple[int, ...] | layout.Refusal:
        state = self.state
        return view_rules.viewed(tuple(state["shape"]), tuple(state["stride"]), tuple(state["target"]))[1]

    def text_twin(self) -> str:
        """The borders as a table, folded with the answer: a reader without JavaScript predicts on paper."""
        shape, stride = self.state["shape"], self.state["stride"]
        asked = html_table(
            f"A tensor of shape {tuple(shape)} and strides {tuple(stride)}. Which neighbours merge, and is "
            f"{tuple(self.state['target'])} a view?",
            ["dimension", "size", "stride"],
            list(zip(range(len(shape)), shape, stride, strict=True)),
        )
        rows = [
            (
                f"{dim} and {dim + 1}",
                stride[dim],
                f"{shape[dim + 1]}·{stride[dim + 1]}",
                "yes" if merge else "no",
            )
            for dim, merge in enumerate(self.merges)
        ]
        told = html_table("The borders.", ["border", "outer stride", "a run inside", "merges"], rows)
        answer = (
            f"A view, with strides {self.view}."
            if self.reason is None
            else f"No view: {self.reason}. reshape copies {layout.numel(shape) * tl.float32.itemsize} bytes."
        )
        return (
            f"{asked}<details><summary>Write down your prediction, then open the answer</summary>"
            f"{told}<p>{answer}</p></details>"
        )
