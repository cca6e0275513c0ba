"""A time limit for code in this process."""

from __future__ import annotations

import contextlib
import signal
import threading
import time

import numba
import pytest

from tensorlab.learn.clock import OutOfTime, compiling, time_limit, uncounted


def test_code_that_ends_in_time_is_left_alone():
    with time_limit(5):
        done = sum(range(1000))
    assert done == 499_500
    time.sleep(0.01)


def loop():
    while True:
        pass


def test_code_that_does_not_end_is_stopped():
    with pytest.raises(OutOfTime), time_limit(0.2):
        loop()


def test_its_own_exception_passes():
    with pytest.raises(ZeroDivisionError), time_limit(5):
        raise ZeroDivisionError


def test_an_interrupt_from_elsewhere_stays_one():
    with pytest.raises(KeyboardInterrupt), time_limit(5):
        raise KeyboardInterrupt


def test_a_real_interrupt_goes_where_it_always_went():
    met = []
    before = signal.signal(signal.SIGINT, lambda number, frame: met.append(number))
    try:
        with time_limit(5):
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGINT, before)
    assert met == [signal.SIGINT]


def test_nothing_comes_late():
    """Code that ends as its time runs out: in time or out of it, and what follows is never interrupted."""
    before = signal.getsignal(signal.SIGINT)
    for step in range(300):
        with contextlib.suppress(OutOfTime), time_limit(0.002):
            time.sleep(0.0015 + 0.00001 * (step % 100))
        assert signal.getsignal(signal.SIGINT) is before
    time.sleep(0.05)


def test_other_threads_have_no_limit():
    ended = []

    def work():
        with time_limit(0.01):
            time.sleep(0.1)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]


def test_time_that_does_not_count_is_granted():
    with time_limit(0.1, aside=time.monotonic):  # whatever passes, none of it counts
        time.sleep(0.3)
    granted = time.monotonic() + 0.2
    with pytest.raises(OutOfTime), time_limit(0.1, aside=lambda: min(time.monotonic(), granted)):
        loop()
    assert time.monotonic() > granted


def test_compiling_does_not_count():
    before = compiling()

    @numba.njit
    def double(x):
        return x + x

    double(1.5)
    first = compiling()
    assert first > before
    double(2.5)
    assert compiling() == first

    def compile_and_loop():
        double(1)
        loop()

    with pytest.raises(OutOfTime), time_limit(0.05, aside=compiling):
        compile_and_loop()
    assert compiling() > first


def test_waiting_for_a_processor_counts_a_twelfth():
    with time_limit(0.1, aside=uncounted):
        time.sleep(0.5)

    def sleeps():
        while True:
            time.sleep(0.01)

    started = time.monotonic()
    with pytest.raises(OutOfTime), time_limit(0.05, aside=uncounted):
        sleeps()
    assert time.monotonic() - started > 0.3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_a_destructor_drops_comes_again():
    dropped = []

    class Slow:
        def __del__(self):
            try:
                loop()
            finally:
                dropped.append(True)

    def never_ends():
        Slow()
        loop()

    with pytest.raises(OutOfTime), time_limit(0.1):
        never_ends()
    assert dropped == [True]
