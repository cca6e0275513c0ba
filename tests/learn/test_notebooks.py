"""The last cell of each solution notebook: every function that it solves becomes a part of the library."""

from __future__ import annotations

import json

import pytest

from tensorlab.grading.suites import chapters, exercises
from tensorlab.learn import adopt, parts
from tests.learn.reference_solutions import SOLUTIONS


@pytest.mark.parametrize("chapter", chapters())
def test_a_whole_notebook_is_adopted(chapter):
    (notebook,) = SOLUTIONS.glob(f"{chapter}_*.ipynb")
    names: dict = {"__name__": "__main__"}
    try:
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            role = cell["metadata"].get("tensorlab", {}).get("role")
            if role in ("setup", "answer"):
                exec("".join(cell["source"]), names)
            elif role == "adopt":
                card = eval("".join(cell["source"]), names)
        assert [text for done, text in card.items if not done] == []
        assert list(parts.adopted()) == [asked.id for asked in exercises(chapter)]
    finally:
        adopt(None)
