"""The build finds an answer that stands in sight of a reader who has yet to predict it."""

from __future__ import annotations

import json

import pytest
from tensorlab_book.covers import given_away

STATE = '<script type="application/vnd.jupyter.widget-state+json">{}</script>'
CELL = '<div class="cell {}"><div class="cell_output">output</div></div>'
TERM = '<p>This is called <strong><span class="xref std std-term">row-major</span></strong> order.</p>'
NUMBER = {"kind": "number", "answer": 16000}
CODE = {"kind": "choice", "answer": 1, "options": [{"text": "`[1]`"}, {"text": "`[2, 2]`"}]}
WORDS = {"kind": "choice", "answer": 0, "options": [{"text": "the rows"}, {"text": "neither"}]}


def page(question: dict, *blocks: str) -> str:
    spec = {"key": "ch01-a", "questions": [question]}
    state = STATE.format(json.dumps({"state": {"m": {"state": {"spec": spec}}}}))
    return f"<section>{CELL.format('tag_after-ch01-a')}{''.join(blocks)}</section>{state}"


@pytest.mark.parametrize(
    ("question", "blocks", "count"),
    [
        (NUMBER, ["<p>It is 16000.</p>"], 0),  # covered
        (NUMBER, [TERM, "<p>It is 16000.</p>"], 1),
        (NUMBER, [TERM, "<p>It is 16,000 of them.</p>"], 1),
        (NUMBER, [TERM, "<p>It is 160000, or 16000.5.</p>"], 0),
        (NUMBER, [TERM, "<ul><li>16000</li></ul>"], 1),
        (NUMBER, [TERM, "<h3>And then?</h3><p>16000</p>"], 0),
        (NUMBER, [TERM, CELL.format(""), "<p>16000</p>"], 0),  # the reader has gone on
        (NUMBER, [TERM, CELL.format("tag_after-ch01-a"), "<p>16000</p>"], 0),  # covered once more
        (NUMBER, [CELL.format("tag_remove-input"), "<p>16000</p>"], 1),
        (CODE, [TERM, "<p>So <code>[2, 2]</code> comes out.</p>"], 1),
        (CODE, [TERM, "<p>So <code>[1]</code> does not.</p>"], 0),
        (WORDS, [TERM, "<p>It is the rows.</p>"], 0),
        ({"kind": "number", "answer": 4}, [TERM, "<p>In chapter 4.</p>"], 0),
    ],
)
def test_an_answer_in_sight_is_found(question: dict, blocks: list[str], count: int) -> None:
    found = given_away(page(question, *blocks))
    assert len(found) == count
    assert all("the answer of ch01-a" in sentence for sentence in found)


def test_a_page_without_predictions_has_nothing_to_give_away() -> None:
    assert given_away("<p>16000</p>") == []
