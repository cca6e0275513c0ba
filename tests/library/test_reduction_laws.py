"""What must hold of reductions whatever the numbers: laws, error bounds, refusals, dtypes."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.backends.cpu import threads
from tensorlab.core import dtypes
from tests.library.references import agree

WHOLE = st.integers(-1000, 1000)
ARRAYS = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(WHOLE, min_size=math.prod(shape), max_size=math.prod(shape)).map(
        lambda values: np.array(values, np.float64).reshape(shape)
    )
)


@given(ARRAYS, st.permutations(range(3)))
def test_sums_over_dimensions_in_any_order_are_the_sum(values, order):
    """Whole numbers, so that no sum rounds."""
    x = tl.tensor(values)
    step = x
    for position, dim in enumerate(order):
        step = step.sum(dim - sum(done < dim for done in order[:position]))
    assert step.item() == x.sum().item() == x.sum(tuple(order)).item() == values.sum()
    assert x.permute(*order).sum().item() == values.sum()


@given(ARRAYS, st.data())
def test_a_sum_is_the_sum_of_its_parts(values, data):
    x = tl.tensor(values)
    cut = data.draw(st.integers(0, x.shape[1]))
    assert (x[:, :cut].sum(1) + x[:, cut:].sum(1)).tolist() == x.sum(1).tolist()


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=30), st.floats(-1000, 1000))
def test_logsumexp_shifts_with_its_elements(values, shift):
    x = tl.tensor(values, dtype=tl.float64)
    assert (x + shift).logsumexp(0).item() == pytest.approx(x.logsumexp(0).item() + shift, abs=1e-11)
    assert x.softmax(0).sum().item() == pytest.approx(1, abs=1e-14)
    np.testing.assert_allclose(x.log_softmax(0).exp().tolist(), x.softmax(0).tolist(), rtol=1e-13)


@given(ARRAYS)
def test_extremes_stand_where_they_are_said_to(values):
    x = tl.tensor(values)
    for dim in range(3):
        largest, places = x.max(dim)
        assert places.tolist() == values.argmax(dim).tolist()
        assert largest.tolist() == values.max(dim).tolist()
        assert x.argmin(dim).tolist() == values.argmin(dim).tolist()
    assert x.argmax().item() == values.argmax()
    assert x.transpose(0, 2).argmax().item() == values.transpose(2, 1, 0).argmax()


@pytest.mark.parametrize("t", ["float32", "float64"])
@pytest.mark.parametrize("size", [1000, 100_003, 2_000_003])
def test_sums_stay_close_to_the_exact_sum(torch, t, size):
    """Within the bound of one block, 16 + 6 additions, whatever the size; near PyTorch's or better."""
    values = np.random.default_rng(size).normal(size=size).astype(t)
    exact = math.fsum(values.tolist())
    error = abs(tl.tensor(values).sum(dtype=tl.float64).item() - exact)
    ours = abs(tl.tensor(values).sum().item() - exact)
    theirs = abs(torch.tensor(values).sum().item() - exact)
    eps = np.finfo(t).eps
    magnitude = float(np.abs(values.astype(np.float64)).sum())
    assert ours <= eps * (22 * magnitude / math.sqrt(size) + abs(exact))
    assert ours <= 2 * theirs + eps * (magnitude / math.sqrt(size) + abs(exact))
    assert error <= np.finfo(np.float64).eps * magnitude


@pytest.mark.parametrize("t", ["float32", "float64"])
def test_long_columns_and_steps_stay_close_too(t):
    """Narrow columns lie up to 341 side by side, and nine halvings join them, each rounded to half an eps."""
    values = np.random.default_rng(1).normal(size=(200_000, 3)).astype(t) + 1
    exact = [math.fsum(column) for column in values.T.tolist()]
    eps = np.finfo(t).eps
    for laid in (values, np.ascontiguousarray(values.T).T):
        np.testing.assert_allclose(tl.tensor(laid).sum(0).tolist(), exact, rtol=5 * eps)
    wide = tl.tensor(np.repeat(values, 2, axis=1))[:, ::2]
    np.testing.assert_allclose(wide.sum(0).tolist(), exact, rtol=2 * eps)
    np.testing.assert_allclose(tl.tensor(values).mean(0).tolist(), np.array(exact) / 200_000, rtol=5 * eps)
    squares = [
        math.fsum((v - e / 200_000) ** 2 for v in column)
        for e, column in zip(exact, values.T.tolist(), strict=True)
    ]
    np.testing.assert_allclose(tl.tensor(values).var(0).tolist(), np.array(squares) / 199_999, rtol=5 * eps)


def test_results_do_not_depend_on_the_number_of_threads():
    before = threads.get_num_threads()
    x = tl.tensor(np.random.default_rng(2).normal(size=(3, 400_001)).astype(np.float32))
    found = set()
    try:
        for count in range(1, before + 1):
            threads.set_num_threads(count)
            results = (x.sum(), x.sum(0), x.sum(1), x.var(), x.argmax(), x.softmax(1), x.norm())
            found.add(b"".join(result.numpy().tobytes() for result in results))
    finally:
        threads.set_num_threads(before)
    assert len(found) == 1


SIXTEEN = ["float16", "bfloat16"]


ALL = [(name, t.name) for name in ("sum", "any", "max") for t in dtypes.ALL]
SOME = [
    (name, t)
    for name in ("prod", "all", "amax", "count_nonzero", "mean")
    for t in ("bool", "uint8", "int32", "float16")
]


@pytest.mark.interpreted
@pytest.mark.parametrize(("name", "t"), ALL + SOME)
def test_dtypes_of_results_are_pytorchs(torch, name, t):
    values = [[1, 0, 3], [2, 5, 1]]
    ours, theirs = tl.tensor(values, dtype=dtypes.by_name(t)), torch.tensor(values, dtype=getattr(torch, t))
    if name == "mean" and not ours.is_floating_point():
        for tensor in (ours, theirs):
            with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype"):
                tensor.mean()
        return
    agree(getattr(ours, name)(), getattr(theirs, name)(), 1e-2 if t in SIXTEEN else 2e-6)
    agree(getattr(ours, name)(1), getattr(theirs, name)(1), 1e-2 if t in SIXTEEN else 2e-6)


@pytest.mark.parametrize("t", SIXTEEN)
def test_sixteen_bit_floats_add_up_in_float32_and_round_once(t):
    x = tl.ones(5000, dtype=dtypes.by_name(t))
    assert x.sum().item() == (5000 if t == "float16" else 4992)
    assert tl.full((10_000,), 60000.0, dtype=tl.float16).mean().item() == 60000
    assert tl.full((10_000,), 60000.0, dtype=tl.float16).sum().item() == math.inf


def test_dtype_converts_first_and_integers_wrap_around():
    assert tl.tensor([1.9, 1.9]).sum(dtype=tl.int64).item() == 2
    assert tl.tensor([200, 100], dtype=tl.uint8).sum().item() == 300
    assert tl.tensor([2**62, 2**62]).sum().item() == -(2**63)
    assert tl.tensor([0, 0, 3]).sum(dtype=tl.bool).item() is True


def test_nothing_to_reduce():
    empty = tl.zeros(0, 3)
    assert (empty.sum().item(), empty.prod().item(), empty.all().item(), empty.any().item()) == (
        0,
        1,
        True,
        False,
    )
    assert math.isnan(empty.mean().item())
    assert empty.logsumexp(0).tolist() == [-math.inf] * 3
    with pytest.raises(IndexError, match=r"amax\(\): Expected reduction dim 0 to have non-zero size"):
        empty.amax(0)
    with pytest.raises(RuntimeError, match=r"max\(\): Expected reduction dim to be specified"):
        empty.max()
    with pytest.raises(IndexError, match=r"argmax\(\): Expected reduction dim to be specified"):
        empty.argmax()
    assert tuple(empty.amax(1).shape) == (0,)


def test_infinities_and_nan():
    inf, nan = math.inf, math.nan
    rows = tl.tensor([[-inf, -inf], [inf, -inf], [inf, inf], [nan, 1.0]])
    assert rows.logsumexp(1).tolist()[:3] == [-inf, inf, inf]
    assert math.isnan(rows.logsumexp(1).tolist()[3])
    assert np.isnan(rows.softmax(1).tolist()).all()
    assert tl.tensor([1.0, nan, 3.0, nan]).argmax().item() == 1
    assert math.isnan(tl.tensor([1.0, nan]).max().item())
    assert math.isnan(tl.tensor([nan, inf]).sum().item())
    assert tl.tensor([inf, inf], dtype=tl.float64).sum().item() == inf
    assert tl.tensor([nan, 2.0]).nansum().item() == 2


def test_numpys_names_and_outputs():
    x = tl.arange(6, dtype=tl.float32).view(2, 3)
    assert tl.sum(x, axis=0, keepdims=True).tolist() == [[3, 5, 7]]
    out = tl.empty(3)
    assert tl.sum(x, 0, out=out) is out
    assert out.tolist() == [3, 5, 7]
    with pytest.raises(TypeError, match="give one"):
        x.sum(dim=0, axis=0)
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times"):
        x.sum((0, 0))
    with pytest.raises(TypeError, match="argument 'keepdim' must be bool"):
        x.sum(0, 1)
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        tl.sum([1, 2])
    with pytest.warns(UserWarning, match="degrees of freedom"):
        assert math.isnan(tl.tensor(3.0).var().item())


def test_named_results_unpack_match_and_show_their_names():
    result = tl.tensor([[1, 5], [7, 3]]).max(0)
    values, indices = result
    assert result.values is values
    assert result[1] is indices
    assert type(result) is tl.return_types.max
    assert repr(result).startswith("tensorlab.return_types.max(\nvalues=tensor([7, 5]),\nindices=")
    with pytest.raises(TypeError, match="takes a 2-sequence"):
        tl.return_types.max((1, 2, 3))


PROGRAM = """
import numpy as np
import tensorlab as tl
x = tl.tensor((np.arange(30) * 7 % 11 - 5.5).reshape(5, 3, 2).astype(np.float32))
for y in (x, x.transpose(0, 2), x[::2], x.to(tl.float16)):
    results = [y.sum(), y.sum(0), y.sum((0, 2)), y.any(1), y.amax(0), y.argmin(), y.max(1)[1], y.cumsum(1)]
    results += [y.var(0), y.softmax(0), y.log_softmax(-1), y.logsumexp((0, 1)), y.norm(3)]
    print([np.round(np.array(result.tolist(), float), 3).tolist() for result in results])
"""


def test_interpreted_kernels_give_the_same():
    outputs = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": setting},
        ).stdout
        for setting in ("0", "1")
    }
    assert len(outputs) == 1
