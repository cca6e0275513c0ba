"""A page about a class: its scores, what it believes, which questions are hard, which answers are alike."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import colour, mixed
from tensorlab.figures.scene import Scene
from tensorlab.grading.grader import Row
from tensorlab.grading.reports.markup import Html, element, joined, page, table
from tensorlab.grading.reports.reading import link
from tensorlab.grading.reports.similarity import RUN, Alike
from tensorlab.grading.reports.totals import Student, Total, totals
from tensorlab.grading.results import Results
from tensorlab.grading.suite import Exercise

#: Columns of the distribution, at most.
COLUMNS = 12

#: Beliefs that are shown at once.
FIRST = 10

#: Characters of an answer that are shown beside another one.
SHOWN = 4000

_GROUPS = ("all points", "some points", "no points")
_FILLS = (colour("reach"), mixed("reach", 45), colour("cell"))


@dataclass(frozen=True)
class Comparison:
    """What was found when answers were compared.

    Attributes:
        answers: student -> question -> answer.
    """

    pairs: Sequence[Alike]
    answers: Mapping[str, Mapping[str, str]]


def class_page(
    results: Results,
    exercises: Sequence[Exercise],
    roster: Sequence[Student] = (),
    comparison: Comparison | None = None,
    book: str = "",
) -> str:
    """The page, as HTML that needs no other file.

    Args:
        exercises: of the chapter; a question that is none of these has no lesson and no link.
        comparison: None where there are no notebooks to compare.
        book: the address of the book; "" names its sections without links.
    """
    everybody = totals(results.rows, roster)
    graded = [row for row in results.rows if row.points is not None]
    names = {one.student.student: one.student.name or one.student.student for one in everybody}
    body = [
        _summary(everybody),
        _scores(everybody),
        _beliefs(graded, exercises, book),
        _questions(graded, exercises, book),
        _similar(comparison, names),
        _students(everybody, results.rows),
        _grounds(results),
    ]
    return page(f"Chapter {results.chapter.lstrip('0')}: the class", *body)


def _summary(everybody: Sequence[Total]) -> Html:
    states = Counter(one.status for one in everybody)
    handed_in = len(everybody) - states["absent"]
    parts = [f"{handed_in} of {len(everybody)} students handed in."]
    scores = [one.points for one in everybody if one.points is not None]
    if scores:
        parts.append(f"The median is {statistics.median(scores):g} of {everybody[0].max_points} points.")
    if len(scores) > 1:
        low, _, high = statistics.quantiles(scores, n=4, method="inclusive")
        parts.append(f"The middle half has {low:g} to {high:g}.")
    if states["pending"]:
        parts.append(f"{states['pending']} are not graded yet.")
    if states["machine"]:
        parts.append(f"For {states['machine']} the machine failed; grade again.")
    return element("p", " ".join(parts))


def _scores(everybody: Sequence[Total]) -> Html:
    heading = element("h2", "Scores")
    scores = [one.points for one in everybody if one.points is not None]
    if not scores:
        return joined([heading, element("p", "Nobody has a score yet.")])
    most = everybody[0].max_points
    step = math.ceil((most + 1) / COLUMNS)
    counts = {
        (low, min(low + step - 1, most)): sum(low <= score < low + step for score in scores)
        for low in range(0, most + 1, step)
    }
    named = {f"{low}–{high}" if low < high else str(low): n for (low, high), n in counts.items()}

    def draw(width: float) -> Scene:
        says = "; ".join(f"{name} points: {count}" for name, count in named.items())
        scene = Scene(width, "How many students have how many points", says)
        apart, tall, floor = (width - 4) / len(named), 150.0, 172.0
        for place, (name, count) in enumerate(named.items()):
            x = 2 + place * apart
            height = tall * count / max(named.values())
            if count:
                scene.bar(x + 2, floor - height, apart - 4, kind=colour("reach"), height=height)
                scene.text(x + apart / 2, floor - height - 6, count, size=12, anchor="middle", mono=True)
            shown = name if scene.wide else name.partition("–")[0]
            scene.text(x + apart / 2, floor + 17, shown, "ink-soft", 11, "middle", mono=True)
        scene.path(f"M2 {floor}H{width - 2}", "edge")
        scene.text(width - 2, floor + 38, "points" if scene.wide else "points, from", "ink-soft", 12, "end")
        return scene

    figure = Figure(draw, f"Each column is a range of points; {len(scores)} students have a score.")
    twin = table("Students by points", ["Points", "Students"], named.items())
    return joined([heading, Html(figure._repr_html_()), _folded("The scores as a table", twin)])


def _beliefs(graded: Sequence[Row], exercises: Sequence[Exercise], book: str) -> Html:
    lessons = {(x.id, wrong.belief): wrong.lesson for x in exercises for wrong in x.wrong}
    asked = Counter(row.question for row in graded)
    held = Counter((row.question, row.misconception) for row in graded if row.misconception)
    titles = {row.question: row.title for row in graded}
    found = sorted(held.items(), key=lambda one: (-one[1] / asked[one[0][0]], one[0]))
    items = [
        element(
            "li",
            element("blockquote", f"“{belief}”"),
            _bar(count / asked[question]),
            element("p", f"{_percent(count, asked[question])}: {count} of {asked[question]} students, in "
                         f"{titles[question]} (", element("code", question), ")."),
            element("p", lessons.get((question, belief), ""), " ", link(question, book)),
        )
        for (question, belief), count in found
    ]  # fmt: skip
    said = (
        "An answer that makes the same mistakes as a known wrong one is told the belief behind that one. "
        "The share is of those whose answer to the question was graded."
    )
    first, rest = items[:FIRST], items[FIRST:]
    shown = element("ol", *first, class_="beliefs") if first else element("p", "No known belief was found.")
    more = _folded(f"{len(rest)} more, rarer ones", element("ol", *rest, class_="beliefs")) if rest else ""
    heading = element("h2", "What the class believes")
    return joined([heading, element("p", said, class_="soft"), shown, more])


def _questions(graded: Sequence[Row], exercises: Sequence[Exercise], book: str) -> Html:
    heading = element("h2", "Questions, the hardest first")
    if not graded:
        return joined([heading, element("p", "Nothing is graded yet.")])
    rows: dict[str, list[Row]] = {}
    for row in graded:
        rows.setdefault(row.question, []).append(row)
    hardest = sorted(rows, key=lambda question: (_mean(rows[question]), question))
    groups = {question: _groups(rows[question]) for question in hardest}
    seconds = {question: [row.seconds for row in rows[question]] for question in hardest}

    def draw(width: float) -> Scene:
        says = "; ".join(
            f"{question}: {', '.join(f'{n} {name}' for name, n in zip(_GROUPS, counts, strict=True))}"
            for question, counts in groups.items()
        )
        scene = Scene(width, "How many students have the points of each question", says)
        x = 0.0
        for name, fill in zip(_GROUPS, _FILLS, strict=True):
            scene.bar(x, 0, 14, kind=fill, height=14)
            x = scene.text(x + 20, 12, name, "ink-soft", 12).right + 22
        y = 30.0
        for question, counts in groups.items():
            scene.text(0, y + 12, question, size=13, mono=True)
            y += 18
            x = 0.0
            for count, fill in zip(counts, _FILLS, strict=True):
                long = width * count / sum(counts)
                if count:
                    ink = "reach-ink" if fill == _FILLS[0] else "ink"
                    scene.bar(x, y, long, kind=fill, height=22)
                    if long > 8 * len(str(count)) + 4:
                        scene.text(x + long / 2, y + 15, count, ink, 12, "middle", mono=True)
                x += long
            y += 36
        return scene

    lines = [
        (
            element("code", question), rows[question][0].title, f"{_mean(rows[question]):.0%}",
            *groups[question], sum(row.status in ("unanswered", "missing") for row in rows[question]),
            f"{statistics.median(seconds[question]):.2f}", f"{max(seconds[question]):.2f}",
        )
        for question in hardest
    ]  # fmt: skip
    header = ["Question", "Title", "Mean", *map(str.capitalize, _GROUPS), "Without an answer",
              "Seconds, median", "Seconds, longest"]  # fmt: skip
    figure = Figure(draw, "The hardest question is at the top: its answers earned the smallest share.")
    return joined(
        [
            heading,
            Html(figure._repr_html_()),
            table("Points and time by question", header, lines),
            _slowest(seconds, first=next(iter(rows))),
            _lost(rows, exercises, book),
        ]
    )


def _slowest(seconds: Mapping[str, Sequence[float]], first: str) -> Html:
    """The question that takes longest, but for the first one, in whose time the notebook's cells run."""
    medians = {question: statistics.median(took) for question, took in seconds.items() if question != first}
    if not medians:
        return Html("")
    slowest = max(medians, key=lambda question: medians[question])
    return element(
        "p",
        "The slowest question is ", element("code", slowest), f": half of its answers took "
        f"{medians[slowest]:.2f} s or more. This leaves out ", element("code", first),
        ", in whose time the cells of the notebook run.",
    )  # fmt: skip


def _lost(rows: Mapping[str, Sequence[Row]], exercises: Sequence[Exercise], book: str) -> Html:
    """The topics that most answers lost."""
    lines = []
    for exercise in exercises:
        judged = [points_by_topic(row) for row in rows.get(exercise.id, ()) if row.topic]
        for place, topic in enumerate(exercise.topics):
            if place == 1:  # where the first is lost no other gives points, so those tell nothing
                judged = [earned for earned in judged if not _is_lost(earned, exercise.topics[0].title)]
            lost = sum(_is_lost(earned, topic.title) for earned in judged)
            if lost:
                lines.append((-lost / len(judged), exercise.id, topic, lost, len(judged)))
    if not lines:
        return Html("")
    worst = sorted(lines, key=lambda line: line[:2])[:10]
    shown = [
        (topic.title, element("code", question), f"{_percent(lost, of)} ({lost} of {of})",
         joined([topic.rule, " ", link(question, book)]))
        for _, question, topic, lost, of in worst
    ]  # fmt: skip
    caption = "The topics that most answers lost; a later one counts where the question's first was right"
    return table(caption, ["Topic", "Question", "Lost by", "What is behind it"], shown)


def _is_lost(earned: Mapping[str, str], title: str) -> bool:
    return earned.get(title, "").startswith("0/")


def points_by_topic(row: Row) -> dict[str, str]:
    """What a row says of its topics: ``{"a line": "1/1", "a matrix": "0/2"}``."""
    parts = (part.rpartition(" ") for part in row.topic.split("; ") if part)
    return {title: points for title, _, points in parts}


def _similar(comparison: Comparison | None, names: Mapping[str, str]) -> Html:
    heading = element("h2", "Answers that are alike")
    if comparison is None:
        said = "There are no notebooks to compare here. Make this page from the ledger, which keeps them."
        return joined([heading, element("p", said)])
    hint = element(
        "p",
        element("strong", "A hint where to look, and no verdict. "),
        "People who learn together, or from one source, write alike. Read both answers, and hear both "
        "students, before you think of anything else.",
        class_="hint",
    )
    how = element(
        "p",
        f"Compared are runs of {RUN} tokens, without names, comments and texts. What many would write by "
        "themselves is left out: the line that the exercise gives, all solutions that the grader knows, "
        "right and wrong, and what more than a quarter of the class has. The share is of the runs that "
        "either of the two has left.",
        class_="soft",
    )
    if not comparison.pairs:
        return joined([heading, hint, how, element("p", "No two answers are much alike.")])
    lines = [
        (
            " and ".join(names.get(who, who) for who in pair.students),
            element("code", pair.question), f"{pair.share:.0%}", pair.runs,
        )
        for pair in comparison.pairs
    ]  # fmt: skip
    header = ["Students", "Question", "Share", "Runs in common"]
    sides = [_side_by_side(pair, comparison.answers, names) for pair in comparison.pairs]
    return joined([heading, hint, how, table("Pairs of answers, the likest first", header, lines), *sides])


def _side_by_side(pair: Alike, answers: Mapping[str, Mapping[str, str]], names: Mapping[str, str]) -> Html:
    sides = [
        element(
            "div",
            element("h3", names.get(who, who)),
            element("pre", element("code", answers[who][pair.question][:SHOWN]), tabindex=0),
        )
        for who in pair.students
    ]
    both = " and ".join(names.get(who, who) for who in pair.students)
    return _folded(f"{pair.question}: {both}", element("div", *sides, class_="pair"))


def _students(everybody: Sequence[Total], rows: Sequence[Row]) -> Html:
    questions = sorted({row.question for row in rows})
    points = {(row.student, row.question): row.points for row in rows}
    lines = [
        (
            one.student.name or one.student.student,
            one.status if one.points is None else one.points,
            *("–" if (value := points.get((one.student.student, question))) is None else value
              for question in questions),
        )
        for one in everybody
    ]  # fmt: skip
    header = ["Student", "Points", *(question.partition(".")[2] for question in questions)]
    shown = table("Points of each student", header, lines) if lines else element("p", "There is nobody yet.")
    return joined([element("h2", "Students"), shown])


def _grounds(results: Results) -> Html:
    """What the rows rest on."""
    used = sorted({one.run for one in results.reported if one.run is not None})
    if not used:
        return Html("")
    lines = [
        (str(number), run.started, run.version, run.level, run.suite_sha256[:12], run.secret_id)
        for number, run in ((number, results.runs[number]) for number in used)
    ]
    header = ["Run", "Started", "tensorlab", "Level", "Questions", "Secret"]
    return joined([element("h2", "How it was graded"), table("Runs that these rows are from", header, lines)])


def _groups(rows: Sequence[Row]) -> tuple[int, int, int]:
    """How many have all, some and none of the points."""
    everything = sum(row.points == row.max_points for row in rows)
    nothing = sum(row.points == 0 for row in rows)
    return everything, len(rows) - everything - nothing, nothing


def _mean(rows: Sequence[Row]) -> float:
    return statistics.fmean((row.points or 0) / row.max_points for row in rows)


def _bar(share: float) -> Html:
    """A share as a bar; the words beside it say the same."""
    return element("div", element("span", style=f"width:{share:.1%}"), class_="bar", aria_hidden="true")


def _percent(count: int, of: int) -> str:
    return f"{count / of:.0%}"


def _folded(words: str, inside: Html) -> Html:
    return element("details", element("summary", words), inside)
