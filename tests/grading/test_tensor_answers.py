"""Answers that are tensors: a view is told from a copy, and a call is judged by what it leaves behind."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import tensorlab as tl
from tensorlab.core import dtypes, layout, view_rules
from tensorlab.grading.feedback import call_text
from tensorlab.grading.inside import calls, values
from tensorlab.grading.inside.strided import MAX_CELLS, Scene, Strided, strided
from tensorlab.grading.judge import Failure
from tensorlab.grading.outcomes import Raised, Returned, ask_directly, crowded, outcome, passes, wasted
from tensorlab.grading.reasons import explain as explain_failure
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Case
from tensorlab.grading.suites import exercise, exercises
from tensorlab.grading.tensor_words import explain_tensors

from .conftest import LIMITS, code_cell, graded, notebook_text

TABLE = strided((2, 3))
PLACES, ONES = tl.zeros(2, 3, dtype=tl.int64), tl.ones(2, 3)


def ask(function, *args):
    return ask_directly(function, args)


def right(function, reference, *args):
    want = ask(reference, *args)
    return passes(ask(function, *args), Returned(want.value, want.after), Case(args))


@pytest.mark.parametrize(
    ("function", "reference", "is_right"),
    [
        (lambda x: tl.as_strided(x, (3, 2), (1, 3)), tl.Tensor.t, True),
        (lambda x: x.t().clone(), tl.Tensor.t, False),
        (lambda x: tl.as_strided(x, (3, 2), (1, 3)).contiguous(), tl.Tensor.t, False),
        (lambda x: x.t(), lambda x: x.t().clone(), False),
        (lambda x: x, lambda x: x.view(2, 3), True),
        (lambda x: x.view(2, 3), lambda x: x, False),
        (lambda x: x.clone().t().contiguous().t(), lambda x: x.clone(), False),
        (lambda x: x[1:], lambda x: x[:1], False),
        (lambda x: x.to(tl.float64), lambda x: x.to(tl.int64), False),
        (lambda x: x.numpy().tolist(), lambda x: x, False),
        (lambda x: tl.from_numpy(x.numpy()), lambda x: x.view(2, 3), True),
        (lambda x: x.shape, lambda x: (2, 3), True),
    ],
)
def test_a_tensor_is_its_numbers_layout_and_storage(function, reference, is_right):
    assert right(function, reference, TABLE) is is_right


def test_strides_count_only_where_a_step_is_taken():
    column = strided((3, 1), (1, 1))
    assert right(lambda x: tl.as_strided(x, (3, 1), (1, 7)), lambda x: x.view(3, 1), column)
    empty = strided((0, 3))
    assert right(lambda x: tl.as_strided(x, (0, 3), (5, 5)), lambda x: x.view(0, 3), empty)


def test_writes_beside_the_argument_are_seen():
    window = strided((2, 2), (4, 1), 5, cells=12)
    fill = lambda x: x.fill_(7.0)  # noqa: E731
    assert right(fill, lambda x: x.mul_(0).add_(7.0), window)
    assert not right(lambda x: tl.as_strided(x, (12,), (1,), 0).fill_(7.0) and x, fill, window)
    assert not right(lambda x: x.clone().fill_(7.0), fill, window)


def test_a_list_that_was_given_must_stay_as_it_was():
    def last(cells):
        return cells[-1]

    assert right(lambda cells: cells[2], last, [1, 2, 3])
    assert not right(lambda cells: cells.pop(), last, [1, 2, 3])
    assert not right(lambda tensors: tensors[0].fill_(7.0) and 7.0, lambda tensors: 7.0, [TABLE])
    said = explain(lambda cells: cells.pop(), last, [1, 2, 3])
    assert said == "The call changed the list that is argument 1, and should leave it."


def test_a_call_that_returns_nothing_is_judged_by_what_it_wrote():
    def write(x):
        x[0] = 9

    def rebind(x):
        row = x[0]
        row = 9  # noqa: F841  # this is the mistake

    assert right(write, write, TABLE)
    assert not right(rebind, write, TABLE)
    assert "should hold [9.0, 9.0" in explain(rebind, write)


def explain(function, reference, *args):
    got, want = (ask(f, *(args or (TABLE,))) for f in (function, reference))
    return explain_tensors(got.value, want.value, got.after, want.after)


@pytest.mark.parametrize(
    ("function", "reference", "says"),
    [
        (lambda x: x.clone(), lambda x: x.view(2, 3), "this is a copy"),
        (lambda x: x.view(2, 3), lambda x: x.clone(), "the answer should be a copy"),
        (lambda x: x.t(), lambda x: x.view(2, 3), "The shape should be (2, 3)"),
        (lambda x: x.double(), lambda x: x.clone(), "The dtype should be float32"),
        (lambda x: x.view(2, 3), lambda x: x, "the argument itself"),
        (lambda x: x.t().contiguous().t(), lambda x: x.clone(), "the strides are not"),
        (lambda x: x.add(1), lambda x: x.clone(), ""),
        (lambda x: x.unsqueeze_(0).clone()[0], lambda x: x.clone(), "changed the layout"),
    ],
)
def test_the_reason_is_named(function, reference, says):
    found = explain(function, reference)
    assert says in found
    assert bool(says) == bool(found)


def test_two_arguments_can_share_a_storage_and_two_results_too():
    both = strided((2,), cells=4), strided((2,), (1,), 2, cells=4)
    swap = lambda x, y: (y, x)  # noqa: E731
    assert right(swap, lambda x, y: (y.view(2), x.view(2)), *both)
    assert not right(swap, lambda x, y: (y.clone(), x.clone()), *both)

    def linked(x):
        copy = x.clone()
        return copy[0], copy[1]

    assert right(linked, linked, TABLE)
    assert not right(lambda x: (x[0].clone(), x[1].clone()), linked, TABLE)


def damaged(x):
    x = x.clone()
    x._stride = ("a", object())
    return x


def outside(x):
    x = x.clone()
    x._offset = 10**9
    return x


class Kind(tl.Tensor):
    pass


@pytest.mark.parametrize(
    "function",
    [
        damaged,
        outside,
        lambda x: tl.zeros(MAX_CELLS + 1),
        lambda x: tl.zeros(1).expand(10**9),
        lambda x: object.__new__(Kind),
        lambda x: object.__new__(tl.Tensor),
    ],
)
def test_what_is_no_whole_tensor_is_opaque(function):
    assert isinstance(ask(function, TABLE).value, values.Opaque)


def test_an_argument_taken_apart_is_noticed():
    def break_it(x):
        x._shape = None

    assert not right(break_it, lambda x: None, TABLE)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": (-1, 3)},
        {"offset": -1},
        {"strides": (3,)},
        {"shape": (2,)},
        {"cells": ()},
        {"offset": 5},
    ],
)
def test_the_decoder_takes_no_impossible_tensor(change):
    with pytest.raises(values.NotPlain):
        values.decode(values.encode(replace(TABLE, **change)))


def test_every_dtype_goes_through_the_wall():
    for dtype in dtypes.ALL:
        told = strided((3,), cells=[0, 1, 1], dtype=dtype)
        again = values.decode(values.encode(told))
        assert again == told
        assert right(lambda x: x.clone(), lambda x: x[:], told) is False
        assert right(lambda x: x[:], lambda x: x[:], told)


def test_a_question_shows_how_to_make_its_tensor():
    for told in (TABLE, strided((2, 2), (4, 1), 5), strided((2,), dtype=dtypes.int8), strided((0, 2))):
        (made,) = Scene().build((told,))
        again = eval(repr(told), {"tl": tl})
        assert again.tolist() == made.tolist()
        assert again.dtype is made.dtype


def test_a_part_that_keeps_its_answers_is_switched_off_too():
    view_rules.permuted((2, 3), (3, 1), (1, 0))
    parts = calls.Parts(["tensorlab.core.view_rules:permuted"])

    def student(x):
        return x.permute(1, 0)

    refused = outcome(calls.call(student, (TABLE,), parts.without("tensorlab.core.view_rules:permuted")))
    assert refused.message == calls.REFUSAL
    assert outcome(calls.call(student, (TABLE,))).value.shape == (3, 2)


@pytest.mark.parametrize(
    ("part", "detour", "says"),
    [
        (
            "tensorlab.ops.indexing.gather_scatter:scatter_add",
            lambda x: x.scatter_add_(0, PLACES, ONES),
            calls.REFUSAL,
        ),
        ("tensorlab.random.counter:stream_words", lambda x: tl.random.Philox(8).words(2), calls.REFUSAL),
        ("tensorlab.ops.pairs:squared_distances", lambda x: tl.cdist(x, x), calls.REFUSAL),
        ("tensorlab.ops.matmul:matmul", lambda x: x.numpy() @ x.numpy().T, "numpy() is switched off"),
    ],
)
def test_what_does_the_work_of_a_part_is_switched_off_with_it(part, detour, says):
    refused = outcome(calls.call(detour, (TABLE,), calls.Parts([part]).without(part)))
    assert says in refused.message
    assert not isinstance(outcome(calls.call(detour, (TABLE,))), Raised), "it works again after the call"


def test_every_part_that_has_a_detour_is_a_part():
    assert {*calls.TWINS, *calls.COUNTED, *calls.OPERATORS} <= {e.part for e in exercises()}


def test_tensors_are_made_while_the_part_is_on():
    parts = calls.Parts(["tensorlab.core.layout:default_strides"])
    told = outcome(calls.call(lambda x: x, (TABLE,), parts.without("tensorlab.core.layout:default_strides")))
    assert isinstance(told.value, Strided)
    assert layout.default_strides((2, 3)) == (3, 1)


def test_what_a_call_allocates_counts_where_the_exercise_says_so():
    copied, viewed = ask(lambda x: x.clone(), TABLE), ask(lambda x: x.view(3, 2), TABLE)
    assert (copied.allocated, viewed.allocated) == (24, 0)
    assert ask(lambda x: x.fill_(7.0), TABLE).allocated == 0, "a single number is not counted"
    twice = ask(lambda x: x.clone().clone(), TABLE)
    assert passes(twice, Returned(copied.value, copied.after), Case(()))
    assert not passes(twice, copied, Case(()))
    assert wasted(twice, copied) == 24


def test_the_bytes_held_at_one_moment_count_where_the_case_has_little_room():
    one = ask(lambda x: x.clone(), TABLE)
    both = ask(lambda x: (x.clone(), x.clone())[0], TABLE)
    in_turn = ask(lambda x: [x.clone().sum() for _ in range(5)] and x.clone(), TABLE)
    assert (one.held, both.held) == (24, 48)
    assert in_turn.held < 5 * 24
    narrow = Case((TABLE,), room=24)
    assert passes(one, Returned(one.value, one.after), narrow)
    assert not passes(both, Returned(one.value, one.after), narrow)
    assert passes(both, Returned(one.value, one.after), Case((TABLE,)))
    assert crowded(Returned(one.value, one.after), narrow), "what was not measured does not pass"


def test_too_many_bytes_at_one_moment_are_told():
    e = exercise("06.squared_distances")
    topic = next(topic for topic in e.topics if topic.title == "little memory")
    case = topic.public[-1]
    got = ask_directly(lambda x, y: ((x[:, None] - y) ** 2).sum(2), case.args)
    said = explain_failure(Failure(topic, case, got, ask_directly(e.reference, case.args), False))
    assert said == (
        f"At one moment the call holds {got.held} bytes of new tensors, and there is room for {case.room}."
    )


def test_a_question_may_have_more_than_one_right_answer():
    want = Returned((1, 2))
    assert not passes(Returned((2, 1)), want, Case(()))
    assert passes(Returned((2, 1)), want, Case((), same=lambda got, right: set(got) == set(right)))


def test_tensors_that_share_and_tensors_that_do_not_look_different():
    apart = str(ask(lambda x: [x.clone(), x.clone()], TABLE))
    linked = str(ask(lambda x: [y := x.clone(), y[:]], TABLE))
    assert "new storage 2" in apart
    assert "new storage 1" in linked
    assert "new storage 2" not in linked


def test_a_refusal_needs_a_reason():
    refused = outcome(calls.call(lambda: layout.Refusal("they are apart"), ()))
    assert values.same(refused.value, layout.Refusal("not adjacent"))
    assert not values.same(layout.Refusal(" "), refused.value)
    assert not values.same(None, refused.value)
    with pytest.raises(values.NotPlain):
        values.decode({"refusal": "text"})


def test_a_call_can_be_typed_as_it_is_shown():
    numel = exercise("01.numel")
    assert call_text(numel, ((2, 3), dtypes.int8)) == "numel((2, 3), tl.int8)"
    assert call_text(numel, ([math.nan, -math.inf],)) == "numel([tl.nan, -tl.inf])"
    assert call_text(numel, ([strided((2,), cells=4), strided((2,), (1,), 2, cells=4)],)) == (
        "a = tl.tensor([0.0, 1.0, 2.0, 3.0])\n"
        "numel([tl.as_strided(a, (2,), (1,), 0), tl.as_strided(a, (2,), (1,), 2)])"
    )


def test_a_stride_that_no_step_uses_is_shown_where_it_is_not_the_usual_one():
    """A question about strides would else show a call in which they are others."""
    assert repr(strided((1, 2), (0, 1))) == "tl.as_strided(tl.tensor([0.0, 1.0]), (1, 2), (0, 1), 0)"
    assert repr(strided((1, 2))) == "tl.tensor([[0.0, 1.0]])"


@pytest.mark.parametrize(
    ("told", "call"),
    [
        (strided((2, 2, 0)), "tl.zeros(2, 2, 0)"),
        (strided((0,), dtype=dtypes.int64), "tl.zeros(0, dtype=tl.int64)"),
        (strided((3, 2), (1, 3)), "tl.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]).t()"),
        (strided((2,), cells=[math.inf, -math.inf]), "tl.tensor([tl.inf, -tl.inf])"),
    ],
)
def test_a_tensor_is_shown_as_a_person_would_write_it(told, call):
    assert repr(told) == call
    made = eval(call, {"tl": tl})
    assert (made.dtype, tuple(made.shape), made.stride()) == (told.dtype, told.shape, told.strides)
    assert made.tolist() == told.nested()


def test_a_number_that_is_none_can_be_pasted():
    made = eval(repr(strided((2,), cells=[math.nan, 1])), {"tl": tl})
    assert math.isnan(made[0].item())
    assert made[1].item() == 1


#: Cells that make the box tell of a copy as if it were a view.
FORGERIES = {
    "the number of the storage": "def _number(self, storage): return 1\nstrided.Scene._number = _number",
    "its address": """
from tensorlab.storage import UntypedStorage
UntypedStorage.data_ptr = lambda self: 4096""",
}

COPIES = """
shares = diagonal
def diagonal(input, *rest, **named):
    view = shares(input, *rest, **named)
    line = tl.as_strided(input, (input.untyped_storage().nbytes() // input.element_size(),), (1,), 0)
    return tl.as_strided(line.clone(), view.shape, view.stride(), view.storage_offset())
"""


def test_a_box_that_lies_about_memory_is_not_believed(tmp_path):
    asked = exercise("03.diagonal")
    right = answer_source(asked, asked.right[0].function)

    def points(*cells):
        path = tmp_path / "ada.ipynb"
        path.write_text(notebook_text([code_cell(source) for source in cells]), encoding="utf-8")
        row = graded(path, "03", LIMITS)["03.diagonal"]
        return row.points, row.status

    setup = "import sys\nimport tensorlab as tl\nstrided = sys.modules['inside.strided']"
    assert points(setup, right) == (asked.points, "right")
    assert points(setup, right, COPIES) == (0, "wrong")
    for name, forgery in FORGERIES.items():
        assert points(setup, right, COPIES, forgery) == (0, "died"), name
