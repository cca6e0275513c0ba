"""Pages from graded rows: what a class sees, what a student sees, and what neither of them must."""

from __future__ import annotations

import functools
import html.parser
import json
import os
import random
import re
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from docutils.nodes import make_id

from tensorlab.cli.support.errors import FAILED, USAGE
from tensorlab.grading import feedback, reports
from tensorlab.grading.grader import Row, tidy
from tensorlab.grading.judge import answer_of, draw, weigh
from tensorlab.grading.ledger import Ledger
from tensorlab.grading.reports import reading, similarity, student_page
from tensorlab.grading.reports.markup import element
from tensorlab.grading.results import Reported, Results, Run
from tensorlab.grading.sources import answer_source
from tensorlab.grading.submissions import Copy
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import chapters, exercises

ROOT = Path(__file__).parents[2]
RUN = Run("01", "0.1.0", "d" * 64, "a" * 64, "b" * 12, "none", {}, {}, "2026-01-01T00:00:00+00:00")
AXE = ROOT / "tests/book/axe/axe.min.js"
SECRET = Secret(b"a secret for the tests")
HOSTILE = "<script>alert('1')</script>\"><img src=x onerror=alert(2)>&amp;\x1b[31m\u202e"


def row(student, question="01.numel", points=1, **changes):
    about = {"level": "none", "sha256": "c" * 64, "seconds": 0.5, "feedback": "Lost: a line."}
    about["status"] = "right" if points == 4 else "partial"
    return Row(student, question, "How many numbers?", points, 4, **(about | changes))


def results_of(rows, chapter="01"):
    return Results(chapter, {1: RUN}, [Reported(one, 1) for one in rows])


def known(question, name):
    """An exercise, and a known solution to it."""
    exercise = next(one for one in exercises(question[:2]) if one.id == question)
    return exercise, next(one for one in (*exercise.right, *exercise.wrong) if one.name == name)


@functools.cache
def verdict(question, name):
    """What a known solution is worth, on public and hidden cases."""
    exercise, solution = known(question, name)
    asked = draw(exercise, SECRET.source("ada", question))
    return weigh(exercise, [q.answered(answer_of(solution.function, exercise, q.case)) for q in asked])


def graded(student, exercise, solution):
    """The row of a student who handed in a known solution."""
    return replace(row_of(exercise.id, solution.name), student=student)


@functools.cache
def row_of(question, name):
    found = verdict(question, name)
    exercise = found.exercise
    return Row(
        "", exercise.id, exercise.title, found.points, exercise.points, found.status,
        tidy(feedback.one_line(found)), "strong", "c" * 64, 0.25, feedback.topic_points(found),
        found.belief.belief if found.belief else "",
    )  # fmt: skip


def a_class(count, chapter="01"):
    """Rows and answers of students who handed in known solutions, more often right than wrong."""
    source, rows, said = random.Random(7), [], {}
    for number in range(count):
        student = f"s{number:03}"
        said[student] = {}
        for exercise in exercises(chapter):
            solution = source.choice(exercise.right if source.random() < 0.6 else exercise.wrong)
            rows.append(graded(student, exercise, solution))
            said[student][exercise.id] = written(exercise.id, solution.name)
    return rows, said


@functools.cache
def written(question, name):
    """What the student wrote."""
    exercise, solution = known(question, name)
    return answer_source(exercise, solution.function)


class Reader(html.parser.HTMLParser):
    """Reads a page as a browser does: its text, its elements, and what they would load or run."""

    def __init__(self, text):
        super().__init__()
        self.text, self.elements, self.loads, self.captions = "", [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.loads += [f"{tag} {name}" for name, _ in attributes if name.startswith("on") or name == "src"]
        self.loads += [value for name, value in attributes if name == "href"]

    def handle_data(self, data):
        self.text += data


class TestTheBookAnswers:
    @pytest.mark.parametrize("chapter", chapters())
    def test_each_exercise_has_a_section_that_exists(self, chapter):
        for exercise in exercises(chapter):
            found = reading.section(exercise.id)
            notebook = json.loads((ROOT / f"book/chapters/{found.page}.ipynb").read_text("utf-8"))
            texts = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
            headings = re.findall(r"^#{2,3} (.*)$", "\n".join(texts), re.MULTILINE)
            assert headings.count(found.heading) == 1, exercise.id
            assert found.anchor == make_id(found.words.replace("'", "’")), exercise.id


class TestEscaping:
    def test_text_is_text(self):
        assert element("p", "<b>", element("i", "&"), id_='"') == '<p id="&quot;">&lt;b&gt;<i>&amp;</i></p>'

    @pytest.fixture
    def hostile(self):
        said = {"title": HOSTILE, "feedback": HOSTILE, "topic": f"{HOSTILE} 0/4", "misconception": HOSTILE}
        rows = [
            Row(**(vars(row(f"{name}{HOSTILE}", points=0, status=HOSTILE)) | said)) for name in ("ada", "bob")
        ]
        code = f"def numel(shape):\n    '''{HOSTILE}'''\n    " + "\n    ".join(
            f"a{k} = (shape[{k}] + {k}) * {k} - [{k}, {k}]" for k in range(9)
        )
        return rows, {one.student: {"01.numel": code} for one in rows}

    def test_a_class_of_hostile_names_and_notebooks(self, hostile):
        rows, said = hostile
        alike = similarity.alike(said, exercises("01"))
        assert len(alike) == 1
        roster = [reports.Student(HOSTILE, HOSTILE), reports.Student(rows[0].student, HOSTILE)]
        text = reports.class_page(
            results_of(rows), exercises("01"), roster, reports.Comparison(alike, said), "https://example.org"
        )
        self.assert_harmless(text)

    def test_a_page_of_a_hostile_student(self, hostile):
        rows, _ = hostile
        for name, text in reports.student_pages(results_of(rows), book="https://example.org"):
            assert re.fullmatch(r"[A-Za-z0-9.-]+\.html", name)
            self.assert_harmless(text)

    def assert_harmless(self, text):
        read = Reader(text)
        assert not {"script", "img", "link", "iframe"} & set(read.elements)
        assert all(one.startswith("https://example.org/book/chapters/") for one in read.loads), read.loads
        assert "<script>alert('1')</script>" in read.text
        assert "\x1b" not in text
        assert "\u202e" not in text

    def test_names_of_files(self):
        names = ["ada", "Ada", "../ada", "a/b", "a:b", "Zoë", "", "数", "ada.html", "." * 300, "x" * 300]
        files = [student_page.file_name(name) for name in names]
        assert len({name.casefold() for name in files}) == len(names)
        assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\.html", name) for name in files), files


class TestStudentPages:
    @pytest.mark.parametrize("chapter", ["01", "02"])
    def test_no_hidden_input_is_on_a_page(self, chapter):
        """Only the text of hidden calls that no public case has can tell anything."""
        looked_for = 0
        for exercise in exercises(chapter):
            asked = draw(exercise, SECRET.source("ada", exercise.id))
            calls = {q.hidden: set() for q in asked}
            for q in asked:
                calls[q.hidden].add(feedback.call_text(exercise, q.case.args))
            hidden = {call for call in calls[True] - calls[False] if call.count(",") > 1}
            looked_for += len(hidden)
            for solution in exercise.wrong:
                results = results_of([graded("ada", exercise, solution)], chapter)
                ((_, text),) = reports.student_pages(results)
                shown = Reader(text).text
                assert not [call for call in hidden if call in shown], solution.name
        assert looked_for > 20

    def test_an_answer_that_prints_hidden_inputs_prints_them_to_nobody(self, submit, grade):
        exercise = next(one for one in exercises("01") if one.id == "01.numel")
        public = {case.args[0] for topic in exercise.topics for case in topic.public}
        code = (
            f"import math\nPUBLIC = {public!r}\ndef numel(shape):\n    if shape in PUBLIC:\n"
            "        return math.prod(shape)\n    print('LEAK', shape)\n    raise ValueError(f'LEAK {shape}')"
        )
        found = grade(submit(numel=code))
        assert (found["01.numel"].points, found["01.nbytes"].points) == (0, 4)
        results = results_of(list(found.values()))
        ((_, text),) = reports.student_pages(results)
        assert "fresh inputs of the same kind do not" in text
        for shown in (text, reports.gradescope(results), reports.class_page(results, exercises("01"))):
            assert "LEAK" not in shown

    def test_nobody_else_is_named(self):
        rows, _ = a_class(3)
        roster = [reports.Student(f"s{k:03}", f"Name{k} Family{k}") for k in range(4)]
        pages = dict(reports.student_pages(results_of(rows), roster))
        assert list(pages) == [f"s{k:03}.html" for k in range(4)]
        for me, text in enumerate(pages.values()):
            assert f"Name{me} Family{me}" in text
            for other in set(range(4)) - {me}:
                assert f"s{other:03}" not in text
                assert f"Name{other}" not in text

    def test_it_teaches(self):
        exercise = exercises("01")[0]
        wrong = next(one for one in exercise.wrong if verdict(exercise.id, one.name).belief is one)
        results = results_of([graded("ada", exercise, wrong)])
        ((_, text),) = reports.student_pages(results, book="https://example.org/")
        shown = Reader(text).text
        assert wrong.belief in shown
        assert f"<blockquote>“{wrong.belief}”</blockquote>" in text
        assert wrong.lesson in shown
        assert 'hint("01.numel")' in shown
        link = "https://example.org/book/chapters/01_a_tensor_is_a_line.html#what-can-a-tensor-hold"
        assert link in Reader(text).loads
        ((_, unlinked),) = reports.student_pages(results)
        assert "What can a tensor hold?" in unlinked
        assert Reader(unlinked).loads == []

    def test_what_the_machine_says_of_itself_stays_with_who_grades(self):
        told = row("ada", points=None, status="machine", feedback="/home/prof/secret.bin is gone")
        ((_, text),) = reports.student_pages(results_of([told]))
        assert "secret.bin" not in text
        assert "there is no sum" in text

    @pytest.mark.parametrize("status", ["absent", "pending"])
    def test_what_is_not_graded_has_no_points(self, status):
        told = row("ada", points=None, status=status, feedback="Not graded yet.")
        ((_, text),) = reports.student_pages(results_of([told]))
        assert not re.search(r"\d+ of \d+", Reader(text).text)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Addresses of a class page and of a student's page with much on it."""
    folder = tmp_path_factory.mktemp("pages")
    rows, said = a_class(40)
    said["s001"]["01.flat_index"] = OWN
    said["s002"]["01.flat_index"] = OWN.replace("steps", "parts")
    comparison = reports.Comparison(similarity.alike(said, exercises("01")), said)
    book = "https://example.org"
    written = dict(reports.student_pages(results_of(rows), (), book))
    texts = {
        "class.html": reports.class_page(results_of(rows), exercises("01"), (), comparison, book),
        "student.html": max(written.values(), key=len),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return [(folder / name).as_uri() for name in texts]


class TestInABrowser:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_everybody_can_read_them_everywhere(self, chromium, pages, theme):
        """Neither page asks for anything else, reaches beyond a telephone's edge, or bars anybody."""
        with closing(chromium.new_context(color_scheme=theme, bypass_csp=True)) as context:
            page, asked = context.new_page(), []
            page.on("request", lambda request: asked.append(request.url))
            for address in pages:
                page.goto(address)
                page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
                for width in (1280, 320):
                    page.set_viewport_size({"width": width, "height": 800})
                    assert page.evaluate("document.documentElement.scrollWidth") == width
                    page.add_script_tag(content=AXE.read_text("utf-8"))
                    found = page.evaluate("axe.run().then(({violations}) => violations.map(({id}) => id))")
                    assert found == [], (address, width)
            assert asked == pages


class TestClassPage:
    def test_what_the_class_believes_is_counted(self):
        exercise = exercises("01")[0]
        wrong = next(one for one in exercise.wrong if verdict(exercise.id, one.name).belief is one)
        solutions = [wrong, wrong, wrong, exercise.right[0]]
        rows = [graded(f"s{k}", exercise, solution) for k, solution in enumerate(solutions)]
        rows.append(row("zoe", points=None, status="absent"))
        shown = Reader(reports.class_page(results_of(rows), exercises("01"), book="https://e.org")).text
        assert "4 of 5 students handed in." in shown
        assert f"“{wrong.belief}”" in shown
        assert "75%: 3 of 4 students" in shown
        assert wrong.lesson in shown
        assert "Read chapter 1, “What can a tensor hold?”" in shown

    def test_the_first_question_runs_the_cells_and_is_not_called_slow(self):
        rows = [row("ada", seconds=9.0), row("ada", "01.nbytes", seconds=2.0), row("ada", "01.flat_index")]
        shown = Reader(reports.class_page(results_of(rows), exercises("01"))).text
        assert "The slowest question is 01.nbytes: half of its answers took 2.00 s or more." in shown

    @pytest.mark.parametrize("rows", [[], [row("ada")], [row("ada", points=None, status="pending")]])
    def test_of_nobody_or_one(self, rows):
        comparison = reports.Comparison([], {})
        shown = Reader(reports.class_page(results_of(rows), exercises("01"), (), comparison)).text
        assert f"{len(rows)} of {len(rows)} students handed in." in shown
        assert "no verdict" in shown

    def test_every_plot_is_also_a_table(self):
        rows, _ = a_class(12)
        text = reports.class_page(results_of(rows), exercises("01"))
        read = Reader(text)
        assert read.elements.count("table") == read.elements.count("caption")
        points = sorted(total.points for total in reports.totals(rows))
        most = sum(exercise.points for exercise in exercises("01"))
        twin = text.partition("Students by points</caption>")[2].partition("</table>")[0]
        counts = [int(n) for n in re.findall(r'<td class="number">(\d+)</td>', twin)]
        assert sum(counts) == len(points)
        assert re.findall(r'scope="row">(\d+)', twin)[0] == "0"
        assert re.findall(r"(\d+)</th><td", twin)[-1] == str(most)

    def test_three_hundred_students(self, tmp_path):
        rows, said = a_class(300)
        began = time.process_time()
        comparison = reports.Comparison(similarity.alike(said, exercises("01")), said)
        text = reports.class_page(results_of(rows), exercises("01"), (), comparison, "https://example.org")
        pages = dict(reports.student_pages(results_of(rows), book="https://example.org"))
        assert time.process_time() - began < 5  # half a second on a laptop
        assert len(pages) == 300
        assert len(text) < 1_000_000


OWN = """def flat_index(index, strides, offset=0):
    "My own way."
    steps = []
    for which in range(len(index)):
        here = index[which]
        there = strides[which]
        steps.append(here * there)
    total = offset
    while steps:
        total = total + steps.pop()
    return total
"""


class TestSimilarity:
    def test_a_copy_with_other_names_is_found_and_known_solutions_are_not(self):
        _, said = a_class(60)
        said["s001"]["01.flat_index"] = OWN
        said["s002"]["01.flat_index"] = OWN.replace("steps", "parts").replace("My own", "Another")
        (found,) = similarity.alike(said, exercises("01"))
        assert (found.question, found.students, found.share) == ("01.flat_index", ("s001", "s002"), 1.0)

    def test_what_many_have_says_nothing(self):
        said = {f"s{k}": {"01.flat_index": OWN} for k in range(8)}
        assert similarity.alike(said, exercises("01")) == []

    @pytest.mark.parametrize("text", ["'" * 20_000, '"\\' * 10_000, "'''" * 7_000, "(" * 20_000, "\x00", ""])
    def test_no_text_takes_long(self, text):
        began = time.process_time()
        similarity.tokens(text)
        assert time.process_time() - began < 1

    def test_the_last_definition_is_the_answer(self, notebook_text):
        cells = ["def numel(shape): return 1", "import math\ndef numel(shape): return 2", "numel((2, 3))"]
        raw = notebook_text([{"cell_type": "code", "source": cell} for cell in cells]).encode()
        assert similarity.answers(raw, exercises("01")) == {"01.numel": "def numel(shape): return 2"}
        assert similarity.answers(b"{", exercises("01")) == {}


class TestCommand:
    @pytest.fixture
    def ledger(self, tmp_path, notebook_text):
        """A ledger of three students; two of them hand in one text."""
        path = tmp_path / "course.sqlite"
        with closing(Ledger(path)) as book:
            raw = notebook_text([{"cell_type": "code", "source": OWN}]).encode()
            copies = [Copy(name, raw, "c" * 64) for name in ("ada", "Bob B")]
            book.hand_in("01", "week 1", [*copies, Copy("zoe", None, "")])
            run = book.begin(RUN)
            for copy in copies:
                for exercise in exercises("01"):
                    book.store(run, graded(copy.student, exercise, exercise.wrong[0]))
        return path

    def test_the_class(self, tensorlab, ledger, tmp_path):
        out = tmp_path / "class.html"
        arguments = ("report", ledger, "--format", "class", "--out", out)
        assert tensorlab(*arguments)[0] == 0
        first = out.read_text("utf-8")
        assert "Bob B and ada" in Reader(first).text
        assert "steps.append" in first
        code, _, err = tensorlab(*arguments)
        assert (code, "--replace" in err, out.read_text("utf-8")) == (USAGE, True, first)

    def test_the_students(self, tensorlab, ledger, tmp_path):
        out = tmp_path / "pages"
        arguments = ("report", ledger, "--format", "students", "--out", out, "--book", "https://e.org")
        assert tensorlab(*arguments)[:2] == (0, f"3 pages written into {out}.\n")
        assert sorted(path.name for path in out.iterdir()) == ["Bob-B-0d1a30af.html", "ada.html", "zoe.html"]
        assert "Nothing was handed in." in (out / "zoe.html").read_text("utf-8")
        (out / "ada.html").write_text("mine")
        assert tensorlab(*arguments)[0] == USAGE
        assert (out / "ada.html").read_text() == "mine"
        assert tensorlab(*arguments, "--replace")[0] == 0

    def test_gradescope_of_a_class_is_refused(self, tensorlab, ledger, tmp_path):
        out = tmp_path / "results.json"
        code, _, err = tensorlab("report", ledger, "--format", "gradescope", "--out", out)
        assert (code, "one student, and here are 3" in err, out.exists()) == (FAILED, True, False)


class TestGradescope:
    def test_what_its_autograder_reads(self):
        rows = [row("ada", topic="a line 1/1; a matrix 0/3"), row("ada", "01.nbytes", 4, feedback=HOSTILE)]
        found = json.loads(reports.gradescope(results_of(rows)))
        assert found["score"] == 5
        assert "execution_time" not in found, "an answer can sleep as long as its hidden input says"
        assert found["stdout_visibility"] == "hidden"
        assert [(test["score"], test["max_score"], test["status"]) for test in found["tests"]] == [
            (1, 4, "failed"),
            (4, 4, "passed"),
        ]
        assert {test["visibility"] for test in found["tests"]} == {"visible"}
        assert {test["output_format"] for test in found["tests"]} == {"text"}
        assert "a matrix 0/3" in found["tests"][0]["output"]
        assert "\x1b" not in found["tests"][1]["output"]

    @pytest.mark.skipif(sys.platform == "win32", reason="Gradescope's containers run Linux")
    def test_the_scripts_of_the_book(self, tmp_path, submit):
        """What an instructor zips runs in a folder that looks as Gradescope's does."""
        script = (ROOT / "book/gradescope/run_autograder").read_text("utf-8")
        (tmp_path / "run_autograder").write_text(script.replace('trust=""', "trust=--i-trust-this-code"))
        for folder in ("submission", "source", "venv/bin"):
            (tmp_path / folder).mkdir(parents=True)
        (tmp_path / "venv/bin/python").symlink_to(sys.executable)
        (tmp_path / "source/secret.bin").write_bytes(b"a secret of the course")
        about = {"users": [{"id": 4321, "name": HOSTILE, "email": "ada@example.org"}], "id": 1}
        (tmp_path / "submission_metadata.json").write_text(json.dumps(about))
        submit(numel="def numel(shape): return sum(shape)").rename(tmp_path / "submission/my work (2).ipynb")
        environment = {**os.environ, "AUTOGRADER": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
        for _ in range(2):  # a student hands in again
            done = subprocess.run(
                ["bash", str(tmp_path / "run_autograder")], env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
        found = json.loads((tmp_path / "results/results.json").read_text("utf-8"))
        most = sum(exercise.points for exercise in exercises("01"))
        assert (found["score"], len(found["tests"])) == (most - 4, 5)
        assert [test["status"] for test in found["tests"]].count("failed") == 1

    @pytest.mark.parametrize("status", ["machine", "pending", "absent"])
    def test_no_score_is_invented(self, status):
        rows = [row("ada"), row("ada", "01.nbytes", None, status=status)]
        with pytest.raises(reports.BadReport, match=r"no score yet for 01\.nbytes"):
            reports.gradescope(results_of(rows))
