"""Where in the padded copy of an image each tap finds its numbers, and how much is copied at a time.

Along one dimension the numbers that a tap meets for results 0, 1, 2, … are `step` apart. Taps whose offsets
differ by a multiple of the step meet the same ones, a little earlier or later: they share a *segment* of the
copy, in which these numbers are neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tensorlab.backends.cpu.gemm.blocks import Blocks
from tensorlab.backends.windows import Correlation, Window
from tensorlab.core.integers import ceil_div, round_up

# Channels and taps that are summed up in one go: the error of a sum grows with its length, and the tile goes
# to memory and back once for so many.
STEPS = 256

# A line of so many positions is long enough, and a longer one is cut.
LONGEST = 1024

# Results whose sums stand side by side; with more of them fewer positions would fit beside.
RESULTS = 128

# Positions that are summed up in one go for a gradient; and where a group has few results, so that a sum is
# made in all lanes of some vectors and is long only if there are many.
POSITIONS = 384
MANY_POSITIONS = 4096


class Segment(NamedTuple):
    """Neighbours in the copy: `size` numbers of the image, one step apart, from `start` on."""

    start: int
    size: int


def segments(window: Window, block: int) -> tuple[list[Segment], list[tuple[int, int]]]:
    """The segments that `block` neighbouring results need.

    Returns:
        the segments, and for each tap which segment it reads and the place there of result 0. Starts are
        counted from where a tap of offset 0 meets the first of the results.

    Example:
        >>> segments(Window(8, 8, 1, (-1, 0, 1)), 4)  # three taps over 4 + 2 neighbours
        ([Segment(start=-1, size=6)], [(0, 0), (0, 1), (0, 2)])
        >>> segments(Window(4, 8, 2, (-1, 0, 1)), 4)  # the odd numbers for two taps, and the even ones
        ([Segment(start=0, size=4), Segment(start=-1, size=5)], [(1, 0), (0, 0), (1, 1)])
        >>> segments(Window(4, 99, 1, (0, 90)), 4)[0]  # far taps have nothing in common
        [Segment(start=0, size=4), Segment(start=90, size=4)]
    """
    made: list[Segment] = []
    found: dict[int, tuple[int, int]] = {}
    step = window.step
    for offset in sorted(set(window.offsets), key=lambda offset: (offset % step, offset)):
        if made and (offset - made[-1].start) % step == 0:
            start, size = made[-1]
            place = (offset - start) // step
            if place <= size:  # it overlaps, or follows at once
                made[-1] = Segment(start, place + block)
                found[offset] = (len(made) - 1, place)
                continue
        made.append(Segment(offset, block))
        found[offset] = (len(made) - 1, 0)
    return made, [found[offset] for offset in window.offsets]


class Copy(NamedTuple):
    """The padded copy of some lines of one channel.

    Attributes:
        lines: for each line how far behind the block's first position it lies, in depth and in height.
        starts: for each segment how far behind it lies in width.
        pitch: the numbers of a segment in one line.
        plane: the numbers of a channel.
        places: where each tap finds the number of the first position.
    """

    lines: np.ndarray
    starts: np.ndarray
    pitch: int
    plane: int
    places: tuple[int, ...]


def copy_of(windows: Sequence[Window], rows: int, columns: int) -> Copy:
    """The copy that a block of `rows` × `columns` positions needs.

    Example:
        >>> dense, across = Window(1, 1, 1, (0,)), Window(8, 8, 1, (-1, 0, 1))
        >>> made = copy_of((dense, across, across), 2, 8)
        >>> made.lines.tolist(), made.pitch, made.plane, made.places
        ([[0, 0, 0, 0], [-1, 0, 1, 2]], 10, 40, (0, 1, 2, 10, 11, 12, 20, 21, 22))
    """
    z, y, x = (segments(window, block) for window, block in zip(windows, (1, rows, columns), strict=True))
    steps = [window.step for window in windows]
    deep, high = (
        [segment.start + i * step for segment in found for i in range(segment.size)]
        for (found, _), step in zip((z, y), steps[:2], strict=True)
    )
    pitch = max(segment.size for segment in x[0])
    size = len(deep) * len(high) * pitch
    z_places, y_places = (
        [sum(segment.size for segment in found[:at]) + place for at, place in taps] for found, taps in (z, y)
    )
    places = tuple(
        at * size + (in_z * len(high) + in_y) * pitch + place
        for in_z, in_y, (at, place) in itertools.product(z_places, y_places, x[1])
    )
    lines = np.array(list(itertools.product(deep, high)), np.int64).T.copy()
    starts = np.array([segment.start for segment in x[0]], np.int64)
    return Copy(lines, starts, pitch, len(starts) * size, places)


class Blocking(NamedTuple):
    """The sizes of a task and of its blocks; see `tensorlab.backends.cpu.convolution.loops.convolve`."""

    images: int
    results: int
    rows: int
    columns: int
    channels: int
    taps: int
    pitch: int
    plane: int
    room: int
    sums_row: int
    stays: int
    cells: int  # of workspace altogether

    def tasks(self, problem: Correlation, positions: bool) -> int:
        """How many tasks there are: pieces of the results at all `positions`, or pieces of the weights."""
        strips = problem.groups * ceil_div(problem.results, self.results)
        if not positions:
            taps = ceil_div(len(problem.taps), self.taps)
            return strips * ceil_div(problem.channels, self.channels) * taps
        z, y, x = (window.size for window in problem.windows)
        blocks = (
            ceil_div(problem.images, self.images) * z * ceil_div(y, self.rows) * ceil_div(x, self.columns)
        )
        return strips * blocks


def for_result(problem: Correlation, sizes: Blocks, share: int, team: int) -> tuple[Blocking, Copy]:
    """The blocks of a convolution.

    Args:
        problem: the convolution.
        sizes: of tiles.
        share: how many numbers each of the copy, the sums and the weights may have.
        team: how many threads want a task.
    """
    taps = len(problem.taps)
    channels = _equal(problem.channels, max(1, STEPS // taps))
    some_taps = taps if taps <= STEPS else STEPS
    results = _equal(problem.results, RESULTS, sizes.rows)
    _, height, width = (window.size for window in problem.windows)
    high = round_up(results, sizes.rows)
    columns = _equal(width, min(LONGEST, max(share // high, sizes.width)))
    while columns > sizes.width and channels * copy_of(problem.windows, 1, columns).plane > share:
        columns = _equal(width, columns // 2)
    rows = height
    while rows > 1:
        copy = copy_of(problem.windows, rows, columns)
        if high * rows * copy.pitch <= share and channels * copy.plane <= share:
            break
        rows = _equal(height, rows - 1)
    while True:
        copy = copy_of(problem.windows, rows, columns)
        per_image = round_up((rows - 1) * copy.pitch + columns, sizes.lanes)
        images = 1
        if rows == height and columns == width:
            images = _equal(problem.images, max(1, share // (high * per_image)))
        stays = high * problem.channels * taps <= 2 * share
        row = channels * taps if some_taps == taps else some_taps
        weights = (
            high * row * (ceil_div(problem.channels, channels) * ceil_div(taps, some_taps) if stays else 1)
        )
        room = round_up(channels * copy.plane + sizes.width, sizes.lanes)
        sums_row = images * per_image
        cells = room + high * sums_row + round_up(weights, sizes.lanes)
        made = Blocking(
            images, high, rows, columns, channels, some_taps, copy.pitch, copy.plane, room, sums_row,
            int(stays), cells,
        )  # fmt: skip
        if made.tasks(problem, True) >= team or (images == 1 and rows == 1):
            return made, copy
        rows = _equal(height, ceil_div(rows, 2)) if images == 1 else rows
        share = share // 2 if images > 1 else share


def for_gradient(problem: Correlation, sizes: Blocks, share: int, team: int) -> tuple[Blocking, Copy]:
    """The blocks of a weights' gradient. The arguments are those of `for_result`."""
    taps = len(problem.taps)
    _, height, width = (window.size for window in problem.windows)
    results = _equal(problem.results, 4 * sizes.width, sizes.lanes)
    positions = POSITIONS if sizes.rows > 1 else MANY_POSITIONS
    columns = _equal(width, positions)
    rows = _equal(height, max(1, positions // columns))
    while rows > 1 and copy_of(problem.windows, rows, columns).plane > share:
        rows = _equal(height, rows // 2)
    copy = copy_of(problem.windows, rows, columns)
    wide = round_up(results, sizes.lanes)
    most = max(share // wide, sizes.rows)
    some_taps = min(taps, most)
    channels = _equal(problem.channels, max(1, min(most // taps, share // copy.plane)))
    while True:
        room = round_up(channels * copy.plane + sizes.width, sizes.lanes)
        cells = (
            room
            + rows * max(columns * wide, copy.pitch * results)
            + round_up(channels * some_taps, sizes.rows) * wide
        )
        made = Blocking(
            1, results, rows, columns, channels, some_taps, copy.pitch, copy.plane, room, wide, 0, cells
        )
        if made.tasks(problem, False) >= team or channels == 1:
            return made, copy
        channels = _equal(problem.channels, channels // 2)


def _equal(size: int, most: int, multiple: int = 1) -> int:
    """The size of equal blocks, none larger than `most`; a multiple of `multiple`, like `most` itself."""
    return min(round_up(ceil_div(size, ceil_div(size, most)), multiple), round_up(size, multiple))
