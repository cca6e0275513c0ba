"""What a request is charged: the work of the box's process, and a part of its waiting."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tensorlab.grading.boxes.meter import LONGEST, LOOK, PATIENCE, Meter, Processor

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Machine:
    """A clock and a process on it, which both go on when they are told."""

    def __init__(self, told=True):
        self.now, self.worked, self.told = 100.0, 7.0, told
        self.meter = Meter(lambda everyone: self.worked if self.told else None, lambda: self.now)
        self.meter.begin()

    def passes(self, seconds, share, every=LOOK):
        """Time in which the process works for a share of it, looked at again and again."""
        for _ in range(round(seconds / every)):
            self.now += every
            self.worked += share * every
            self.meter.look()
        return self.meter.charged


@pytest.mark.parametrize(
    ("share", "charged"),
    [
        (1.0, 4.0),  # a loop that has a core to itself
        (0.5, 2.0),  # the same where two share a core
        (1 / PATIENCE, 4.0 / PATIENCE),
        (0.0, 4.0 / PATIENCE),  # one that sleeps
        (8.0, 4.0),  # eight processes
    ],
)
def test_work_is_charged_and_some_of_the_waiting(share, charged):
    assert Machine().passes(4.0, share) == pytest.approx(charged)


def test_a_busy_machine_does_not_end_an_answer_that_has_little_to_do():
    """A tenth of a second of work, for which it waits fifteen seconds, within a limit of four."""
    assert Machine().passes(15.0, 0.1 / 15) < 4.0


def test_where_the_system_does_not_tell_all_time_is_charged():
    assert Machine(told=False).passes(4.0, 0.0) == pytest.approx(4.0)


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("told", [True, False])
def test_a_machine_that_stands_still_charges_next_to_nothing(share, told):
    """Nor does it where the stolen time is told as work of the process."""
    assert Machine(told).passes(3600.0, share, every=3600.0) <= LONGEST


def test_between_two_looks_nothing_is_charged_and_at_the_end_the_rest():
    machine = Machine()
    assert machine.passes(LOOK / 2, 1.0, every=LOOK / 4) == 0.0
    machine.meter.end()
    assert machine.meter.charged == pytest.approx(LOOK / 2)


def test_what_happens_between_requests_is_not_charged():
    machine = Machine()
    machine.now += 9.0
    machine.worked += 9.0
    machine.meter.begin()
    machine.meter.end()
    assert machine.meter.charged == 0.0


WORK = "sum(range(40_000_000))"  # half a second or more
SOURCES = {
    "itself": WORK,
    "a thread": f"import threading; t = threading.Thread(target=lambda: {WORK}); t.start(); t.join()",
    "a child": f"import os\nif os.fork() == 0: {WORK}; os._exit(0)\nos.wait()",
    "a child that nobody waits for": f"import os\nif os.fork() == 0: {WORK}",
    "a child's child": f"import os\nif os.fork() == 0:\n    if os.fork() == 0: {WORK}\n    os._exit(0)",
}


def until(processor, seconds):
    """The processor time, once it has reached so many seconds."""
    end = time.monotonic() + 60
    while (worked := processor(True)) < seconds:
        assert time.monotonic() < end
        time.sleep(0.02)
    return worked


@linux_only
@pytest.mark.parametrize("who", SOURCES)
def test_the_work_of_a_process_and_all_that_it_starts_is_seen(who):
    """Also of one that has lost its parent, and under a name with a bracket."""
    program = f"open('/proc/self/comm', 'w').write('a) b (c')\n{SOURCES[who]}\nimport time; time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    try:
        processor = Processor(process.pid)
        worked = until(processor, 0.2)
        assert processor(False) >= worked
    finally:
        os.killpg(process.pid, 9)
        process.wait()


ABANDONS = """
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets a child's time with the child
if not (child := os.fork()):
    while True: pass
input()
os.kill(child, signal.SIGKILL)
try: os.wait()
except ChildProcessError: print("gone", flush=True)
input()
"""


@linux_only
def test_what_a_child_has_worked_is_not_forgotten_when_it_is_gone():
    process = subprocess.Popen(
        [sys.executable, "-c", ABANDONS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )
    with process:
        processor = Processor(process.pid)
        worked = until(processor, 0.2)
        process.stdin.write(b"\n")
        assert process.stdout.readline() == b"gone\n"
        assert processor(True) >= worked
        os.killpg(process.pid, 9)


def test_a_process_that_is_gone_tells_nothing():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert Processor(process.pid)(True) is None
