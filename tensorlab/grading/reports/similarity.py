"""Answers that are more alike than chance explains: a hint where to look, and no verdict.

Answers are compared as runs of tokens, without comments, texts and names, so that renaming changes nothing.
What many would write by themselves is left out: the first line that the exercise gives, all known solutions,
right and wrong, and what a quarter of the class has.
"""

from __future__ import annotations

import itertools
import keyword
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tensorlab.grading.notebook import UnreadableNotebook, parse_notebook
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Exercise

#: Tokens in a run. Shorter ones, such as the head of a loop, everybody writes.
RUN = 10

#: Runs that two answers to a question must have in common, and the share of all runs that either has.
LEAST_RUNS = 8
LEAST_SHARE = 0.6

#: A run that more students have than this share of the class says nothing, where at least three have it.
COMMON = 0.25

#: Longest answer that is compared, in characters.
LONGEST = 20_000

# A text that is not closed ends at its line or at the file, so that none is looked through twice.
_TOKEN = re.compile(
    r"#[^\n]*|'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)|'(?:[^'\\\n]|\\.)*+'?|\"(?:[^\"\\\n]|\\.)*+\"?|\w+|[^\w\s]",
    re.DOTALL,
)


@dataclass(frozen=True)
class Alike:
    """Two answers to a question that have much in common.

    Attributes:
        share: runs that both have, of those that either has.
        runs: how many both have.
    """

    question: str
    students: tuple[str, str]
    share: float
    runs: int


def tokens(source: str) -> list[str]:
    """The tokens of a program in any state: names become ``n``; texts and comments go.

    Example:
        >>> tokens("for size in shape: count *= size  # all of them")
        ['for', 'n', 'in', 'n', ':', 'n', '*', '=', 'n']
    """
    found = _TOKEN.findall(source[:LONGEST])
    return [_normal(token) for token in found if token[0] not in "#'\""]


def _normal(token: str) -> str:
    named = token[0].isalpha() or token[0] == "_"
    return "n" if named and not keyword.iskeyword(token) else token


def answers(raw: bytes, exercises: Sequence[Exercise]) -> dict[str, str]:
    """What a notebook answers: question -> the last code cell that begins a definition of its name."""
    try:
        cells = parse_notebook(raw).code
    except UnreadableNotebook:
        return {}
    found = {}
    for exercise in exercises:
        definition = re.compile(rf"^(?:def|class) {exercise.name}\b", re.MULTILINE)
        for cell in cells:
            if begins := definition.search(cell.source):
                found[exercise.id] = cell.source[begins.start() :]
    return found


def alike(
    handed_in: Mapping[str, Mapping[str, str]], exercises: Sequence[Exercise], most: int = 30
) -> list[Alike]:
    """The pairs of answers that are most alike, the likest first.

    Args:
        handed_in: student -> question -> answer, as `answers` finds it.
        most: how many pairs are told.
    """
    pairs = itertools.chain.from_iterable(
        _alike(exercise, {who: said[exercise.id] for who, said in handed_in.items() if exercise.id in said})
        for exercise in exercises
    )
    return sorted(pairs, key=lambda pair: (-pair.share, -pair.runs, pair.students, pair.question))[:most]


def _alike(exercise: Exercise, said: Mapping[str, str]) -> Iterable[Alike]:
    functions = [*(one.function for one in exercise.right), *(one.function for one in exercise.wrong)]
    known = set().union(*(_runs(answer_source(exercise, function)) for function in functions))
    opening = tokens(exercise.opening)
    runs = {who: _runs(source, opening) - known for who, source in said.items()}
    have: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for who in sorted(runs):
        for run in runs[who]:
            have[run].append(who)
    common = max(2, math.floor(COMMON * len(said)))
    rare = {run: people for run, people in have.items() if len(people) <= common}
    own = {who: sum(run in rare for run in those) for who, those in runs.items()}
    shared: dict[tuple[str, str], int] = defaultdict(int)
    for people in rare.values():
        for pair in itertools.combinations(people, 2):
            shared[pair] += 1
    for (one, other), count in shared.items():
        share = count / (own[one] + own[other] - count)
        if count >= LEAST_RUNS and share >= LEAST_SHARE:
            yield Alike(exercise.id, (one, other), share, count)


def _runs(source: str, opening: Sequence[str] = ()) -> set[tuple[str, ...]]:
    """All runs of tokens, without those of the line that the exercise gives."""
    found = tokens(source)
    if opening and found[: len(opening)] == list(opening):
        found = found[len(opening) :]
    return {tuple(found[start : start + RUN]) for start in range(len(found) - RUN + 1)}
