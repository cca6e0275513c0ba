"""The engines of the quizzes, run in node: pure functions of plain values."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import tensorlab.widgets.quiz
from tensorlab.widgets import Line, Question
from tensorlab.widgets.quiz.question import parsons_spec

HERE = Path(tensorlab.widgets.quiz.__file__).parent

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed; the browser tests run the engines too"
)


def run(engine: str, expression: str, **names):
    """Evaluate one JavaScript expression with the engine's exports as `e` and `names` as JSON values."""
    given = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in names.items())
    module = json.dumps((HERE / engine).as_uri())
    program = f"import * as e from {module};\n{given}console.log(JSON.stringify({expression}));"
    command = ["node", "--input-type=module", "-e", program]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


QUESTIONS = [
    Question("Is it?", "yes", "It is.", options={"no": "It is not.", "yes": ""}).spec(),
    Question("How many?", 48, "12 × 4.", wrong={12: "Numbers."}, otherwise="Multiply.", unit="bytes").spec(),
]


def ask(expression, **names):
    return run("questions/engine.js", expression, q=QUESTIONS, **names)


def test_numbers_are_read_as_people_type_them():
    texts = [
        "48",
        " -3 ",
        "1 000 000",
        "1_000",
        "0.5",
        ".5",
        "1e6",
        "−2",
        "",
        "12 bytes",
        "0x10",
        "1,5",
        "NaN",
    ]
    values = ask("texts.map(e.parseNumber)", texts=texts)
    assert values == [48, -3, 1_000_000, 1000, 0.5, 0.5, 1e6, -2, None, None, None, None, None]


def test_only_an_option_or_a_number_is_a_prediction():
    assert (
        ask("[0, 1, 2, -1, 0.5, null, '1'].map((v) => e.isPrediction(q[0], v))") == [True, True] + [False] * 5
    )
    assert (
        ask("[0, -1.5, null, '48', NaN, Infinity].map((v) => e.isPrediction(q[1], v))")
        == [True] * 2 + [False] * 4
    )


def test_every_answer_has_its_own_verdict():
    assert ask("[0, 1].map((v) => e.verdict(q[0], v))") == [
        {"right": False, "why": "It is not."},
        {"right": True, "why": ""},
    ]
    assert ask("[48, 12, 7].map((v) => e.verdict(q[1], v))") == [
        {"right": True, "why": ""},
        {"right": False, "why": "Numbers."},
        {"right": False, "why": "Multiply."},
    ]
    assert ask("q.map(e.answerText)") == ["yes", "48 bytes"]


def test_a_committed_prediction_stays_until_it_is_reopened():
    assert ask("e.commit(q, [null, null], 0, 1)") == [1, None]
    assert ask("e.commit(q, [0, null], 0, 1)") == [0, None]
    assert ask("e.commit(q, [null, null], 0, 7)") == [None, None]
    assert ask("e.commit(q, e.reopen([0, 12], 0), 0, 1)") == [1, 12]


def test_the_score_counts_committed_answers_only():
    assert ask("e.score(q, [null, 48])") == {"answered": 1, "right": 1, "total": 2}
    assert ask("e.score(q, [0, 48])") == {"answered": 2, "right": 1, "total": 2}


def test_answers_come_back_unless_the_question_changed_or_the_text_is_not_ours():
    assert ask("e.restore(q, 's', e.save('s', [1, 12]))") == [1, 12]
    assert ask("e.restore(q, 'new', e.save('s', [1, 12]))") == [None, None]
    assert ask("[null, '', '{', '3', 'null', '[]'].map((t) => e.restore(q, 's', t))") == [[None, None]] * 6
    assert ask("e.accept(q, [9, 'x', 4])") == [None, None]
    assert ask("e.accept(q, 'nonsense')") == [None, None]


PROBLEM = parsons_spec(
    "Sort them.",
    [
        Line("first", "It comes first.", None),
        Line("left", "After first.", "pair"),
        Line("right", "After first too.", "pair"),
        Line("last", "It comes last.", None),
    ],
    [Line("trap", "A trap.")],
    "So it is.",
)


def sort(expression):
    return run("parsons/engine.js", expression, p=PROBLEM)


def test_lines_move_between_pool_and_program():
    assert sort("e.pool(p, [0, 4]).sort()") == [1, 2, 3]
    assert sort("e.place(p, [0, 1], 3)") == [0, 1, 3]
    assert sort("e.place(p, [0, 1], 3, 0)") == [3, 0, 1]
    assert sort("e.place(p, [0, 1], 1, 0)") == [0, 1]
    assert sort("e.place(p, [0], 77)") == [0]
    assert sort("e.take([0, 1, 3], 1)") == [0, 3]
    assert sort("[e.move([0, 1, 3], 3, 0), e.move([0, 1, 3], 0, 9), e.move([0, 1], 7, 0)]") == [
        [3, 0, 1],
        [1, 3, 0],
        [0, 1],
    ]


@pytest.mark.parametrize("program", [[0, 1, 2, 3], [0, 2, 1, 3]])
def test_right_programs_are_right_and_lines_of_a_group_may_swap(program):
    assert run("parsons/engine.js", "e.check(p, program)", p=PROBLEM, program=program) == {
        "right": True,
        "because": "So it is.",
    }


@pytest.mark.parametrize(
    ("program", "at", "why"),
    [
        ([], 0, "The program is empty."),
        ([0, 1], 2, "Right so far; 2 lines are still missing."),
        ([0, 1, 2], 3, "Right so far; 1 line is still missing."),
        ([1, 0, 2, 3], 0, "After first."),
        ([0, 4, 1, 2], 1, "A trap."),
        ([0, 1, 2, 3, 4], 4, "A trap."),
        ([0, 1, 3, 2], 2, "It comes last."),
    ],
)
def test_the_first_wrong_line_is_named_with_its_reason(program, at, why):
    result = run("parsons/engine.js", "e.check(p, program)", p=PROBLEM, program=program)
    assert result == {"right": False, "at": at, "why": why}


def test_a_program_comes_back_and_a_foreign_one_does_not():
    fresh = {"program": [], "solved": False}
    assert sort("e.restore(p, 's', e.save('s', [0, 4], false))") == {"program": [0, 4], "solved": False}
    assert sort("e.restore(p, 's', e.save('s', [], true))") == {"program": [], "solved": True}
    assert sort("e.restore(p, 'new', e.save('s', [0, 4], true))") == fresh
    assert sort("[null, '{', '3'].map((t) => e.restore(p, 's', t))") == [fresh] * 3
    assert sort("e.accept(p, [0, 0, 99, 'x', 1])") == [0, 1]
    assert sort("e.programText(p, [0, 3])") == "first\nlast"
