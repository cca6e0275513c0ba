"""A whole backend: the memory and the core of a device, and what is fused, made of these by default."""

from __future__ import annotations

from tensorlab.backends.array import Array, filled, numbered
from tensorlab.backends.layers import LayerOperations
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.backends.recurrent import RecurrentOperations
from tensorlab.backends.windows import WindowOperations
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

__all__ = ["Backend"]


class Backend(LayerOperations, RecurrentOperations, WindowOperations):
    """The memory and all operations of one device (see `tensorlab.backends.protocol`)."""

    def search(
        self, element_type: dtype, result: dtype, numbers: int, length: int, several: int, after: bool
    ) -> Launch:
        """Prepare to say of each number how many elements of its sorted sequence come before it.

        Args:
            element_type: the dtype of the elements.
            result: that of the results, int64 or int32.
            numbers: how many are looked for, at least one.
            length: how many elements a sequence has.
            several: how many numbers are looked for in each sequence in turn.
            after: whether elements that equal the number come before it, too.

        Returns:
            a launch of (places, numbers, sequences, order), all row-major. `order` says where in their
            sequence the elements stand in order, int64; it is None if they do.
        """

        def launch(places: Buffer, sought: Buffer, sequences: Buffer, order: Buffer | None) -> None:
            number = Array(self, sought, element_type, (numbers,))
            elements = Array(self, sequences, element_type, (numbers,), (0,))
            start = numbered(self, numbers).map("floor_divide", several).map("mul", length)
            low, high = (filled(self, (numbers,), dtypes.int64, end) for end in (0, length))
            for _ in range(length.bit_length()):  # each step halves what lies between low and high
                is_open = low.map("lt", high)
                middle = low.map("add", high).map("floor_divide", 2)
                place = middle.map("minimum", length - 1)
                if order is not None:
                    listed = Array(self, order, dtypes.int64, (numbers,), (0,))
                    place = listed.gather(numbers * length, 1, start.map("add", place))
                element = elements.gather(numbers * length, 1, start.map("add", place))
                # A negation, so that a NaN in the sequence comes before every number, as in PyTorch.
                more = element.map("gt" if after else "ge", number).map("logical_not")
                low.put("where", is_open.map("logical_and", more), middle.map("add", 1), low)
                high.put("where", low.map("gt", middle), high, middle)
            Array(self, places, result, (numbers,)).put("copy", low)

        return launch
