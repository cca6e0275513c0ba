"""The pool: rows of many processes, none lost and none twice, whoever is killed."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing

import pytest

from tensorlab.grading.boxes.guard import descendants, guarded
from tensorlab.grading.grader import without_run
from tensorlab.grading.pool import MOST_DEATHS, Task, grade_all
from tensorlab.grading.suites import exercises

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="its graders cannot be sent to a new process")

EXERCISES = exercises("01")
IDS = tuple(exercise.id for exercise in EXERCISES)


class Quick:
    """A grader without boxes: a notebook says in Python what happens before each row."""

    exercises = EXERCISES
    level = "none"

    def rows(self, raw, student, asked):
        for exercise in asked:
            exec(raw, {"question": exercise.id})
            yield without_run(exercise, student, "none", "right", exercise.points, "", "")


def tasks(*sources, count=8):
    sources = sources or [b"import time; time.sleep(0.005)"] * count
    return [Task(f"student {n}", source, "", IDS) for n, source in enumerate(sources)]


EVERYTHING = {(f"student {n}", question): 1 for n in range(8) for question in IDS}


def counted(rows):
    return Counter((row.student, row.question) for row in rows)


@pytest.mark.parametrize("jobs", [1, 3, 20])
def test_every_row_comes_once(jobs):
    rows = list(grade_all(Quick, tasks(), jobs))
    assert counted(rows) == EVERYTHING
    assert {row.points for row in rows} == {exercise.points for exercise in EXERCISES}


def test_no_more_processes_than_asked_for_and_none_at_the_end():
    before = set(descendants(os.getpid()))
    with closing(grade_all(Quick, tasks(), 3)) as rows:
        next(rows)
        assert len(set(descendants(os.getpid())) - before) == 3
    assert set(descendants(os.getpid())) <= before


@pytest.mark.parametrize("seed", range(3))
def test_processes_killed_at_any_moment(seed):
    moments, killed, rows = random.Random(seed), 0, []
    for row in grade_all(Quick, tasks(), 3):
        rows.append(row)
        if moments.random() < 0.2 and killed < 2 * MOST_DEATHS:
            time.sleep(moments.random() / 100)
            for process in multiprocessing.active_children()[:1]:  # all may have ended by now
                process.kill()
                killed += 1
    assert killed > 2
    assert counted(rows) == EVERYTHING


def test_a_notebook_that_always_kills_its_process_costs_itself():
    kill = b"import os, signal\nif question == '01.flat_index': os.kill(os.getpid(), signal.SIGKILL)"
    rows = list(grade_all(Quick, tasks(b"", kill, b""), 2))
    assert sorted((row.student, row.question) for row in rows) == sorted(
        (f"student {n}", question) for n in range(3) for question in IDS
    )
    lost = {row.question: row.status for row in rows if row.points is None}
    assert lost == dict.fromkeys(IDS[2:], "machine")
    assert {row.student for row in rows if row.points is None} == {"student 1"}


def test_what_a_notebook_leaves_behind_is_ended():
    leave = b"""
import os, time
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    os._exit(0)
"""
    before = set(descendants(os.getpid()))
    with guarded():
        assert len(list(grade_all(Quick, tasks(leave, leave), 2))) == 2 * len(IDS)
        assert set(descendants(os.getpid())) <= before


def test_nobody_looks_into_the_grader_and_nothing_outlives_it():
    def asked(option):
        found = ctypes.c_int()
        returned = ctypes.CDLL(None).prctl(option, ctypes.byref(found), 0, 0, 0)
        return found.value or returned

    dumpable, subreaper = 3, 37  # PR_GET_…
    assert (asked(dumpable), asked(subreaper)) == (1, 0)
    with guarded():
        assert (asked(dumpable), asked(subreaper)) == (0, 1)
        orphan = "sleep 60 >/dev/null & echo $!"
        left = int(subprocess.run(["sh", "-c", orphan], stdout=subprocess.PIPE, check=True).stdout)
        assert left in set(descendants(os.getpid()))
    assert left not in set(descendants(os.getpid()))
    assert (asked(dumpable), asked(subreaper)) == (1, 0)
