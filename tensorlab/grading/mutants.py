"""Wrong answers that nobody wrote: a right solution with one small thing changed.

The known wrong solutions come from people's beliefs. These come from a machine, and ask another question of a
suite: does it look at everything that a right solution does? `mutants` makes them, `hunt` counts how many of
them lose points.
"""

from __future__ import annotations

import ast
import copy
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tensorlab.grading.judge import Question, draw
from tensorlab.grading.outcomes import answer_of, passes
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Exercise, RightSolution
from tensorlab.grading.suites import exercises

#: Any seed does. This one is fixed so that a count can be repeated.
SEED = 3

#: Rounds of all loops in one call together. A right answer to a question of a suite needs a few hundred.
PATIENCE = 100_000

_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.RShift: ast.LShift,
    ast.LShift: ast.RShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


@dataclass(frozen=True)
class Mutant:
    """One right solution with one thing changed.

    Attributes:
        change: the changed statement as it was and as it is now, ``"x = 1 -> x = 2"``; of an ``if`` or a
            loop, its first line.
        function: the changed function.
    """

    change: str
    function: Callable[..., Any]


class TooManyRounds(Exception):
    """A mutant's loops went round without an end in sight."""


def mutants(source: str, name: str) -> Iterator[Mutant]:
    r"""All mutants of the function `name` in `source`.

    Changed are: a whole number, by one up and down; an operator; a comparison, at its border and against its
    sense; ``and`` and ``or``; an ``if``, always and never; a ``not``, left out.

    Example:
        >>> for mutant in mutants("def f(x):\n    return x < 2", "f"):
        ...     print(mutant.change)
        return x < 2 -> return x <= 2
        return x < 2 -> return x >= 2
        return x < 2 -> return x < 3
        return x < 2 -> return x < 1
    """
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    statements = _statements(nodes)
    for place, node in enumerate(nodes):
        for field, value in _changes(node):
            changed = copy.deepcopy(tree)
            others = list(ast.walk(changed))
            setattr(others[place], field, value)
            ast.fix_missing_locations(changed)
            change = f"{_first_line(nodes[statements[place]])} -> {_first_line(others[statements[place]])}"
            yield Mutant(change, _function(changed, name))


def _statements(nodes: Sequence[ast.AST]) -> dict[int, int]:
    """For the place of each node in a walk, the place of the statement that it stands in."""
    places = {id(node): place for place, node in enumerate(nodes)}
    found: dict[int, int] = {}
    for place, node in enumerate(nodes):  # a walk meets parents before their children
        if isinstance(node, ast.stmt):
            found[place] = place
        for child in ast.iter_child_nodes(node):
            found.setdefault(places[id(child)], found.get(place, place))
    return found


def _changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """What can be changed in one node: the name of a field and its new value."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield from (("value", node.value + 1), ("value", node.value - 1))
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _OPERATORS:
        yield "op", _OPERATORS[type(node.op)]()
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (("ops", [other()]) for other in _COMPARISONS.get(type(node.ops[0]), ()))
    elif isinstance(node, ast.BoolOp):
        yield "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield from (("test", ast.Constant(True)), ("test", ast.Constant(False)))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "op", ast.UAdd()


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def _count_rounds(tree: ast.Module) -> ast.Module:
    """The tree, in which every loop counts its rounds."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While)):
            node.body.insert(0, ast.parse("_count_a_round()").body[0])
    return ast.fix_missing_locations(tree)


def _function(tree: ast.Module, name: str) -> Callable[..., Any]:
    """The function that a changed tree defines. A call with too many rounds of its loops raises."""
    rounds = [0]

    def count_a_round() -> None:
        rounds[0] += 1
        if rounds[0] > PATIENCE:
            raise TooManyRounds(f"more than {PATIENCE} rounds")

    names: dict[str, Any] = {"_count_a_round": count_a_round}
    exec(compile(_count_rounds(tree), "a mutant", "exec"), names)

    def call(*args: Any, **keywords: Any) -> Any:
        rounds[0] = 0
        return names[name](*args, **keywords)

    return call


@dataclass(frozen=True)
class Hunt:
    """What became of the mutants of one right solution.

    Attributes:
        made: how many there were, without those in `same`.
        missed: the changes that kept all their points.
        same: those that kept them with good reason, because the change leaves the solution right
            (`RightSolution.same`).
    """

    exercise: str
    solution: str
    made: int
    missed: tuple[str, ...]
    same: tuple[str, ...]


def hunt_chapter(chapter: str) -> list[Hunt]:
    """What `hunt` finds of each exercise of a chapter.

    Example:
        >>> sum(len(found.missed) for found in hunt_chapter("01"))
        0
    """
    return [found for exercise in exercises(chapter) for found in hunt(exercise)]


def hunt(exercise: Exercise) -> list[Hunt]:
    """Ask the mutants of an exercise's right solutions every public question and fresh hidden ones.

    Example:
        >>> from tensorlab.grading.suites import exercise
        >>> [(found.made, found.missed) for found in hunt(exercise("01.numel"))]
        [(3, ()), (0, ()), (9, ())]
    """
    questions = draw(exercise, random.Random(SEED))
    return [_hunt_in(exercise, solution, questions) for solution in exercise.right]


def survives(exercise: Exercise, mutant: Mutant, questions: Sequence[Question]) -> bool:
    """Whether a mutant answers every question rightly. What it warns of on the way is not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return all(
            passes(answer_of(mutant.function, exercise, question.case), question.want, question.case)
            for question in questions
        )


def _hunt_in(exercise: Exercise, solution: RightSolution, questions: Sequence[Question]) -> Hunt:
    made = list(mutants(answer_source(exercise, solution.function), exercise.name))
    alive = [mutant.change for mutant in made if survives(exercise, mutant, questions)]
    named = {change for changes in solution.same.values() for change in changes}
    same = tuple(change for change in alive if change in named)
    missed = tuple(change for change in alive if change not in named)
    return Hunt(exercise.id, solution.name, len(made) - len(same), missed, same)
