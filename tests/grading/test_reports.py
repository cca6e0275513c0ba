"""Reports from graded rows: each format is read back by a reader that knows nothing of its writer."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tensorlab.cli import app
from tensorlab.grading import feedback, reports, results
from tensorlab.grading.grader import Grader, Row
from tensorlab.grading.judge import answer_of, draw, weigh
from tensorlab.grading.suites import exercises

RUN = results.Run("01", "0.1.0", "d" * 64, "a" * 64, "b" * 12, "none", {}, {}, "2026-01-01T00:00:00+00:00")
HOSTILE = ["=cmd()", "<script>alert(1)</script>", "two\nlines", "Zoë 数", "x" * 5000, "\x1b[31m\u202eda"]
BOOKS = {
    "totals": ("student", "points"),
    "canvas": ("SIS Login ID", "Chapter 01"),
    "moodle": ("Username", "Chapter 01"),
    "nbgrader": ("student_id", "score"),
}


def row(student, question="01.a", points=1, **changes):
    fields = {"status": "right" if points == 2 else "partial", "feedback": "Lost: a line."} | changes
    return Row(student, question, "A title", points, 2, level="none", sha256="c" * 64, seconds=0.5, **fields)


def results_of(rows):
    """Rows as one run has graded them."""
    return results.Results("01", {1: RUN}, [results.Reported(row, 1) for row in rows])


@pytest.fixture
def report(tmp_path):
    """Writes rows as `grade` does, runs the command on them, and returns exit code, text and message."""

    def report(rows, form, *options):
        (tmp_path / "results").mkdir(exist_ok=True)
        path = tmp_path / "results" / results.JSON_NAME
        path.write_text(results.json_text(results_of(rows)), "utf-8")
        out = tmp_path / f"{form}.out"
        arguments = ["report", str(tmp_path / "results"), "--format", form, "--out", str(out), *options]
        done = CliRunner().invoke(app, arguments)
        return done.exit_code, out.read_text("utf-8") if out.exists() else "", done.stderr

    return report


@pytest.mark.parametrize("form", BOOKS)
class TestGradebooks:
    def lines(self, text, form):
        who, score = BOOKS[form]
        lines = list(csv.DictReader(io.StringIO(text)))
        return {
            line[who]: line[score] for line in lines if line.get("Student", "").strip() != "Points Possible"
        }

    def test_totals_agree_with_rows(self, report, form):
        rows = [row("ada"), row("ada", "01.b", 2), row("bob", points=0), row("bob", "01.b", 0)]
        code, text, _ = report(rows, form)
        assert (code, self.lines(text, form)) == (0, {"ada": "3", "bob": "0"})

    def test_no_score_is_invented(self, report, form, tmp_path):
        roster = tmp_path / "roster.csv"
        roster.write_text("student,name\ncarl,Carl\nada,Ada\n", "utf-8")
        rows = [row("ada"), row("ada", "01.b", None, status="machine"), row("eve")]
        _, text, _ = report(rows, form, "--roster", str(roster))
        assert list(self.lines(text, form).items()) == [("carl", ""), ("ada", ""), ("eve", "1")]

    def test_hostile_names_are_text(self, report, form):
        _, text, _ = report([row(name) for name in HOSTILE], form)
        names = list(self.lines(text, form))
        assert names == ["'=cmd()", *HOSTILE[1:5], "\\x1b[31m\\u202eda"]


def test_canvas_says_the_points_possible(report):
    _, text, _ = report([row("ada"), row("ada", "01.b")], "canvas")
    header, possible, *_ = csv.reader(io.StringIO(text))
    assert header[:4] == ["Student", "ID", "SIS Login ID", "Section"]
    assert (possible[0].strip(), possible[-1]) == ("Points Possible", "4")


def test_junit_tells_lost_points_from_a_broken_machine(report):
    rows = [row(HOSTILE[1], feedback=name) for name in HOSTILE]
    rows += [row("bob", points=2), row("bob", "01.b", None, status="machine")]
    _, text, _ = report(rows, "junit")
    first, bob = ElementTree.fromstring(text)
    assert (first.get("name"), first.get("failures"), first.get("errors")) == (HOSTILE[1], "6", "0")
    assert [case.find("failure").text for case in first][:5] == HOSTILE[:5]
    assert [[found.tag for found in case] for case in bob] == [[], ["error"]]


def test_what_was_not_handed_in_is_no_score(report):
    rows = [row("ada"), row("zoe", points=None, status="absent")]
    (line,) = [
        line for line in csv.DictReader(io.StringIO(report(rows, "totals")[1])) if line["student"] == "zoe"
    ]
    assert (line["points"], line["status"]) == ("", "absent")
    _, zoe = ElementTree.fromstring(report(rows, "junit")[1])
    assert (zoe.get("errors"), zoe.get("skipped"), zoe[0].find("skipped").text) == ("0", "1", "Lost: a line.")


@pytest.mark.parametrize("form", ["rows", "json", "junit"])
def test_who_stands_in_the_roster_alone_has_rows(report, form, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("student\nbob\nada\n", "utf-8")
    code, text, err = report([row("ada"), row("ada", "01.b", 2), row("eve")], form, "--roster", str(roster))
    assert code == 0, err
    if form == "junit":
        found = [
            (suite.get("name"), case.find("skipped") is not None)
            for suite in ElementTree.fromstring(text)
            for case in suite
        ]
    else:
        rows = csv.DictReader(io.StringIO(text)) if form == "rows" else json.loads(text)["rows"]
        found = [(each["student"], each["status"] == "absent") for each in rows]
        assert all(each["points"] in ("", None) for each in rows if each["student"] == "bob")
    assert found == [("ada", False)] * 2 + [("bob", True)] * 2 + [("eve", False)]


def test_what_is_pending_is_no_score(report):
    rows = [row("ada"), row("ada", "01.b", None, status="pending"), row("bob"), row("bob", "01.b")]
    _, text, _ = report(rows, "totals")
    found = {line["student"]: (line["points"], line["status"]) for line in csv.DictReader(io.StringIO(text))}
    assert found == {"ada": ("", "pending"), "bob": ("2", "graded")}


def test_rows_and_json_say_what_the_results_say(report):
    rows = [row("ada", feedback="=1"), row("bob", points=None, status="machine")]
    assert report(rows, "rows")[1] == results.as_csv(rows)
    assert json.loads(report(rows, "json")[1]) == results.as_json(results_of(rows))


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"chapter": "01", "rows": [{"student": "ada"}]}'])
def test_other_files_are_named(tmp_path, text):
    path = tmp_path / "results.json"
    path.write_text(text, "utf-8")
    done = CliRunner().invoke(app, ["report", str(path), "--format", "totals", "--out", str(tmp_path / "o")])
    assert done.exit_code == 2
    assert "grade again" in done.stderr


@pytest.mark.parametrize("text", ["", "name\nAda\n", "student\nada\nada\n", "student,name\n,Ada\n"])
def test_a_roster_names_each_student_once(text):
    with pytest.raises(reports.BadReport, match="student"):
        reports.read_roster(text)


def test_an_earlier_report_stays(report):
    report([row("ada")], "totals")
    code, text, told = report([row("bob")], "totals")
    assert code == 2
    assert "--replace" in told
    assert "ada" in text


@pytest.mark.parametrize("exercise", exercises("01"), ids=lambda exercise: exercise.id)
def test_points_by_topic_add_up(exercise):
    assert exercise.wrong
    for wrong in exercise.wrong:
        asked = draw(exercise)
        answers = [
            question.answered(answer_of(wrong.function, exercise, question.case)) for question in asked
        ]
        verdict = weigh(exercise, answers)
        parts = [part.rpartition(" ")[2].split("/") for part in feedback.topic_points(verdict).split("; ")]
        assert sum(int(points) for points, _ in parts) == verdict.points
        assert sum(int(most) for _, most in parts) == exercise.points


def test_the_grader_says_topics_and_the_belief_it_told():
    code = "def numel(shape):\n    return shape[0] * shape[1]\n"
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": code,
        "outputs": [],
        "execution_count": None,
    }
    raw = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}).encode()
    exercise = next(one for one in exercises("01") if one.id == "01.numel")
    (graded,) = Grader([exercise]).rows(raw, "ada")
    assert graded.misconception == "A tensor is a table: rows times columns."
    assert graded.misconception in graded.feedback
    assert graded.topic.count("/") == len(exercise.topics)


def test_both_new_columns_are_in_csv_and_json():
    told = row("ada", topic="a line 1/2", misconception="=Strides count bytes")
    (line,) = csv.DictReader(io.StringIO(results.as_csv([told])))
    assert (line["topic"], line["misconception"]) == ("a line 1/2", "'=Strides count bytes")
    (plain,) = json.loads(json.dumps(results.as_json(results_of([told]))))["rows"]
    assert (plain["topic"], plain["misconception"]) == ("a line 1/2", "=Strides count bytes")
