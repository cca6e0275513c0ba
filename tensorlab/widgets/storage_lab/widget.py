"""`StorageLab`: the Python side. It holds the layout, checks every change, and lends the page the values."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import traitlets

import tensorlab as tl
from tensorlab.core import dtypes, layout
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import BookWidget
from tensorlab.widgets.lab import automatic_key, checked_choice, checked_key
from tensorlab.widgets.storage_lab.checks import Ints, IntsOrNone, check_layout, first_hand
from tensorlab.widgets.storage_lab.following import refresh_after_cells
from tensorlab.widgets.storage_lab.twin import cell_text, layout_table

__all__ = ["StorageLab"]

MOST_CELLS = 4096  # as in grid.js: what a page draws of a tensor and of a storage
PRESETS = ("rows", "columns", "transpose", "every second", "windows", "broadcast", "overlap")
FROM_PAGE = ("shape", "stride", "offset", "cells", "dtype", "hand")


class StorageLab(BookWidget):
    """A tensor's cells above, its flat storage below, and the sum that leads from one to the other.

    Args:
        tensor: the tensor to show, with its storage, dtype and address. Left out, the lab shows a sample
            storage that holds 0, 1, 2, … and in which every layout can be tried.
        shape, stride, offset: the layout. They default to the tensor's own, or to a dense one from cell 0.
        cells: the length of the sample storage; it defaults to what the layout needs.
        dtype: the sample's dtype.
        hand: the index to begin with; the first element if left out.
        presets: which of the named layouts above the tensor are offered: "rows", "columns", "transpose",
            "every second", "windows", "broadcast", "overlap"; all if left out.
        name: what the Python line calls a given tensor.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Raises:
        RuntimeError: an element would lie outside the storage; the message says which, and where.
        TypeError: `cells` or `dtype` beside a tensor, which has its own.
        ValueError: there is no such preset.

    `shape`, `stride`, `offset` and `hand` (the index in hand, None in a tensor without elements) follow the
    page, and setting them changes the page. A new `shape` keeps a dense layout dense; `as_strided` sets all
    three at once. A layout that does not fit raises the library's error and leaves everything as it was.
    What is written into a given tensor shows when the notebook's cell has run, or after `refresh`.

    Example:
        >>> lab = StorageLab(shape=(3, 4))
        >>> lab.shape = (2, 6)
        >>> lab.stride, lab.hand
        ((6, 1), (0, 0))
        >>> lab.as_strided((4, 3), (1, 4))
        >>> lab.tensor.tolist()[1]
        [1.0, 5.0, 9.0]
        >>> lab.offset = 1
        Traceback (most recent call last):
            ...
        RuntimeError: element (3, 2) would lie in cell 1 + 3·1 + 2·4 = 12, and the storage has cells 0 … 11
    """

    folder = Path(__file__).parent
    sheets = ("base.css", "lab.css")

    shape = Ints().tag(sync=True)
    stride = Ints().tag(sync=True)
    offset = traitlets.Int().tag(sync=True)
    cells = traitlets.Int().tag(sync=True)
    dtype = traitlets.Unicode().tag(sync=True)
    hand = IntsOrNone().tag(sync=True)

    presets = traitlets.List(traitlets.Unicode()).tag(sync=True)
    name = traitlets.Unicode("x").tag(sync=True)
    key = traitlets.Unicode().tag(sync=True)
    # For the page alone: whether the storage is a given tensor's, where that lies in memory (in text: an
    # address can be too long for a JavaScript number), what its drawn cells hold, and what `reset` goes to.
    _fixed = traitlets.Bool().tag(sync=True)
    _pointer = traitlets.Unicode().tag(sync=True)
    _values = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _values_start = traitlets.Int().tag(sync=True)
    _start = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        tensor: Tensor | None = None,
        *,
        shape: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        offset: int | None = None,
        cells: int | None = None,
        dtype: tl.dtype | str | None = None,
        hand: Sequence[int] | None = None,
        presets: Sequence[str] | None = None,
        name: str = "x",
        key: str | None = None,
    ) -> None:
        if tensor is not None:
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"StorageLab shows a tensorlab tensor, got {tensor!r}: tl.as_tensor(…) makes one"
                )
            if cells is not None or dtype is not None:
                raise TypeError("cells and dtype belong to the sample storage; a given tensor has its own")
            shape = tensor.shape if shape is None else shape
            stride = tensor.stride() if stride is None and len(shape) == tensor.ndim else stride
            offset = tensor.storage_offset() if offset is None else offset
            cells, dtype = len(tensor.storage()), tensor.dtype
        sizes = layout.as_shape((3, 4) if shape is None else shape)
        strides = layout.default_strides(sizes) if stride is None else stride
        element_type = tl.float32 if dtype is None else dtype
        if isinstance(element_type, str):
            element_type = dtypes.by_name(element_type)
        start = layout.as_int(0 if offset is None else offset, "offset")
        if cells is None:
            check_layout(sizes, strides, start, sys.maxsize)
            reached = layout.address_range(sizes, strides, start)
            cells = 0 if reached is None else reached[1] + 1
        check_layout(sizes, strides, start, cells)
        self._given = tensor
        self._sample: Tensor | None = None
        first = {
            "shape": tuple(sizes),
            "stride": tuple(strides),
            "offset": start,
            "cells": cells,
            "dtype": element_type.name,
            "hand": first_hand(hand, sizes),
        }
        super().__init__(
            **first,
            presets=checked_choice("preset", presets, PRESETS),
            name=name,
            key=automatic_key("storagelab", first) if key is None else checked_key(key),
            _fixed=tensor is not None,
            _pointer="" if tensor is None else str(tensor.untyped_storage().data_ptr()),
            _start=first,
        )
        self.refresh()
        if tensor is not None:
            refresh_after_cells(self)

    # ---- what Python reads and sets

    @property
    def tensor(self) -> Tensor:
        """The tensor that the lab shows now: a view of the given tensor's storage, or of the sample."""
        return tl.as_strided(self._source(), self.shape, self.stride, self.offset)

    def as_strided(self, shape: Sequence[int], stride: Sequence[int], offset: int = 0) -> None:
        """Show another layout of the same storage, all of it at once.

        Raises:
            RuntimeError: an element would lie outside the storage.
        """
        self._apply(
            shape=layout.as_shape(shape), stride=tuple(stride), offset=layout.as_int(offset, "offset")
        )

    def refresh(self) -> None:
        """Read the given tensor's storage again, after it was written to."""
        if self._given is None:
            return
        reached = layout.address_range(self.shape, self.stride, self.offset)
        start = (
            min(reached[0] if reached else 0, max(self.cells - MOST_CELLS, 0))
            if self.cells > MOST_CELLS
            else 0
        )
        count = min(self.cells, MOST_CELLS)
        window = tl.as_strided(self._given, (count,), (1,), start)
        with self.hold_sync():
            self._values_start, self._values = start, [cell_text(cell.item()) for cell in window]

    def _source(self) -> Tensor:
        if self._given is not None:
            return self._given
        if self._sample is None:
            element_type = dtypes.by_name(self.dtype)
            make = tl.zeros if element_type is tl.bool else tl.arange
            self._sample = make(self.cells, dtype=element_type)
        return self._sample

    # ---- how a change is checked

    def _apply(self, **changes: Any) -> None:
        """Set traits together, after the layout that they make was checked."""
        wanted = {
            name: getattr(self, name) for name in ("shape", "stride", "offset", "cells", "dtype")
        } | changes
        shape = wanted["shape"]
        check_layout(shape, wanted["stride"], wanted["offset"], wanted["cells"])
        hand = changes.get("hand", self.hand)
        if 0 in shape:
            wanted["hand"] = None
        elif hand is None or len(hand) != len(shape):
            wanted["hand"] = (0,) * len(shape)
        else:
            wanted["hand"] = tuple(min(i, size - 1) for i, size in zip(hand, shape, strict=True))
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in wanted.items():
                setattr(self, name, value)

    @traitlets.validate("shape", "stride", "offset", "cells", "dtype")
    def _valid_layout(self, proposal: Any) -> Any:
        if (
            self._cross_validation_lock
        ):  # several traits at once: they were set already, and must fit together
            try:
                self._check_state({})
            except (TypeError, ValueError, RuntimeError, IndexError) as error:
                raise traitlets.TraitError(str(error)) from error  # the one error that takes them all back
            return proposal["value"]
        name, value = proposal["trait"].name, proposal["value"]
        changes = {name: value}
        if name in ("cells", "dtype"):
            if self._fixed and value != getattr(self, name):
                raise TypeError(f"{name} belongs to the storage of the given tensor and cannot be set")
            if name == "dtype":
                dtypes.by_name(value)
        if name == "shape":
            layout.as_shape(value)
            dense = self.stride == layout.default_strides(self.shape)
            if dense or len(value) != len(self.shape):
                changes["stride"] = layout.default_strides(value)
        self._apply(**changes)
        return value

    @traitlets.validate("hand")
    def _valid_hand(self, proposal: Any) -> Any:
        value = proposal["value"]
        if self._cross_validation_lock or (value is None and 0 in self.shape):
            return value
        return layout.check_index(() if value is None else value, self.shape)

    @traitlets.observe("cells", "dtype")
    def _forget_sample(self, _change: Any) -> None:
        self._sample = None

    @traitlets.observe("shape", "stride", "offset")
    def _move_window(self, _change: Any) -> None:
        if self.cells > MOST_CELLS:
            self.refresh()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over what the page sends, if it fits together; else send the page what stands here."""
        known = {name: value for name, value in sync_data.items() if name in FROM_PAGE}
        try:
            self._check_state(known)
        except (TypeError, ValueError, RuntimeError, IndexError):
            self.send_state(list(FROM_PAGE))
            raise
        super().set_state(known)

    def _check_state(self, state: dict[str, Any]) -> None:
        """Raise what is wrong with a state from the page; it never reaches the traits then."""
        wanted = {name: getattr(self, name) for name in FROM_PAGE} | state
        for name in ("cells", "dtype"):
            if self._fixed and wanted[name] != getattr(self, name):
                raise TypeError(f"{name} belongs to the storage of the given tensor and cannot be set")
        shape = layout.as_shape(wanted["shape"])
        stride = tuple(layout.as_int(step, "every stride") for step in wanted["stride"])
        offset, cells = (layout.as_int(wanted[name], name) for name in ("offset", "cells"))
        dtypes.by_name(wanted["dtype"])
        check_layout(shape, stride, offset, cells)
        if wanted["hand"] is None:
            if 0 not in shape:
                raise ValueError("hand is None, and the tensor has elements")
        else:
            layout.check_index(wanted["hand"], shape)

    # ---- what is shown without JavaScript, and in a terminal

    def text_twin(self) -> str:
        """The layout and the address of every element as a table, and the storage as a list."""
        return layout_table(self._source(), self.shape, self.stride, self.offset)

    def __repr__(self) -> str:
        return (
            f"StorageLab(shape={self.shape}, stride={self.stride}, offset={self.offset}, "
            f"cells={self.cells}, dtype={self.dtype!r})"
        )
