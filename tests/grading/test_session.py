"""A session whose box is closed by another thread, as `tensorlab watch` does when a newer save comes."""

from __future__ import annotations

import pytest

from tensorlab.grading.boxes import BoxDied, BoxError
from tensorlab.grading.notebook import Cell
from tensorlab.grading.session import Limits, Session
from tensorlab.grading.suites import exercises

EXERCISE = exercises("03")[0]
CELLS = [Cell(number, "", "code", f"x = {number}") for number in (1, 2, 3)]


class ClosedMeanwhile:
    """A box during whose request number `last` the session is closed."""

    level = "none"

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
