"""A part that is right and slow is told from one that is right, whatever else the machine does meanwhile."""

from __future__ import annotations

import functools
import math
import sys

import pytest

from tensorlab.core import layout
from tensorlab.grading.suites import exercise
from tensorlab.learn import adopt, status
from tensorlab.learn.speed import LIMIT, TURNS, Slowdown, slowdown

pytestmark = pytest.mark.usefixtures("library_as_it_was")

NUMEL = exercise("01.numel")


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves when it is told to; for the library's `numel` it moves by a thousandth."""

    class Clock:
        now = 0.0

        def __call__(self):
            return self.now

        def numel(self, seconds):
            def numel(shape):
                self.now += seconds
                return math.prod(shape)

            return numel

    clock = Clock()
    own = clock.numel(0.001)
    monkeypatch.setattr("tensorlab.learn.speed.find_part", lambda part: (own, None))
    return clock


class TestSlowdown:
    @pytest.mark.parametrize("times", [0.5, 1, 2.9, 3.1, 40])
    def test_the_ratio(self, clock, times):
        found = slowdown(NUMEL, clock.numel(0.001 * times), clock)
        assert found.ratio == pytest.approx(times)
        assert found.is_slow == (times > LIMIT)

    def test_turns_in_which_the_machine_was_busy_do_not_count(self, clock):
        cases = sum(len(topic.public) for topic in NUMEL.topics)
        calls = []

        def numel(shape):
            calls.append(shape)
            clock.now += 0.05 if (len(calls) - 1) // cases % 3 == 0 else 0.001
            return math.prod(shape)

        found = slowdown(NUMEL, numel, clock)
        assert found.ratio == pytest.approx(1)
        assert not found.is_slow

    def test_a_very_slow_one_has_fewer_turns(self, clock):
        cases = sum(len(topic.public) for topic in NUMEL.topics)
        calls = []

        def numel(shape):
            calls.append(shape)
            clock.now += 10
            return math.prod(shape)

        assert slowdown(NUMEL, numel, clock).is_slow
        assert len(calls) == 2 * cases < TURNS * cases

    def test_one_that_raises_is_measured_all_the_same(self, clock):
        def numel(shape):
            clock.now += 0.001
            raise ValueError

        assert slowdown(NUMEL, numel, clock).ratio == pytest.approx(1)

    def test_words(self):
        assert str(Slowdown(4.06, 4)) == "takes 4.1 times as long as the library's own"
        assert str(Slowdown(40.6, 40)) == "takes 41 times as long as the library's own"


class TestStatus:
    @pytest.fixture
    def slow(self, clock, monkeypatch):
        """A part that is adopted while the clock says that it is slow."""
        timed = functools.partial(slowdown, clock=clock)
        monkeypatch.setattr(sys.modules["tensorlab.learn.adopt"], "slowdown", timed)
        return adopt("01.numel", clock.numel(0.04))

    def test_it_is_adopted_and_said_to_be_slow(self, slow):
        assert slow.mood == "good"
        assert "it takes 40 times as long as the library's own." in slow.text(200)
        assert layout.numel((2, 3)) == 6

    def test_its_tile(self, slow):
        found = status()
        assert found.headline.startswith("1 of ")
        tile = next(tile for tile in found.tiles if tile.exercise == "01.numel")
        assert (tile.state, tile.why) == ("slow", "takes 40 times as long as the library's own")
        assert "[~] numel" in found.text()
        assert "01.numel takes 40 times as long as the library's own." in found.text()
        assert "takes 40 times as long" in found._repr_html_()

    def test_a_quick_one_takes_its_place(self, slow, clock):
        adopt("01.numel", clock.numel(0.001))
        assert next(tile.state for tile in status().tiles if tile.exercise == "01.numel") == "yours"

    def test_given_back_it_is_the_librarys(self, slow):
        adopt("01.numel", None)
        assert next(tile.state for tile in status().tiles if tile.exercise == "01.numel") == "solved"
