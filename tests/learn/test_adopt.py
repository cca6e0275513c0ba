"""`adopt`, `status` and `blame`: students' functions in the library, and never a broken library."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.grading.suites import exercise, exercises
from tensorlab.learn import adopt, blame, check, memory, parts, progress, status, trials
from tensorlab.learn.adopt import refused
from tensorlab.learn.samples import SAMPLES
from tests.learn.reference_solutions import reference_solutions

ROOT = Path(__file__).parents[2]
IDS = [asked.id for asked in exercises()]


@pytest.fixture(autouse=True)
def _the_library_is_as_it_was():
    yield
    adopt(None)
    refused.clear()
    assert parts.adopted() == {}


def right_numel(shape):
    return right_numel(shape[1:]) * shape[0] if shape else 1


def sum_of_sizes(shape):
    return sum(shape)


@functools.cache
def wanted():
    """What the samples give with the library alone."""
    return {title: trials.run(program, {}, ()) for title, program in SAMPLES.items()}


def changed(names):
    """What the samples give otherwise with these reference solutions in the library."""
    found = {title: trials.run(program, reference_solutions(), names) for title, program in SAMPLES.items()}
    return [
        (title, str(got), str(wanted()[title]))
        for title, got in found.items()
        if not trials.same(got, wanted()[title])
    ]


def adopted_as(names):
    """What `adopt` says of these reference solutions, one after the other, and then `status` and `blame`."""
    try:
        wanted()
        cards = [adopt(name, reference_solutions()[name]) for name in names]
        said = [(card.mood, str(card)) for card in cards]
        return said, list(parts.adopted()), changed(names), status().headline, blame().mood
    finally:
        adopt(None)


def dictionaries():
    """Every dictionary that a module of the library holds, itself or in the variables around a function."""
    found = {}

    def look(place, value, seen):
        if type(value) is dict:
            found[place] = value
        elif isinstance(value, types.FunctionType) and id(value) not in seen:
            for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                look(f"{place}.{name}", cell.cell_contents, {*seen, id(value)})

    for name, module in list(sys.modules.items()):
        if name.startswith("tensorlab.") and not name.startswith(memory.KEPT):
            for key, value in list(vars(module).items()):
                if not key.startswith("__"):
                    look(f"{name}.{key}", value, set())
    return found


class TestReferences:
    """Most of it interpreted: a part as a student writes it would have ever other kernels compiled."""

    @pytest.mark.part(4)
    @pytest.mark.parametrize("name", IDS)
    def test_alone(self, name, interpreted):
        ((mood, card),), adopted, differences, _, _ = interpreted(adopted_as, [name])
        assert mood == "good", card
        assert adopted == [name]
        assert differences == []

    def test_in_pairs(self, interpreted):
        """In groups, so that each two are in one: the lines of a plane of 11 times 11 points."""
        side = 11
        assert len(IDS) <= side * side
        lines = [
            [(x, (slope * x + start) % side) for x in range(side)] for slope, start in np.ndindex(side, side)
        ]
        lines += [[(x, y) for y in range(side)] for x in range(side)]
        groups = [[IDS[n] for x, y in line if (n := side * x + y) < len(IDS)] for line in lines]
        met = {pair for group in groups for pair in itertools.combinations(sorted(group), 2)}
        assert met == set(itertools.combinations(sorted(IDS), 2))
        for group in groups:
            assert interpreted(changed, group) == [], group

    def test_all_together(self, interpreted):
        said, adopted, differences, headline, mood = interpreted(adopted_as, IDS)
        assert [card for mood, card in said if mood != "good"] == []
        assert adopted == IDS
        assert differences == []
        assert headline == f"{len(IDS)} of {len(IDS)} parts of this library are yours."
        assert mood == "good"

    def test_the_librarys_own_tests_with_all_of_them(self):
        """Those that ask for no more than the exercises do: words of errors and unused strides are free.

        So is what a copy is made of: repeat returns the student's reshape, which may be a view of one. Whole
        trainings take the students' loops minutes: of the programs those run that call most of the parts.
        """
        names = (
            "test_tensor.py", "test_creation.py", "test_io.py", "test_printing.py",
            "gradients/test_engine.py",
            *(
                f"test_programs.py::test_a_program_prints_the_same_with_tensorlab_for_torch[{program}]"
                for program in (
                    "attention", "causal_attention", "indexing_tour", "k_means", "nearest_neighbours",
                    "sharing", "strides_lab", "tensors_tour",
                )
            ),
        )  # fmt: skip
        result = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"),
                *("-p", "tests.learn.reference_solutions"),
                *("-k", "not test_copies_are_no_views"),
                *(f"tests/library/{name}" for name in names),
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert result.returncode == 0, result.stdout[-3000:]

    def test_that_they_are_used(self):
        """A reference that the bridge never calls would pass everything above."""
        calls = []

        def numel(shape):
            calls.append(shape)
            return right_numel(shape)

        adopt("01.numel", numel)
        calls.clear()
        assert tl.zeros(2, 3).view(3, 2).numel() == 6
        assert calls


class TestAdopt:
    def test_the_function_is_found_where_it_is_called(self):
        numel = right_numel
        assert adopt("ch01.num").headline == "The library now uses your numel."
        assert parts.adopted() == {"01.numel": numel}

    def test_every_name_of_the_function_leads_to_it(self):
        from tensorlab.ops import shape

        def flatten(x, start_dim=0, end_dim=-1):
            first, last = layout.wrap_dim(start_dim, x.dim()), layout.wrap_dim(end_dim, x.dim())
            if first > last:
                raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
            calls.append("flatten")
            joined = layout.numel(x.shape[first : last + 1])
            if x.dim() > 0 and first == last:
                return x
            return x.reshape((*x.shape[:first], joined, *x.shape[last + 1 :]))

        calls = []
        assert adopt("04.flatten").mood == "good"
        x = tl.zeros(2, 3)
        calls.clear()
        for flat in (
            x.flatten,
            lambda: tl.flatten(x),
            lambda: shape.flatten(x),
            lambda: tl.Tensor.flatten(x),
        ):
            assert flat().shape == (6,)
        assert len(calls) == 4

    def test_an_operator_that_has_a_way_of_its_own_leads_to_it_too(self):
        calls = []

        def matmul(a, b):
            calls.append("matmul")
            return reference_solutions()["08.matmul"](a, b)

        assert adopt("08.matmul").mood == "good"
        calls.clear()
        x = tl.ones(2, 2)
        assert (x @ x).tolist() == x.matmul(x).tolist() == [[2, 2], [2, 2]]
        assert calls == ["matmul"] * 2
        with pytest.raises(TypeError):
            x @ 3

    def test_a_wrong_one_is_refused_and_the_library_stays(self):
        card = adopt("01.numel", sum_of_sizes)
        assert "is not adopted" in card.headline
        assert "The library's own stays." in card.headline
        assert any("Sizes add up" in line.text for line in card.lines)
        assert layout.numel((2, 3)) == 6
        assert parts.adopted() == {}

    def test_one_that_passes_only_the_public_cases_is_refused(self):
        public = {
            case.args: layout.numel(*case.args) for t in exercise("01.numel").topics for case in t.public
        }

        def numel(shape):
            return public.get((tuple(shape),), 0)

        assert check("01.numel").mood == "good"
        assert adopt("01.numel").mood == "bad"

    def test_one_that_only_the_samples_catch_is_refused(self):
        def numel(shape):
            return 0 if type(shape) is tl.Size and len(shape) == 3 else right_numel(shape)

        assert check("01.numel").mood == "good"
        card = adopt("01.numel")
        assert "it passes its cases, and it changes" in card.headline
        assert layout.numel(tl.Size((2, 3, 4))) == 24

    def test_an_endless_one_is_refused(self, monkeypatch):
        monkeypatch.setattr(sys.modules["tensorlab.learn.check"], "PATIENCE", 0.2)

        def numel(shape):
            while True:
                pass

        assert "did not come to an end" in adopt("01.numel").headline
        assert layout.numel((2, 3)) == 6

    def test_the_librarys_own_function_is_no_answer(self):
        assert adopt("01.numel", layout.numel).mood == "bad"

    def test_a_worse_second_version_leaves_the_first(self):
        adopt("01.numel", right_numel)
        card = adopt("01.numel", sum_of_sizes)
        assert "Your earlier one stays." in card.headline
        assert parts.adopted() == {"01.numel": right_numel}

    @pytest.mark.parametrize(
        ("call", "says"),
        [
            (lambda: adopt("01.nummel"), "There is no such part"),
            (lambda: adopt("99"), "There is no such part"),
            (lambda: adopt(3), "There is no such part"),
            (lambda: adopt("01.nbytes"), "There is no function nbytes here yet"),
            (lambda: adopt("01.nbytes", 3), "It is of type int"),
            (lambda: adopt("ch05"), "None of its functions is here yet"),
            (lambda: adopt("01.numel", None), "was the library's own already"),
            (lambda: adopt(None), "All parts are the library's own already"),
        ],
    )
    def test_what_is_refused_kindly(self, call, says):
        assert says in call().headline

    def test_undo_one_and_all(self):
        adopt("01.numel", right_numel)
        adopt("04.contiguous", reference_solutions()["04.contiguous"])
        assert "is the library's own again" in adopt("ch04.contiguous", None).headline
        assert list(parts.adopted()) == ["01.numel"]
        assert adopt(None).headline.endswith("yours was numel.")

    def test_a_whole_chapter(self):
        from tests.learn import reference_solutions as source

        names = {e.name: source.reference_solutions()[e.id] for e in exercises("03")}
        names["sliced"] = lambda size, stride, bounds: (size, stride, 0)
        card = eval('adopt("ch03")', {"adopt": adopt, **names})
        assert card.mood == "partial"
        assert [done for done, _ in card.items] == [False, True, True, True, True]
        assert "again" in adopt("ch03", None).headline
        assert parts.adopted() == {}

    def test_what_was_solved_is_remembered(self):
        adopt("01.numel", right_numel)
        assert progress.load("01.numel").points == exercise("01.numel").points


class TestTheLibraryStaysWhole:
    def test_after_an_exception_in_a_part(self):
        def fails(shape, strides, order):
            raise RuntimeError("mine")

        parts.put(exercise("03.permuted"), fails)
        with pytest.raises(RuntimeError, match="mine"):
            tl.zeros(2, 3).permute(1, 0)
        adopt(None)
        assert tl.zeros(2, 3).permute(1, 0).shape == (3, 2)

    def test_no_answer_of_a_part_outlives_it(self):
        x = tl.arange(6).view(2, 3)
        right = x.permute(1, 0)
        parts.put(exercise("03.permuted"), lambda shape, strides, order: (shape, strides))
        assert x.permute(1, 0).shape == (2, 3), "an answer from before must not be used"
        assert (x.mT + 1).shape == (3, 2)
        adopt(None)
        assert (x.permute(1, 0).shape, x.permute(1, 0).stride()) == (right.shape, right.stride())

    def test_no_plan_of_a_wrong_part_outlives_it(self):
        """Every cache of the library is filled while dtypes meet wrongly, and asked again afterwards."""
        whole, half = tl.arange(3), tl.ones(3, dtype=tl.float16)
        programs = (
            lambda: whole + 1,
            lambda: whole + half,
            lambda: whole.sum(),
            lambda: tl.cat([whole, half]),
        )
        for asked, function in (
            ("05.result_type", lambda *operands: tl.float64),
            ("02.default_strides", lambda shape: (0,) * len(shape)),
        ):
            parts.put(exercise(asked), function)
            for program in programs:
                with contextlib.suppress(RuntimeError):  # a write into overlapping memory, say
                    program()
            parts.put(exercise(asked), None)
            assert [p().dtype for p in programs] == [tl.int64, tl.float16, tl.int64, tl.float16]
            assert [p().tolist() for p in programs[:2]] == [[1, 2, 3], [1, 2, 3]]

    def test_whatever_operations_remember_is_forgotten(self):
        """A new cache of the library has to be named: in `memory.PLANS`, or below with a reason."""
        kept = {
            "_kinds",  # classes of nodes, by formula
            "_forms",  # wrappers of functions, by function
            "_by_formula",  # rows of the table, by function
        }
        parts.put(exercise("01.numel"), right_numel)  # everything that takes part is loaded
        for program in SAMPLES.values():
            program()
        memory.forget()
        fresh = {place: dict(found) for place, found in dictionaries().items()}
        for program in SAMPLES.values():
            program()
        grown = {place for place, found in dictionaries().items() if len(found) > len(fresh.get(place, ()))}
        assert grown, "the samples fill caches"
        assert {place.rpartition(".")[2] for place in grown} <= memory.PLANS | kept

    def test_two_parts_built_on_each_other_come_to_an_end(self):
        def numel(shape):
            return (
                shape[0] * layout.default_strides(shape)[0]
                if shape and 0 not in shape
                else right_numel(shape)
            )

        def default_strides(shape):
            return tuple(max(1, layout.numel([max(s, 1) for s in shape[n + 1 :]])) for n in range(len(shape)))

        assert adopt("01.numel").mood == "good"
        assert adopt("02.default_strides").mood == "good"
        assert tl.zeros(2, 3, 4).stride() == (12, 4, 1)
        assert layout.numel((2, 3)) == 6

    def test_calls_beyond_the_exercise_go_to_the_library(self):
        adopt("04.contiguous", reference_solutions()["04.contiguous"])
        x = tl.zeros(1, 2, 2, 2)
        assert x.contiguous(memory_format=tl.channels_last).stride() == (8, 1, 4, 2)

    @pytest.mark.parametrize(
        "call",
        [
            lambda: tl.tensor([True, False]).argmax(),
            lambda: tl.zeros(0).argmax(),
            lambda: tl.zeros(2, 3).argmax(2),
            lambda: tl.zeros(2, 3).argmax(axis=1, keepdims=True),
            lambda: tl.nn.functional.normalize(tl.tensor([[3.0, -4.0]]), float("inf")),
            lambda: tl.zeros(3).index_add_(0, tl.tensor([3]), tl.ones(1)),
            lambda: tl.zeros(3).index_add_(0, tl.tensor([0, 0]), tl.ones(2), alpha=2),
            lambda: tl.zeros(3).index_add_(0, tl.tensor([0]), tl.ones(2)),
            lambda: tl.zeros(2, 3).gather(1, tl.tensor([[3]])),
            lambda: tl.zeros(2, 3).gather(1, tl.tensor([0])),
            lambda: tl.zeros(2, 3).gather(2, tl.tensor([[0]])),
            lambda: tl.zeros(2, 3).scatter_add(1, tl.tensor([[-1]]), tl.ones(1, 1)),
            lambda: tl.zeros(2, 3).scatter_add(1, tl.tensor([[0, 0]]), tl.ones(1, 1)),
        ],
    )
    def test_what_chapter_7_does_not_speak_of_is_the_librarys(self, call):
        want = trials.run(call, {}, ())
        for name in (name for name in IDS if name.startswith("07.")):
            parts.put(exercise(name), reference_solutions()[name])
        got = trials.run(call, reference_solutions(), parts.adopted())
        assert trials.same(got, want)
        assert str(got) == str(want), "errors have the library's words"

    def test_checks_compare_with_the_library_and_not_with_the_part(self):
        parts.put(exercise("01.numel"), sum_of_sizes)
        numel = sum_of_sizes
        assert check("01.numel").mood != "good"
        numel = right_numel
        assert numel is right_numel
        assert check("01.numel").mood == "good"
        assert layout.numel((2, 3)) == 5, "what was adopted is adopted again"

    def test_an_interrupt_leaves_what_was_adopted(self):
        adopt("01.numel", right_numel)

        def program():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            blame(program)
        assert parts.adopted() == {"01.numel": right_numel}

    def test_other_threads_may_call_meanwhile(self):
        errors, stop = [], threading.Event()

        def call():
            while not stop.is_set():
                try:
                    assert layout.flat_index((1, 2), (4, 1)) == 6
                    assert tl.zeros(2, 3).flatten().shape == (6,)
                except BaseException as error:
                    errors.append(error)
                    return

        threads = [threading.Thread(target=call) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(300):
            for name in ("01.flat_index", "04.flatten"):
                parts.put(exercise(name), reference_solutions()[name])
                parts.put(exercise(name), None)
        stop.set()
        for thread in threads:
            thread.join()
        assert not errors

    def test_nothing_is_paid_when_nothing_is_adopted(self):
        """Afterwards every function has its own code again, and importing the library loads none of this."""
        before = {e.part: parts.find_part(e.part)[0].__code__ for e in exercises()}
        for name in IDS:
            parts.put(exercise(name), reference_solutions()[name])
        adopt(None)
        for e in exercises():
            place = parts.find_part(e.part)[0]
            assert place.__code__ is before[e.part]
            assert "_place" not in (place.__kwdefaults__ or {})
        code = "import sys, tensorlab; print([m for m in sys.modules if m.startswith('tensorlab.learn')])"
        shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
        assert shown.stdout.strip() == "[]"


class TestBlame:
    def test_nothing_is_adopted(self):
        assert "Nothing is adopted" in blame().headline

    def test_the_guilty_one_among_all(self):
        for name in IDS:
            parts.put(exercise(name), reference_solutions()[name])
        parts.put(exercise("03.squeezed"), lambda shape, strides, dims: (shape, strides))
        card = blame()
        assert card.headline.startswith("It is 03.squeezed: your version changes ")
        assert any('tl.adopt("03.squeezed", None)' in line.text for line in card.lines)
        assert list(parts.adopted())[-1] == "03.squeezed"

    def test_with_a_program_of_ones_own(self):
        parts.put(exercise("01.numel"), right_numel)
        parts.put(exercise("03.permuted"), lambda shape, strides, order: (shape, strides))
        card = blame(lambda: tl.zeros(2, 3).permute(1, 0).shape)
        assert card.headline == "It is 03.permuted: your version changes what this program gives."
        assert "[2, 3]" in card.lines[0].text
        assert "[3, 2]" in card.lines[1].text
        assert blame(lambda: tl.zeros(2, 3).numel()).mood == "good"

    def test_two_that_are_guilty_only_together(self):
        parts.put(exercise("04.infer_size"), lambda shape, count: tl.Size(shape))
        parts.put(exercise("01.numel"), lambda s: 6 if type(layout.default_strides(s)) is tuple else 7)
        parts.put(exercise("02.default_strides"), lambda shape: [1] * len(shape))
        card = blame(lambda: layout.numel((2, 3)))
        assert card.headline.startswith("It is 02.default_strides and 01.numel together")
        assert (card.lines[0].text, card.lines[1].text) == ("7", "6")

    def test_an_error_that_the_library_makes_as_well(self):
        parts.put(exercise("01.numel"), right_numel)
        card = blame(lambda: tl.zeros(2, 3).view(5))
        assert "It is none of your 1 parts" in card.headline

    def test_an_endless_part(self, monkeypatch):
        monkeypatch.setattr(trials, "LEAST_SECONDS", 0.2)

        def endless(shape, strides):
            while True:
                pass

        parts.put(exercise("04.merge_axes"), endless)
        card = blame(lambda: layout.merge_axes((2, 3), (3, 1)))
        assert card.headline.startswith("It is 04.merge_axes")
        assert card.lines[0].text == "it does not come to an end"

    def test_random_numbers_are_no_difference(self):
        parts.put(exercise("01.numel"), right_numel)
        before = tl.get_rng_state()
        assert blame(lambda: tl.rand(3)).mood == "good"
        assert tl.get_rng_state().tolist() == before.tolist()


class TestStatus:
    def test_tiles(self):
        adopt("01.numel", right_numel)
        adopt("01.nbytes", lambda shape, dtype: 0)
        progress.save("02.unravel", progress.Progress(points=exercise("02.unravel").points))
        found = status()
        states = {tile.exercise: tile.state for tile in found.tiles}
        assert len(states) == len(IDS)
        assert states["01.numel"] == "yours"
        assert states["01.nbytes"] == "refused"
        assert states["02.unravel"] == "solved"
        assert states["03.sliced"] == "library"
        text = found.text()
        assert "[x] numel" in text
        assert "[!] nbytes" in text
        assert "[+] unravel" in text
        assert "[ ] sliced" in text
        assert "01.nbytes was refused" in text
        page = found._repr_html_()
        assert page.count("<li") == len(IDS)
        assert page.count("your code, in use") == 1
