"""Every page fits a telephone: nothing makes the window scroll sideways."""

from __future__ import annotations

import pytest

from .conftest import ADDRESSES, Open

TELEPHONE, LEAST = 390, 320
BEYOND_THE_EDGE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > width + 1)
    .map((e) => `${e.tagName}.${e.className} reaches ${e.getBoundingClientRect().right} of ${width}`);
}"""


@pytest.mark.parametrize("address", ADDRESSES)
def test_fits_a_telephone(open_page: Open, address: str) -> None:
    page = open_page(address, width=TELEPHONE, theme="dark")
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.set_viewport_size({"width": LEAST, "height": 700})
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.close()
    page = open_page(address, width=LEAST, theme="light")
    assert page.evaluate(BEYOND_THE_EDGE) == []
