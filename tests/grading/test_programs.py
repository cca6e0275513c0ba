"""Questions that are small programs: how classes, engines and functions of functions are asked."""

from __future__ import annotations

import json
from functools import partial

import pytest

import tensorlab as tl
from tensorlab.grading import release
from tensorlab.grading.boxes.process import ProcessBox
from tensorlab.grading.feedback import call_text, one_line
from tensorlab.grading.inside import calls, programs
from tensorlab.grading.judge import judge
from tensorlab.grading.mutants import hunt
from tensorlab.grading.notebook import Cell
from tensorlab.grading.outcomes import Raised, Returned, answer_of
from tensorlab.grading.proof import kill_rows
from tensorlab.grading.session import Limits, Session
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Case, Exercise, Solutions, Topic
from tests.grading.conftest import code_cell, notebook_text

known = Solutions()


@known.wrong("Linear", belief="Rows are the input's.", lesson="weight has a row for each output.")
class LyingDown(tl.nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = tl.nn.Parameter(tl.ones(in_features, out_features))

    def forward(self, x):
        return x @ self.weight


@known.right("Linear", idea="A parameter, and a product.")
class Standing(tl.nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = tl.nn.Parameter(tl.ones(out_features, in_features * 1))
        self.bias = tl.nn.Parameter(tl.zeros(out_features))

    def forward(self, x):
        return x @ self.weight.t()


def program(source):
    inputs, outputs = source.randint(2, 9), source.randint(2, 9)
    return Case((f"layer = Linear({inputs}, {outputs})\nlayer.weight.shape",))


LINEAR = Exercise(
    id="00.Linear",
    title="A layer",
    stars=1,
    signature="Linear(in_features, out_features)",
    task="Write a layer.",
    part="tensorlab.nn.modules.linear:Linear",
    topics=(
        Topic(
            "shapes",
            1,
            "A row for each output.",
            (
                Case(("layer = Linear(2, 3)\nlayer.weight.shape",)),
                Case(("Linear(2, 3)(tl.ones(4, 2)).shape",)),
            ),
            program,
        ),
    ),
    wrong=known.wrong_of("Linear"),
    right=known.right_of("Linear"),
    programs=True,
)


def test_a_program_gives_what_its_last_line_gives():
    assert programs.run("x = f(3)\ny = x + 1\ny", "f", lambda n: 10 * n) == 31
    assert programs.run("f(tl.ones(2)).tolist()", "f", lambda x: x + x) == [2, 2]
    with pytest.raises(ValueError, match="the last line of a program gives its value"):
        programs.run("x = f(3)", "f", abs)


def test_one_program_knows_nothing_of_another():
    programs.run("kept = 1\nkept", "f", abs)
    with pytest.raises(NameError):
        programs.run("kept", "f", abs)


@pytest.mark.interpreted
def test_a_class_is_judged_and_named():
    rows = {row.solution: row for row in kill_rows(LINEAR)}
    assert all(row.as_it_should for row in rows.values())
    assert rows["LyingDown"].named
    verdict = judge(LINEAR, lambda args: answer_of(LyingDown, LINEAR, Case(args)))
    assert "layer = Linear(2, 3)" in one_line(verdict)
    assert call_text(LINEAR, ("Linear(2, 3)",)) == "Linear(2, 3)"


@pytest.mark.interpreted
def test_the_machine_changes_classes_too():
    (found,) = hunt(LINEAR)
    assert found.made == 3
    assert not found.missed


def test_the_librarys_class_is_no_answer():
    switches = calls.Parts([LINEAR.part])
    case = LINEAR.topics[0].public[0]
    for function in (tl.nn.Linear, type("Mine", (tl.nn.Linear,), {})):
        got = answer_of(function, LINEAR, case, switches.without(LINEAR.part))
        assert isinstance(got, Raised)
        assert got.message == calls.REFUSAL
    assert isinstance(answer_of(tl.nn.Linear, LINEAR, case), Returned), "it works again afterwards"


def test_an_error_in_a_method_has_its_line():
    class Linear(tl.nn.Module):
        def __init__(self, inputs, outputs):
            raise KeyError("here")

    got = answer_of(Linear, LINEAR, LINEAR.topics[0].public[0])
    assert got.source == 'raise KeyError("here")'


def test_a_class_without_an_init_is_no_part():
    with pytest.raises(TypeError, match="a class with an __init__ of its own"):
        calls.find_part("tensorlab.tensor:Tensor")


def test_a_class_in_a_box():
    cells = [Cell(1, "", "code", answer_source(LINEAR, Standing))]
    session = Session(cells, partial(ProcessBox, [LINEAR.part]), Limits())
    try:
        ask = session.ask(LINEAR)
        assert ask(("layer = Linear(2, 3)\nlayer.weight.shape",)) == Returned(
            (3, 2), None, pytest.approx(36), pytest.approx(36)
        )
        assert ask(("Linear(2)",)).kind == "TypeError"
    finally:
        session.close()


CLASS = """
class Linear:
    def __init__(self):
        ### BEGIN SOLUTION
        self.first_secret = 1
        ### END SOLUTION

    def forward(self):
        ### BEGIN SOLUTION
        return self.second_secret
        ### END SOLUTION
"""


def test_each_method_of_a_class_is_left_out(monkeypatch, tmp_path):
    monkeypatch.setattr(release, "exercise", lambda name: LINEAR)
    cell = code_cell(CLASS, LINEAR.answer_cell, tensorlab={"role": "answer", "exercise": LINEAR.id})
    path = tmp_path / "00_classes.ipynb"
    path.write_text(notebook_text([cell]))
    text = "".join(json.loads(release.released(path))["cells"][0]["source"])
    assert "secret" not in text
    assert text.count("replace this line with the body of Linear") == 2


def test_a_default_dtype_that_an_answer_sets_ends_with_its_call():
    def narrows(*operands):
        tl.set_default_dtype(tl.float16)
        raise RuntimeError

    for args in (("tl.set_default_dtype(tl.float64)\n1",), ("f()",)):
        calls.call(narrows, args, named="f")
        assert tl.get_default_dtype() is tl.float32
