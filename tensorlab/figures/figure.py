"""A figure: one drawing for a wide page and one for a narrow one, and a caption that says what to see."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

from tensorlab.figures.ink import NOTEBOOK, UI, colour
from tensorlab.figures.scene import Scene

__all__ = ["NARROW", "WIDE", "Figure", "framed"]

WIDE, NARROW = 720, 350
_STYLE = (
    "<style>.tl-figure{container-type:inline-size;margin:2rem 0}.tl-figure>.tl-narrow{display:none}"
    ".tl-figure svg{display:block;overflow:visible}"
    f".tl-figure>figcaption{{margin:.75rem 0 0;text-align:start;font:400 .95rem/1.45 {UI};"
    f"color:{colour('ink-soft')}}}"
    "@container (max-width:700px){.tl-figure>.tl-wide{display:none}.tl-figure>.tl-narrow{display:block}}"
    f"{NOTEBOOK}</style>"
)
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Figure:
    """A drawing that is a function of its width, with a caption.

    A notebook shows it; so does a page of the book. It is drawn twice, `WIDE` and `NARROW` pixels wide, and
    the page shows the one that fits: narrow is another arrangement, never smaller type.

    Args:
        draw: called with a width, returns a scene.
        caption: what to see, in two sentences at most.

    Example:
        >>> def two(width):
        ...     scene = Scene(width, "Two cells", "Two cells that touch, 5 and 7.")
        ...     scene.strip(0, 0, [5, 7])
        ...     return scene
        >>> figure = Figure(two, "The second lies beside the first.")
        >>> figure._repr_html_().count("<svg")
        2
    """

    draw: Callable[[float], Scene]
    caption: str = ""

    def _repr_html_(self) -> str:
        number = next(_NUMBERS)
        drawn = []
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            scene = self.draw(width)
            key = f"tl{crc32(''.join(scene.parts).encode()):x}-{number}{kind[0]}"
            drawn.append(f'<div class="tl-{kind}">{scene.svg(key)}</div>')
        return framed("".join(drawn), self.caption)


def framed(drawn: str, caption: str) -> str:
    """The HTML of drawings with their style and a caption."""
    told = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
    return f'<figure class="tl-figure">{_STYLE}{drawn}{told}</figure>'
