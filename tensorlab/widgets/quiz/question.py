"""What a quiz asks, as plain data: questions with an answer to choose or to type, and lines to put in order.

Everything is checked when it is written: a question whose wrong answers are not explained does not exist.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Question:
    """One question and what is said about each answer.

    Give either `options`, a mapping from each answer to what is said to a reader who chose it, with the right
    one named by `answer`; or a number as `answer`, with `wrong` explaining the expected wrong numbers and
    `otherwise` all others. Text between backticks is shown as code.

    Parameters
    ----------
    prompt : the question, one sentence or two.
    answer : the right option's text, or the right number.
    because : why the right answer is right; shown after every answer.
    options : answer -> explanation. Only the right answer's explanation may be empty.
    wrong : wrong number -> explanation.
    otherwise : what is said to any other wrong number.
    unit : written behind the number field, such as "bytes".
    code : lines of Python shown under the question.

    Raises
    ------
    ValueError : when an answer has no explanation, or the right answer is not among the options.

    Examples
    --------
    >>> Question("How many bytes has a float32?", 4, "32 bits are 4 bytes.", wrong={32: "Those are bits."},
    ...          otherwise="A byte has 8 bits.").kind
    'number'
    """

    prompt: str
    answer: str | int | float
    because: str
    options: Mapping[str, str] | None = None
    wrong: Mapping[int | float, str] = field(default_factory=dict)
    otherwise: str = ""
    unit: str = ""
    code: str = ""

    def __post_init__(self) -> None:
        if not self.prompt or not self.because:
            raise ValueError("a question needs a prompt and a because")
        if self.options is None:
            self._check_number()
        else:
            self._check_choice(self.options)

    def _check_choice(self, options: Mapping[str, str]) -> None:
        if self.answer not in options:
            raise ValueError(f"the answer {self.answer!r} is not among the options {list(options)}")
        if len(options) < 2:
            raise ValueError(f"a choice needs at least two options, got {len(options)}")
        for text, why in options.items():
            if text != self.answer and not why:
                raise ValueError(f"the wrong option {text!r} has no explanation")
        if self.wrong or self.otherwise or self.unit:
            raise ValueError("wrong, otherwise and unit belong to a question that is answered by a number")

    def _check_number(self) -> None:
        if isinstance(self.answer, bool) or not isinstance(self.answer, (int, float)):
            raise ValueError(f"without options the answer must be a number, got {self.answer!r}")
        if self.answer in self.wrong:
            raise ValueError(f"{self.answer} is the right answer and cannot be among the wrong ones")
        if not self.otherwise:
            raise ValueError(
                "a question answered by a number needs `otherwise`, for the wrong numbers not foreseen"
            )

    @property
    def kind(self) -> str:
        """'choice' or 'number'."""
        return "number" if self.options is None else "choice"

    @property
    def answer_text(self) -> str:
        """The right answer as it is shown, with its unit."""
        return f"{self.answer} {self.unit}".rstrip()

    def spec(self) -> dict[str, Any]:
        """Return the plain value that engine.js works on."""
        common = {"kind": self.kind, "prompt": self.prompt, "code": self.code, "because": self.because}
        if self.options is None:
            wrong = [{"value": value, "why": why} for value, why in self.wrong.items()]
            return {
                **common,
                "answer": self.answer,
                "unit": self.unit,
                "wrong": wrong,
                "otherwise": self.otherwise,
            }
        options = [{"text": text, "why": why} for text, why in self.options.items()]
        return {**common, "answer": list(self.options).index(str(self.answer)), "options": options}


@dataclass(frozen=True)
class Line:
    """One line of a Parsons problem.

    `why` is said when this is the first line that stands wrong. Neighbours of one `group` may be swapped.
    """

    text: str
    why: str
    group: str | None = None

    def __post_init__(self) -> None:
        if not self.text.strip() or not self.why:
            raise ValueError(f"a line needs text and a why, got {self!r}")

    def spec(self) -> dict[str, Any]:
        """Return the plain value that parsons_engine.js works on."""
        return {"text": self.text, "why": self.why, "group": self.group}


def parsons_spec(
    prompt: str, program: Sequence[Line], distractors: Sequence[Line], because: str
) -> dict[str, Any]:
    """Return a Parsons problem as plain data, its lines in an order that is stable and gives nothing away.

    Raises ValueError when the program has fewer than two lines or a line occurs twice: two equal lines could
    not be told apart.
    """
    lines = [*program, *distractors]
    texts = [line.text for line in lines]
    if len(program) < 2:
        raise ValueError(f"a Parsons problem needs a program of at least two lines, got {len(program)}")
    if len(set(texts)) != len(texts):
        raise ValueError("every line of a Parsons problem must differ from the others")
    start = sorted(range(len(lines)), key=lambda i: stamp(texts[i]))
    if [i for i in start if i < len(program)] == list(range(len(program))):
        start.reverse()
    return {
        "prompt": prompt,
        "lines": [line.spec() for line in lines],
        "order": list(range(len(program))),
        "start": start,
        "because": because,
    }


def check_key(key: str) -> str:
    """Return `key` when it can name a quiz in a browser's storage and in a cell's tag.

    Raises ValueError for anything but lower-case letters, digits and hyphens.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key):
        raise ValueError(f"a quiz's key is made of lower-case letters, digits and hyphens, got {key!r}")
    return key


def stamp(value: Any) -> str:
    """Return eight characters that change whenever the plain value does, on every machine the same."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
