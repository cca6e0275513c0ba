"""Ctrl-C at any moment: a tensor whose version did not move holds what it held.

Python raises KeyboardInterrupt between two steps of the interpreter. The first tests raise it at every line
of the library that a call runs through, one run a line. The last one sends real signals to a program.
"""

from __future__ import annotations

import linecache
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tensorlab as tl

LIBRARY = str(Path(tl.__file__).parent)


class Interruption:
    """Counts the lines of the library that run, and raises KeyboardInterrupt at one of them.

    Between the last step inside a ``with`` and its ``__exit__`` Python runs no handler of a signal, though it
    calls a tracer there: such a line is none to interrupt.
    """

    def __init__(self, at: int | None = None):
        self.at, self.lines, self.last = at, 0, {}

    def __call__(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(LIBRARY):
            return None
        if event == "line":
            last, self.last[frame] = self.last.get(frame, 0), frame.f_lineno
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            if frame.f_lineno < last and text.lstrip().startswith("with "):
                return self
            self.lines += 1
            if self.lines - 1 == self.at:
                raise KeyboardInterrupt
        return self

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, kind, value, traceback):
        sys.settrace(self.before)
        return kind is KeyboardInterrupt


def operand(rows=3):
    return tl.arange(float(3 * rows)).view(rows, 3) + 1


WRITES = {
    "add_": lambda x: x.add_(operand()),
    "add_ a number": lambda x: x.add_(1.0),
    "add_ a row": lambda x: x.add_(operand()[0]),
    "mul_ transposed": lambda x: x.mul_(operand().t()),
    "mul_ a view": lambda x: x[1:, ::2].mul_(2.0),
    "itself": lambda x: x.add_(x),
    "neg_": lambda x: x.neg_(),
    "fill_": lambda x: x.fill_(-1.0),
    "zero_": lambda x: x.zero_(),
    "copy_": lambda x: x.copy_(-operand()),
    "copy_ converted": lambda x: x.copy_(-operand().to(tl.float64)),
    "x[0] = ": lambda x: x.__setitem__(0, -1.0),
    "x[:, 1:] = ": lambda x: x.__setitem__((slice(None), slice(1, None)), -operand()[:, 1:]),
    "add out": lambda x: tl.add(operand(), 7.0, out=x),
    "matmul out": lambda x: tl.matmul(operand(), operand(), out=x),
    "matmul out of itself": lambda x: tl.matmul(x, x, out=x),
    "addmm_": lambda x: x.addmm_(operand(), operand()),
    "sum out": lambda x: tl.sum(tl.ones(4, 3, 3), 0, out=x),
    "cumsum_": lambda x: x.cumsum_(0),
    "masked_fill_": lambda x: x.masked_fill_(operand() > 2, -1.0),
    "mask": lambda x: x.__setitem__(operand() > 2, -1.0),
    "list": lambda x: x.__setitem__([0, 2], -1.0),
    "index_add_": lambda x: x.index_add_(0, tl.tensor([0, 2]), operand(2)),
    "index_copy_": lambda x: x.index_copy_(0, tl.tensor([0, 2]), -operand(2)),
    "index_fill_": lambda x: x.index_fill_(0, tl.tensor([0, 2]), -1.0),
    "scatter_": lambda x: x.scatter_(0, tl.tensor([[0, 1, 2]]), -operand()),
    "scatter_add_": lambda x: x.scatter_add_(0, tl.tensor([[0, 1, 2]]), operand()),
    "normal_": lambda x: x.normal_(),
    "uniform_": lambda x: x.uniform_(),
    "exponential_": lambda x: x.exponential_(),
    "random_": lambda x: x.random_(),
    "bernoulli_": lambda x: x.bernoulli_(),
    "exp_": lambda x: x.exp_(),
    "clamp_": lambda x: x.clamp_(2.0, 3.0),
    "pow_": lambda x: x.pow_(2.0),
    "addcmul_": lambda x: x.addcmul_(operand(), operand()),
    "cat out": lambda x: tl.cat([operand(1), operand(2)], out=x),
    "put_": lambda x: x.put_(tl.tensor([0, 4]), tl.tensor([-1.0, -2.0])),
    "index_put_": lambda x: x.index_put_((tl.tensor([0, 1]),), tl.tensor(-1.0)),
    "tril_": lambda x: x.tril_(),
    "sort out": lambda x: tl.sort(-operand(), 0, out=(x, tl.zeros(3, 3, dtype=tl.int64))),
    "cummax out": lambda x: tl.cummax(tl.ones(3, 3), 0, out=(x, tl.zeros(3, 3, dtype=tl.int64))),
    "max out": lambda x: tl.max(tl.ones(3, 3, 3), 0, out=(x, tl.zeros(3, 3, dtype=tl.int64))),
    "softmax out": lambda x: tl.softmax(operand(), 0, out=x),
    "stack out": lambda x: tl.stack([operand(1)[0]] * 3, out=x),
    "rand out": lambda x: tl.rand(3, 3, out=x),
    "x.names": lambda x: x.mul_(2.0).rename_("N", "C").mul_(3.0).rename_(None),
    "named add_": lambda x: x.add_(operand().rename("N", "C")),
}


@pytest.mark.parametrize("name", WRITES)
def test_an_interrupted_write_is_seen_in_the_version(name):
    write = WRITES[name]
    for _ in range(3):  # compiles what it needs
        write(operand())
    old = operand().tolist()
    x = operand()
    with Interruption() as whole:
        write(x)
    assert x.tolist() != old
    assert whole.lines >= 3
    for line in range(whole.lines):
        x = operand()
        version = x._version
        with Interruption(at=line):
            write(x)
            pytest.fail(f"the run was to be interrupted at step {line} and was not")
        assert x._version != version or x.tolist() == old, f"interrupted at step {line} of {whole.lines}"
    other = threading.Thread(target=tl.rand, args=(1,), daemon=True)
    other.start()
    other.join(10)
    assert not other.is_alive(), "a lock is held by nobody who would give it back"


RESULTS = {
    "add": lambda: operand() + 1.0,
    "sum": lambda: operand().sum(1),
    "matmul": lambda: operand() @ operand(),
    "clone": lambda: operand().t().clone(),
    "tensor": lambda: tl.tensor([[1.0, 2.0], [3.0, 4.0]]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_an_interrupted_operation_hands_nothing_out_and_does_not_spoil_the_next(name):
    expected = RESULTS[name]().tolist()
    with Interruption() as whole:
        RESULTS[name]()
    for line in range(whole.lines):
        result = None
        with Interruption(at=line):
            result = RESULTS[name]()
        assert result is None
        assert RESULTS[name]().tolist() == expected


def test_an_interrupted_first_use_leaves_no_broken_plan():
    for line in range(0, 120, 3):
        with Interruption(at=line):
            tl.ones(2, line + 2).t() * 2.0
        assert (tl.ones(2, line + 2).t() * 2.0).tolist() == [[2.0, 2.0]] * (line + 2)


PROGRAM = """
import os, random, signal
import tensorlab as tl

def interrupt(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)

# An interpreted kernel is Python, and can be stopped between two cells: then the version is all there is.
interpreted = os.environ.get("NUMBA_DISABLE_JIT") == "1"
size = 3_000 if interpreted else 3_000_000
x, y = tl.zeros(size), tl.ones(size)
x.add_(y)
random.seed(1)
interrupted = 0
for turn in range(150):
    x.fill_(turn)
    version = x._version
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 4e-3))
        x.add_(y)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
    cells = x.numpy()
    found = {float(cells.min()), float(cells.max())}
    assert found == {turn} or x._version > version, "the elements changed and the version did not"
    assert found <= {turn, turn + 1}, found
    assert interpreted or len(found) == 1, "some elements are old and some are new"
print(interrupted)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers that send signals")
def test_real_signals():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10


COMPILING = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin deaf to it
import tensorlab as tl

x, done, heard = tl.ones(3), False, 0

def disturb():
    while not done:
        time.sleep(0.03)
        os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=disturb)
try:
    thread.start()
    for name in ("exp", "sqrt", "sum", "cumsum", "sort", "square"):
        for _ in range(500):
            try:
                getattr(x, name)(*[0] * (name == "cumsum"))
            except KeyboardInterrupt:
                heard += 1
            else:
                break
except KeyboardInterrupt:
    heard += 1
while not done:
    try:
        done = True
        thread.join()
        time.sleep(0.1)
    except KeyboardInterrupt:
        done = False
assert heard > 0
assert (x + x).exp().sum().item() > 22 and signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_kernel_that_is_being_compiled_is_finished_first(tmp_path):
    """Numba's tables would stay half written, and every later compilation fail."""
    for _ in range(2):  # compiled first, read from the cache then
        environment = {**os.environ, "TENSORLAB_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
        ran = subprocess.run(
            [sys.executable, "-c", COMPILING], capture_output=True, text=True, env=environment, check=False
        )
        assert ran.returncode == 0, ran.stderr
