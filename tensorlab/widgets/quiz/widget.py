"""`Predict`, `Recall` and `Parsons`: the quizzes of the book.

Each is committed before it reveals anything, explains every wrong answer, remembers the reader's answers in
the browser under its `key`, and hands them to Python where there is a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import traitlets

from tensorlab.widgets.base import BookWidget
from tensorlab.widgets.quiz.question import Line, Question, check_key, parsons_spec, stamp
from tensorlab.widgets.quiz.twin import parsons_twin, questions_twin

__all__ = ["Parsons", "Predict", "Recall"]

_HERE = Path(__file__).parent


class _Quiz(BookWidget):
    """Questions in a page; `predictions` holds one committed answer for each, None where there is none."""

    folder = _HERE / "questions"

    spec = traitlets.Dict().tag(sync=True)
    predictions: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, key: str, title: str, questions: Sequence[Question]) -> None:
        self._questions = tuple(questions)
        self._title = title
        plain = [question.spec() for question in self._questions]
        spec = {"key": check_key(key), "stamp": stamp([title, plain]), "title": title, "questions": plain}
        super().__init__(spec=spec, predictions=[None] * len(plain))

    def text_twin(self) -> str:
        """The quiz for readers without JavaScript, its answers folded."""
        return questions_twin(self._title, self._questions)


class Predict(_Quiz):
    """One question that the reader answers before the cells below show what is true.

    The output of every cell tagged ``after-KEY`` stays covered in the book until the prediction is committed.
    The arguments behind `key` are those of `Question`.

    >>> guess = Predict("ch01-bytes", "How many bytes have twelve float32?", 48, "Twelve times four.",
    ...                 wrong={12: "Those are the numbers."}, otherwise="Each has 4 bytes.", unit="bytes")
    >>> guess.prediction is None
    True
    """

    def __init__(
        self,
        key: str,
        prompt: str,
        answer: str | int | float,
        because: str,
        *,
        options: Mapping[str, str] | None = None,
        wrong: Mapping[int | float, str] | None = None,
        otherwise: str = "",
        unit: str = "",
        code: str = "",
    ) -> None:
        question = Question(prompt, answer, because, options, wrong or {}, otherwise, unit, code)
        super().__init__(key, "", [question])

    @property
    def prediction(self) -> str | int | float | None:
        """The committed answer: the option's text or the number; None before there is one."""
        value = self.predictions[0]
        options = self._questions[0].options
        return list(options)[value] if options is not None and value is not None else value


class Recall(_Quiz):
    """A few questions in a row, each committed on its own; the last line says how many were right.

    >>> Recall("ch01-warm-up", "Before you start", [
    ...     Question("What is `2 * 4 + 1`?", 9, "First the product.", otherwise="2 * 4 comes first."),
    ... ]).predictions
    [None]
    """

    def __init__(self, key: str, title: str, questions: Sequence[Question]) -> None:
        if not title or not questions:
            raise ValueError("a Recall needs a title and at least one question")
        super().__init__(key, title, questions)


class Parsons(BookWidget):
    """A program whose lines the reader puts in order, some of them traps.

    `program` is the right order; `distractors` belong to no right program. The check names the first line
    that stands wrong and says its `why`. `placed` holds the reader's lines.

    >>> puzzle = Parsons("ch01-swap", "Swap a and b.", [
    ...     Line("old = a", "Keep it first."), Line("a = b", "Needs old."), Line("b = old", "Needs old."),
    ... ], distractors=[Line("b = a", "a is overwritten by now.")], because="One value must wait somewhere.")
    >>> puzzle.placed
    []
    """

    folder = _HERE / "parsons"

    spec = traitlets.Dict().tag(sync=True)
    program = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(
        self,
        key: str,
        prompt: str,
        program: Sequence[Line],
        *,
        because: str,
        distractors: Sequence[Line] = (),
    ) -> None:
        problem = parsons_spec(prompt, program, distractors, because)
        super().__init__(
            spec={"key": check_key(key), "stamp": stamp(problem), "problem": problem}, program=[]
        )

    @property
    def placed(self) -> list[str]:
        """The lines that the reader has placed, in order."""
        lines: list[dict[str, Any]] = self.spec["problem"]["lines"]
        return [lines[i]["text"] for i in self.program]

    def text_twin(self) -> str:
        """The quiz for readers without JavaScript, its answers folded."""
        return parsons_twin(self.spec["problem"])
