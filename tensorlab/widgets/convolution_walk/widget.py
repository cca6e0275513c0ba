"""`ConvolutionWalk`: the Python side. The library's own views decide where windows lie."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.nn import functional
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab

__all__ = ["ConvolutionWalk"]

MOST_CELLS = 256  # as in engine.js: what the lab draws
OPTIONS: dict[str, tuple[Any, ...]] = {
    "layout": ("NCHW", "NHWC"),
    "sees": ("all", "one"),
    "line": (16, 32, 64),  # bytes
}
LEAST = {"kernel": 1, "stride": 1, "padding": 0, "dilation": 1}


class ConvolutionWalk(Lab):
    """All windows of a small image as one view, and the cache lines that each of them touches.

    The lab shows the strides of the view in both orders of the channels, the cells that a window reads, the
    lines that it touches, and the bytes that im2col would write where the view takes none. With padding, the
    image is copied with zeros around it first; the windows are a view of that.

    Args:
        image: channels, height and width; with its padding at most 256 elements of float32.
        kernel: how many elements a window has in each direction.
        stride: how far apart windows begin.
        padding: the zeros at each side of the image.
        dilation: how far apart a window's elements lie.
        layout: the order of the storage, "NCHW" (row-major) or "NHWC" (channels last).
        sees: whether a window reads "all" channels or "one", as with ``groups=channels``.
        line: bytes of a cache line: 16, 32 or 64. 16 shows the effect on a small image; 64 is real.
        place: the window in hand, counted down and across.
        key: the lab's name in the page's address; left out, it follows from the first state.

    Raises:
        TypeError, ValueError: a member is of another type or out of its range.
        RuntimeError: the windows are larger than the padded image, with the library's own message.

    Example:
        >>> lab = ConvolutionWalk((3, 6, 6), kernel=3)
        >>> lab.windows.shape, lab.windows.stride()
        (tensorlab.Size([1, 3, 4, 4, 3, 3]), (108, 36, 6, 1, 6, 1))
        >>> len(lab.lines((0, 0))), len(lab.lines((0, 2)))
        (12, 15)
        >>> lab.change(layout="NHWC")
        >>> lab.windows.stride(), len(lab.lines((0, 0)))
        ((108, 1, 18, 3, 18, 3), 9)
        >>> lab.columns.nbytes, lab.image.nbytes
        (1728, 432)
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        image: Sequence[int] = (3, 6, 6),
        *,
        kernel: int = 3,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        layout: str = "NCHW",
        sees: str = "all",
        line: int = 16,
        place: Sequence[int] = (0, 0),
        key: str | None = None,
    ) -> None:
        state = {
            "image": image,
            "kernel": kernel,
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "layout": layout,
            "sees": sees,
            "line": line,
            "place": place,
        }
        super().__init__(state, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError, RuntimeError: see the class.
        """
        image = layout.as_shape(state["image"])
        if len(image) != 3 or 0 in image:
            raise ValueError(
                f"the image has three sizes, channels, height and width, each 1 or more, got {tuple(image)}"
            )
        numbers = {name: layout.as_int(state[name], f"the {name}") for name in LEAST}
        for name, least in LEAST.items():
            if numbers[name] < least:
                raise ValueError(f"the {name} is {least} or more, got {numbers[name]}")
        channels, height, width = image
        cells = channels * (height + 2 * numbers["padding"]) * (width + 2 * numbers["padding"])
        if cells > MOST_CELLS:
            raise ValueError(
                f"the lab draws up to {MOST_CELLS} elements; with its padding the image has {cells}"
            )
        for name, options in OPTIONS.items():
            if state[name] not in options:
                raise ValueError(f"{name} is one of {options}, got {state[name]!r}")
        chosen = {name: state[name] for name in OPTIONS}
        most = cls._windows(cls._image(list(image), numbers["padding"], chosen["layout"]), numbers).shape[2:4]
        place = [layout.as_int(k, "every number of the place") for k in state["place"]]
        if len(place) != 2:
            raise ValueError(f"the place has two numbers, down and across, got {place}")
        nearest = [min(max(k, 0), count - 1) for k, count in zip(place, most, strict=True)]
        return {"image": list(image), **numbers, **chosen, "place": nearest}

    @staticmethod
    def _image(image: list[int], padding: int, layout_name: str) -> Tensor:
        x = tl.arange(layout.numel(image), dtype=tl.float32).view(1, *image)
        x = functional.pad(x, (padding,) * 4)
        return x.to(memory_format=tl.channels_last) if layout_name == "NHWC" else x

    @staticmethod
    def _windows(x: Tensor, numbers: Mapping[str, int]) -> Tensor:
        apart = numbers["dilation"]
        span = apart * (numbers["kernel"] - 1) + 1
        every = x.unfold(2, span, numbers["stride"]).unfold(3, span, numbers["stride"])
        return every[..., ::apart, ::apart]

    @property
    def image(self) -> Tensor:
        """The image, 0, 1, 2 and so on, with its zeros around it, in the chosen order of the storage."""
        return self._image(self.state["image"], self.state["padding"], self.state["layout"])

    @property
    def windows(self) -> Tensor:
        """All windows, a view of `image`: (image, channel, down, across, row, column)."""
        return self._windows(self.image, self.state)

    @property
    def columns(self) -> Tensor:
        """What im2col makes of the image: (image, channels x window, places)."""
        state = self.state
        return functional.unfold(
            self.image, state["kernel"], dilation=state["dilation"], stride=state["stride"]
        )

    def lines(self, place: Sequence[int]) -> list[int]:
        """The numbers of the cache lines that the window at a place touches, in order."""
        down, across = place
        window = self.windows[0, :, down, across]
        if self.state["sees"] == "one":
            window = window[:1]
        cells = {
            window.storage_offset() + sum(i * step for i, step in zip(index, window.stride(), strict=True))
            for index in itertools.product(*map(range, window.shape))
        }
        return sorted({cell * window.element_size() // self.state["line"] for cell in cells})

    def text_twin(self) -> str:
        """The strides of the view, and the lines that each window touches in both orders."""
        orders = {name: ConvolutionWalk(**{**self.state, "layout": name}) for name in OPTIONS["layout"]}
        strides = [(f"strides in {name}", *lab.windows.stride()) for name, lab in orders.items()]
        windows = self.windows
        view = html_table(
            f"All windows of an image, a view; im2col would write {self.columns.nbytes} bytes, and the image "
            f"has {self.image.nbytes}.",
            ["windows", "image", "channel", "down", "across", "row", "column"],
            [("shape", *windows.shape), *strides],
        )
        touched = html_table(
            f"Cache lines of {self.state['line']} bytes that a window touches.",
            ["window", *orders],
            [
                (list(place), *(len(lab.lines(place)) for lab in orders.values()))
                for place in itertools.product(*map(range, windows.shape[2:4]))
            ],
        )
        return view + touched
