"""The text twins: what a reader without JavaScript sees of a quiz. The answers are there, folded."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from tensorlab.widgets.quiz.question import Question

__all__ = ["parsons_twin", "questions_twin"]


def questions_twin(title: str, questions: Sequence[Question]) -> str:
    """Return the questions as HTML, each with its answer inside a closed <details>."""
    heading = f"<p><strong>{rich(title)}</strong></p>" if title else ""
    return heading + "".join(map(_question, questions))


def _question(question: Question) -> str:
    code = f"<pre><code>{html.escape(question.code)}</code></pre>" if question.code else ""
    options = "".join(f"<li>{rich(text)}</li>" for text in question.options or ())
    said = {**(question.options or {}), **{str(value): why for value, why in question.wrong.items()}}
    wrong = "".join(
        f"<li>{rich(text)}: {rich(why)}</li>" for text, why in said.items() if why and text != question.answer
    )
    return (
        f"<p><strong>{rich(question.prompt)}</strong></p>{code}"
        + (f"<ul>{options}</ul>" if options else "")
        + f"<details><summary>Write down your prediction, then open the answer</summary>"
        f"<p>{rich(question.answer_text)}. {rich(question.because)}</p>"
        + (f"<p>And if you said:</p><ul>{wrong}</ul>" if wrong else "")
        + "</details>"
    )


def parsons_twin(problem: dict[str, Any]) -> str:
    """Return a Parsons problem (see `parsons_spec`) as HTML, its solution inside a closed <details>."""
    lines = problem["lines"]
    choice = "\n".join(lines[i]["text"].strip() for i in problem["start"])
    program = "\n".join(lines[i]["text"] for i in problem["order"])
    spare = "".join(
        f"<li><code>{html.escape(line['text'].strip())}</code>: {rich(line['why'])}</li>"
        for i, line in enumerate(lines)
        if i not in problem["order"]
    )
    return (
        f"<p><strong>{rich(problem['prompt'])}</strong></p><pre><code>{html.escape(choice)}</code></pre>"
        f"<details><summary>Write the program down, then open the answer</summary>"
        f"<pre><code>{html.escape(program)}</code></pre><p>{rich(problem['because'])}</p>"
        + (f"<p>Lines that belong to no right program:</p><ul>{spare}</ul>" if spare else "")
        + "</details>"
    )


def rich(text: str) -> str:
    """Return `text` as HTML: what stands between backticks as code, all else escaped.

    >>> rich("`x < 1` is true")
    '<code>x &lt; 1</code> is true'
    """
    pieces = map(html.escape, text.split("`"))
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))
