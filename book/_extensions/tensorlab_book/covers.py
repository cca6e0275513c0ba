"""A page whose visible text gives an answer away is no page: the build fails and names the paragraph.

The output of a cell tagged `after-KEY` is covered until the reader commits to the prediction KEY, and so is
the text behind it, up to the next cell, the next heading or the first paragraph that introduces a term.
What follows stays in sight. `tensorlab/widgets/quiz/questions/cover.js` covers by the same rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bs4 import BeautifulSoup, Tag

from .widgets import STATE

TERM = "strong .std-term"
WAITS = "tag_after-"
STOPS = ("section", "h1", "h2", "h3", "h4", "h5", "h6")


def given_away(page: str) -> list[str]:
    """Return a sentence for each paragraph in sight that has the literal of an answer still to be predicted.

    Looked at is what stands between a prediction's covered cells and behind them, up to the next heading or
    the next cell that waits for nothing.
    """
    answers = dict(literals(page))
    if not answers:
        return []
    soup = BeautifulSoup(page, "html.parser")
    found = []
    for key, literal in answers.items():
        cells = soup.find_all(class_=f"{WAITS}{key}")
        for block in dict.fromkeys(block for cell in cells for block in in_sight(cell, f"{WAITS}{key}")):
            text = " ".join(block.get_text().split())
            if re.search(rf"(?<![\w.,])(?:{spellings(literal)})(?!\w|[.,]\d)", text):
                found.append(f"the answer of {key}, {literal}, stands in sight: {text[:90]!r} …")
    return found


def literals(page: str) -> Iterator[tuple[str, str]]:
    """Yield key and answer of each prediction of a page whose answer is a number, or code and nothing else.

    A number below 10 stands in many a sentence that has nothing to do with the question, so it isn't looked
    for.
    """
    state = STATE.search(page)
    models = json.loads(state["json"])["state"].values() if state else ()
    for spec in (model["state"].get("spec") for model in models):
        if isinstance(spec, dict) and len(spec.get("questions", ())) == 1:
            answer = answer_of(spec["questions"][0])
            if len(answer) > 1:
                yield spec["key"], answer


def answer_of(question: dict[str, Any]) -> str:
    """Return a question's answer as it would stand in a text; an empty one for an answer in words."""
    if question["kind"] == "number":
        return str(question["answer"])
    code = re.fullmatch(r"`([^`]+)`", question["options"][question["answer"]]["text"])
    return code[1] if code else ""


def spellings(literal: str) -> str:
    """Return a pattern of the ways to write a literal: 16000000 is 16,000,000 as well.

    >>> spellings("16000000")
    '16000000|16,000,000'
    """
    grouped = f"|{int(literal):,}" if literal.isdecimal() and len(literal) > 3 else ""
    return re.escape(literal) + grouped


def in_sight(cell: Tag, tag: str) -> Iterator[Tag]:
    """Yield the blocks behind a covered cell that stay in sight."""
    covered = True
    for block in cell.find_next_siblings():
        classes = block.get("class") or ()
        if block.name in STOPS or (
            "cell" in classes and "tag_remove-input" not in classes and tag not in classes
        ):
            return
        if "cell" in classes:
            covered = tag in classes
            continue
        covered = covered and block.select_one(TERM) is None
        if not covered:
            yield block
