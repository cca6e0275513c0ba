"""The Tape Player in a page without kernel: its keys, its picture, its question, numbers under the hand."""

from __future__ import annotations

import re

import pytest

import tensorlab as tl
from tensorlab.widgets import TapePlayer
from tensorlab.widgets.tape_player.widget import PRESETS
from tests.widgets.lab_page import button, field, settled_hash

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def fan_in(**more):
    return TapePlayer("h = x * w; z = h * h + h", x=2, w=3, **more)


def stretched(**more):
    return TapePlayer(
        "z = (x * w + b).tanh().sum()", x=[[1, 2, 3], [-3, -2, -1]], w=[0.5, -0.25, 0.25], b=0.5, **more
    )


def step(page, times=1):
    for _ in range(times):
        button(page, "step forward").click()


def node(page, label):
    return page.locator(".tlw-node").filter(
        has=page.locator(".tlw-node-label", has_text=re.compile(f"^{re.escape(label)}$"))
    )


def lines(page, label):
    return (
        node(page, label).locator("span").evaluate_all("all => all.map(e => e.dataset.text ?? e.textContent)")
    )


def place(page):
    return page.locator(".tlw-place").inner_text()


def test_values_appear_as_they_are_computed(show):
    page = show(fan_in())
    assert lines(page, "h = x * w") == ["h = x * w", "…", "", ""]
    step(page)
    assert lines(page, "h = x * w") == ["h = x * w", "6", "keeps w, x", "MulBackward0"]
    expect(page.locator(".tlw-reading")).to_contain_text(
        "h = x * w is computed, and MulBackward0 is born. The result has shape (). The node keeps w and x."
    )
    step(page, 2)
    assert place(page) == "forward, 3 of 3"
    assert lines(page, "z = … + h")[1] == "42"
    step(page)
    assert place(page) == "forward, 3 of 3"
    expect(page.get_by_role("alert").first).to_contain_text("Choose a gradient and commit first.")


def test_the_way_back_opens_after_the_prediction(show):
    page = show(fan_in())
    button(page, "Commit").click()
    expect(page.get_by_role("alert").first).to_contain_text("Choose a gradient and commit first.")
    assert page.get_by_text("x.grad").count() == 0
    cards = page.locator(".tlw-candidate")
    expect(cards).to_have_count(4)
    cards.filter(has_text="18").locator("input").check()
    button(page, "Commit").click()
    expect(page.locator(".tlw-outcome")).to_have_text(
        "Not so: that one keeps only the first gradient that arrives. Gradients that meet are added."
        if cards.filter(has_text="18").locator("input").get_attribute("value") == "first"
        else re.compile("^Not so: that one keeps only the last gradient")
    )
    expect(cards.filter(has_text="39")).to_contain_text("this one")
    expect(button(page, "Ask again")).to_be_focused()
    button(page, "last step").click()
    assert place(page) == "backward, 12 of 12"
    assert lines(page, "x")[-1] == "g 39"
    expect(button(page, "step forward")).to_have_attribute("aria-disabled", "true")
    button(page, "Ask again").click()
    assert place(page) == "forward, 3 of 3"


def test_gradients_that_meet_are_counted_and_added(show):
    page = show(fan_in(told=True))
    page.get_by_label("step", exact=True).fill("4")
    waiting = []
    while len(waiting) < 12 and place(page) != "backward, 12 of 12":
        waiting.append(lines(page, "h = x * w")[-1])
        step(page)
    assert [text for at, text in enumerate(waiting) if text not in waiting[:at]] == [
        "waits for 3",
        "waits for 2",
        "waits for 1",
        "g 13",
    ]
    page.get_by_label("step", exact=True).fill("10")
    expect(page.locator(".tlw-reading")).to_contain_text(
        "MulBackward0 of h * h hands a gradient to h. It is added to what waits there, as number 3 of 3."
    )
    blocks = page.locator(".tlw-reading .tlw-block").all_inner_texts()
    assert [block.split("\n")[-1] for block in blocks] == ["6", "7", "13"]


def test_a_stretched_operand_gets_a_sum(show):
    page = show(stretched(told=True))
    pills = page.locator(".tlw-sum-pill")
    assert sorted(pills.all_inner_texts()) == ["sum over 0", "sum over 0, 1"]
    page.get_by_label("step", exact=True).fill("12")
    expect(page.locator(".tlw-subject")).to_have_text(
        "AddBackward0 of … + b hands a gradient to b. It has shape (2, 3), and b has (): what was stretched "
        "is summed, over dimensions 0 and 1."
    )
    expect(pills.filter(has_text="sum over 0, 1")).to_have_class(re.compile("tlw-passed"))
    expect(pills.get_by_text("sum over 0", exact=True)).not_to_have_class(re.compile("tlw-passed"))
    assert lines(page, "b")[-1] == "g 3.48"


def test_what_is_kept_is_let_go(show):
    page = show(stretched(told=True))
    page.get_by_label("step", exact=True).fill("4")
    meter = page.locator(".tlw-meter-text")
    expect(meter).to_have_text("The graph alone keeps 48 B of at most 48 B")
    assert lines(page, ".tanh()")[2] == "keeps result"
    page.get_by_label("step", exact=True).fill("8")
    expect(meter).to_contain_text("keeps 0 B")
    assert lines(page, ".tanh()")[2] == "freed result"
    assert (
        node(page, ".tanh()")
        .locator(".tlw-node-saved")
        .evaluate("e => getComputedStyle(e).textDecorationLine")
        == "line-through"
    )


def test_a_number_is_dragged_and_everything_follows(show):
    page = show(fan_in(told=True, key="t"))
    step(page, 15)
    slider = page.get_by_role("slider", name="value of x")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 5 / 6, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
    assert abs(float(slider.input_value())) < 0.2
    page.mouse.up()
    field(page, "value of x").first.fill("1")
    page.keyboard.press("Enter")
    assert lines(page, "x") == ["x", "1", "g 21"]  # (2 * 3 + 1) * 3
    assert lines(page, "z = … + h")[1] == "12"
    expect(page.locator(".tlw-editor .tlw-sum")).to_have_text("x.grad is 21; nudging x gives 21")
    expect(page.locator(".tlw-line")).to_contain_text(
        "x = tl.tensor(1.0, dtype=tl.float64, requires_grad=True)"
    )
    assert "x()1~w()3" in settled_hash(page, "x()1~w()3")
    field(page, "value of x").first.fill("one")
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-editor [role=alert]")).to_have_text(
        "“one” is no number: write one such as 0.5 or -2."
    )
    assert lines(page, "x")[1] == "1"


def test_finite_differences_stand_beside_the_gradients(show):
    page = show(stretched(told=True))
    card = page.locator(".tlw-leaf-card").filter(has_text="w.grad")
    grad, estimate = (one.inner_text().split() for one in card.locator(".tlw-numbers").all())
    assert grad == estimate == ["-0.8399", "1.16", "-0.09877"]
    expect(card.locator(".tlw-note").last).to_have_text(
        re.compile(r"^They differ by \d\.\de-(09|1\d|9) at most\.$")
    )


def test_a_kink_is_where_both_differ(show):
    page = show(TapePlayer("x.relu()", x=0.0, told=True))
    expect(page.locator(".tlw-leaf-card .tlw-note.tlw-wrong")).to_have_text("They differ by 5.0e-1 at most.")


def test_what_is_no_number_is_shown_as_it_is(show):
    page = show(TapePlayer("x.sqrt().sum()", x=[0.0, 4.0], told=True))
    assert page.locator(".tlw-leaf-card .tlw-numbers").first.inner_text().split() == ["inf", "0.25"]
    expect(page.locator(".tlw-leaf-card .tlw-note.tlw-wrong")).to_have_text(
        "They differ: one of two is no finite number."
    )
    w = tl.tensor([0.0, -1.0], requires_grad=True)
    page = show(TapePlayer(w.sqrt().sum(), w=w))
    button(page, "last step").click()
    assert lines(page, "sum")[1] == "nan"
    assert lines(page, "w")[-1] == "g [inf, nan]"


def test_another_expression_asks_anew(show):
    page = show(stretched(told=True, key="t"))
    source = field(page, "expression")
    source.fill("h = w * w; h.exp().sum()")
    page.keyboard.press("Enter")
    expect(button(page, "Commit")).to_be_visible()
    assert place(page) == "forward, 0 of 3"
    expect(node(page, "h = w * w")).to_be_visible()
    assert "source:h = w * w; h.exp().sum()" in settled_hash(page, "w * w")
    source.fill("x @ b")
    page.keyboard.press("Enter")
    expect(page.locator(".tlw-message")).to_contain_text("both arguments to matmul need to be at least 1D")
    expect(source).to_have_attribute("aria-invalid", "true")
    expect(source).to_have_value("x @ b")
    page.keyboard.press("Escape")
    expect(source).to_have_value("h = w * w; h.exp().sum()")


def test_a_leaf_without_gradient_is_not_recorded(show):
    page = show(fan_in(told=True))
    page.locator(".tlw-leaf-head input").first.uncheck()
    expect(button(page, "Commit")).to_be_visible()
    step(page)
    assert lines(page, "h = x * w")[2] == "keeps x"
    expect(node(page, "x")).to_have_class(re.compile("tlw-plain"))
    page.locator(".tlw-leaf-head input").nth(1).click()
    expect(page.locator(".tlw-message")).to_contain_text("nothing to go back to")
    expect(page.locator(".tlw-editor [role=alert]")).to_contain_text("Refused: nothing to go back to")
    expect(page.locator(".tlw-leaf-head input").nth(1)).to_be_checked()


def test_everything_can_be_done_with_the_keyboard(show):
    page = show(fan_in())
    page.get_by_label("step", exact=True).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert place(page) == "forward, 1 of 3"
    page.locator(".tlw-candidate input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(button(page, "Ask again")).to_be_focused()
    page.locator('.tlw-node[tabindex="0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(node(page, "z = … + h")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(node(page, "h * h")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".tlw-reading")).to_contain_text("It is not computed yet.")
    page.keyboard.press("Enter")
    expect(node(page, "h * h")).to_have_attribute("aria-pressed", "false")


def test_the_next_node_is_predicted(show):
    page = show(fan_in(told=True))
    button(page, "Predict the next node").click()
    button(page, "last step").click()
    asked = page.locator(".tlw-next")
    expect(asked).to_have_text("Which node runs next? Choose it in the picture.")
    assert place(page) == "backward, 1 of 12"
    node(page, "h = x * w").click()
    expect(asked).to_contain_text("h still waits for 3. 0 of 1 right so far.")
    node(page, "z = … + h").click()
    expect(asked).to_have_text("Right. 1 of 2 right so far.")
    button(page, "last step").click()
    node(page, "h * h").click()
    expect(asked).to_have_text("Right. 2 of 3 right so far.")
    button(page, "Predict the next node").click()
    expect(asked).to_be_hidden()
    button(page, "last step").click()
    assert place(page) == "backward, 12 of 12"


def test_it_plays_by_itself_and_stops_at_the_end(show):
    page = show(fan_in())
    button(page, "Play").click()
    expect(page.locator(".tlw-place")).to_have_text("forward, 3 of 3", timeout=20_000)
    expect(button(page, "Play")).to_be_visible(timeout=20_000)


def test_a_recorded_graph_plays_without_its_program(show):
    w = tl.tensor([2.0, 3.0], requires_grad=True)
    page = show(TapePlayer((w.exp() * w).softmax(0).sum(), w=w, key="t"))
    assert page.locator(".tlw-leaf-part, .tlw-which, .tlw-source").count() == 0
    button(page, "last step").click()
    assert lines(page, "w")[1] == "[2, 3]"
    button(page, "step back").click()
    node(page, "mul").click()
    expect(page.locator(".tlw-reading")).to_contain_text(
        "value: a graph keeps no value that its backward pass"
    )
    assert "t=step:" in settled_hash(page, "step:")


def test_a_link_brings_back_the_state(show):
    page = show(stretched(key="t"), state="t=source:(w÷2).sum()/leaves:w(2)1,-4/step:2")
    assert field(page, "expression").input_value() == "(w/2).sum()"
    assert place(page) == "forward, 2 of 2"
    assert lines(page, "w")[1] == "[1, -4]"


def test_the_text_twin_follows(show):
    page = show(fan_in(told=True))
    page.get_by_text("As text").click()
    page.get_by_label("step", exact=True).fill("15")
    rows = page.locator(".tlw-twin tbody tr").all_inner_texts()
    assert len(rows) == 5
    assert any(re.search(r"^x\s+AccumulateGrad\s+\(\)\s+2\s+1 of 1\s+39", row) for row in rows)


def test_each_preset_is_a_program(show):
    page = show(TapePlayer(key="p"))
    for name in PRESETS:
        button(page, name).click()
        expect(button(page, name)).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".tlw-message")).not_to_contain_text("Refused")
        assert place(page).startswith("forward, 0 of")
    assert "source:h = x.sin(); h *= 2" in settled_hash(page, "x.sin()")


def test_an_overwritten_tensor_stops_the_way_with_the_librarys_words(show):
    lab = TapePlayer("h = x.exp(); h *= 2; z = h.sum()", x=[0, 1])
    with pytest.raises(RuntimeError) as error:
        lab.result.backward()
    page = show(lab)
    step(page)
    assert page.locator(".tlw-broken, .tlw-culprit").count() == 0
    step(page)
    expect(page.locator(".tlw-reading")).to_contain_text("It overwrites h, whose memory is at version 1 now.")
    expect(page.locator(".tlw-culprit .tlw-node-label")).to_have_text("h *= 2")
    assert lines(page, "h = x.exp()")[2] == "written result"
    page.locator(".tlw-candidate").filter(has_text="an error").locator("input").check()
    button(page, "Commit").click()
    expect(page.locator(".tlw-outcome")).to_contain_text("Right.")
    button(page, "last step").click()
    reading = page.locator(".tlw-reading")
    expect(reading).to_contain_text(str(error.value))
    expect(reading).to_contain_text("its result at version 0")
    expect(reading).to_contain_text("h *= 2 →at version 1")
    expect(page.locator(".tlw-ribbon-held")).to_have_count(1)
    expect(page.locator(".tlw-none").last).to_have_text("x.grad is None")
