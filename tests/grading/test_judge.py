"""The judge: points by topic, a foundation, the smallest failure, the belief behind it."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.core.layout import Refusal
from tensorlab.grading import feedback
from tensorlab.grading.inside.calls import REFUSAL
from tensorlab.grading.judge import HIDDEN_CASES, draw, judge, weigh
from tensorlab.grading.outcomes import Raised, Returned, answer_of, ask_directly, expected, passes
from tensorlab.grading.reasons import explain
from tensorlab.grading.suite import Case, Secret, Topic
from tensorlab.grading.suites import UnknownExercise, exercise, exercises, suite_digest

#: A seed that fails is as good as any other one, so none is looked for that is smaller.
SEEDS = settings(max_examples=5, deadline=None, phases=[Phase.reuse, Phase.generate])

NOTHING = Returned("nothing that was asked for")


def verdict_of(exercise_id, function, seed=None):
    hidden = None if seed is None else random.Random(seed)
    asked = exercise(exercise_id)
    return judge(asked, lambda args: ask_directly(function, args, named=asked.named), hidden)


def test_points_come_topic_by_topic():
    verdict = verdict_of(
        "01.flat_index", lambda index, strides, offset=0: sum(map(int.__mul__, index, strides))
    )
    assert (verdict.points, verdict.status) == (2, "partial")
    assert verdict.lost == ("an offset that is not 0", "no dimensions")
    assert verdict.smallest.case.args == ((0,), (1,), 2)
    assert verdict.belief.name == "ignores_the_offset"


def test_without_the_foundation_nothing_counts():
    verdict = verdict_of("01.numel", lambda shape: 0)
    assert "a size of 0" not in verdict.lost, "0 is right there"
    assert (verdict.points, verdict.status) == (0, "wrong")


@pytest.mark.parametrize(
    ("nothing", "says"),
    [
        (lambda *a: None, "gives None for every input, as a function does that ends without a return"),
        (lambda *a: ..., "is not written yet"),
        (lambda *a: exec("raise NotImplementedError"), "is not written yet"),
    ],
)
def test_nothing_written_is_said_kindly(nothing, says):
    for e in exercises("01"):
        verdict = verdict_of(e.id, nothing)
        assert (verdict.points, verdict.status, verdict.failures) == (0, "unanswered", ())
        assert says in feedback.one_line(verdict)


def without_its_return(function):
    def forgetful(*args):
        function(*args)

    return forgetful


@pytest.mark.parametrize("asked", [e for e in exercises() if not e.is_class], ids=lambda e: e.id)
def test_a_forgotten_return_is_named(asked, interpreted):
    """The work is done and not handed over. Where None is right, nothing is forgotten."""
    said = interpreted(said_without_a_return, asked.id)
    assert said == "All cases pass." or "ends without a return" in said


def said_without_a_return(exercise_id):
    forgetful = without_its_return(exercise(exercise_id).right[0].function)
    return feedback.one_line(verdict_of(exercise_id, forgetful))


def test_the_first_topic_that_failed_is_shown_not_the_rarest():
    """() is smaller, but a beginner should see the ordinary case first."""
    assert verdict_of("01.numel", sum).smallest.case.args == ((1, 1),)


def test_two_mistakes_at_once_the_first_one_is_named():
    def check_index(index, shape):
        checked = []
        for i, size in zip(index, shape, strict=False):  # counts nothing
            if i >= size:
                raise IndexError("bad index")  # says nothing
            checked.append(i)  # leaves negatives
        return tuple(checked)

    assert verdict_of("01.check_index", check_index).belief.name == "leaves_negatives"


def test_an_unknown_mistake_gets_the_rule_and_no_belief():
    verdict = verdict_of("01.numel", lambda shape: 1_000_003)
    assert verdict.belief is None
    assert feedback.why(verdict) == [verdict.exercise.topics[0].rule]


@pytest.mark.parametrize(
    ("exercise_id", "answer", "says"),
    [
        ("01.numel", lambda shape: np.int64(6), "The type should be int, not numpy.int64"),
        ("01.numel", lambda shape: 6.0, "The type should be int, not float"),
        ("01.numel", lambda shape: None if len(shape) == 2 else 1, "without a return"),
        ("01.check_index", lambda index, shape: [0], "The type should be tuple, not list"),
        ("02.unravel", np.unravel_index, "Inside the answer should stand int, not numpy.int64"),
        (
            "02.address_range",
            lambda *layout: (0, 0),
            "The answer should be None here, not a value of type tuple",
        ),
        (
            "03.setitem",
            lambda x, index, value: x,
            "should be None here, not a value of type tensorlab.Tensor",
        ),
        ("04.view_strides", lambda *shapes: "no", "return a layout.Refusal, and do not raise it"),
        ("04.view_strides", lambda *shapes: Refusal("no"), "The call refused, and there is an answer"),
        ("05.float32_fields", lambda bits: (0, 8388608.0, -23), "should stand int, not float"),
        ("05.take_apart", lambda tensors: ([b"\0\1"], [[0]]), "should stand tuple, not list"),
        ("01.numel", lambda shape: no_such_name, "the cell that makes it was not run"),  # noqa: F821
        ("01.numel", lambda shape: layout.nummel, "What stands before the dot has nothing of this name"),
        ("01.numel", lambda shape: (yield 1), "The function has a yield in it, so a call gives a generator"),
        ("01.numel", type("numel", (), {}), "The call does not fit the function's first line"),
    ],
)
def test_what_the_form_alone_says(exercise_id, answer, says):
    failures = verdict_of(exercise_id, answer).failures
    assert any(says in explain(failure) for failure in failures)


def test_what_an_answer_holds_is_explained_by_the_rule_and_its_form_is_not():
    said = feedback.why(verdict_of("02.address_range", lambda shape, strides, offset=0: None))
    assert said[0].startswith("The call gave None")
    assert said[1] == exercise("02.address_range").topics[0].rule
    assert feedback.why(verdict_of("01.numel", lambda shape: 6.0)) == ["The type should be int, not float."]


def test_a_belief_that_goes_wrong_where_the_answer_is_right_is_not_named():
    """The known solution that makes all strides 1 gets empty shapes wrong in the same way, and much else."""

    def default_strides(shape):
        return (1,) * len(shape) if 0 in shape else exercise("02.default_strides").reference(shape)

    verdict = verdict_of("02.default_strides", default_strides)
    assert verdict.lost == ("a size of 0",)
    assert verdict.belief is None


def test_a_text_with_one_wrong_word_is_told_from_one_that_says_nothing():
    def check_index(index, shape):
        return exercise("01.check_index").reference(index, shape)

    def with_text(change):
        def answer(index, shape):
            try:
                return check_index(index, shape)
            except IndexError as error:
                raise IndexError(change(str(error))) from None

        return verdict_of("01.check_index", answer).belief

    assert with_text(lambda text: "").name == "says_nothing"
    assert with_text(lambda text: text.replace("out of bounds", "outside")) is None


def test_bits_are_shown_as_bits_are_written():
    failure = verdict_of("05.float32_fields", lambda bits: 0).smallest
    assert (
        feedback.call_text(exercise("05.float32_fields"), failure.case.args) == "float32_fields(0x3F800000)"
    )


def test_a_call_shows_the_dtypes_of_tensors_over_one_storage():
    asked = exercise("05.take_apart")
    topic = next(topic for topic in asked.topics if topic.title == "several over one storage")
    for case in topic.public:
        text = feedback.call_text(asked, case.args)
        told = [x for arg in case.args for x in arg]
        assert all(x.dtype.name in text or "dtype" not in repr(x) for x in told), text


def test_a_missing_text_is_quoted():
    def check_index(index, shape):
        raise IndexError("out of bounds")

    failures = verdict_of("01.check_index", check_index).failures
    assert any(
        "Its text should contain “index 3 is out of bounds for dimension 0 with size 3”" in explain(failure)
        for failure in failures
    )


def test_case_and_spacing_of_an_error_do_not_count():
    def shout(index, shape):
        raise IndexError("INDEX 3 is out of\n bounds for dimension 0 with size 3!")

    failures = verdict_of("01.check_index", shout).failures
    assert ((3,), (3,)) not in [failure.case.args for failure in failures]


def test_a_case_that_still_raises_the_starters_error():
    def half(shape):
        if not shape:
            raise NotImplementedError
        return sum(shape)

    failures = verdict_of("01.numel", half).failures
    assert any("still reaches the line that raises NotImplementedError" in explain(f) for f in failures)


def test_an_answer_that_calls_an_exercise_not_written_yet_is_no_empty_one():
    def starter(position, shape):
        raise NotImplementedError("replace this line with the body of unravel")

    assert verdict_of("02.unravel", starter).status == "unanswered"
    verdict = verdict_of("02.overlaps", starter)
    assert verdict.status == "wrong"
    assert "still reaches the line of unravel that raises" in explain(verdict.smallest)


def test_an_error_that_is_asked_for_is_no_slip():
    """A NameError says how the code is written, unless it is the answer."""

    def unravel(position, shape):
        raise RecursionError if position < 0 else ModuleNotFoundError("x")

    verdict = verdict_of("02.unravel", unravel)
    assert all("is not so here" not in explain(failure) for failure in verdict.failures)
    assert "is installed here" in explain(verdict.smallest)


def test_a_students_line_is_shown():
    def numel(shape):
        return shape[9]

    got = verdict_of("01.numel", numel).smallest.got
    assert isinstance(got, Raised)
    assert got.source == "return shape[9]"


def judged_as_wrong(seed):
    """The right solutions that lose points with the hidden cases of a seed, and what they lose them with.

    Of the exercises every fourth is asked: from which on, the seed says.
    """
    found = []
    for e in exercises()[seed % 4 :: 4]:
        questions = draw(e, random.Random(seed))
        for function in (e.reference, *(solution.function for solution in e.right)):
            verdict = weigh(e, [q.answered(answer_of(function, e, q.case)) for q in questions])
            if verdict.points < e.points:
                found.append((e.id, function.__name__, str(verdict.failures[:1])))
    return found


@settings(SEEDS)
@given(st.integers(0, 2**64))
def test_hidden_cases_never_fail_the_library_or_a_right_solution(interpreted, seed):
    assert interpreted(judged_as_wrong, seed) == []


def answered_by_heart(seed):
    """The exercises whose foundation an answer keeps that knows the public cases and nothing else."""
    found = []
    for e in exercises():
        first = e.topics[0]
        known = {repr(case.args): expected(e, case) for case in first.public}
        hidden = first.hidden(random.Random(seed), HIDDEN_CASES)
        answers = [(known.get(repr(case.args), NOTHING), case) for case in hidden]
        if all(passes(answer, expected(e, case), case) for answer, case in answers):
            found.append(e.id)
    return found


@settings(SEEDS)
@given(st.integers(0, 2**64))
def test_hidden_cases_ask_what_their_topic_is_about(interpreted, seed):
    """An answer that is right on the public cases alone loses the foundation, and with it every point."""
    assert interpreted(answered_by_heart, seed) == []


def planted_is_wrong(func, inputs):
    """Looks at who wrote the gradient, and not at the gradient."""
    named = getattr(func, "__code__", None)
    if named is None or "Planted" in named.co_names or func.__name__ == "apply":
        raise RuntimeError("mismatch")
    return True


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("exercise_id", "answer"), [("10.gradcheck", planted_is_wrong), ("05.can_cast", lambda from_, to: True)]
)
def test_an_answer_that_does_no_work_earns_nothing(exercise_id, answer, seed):
    asked = exercise(exercise_id)
    verdict = judge(asked, lambda args: ask_directly(answer, args, named=asked.named), random.Random(seed))
    assert verdict.points == 0


def test_hidden_cases_are_no_public_ones_and_none_comes_twice():
    """There are few pairs of dtypes, so that some seeds draw public ones alone."""
    topic = exercise("05.can_cast").topics[0]
    public = {repr(case.args) for case in topic.public}
    for seed in range(200):
        drawn = {repr(case.args) for case in topic.hidden(random.Random(seed), 4)}
        assert len(drawn) == 4
        assert drawn.isdisjoint(public)


@pytest.mark.parametrize("asked", exercises(), ids=lambda asked: asked.id)
def test_every_draw_makes_a_case(asked):
    """A draw that is too large to be told fails the grader, and leaves a student's points empty."""
    for topic in asked.topics:
        for seed in range(200):
            assert topic.draw(random.Random(seed)).args


def test_a_topic_without_other_cases_repeats_itself():
    topic = Topic("one", 1, "", (Case((1,)),), lambda source: Case((1,)))
    assert [case.args for case in topic.hidden(random.Random(0), 2)] == [(1,), (1,)]


def test_the_same_student_gets_the_same_hidden_cases_and_others_do_not():
    topic, secret = exercise("01.nested_repr").topics[0], Secret(b"0123456789abcdef")
    ada = topic.hidden(secret.source("ada", "01.nested_repr"), 4)
    assert ada == topic.hidden(secret.source("ada", "01.nested_repr"), 4)
    assert ada != topic.hidden(secret.source("bob", "01.nested_repr"), 4)
    assert ada != topic.hidden(secret.source("ada", "01.numel"), 4)
    assert ada != topic.hidden(Secret(b"another secret..").source("ada", "01.nested_repr"), 4)


def test_a_secret_does_not_show_itself():
    secret = Secret(b"hunter2hunter2hunter2")
    assert "hunter2" not in repr(secret) + secret.id


def test_an_unknown_exercise_names_those_close_to_it():
    for wrong, close in [
        ("01.nmel", "'01.numel'"),
        ("flat_index", "'01.flat_index'"),
        ("1.nbytes", "'01.nbytes'"),
    ]:
        with pytest.raises(UnknownExercise, match=close):
            exercise(wrong)
    for nonsense in (7, None, ["01.numel"]):
        with pytest.raises(UnknownExercise, match=r"such as '01\.numel'"):
            exercise(nonsense)


def test_public_cases_stand_in_order_and_once():
    for e in exercises():
        cases = [repr(case.args) for topic in e.topics for case in topic.public]
        assert len(cases) == len(set(cases)), e.id


def never_lost():
    """The topics that no known wrong solution loses."""
    found = []
    for e in exercises():
        questions = draw(e)
        answers = [(q, answer_of(w.function, e, q.case)) for w in e.wrong for q in questions]
        lost = {q.topic.title for q, answer in answers if not passes(answer, q.want, q.case)}
        found += [(e.id, topic.title) for topic in e.topics if topic.title not in lost]
    return found


def test_every_topic_can_be_lost_alone_or_is_the_foundation(interpreted):
    """A topic that no known wrong solution loses would be points for nothing."""
    assert interpreted(never_lost) == []


def test_the_digest_changes_with_the_questions():
    assert len(suite_digest("01")) == 64
    assert suite_digest("01") != suite_digest("99")


def test_a_text_that_lists_all_reasons_names_none():
    def check_index(index, shape):
        raise IndexError(
            f"too many indices for tensor of dimension {len(shape)}, "
            f"or too few indices for tensor of dimension {len(shape)}"
        )

    verdict = verdict_of("01.check_index", check_index)
    assert {"too many indices", "too few indices"} <= set(verdict.lost)
    failure = next(f for f in verdict.failures if f.topic.title == "too many indices")
    assert explain(failure) == (
        "The type of the error is right. Its text also says “too few indices”, which is not so here."
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_right_error_text_may_be_longer_than_what_is_asked(seed):
    """The library's own texts go on: they say how many indices were given and which would do."""

    def check_index(index, shape):
        return exercise("01.check_index").reference(index, shape)

    assert verdict_of("01.check_index", check_index, seed).status == "right"


def test_a_first_line_that_was_changed_is_named():
    def flat_index(index, strides, offset):
        return offset + sum(i * stride for i, stride in zip(index, strides, strict=True))

    said = explain(verdict_of("01.flat_index", flat_index).smallest)
    assert said.startswith("The call does not fit the function's first line.")


def test_a_slip_inside_the_function_is_not_blamed_on_its_first_line():
    def flat_index(index, strides, offset=0):
        return sum()

    assert explain(verdict_of("01.flat_index", flat_index).smallest) == ""


def test_what_was_switched_off_is_no_belief():
    def refused(*args):
        raise RuntimeError(REFUSAL)

    verdict = verdict_of("08.matmul", refused)
    assert verdict.belief is None
    assert "switched off" in str(verdict.smallest.got)


def test_bytes_count_where_a_case_does_not_take_any():
    def with_a_copy(a, b):
        return tl.mm(a.clone(), b)

    matmul = exercise("08.matmul")
    case = matmul.topics[0].public[3]
    assert case.any_bytes
    got = ask_directly(with_a_copy, case.args)
    assert passes(got, expected(matmul, case), case)
    strict = replace(case, any_bytes=False)
    assert not passes(got, expected(matmul, strict), strict)


def test_of_beliefs_that_waste_in_the_same_places_the_bytes_decide():
    wrong = {solution.name: solution.function for solution in exercise("08.matmul").wrong}
    for name in ("copies_what_is_stretched", "copies_each_into_its_place", "stacks_products"):
        assert verdict_of("08.matmul", wrong[name]).belief.name == name
