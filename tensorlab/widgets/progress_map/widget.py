"""`ProgressMap`: the Python side. It says what there is to do; the reader's browser knows what is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import traitlets

from tensorlab.widgets.base import BookWidget, html_table
from tensorlab.widgets.progress_map.chapters import Chapter
from tensorlab.widgets.progress_map.picture import chapter_map

__all__ = ["ProgressMap"]


class ProgressMap(BookWidget):
    """A map of the book: the predictions that this browser remembers, and the exercises that are solved.

    The predictions are those that the quizzes of the pages keep. The exercises are read from a file that
    ``tensorlab progress --export FILE`` wrote, which the reader chooses. Nothing leaves the browser.

    Args:
        chapters: what there is to do, from `tensorlab.widgets.progress_map.chapters.chapters_in`.
        folder: where the chapters' pages stand, seen from the page of the map.
        exercises: where the pages of the exercises stand.

    Example:
        >>> from tensorlab.grading.suites import exercises
        >>> from tensorlab.widgets.progress_map.chapters import Chapter
        >>> first = Chapter(1, "A tensor is a line", "01_a_tensor", (("Predict", "ch01-a"),), exercises("01"))
        >>> ProgressMap([first]).spec[0]["exercises"][0]["id"]
        '01.numel'
    """

    folder = Path(__file__).parent
    sheets = ("base.css", "map.css")

    spec: traitlets.List[Any] = traitlets.List().tag(sync=True)
    picture = traitlets.Unicode().tag(sync=True)

    def __init__(
        self, chapters: Sequence[Chapter], folder: str = "chapters", exercises: str = "../exercises"
    ) -> None:
        spec = [_plain(chapter, folder, exercises) for chapter in chapters]
        super().__init__(spec=spec, picture=chapter_map(chapters, folder))

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


def _plain(chapter: Chapter, folder: str, exercises: str) -> dict[str, object]:
    return {
        "number": chapter.number,
        "title": chapter.title,
        "page": f"{folder}/{chapter.page}.html",
        "exercise_page": f"{exercises}/{chapter.page}.html",
        "quizzes": [{"kind": kind, "key": key} for kind, key in chapter.quizzes],
        "exercises": [
            {"id": asked.id, "title": asked.title, "stars": asked.stars, "points": asked.points}
            for asked in chapter.exercises
        ],
    }
