"""A session: the time of a whole notebook, and a box that is closed by another thread.

`tensorlab watch` closes one so when a newer save comes.
"""

from __future__ import annotations

import time

import pytest

from tensorlab.grading.boxes import BoxDied, BoxError, BoxTimeout
from tensorlab.grading.notebook import Cell
from tensorlab.grading.session import Exhausted, Limits, Session
from tensorlab.grading.suites import exercises

EXERCISE = exercises("03")[0]
CELLS = [Cell(number, "", "code", f"x = {number}") for number in (1, 2, 3)]


class ClosedMeanwhile:
    """A box during whose request number `last` the session is closed."""

    level = "none"
    charged = 0.0

    def __init__(self, last):
        self.asked, self.last, self.closed, self.session = 0, last, False, None

    def ask(self, request, seconds):
        if self.closed:
            raise BoxDied("the box is closed")
        self.asked += 1
        if self.asked == self.last:
            self.session.close()
        return {"defines": []}

    def close(self):
        self.closed = True


@pytest.mark.parametrize("last", [1, 2])
def test_a_box_that_is_closed_between_two_cells_counts_as_one_that_died(last):
    boxes = [ClosedMeanwhile(last)]

    def open_box():
        if not boxes:
            raise BoxError("a newer save came")
        return boxes.pop()

    box = boxes[0]
    session = box.session = Session(CELLS, open_box, Limits())
    with pytest.raises(BoxError, match="newer save"):
        session.ask(EXERCISE)(())
    assert box.asked == last
    assert session.reports[last + 1].ended == "it ended the process"


class Charging:
    """A box that needs and charges some seconds for each request, and ends one that has fewer."""

    level = "none"

    def __init__(self, needs):
        self.needs, self.charged, self.closed = needs, 0.0, False

    def ask(self, request, seconds):
        self.charged += min(self.needs, seconds)
        if self.needs > seconds:
            raise BoxTimeout
        return {"returned": {"int": "0x1"}}

    def close(self):
        self.closed = True


class TestTimeOfTheWholeNotebook:
    def session(self, needs, **limits):
        self.box = Charging(needs)
        return Session([], lambda: self.box, Limits(**limits))

    def test_it_ends_where_the_charges_of_all_requests_reach_the_limit(self):
        ask = self.session(2.0, notebook_seconds=7.0).ask(EXERCISE)
        for _ in range(3):
            ask(())
        with pytest.raises(Exhausted, match="longer than 7 s in all"):
            ask(())
        assert self.box.closed
        assert self.box.charged == 7.0

    def test_time_that_no_box_charges_is_nobodys(self):
        """The grader's own time: to start boxes, to work out the answers, to wait for other work."""
        ask = self.session(0.01, notebook_seconds=0.1).ask(EXERCISE)
        time.sleep(0.2)
        ask(())

    def test_a_slow_call_is_told_from_a_notebook_without_time(self):
        with pytest.raises(BoxTimeout):
            self.session(5.0).ask(EXERCISE)(())
        assert self.box.charged == Limits().call_seconds
        with pytest.raises(Exhausted):
            self.session(5.0, notebook_seconds=3.0).ask(EXERCISE)(())

    def test_a_notebook_without_time_is_not_asked_again(self):
        session = self.session(2.0, notebook_seconds=2.0)
        session.ask(EXERCISE)(())
        for _ in range(2):
            with pytest.raises(Exhausted):
                session.ask(EXERCISE)(())
        assert self.box.charged == 2.0
