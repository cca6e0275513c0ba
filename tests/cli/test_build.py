"""The built site is whole and current, or it is the one from before."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import tensorlab
from tensorlab.cli.support import build as module
from tensorlab.cli.support.build import (
    Stage,
    build,
    first_page,
    inputs_digest,
    is_current,
    put_in_place,
    reasons,
    site_of,
)
from tensorlab.cli.support.errors import CommandError
from tensorlab.cli.support.project import require


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=200)


def said(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_builds_once_then_again_when_a_page_changed_and_keeps_the_site_when_that_fails(project, console):
    page = site_of(project) / "book" / "one.html"
    assert build(project, console)
    assert "first words" in page.read_text()
    assert "reading book/one" in said(console)

    assert not build(project, console)

    (project / "book" / "one.md").write_text("# One\n\nsecond words\n")
    assert build(project, console)
    assert "second words" in page.read_text()

    (project / "book" / "one.md").write_text("# One\n\n[nowhere](missing.md)\n")
    with pytest.raises(CommandError, match=r"(?s)does not build:.*one\.md.*WARNING.*missing\.md") as error:
        build(project, console)
    assert error.value.exit_code == 1
    assert "second words" in page.read_text()
    assert (project / "_build" / "book.log").exists()

    assert not is_current(project, inputs_digest(project))


def test_ctrl_c_leaves_the_old_site_and_says_how_to_go_on(project, console, monkeypatch):
    site_of(project).mkdir(parents=True)
    (site_of(project) / "old").touch()

    def interrupted(root: Path, work: Path, stage: Stage) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_jupyter_book", interrupted)
    with pytest.raises(CommandError, match="stopped; the site is as it was before") as error:
        build(project, console)
    assert error.value.exit_code == 130
    assert (site_of(project) / "old").exists()


def test_the_digest_follows_every_input(project):
    digests = {inputs_digest(project)}
    for name in (
        "book/one.md",
        "tensorlab/a.py",
        "_config.yml",
        "_toc.yml",
        "exercises/new.ipynb",
        "requirements.txt",
    ):
        path = project / name
        path.write_text((path.read_text() if path.exists() else "") + "\n# more\n")
        digests.add(inputs_digest(project))
    (project / "book" / "one.md").rename(project / "book" / "two.md")
    digests.add(inputs_digest(project))
    assert len(digests) == 8


def test_the_digest_is_blind_to_what_python_leaves_behind(project):
    before = inputs_digest(project)
    for name in (
        "tensorlab/__pycache__/a.pyc",
        "book/.ipynb_checkpoints/one.ipynb",
        "_build/x",
        "tests/x.py",
    ):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("x")
    assert inputs_digest(project) == before


def test_a_site_that_cannot_be_moved_in_leaves_the_old_one(tmp_path, monkeypatch):
    old, new = tmp_path / "html", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    rename = Path.rename

    def held(path: Path, target: Path) -> Path:
        if path == new:
            raise PermissionError(13, "in use")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", held)
    with pytest.raises(CommandError, match=r"in use\); close the programs"):
        put_in_place(new, old)
    assert (old / "name").read_text() == "html"


def test_a_folder_that_cannot_be_written(project, console):
    (project / "_build").write_text("in the way")
    with pytest.raises(CommandError, match="cannot be written") as error:
        build(project, console)
    assert error.value.exit_code == 3


def test_the_first_page_is_the_first_chapter(project):
    assert first_page(project) == "book/one.html"
    (project / "_toc.yml").write_text(
        "root: book/index\nparts:\n  - caption: I\n    chapters:\n"
        "      - url: https://example.org\n      - file: book/a\n"
    )
    assert first_page(project) == "book/a.html"
    (project / "_toc.yml").write_text("root: book/index\n")
    assert first_page(project) == "book/index.html"


def test_a_failed_cell_is_shown_without_the_way_it_took():
    log = [
        "reading sources... [ 25%] book/chapters/01",
        "/x/01.ipynb: WARNING: Executing notebook failed: CellExecutionError [mystnb.exec]",
        "Traceback (most recent call last):",
        '  File "nbclient/client.py", line 918',
        "nbclient.exceptions.CellExecutionError: An error occurred while executing the following cell:",
        "------------------",
        "x.view(5)",
        "RuntimeError: cannot view",
        "",
        "The above exception was the direct cause of the following exception:",
        "Traceback (most recent call last):",
        '  File "sphinx/application.py", line 378',
    ]
    shown = reasons(log)
    assert "01.ipynb: WARNING" in shown
    assert "x.view(5)\nRuntimeError: cannot view" in shown
    assert "sphinx/application.py" not in shown
    assert "client.py" not in shown


def test_without_a_warning_what_was_raised_is_shown():
    log = [
        "reading sources... [ 3%] book/a",
        "Traceback (most recent call last):",
        "  File x, line 3, in <module>",
    ]
    log += ["ModuleNotFoundError: No module named 'numba'", "RuntimeError: ", "=====", "There was an error."]
    assert reasons(log) == "ModuleNotFoundError: No module named 'numba'"


def test_without_a_warning_the_end_of_the_log_is_shown():
    assert reasons([str(n) for n in range(100)]).splitlines()[-1] == "99"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("reading sources... [ 25%] book/chapters/01_line", "reading book/chapters/01_line (25 %)"),
        (
            "/x/book/chapters/01_line.ipynb: Executing notebook using local CWD",
            "running the cells of book/chapters/01_line",
        ),
        ("writing output... [100%] book/index", "writing book/index (100 %)"),
        ("copying static files... done", ""),
    ],
)
def test_progress_names_the_page(console, line, shown):
    Stage(console).read(line)
    assert said(console).strip() == shown


def test_only_one_build_at_a_time(project):
    lock = project / "_build" / "book.lock"
    lock.parent.mkdir()
    with lock.open("a+") as held:
        assert module.take_lock(held)
        code = (
            "import sys; from tensorlab.bootstrap import take_lock; "
            "sys.exit(0 if take_lock(open(sys.argv[1], 'a+')) else 7)"
        )
        assert subprocess.run([sys.executable, "-c", code, str(lock)], check=False).returncode == 7


@pytest.mark.parametrize(
    ("prefix", "says"),
    [
        (".venv", r"delete the folder \S+\.venv and run `python3 book` again"),
        ("", "which installs it into .venv"),
    ],
)
def test_a_package_that_is_missing_has_a_way_out(monkeypatch, prefix, says):
    """Where `python3 book` has installed everything once, to run it again would say the same again."""
    root = Path(tensorlab.__file__).parent.parent
    monkeypatch.setattr(sys, "prefix", str(root / prefix))
    with pytest.raises(CommandError, match=says):
        require("no_such_package", "builds the book")
