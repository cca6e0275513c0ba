"""Shapes that return boxes, on a scene that measures its own height.

A figure names what it draws and attaches the next shape to the last one's anchors, instead of computing
coordinates. All lengths are CSS pixels; `y` of a text is its baseline.
"""

from __future__ import annotations

import base64
import html
import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorlab.figures.anchors import Box, Cells, Point, around
from tensorlab.figures.elements import Elements
from tensorlab.figures.ink import MONO, UI, colour, memory, mixed

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["Scene"]

_FILLS = {  # kind of cell: its fill, its edge, and the ink on it
    "rest": (colour("cell"), colour("cell-edge"), "cell-ink"),
    "reach": (colour("reach"), colour("reach-edge"), "reach-ink"),
    "hand": (colour("hand"), colour("hand-edge"), "hand-ink"),
    "again": ("none", colour("view") + ";stroke-dasharray:3 2.5", "ink"),
    "copy": (mixed("copy", 16), colour("copy"), "ink"),
    "waste": ("url(#HATCH)", colour("edge"), "ink"),
    "none": ("none", colour("edge"), "ink"),
}
_BARS = {  # kind of time: its fill and its edge
    "forward": (mixed("reach", 50), colour("shape")),
    "backward": (mixed("gradient", 26), colour("gradient")),
    "send": (mixed("copy", 12), colour("copy")),
    "wait": ("url(#HATCH)", colour("rule")),
    "step": (colour("cell"), colour("edge")),
}
_HATCH = (
    '<pattern id="HATCH" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<path d="M0 0V5" style="stroke:{colour("edge")};stroke-width:1.4"/></pattern>'
)


class Scene:
    """A drawing of a given width. Shapes are put on it, and its height follows from them.

    Args:
        width: in pixels. `wide` says whether there is room beside each other.
        title: what the drawing shows, in a few words.
        says: what a screen reader reads instead of it.

    Example:
        >>> scene = Scene(350, "A step of 2", "Four cells; an arrow leads from cell 0 to cell 2.")
        >>> line = scene.strip(0, 40, [3, 1, 4, 1], size=40)
        >>> scene.hop(line[0], line[2], "+2")
        >>> line[2].n, scene.height
        ((100.0, 40), 86)
    """

    def __init__(self, width: float, title: str, says: str) -> None:
        self.width, self.title, self.says = width, title, says
        self.parts: list[str] = []
        self._bottom = 0.0

    @property
    def wide(self) -> bool:
        """Whether there is room for things beside each other."""
        return self.width > 480

    @property
    def height(self) -> float:
        """How far down the shapes reach, and a little air."""
        return self._bottom + 6

    def put(self, svg: str, bottom: float) -> None:
        """Add a piece of SVG that reaches down to `bottom`."""
        self.parts.append(svg)
        self._bottom = max(self._bottom, bottom)

    def _rect(self, box: Box, style: str, radius: float = 0.0) -> None:
        self.put(
            f'<rect x="{box.x:.6g}" y="{box.y:.6g}" width="{box.width:.6g}" height="{box.height:.6g}" '
            f'rx="{radius:.3g}" style="{style}"/>',
            box.bottom,
        )

    def path(self, d: str, ink: str, width: float = 1.0, dashes: str = "", bottom: float = 0.0) -> None:
        """Draw a line: `d` are the commands of an SVG path."""
        dashed = f";stroke-dasharray:{dashes};stroke-linecap:round" if dashes else ""
        style = f"fill:none;stroke:{colour(ink)};stroke-width:{width:g}{dashed}"
        self.put(f'<path d="{d}" style="{style}"/>', bottom)

    # ---- words

    def text(
        self,
        x: float,
        y: float,
        words: object,
        ink: str = "ink",
        size: float = 14,
        anchor: str = "start",
        *,
        bold: bool = False,
        mono: bool = False,
        halo: bool = False,
    ) -> Box:
        """Write words whose baseline starts, ends or is centred ('middle') at `x`, `y`.

        `mono` is for numbers, names and shapes; a `halo` keeps words readable on a line. The box that is
        returned is exact for `mono`, and an estimate for the page's own type.
        """
        written = str(words)
        style = f"font-size:{size:g}px;fill:{colour(ink)};font-family:{MONO if mono else UI}"
        style += ";font-weight:650" if bold else ""
        if halo:
            style += f";paint-order:stroke;stroke:{colour('page')};stroke-width:5px;stroke-linejoin:round"
        place = f'x="{x:.6g}" y="{y:.6g}" text-anchor="{anchor}"'
        self.put(f'<text {place} style="{style}">{html.escape(written)}</text>', y + size * 0.3)
        width = len(written) * size * (0.6 if mono else 0.5)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        return Box(left, y - size * 0.8, width, size)

    def facts(
        self,
        x: float,
        y: float,
        name: str,
        shape: object = None,
        stride: object = None,
        offset: object = None,
        size: float = 13,
    ) -> Box:
        """Write a tensor's name and below it its facts, each in its colour; `y` is the name's baseline."""
        boxes = [self.text(x, y, name, size=size + 1, bold=True, mono=True)] if name else []
        y -= 0 if name else size + 4
        for kind, value in (("shape", shape), ("stride", stride), ("offset", offset)):
            if value is not None:
                y += size + 4
                boxes.append(self.text(x, y, f"{kind} {value}", kind, size, mono=True))
        return around(boxes)

    # ---- cells

    def cell(
        self,
        x: float,
        y: float,
        value: object = "",
        fill: str = "rest",
        size: float = 30,
        height: float | None = None,
        font: float | None = None,
    ) -> Box:
        """Draw one cell with its value.

        `fill` is a kind - 'rest', 'reach', 'hand' (with its ring), 'again' (read again, stride 0), 'copy',
        'waste' (fetched and not used) or 'none' - or a colour of `memory`.
        """
        box = Box(x, y, size, height or size)
        face, edge, ink = _FILLS.get(fill, (fill, "", "reach-ink"))
        style = f"fill:{face};stroke:{edge}"
        if not edge:  # a place in memory: the edge is its own colour, mixed with ink
            edge = f"color-mix(in oklab,var(--c),{colour('ink')} 42%)"
            style = f"--c:{fill};fill:var(--c);stroke:{edge}"
        inside = Box(x + 0.5, y + 0.5, box.width - 1, box.height - 1)
        self._rect(inside, style, min(4.0, size / 6))
        if fill == "hand":
            self.ring(box)
        if value != "":
            letter = font or min(14.0, max(11.0, size * 0.45))
            text = f"font-size:{letter:.3g}px;font-family:{MONO};fill:{colour(ink)}"
            text += ";font-weight:700" if fill == "hand" else ""
            if fill == "waste":
                text += f";paint-order:stroke;stroke:{colour('page')};stroke-width:4px"
            place = f'x="{box.middle[0]:.6g}" y="{box.middle[1] + letter * 0.35:.6g}" text-anchor="middle"'
            self.put(f'<text {place} style="{text}">{html.escape(str(value))}</text>', box.bottom)
        return box

    def grid(
        self,
        x: float,
        y: float,
        values: Sequence[Sequence[object]],
        fills: str | Sequence[Sequence[str]] = "rest",
        size: float = 30,
        height: float | None = None,
    ) -> Cells:
        """Draw a table of cells that touch; `fills` is one for all or one for each."""
        rows = []
        for i, row in enumerate(values):
            kinds = [fills] * len(row) if isinstance(fills, str) else fills[i]
            top = y + i * (height or size)
            rows.append(
                [
                    self.cell(x + j * size, top, value, kind, size, height)
                    for j, (value, kind) in enumerate(zip(row, kinds, strict=True))
                ]
            )
        return Cells(rows)

    def strip(
        self,
        x: float,
        y: float,
        values: Sequence[object],
        fills: str | Sequence[str] | None = None,
        size: float = 30,
        height: float | None = None,
        *,
        places: int | None = None,
    ) -> Cells:
        """Draw the line of memory, in its colours unless told otherwise.

        With `places`, the number of the first cell, their numbers stand below the cells.
        """
        last = max(len(values) - 1, 1)
        fills = [memory(cell / last) for cell in range(len(values))] if fills is None else fills
        cells = self.grid(x, y, [values], fills if isinstance(fills, str) else [fills], size, height)
        if places is not None:
            for number in range(len(values)):
                self.text(
                    cells[number].s[0],
                    cells.bottom + 15,
                    places + number,
                    "ink-soft",
                    11,
                    "middle",
                    mono=True,
                )
        return cells

    def sheet(self, x: float, y: float, shape: tuple[int, int], size: float, fill: str = "rest") -> Cells:
        """Draw one matrix of a batch without numbers; several of them, shifted, are a batch."""
        rows, columns = shape
        box = Box(x, y, columns * size, rows * size)
        face, edge, _ = _FILLS.get(fill, (fill, colour("edge"), ""))
        self._rect(
            box, f"fill:{colour('page') if face == 'none' else face};stroke:{edge};stroke-width:1.25", 3
        )
        lines = "".join(f"M{x + j * size:.6g} {y:.6g}v{box.height:.6g}" for j in range(1, columns))
        lines += "".join(f"M{x:.6g} {y + i * size:.6g}h{box.width:.6g}" for i in range(1, rows))
        self.put(f'<path d="{lines}" style="fill:none;stroke:{edge};stroke-width:.75;opacity:.7"/>', 0)
        return Cells(
            [[Box(x + j * size, y + i * size, size, size) for j in range(columns)] for i in range(rows)]
        )

    def pixels(
        self, x: float, y: float, rows: Sequence[Sequence[tuple[int, int, int]]], size: float
    ) -> Cells:
        """Draw a picture: rows of (red, green, blue), each from 0 to 255, as squares of `size` pixels."""
        height, width = len(rows), len(rows[0])
        raw = b"".join(b"\0" + bytes(part for pixel in row for part in pixel) for row in rows)
        png = b"\x89PNG\r\n\x1a\n"
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")):
            png += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        box = Box(x, y, width * size, height * size)
        self.put(
            f'<image x="{x:.6g}" y="{y:.6g}" width="{box.width:.6g}" height="{box.height:.6g}" '
            f'preserveAspectRatio="none" style="image-rendering:pixelated" '
            f'href="data:image/png;base64,{base64.b64encode(png).decode()}"/>',
            box.bottom,
        )
        self._rect(box, f"fill:none;stroke:{colour('edge')}")
        return Cells(
            [[Box(x + j * size, y + i * size, size, size) for j in range(width)] for i in range(height)]
        )

    def tensor(
        self,
        x: float,
        y: float,
        t: Tensor,
        name: str = "",
        size: float = 30,
        *,
        facts: str = "beside",
        steps: bool = True,
        hand: int | None = None,
        values: Sequence[Sequence[object]] | None = None,
        fills: str | Sequence[Sequence[str]] | None = None,
    ) -> Cells:
        """Draw a tensor of up to two dimensions in the colours of the storage cells that it reads.

        Its steps stand above and at its left, its facts 'beside' it, 'above' it or nowhere (''). Elements
        that stride 0 reads again are dashed. `x`, `y` is the left upper corner of everything.

        Args:
            x, y: where.
            t: the tensor.
            name: what the facts begin with.
            size: of a cell.
            facts: where name, shape, stride and offset stand.
            steps: whether the strides are drawn as arrows.
            hand: a storage cell to be ringed wherever it is shown.
            values: what stands in the cells, instead of the tensor's numbers.
            fills: the cells' fills, instead of the colours of memory.
        """
        shown = Elements(t)
        told = shown.shape, shown.stride, shown.offset
        if facts == "above":
            y = self.facts(x, y + 12, name, *told, size=12).bottom + 8
        if steps:
            x, y = x + (30 if len(shown.rows) > 1 else 0), y + (18 if len(shown.rows[0]) > 1 else 0)
        cells = self.grid(x, y, values or shown.values, fills or shown.fills(hand), size)
        down, right = ([0, 0, *shown.stride])[-2:]
        if steps and len(shown.rows[0]) > 1:
            self.arrow((x + 4, y - 7), (x + size + 6, y - 7), "stride")
            self.text(x + size + 11, y - 3, f"{right:+d}", "stride", 13, bold=True, mono=True)
        if steps and len(shown.rows) > 1:
            self.arrow((x - 8, y + 4), (x - 8, y + size + 6), "stride")
            self.text(x - 4, y + size + 20, f"{down:+d}", "stride", 13, "end", bold=True, mono=True)
        if facts == "beside":
            self.facts(cells.right + 14, y + 11, name, *told)
        return cells

    # ---- what points

    def arrow(
        self,
        start: Point,
        end: Point,
        ink: str = "ink-soft",
        label: object = "",
        *,
        bend: float = 0.0,
        dashes: str = "",
        width: float = 1.75,
        head: bool = True,
    ) -> None:
        """Draw an arrow from point to point; `bend` moves its middle to the left of its way."""
        (x1, y1), (x2, y2) = start, end
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 0.01)
        cx = (x1 + x2) / 2 + 2 * bend * (y2 - y1) / length
        cy = (y1 + y2) / 2 - 2 * bend * (x2 - x1) / length
        along = max(((x2 - cx) ** 2 + (y2 - cy) ** 2) ** 0.5, 0.01)
        ux, uy = (x2 - cx) / along, (y2 - cy) / along
        neck = 6 if head else 0
        way = f"M{x1:.6g} {y1:.6g}Q{cx:.6g} {cy:.6g} {x2 - neck * ux:.6g} {y2 - neck * uy:.6g}"
        self.path(way, ink, width, dashes, max(y1, y2))
        if head:
            left, right = (
                (x2 - 8 * ux - 4 * uy, y2 - 8 * uy + 4 * ux),
                (x2 - 8 * ux + 4 * uy, y2 - 8 * uy - 4 * ux),
            )
            self._fill([end, left, right], ink)
        if label != "":
            middle = (x1 + 2 * cx + x2) / 4, (y1 + 2 * cy + y2) / 4
            self.text(middle[0], middle[1] + 4.5, label, ink, 13, "middle", mono=True, halo=True)

    def _fill(self, points: Sequence[Point], ink: str) -> None:
        d = "L".join(f"{x:.6g} {y:.6g}" for x, y in points)
        self.put(f'<path d="M{d}z" style="fill:{colour(ink)}"/>', 0)

    def hop(self, a: Box, b: Box, label: object = "", ink: str = "stride", *, below: bool = False) -> None:
        """Draw a stride: an arc from cell to cell, above the line or below it."""
        sign = 1 if below else -1
        (x1, y1), (x2, y2) = (a.s, b.s) if below else (a.n, b.n)
        if a == b:
            x1, x2 = x1 - 6, x2 + 6
        top = y1 + sign * min(12 + abs(x2 - x1) * 0.16, 42)
        lift = top + (top - y1) * 0.33
        way = f"M{x1:.6g} {y1 + 2 * sign:.6g}C{x1:.6g} {lift:.6g} {x2:.6g} {lift:.6g}"
        self.path(f"{way} {x2:.6g} {y2 + 7 * sign:.6g}", ink, 1.75, bottom=max(y1, top))
        tip = y2 + 2 * sign
        self._fill([(x2, tip), (x2 - 4, tip + 7 * sign), (x2 + 4, tip + 7 * sign)], ink)
        if label != "":
            self.text((x1 + x2) / 2, top + 4.5, label, ink, 13, "middle", bold=True, mono=True, halo=True)

    def link(self, start: Point, end: Point, level: float | None = None) -> None:
        """Draw a view: a dotted line to the memory that it reads; it runs sideways at `level`."""
        (x1, y1), (x2, y2) = start, end
        turn = (y1 + y2) / 2 if level is None else level
        d = 1 if y2 > y1 else -1
        r = min(10, abs(x2 - x1) / 2, abs(turn - y1), abs(y2 - turn))
        side = r if x2 > x1 else -r
        way = f"M{x1:.6g} {y1:.6g}V{turn - d * r:.6g}q0 {d * r:.6g} {side:.6g} {d * r:.6g}H{x2 - side:.6g}"
        way += f"q{side:.6g} 0 {side:.6g} {d * r:.6g}V{y2:.6g}"
        self.path(way, "view", 1.5, "2 4", max(y1, y2))

    def brace(
        self, left: float, right: float, y: float, label: object, ink: str = "ink", *, above: bool = False
    ) -> None:
        """Draw a brace from `left` to `right`, its label below it or above it."""
        d, middle = (-1 if above else 1), (left + right) / 2
        way = f"M{left + 1.5:.6g} {y:.6g}v{4 * d}q0 {3 * d} 3 {3 * d}H{middle - 4:.6g}q4 0 4 {4 * d}"
        way += f"q0 {-4 * d} 4 {-4 * d}H{right - 4.5:.6g}q3 0 3 {-3 * d}v{-4 * d}"
        self.path(way, ink, 1.25, bottom=y + 11)
        self.text(middle, y + (-16 if above else 25), label, ink, 13, "middle")

    # ---- marks on a box

    def flag(self, box: Box, *, below: bool = False) -> None:
        """Put the offset's flag on the cell where a tensor begins."""
        x, y, d = box.x + 5, (box.bottom if below else box.y), 1 if below else -1
        self.put(
            f'<path d="M{x:.6g} {y:.6g}v{17 * d}l11 {-4.5 * d}l-11 {-4.5 * d}" '
            f'style="fill:{colour("offset")};stroke:{colour("offset")};stroke-width:1.75;stroke-linejoin:round"/>',
            y + 17 * (d > 0),
        )

    def copied(self, box: Box, pad: float = 3.0) -> None:
        """Put the doubled frame of a copy, of new memory, around a box."""
        for gap in (pad, pad + 3.5):
            outer = Box(box.x - gap, box.y - gap, box.width + 2 * gap, box.height + 2 * gap)
            self._rect(outer, f"fill:none;stroke:{colour('copy')};stroke-width:1.25", gap + 1)

    def ring(self, box: Box) -> None:
        """Put the ring of the cell in hand around a box."""
        outer = Box(box.x - 1, box.y - 1, box.width + 2, box.height + 2)
        self._rect(outer, f"fill:none;stroke:{colour('hand-edge')};stroke-width:3", 4)

    def frame(self, box: Box, ink: str = "stride", fill: str = "none", dashes: str = "") -> Box:
        """Draw a frame: orange for what is fetched as one, another ink for a panel. Returns the box."""
        dashed = f";stroke-dasharray:{dashes}" if dashes else ""
        face = _FILLS[fill][0] if fill in _FILLS else fill
        self._rect(box, f"fill:{face};stroke:{colour(ink)};stroke-width:2{dashed}", 4)
        return box

    def wall(self, x: float, top: float, bottom: float) -> None:
        """Draw a border that no view crosses: a red wall."""
        self.path(f"M{x:.6g} {top:.6g}V{bottom:.6g}", "wrong", 3, bottom=bottom)

    # ---- graphs and times

    def node(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        ink: str = "edge",
        width: float = 96,
        *,
        inks: Sequence[str] = (),
        dashes: str = "",
    ) -> Box:
        """Draw a node of a graph: a rounded box with lines of text, the first of them bold.

        `inks` are the colours of the lines. A node whose border is dashed is not drawn in full.
        """
        box = Box(x, y, width, 14 + 17 * len(lines))
        dashed = f";stroke-dasharray:{dashes}" if dashes else ""
        self._rect(box, f"fill:{colour('surface')};stroke:{colour(ink)};stroke-width:1.5{dashed}", 6)
        for number, line in enumerate(lines):
            first = number == 0
            of_line = inks[number] if inks else "ink"
            size = 13 if first else 12
            self.text(box.n[0], y + 20 + 17 * number, line, of_line, size, "middle", bold=first, mono=True)
        return box

    def saved(self, x: float, y: float, words: str, *, shared: bool = False) -> Box:
        """Draw what backward needs as a ribbon: dashed where it shares memory that another tensor holds."""
        box = Box(x, y, 24 + 7.3 * len(words), 24)
        face, ink = (mixed("view", 8), "view") if shared else (colour("cell"), "edge")
        dashed = ";stroke-dasharray:3 2.5" if shared else ""
        self.put(
            f'<path d="M{x:.6g} {y:.6g}h{box.width:.6g}l-7 12l7 12h{-box.width:.6g}z" '
            f'style="fill:{face};stroke:{colour(ink)};stroke-width:1.5;stroke-linejoin:round{dashed}"/>',
            box.bottom,
        )
        self.text(x + 9, y + 16.5, words, ink if shared else "ink", 12, bold=not shared, mono=True)
        return box

    def bar(
        self, x: float, y: float, width: float, label: object = "", kind: str = "step", height: float = 26
    ) -> Box:
        """Draw a stretch of time: 'forward', 'backward', 'send' (a copy), 'wait' (idle) or 'step'."""
        box = Box(x, y, width, height)
        face, edge = _BARS[kind] if kind in _BARS else (kind, colour("edge"))
        self._rect(Box(x + 0.75, y + 0.5, max(width - 1.5, 1), height - 1), f"fill:{face};stroke:{edge}", 3)
        if label != "":
            self.text(box.middle[0], box.middle[1] + 4.2, label, "ink", 12, "middle", mono=True)
        return box

    # ---- the whole

    def svg(self, key: str, *, shrinks: bool = True) -> str:
        """Return the drawing as an SVG element.

        Args:
            key: what makes its ids unique on the page.
            shrinks: whether it becomes smaller on a page that is narrower.
        """
        drawn = "".join(self.parts).replace("url(#HATCH)", f"url(#{key}h)")
        hatch = _HATCH.replace("HATCH", f"{key}h") if f"#{key}h" in drawn else ""
        widest = "100%" if shrinks else "none"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{key}t" '
            f'aria-describedby="{key}d" '
            f'viewBox="0 0 {self.width:g} {self.height:.0f}" width="{self.width:g}" '
            f'style="max-width:{widest};height:auto"><title id="{key}t">{html.escape(self.title)}</title>'
            f'<desc id="{key}d">{html.escape(self.says)}</desc>{hatch}{drawn}</svg>'
        )
