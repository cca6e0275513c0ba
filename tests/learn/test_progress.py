"""The progress file: written whole, never over something else, and no reason to fail."""

from __future__ import annotations

import json

import platformdirs
import pytest

from tensorlab.learn import progress
from tensorlab.learn.progress import NotSaved, Progress


def test_what_is_saved_is_loaded(home):
    progress.save("01.numel", Progress(points=3, checks=2, hints=1))
    progress.save("01.nbytes", Progress(assisted=True))
    assert progress.load("01.numel") == Progress(points=3, checks=2, hints=1)
    assert progress.load("01.nbytes").assisted
    assert progress.load("01.flat_index") == Progress()
    assert [path.name for path in home.iterdir()] == ["progress.json"]


def test_without_a_setting_it_lies_where_programs_keep_their_data(monkeypatch):
    monkeypatch.delenv("TENSORLAB_HOME")
    assert str(progress.folder()) == platformdirs.user_data_dir("tensorlab", appauthor=False)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "7",
        '{"exercises": 7}',
        '{"exercises": {"01.numel": 7}}',
        '{"exercises": {"01.numel": {"hints": "x"}}}',
    ],
)
def test_a_file_that_is_something_else_is_left_alone(content, home):
    home.mkdir()
    (home / "progress.json").write_text(content)
    assert progress.load("01.numel") == Progress()
    with pytest.raises(NotSaved, match="move it away"):
        progress.save("01.numel", Progress(hints=1))
    assert (home / "progress.json").read_text() == content
    assert progress.load("01.numel").hints == 1, "until the kernel ends it is remembered"


def test_what_could_not_be_saved_is_saved_later(home):
    home.mkdir()
    path = home / "progress.json"
    path.write_text("{")
    with pytest.raises(NotSaved):
        progress.save("01.numel", Progress(hints=2))
    path.unlink()
    progress.save("01.nbytes", Progress(hints=1))
    assert json.loads(path.read_text())["exercises"].keys() == {"01.numel", "01.nbytes"}


def test_fields_of_a_later_version_are_ignored(home):
    home.mkdir()
    record = {"points": 2, "colour": "blue"}
    (home / "progress.json").write_text(json.dumps({"version": 9, "exercises": {"01.numel": record}}))
    assert progress.load("01.numel") == Progress(points=2)


def test_a_folder_that_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path / "file" / "deeper"))
    with pytest.raises(NotSaved, match="cannot be"):
        progress.save("01.numel", Progress())
