"""The reference says of a function what it does: tried out, not written by hand."""

from __future__ import annotations

import pytest
from tensorlab_book.badges import badges, chapter_of, see_also

import tensorlab as tl

from .conftest import ROOT

CHAPTERS = ROOT / "book" / "chapters"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("transpose", ["view", "gradient"]),
        ("t", ["view", "gradient"]),
        ("add", ["new memory", "gradient"]),
        ("matmul", ["new memory", "gradient"]),
        ("argmax", ["new memory", "no gradient"]),
        ("sort", ["new memory", "gradient"]),
        ("add_", []),
        ("get_default_dtype", []),
    ],
)
def test_view_or_copy_and_gradient(name: str, said: list[str]) -> None:
    assert badges(name) == said


def test_most_functions_that_return_tensors_have_badges() -> None:
    names = [name for name in tl.__all__ if callable(getattr(tl, name)) and not name.endswith("_")]
    assert sum(bool(badges(name)) for name in names) > 200


def test_the_chapter_that_explains_a_function() -> None:
    assert chapter_of("einsum", CHAPTERS).startswith("08_")
    assert chapter_of("expand", CHAPTERS).startswith("06_")
    assert chapter_of("logaddexp2", CHAPTERS) is None


def test_see_also_names_functions_and_not_arguments() -> None:
    text = "Of `input` along `dim`: never copies. See `reshape`, `tl.flatten` and `nothing_of_ours`."
    assert see_also("squeeze", text) == ["reshape", "flatten"]
