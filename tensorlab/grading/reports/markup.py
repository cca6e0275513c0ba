"""HTML by elements: what is not an element is text, and text is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from tensorlab.figures.ink import MONO, PALETTE, UI, mixed
from tensorlab.grading.inside.values import printable

#: Characters of a cell that gets room for a sentence.
LONG = 80

_VOID = ("meta",)


class Html(str):
    """Text that is HTML already. Everything else that `element` is given is escaped."""

    __slots__ = ()


def element(kind: str, /, *inside: object, **attributes: object) -> Html:
    """An element. An attribute's ``_`` is written ``-``, and one at its end is left out.

    Example:
        >>> element("p", "1 < 2, ", element("em", "really"), class_="note")
        '<p class="note">1 &lt; 2, <em>really</em></p>'
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"' for key, value in attributes.items()
    )
    return Html(f"<{kind}{told}>" if kind in _VOID else f"<{kind}{told}>{joined(inside)}</{kind}>")


def joined(parts: Iterable[object]) -> Html:
    """Elements and texts, one after the other."""
    return Html("".join(part if isinstance(part, Html) else _escaped(part) for part in parts))


def table(caption: str, header: Sequence[str], lines: Iterable[Sequence[object]]) -> Html:
    """A table that scrolls by itself on a narrow page. The first cell of a line is the line's name."""
    heads = [element("th", name, scope="col") for name in header]
    rows = [
        element("tr", element("th", first, scope="row"), *(_cell(value) for value in rest))
        for first, *rest in lines
    ]
    inside = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
    )
    return element("div", inside, class_="scroll", role="region", aria_label=caption, tabindex=0)


def page(title: str, *body: object) -> str:
    """A page that needs no other file, loads nothing and runs no script, in light and dark."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="robots", content="noindex"),
        element("meta", name="referrer", content="no-referrer"),
        element(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'",
        ),
        element("title", title),
        element("style", Html(_STYLE)),
    )
    main = element("main", element("h1", title), *body)
    return f"<!DOCTYPE html>\n{element('html', head, element('body', main), lang='en')}\n"


def _cell(value: object) -> Html:
    if isinstance(value, (int, float)) or str(value)[:1].isdigit():
        return element("td", value, class_="number")
    return element("td", value, class_="words") if len(str(value)) > LONG else element("td", value)


def _escaped(value: object) -> str:
    return html.escape(printable(str(value)))


def _colours(place: int) -> str:
    return ";".join(f"--tl-{name}:{both[place]}" for name, both in PALETTE.items())


_STYLE = f"""
:root{{color-scheme:light;{_colours(0)}}}
@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{_colours(1)}}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--tl-page);color:var(--tl-ink);font:1rem/1.55 {UI}}}
main{{max-width:50rem;margin:0 auto;padding:1.5rem 1rem 4rem;overflow-wrap:anywhere}}
h1{{font-size:1.8rem;line-height:1.2;margin:.5rem 0 1rem}}
h2{{font-size:1.3rem;margin:2.6rem 0 .6rem;line-height:1.3}}
h3{{font-size:1.05rem;margin:1.6rem 0 .3rem}}
a{{color:var(--tl-shape)}}
.soft,caption,figcaption{{color:var(--tl-ink-soft)}}
.scroll{{overflow-x:auto;margin:1rem 0}}
table{{border-collapse:collapse;min-width:100%;font-size:.95rem;overflow-wrap:normal}}
caption{{text-align:start;padding-bottom:.4rem;width:100%;max-width:calc(100vw - 2rem)}}
th,td{{text-align:start;vertical-align:top;padding:.35rem .9rem .35rem 0}}
th,td{{border-bottom:1px solid var(--tl-rule)}}
thead th{{vertical-align:bottom;border-bottom-color:var(--tl-edge)}}
tbody th{{font-weight:600}}
.words{{min-width:15rem}}
.number{{font-variant-numeric:tabular-nums;white-space:nowrap}}
code,pre{{font-family:{MONO};font-size:.9em}}
pre{{overflow-x:auto;background:var(--tl-surface);border:1px solid var(--tl-rule)}}
pre{{padding:.7rem;margin:.5rem 0}}
.pair{{display:grid;gap:0 1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}}
.pair>*{{min-width:0}}
details{{margin:.8rem 0}}
summary{{cursor:pointer;min-height:1.75rem}}
.beliefs{{list-style:none;padding:0;margin:1rem 0}}
.beliefs>li{{padding:.9rem 0;border-bottom:1px solid var(--tl-rule)}}
.beliefs p{{margin:.3rem 0}}
.bar{{height:.5rem;margin:.4rem 0;max-width:24rem}}
.bar{{background:var(--tl-cell);border:1px solid var(--tl-cell-edge)}}
.bar>span{{display:block;height:100%;background:var(--tl-reach)}}
blockquote{{margin:.3rem 0;font-size:1.1rem;font-weight:600}}
.said{{white-space:pre-wrap;margin:.5rem 0}}
.topics{{list-style:none;padding:0;margin:.5rem 0}}
.topics b{{display:inline-block;min-width:3.2rem;font-variant-numeric:tabular-nums}}
.hint{{border-inline-start:4px solid var(--tl-stride);background:{mixed("hand", 12)};padding:.6rem .9rem}}
@media (pointer:coarse){{summary,.touch{{min-height:2.75rem;padding:.6rem 0}}.touch{{display:inline-block}}}}
@media print{{details>*{{display:block}}}}
"""
