"""`StrideLab`: the Python side. It checks every change by applying the operations to real tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import traitlets

import tensorlab as tl
from tensorlab.core import dtypes, layout
from tensorlab.tensor import Tensor
from tensorlab.widgets.lab import Lab, checked_choice
from tensorlab.widgets.storage_lab.widget import PRESETS
from tensorlab.widgets.stride_lab.operations import MOST_ELEMENTS, apply, checked_operation, python_text
from tensorlab.widgets.stride_lab.twin import steps_twin

__all__ = ["StrideLab"]

LINES = (8, 16, 32, 64, 128)  # bytes of a cache line
BUTTONS = (  # "step" is a slice, "window" is unfold
    *("transpose", "permute", "slice", "step", "select", "expand", "unsqueeze", "squeeze", "diagonal"),
    *("window", "flip", "view", "reshape", "contiguous", "as_strided"),
)
WALKS = ("last", "first")  # which dimension moves fastest


class StrideLab(Lab):
    """View operations on a tensor, one after the other: what each does to shape, strides and offset.

    Above the storage stands the tensor; between them the sum of the element in hand. Each operation says
    whether it made a view or a copy and how many bytes it moved. Where `view` fails, the lab says which two
    dimensions are not adjacent in memory. A walk through the elements counts the cache lines that it fetches.

    Args:
        shape: the shape of the first tensor, which is dense and holds 0, 1, 2, …
        ops: the operations to begin with, each a name and its arguments: ``("transpose", 0, 1)``,
            ``("slice", dim, start, stop, step)``, ``("select", dim, index)``, ``("permute", 2, 0, 1)``,
            ``("expand", 3, 4)``, ``("unsqueeze", dim)``, ``("squeeze", dim)``,
            ``("diagonal", offset, dim1, dim2)``, ``("unfold", dim, size, step)``, ``("flip", dim)``,
            ``("view", 4, 3)``, ``("reshape", 12)``, ``("contiguous",)``,
            ``("as_strided", (2, 3), (1, 2), 0)``.
        dtype: the element type.
        hand: the index to begin with; the first element if left out.
        line: bytes of a cache line: 8, 16, 32, 64 or 128. 16 shows the effect on a small tensor; 64 is real.
        walk: which dimension the walk moves fastest: "last" (row by row) or "first" (column by column).
        operations: the buttons that are offered: "transpose", "permute", "slice", "step", "select", "expand",
            "unsqueeze", "squeeze", "diagonal", "window", "flip", "view", "reshape", "contiguous",
            "as_strided"; all if left out. Without "view" and "reshape" the lab doesn't talk of them.
        presets: which of the named ways to read a table are offered: "rows", "columns", "transpose",
            "every second", "windows", "broadcast", "overlap"; all if left out.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Raises:
        RuntimeError, IndexError, ValueError: an operation is refused, with the library's own message.

    `state` follows the page, and setting it, `apply` and `undo` change the page.

    Example:
        >>> lab = StrideLab(shape=(3, 4), ops=[("transpose", 0, 1)])
        >>> lab.tensor.stride()
        (1, 4)
        >>> lab.apply("slice", 0, 0, 4, 2)
        >>> lab.tensor.shape, lab.tensor.stride(), lab.line_of_python
        (tensorlab.Size([2, 3]), (2, 4), 'tl.arange(12, dtype=tl.float32).view(3, 4).transpose(0, 1)[::2]')
        >>> lab.apply("view", 6)
        Traceback (most recent call last):
            ...
        RuntimeError: cannot view (2, 3) with strides (2, 4) as (6,): dimensions 0 and 1 are not adjacent in \
memory; reshape would copy 24 bytes
        >>> lab.undo()
        >>> lab.ops
        [('transpose', 0, 1)]
    """

    folder = Path(__file__).parent

    operations = traitlets.List(traitlets.Unicode()).tag(sync=True)
    presets = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        shape: Sequence[int] = (3, 4),
        *,
        ops: Sequence[Sequence[Any]] = (),
        dtype: tl.dtype | str = tl.float32,
        hand: Sequence[int] | None = None,
        line: int = 16,
        walk: str = "last",
        operations: Sequence[str] | None = None,
        presets: Sequence[str] | None = None,
        key: str | None = None,
    ) -> None:
        name = dtype if isinstance(dtype, str) else dtype.name
        state = {"shape": shape, "dtype": name, "ops": ops, "hand": hand, "line": line, "walk": walk}
        super().__init__(state, key)
        self.operations = checked_choice("operation", operations, BUTTONS)
        self.presets = checked_choice("preset", presets, PRESETS)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values, after the operations were applied to real tensors.

        Raises:
            TypeError: a member is of another type.
            RuntimeError, IndexError, ValueError: an operation is refused, or a member is out of its range.
        """
        ops = [checked_operation(call) for call in state["ops"]]
        result = cls._steps(state["shape"], state["dtype"], ops)[-1]
        for name, options in (("line", LINES), ("walk", WALKS)):
            if state[name] not in options:
                raise ValueError(f"{name} is one of {options}, got {state[name]!r}")
        hand = state["hand"]
        if 0 in result.shape:
            hand = None
        elif hand is None or len(hand) != result.ndim:
            hand = [0] * result.ndim
        else:  # the nearest one that there is
            hand = [
                min(max(layout.as_int(i, "hand"), 0), size - 1)
                for i, size in zip(hand, result.shape, strict=True)
            ]
        return {
            "shape": list(layout.as_shape(state["shape"])),
            "dtype": dtypes.by_name(state["dtype"]).name,
            "ops": ops,
            "hand": hand,
            "line": state["line"],
            "walk": state["walk"],
        }

    @staticmethod
    def _steps(shape: Sequence[int], dtype: str, ops: Sequence[list[Any]]) -> list[Tensor]:
        """The first tensor, and what each operation made of the one before."""
        count = layout.numel(shape)
        if count > MOST_ELEMENTS:
            raise ValueError(f"the lab draws up to {MOST_ELEMENTS} elements; this would have {count}")
        element_type = dtypes.by_name(dtype)
        line = tl.zeros(count, dtype=element_type) if element_type is tl.bool else None
        steps = [(tl.arange(count, dtype=element_type) if line is None else line).view(tuple(shape))]
        for call in ops:
            steps.append(apply(steps[-1], call))
        return steps

    @property
    def steps(self) -> list[Tensor]:
        """The first tensor, and what each operation made of the one before."""
        return self._steps(self.state["shape"], self.state["dtype"], self.state["ops"])

    @property
    def tensor(self) -> Tensor:
        """The tensor that the lab shows now."""
        return self.steps[-1]

    @property
    def ops(self) -> list[tuple[Any, ...]]:
        """The operations so far, each a name and its arguments."""
        return [
            (name, *(tuple(a) if isinstance(a, list) else a for a in rest))
            for name, *rest in self.state["ops"]
        ]

    @property
    def line_of_python(self) -> str:
        """The line that makes this tensor."""
        steps, state = self.steps, self.state
        source = "zeros" if state["dtype"] == "bool" else "arange"
        extra = "" if state["dtype"] == "int64" else f", dtype=tl.{state['dtype']}"
        text = f"tl.{source}({steps[0].numel()}{extra}){python_text(['view', state['shape']], ())}"
        return text + "".join(
            python_text(call, x.shape) for call, x in zip(state["ops"], steps[:-1], strict=True)
        )

    def apply(self, name: str, *arguments: Any) -> None:
        """Apply one more operation.

        Raises:
            RuntimeError, IndexError, ValueError: it is refused, with the library's own message.
        """
        self.change(ops=[*self.state["ops"], (name, *arguments)])

    def undo(self) -> None:
        """Take the last operation back, if there is one."""
        self.change(ops=self.state["ops"][:-1])

    def text_twin(self) -> str:
        """Every step and what it did, and the address of every element of the last, as tables."""
        return steps_twin(self.steps, self.state["ops"])
