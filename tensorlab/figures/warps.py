"""What the 32 lanes of a warp do together: the sectors and banks that they touch, the lines that they run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tensorlab.figures.anchors import Box
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import colour, memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.backends.cuda.counts import Access, Report, Request

__all__ = ["kernel_profile", "lanes_and_banks", "lanes_and_sectors", "lanes_of_lines"]

LANES = 32
# How many sectors are drawn beside each other, and how many runs of lines below each other.
SHOWN_SECTORS, SHOWN_RUNS = 8, 24


def lanes_and_sectors(requests: Mapping[str, Request], caption: str = "") -> Figure:
    """Return a figure of requests to global memory: the lanes, and the sectors that they touch.

    A lane has the colour of the element that it asks for; one that asks for none is hatched. A frame is a
    sector, with its first byte below it; what is hatched in it is moved for nothing. Up to 8 are drawn.

    Args:
        requests: name -> a request of a `Report`.
        caption: what to see.

    Raises:
        ValueError: a request is one to shared memory.

    Example:
        >>> import numpy as np
        >>> from tensorlab import cuda, figures
        >>> def copy(x, out):
        ...     out[cuda.grid(1)] = x[cuda.grid(1)]
        >>> x = np.zeros(32, np.float32)
        >>> report = cuda.simulate(copy, 1, 32, x, x.copy())
        >>> figure = figures.lanes_and_sectors({"x[i]": report.request("x")}, "Neighbours in one line.")
        >>> "x[i]: 32 lanes touch 4 sectors, 100% of the bytes used" in figure._repr_html_()
        True
    """
    for name, request in requests.items():
        if not request.sectors:
            raise ValueError(f"{name}: {request.array} is in shared memory, which has banks: lanes_and_banks")
    says = "; ".join(
        f"{name}: {len(request.addresses)} lanes touch {_many(len(request.sectors), 'sector')}, "
        f"{request.bytes_used / (32 * len(request.sectors)):.0%} of the bytes used"
        for name, request in requests.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Lanes of a warp and the sectors of memory that they touch", says)
        y = 0.0
        for name, request in requests.items():
            y = _sectors(s, y, name, request) + 26
        return s

    return Figure(draw, caption)


def _sectors(s: Scene, y: float, name: str, request: Request) -> float:
    """Draw one request from `y` downwards; returns where it ends."""
    many = len(request.sectors)
    ink = "view" if request.bytes_used == 32 * many else "stride"
    s.text(0, y + 14, name, size=14, bold=True, mono=True)
    s.text(s.width, y + 14, _many(many, "sector"), ink, 14, "end", bold=True)
    lane, top, low = (s.width - 2) / LANES, y + 26, y + 84
    per = 32 // request.itemsize
    cell = (s.width - 2 - 4 * SHOWN_SECTORS) / (SHOWN_SECTORS * per)
    # The first byte of each element in sight -> where it is drawn, and its colour.
    drawn: dict[int, tuple[float, str]] = {}
    for slot, sector in enumerate(request.sectors[:SHOWN_SECTORS]):
        left = 3 + slot * (per * cell + 4)
        for k in range(per):
            share = (slot * per + k) / (SHOWN_SECTORS * per - 1)
            drawn[32 * sector + k * request.itemsize] = left + k * cell, memory(share)
        s.frame(Box(left - 2, low - 2, per * cell + 4, 24))
        s.text(
            left,
            low + 36,
            f"{'byte ' if s.wide and slot == 0 else ''}{32 * sector}",
            "ink-soft",
            11,
            mono=True,
        )
    asked = set(request.addresses.values())
    for address, (left, own) in drawn.items():
        s.cell(left, low, "", own if address in asked else "waste", cell, 20)
    for k in range(LANES):
        to = drawn.get(request.addresses.get(k, -1))
        fill = to[1] if to else "rest" if k in request.addresses else "waste"
        box = s.cell(1 + k * lane, top, "", fill, lane, 16)
        if to:
            s.path(f"M{box.s[0]:.1f} {box.bottom:.1f}L{to[0] + cell / 2:.1f} {low}", "stride")
    if many > SHOWN_SECTORS:
        more = f"and {many - SHOWN_SECTORS} more, which are not drawn"
        s.text(s.width, low + 54, more, "ink-soft", 13, "end")
        return low + 58
    return low + 40


def lanes_and_banks(requests: Mapping[str, Request], caption: str = "") -> Figure:
    """Return a figure of requests to shared memory: the words that the lanes touch, a column a bank.

    Below each bank stand the turns that it takes; the longest is what the request costs.

    Args:
        requests: name -> a request of a `Report`.
        caption: what to see.

    Raises:
        ValueError: a request is one to global memory.

    Example:
        >>> import numpy as np
        >>> from tensorlab import cuda, figures
        >>> def column(out):
        ...     tile = cuda.shared.array((32, 32), np.float32)
        ...     tile[cuda.threadIdx.x, 0] = 1
        >>> report = cuda.simulate(column, 1, 32, np.zeros(1))
        >>> figure = figures.lanes_and_banks({"rows of 32": report.request("tile", "writes")})
        >>> "rows of 32: 32 lanes, 1 bank, 32 wavefronts" in figure._repr_html_()
        True
    """
    for name, request in requests.items():
        if not request.banks:
            raise ValueError(
                f"{name}: {request.array} is in global memory, which has sectors: lanes_and_sectors"
            )
    says = "; ".join(
        f"{name}: {len(request.addresses)} lanes, {_many(len(request.banks), 'bank')}, "
        f"{_many(request.wavefronts, 'wavefront')}"
        for name, request in requests.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Words of shared memory that a warp touches, by bank", says)
        beside = 2 if s.wide and len(requests) > 1 else 1
        room = (width - 40 * (beside - 1)) / beside
        ends = [0.0] * beside
        for number, (name, request) in enumerate(requests.items()):
            column = number % beside
            ends[column] = _banks(s, column * (room + 40), ends[column], room, name, request) + 30
        return s

    return Figure(draw, caption)


def _banks(s: Scene, x: float, y: float, room: float, name: str, request: Request) -> float:
    """Draw one request in a column of the page; returns where it ends."""
    ink = "wrong" if request.conflicts else "view"
    s.text(x, y + 14, name, size=14, bold=True, mono=True)
    s.text(x + room, y + 14, _many(request.wavefronts, "wavefront"), ink, 14, "end", bold=True)
    s.text(x, y + 34, "banks 0 to 31", "ink-soft", 12)
    size, high, top = (room - 4) / LANES, 9.0, y + 44
    lane_of = {
        byte // 4: lane
        for lane, address in reversed(request.addresses.items())
        for byte in range(address, address + request.itemsize, 4)
    }
    rows = sorted({word // LANES for word in lane_of})
    frame = s.frame(Box(x + 1, top, room - 2, high * len(rows) + 2), "rule", "rest")
    for word, lane in lane_of.items():
        place = x + 2 + word % LANES * size, top + 1 + high * rows.index(word // LANES)
        s.cell(*place, "", memory(lane / (LANES - 1)), size, high)
    low, most = frame.bottom + 8, max(request.banks.values())
    for bank, turns in request.banks.items():
        height = max(44 * turns / LANES, 3)
        fill = colour("wrong" if turns == most and request.conflicts else "view")
        s.bar(x + 2 + bank * size, low, size, kind=fill, height=height)
    end = low + max(44 * most / LANES, 3) + 18
    s.text(x + room, end, "turns of each bank", "ink-soft", 12, "end")
    return end + 4


def lanes_of_lines(report: Report, caption: str = "") -> Figure:
    """Return a figure of what a kernel's first warp runs, line after line: which lanes, and which wait.

    Args:
        report: of `tensorlab.cuda.simulate`; its first warp runs up to 24 lines.
        caption: what to see.

    Raises:
        ValueError: the warp runs more lines.

    Example:
        >>> import numpy as np
        >>> from tensorlab import cuda, figures
        >>> def halves(x):
        ...     i = cuda.grid(1)
        ...     if i % 2 == 0:
        ...         x[i] = 1
        >>> figure = figures.lanes_of_lines(cuda.simulate(halves, 1, 32, np.zeros(32)))
        >>> "x[i] = 1: 16 lanes" in figure._repr_html_()
        True
    """
    runs = report.first_warp
    if len(runs) > SHOWN_RUNS:
        raise ValueError(
            f"the first warp of {report.kernel} runs {len(runs)} lines, up to {SHOWN_RUNS} are drawn"
        )
    says = "; ".join(f"{text}: {_many(len(lanes), 'lane')}" for text, lanes in runs)

    def draw(width: float) -> Scene:
        s = Scene(width, f"The lanes that run each line of {report.kernel}", says)
        left = 320.0 if s.wide else 0.0
        size, high = (width - left - 2) / LANES, 18.0
        s.text(left, 14, "lanes 0 to 31", "ink-soft", 12)
        y = 22.0
        for text, lanes in runs:
            if s.wide:
                s.text(0, y + 13, _short(text, 43), size=12, mono=True)
            else:
                s.text(0, y + 14, _short(text, 47), size=12, mono=True)
                y += 20
            for lane in range(LANES):
                fill = memory(lane / (LANES - 1)) if lane in lanes else "waste"
                s.cell(left + 1 + lane * size, y, "", fill, size, high)
            y += high + (4 if s.wide else 6)
        return s

    return Figure(draw, caption)


def kernel_profile(report: Report, caption: str = "") -> Figure:
    """Return a figure of a kernel's lines with what each costs a warp: lanes, sectors and wavefronts, of 32.

    A notebook shows a report as this figure.

    Args:
        report: of `tensorlab.cuda.simulate`.
        caption: what to see.

    Example:
        >>> import numpy as np
        >>> from tensorlab import cuda, figures
        >>> def double(x):
        ...     x[cuda.grid(1)] *= 2
        >>> report = cuda.simulate(double, 1, 32, np.zeros(32, np.float32))
        >>> figure = figures.kernel_profile(report, "One line of code, two requests.")
        >>> "x[cuda.grid(1)] *= 2: 32 lanes; reads x: 4 sectors" in figure._repr_html_()
        True
    """
    says = ". ".join(
        "; ".join([f"{line.text.strip()}: {line.active:.3g} lanes", *map(str, line.accesses)])
        for line in report.lines
    )

    def draw(width: float) -> Scene:
        s = Scene(width, f"What each line of {report.kernel} costs a warp", says)
        unit = 3.0 if s.wide else 2.5
        beside = LANES * unit + 10
        code = 222.0 if s.wide else 0.0
        y = 0.0
        for line in report.lines:
            s.text(code, y + 15, _short(line.text, 68 if s.wide else 48), size=12, mono=True)
            y += 0 if s.wide else 22
            _share(s, y, unit, line.active, line.active, "view")
            s.text(beside, y + 15, f"{line.active:.3g} lanes", size=12, mono=True)
            y += 22
            for access in line.accesses:
                cost, ideal, ink, told = _cost(access)
                _share(s, y, unit, cost, ideal, ink)
                s.text(beside, y + 15, told, "wrong" if ink == "wrong" else "ink", 12, mono=True)
                place = (code + 14, y + 15) if s.wide else (beside + 7.2 * len(told) + 8, y + 15)
                words = f"{access.doing} {access.array}"
                s.text(*place, _short(words, 60 if s.wide else 22), "ink-soft", 12, mono=True)
                y += 22
            y += 4
        return s

    return Figure(draw, caption)


def _cost(access: Access) -> tuple[float, float, str, str]:
    """What an access costs for each request: how much, how much of it is needed, its ink, and its words."""
    if access.space == "shared":
        turns = access.wavefronts / access.requests
        needed = (access.wavefronts - access.conflicts) / access.requests
        return (
            turns,
            needed,
            "wrong" if access.conflicts else "view",
            f"{turns:.3g} wavefront{'s' * (turns != 1)}",
        )
    sectors = access.sectors / access.requests
    used = access.bytes_used / (32 * access.requests)
    return sectors, used, "stride", f"{sectors:.3g} sector{'s' * (sectors != 1)}"


def _share(s: Scene, y: float, unit: float, whole: float, used: float, ink: str) -> None:
    """Draw a bar of up to 32 units: what is used of it filled, the rest hatched, or red for conflicts."""
    s.bar(0, y + 3, LANES * unit, kind="none", height=16)
    if whole > used:
        s.bar(0, y + 3, whole * unit, kind=colour("wrong") if ink == "wrong" else "wait", height=16)
    s.bar(0, y + 3, max(used * unit, 2), kind=colour("view" if ink == "wrong" else ink), height=16)


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def _short(text: str, most: int) -> str:
    """A text that is cut where it is too long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
