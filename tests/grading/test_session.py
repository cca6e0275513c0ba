"""A session: the time of a whole notebook, and a box that is closed by another thread.

`tensorlab watch` closes one so when a newer save comes.
"""

from __future__ import annotations

import time

import pytest

from tensorlab.grading.boxes import BoxDied, BoxError, BoxTimeout
from tensorlab.grading.notebook import Cell
from tensorlab.grading.outcomes import Returned
from tensorlab.grading.session import Limits, Session
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


class TestBudgets:
    """What one question uses up is missing in no other."""

    def session(self, needs, cells=(), **limits):
        self.boxes = []

        def open_box():
            self.boxes.append(Charging(needs))
            return self.boxes[-1]

        return Session(list(cells), open_box, Limits(**limits))

    @property
    def charged(self):
        return sum(box.charged for box in self.boxes)

    def test_calls_are_made_until_the_seconds_of_a_question_are_used_up(self):
        session = self.session(2.0, question_seconds=7.0)
        ask = session.ask(EXERCISE)
        assert [type(ask(())) for _ in range(4)] == [Returned] * 4
        ended = ask(())
        assert (ended.status, "7 s in all" in ended.words) == ("timeout", True)
        assert self.charged == 8.0
        assert isinstance(session.ask(exercises("03")[1])(()), Returned)

    def test_time_that_no_box_charges_is_nobodys(self):
        """The grader's own time: to start boxes, to work out the answers, to wait for other work."""
        ask = self.session(0.01, question_seconds=0.1).ask(EXERCISE)
        assert isinstance(ask(()), Returned)
        time.sleep(0.2)
        assert isinstance(ask(()), Returned)

    def test_a_slow_call_ends_its_box_and_the_next_one_has_another(self):
        session = self.session(5.0)
        ask = session.ask(EXERCISE)
        assert ask(()).status == ask(()).status == "timeout"
        assert [box.charged for box in self.boxes] == 2 * [Limits().call_seconds]
        assert all(box.closed for box in self.boxes)

    def test_running_the_notebook_again_is_charged_to_the_question_that_made_it_necessary(self):
        session = self.session(1.0, CELLS, question_seconds=7.0, call_seconds=0.5)
        ask = session.ask(EXERCISE)
        assert [ask(()).words[:6] for _ in range(4)] == ["took l"] * 3 + ["was no"]
        assert self.charged == 3 * (3 + 0.5)
        assert session.ask(exercises("03")[1])(()).words.startswith("took longer")

    def test_cells_beyond_the_seconds_of_all_cells_are_skipped(self):
        session = self.session(2.0, CELLS, cells_seconds=3.0)
        assert isinstance(session.ask(EXERCISE)(()), Returned)
        assert [bool(session.reports[cell.number].ended) for cell in CELLS] == [False, False, True]
        assert "3 s in all" in session.reports[3].ended

    def test_a_fresh_box_for_the_rest(self):
        session = self.session(0.1, CELLS)
        session.ask(EXERCISE)(())
        before = dict(session.reports)
        session.run_again()
        session.ask(EXERCISE)(())
        assert [box.closed for box in self.boxes] == [True, False]
        assert session.reports == before
