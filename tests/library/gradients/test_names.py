"""Gradients go through names as if there were none."""

from __future__ import annotations

import tensorlab as tl


def test_names_are_given_moved_and_dropped():
    x = tl.arange(6, dtype=tl.float64).view(2, 3).clone().requires_grad_()
    named = x.refine_names("N", "C")
    weights = tl.arange(6, dtype=tl.float64).view(3, 1, 2)
    turned = named.align_to("C", "H", "N").rename(None) * weights
    (turned.sum() + (named * 2).sum("C").sum()).backward()
    assert x.grad.tolist() == [[2.0, 4.0, 6.0], [3.0, 5.0, 7.0]]
