"""`accurate_sum`: the definition that the kernels of sums are measured against."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.ops.pairs import accurate_sum

pytestmark = pytest.mark.usefixtures("interpreted")

NUMBERS = st.lists(st.floats(-(2.0**99), 2.0**99, width=32, allow_subnormal=False), max_size=20)


@given(NUMBERS, st.sampled_from([tl.float32, tl.float64]))
def test_two_roundings_are_lost_and_no_more(numbers: list[float], dtype: tl.dtype) -> None:
    gap = 2.0 ** (-23 if dtype is tl.float32 else -52)
    got = accurate_sum(tl.tensor(numbers, dtype=dtype)).item()
    assert abs(got - math.fsum(numbers)) <= 2 * gap * math.fsum(map(abs, numbers)) + 1e-45


@given(NUMBERS)
def test_the_kernel_of_float64_is_as_good(numbers: list[float]) -> None:
    x = tl.tensor(numbers, dtype=tl.float64)
    assert math.isclose(
        x.sum().item(), accurate_sum(x).item(), abs_tol=2.0**-50 * math.fsum(map(abs, numbers))
    )


def test_a_plain_loop_is_not() -> None:
    x = tl.tensor([2.0**24, *[1.0] * 20])
    total = tl.zeros(())
    for element in x:
        total = total + element
    assert total.item() == 2**24
    assert accurate_sum(x).item() == 2**24 + 20


@pytest.mark.parametrize(
    ("numbers", "total"),
    [([], 0.0), ([math.inf, 1.0], math.inf), ([math.inf, -math.inf], math.nan), ([1.0, math.nan], math.nan)],
)
def test_the_odd_ones(numbers: list[float], total: float) -> None:
    assert accurate_sum(tl.tensor(numbers)).item() == pytest.approx(total, nan_ok=True)


def test_any_layout() -> None:
    x = tl.arange(24.0).view(2, 3, 4).permute(2, 0, 1)[1:, :, ::2]
    assert accurate_sum(x).item() == x.sum().item()
    assert accurate_sum(tl.tensor(3.0).expand(2, 5)).item() == 30
