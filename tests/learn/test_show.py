"""Cards: the same words as text and as HTML, nothing that runs, no colour alone."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tensorlab.learn.show import Card, Line

CARD = Card(
    "01.numel · How many numbers?",
    "Not yet: 1 of 4 points.",
    "partial",
    (Line("Asked", "Return " + "many words " * 20), Line("Got", "line one\n  line two", code=True)),
    ((True, "sizes of 1 and more"), (False, "the shape ()")),
    ("Stuck? There are hints.",),
)


class Words(HTMLParser):
    """What a reader of the page sees or hears."""

    def __init__(self, html):
        super().__init__()
        self.words, self.open, self.tags = "", [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


def test_html_is_well_formed_and_says_all_that_the_text_says():
    page = Words(CARD._repr_html_())
    assert page.open == []
    for part in (
        CARD.title,
        CARD.headline,
        "Asked",
        "line one\n  line two",
        "the shape ()",
        "There are hints.",
    ):
        assert part in page.words


def test_done_and_not_done_are_words_not_only_marks():
    page = Words(CARD._repr_html_())
    assert "sizes of 1 and more: passed" in page.words
    assert "the shape (): not yet" in page.words


def test_html_has_no_colour_for_text_or_page():
    styles = [attributes.get("style", "") for _, attributes in Words(CARD._repr_html_()).tags]
    assert not any(
        re.search(r"(?<![-\w])(color|background)\s*:\s*(?!inherit|none)", style) for style in styles
    )


def test_whatever_a_student_returns_is_only_text():
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
    page = Words(
        Card(evil, evil, "bad", (Line(evil, evil, code=True),), ((False, evil),), (evil,))._repr_html_()
    )
    assert {tag for tag, _ in page.tags} <= {"div", "code", "ul", "li", "span"}
    assert page.words.count(evil) == 6


def test_text_is_narrow_aligned_and_keeps_lines_of_code():
    lines = CARD.text().splitlines()
    assert max(map(len, lines)) <= 88
    assert "Got    line one" in lines
    assert "         line two" in lines
    assert "  [x] sizes of 1 and more" in lines
    assert repr(CARD) == CARD.text()


def test_a_card_of_two_lines():
    assert Card("check", "There is no such exercise.").text() == "check\nThere is no such exercise."
