"""Figures about the line of memory: what is on it, the way to an element, what a walk along it costs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

from tensorlab.figures.anchors import Box
from tensorlab.figures.elements import Elements, numbers_of
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.core.dtypes import dtype
    from tensorlab.tensor import Tensor

__all__ = [
    "bytes_of",
    "fetched_lines",
    "kept",
    "list_beside_storage",
    "reach",
    "rows_over_line",
    "steps_of",
    "way_to",
]


def list_beside_storage(values: Sequence[float], dtype: dtype, caption: str = "") -> Figure:
    """Return a figure of a Python list of floats and of a storage with the same numbers, both to scale.

    What is hatched holds no number: the addresses in the list, and the head of each float object. The sizes
    are those of the running Python.

    Args:
        values: up to six floats.
        dtype: of the storage.
        caption: what to see.

    Raises:
        ValueError: there are no values, or more than six.

    Example:
        >>> import tensorlab as tl
        >>> figure = list_beside_storage([0.5, 1.5], tl.float32, "The same two numbers.")
        >>> "a storage of 2 numbers in 8 bytes" in figure._repr_html_()
        True
    """
    if not 1 <= len(values) <= 6:
        raise ValueError(f"1 to 6 values can be drawn to scale, got {len(values)}")
    count, each, address = len(values), sys.getsizeof(values[0]), sys.getsizeof([0]) - sys.getsizeof([])
    listed, stored = count * (each + address), count * dtype.itemsize
    says = f"A list of {count} floats in {listed} bytes; a storage of {count} numbers in {stored} bytes."

    def draw(width: float) -> Scene:
        s = Scene(width, "The same numbers in a list and in a storage", says)
        unit = (width - 2) / (count * (each + 4) - 4)
        s.text(0, 14, "a list: addresses and objects", size=14, bold=True)
        for k, value in enumerate(values):
            left, fill = 1 + k * (each + 4) * unit, memory(k / max(count - 1, 1))
            pointer = s.cell(1 + k * address * unit, 26, "", "waste", address * unit, 26)
            s.cell(left, 104, "", "waste", (each - 8) * unit, 34)
            number = s.cell(left + (each - 8) * unit, 104, f"{value:g}", fill, 8 * unit, 34, 11)
            s.arrow(pointer.s, (left + 6, number.y - 2))
        s.text(width - 1, 158, f"{listed} bytes", "copy", 15, "end", bold=True)
        s.text(0, 190, f"a storage, {dtype.itemsize} bytes a number", size=14, bold=True)
        line = s.strip(1, 202, [""] * count, size=dtype.itemsize * unit, height=34)
        s.text(line.right + 12, 224, ", ".join(f"{value:g}" for value in values), size=12, mono=True)
        s.text(width - 1, 256, f"{stored} bytes", "view", 15, "end", bold=True)
        return s

    return Figure(draw, caption)


def bytes_of(tensors: Mapping[str, Tensor], caption: str = "") -> Figure:
    """Return a figure of storages to scale: a tick for each byte, a cell for each number.

    Args:
        tensors: name -> tensor of one dimension.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> "x: 3 numbers of 4 bytes, 12 bytes" in bytes_of({"x": tl.ones(3)})._repr_html_()
        True
    """
    sizes = {name: (x.numel(), x.element_size()) for name, x in tensors.items()}
    says = "; ".join(
        f"{name}: {n} numbers of {size} bytes, {n * size} bytes" for name, (n, size) in sizes.items()
    )
    most = max(n * each for n, each in sizes.values())

    def draw(width: float) -> Scene:
        s, y = Scene(width, "Numbers and their bytes", says), 0.0
        for name, x in tensors.items():
            (count, each), unit = sizes[name], (width - 4) / most
            s.text(0, y + 14, name, bold=True, mono=True)
            s.text(width, y + 14, f"{count} × {each} = {count * each} bytes", "ink-soft", 13, "end")
            numbers = numbers_of({name: x}) if each * unit > 26 else [""] * count
            line = s.strip(2, y + 24, numbers, size=each * unit, height=34)
            ticks = "".join(f"M{2 + k * unit:.6g} {line.bottom}v-6" for k in range(1, count * each))
            s.path(ticks, "reach-ink", 0.75)
            y = line.bottom + 22
        return s

    return Figure(draw, caption)


def way_to(x: Tensor, index: tuple[int, ...], caption: str = "", name: str = "x") -> Figure:
    """Return a figure of the way to an element: from the offset, `index[d]` steps of ``x.stride(d)`` each.

    Args:
        x: a tensor of one or two dimensions over a storage of up to 24 cells.
        index: of the element, one integer a dimension.
        caption: what to see.
        name: of the tensor.

    Raises:
        IndexError: the index is outside of the tensor.

    Example:
        >>> import tensorlab as tl
        >>> figure = way_to(tl.arange(12).view(3, 4), (2, 1), "Two long steps and a short one.")
        >>> "0 + 2·4 + 1·1 = 9" in figure._repr_html_()
        True
    """
    if len(index) != x.dim() or not all(0 <= i < n for i, n in zip(index, x.shape, strict=True)):
        raise IndexError(f"the index {index} is outside of the shape {tuple(x.shape)}")
    numbers, cell = numbers_of({"x": x}), x.storage_offset()
    end = cell + sum(i * step for i, step in zip(index, x.stride(), strict=True))
    sum_ = " + ".join(["{}", *(f"{i}·{step}" for i, step in zip(index, x.stride(), strict=True))]).format(
        cell
    )

    def draw(width: float) -> Scene:
        s, here = Scene(width, f"The way to {name}{list(index)}", f"{sum_} = {end}"), cell
        grid = s.tensor(0, 0, x, name, 32, hand=end)
        last = max(len(numbers) - 1, 1)
        fills = [memory(k / last) if k != end else "hand" for k in range(len(numbers))]
        line = s.strip(1, grid.bottom + 74, numbers, fills, min((width - 2) / len(numbers), 58), 36)
        s.flag(line[here], below=True)
        for i, step in zip(index, x.stride(), strict=True):
            for _ in range(i):
                s.hop(line[here], line[here + step], f"{step:+d}")
                here += step
        s.text(1, line.bottom + 44, "cell = offset + index · stride", "ink-soft", 13)
        s.text(1, line.bottom + 66, f"{sum_} = {end}", size=15, bold=True, mono=True)
        return s

    return Figure(draw, caption)


def steps_of(x: Tensor, caption: str = "", name: str = "x") -> Figure:
    """Return a figure of the line of memory with one step along each dimension of a tensor.

    Args:
        x: a tensor of positive strides over a storage of up to 48 cells.
        caption: what to see.
        name: of the tensor.

    Example:
        >>> import tensorlab as tl
        >>> "dimension 0: 12 cells; dimension 1: 4" in steps_of(tl.arange(24).view(2, 3, 4))._repr_html_()
        True
    """
    first, steps = x.storage_offset(), list(x.stride())
    numbers = numbers_of({"x": x})
    says = "A step along " + "; ".join(f"dimension {dim}: {step} cells" for dim, step in enumerate(steps))

    def draw(width: float) -> Scene:
        s = Scene(width, "One step along each dimension", says)
        size = (width - 2) / len(numbers)
        s.facts(1, 12, name, tuple(x.shape), x.stride())
        line = s.strip(1, 106, numbers if size > 22 else [""] * len(numbers), size=size, height=36)
        for step in steps:
            s.hop(line[first], line[first + step], f"{step:+d}")
        inner, y = sorted(zip(steps, x.shape, strict=True)), line.bottom + 6
        for step, extent in inner[:-1]:
            for start in range(first, len(numbers), step * extent):
                end = line[min(start + step * extent, len(numbers)) - 1].right
                s.brace(line[start].x, end, y, f"{step * extent}" if start == first else "")
            y += 32
        return s

    return Figure(draw, caption)


def fetched_lines(walks: Mapping[str, Tensor], per_line: int, caption: str = "") -> Figure:
    """Return a figure of walks through memory, folded at each cache line: fetched and used.

    The numbers are the turns of the walk; what is hatched was fetched and not used.

    Args:
        walks: name -> the tensor of one dimension whose elements are read.
        per_line: storage cells in one cache line.
        caption: what to see.

    Raises:
        ValueError: `per_line` is not positive.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(32)
        >>> figure = fetched_lines({"row": x[8:16], "column": x[3::8]}, 8, "One line or four.")
        >>> "column: 4 of 4 lines fetched, 4 of 32 numbers used" in figure._repr_html_()
        True
    """
    if per_line < 1:
        raise ValueError(f"a cache line has at least one cell, got per_line={per_line}")
    turns = {name: {cell: k + 1 for k, cell in enumerate(Elements(x).rows[0])} for name, x in walks.items()}
    counts = {name: len(numbers_of({name: x})) for name, x in walks.items()}
    fetched = {name: sorted({cell // per_line for cell in turn}) for name, turn in turns.items()}
    says = "; ".join(
        f"{name}: {len(fetched[name])} of {ceil(counts[name] / per_line)} lines fetched, "
        f"{len(turns[name])} of {len(fetched[name]) * per_line} numbers used"
        for name in walks
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Cache lines that a walk fetches", says)
        pitch = width / min(len(walks), 2)
        size = min(34, (pitch - (30 if s.wide else 6)) / (per_line + 1.2))
        for number, (name, turn) in enumerate(turns.items()):
            x = number % 2 * pitch + 1.2 * size
            y = number // 2 * (counts[name] / per_line * size + 92)
            s.text(x, y + 14, name, size=14 if s.wide else 13, bold=True)
            for cell in range(counts[name]):
                line, place = divmod(cell, per_line)
                kind = "waste" if line in fetched[name] else "rest"
                fill = memory(cell / max(counts[name] - 1, 1)) if cell in turn else kind
                s.cell(x + place * size, y + 28 + line * size, turn.get(cell, ""), fill, size)
            for line in fetched[name]:
                box = Box(x - 1, y + 29 + line * size, per_line * size + 2, size - 2)
                s.arrow((x - size, box.w[1]), (x - 4, box.w[1]), "stride")
                s.frame(box)
            end = y + 28 + ceil(counts[name] / per_line) * size
            many, used = len(fetched[name]), len(turn)
            s.text(x, end + 22, f"{many} line{'s' * (many > 1)} fetched", "stride", 14, bold=True)
            s.text(x, end + 42, f"{used} of {many * per_line} numbers used", "ink-soft", 13)
        return s

    return Figure(draw, caption)


def reach(x: Tensor, caption: str = "", name: str = "x") -> Figure:
    """Return a figure of how far a tensor reaches: from its offset to its last cell.

    Args:
        x: a tensor of one or two dimensions over a storage of up to 24 cells.
        caption: what to see.
        name: of the tensor.

    Example:
        >>> import tensorlab as tl
        >>> "from cell 1 to cell 6" in reach(tl.as_strided(tl.arange(8), (2, 2), (4, 1), 1))._repr_html_()
        True
    """
    numbers, rows, first = numbers_of({"x": x}), Elements(x).rows, x.storage_offset()
    read = {cell for row in rows for cell in row}
    last = max(read)
    way = " + ".join(f"{n - 1}·{step}" for n, step in zip(x.shape, x.stride(), strict=True))

    def draw(width: float) -> Scene:
        s = Scene(width, "How far a tensor reaches", f"It reads cells from cell {first} to cell {last}.")
        grid = s.tensor(0, 0, x, name, 32)
        fills = [memory(k / max(len(numbers) - 1, 1)) if k in read else "rest" for k in range(len(numbers))]
        line = s.strip(1, grid.bottom + 60, numbers, fills, min((width - 2) / len(numbers), 58), 36)
        s.flag(line[first])
        here = first
        for n, step in zip(x.shape, x.stride(), strict=True):
            for _ in range((n - 1) * bool(step)):
                s.hop(line[here], line[here + step], f"{step:+d}")
                here += step
        s.brace(line[first].x, line[last].right, line.bottom + 6, f"{last - first + 1} cells")
        s.text(1, line.bottom + 62, f"last cell = {first} + {way} = {last}", size=14, bold=True, mono=True)
        return s

    return Figure(draw, caption)


def rows_over_line(x: Tensor, caption: str = "", hand: int | None = None, name: str = "x") -> Figure:
    """Return a figure of the line of memory, and below it each row of a tensor under the cells that it reads.

    Args:
        x: a tensor of two dimensions over a storage of up to 24 cells.
        caption: what to see.
        hand: a storage cell to be ringed wherever it is shown.
        name: of the tensor.

    Example:
        >>> import tensorlab as tl
        >>> windows = tl.as_strided(tl.arange(5), (3, 3), (1, 1))
        >>> "row 1: cells 1 2 3" in rows_over_line(windows, "Three windows over five cells.", 2)._repr_html_()
        True
    """
    numbers, shown = numbers_of({"x": x}), Elements(x)
    says = "; ".join(f"row {i}: cells {' '.join(map(str, row))}" for i, row in enumerate(shown.rows))

    def draw(width: float) -> Scene:
        s = Scene(width, "The rows of a tensor and the line that they read", says)
        size = min((width - 32 - 7.9 * len(name)) / len(numbers), 58)
        facts = s.facts(1, 12, name, shown.shape, shown.stride)
        ring = [memory(k / max(len(numbers) - 1, 1)) if k != hand else "hand" for k in range(len(numbers))]
        line = s.strip(1, facts.bottom + 58, numbers, ring, size, 36)
        if shown.stride[0]:
            s.hop(line[shown.offset], line[shown.offset + shown.stride[0]], f"{shown.stride[0]:+d}")
        for i, (row, fills) in enumerate(zip(shown.rows, shown.fills(hand), strict=True)):
            y = line.bottom + 16 + 34 * i
            for cell, fill in zip(row, fills, strict=True):
                s.cell(line[cell].x, y, numbers[cell], fill, size, 28)
            s.text(max(line[cell].right for cell in row) + 8, y + 19, f"{name}[{i}]", size=13, mono=True)
        return s

    return Figure(draw, caption)


def kept(x: Tensor, caption: str = "") -> Figure:
    """Return a figure of the storage that a tensor keeps alive: what it reads, and, hatched, the rest.

    Args:
        x: a tensor of up to two dimensions over a storage of up to 48 cells.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> figure = kept(tl.arange(12)[3:5], "Two numbers, and the storage of twelve.")
        >>> "2 of 12 cells, 16 of 96 bytes" in figure._repr_html_()
        True
    """
    numbers = numbers_of({"x": x})
    read = sorted({cell for row in Elements(x).rows for cell in row})
    size, count = x.element_size(), len(numbers)
    says = f"The tensor reads {len(read)} of {count} cells, {len(read) * size} of {count * size} bytes."

    def draw(width: float) -> Scene:
        s = Scene(width, "The storage that a tensor keeps", says)
        each = (width - 2) / count
        fills = [memory(k / max(count - 1, 1)) if k in read else "waste" for k in range(count)]
        line = s.strip(
            1, 60, [v if k in read and each > 22 else "" for k, v in enumerate(numbers)], fills, each, 36
        )
        s.brace(
            line[read[0]].x, line[read[-1]].right, 52, f"read: {len(read) * size} bytes", "view", above=True
        )
        s.brace(line.x, line.right, line.bottom + 8, f"kept and saved: {count * size} bytes", "copy")
        return s

    return Figure(draw, caption)
