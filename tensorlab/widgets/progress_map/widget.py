"""`ProgressMap`: the Python side. It says what there is to do; the reader's browser knows what is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import traitlets

from tensorlab.widgets.base import BookWidget, html_table
from tensorlab.widgets.progress_map.chapters import Chapter

__all__ = ["ProgressMap"]


class ProgressMap(BookWidget):
    """A map of the book: the predictions that this browser remembers, and the exercises that are solved.

    The predictions are those that the quizzes of the pages keep. The exercises are read from a file that
    ``tensorlab progress --export FILE`` wrote, which the reader chooses. Nothing leaves the browser.

    Args:
        chapters: what there is to do, from `tensorlab.widgets.progress_map.chapters.chapters_in`.
        folder: where the chapters' pages stand, seen from the page of the map.

    Example:
        >>> from tensorlab.grading.suites import exercises
        >>> from tensorlab.widgets.progress_map.chapters import Chapter
        >>> first = Chapter(1, "A tensor is a line", "01_a_tensor", (("Predict", "ch01-a"),), exercises("01"))
        >>> ProgressMap([first]).spec[0]["exercises"][0]["id"]
        '01.numel'
    """

    folder = Path(__file__).parent

    spec: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, chapters: Sequence[Chapter], folder: str = "chapters") -> None:
        super().__init__(spec=[_plain(chapter, folder) for chapter in chapters])

    def text_twin(self) -> str:
        """What there is to do, for readers without JavaScript. What is done is not known without it."""
        rows = [
            (
                f"{chapter['number']}. {chapter['title']}",
                len(chapter["quizzes"]),
                ", ".join(exercise["id"] for exercise in chapter["exercises"]),
            )
            for chapter in self.spec
        ]
        return html_table("What there is to do", ("chapter", "quizzes", "exercises"), rows)


def _plain(chapter: Chapter, folder: str) -> dict[str, object]:
    return {
        "number": chapter.number,
        "title": chapter.title,
        "page": f"{folder}/{chapter.page}.html",
        "quizzes": [{"kind": kind, "key": key} for kind, key in chapter.quizzes],
        "exercises": [
            {"id": asked.id, "title": asked.title, "stars": asked.stars, "points": asked.points}
            for asked in chapter.exercises
        ],
    }
