"""The figures of numbers, pairs, letters and streams say what the library computes."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.figures import (
    broadcast_grid,
    counter_blocks,
    einsum_letters,
    integer_circle,
    measured_bars,
)


def test_what_the_chapter_figures_cannot_draw_raises():
    for number in (-1, 8 * 256):
        with pytest.raises(ValueError, match=f"number={number}"):
            integer_circle(number)
    with pytest.raises(ValueError, match="a column"):
        broadcast_grid(tl.ones(3), tl.ones(3), tl.ones(3), "a + b")
    for equation in ("ij,jk", "ij->k"):
        with pytest.raises(ValueError, match="an arrow"):
            einsum_letters(equation)
    for measures in ({"ms": {"a": 1, "b": 2}, "bytes": {"a": 1}}, {"ms": {"a": -1.0}}, {"ms": {"a": 0}}):
        with pytest.raises(ValueError, match="one number for each"):
            measured_bars(measures)
    with pytest.raises(ValueError, match="0 blocks"):
        counter_blocks(lambda block: (block,), [])


@pytest.mark.parametrize("number", [0, 127, 128, 255, 256, 1000, 2047])
def test_the_circle_ends_where_the_library_does(number):
    shown = tl.tensor(number, dtype=tl.int32).to(tl.int8).item()
    assert f"ends at {shown} after" in integer_circle(number)._repr_html_()


def test_letters_that_are_dropped_are_summed():
    assert "Kept: i and k. Summed over: b and j." in einsum_letters("bij,bjk->ik")._repr_html_()
    assert "Kept: nothing. Summed over: i." in einsum_letters("ii->")._repr_html_()
