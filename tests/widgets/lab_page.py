"""A Storage Lab on a page, in the words of its tests."""

from __future__ import annotations

from urllib.parse import unquote


def field(page, name):
    return page.get_by_label(name, exact=True)


def element(page, *index):
    return page.locator(f'[data-index="{",".join(map(str, index))}"]')


def slot(page, cell):
    return page.locator(f'[data-cell="{cell}"]')


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def reading(page):
    return page.locator(".tlw-reading").inner_text()


def in_hand(page):
    """The indices of the elements, and the numbers of the storage cells, that stand out."""
    ring = ".tlw-in-hand"
    elements = page.locator(f".tlw-cell{ring}").evaluate_all("found => found.map(e => e.dataset.index)")
    cells = page.locator(f".tlw-slot{ring}").evaluate_all("found => found.map(e => e.dataset.cell)")
    return elements, cells


def shown(page):
    """The layout that is drawn, read from the picture and not from the fields."""
    return page.locator(".tlw-line").inner_text()


def set_field(page, name, text):
    field(page, name).fill(text)
    page.keyboard.press("Enter")


def focused(page):
    return page.evaluate(
        "document.activeElement.dataset.index ?? document.activeElement.dataset.cell ?? null"
    )


def settled_hash(page, contains):
    page.wait_for_function("text => decodeURIComponent(location.hash).includes(text)", arg=contains)
    return unquote(page.evaluate("location.hash"))
