"""A counter-based stream: each block of words is made from its own number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlab.figures.figure import Figure
from tensorlab.figures.scene import Scene

__all__ = ["counter_blocks"]


def counter_blocks(
    scramble: Callable[[int], Sequence[int]], blocks: Sequence[int], caption: str = ""
) -> Figure:
    """Return a figure: some blocks of a stream, each with the words that are computed from its number.

    Args:
        scramble: block number -> its words, each of 32 bits.
        blocks: numbers of blocks, up to four.
        caption: what to see.

    Raises:
        ValueError: there are no blocks, or more than four.

    Example:
        >>> figure = counter_blocks(lambda block: (block + 10, block + 20), [0, 7])
        >>> "block 7: words 14 and 15 are 00000011, 0000001b" in figure._repr_html_()
        True
    """
    if not 0 < len(blocks) <= 4:
        raise ValueError(f"{len(blocks)} blocks: one to four can be drawn")
    words = {block: list(scramble(block)) for block in blocks}
    says = "; ".join(
        f"block {block}: words {len(made) * block} and {len(made) * block + 1} are "
        + ", ".join(f"{word:08x}" for word in made)
        for block, made in words.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Blocks of a counter-based stream", says)
        pitch = width / len(blocks) if s.wide else width
        for number, (block, made) in enumerate(words.items()):
            x = number * pitch if s.wide else 0.0
            y = 6.0 if s.wide else 6 + number * (30 * len(made) + 100)
            node = s.node(x + 84, y, [f"block {block:,}"], width=136)
            line = s.grid(x + 106, node.bottom + 36, [[f"{word:08x}"] for word in made], "reach", 92, 30)
            for place in range(len(made)):
                left, middle = line[place].w
                word = f"{len(made) * block + place:,}"
                s.text(left - 8, middle + 4.5, word, "ink-soft", 12, "end", mono=True)
            s.arrow((node.s[0], node.bottom + 3), (line.n[0], line.y - 3), "shape")
        return s

    return Figure(draw, caption)
