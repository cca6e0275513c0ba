"""Loaders whose batches other processes make: the same batches, errors told, nobody left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import psutil
import pytest

import tensorlab as tl
from tensorlab.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Squares(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, number):
        return tl.full((3, 4), float(number)) ** 2, number


class Troubled(Squares):
    """Does something bad at sample 5."""

    def __init__(self, trouble):
        self.trouble = trouble

    def __getitem__(self, number):
        if number == 5:
            self.trouble()
        return super().__getitem__(number)


class Part(IterableDataset):
    """Each worker reads numbers of its own, the first one fewer."""

    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, 4 + 9 * info.id, info.num_workers))


class Drawn(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, number):
        return tl.rand(1).item(), random.random(), np.random.rand(), get_worker_info().seed


def plain(batches):
    return [[part.tolist() for part in batch] for batch in batches]


def ours():
    """The workers that are alive."""
    return [
        child for child in psutil.Process().children() if "resource_tracker" not in " ".join(child.cmdline())
    ]


@pytest.fixture(autouse=True)
def _nobody_is_left():
    before = {child.pid for child in ours()}
    yield
    until = time.monotonic() + 5
    while left := [child for child in ours() if child.pid not in before]:
        assert time.monotonic() < until, left
        time.sleep(0.01)


@pytest.mark.parametrize("settings", [{}, {"prefetch_factor": 1}, {"persistent_workers": True}], ids=str)
def test_workers_make_the_same_batches_in_the_same_order(settings):
    tl.manual_seed(0)
    expected = plain(DataLoader(Squares(), 3, shuffle=True))
    tl.manual_seed(0)
    loader = DataLoader(Squares(), 3, shuffle=True, num_workers=2, **settings)
    assert plain(loader) == expected
    assert len(plain(loader)) == 7


def test_started_anew_as_on_windows():
    loader = DataLoader(list(range(6)), 2, num_workers=1, multiprocessing_context="spawn")
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5]]


def test_large_batches_come_whole():
    expected = np.random.default_rng(0).random((2, 700, 700))
    (batch,) = DataLoader([tl.from_numpy(each) for each in expected], 2, num_workers=1)
    assert np.array_equal(batch.numpy(), expected)
    batch[0, 0, 0] = 7  # what came can be written


def test_workers_of_a_stream_read_their_own_parts():
    batches = [batch.tolist() for batch in DataLoader(Part(), 2, num_workers=2)]
    assert sorted(number for batch in batches for number in batch) == [0, 1, 2, 3, 5, 7, 9, 11]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_stream_begins_anew_with_every_loop(persistent):
    loader = DataLoader(Part(), 2, num_workers=2, persistent_workers=persistent)
    first, second = ([batch.tolist() for batch in loader] for _ in range(2))
    assert first == second


def test_every_worker_has_random_numbers_of_its_own_that_follow_the_seed():
    found = []
    for _ in range(2):
        tl.manual_seed(1)
        found.append([tuple(x.item() for x in batch) for batch in DataLoader(Drawn(), 1, num_workers=2)])
    assert found[0] == found[1]
    for drawn in zip(*found[0], strict=True):
        assert len(set(drawn[:2])) == 2  # the first of each worker


def test_worker_init_fn_is_told_the_number():
    def init(number):
        get_worker_info().dataset.append(10 * number)

    loader = DataLoader([1, 2], 1, sampler=[2, 2], num_workers=2, worker_init_fn=init)
    assert [batch.item() for batch in loader] == [0, 10]


def raise_value_error():
    raise ValueError("sample 5 is torn")


def raise_of_own_kind():
    class TornError(Exception):
        pass

    raise TornError("sample 5 is torn")


def raise_with_arguments():
    raise UnicodeDecodeError("utf-8", b"x", 0, 1, "sample 5 is torn")


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (raise_value_error, ValueError),
        (raise_of_own_kind, RuntimeError),
        (raise_with_arguments, RuntimeError),
    ],
)
def test_an_error_in_a_worker_is_raised_here_with_its_traceback(trouble, kind):
    with pytest.raises(kind, match="sample 5 is torn") as caught:
        list(DataLoader(Troubled(trouble), 2, num_workers=2))
    assert "in DataLoader worker process 0" in str(caught.value)
    assert "raise_" in str(caught.value)


def test_a_worker_that_dies_is_named_and_nothing_hangs():
    loader = DataLoader(Troubled(lambda: os.kill(os.getpid(), signal.SIGKILL)), 2, num_workers=2)
    with pytest.raises(RuntimeError, match=r"worker \(pid\(s\) \d+\) exited unexpectedly, with exit code -9"):
        list(loader)


def test_a_worker_that_takes_too_long():
    loader = DataLoader(Troubled(lambda: time.sleep(60)), 2, num_workers=1, timeout=0.2)
    with pytest.raises(RuntimeError, match=r"timed out after 0\.2 seconds"):
        list(loader)


def test_a_loop_that_is_left_early_leaves_no_worker():
    for _, numbers in DataLoader(Squares(), 2, num_workers=2, persistent_workers=True):
        assert numbers.tolist() == [0, 1]
        break


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill"])
def test_workers_end_with_their_program(how):
    program = textwrap.dedent(
        """
        import time, psutil
        from tensorlab.utils.data import DataLoader
        batches = iter(DataLoader(range(1000), 1, num_workers=2))
        next(batches)
        print(*(child.pid for child in psutil.Process().children()), flush=True)
        for _ in batches:
            time.sleep(0.05)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    process.send_signal(how)
    _, errors = process.communicate(timeout=30)
    if how is signal.SIGINT:
        assert errors.strip().endswith("KeyboardInterrupt")
    until = time.monotonic() + 10
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in workers):
        assert time.monotonic() < until
        time.sleep(0.05)
