"""The first k of a row: right for any keys, and equal elements in the order in which PyTorch has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.backends.cpu.topk import first_k
from tests.library.random_pairs import assert_in_step, assert_same, seed_both


def disordering(size: int) -> np.ndarray:
    """Keys for which medians of three are as bad as they can be (Musser 1997): the depth limit is reached."""
    keys = np.zeros(size)
    half = size // 2
    for i in range(1, half + 1):
        if i % 2:
            keys[i - 1], keys[i] = i, half + i
        keys[half + i - 1] = 2 * i
    return keys


@given(
    keys=st.lists(
        st.sampled_from([0.0, 1.0, 2.0, 3.0, float("nan"), float("inf")]), min_size=1, max_size=200
    ),
    data=st.data(),
    largest=st.booleans(),
)
@settings(max_examples=300)
def test_ties_are_pytorchs(torch, keys, data, largest):
    k = data.draw(st.integers(1, len(keys)))
    expected = torch.topk(torch.tensor(keys), k, largest=largest).indices
    assert first_k(np.array([keys], np.float32), k, largest)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("size", [64, 128, 1000, 4000])
@pytest.mark.parametrize("sign", [1, -1])
def test_keys_that_exhaust_the_depth(torch, size, sign):
    for keys in (sign * disordering(size), sign * np.sort(disordering(size)) // 3):
        for k in (1, size // 64, size // 10, size // 2, size - 1, size):
            expected = torch.topk(torch.tensor(keys), k).indices
            assert first_k(keys[None].copy(), k, True)[0].tolist() == expected.tolist()


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=300), st.data())
def test_the_first_k_are_the_sorted_beginning(keys, data):
    k = data.draw(st.integers(1, len(keys)))
    values = np.array(keys)
    for largest in (True, False):
        places = first_k(values[None].copy(), k, largest)[0]
        ordered = np.sort(values)[::-1] if largest else np.sort(values)
        np.testing.assert_array_equal(values[places], ordered[:k])
        assert len(set(places.tolist())) == k


def test_rows_are_their_own():
    keys = np.random.default_rng(3).integers(0, 5, (6, 90)).astype(np.float32)
    together = first_k(keys.copy(), 40, True)
    for row in range(6):
        assert together[row].tolist() == first_k(keys[row : row + 1].copy(), 40, True)[0].tolist()


def test_samples_without_replacement_meet_ties(torch):
    """Categories of weight 0 all come last, and in which order is decided by the selection alone."""
    weights = (np.random.default_rng(3).random((3, 200)) < 0.3).astype(np.float32)
    for seed, draws in enumerate((2, 3, 60, 150, 199, 200)):
        seed_both(torch, seed)
        assert_same(
            tl.multinomial(tl.tensor(weights), draws), torch.multinomial(torch.tensor(weights), draws)
        )
    assert_in_step(torch)
