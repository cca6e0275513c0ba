"""The memory meter counts every storage, whichever way it was made, and meters inside one another."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.autograd import profile


def test_what_is_freed_counts_until_then():
    with profile() as memory:
        x = tl.zeros(100)
        del x
        y = tl.ones(50) + 1
    changes = [moment.change for moment in memory.timeline if abs(moment.change) > 8]
    assert changes == [400, -400, 200, 200, -200]
    assert (memory.peak, memory.live) == (400, y.nbytes)


def test_a_meter_takes_nothing_from_the_one_around_it():
    with profile() as outer:
        tl.zeros(10)
        with profile() as inner:
            tl.zeros(20)
        tl.zeros(30)
    made = [[moment.change for moment in memory.timeline if moment.change > 0] for memory in (outer, inner)]
    assert made == [[40, 80, 120], [80]]
    assert inner.timeline[0].what == outer.timeline[2].what == "zeros"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: tl.zeros(20), "zeros"),
        (lambda x: tl.arange(20), "arange"),
        (lambda x: tl.tensor([1.0, 2.0, 3.0]), "tensor"),
        (lambda x: x.sum(0), "sum"),
        (lambda x: x.softmax(1), "softmax"),
        (lambda x: x @ x, "matmul"),
        (lambda x: x + 1, "add"),
        (lambda x: x.exp(), "exp"),
        (lambda x: x.t().contiguous(), "contiguous"),
        (lambda x: tl.nn.functional.linear(x, x), "linear"),
        (lambda x: x[tl.tensor(1).expand(3)], "getitem"),
    ],
)
def test_who_has_allocated_is_named_as_it_was_called(call, name):
    x = tl.ones(4, 4)
    for _ in range(2):  # the second call may take a shorter way
        with profile() as memory:
            call(x)
        assert name in {moment.what for moment in memory.timeline if moment.change > 8}
