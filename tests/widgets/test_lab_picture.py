"""What the Storage Lab draws in a static page: no kernel, no network."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.widgets import StorageLab
from tests.widgets.lab_page import element, field, in_hand, reading, set_field, shown, slot

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def test_the_address_of_the_element_in_hand_is_written_out(show):
    page = show(StorageLab(shape=(3, 4), stride=(4, 1), offset=2, cells=14, hand=(1, 2)))
    assert reading(page).split("\n\n") == [
        "x[1, 2] is 8.",
        "offset + i·s0 + j·s1",
        "= 2 + 1·4 + 2·1",
        "= 8",
        "8 × 4 B = byte 32",
    ]
    assert in_hand(page) == (["1,2"], ["8"])
    colours = page.locator(".tlw-sum [class^=tlw-term-]").evaluate_all(
        "spans => spans.map(s => [s.className, getComputedStyle(s).color])"
    )
    by_meaning = {
        name: {colour for kind, colour in colours if kind == f"tlw-term-{name}"}
        for name in ("offset", "stride")
    }
    assert by_meaning == {"offset": {"rgb(47, 125, 74)"}, "stride": {"rgb(154, 88, 10)"}}


@pytest.mark.parametrize(
    ("shape", "elements", "plates"),
    [((), 1, 1), ((5,), 5, 1), ((2, 3), 6, 1), ((2, 3, 4), 24, 2), ((2, 2, 2, 2), 16, 4), ((0, 3), 0, 0)],
)
def test_any_number_of_dimensions_is_drawn(show, shape, elements, plates):
    page = show(StorageLab(shape=shape, cells=24))
    assert page.locator(".tlw-cell").count() == elements
    assert page.locator(".tlw-plate").count() == plates
    assert page.locator(".tlw-slot").count() == 24
    assert page.locator(".tlw-reached, .tlw-slot.tlw-in-hand").count() >= min(elements, 1)
    names = page.locator(".tlw-plate-name").all_inner_texts()  # with the stride that leads there
    assert names == {
        3: ["[0, :, :]", "[1, :, :] +12"],
        4: ["[0, 0, :, :]", "[0, 1, :, :] +4", "[1, 0, :, :] +8", "[1, 1, :, :]"],
    }.get(len(shape), [])


def test_pointing_at_an_element_lights_its_storage_cell(show):
    page = show(StorageLab(shape=(3, 4)))
    element(page, 2, 1).hover()
    assert in_hand(page) == (["2,1"], ["9"])
    assert "= 0 + 2·4 + 1·1" in reading(page)
    page.mouse.move(0, 0)
    assert in_hand(page) == (["0,0"], ["0"])


def test_pointing_at_a_storage_cell_lights_every_element_in_it(show):
    page = show(StorageLab(shape=(3, 4), stride=(0, 1), offset=1, cells=6))
    slot(page, 2).hover()
    lit = page.locator(".tlw-cell.tlw-sharing").evaluate_all("found => found.map(e => e.dataset.index)")
    assert lit == ["0,1", "1,1", "2,1"]
    assert "Storage cell 2 is shared by 3 elements: [0, 1], [1, 1], [2, 1]." in reading(page)
    slot(page, 5).hover()
    assert "Storage cell 5 rests: no element of the tensor lies in it." in reading(page)
    assert page.locator(".tlw-cell.tlw-sharing").count() == 0


def test_reached_cells_and_resting_ones_are_told_apart(show):
    page = show(StorageLab(shape=(3,), stride=(2,), offset=1, cells=8))
    reached = page.locator(".tlw-reached").evaluate_all("found => found.map(e => e.dataset.cell)")
    assert reached == ["1", "3", "5"]
    expect(slot(page, 3)).to_have_accessible_name("storage cell 3, holds 3., reached by the tensor")
    expect(slot(page, 4)).to_have_accessible_name("storage cell 4, holds 4., at rest")


def test_clicking_a_shared_cell_gives_its_elements_one_after_the_other(show):
    page = show(StorageLab(shape=(3, 2), stride=(1, 1), cells=4, hand=(0, 0)))
    for index in ("0,1", "1,0", "0,1"):
        slot(page, 1).click()
        assert in_hand(page)[0] == [index]


def test_a_given_tensor_shows_its_own_values_and_keeps_its_storage(show):
    x = tl.tensor([[1.5, -2.0], [1e9, 0.125]])
    page = show(StorageLab(x.t(), name="w"))
    assert page.locator(".tlw-cell").all_inner_texts() == ["1.5", "1e+09", "-2.", "0.125"]
    assert page.locator(".tlw-slot-value").all_inner_texts() == ["1.5", "-2.", "1e+09", "0.125"]
    assert f"data_ptr {x.data_ptr():#x}" in page.locator(".tlw-facts").inner_text()
    assert shown(page) == "w"
    expect(field(page, "storage length in cells")).to_be_disabled()
    expect(field(page, "dtype")).to_be_disabled()
    set_field(page, "offset", "1")
    assert "would lie in cell 1 + 1·1 + 1·2 = 4" in page.locator(".tlw-message").inner_text()
    set_field(page, "shape", "1, 2")
    assert shown(page) == "w.as_strided((1, 2), (1, 2), 1)"


def test_bytes_and_dtype(show):
    page = show(StorageLab(shape=(2, 3), cells=10))

    def facts():
        return page.locator(".tlw-facts").inner_text().replace("\n", " ")

    assert "numel 6 itemsize 4 B tensor 6 × 4 B = 24 B storage 10 × 4 B = 40 B contiguous yes" in facts()
    field(page, "dtype").select_option("int8")
    assert "itemsize 1 B tensor 6 × 1 B = 6 B storage 10 × 1 B = 10 B" in facts()
    assert shown(page) == "tl.arange(10, dtype=tl.int8).as_strided((2, 3), (3, 1), 0)"
    set_field(page, "stride", "1, 2")
    assert "contiguous no" in facts()


def test_a_large_tensor_is_drawn_in_part_and_says_so(show):
    page = show(StorageLab(shape=(1000, 1000)))
    assert page.locator(".tlw-cell").count() == 4096
    assert page.locator(".tlw-slot").count() == 1024
    notes = page.locator(".tlw-note").all_inner_texts()
    assert "4,096 of 1,000,000 elements are drawn; the address of every one follows the same sum." in notes
    assert "Storage cells 0 to 1,023 of 1,000,000 are drawn." in notes
    element(page, 0, 0).focus()
    for _ in range(40):
        page.keyboard.press("ArrowDown")
    assert in_hand(page)[0] == ["40,0"]
    inside = """element => {
      const [inner, outer] = [element, element.closest(".tlw-plates")].map((e) => e.getBoundingClientRect());
      return inner.top >= outer.top && inner.bottom <= outer.bottom;
    }"""
    assert element(page, 40, 0).evaluate(inside)


@pytest.mark.parametrize("width", [320, 390, 700, 1280])
@pytest.mark.parametrize("touch", [False, True])
def test_nothing_is_wider_than_the_page(show, width, touch):
    labs = [StorageLab(shape=s, cells=200) for s in [(), (3, 4), (30,), (2, 3, 4)]]
    page = show(*labs, width=width, touch=touch)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    least = 44 if touch else 24
    sizes = page.locator(".tlw-lab :is(button, input, select, summary):visible").evaluate_all(
        """found => found.map((element) => {
          const { width, height } = element.getBoundingClientRect();
          return [element.outerHTML, width, height];
        })"""
    )
    assert [size for size in sizes if min(size[1:]) < least] == []


def test_the_theme_follows_the_page(show):
    page = show(StorageLab(shape=(3, 4)), theme="dark")
    root = page.locator(".tlw-lab")
    expect(root).to_have_attribute("data-theme", "dark")
    dark = element(page, 1, 1).evaluate("e => getComputedStyle(e).backgroundColor")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    expect(root).to_have_attribute("data-theme", "light")
    assert element(page, 1, 1).evaluate("e => getComputedStyle(e).backgroundColor") != dark
    for setting, theme in [
        ("delete document.documentElement.dataset.theme", "light"),
        ("document.body.dataset.jpThemeLight = 'false'", "dark"),
        ("document.body.dataset.jpThemeLight = 'true'", "light"),
        ("delete document.body.dataset.jpThemeLight; document.body.className = 'vscode-dark'", "dark"),
    ]:
        page.evaluate(setting)
        expect(root).to_have_attribute("data-theme", theme)
