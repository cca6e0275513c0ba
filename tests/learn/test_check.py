"""``check`` in a student's notebook: kind, quick, to the point, and nothing of the grader's insides."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.grading.suites import exercises
from tensorlab.learn import check, progress
from tensorlab.learn.check import NotSolved, check_in
from tensorlab.learn.show import Card


def check_numel(function):
    return check_in("01.numel", {"numel": function})


def test_it_finds_the_function_where_it_is_called():
    def numel(shape):
        count = 1
        for size in shape:
            count *= size
        return count

    card = check("01.numel")
    assert card.points == 4
    assert card.headline == "All public cases pass: 4 of 4 points."
    assert numel((2,)) == 2


def test_it_is_loaded_late_and_is_the_same():
    assert tl.check is check
    code = (
        "import sys, tensorlab; print('tensorlab.learn' in sys.modules, 'tensorlab.grading' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["False", "False"]


def test_a_wrong_answer_sees_the_input_the_values_and_the_belief():
    text = str(check_numel(sum))
    assert "Not yet: 0 of 4 points." in text
    for label, shown in [
        ("Asked", "Return how many numbers"),
        ("Call", "numel((1, 1))"),
        ("Expected", "1"),
        ("Got", "2"),
        ("Why", "A belief that leads here: “Sizes add up"),
    ]:
        assert any(line.startswith(label) and shown in line for line in text.splitlines()), label
    assert "[ ] the shape () (1 point)" in text
    assert 'hint("01.numel")' in text


def test_the_students_own_exception_is_shown_with_its_line():
    def numel(shape):
        rows = shape[0]
        return rows * shape[7]

    text = str(check_numel(numel))
    assert "IndexError: tuple index out of range" in text
    assert "return rows * shape[7]" in text
    for inside in ("Traceback", "calls.py", "judge", "ask_directly", os.sep + "tensorlab" + os.sep):
        assert inside not in text


def test_what_the_function_prints_is_shown_once_and_not_for_every_case(capsys):
    def numel(shape):
        print("shape is", shape)
        return sum(shape)

    text = str(check_numel(numel))
    assert "shape is (1, 1)" in text
    assert "shape is (2, 3)" not in text
    assert capsys.readouterr().out == ""


def test_endless_printing_is_cut():
    def numel(shape):
        for _ in range(10_000):
            print("all work and no play")
        return 0

    assert len(str(check_numel(numel))) < 3000


def test_nothing_written_is_kind():
    def numel(shape):
        raise NotImplementedError

    for empty in (numel, lambda shape: ...):
        card = check_numel(empty)
        assert card.headline == "Not written yet: 0 of 4 points so far."
        assert "def numel(shape):" in str(card)


def test_a_forgotten_return_is_told_from_nothing_written():
    card = check_numel(lambda shape: None)
    assert card.headline == "numel gives None: 0 of 4 points so far."
    assert "without a return" in str(card)


def test_a_printed_answer_is_told_from_none():
    def numel(shape):
        print(6)

    card = check_numel(numel)
    assert card.headline == "numel prints and returns nothing: 0 of 4 points so far."
    assert "numel((1,))" in str(card)
    assert "gives nothing to the caller" in str(card)


@pytest.mark.parametrize("namespace", [{}, {"numel": None}, {"numel": 24}])
def test_a_missing_function_is_one_kind_sentence(namespace):
    card = check_in("01.numel", namespace)
    assert "Run" in card.headline
    assert card.points == 0


def test_an_unknown_exercise_names_those_close_to_it():
    card = check("01.nmel")
    assert "'01.numel'" in card.headline
    assert f"there are '01.numel' to '{exercises()[-1].id}'" in check("x").headline
    assert check("01.zzzz").headline.endswith(
        "its chapter has '01.numel', '01.nbytes', '01.flat_index', '01.check_index', '01.nested_repr'."
    )


def test_the_library_is_switched_off_and_on_again():
    card = check_numel(layout.numel)
    assert card.points == 0
    assert "The answer calls the library's own function" in str(card)
    assert layout.numel((2, 3)) == 6
    assert tl.zeros(2, 3).numel() == 6


def test_other_parts_of_the_library_work():
    card = check_in("01.nbytes", {"nbytes": lambda shape, dtype: layout.numel(shape) * dtype.itemsize})
    assert card.points == 4


def test_the_library_is_on_again_after_an_interrupt():
    def numel(shape):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_numel(numel)
    assert layout.numel((2, 3)) == 6


def test_exit_does_not_end_the_notebook():
    def numel(shape):
        sys.exit()

    assert "SystemExit" in str(check_numel(numel))


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(sys.modules["tensorlab.learn.check"], "PATIENCE", 0.3)

    def numel(shape):
        while True:
            pass

    card = check_numel(numel)
    assert "did not come to an end" in card.headline
    assert "numel((1,))" in str(card), "the call that was running"
    assert layout.numel((2, 3)) == 6


def test_an_object_that_equals_everything_is_not_right():
    class Equal(int):
        def __eq__(self, other):
            return True

        __hash__ = int.__hash__

    assert check_numel(lambda shape: Equal(1)).points == 0


def test_changing_the_arguments_does_not_confuse_it():
    def nested_repr(cells, shape, strides, offset=0):
        cells.reverse()
        return "[]"

    assert check_in("01.nested_repr", {"nested_repr": nested_repr}).points == 0
    assert check_in("01.nested_repr", {"nested_repr": exercises("01")[4].right[0].function}).points == 6


def test_a_check_takes_less_time_than_the_import():
    """In a fresh process: the first check, and another, in the processor time that the import took."""
    code = """
import time
times = [time.process_time()]
from tensorlab import check
times.append(time.process_time())
def nested_repr(cells, shape, strides, offset=0): return str(cells)
for _ in range(2):
    check("01.nested_repr")
    times.append(time.process_time())
print(*[after - before for before, after in zip(times, times[1:])])
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    imported, first, later = map(float, shown.split())
    assert first < imported
    assert later < first


def test_results_are_remembered():
    check_numel(sum)
    check_numel(exercises("01")[0].right[0].function)
    check_numel(sum)
    record = progress.load("01.numel")
    assert (record.points, record.checks) == (4, 3)


def test_a_check_works_where_nothing_can_be_saved(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path / "file"))
    card = check_numel(sum)
    assert "Your progress is not saved" in str(card)
    assert "Not yet" in card.headline


def test_nbgrader_reads_points_or_an_error(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    partial = check_in("01.flat_index", {"flat_index": lambda i, s, offset=0: sum(map(int.__mul__, i, s))})
    assert (type(partial), partial) == (float, 2.0)
    with pytest.raises(NotSolved, match="Not yet"):
        check_numel(sum)
    for namespace in ({}, {"numel": 24}):
        with pytest.raises(NotSolved):
            check_in("01.numel", namespace)
    with pytest.raises(NotSolved):
        check("01.nope")


def test_every_known_wrong_solution_gets_a_card_that_teaches():
    rng = random.Random(11)
    for e in exercises():
        for solution in rng.sample(e.wrong, 1):  # `tests/grading/test_proof.py` has all of them judged
            card = check_in(e.id, {e.name: solution.function})
            assert isinstance(card, Card)
            text = " ".join(str(card).split())
            # On public cases two of them may do the same; with hidden ones `test_proof` tells them apart.
            assert any(" ".join(known.belief.split()) in text for known in e.wrong)
            assert card.points < e.points


def test_it_says_at_which_line_and_what_stands_there_if_that_is_known():
    def numel(shape):
        return shape.size()

    typed = {}
    exec("def numel(shape):\n    return shape.size()", typed)  # as into Python itself, which keeps no text
    at = {line.label: line.text for line in check_numel(numel).lines}["At"]
    assert at.endswith(": return shape.size()")
    assert {line.label: line.text for line in check_numel(typed["numel"]).lines}["At"] == "line 2"
