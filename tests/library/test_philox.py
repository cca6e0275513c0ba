"""The counter-based generator: its published words, and that how a stream is cut changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.backends.cpu import threads
from tensorlab.backends.cpu.intrinsics import _fused_plainly
from tensorlab.backends.cpu.random.counter import philox_block
from tensorlab.random import Philox, stream_words
from tensorlab.random import philox_block as plain_block

# Counter, key and output of philox4x32 with 10 rounds, from the file kat_vectors of Random123.
KNOWN = [
    ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_published_words(counter, key, words):
    assert tuple(int(word) for word in philox_block(*counter, *key)) == words
    assert plain_block(counter, key) == words


def test_words_of_a_stream():
    """The compiled kernel against the block function, with every part of counter and key in use."""
    seed, stream, block = 0xA4093822_299F31D0, 0x85A308D3_13198A2E, 0x1_00000003
    found = Philox(seed, stream).words(4, start=4 * block).tolist()
    expected = philox_block(3, 1, stream & 0xFFFFFFFF, stream >> 32, seed & 0xFFFFFFFF, seed >> 32)
    assert found == [int(word) for word in expected]


@given(
    seed=st.integers(0, 2**64 - 1),
    start=st.one_of(st.integers(0, 20), st.integers(2**34 - 4, 2**34 + 4), st.integers(0, 2**60)),
    count=st.integers(0, 20),
)
def test_the_kernel_makes_the_words_of_the_definition(seed, start, count):
    assert Philox(seed).words(count, start=start).tolist() == stream_words(seed, start, count)


def test_uniform_numbers_are_the_documented_bits():
    words = np.array(Philox(5, 7).words(2000).tolist(), np.uint64)
    single = Philox(5, 7).uniform(2000, dtype=tl.float32).numpy()
    np.testing.assert_array_equal(single, (words & np.uint64(0xFFFFFF)).astype(np.float64) * 2.0**-24)
    double = Philox(5, 7).uniform(1000, dtype=tl.float64).numpy()
    high, low = words[0::2] & np.uint64(0x1FFFFF), words[1::2]
    np.testing.assert_array_equal(double, ((high << np.uint64(32)) | low).astype(np.float64) * 2.0**-53)


@pytest.mark.parametrize(("dtype", "tolerance"), [(tl.float32, 1e-6), (tl.float64, 1e-15)])
def test_normal_numbers_are_the_documented_pairs(dtype, tolerance):
    u = Philox(5).uniform(2000, dtype=dtype).numpy().astype(np.float64)
    radius, angle = np.sqrt(-2 * np.log1p(-u[0::2])), 2 * np.pi * u[1::2]
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)
    found = Philox(5).normal(2000, dtype=dtype).numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=6 * tolerance)


KINDS = [
    lambda p, n, start: p.words(n, start=start),
    lambda p, n, start: p.uniform(n, start=start, dtype=tl.float32),
    lambda p, n, start: p.uniform(n, start=start, dtype=tl.float64),
    lambda p, n, start: p.normal(n, start=start, dtype=tl.float32),
    lambda p, n, start: p.normal(n, start=start, dtype=tl.float64),
]


@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(-(2**63), 2**64 - 1),
    stream=st.integers(0, 2**64 - 1),
    start=st.integers(0, 2**60),
    cuts=st.lists(st.integers(0, 3000), min_size=1, max_size=5),
)
def test_however_a_stream_is_cut(kind, seed, stream, start, cuts):
    p = Philox(seed, stream)
    whole = kind(p, sum(cuts), start).numpy()
    parts = []
    for size in cuts:
        parts.append(kind(p, size, start + sum(map(len, parts))).numpy())
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("kind", KINDS)
def test_however_many_threads(kind):
    before = threads.get_num_threads()
    try:
        threads.set_num_threads(1)
        alone = kind(Philox(3), 200_001, 5).numpy()
        threads.set_num_threads(min(2, before))
        together = kind(Philox(3), 200_001, 5).numpy()
    finally:
        threads.set_num_threads(before)
    np.testing.assert_array_equal(alone, together)


def test_shape_is_row_major():
    assert Philox(3).uniform(2, 3).tolist() == [
        Philox(3).uniform(3).tolist(),
        Philox(3).uniform(3, start=3).tolist(),
    ]
    assert Philox(3).normal((2, 0)).shape == (2, 0)
    assert Philox(3).normal(()).shape == ()


def test_seeds_and_streams_make_other_numbers():
    found = {Philox(s, t).uniform(2).numpy().tobytes() for s in (0, 1, -1, 2**32) for t in (0, 1, 2**32)}
    assert len(found) == 12
    assert repr(Philox(-1)) == f"Philox(seed={2**64 - 1}, stream=0)"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: Philox(1.5), TypeError, "seed"),
        (lambda: Philox(2**64), ValueError, "64 bits"),
        (lambda: Philox(0, -(2**63) - 1), ValueError, "stream"),
        (lambda: Philox(0).uniform(2, dtype=tl.int64), TypeError, "int64"),
        (lambda: Philox(0).uniform(-2), RuntimeError, "negative"),
        (lambda: Philox(0).uniform(2, start=-1), ValueError, "positions"),
        (lambda: Philox(0).uniform(2, start=2**61 - 1), ValueError, "positions"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_philox_numbers_look_random():
    u = Philox(1).uniform(100_000).numpy().astype(np.float64)
    z = Philox(1).normal(100_000).numpy().astype(np.float64)
    assert abs(u.mean() - 0.5) < 0.004
    assert abs(z.mean()) < 0.012
    assert abs(z.std() - 1) < 0.009
    counts = np.histogram(u, 64, (0, 1))[0]
    assert ((counts - 1562.5) ** 2 / 1562.5).sum() < 117  # chi-square, 63 degrees of freedom, 1 in 100,000


PROGRAM = """
import tensorlab as tl
tl.manual_seed(8)
p = tl.random.Philox(8)
for dtype in (tl.float32, tl.float64):
    print(p.words(5).tolist(), p.uniform(5, dtype=dtype).tolist(), p.normal(5, start=1, dtype=dtype).tolist())
    print(tl.rand(20, dtype=dtype).tolist(), tl.randn(37, dtype=dtype).tolist())
    print(tl.empty(3, 4, dtype=dtype).t().normal_(0.1, 0.7).tolist(), tl.empty(3).uniform_(0.1, 0.8).tolist())
print(tl.randn(17, dtype=tl.bfloat16).tolist(), tl.randperm(9).tolist(), tl.randint(2**40, (4,)).tolist())
print(tl.bernoulli(tl.full((9,), 0.5)).tolist(), tl.poisson(tl.full((4,), 20.0)).tolist())
print(tl.multinomial(tl.ones(5), 3).tolist(), tl.multinomial(tl.ones(5), 7, True).tolist())
"""


def test_fused_plainly_kernels_give_the_same():
    found = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert found[0] == found[1]


@given(*[st.floats(width=32, allow_nan=False, allow_infinity=False)] * 3)
def test_the_fused_plainly_fma_rounds_once(a, b, c):
    """In float32, against a sum in more than twice the digits."""
    a, b, c = np.float32(a), np.float32(b), np.float32(c)
    with np.errstate(all="ignore"):
        found = _fused_plainly(a, b, c)
        if np.finfo(np.longdouble).nmant < 63:
            pytest.skip("this machine's long double has no more digits than float64")
        exact = np.longdouble(a) * np.longdouble(b) + np.longdouble(c)
        near = np.float32(exact)
    assert found == near or abs(exact - np.longdouble(found)) <= abs(exact - np.longdouble(near))
