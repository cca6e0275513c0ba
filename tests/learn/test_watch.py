"""`tensorlab watch`: a save is seen, an answer comes, and nothing that a student writes stops it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import pytest

from tensorlab.grading.boxes import BoxError
from tensorlab.grading.grader import Grader, Judged, Row
from tensorlab.grading.notebook import Notebook, UnreadableNotebook
from tensorlab.grading.session import Limits
from tensorlab.grading.suites import exercises
from tensorlab.learn.watch import rounds
from tensorlab.learn.watch.files import PATIENCE, STILL, Watched
from tensorlab.learn.watch.keys import Keys
from tensorlab.learn.watch.loop import Loop
from tensorlab.learn.watch.rounds import Answer, Finished, Round, SpareBoxes, warm_boxes
from tensorlab.learn.watch.screen import answer_card
from tensorlab.learn.watch.versions import Versions
from tests.signals import heed_ctrl_c

ROOT = Path(__file__).parents[2]
NAME = "03_views_without_copying.ipynb"
CELL = "03-sliced-answer"
RIGHT = """def sliced(size, stride, bounds):
    start, stop, step = bounds.indices(size)
    if step < 1:
        raise ValueError("step must be greater than zero")
    return max(0, -(-(stop - start) // step)), stride * step, start * stride
"""
WRONG = RIGHT.replace("start * stride", "0")
ENDLESS = "def sliced(size, stride, bounds):\n    while True:\n        pass\n"
SECONDS = 60  # that a result may take before a test gives up, on a machine with other work


@pytest.fixture
def notebook(tmp_path):
    """A released notebook to work in."""
    return Path(shutil.copy(ROOT / "exercises" / NAME, tmp_path))


def write(notebook: Path, source: str, cell: str = CELL) -> None:
    """Save as editors do: to another file, which takes the old one's place."""
    content = json.loads(notebook.read_text("utf-8"))
    next(each for each in content["cells"] if each["id"] == cell)["source"] = source
    new = notebook.with_suffix(".tmp")
    new.write_text(json.dumps(content), "utf-8")
    new.replace(notebook)


class TestWatched:
    @pytest.fixture
    def now(self):
        """A clock that moves when it is told to."""
        return [0.0]

    @pytest.fixture
    def file(self, notebook, now):
        watched = Watched(notebook, now=lambda: now[0])
        assert isinstance(self.later(watched, now), tuple)
        return watched

    def later(self, watched, now, seconds=2 * STILL):
        """What is new after a while, for a program that looks often."""
        watched.news()
        now[0] += seconds
        return watched.news()

    def test_it_is_quiet_without_a_save(self, file, now):
        assert self.later(file, now) is None

    def test_a_save_is_seen_once_with_its_age(self, file, notebook, now):
        write(notebook, RIGHT)
        found, seconds = self.later(file, now)
        assert isinstance(found, Notebook)
        assert seconds == pytest.approx(2 * STILL)
        assert self.later(file, now) is None

    def test_a_save_of_the_same_is_none(self, file, notebook, now):
        os.utime(notebook, (1, 1))
        assert self.later(file, now) is None

    def test_a_file_that_is_still_being_written_is_left_alone(self, file, notebook, now):
        whole = notebook.read_text("utf-8").replace("sliced", "slic")
        notebook.write_text(whole[:1000], "utf-8")
        assert self.later(file, now) is None
        notebook.write_text(whole, "utf-8")
        assert isinstance(self.later(file, now), tuple)

    def test_a_file_that_stays_broken_is_named_once_and_seen_when_it_is_whole(self, file, notebook, now):
        whole = notebook.read_text("utf-8")
        notebook.write_text(whole[:1000], "utf-8")
        assert self.later(file, now) is None
        assert isinstance(self.later(file, now, PATIENCE), UnreadableNotebook)
        assert self.later(file, now, PATIENCE) is None
        notebook.write_text(whole, "utf-8")
        assert isinstance(self.later(file, now), tuple), "even if it is the text from before"

    def test_a_file_that_is_gone_may_come_back(self, file, notebook, now):
        away = notebook.rename(notebook.with_suffix(".away"))
        assert self.later(file, now) is None
        assert isinstance(self.later(file, now, PATIENCE), UnreadableNotebook)
        away.rename(notebook)
        assert isinstance(self.later(file, now), tuple)


class TestRounds:
    @pytest.fixture
    def boxes(self):
        boxes = warm_boxes(exercises("03"))
        yield boxes
        boxes.close()

    def finish(self, round_: Round) -> Finished:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if (finished := round_.finished()) is not None:
                return finished
            time.sleep(0.01)
        raise AssertionError("the round does not end")

    def read(self, notebook):
        found = None
        watched = Watched(notebook)
        while not isinstance(found, tuple):
            found = watched.news()
        return found[0]

    def test_what_came_of_each_question(self, notebook, boxes):
        write(notebook, RIGHT)
        finished = self.finish(Round(exercises("03"), self.read(notebook), boxes))
        assert [answer.is_right for answer in finished.answers] == [True, False, False, False, False]
        assert finished.answers[0].source == RIGHT
        assert {answer.judged.row.status for answer in finished.answers[1:]} == {"unanswered"}

    def test_what_is_printed_on_the_way(self, notebook, boxes):
        """By a cell, by an answer that is wrong, by one that returns nothing, and by one that never ends."""
        write(
            notebook,
            WRONG.replace("    start,", "    print(size, bounds)\n    start,", 1) + "print('a\\x1b[31mb')",
        )
        write(notebook, "def permuted(*given):\n    print(given)\n    while True: pass", "03-permuted-answer")
        write(
            notebook,
            "def squeezed(*given):\n    print(given)\n    import os; os._exit(3)",
            "03-squeezed-answer",
        )
        write(notebook, "def diagonal(input, *more):\n    print(input)", "03-diagonal-answer")
        write(notebook, "for i in range(10**4): print(i)\nprint('x' * 10**6)", "03-setitem-answer")
        finished = self.finish(Round(exercises("03"), self.read(notebook), boxes))
        sliced, permuted, squeezed, diagonal, setitem = map(answer_card, finished.answers)
        call, printed = (
            next(line.text for line in sliced.lines if line.label == what) for what in ("Call", "Printed")
        )
        bounds = "slice(2, 5, None)"
        assert (call, printed) == (f"sliced(5, 1, {bounds})", f"5 {bounds}")
        assert "Printed  ((2, 3), (3, 1), (0, 1))" in permuted.text()
        assert "ended the Python process" in squeezed.headline
        assert "Printed  ((" in squeezed.text()
        assert "prints and returns nothing" in diagonal.headline
        assert "Printed  tensor([[0., 1.]," in diagonal.text()
        assert "Printed" not in setitem.text()
        (first, said), (_, much) = finished.printed
        assert (first, said) == (4, "a\\x1b[31mb"), "nothing that steers a terminal"
        assert much.endswith("11 …"), "twelve lines"

    def test_nothing_is_kept_of_what_is_printed_for_a_grader(self, notebook):
        write(notebook, "def sliced(*given):\n    print(given)\nprint('x')")
        grader = Grader(exercises("03")[:1])
        session = grader.session(self.read(notebook))
        with contextlib.closing(session):
            assert [judged.row.points for judged in grader.judged(self.read(notebook), session, "")] == [0]
        assert session.heard == []
        assert {report.printed for report in session.reports.values()} == {""}

    def test_an_endless_answer_costs_only_itself(self, notebook, boxes):
        write(notebook, ENDLESS)
        write(
            notebook, "def permuted(shape, strides, order):\n    import os; os._exit(3)", "03-permuted-answer"
        )
        finished = self.finish(Round(exercises("03"), self.read(notebook), boxes))
        assert [answer.judged.row.status for answer in finished.answers[:3]] == [
            "timeout",
            "died",
            "unanswered",
        ]

    def test_a_round_that_is_given_up_ends_and_takes_no_second_box(self, notebook, boxes, monkeypatch):
        """It waits for none of its limits: they are longer here than any test takes."""
        monkeypatch.setattr(rounds, "LIMITS", Limits(3600, 3600, 3600))
        opened = []
        take, boxes.open = boxes.open, lambda: opened.append(1) or take()
        write(notebook, ENDLESS)
        running = Round(exercises("03"), self.read(notebook), boxes)
        while not opened:
            time.sleep(0.01)
        time.sleep(0.3)
        running.give_up()
        assert running.finished() is None
        assert len(opened) == 1

    def test_a_machine_that_starts_no_box_gives_no_points_and_is_named(self, notebook):
        def fails():
            raise BoxError("no room")

        boxes = SpareBoxes(fails)
        finished = self.finish(Round(exercises("03"), self.read(notebook), boxes))
        assert {answer.judged.row.status for answer in finished.answers} == {"machine"}
        boxes.close()


class TestFocus:
    """Which exercise is looked at after a save."""

    @pytest.fixture
    def loop(self, notebook, home):
        screen = types.SimpleNamespace(round=lambda *_: None, line=lambda _: None)
        return Loop(notebook, exercises("03"), screen, keys=None)

    def focus_after(self, loop, results):
        """The exercise in focus when these come: sources and statuses; what is left out is not written."""
        answers = []
        for exercise in exercises("03"):
            source, status = results.get(exercise.id, ("", "unanswered"))
            points = exercise.points if status == "right" else 0
            row = Row("", exercise.id, "", points, exercise.points, status, "", "none", "", 0.0)
            answers.append(Answer(exercise, Judged(row), source))
        loop._take(Finished(tuple(answers), 0.0, ""))
        return loop._focus

    def test_it_is_the_one_that_was_written(self, loop):
        assert self.focus_after(loop, {}) == "03.sliced"
        assert self.focus_after(loop, {"03.permuted": ("a", "wrong")}) == "03.permuted"
        both = {"03.permuted": ("b", "right"), "03.sliced": ("c", "wrong")}
        assert self.focus_after(loop, both) == "03.sliced", "the wrong one of two"

    def test_it_is_not_one_that_only_runs_again(self, loop):
        """The answer above was more than this machine could do, so that those below it had no turn."""
        self.focus_after(loop, {})
        results = {exercise.id: ("", "machine") for exercise in exercises("03")}
        assert self.focus_after(loop, {**results, "03.sliced": ("a", "died")}) == "03.sliced"
        assert self.focus_after(loop, {"03.sliced": ("b", "right")}) == "03.sliced"

    def test_a_cell_that_answers_share_changes_the_result_of_another(self, loop):
        self.focus_after(loop, {"03.permuted": ("a", "right")})
        assert self.focus_after(loop, {"03.permuted": ("a", "wrong")}) == "03.permuted"


class TestVersions:
    def test_the_best_one_is_what_a_worse_one_is_compared_with(self):
        version = Versions().of("03.sliced")
        assert version.difference() == ("the save before", [])
        assert version.take("a\nb", 7)
        assert not version.take("a\nb", 7)
        assert version.take("a\nc", 2)
        against, lines = version.difference()
        assert against == "your version with 7 points"
        assert [line for line in lines if line[0] in "+-"] == ["-b", "+c"]
        version.take("a\nd", 7)
        assert version.difference()[0] == "the save before"

    def test_they_outlive_the_program(self, home):
        versions = Versions()
        versions.of("03.sliced").take("a", 1)
        versions.save()
        assert Versions().of("03.sliced").best == "a"

    @pytest.mark.parametrize("content", ["", "{", "[]", '{"answers": {"03.sliced": {"now": 3}}}'])
    def test_a_damaged_file_costs_differences_only(self, home, content):
        home.mkdir()
        (home / "answers.json").write_text(content)
        assert Versions().of("03.sliced").points == -1


class TestKeysOnWindows:
    """With a module in the place of Windows' own: what it answers is what Windows' documentation says."""

    @pytest.fixture
    def press(self, monkeypatch):
        """``press("h")`` gives what `Keys` makes of what the keyboard sends."""
        sent = []
        console = types.SimpleNamespace(kbhit=lambda: bool(sent), getwch=lambda: sent.pop(0))
        monkeypatch.setitem(sys.modules, "msvcrt", console)
        monkeypatch.setattr("sys.platform", "win32")
        monkeypatch.setattr("sys.stdin", types.SimpleNamespace(isatty=lambda: True))

        def press(*characters):
            sent[:] = characters
            with Keys() as keys:
                assert keys.exist
                return [keys.pressed(0.02) for _ in range(2)], sent

        return press

    def test_letters(self, press):
        assert press("h", "Q") == (["h", "q"], [])

    def test_none(self, press):
        assert press() == (["", ""], [])

    @pytest.mark.parametrize("mark", ["\0", "\xe0"])
    def test_the_arrow_up_is_no_h(self, press, mark):
        assert press(mark, "H", "n") == (["", "n"], [])

    def test_an_a_with_a_grave_waits_for_nothing(self, press):
        assert press("\xe0") == (["\xe0", ""], [])


class Terminal:
    """`tensorlab watch` in a terminal of its own."""

    def __init__(self, notebook: Path, columns: str = "80") -> None:
        import pty

        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            heed_ctrl_c()
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": columns}
            environment["TMPDIR"] = str(notebook.parent)
            os.execve(
                sys.executable, [sys.executable, "-m", "tensorlab", "watch", str(notebook)], environment
            )

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def until(self, text: str) -> str:
        """What is shown until `text` is, without colours."""
        shown, end = "", time.monotonic() + SECONDS
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    shown += os.read(self.fd, 65_536).decode()
                except OSError:
                    break
                plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "")
                if text in plain:
                    return plain
        raise AssertionError(f"{text!r} is not shown:\n{shown}")

    def end(self) -> int:
        """The exit code."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    if os.read(self.fd, 65_536):
                        continue
                except OSError:
                    pass  # Linux says so when the other side is closed
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError("it does not end")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals for Python")
class TestInATerminal:
    LAST = "q quit"

    def test_a_session(self, notebook, home):
        """Save, fail, take hints, compare, solve, go on, quit: as a student would."""
        terminal = Terminal(notebook)
        assert "Not written yet" in terminal.until(self.LAST)
        write(notebook, WRONG)
        shown = terminal.until(self.LAST)
        assert "Not yet: 0 of 7 points." in shown
        assert "A slice is a shorter dimension" in shown
        assert max(map(len, shown.splitlines())) <= 80
        terminal.press("h")
        assert "Hint 1 of 5." in terminal.until(self.LAST)
        terminal.press("h")
        assert "Hint 2 of 5." in terminal.until(self.LAST)
        write(notebook, RIGHT)
        assert "All public cases pass" in terminal.until(self.LAST)
        terminal.press("h")
        assert "Hint 2 of 5." in terminal.until(self.LAST), "the first press opens nothing new"
        terminal.press("l")
        assert "> [x]  03.sliced" in terminal.until(self.LAST).replace("\u00a0", " ")
        terminal.press("\x1b[H")  # the key Home, which is no h
        write(notebook, WRONG)
        assert "Not yet" in terminal.until(self.LAST)
        terminal.press("d")
        shown = terminal.until(self.LAST)
        assert "- is your version with 7 points." in shown
        assert "+    return max(0, -(-(stop - start) // step)), stride * step, 0" in shown
        write(notebook, RIGHT + "print('seen', sliced(9, 1, slice(2, 8)))")
        assert "Cell 4  seen (6, 1, 2)" in terminal.until(self.LAST)
        terminal.press("n")
        assert "03.permuted · Dimensions in another order" in terminal.until(self.LAST)
        terminal.press("q")
        assert terminal.end() == 0
        kept = json.loads((home / "progress.json").read_text("utf-8"))["exercises"]["03.sliced"]
        assert kept == {"points": 7, "checks": 4, "hints": 2, "assisted": False}

    def test_what_students_write_does_not_stop_it(self, notebook):
        terminal = Terminal(notebook)
        terminal.until(self.LAST)
        for source, says in (
            ("def sliced(size, stride, bounds)\n    return", "SyntaxError"),
            (ENDLESS, "did not come to an end"),
            ("raise SystemExit", "SystemExit"),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "it ended the process"),
            ("def sliced(*a):\n    return 'x' * 10**9", "sliced"),
            (RIGHT, "All public cases pass"),
        ):
            write(notebook, source)
            assert says in terminal.until(self.LAST)
        terminal.press("q")
        assert terminal.end() == 0

    def test_a_newer_save_does_not_wait_for_an_endless_one(self, notebook):
        terminal = Terminal(notebook)
        terminal.until(self.LAST)
        write(notebook, ENDLESS)
        terminal.until("Trying your answers")
        write(notebook, RIGHT)
        assert "did not come to an end" not in terminal.until("All public cases pass")
        terminal.press("q")
        assert terminal.end() == 0

    def test_a_broken_file_is_waited_for(self, notebook):
        terminal = Terminal(notebook)
        terminal.until(self.LAST)
        whole = notebook.read_text("utf-8")
        notebook.write_text(whole[:500], "utf-8")
        assert "Waiting: the file is not JSON" in terminal.until(self.LAST)
        notebook.write_text(whole, "utf-8")
        terminal.until("Not written yet")
        terminal.press("q")
        assert terminal.end() == 0

    def test_ctrl_c_ends_it_and_all_its_processes(self, notebook):
        terminal = Terminal(notebook)
        terminal.until(self.LAST)
        write(notebook, ENDLESS)
        terminal.until("Trying your answers")
        terminal.press("\x03")
        assert terminal.end() == 130
        assert list(notebook.parent.glob("tensorlab-box-*")) == []
        assert _at_work_in(notebook.parent) == []


def _at_work_in(folder: Path) -> list[str]:
    """Processes whose working folder is in `folder`, where the system tells."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):  # it has ended meanwhile, or is somebody else's
            if str(link.readlink()).startswith(str(folder)):
                found.append(link.parent.name)
    return found


class TestWithoutATerminal:
    def start(self, *arguments):
        return subprocess.Popen(
            [sys.executable, "-u", "-m", "tensorlab", "watch", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            preexec_fn=heed_ctrl_c if os.name == "posix" else None,
        )

    def test_a_line_for_each_save(self, notebook):
        with self.start(notebook) as process:
            watchdog = threading.Timer(SECONDS, process.kill)
            watchdog.start()
            lines = iter(process.stdout)
            assert next(line for line in lines if "0 of 37 points, 0 of 5 exercises" in line)
            write(notebook, WRONG.replace("    start,", "    print(bounds)\n    start,", 1) + "print('seen')")
            assert next(line for line in lines if line.startswith("  03.sliced: 0 of 7. Lost: "))
            assert next(lines) == "    Call     sliced(5, 1, slice(2, 5, None))\n"
            assert next(lines) == "    Printed  slice(2, 5, None)\n"
            assert next(lines) == "  Cell 4  seen\n"
            write(notebook, RIGHT)
            assert next(line for line in lines if "7 of 37 points, 1 of 5 exercises" in line)
            assert next(lines) == "  03.sliced: 7 of 7. All cases pass.\n"
            process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            errors = process.stderr.read()
            watchdog.cancel()
        assert "Traceback" not in errors
        assert process.returncode in (130, 1)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["nowhere.ipynb", "--chapter", "03"], "is not there"),
            (["nowhere.ipynb"], "is not there"),
            ([__file__], "say so with --chapter"),
            ([__file__, "--chapter", "99"], "chapter 99 has no exercises"),
        ],
    )
    def test_bad_input(self, arguments, says):
        with self.start(*arguments) as process:
            _, errors = process.communicate(timeout=SECONDS)
        assert process.returncode == 2
        assert says in errors
        assert "Traceback" not in errors
