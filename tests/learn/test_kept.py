"""Adopted parts outlive a restart: what is written down, what is run again, and what is not."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.grading.suites import exercise, exercises
from tensorlab.learn import adopt, kept, parts, status
from tensorlab.learn.written import NotWritable, as_file
from tests.learn.reference_solutions import SOLUTIONS

pytestmark = pytest.mark.usefixtures("library_as_it_was")

ROOT = Path(__file__).parents[2]
NUMEL = exercise("01.numel")
ONE = 1
TABLE = tl.ones(2)
product = math.prod


class Counter:
    """A helper of a student's that is a class."""

    def count(self, shape):
        return helper(shape) if shape else ONE


def helper(shape):
    return math.prod(shape[1:]) * shape[0]


@cache
def remembers(shape):
    return product(shape)


def numel_by_hand(shape: tuple[int, ...]) -> int:
    return Counter().count(shape) if shape else remembers(tuple(shape)) * ONE


def uses_a_tensor(shape):
    return math.prod(shape) if TABLE is not None else 0


def run_file(text: str, name: str = "numel"):
    """What a file of its own defines."""
    names: dict = {"__name__": "elsewhere"}
    exec(compile(text, "file", "exec"), names)
    return names[name]


class TestAsAFile:
    def test_all_that_it_needs_comes_along(self):
        text = as_file("numel", numel_by_hand)
        assert run_file(text)((2, 3, 4)) == 24
        assert text.startswith("from functools import cache\nfrom math import prod as product\n")
        assert text.count("ONE = 1\n") == text.count("def helper") == text.count("class Counter") == 1
        assert text.endswith("numel = numel_by_hand\n")

    def test_local_names_are_not_mistaken_for_those_outside(self):
        """A tensor of the same name would be refused."""
        assert as_file("local_names", local_names).startswith("ONE = 1\n")

    @pytest.mark.parametrize(
        ("function", "says"),
        [
            (uses_a_tensor, "it uses TABLE, which is of type Tensor"),
            (lambda shape: 1, "<lambda> is not defined by a def of that name"),
            # A name for the file, since Python 3.13 keeps the text of `python -c` for the usual "<string>".
            (eval(compile("lambda shape: 1", "<nowhere>", "eval")), "the text of <lambda> is not known here"),
            (math.prod, "the text of prod is not known here"),
            (Counter(), "the text of Counter is not known here"),
        ],
    )
    def test_what_cannot_be_written_down(self, function, says):
        with pytest.raises(NotWritable, match=says):
            as_file("numel", function)

    def test_a_function_with_variables_of_another_one(self):
        calls = []

        def numel(shape):
            calls.append(shape)
            return math.prod(shape)

        with pytest.raises(NotWritable, match="made inside another function"):
            as_file("numel", numel)

    @pytest.mark.parametrize("asked", exercises(), ids=lambda asked: asked.id)
    def test_every_reference_solution(self, asked, tmp_path):
        """As they stand in solutions/, in a file whose text is known."""
        import json

        (notebook,) = SOLUTIONS.glob(f"{asked.chapter}_*.ipynb")
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        source = "\n".join(
            "".join(cell["source"]) for cell in cells if cell["id"] in ("setup", asked.answer_cell)
        )
        path = tmp_path / "notebook.py"
        path.write_text(source, "utf-8")
        names: dict = {"__name__": "notebook"}
        exec(compile(source, str(path), "exec"), names)
        function = run_file(as_file(asked.name, names[asked.name]), asked.name)
        card = adopt(asked.id, function)
        assert card.mood == "good", card


def local_names(TABLE):
    return [ONE for product in TABLE].TABLE


class TestKept:
    def test_a_part_comes_back_after_a_restart(self, home):
        card = adopt("01.numel", numel_by_hand)
        path = home / "mytensorlab" / "ch01_numel.py"
        assert f"Kept         in {path}" in card.text(200)
        program = (
            "import tensorlab as tl; from tensorlab.learn import parts; print(parts.adopted()); "
            "card = tl.adopt(); print(card.text()); print(tl.zeros(2, 3).numel(), list(parts.adopted()))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("{}\n"), "nothing is adopted that nobody asked for"
        assert "1 of 1 kept parts are in use again." in done.stdout
        assert "  [x] 01.numel: The library now uses your numel.\n" in done.stdout
        assert done.stdout.endswith("6 ['01.numel']\n")

    def test_it_goes_through_the_gate_again(self):
        adopt("01.numel", numel_by_hand)
        adopt(None)
        path = kept.file_of(NUMEL)
        path.write_text(path.read_text("utf-8") + "\ndef numel(shape):\n    return sum(shape)\n", "utf-8")
        assert "1 part is kept from before and not in use: tl.adopt()" in status().text()
        card = adopt()
        assert "0 of 1" in card.headline
        assert "it does not pass its cases" in card.text()
        assert layout.numel((2, 3)) == 6
        assert parts.adopted() == {}

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("def numel(shape)", "cannot be run (SyntaxError"),
            ("1 / 0", "cannot be run (ZeroDivisionError: division by zero)"),
            ("raise SystemExit", "cannot be run (SystemExit"),
            ("x = 1", "defines no function numel"),
            ("while True: pass", "did not come to an end in time"),
            (b"\xff", "cannot be run (SyntaxError"),
        ],
    )
    def test_a_file_that_is_no_part(self, text, says, monkeypatch):
        monkeypatch.setattr(kept, "PATIENCE", 0.2)
        path = kept.file_of(NUMEL)
        path.parent.mkdir(parents=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert says in adopt().text(400)
        assert layout.numel((2, 3)) == 6

    def test_what_is_in_use_stays_and_nothing_is_run_for_it(self):
        adopt("01.numel", numel_by_hand)
        kept.file_of(NUMEL).write_text("1 / 0", "utf-8")
        assert adopt().headline.startswith("Every part that is kept is in use.")
        assert parts.adopted() == {"01.numel": numel_by_hand}

    def test_nothing_is_kept_yet(self):
        assert adopt().headline.startswith("No part is kept yet.")

    def test_a_part_that_cannot_be_kept_is_used_all_the_same(self):
        card = adopt("01.numel", uses_a_tensor)
        assert card.mood == "good"
        assert "until this Python ends, since it uses TABLE" in card.text(200)
        assert kept.kept() == []

    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_a_folder_that_is_in_the_way(self, home):
        home.mkdir()
        (home / "mytensorlab").write_text("")
        card = adopt("01.numel", numel_by_hand)
        assert card.mood == "good"
        assert "mytensorlab cannot be written" in card.text(400)

    def test_the_last_one_adopted_is_the_one_that_is_kept(self):
        adopt("01.numel", remembers.__wrapped__)
        adopt("01.numel", numel_by_hand)
        assert "def numel_by_hand" in kept.file_of(NUMEL).read_text("utf-8")
        assert [path.name for path in kept.file_of(NUMEL).parent.iterdir()] == ["ch01_numel.py"]
