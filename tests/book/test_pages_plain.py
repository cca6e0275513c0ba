"""A page of each kind stands without scripts, and has one heading of the first rank."""

from __future__ import annotations

import pytest

from .conftest import ADDRESSES, Open

INK = "rgb(27, 36, 48)"


# Of the pages that are made of the same elements, the first.
ALIKE = ("book/chapters/", "book/reference/functions_", "exercises/")
OF_EACH_KIND = [address for address in ADDRESSES if not address.startswith(ALIKE)] + [
    next(address for address in ADDRESSES if address.startswith(kind)) for kind in ALIKE
]


@pytest.mark.part(2)
@pytest.mark.parametrize("address", OF_EACH_KIND)
def test_can_be_read_without_scripts(open_page: Open, address: str) -> None:
    page = open_page(address, scripts=False)
    assert page.locator("h1:visible").count() == 1
    assert page.locator("main").evaluate("element => getComputedStyle(element).color") == INK
