"""Questions, lines and the widgets made of them: what Python checks before a page exists."""

from __future__ import annotations

import json

import pytest

from tensorlab.widgets import Line, Parsons, Predict, Question, Recall
from tensorlab.widgets.quiz.question import check_key, parsons_spec, stamp

OPTIONS = {"yes": "", "no": "It is not, because `x < 1`."}


def number(**changes):
    arguments = {"prompt": "How many?", "answer": 48, "because": "12 × 4.", "otherwise": "Multiply."}
    return Question(**(arguments | changes))


def choice(**changes):
    arguments = {"prompt": "Is it?", "answer": "yes", "because": "It is.", "options": OPTIONS}
    return Question(**(arguments | changes))


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (number, {"prompt": ""}, "needs a prompt"),
        (number, {"because": ""}, "needs a prompt and a because"),
        (number, {"answer": "48"}, "must be a number, got '48'"),
        (number, {"answer": True}, "must be a number"),
        (number, {"wrong": {48: "no"}}, "48 is the right answer"),
        (number, {"otherwise": ""}, "needs `otherwise`"),
        (choice, {"answer": "maybe"}, "'maybe' is not among the options"),
        (choice, {"options": {"yes": ""}}, "at least two options, got 1"),
        (choice, {"options": {"yes": "", "no": ""}}, "'no' has no explanation"),
        (choice, {"unit": "bytes"}, "answered by a number"),
    ],
)
def test_a_question_without_an_explanation_does_not_exist(make, changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)


def test_specs_are_plain_and_keep_the_order_of_the_options():
    plain = json.loads(json.dumps([number(wrong={12: "Those are numbers."}).spec(), choice().spec()]))
    assert plain[0]["answer"] == 48
    assert plain[0]["wrong"] == [{"value": 12, "why": "Those are numbers."}]
    assert plain[1]["answer"] == 0
    assert [option["text"] for option in plain[1]["options"]] == ["yes", "no"]


@pytest.mark.parametrize("key", ["", "ch01.cost", "Ch01", "ch01 cost", "-ch01", "ch01--cost"])
def test_a_key_can_name_a_tag_and_a_place_in_the_browser(key):
    with pytest.raises(ValueError, match="lower-case letters, digits and hyphens"):
        check_key(key)


def test_the_stamp_changes_with_the_wording_and_with_nothing_else():
    first = Predict("ch01-a", "How many?", 48, "12 × 4.", otherwise="Multiply.")
    again = Predict("ch01-b", "How many?", 48, "12 × 4.", otherwise="Multiply.")
    other = Predict("ch01-a", "How many bytes?", 48, "12 × 4.", otherwise="Multiply.")
    assert first.spec["stamp"] == again.spec["stamp"] != other.spec["stamp"]
    assert stamp({"a": 1, "b": 2}) == stamp({"b": 2, "a": 1})


def test_python_reads_a_prediction_as_the_reader_made_it():
    guess = Predict("ch01-a", "Is it?", "yes", "It is.", options=OPTIONS)
    assert guess.prediction is None
    guess.predictions = [1]
    assert guess.prediction == "no"
    count = Predict("ch01-b", "How many?", 48, "12 × 4.", otherwise="Multiply.")
    count.predictions = [0]
    assert count.prediction == 0


def test_a_recall_needs_a_title_and_questions():
    with pytest.raises(ValueError, match="needs a title and at least one question"):
        Recall("ch01-a", "Warm-up", [])
    assert Recall("ch01-a", "Warm-up", [number(), choice()]).predictions == [None, None]


def test_the_twin_asks_first_and_folds_the_answer():
    twin = Recall("ch01-a", "Warm-up", [choice(), number(wrong={12: "Those are numbers."})]).text_twin()
    shown, folded = twin.split("<details>")[0], twin.split("<details>", 1)[1]
    assert "Is it?" in shown
    assert "<li>no</li>" in shown
    assert "It is." not in shown
    assert "It is." in folded
    assert "12: Those are numbers." in folded
    assert "48. 12 × 4." in folded
    assert "<code>x &lt; 1</code>" in twin
    assert "x < 1" not in twin


PROGRAM = [Line("old = a", "Keep it first."), Line("a = b", "Needs old."), Line("b = old", "Needs old.")]
TRAP = Line("b = a", "a is overwritten by now.")


def test_the_lines_of_a_parsons_problem_start_in_no_right_order_and_always_the_same():
    spec = parsons_spec("Swap.", PROGRAM, [TRAP], "One waits.")
    again = parsons_spec("Swap.", PROGRAM, [TRAP], "One waits.")
    assert spec == again
    assert sorted(spec["start"]) == [0, 1, 2, 3]
    assert [i for i in spec["start"] if i in spec["order"]] != spec["order"]


@pytest.mark.parametrize("count", range(2, 8))
def test_no_program_starts_solved(count):
    program = [Line(f"line {i}", "why") for i in range(count)]
    spec = parsons_spec("Count.", program, [], "So.")
    assert spec["start"] != spec["order"]


@pytest.mark.parametrize(
    ("program", "message"),
    [(PROGRAM[:1], "at least two lines"), ([*PROGRAM, PROGRAM[0]], "must differ")],
)
def test_impossible_parsons_problems_are_refused(program, message):
    with pytest.raises(ValueError, match=message):
        Parsons("ch01-swap", "Swap.", program, because="One waits.")


def test_a_line_needs_a_why():
    with pytest.raises(ValueError, match="needs text and a why"):
        Line("a = b", "")


def test_the_twin_writes_numbers_out():
    twin = Recall("ch05-a", "Digits", [number(wrong={16777216: "One more.", 0.1: "Ten times."})]).text_twin()
    assert "<li>16777216: One more.</li><li>0.1: Ten times.</li>" in twin


def test_python_reads_the_lines_that_were_placed_and_the_twin_folds_the_program():
    puzzle = Parsons("ch01-swap", "Swap a and b.", PROGRAM, distractors=[TRAP], because="One waits.")
    puzzle.program = [1, 3]
    assert puzzle.placed == ["a = b", "b = a"]
    shown, folded = puzzle.text_twin().split("<details>")
    assert "b = a" in shown
    assert "One waits." not in shown
    assert "old = a\na = b\nb = old" in folded
    assert "a is overwritten by now." in folded
