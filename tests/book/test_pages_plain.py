"""Every page stands without scripts, and has one heading of the first rank."""

from __future__ import annotations

import pytest

from .conftest import ADDRESSES, Open

INK = "rgb(27, 36, 48)"


@pytest.mark.parametrize("address", ADDRESSES)
def test_can_be_read_without_scripts(open_page: Open, address: str) -> None:
    page = open_page(address, scripts=False)
    assert page.locator("h1:visible").count() == 1
    assert page.locator("main").evaluate("element => getComputedStyle(element).color") == INK
