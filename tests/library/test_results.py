"""Small tensors: whose memory results have, what is recorded, what is measured and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.backends.operands import WORTHWHILE


def test_every_result_has_memory_of_its_own():
    x = tl.zeros(2, 3)
    made = [(x + x).fill_(i) for i in range(50)]
    assert [float(x[1, 2]) for x in made] == list(range(50))


def test_a_watcher_sees_every_storage():
    x = tl.ones(1000)
    x.exp()
    with tl.autograd.profile() as memory:
        kept = x.exp(), x + x, x * 2.0
    assert [moment.change for moment in memory.timeline if moment.change > 4] == [4000, 4000, 4000]
    assert len(kept) == 3
    with tl.autograd.profile() as outer, tl.autograd.profile() as inner:
        x.exp()
    x.exp()
    assert (outer.peak, inner.peak) == (4000, 4000)


def test_results_of_inference_mode_count_no_writes():
    x = tl.ones(10)
    with tl.inference_mode():
        assert (x.exp().is_inference(), (x + x).is_inference()) == (True, True)
    assert not x.exp().is_inference()


def test_a_transpose_of_what_is_no_plain_matrix():
    assert (tl.ones(3).t().shape, tl.tensor(2.0).t().shape) == ((3,), ())
    with pytest.raises(RuntimeError, match="<= 2 dimensions"):
        tl.ones(2, 2, 2).t()
    with pytest.raises(TypeError, match="must be Tensor"):
        tl.t(3)
    assert tl.ones(2, 3, names=("rows", "columns")).t().names == ("columns", "rows")
    leaf = tl.ones(2, 3, requires_grad=True)
    for tensor in (leaf, leaf * 2, leaf[:1], leaf.detach().requires_grad_()[:, 1:]):
        assert tensor.t().grad_fn is not None
        with tl.no_grad():
            assert tensor.t().grad_fn is None


def test_functions_of_one_tensor_see_what_it_is():
    x = tl.arange(6.0).view(2, 3)
    for _ in range(2):
        for tensor in (
            x,
            x.t(),
            x[:, 1:],
            x[0],
            x.double(),
            x.half(),
            x.view(tl.int32),
            tl.ones(0),
            tl.ones(()),
        ):
            np.testing.assert_array_equal(tensor.neg().numpy(), -tensor.numpy())
        for tensor in (
            x,
            x.clone().requires_grad_(),
            x.clone().requires_grad_()[1:],
            x.clone().requires_grad_().view(6),
        ):
            assert tensor.exp().requires_grad == tensor.requires_grad
        with tl.no_grad():
            assert not x.clone().requires_grad_().exp().requires_grad
        beyond = WORTHWHILE + 1
        assert tl.ones(beyond).exp().shape == (beyond,)


def test_functions_of_two_tensors_see_what_they_are():
    x = tl.arange(6.0).view(2, 3)
    others = [x, tl.ones(2, 3), x.view(3, 2).t(), tl.ones(3), tl.ones(2, 1), tl.ones(()), x.double(), x.int()]
    for _ in range(2):
        for other in others:
            expected = x.numpy() + other.numpy()
            for made in (x + other, other + x):
                np.testing.assert_array_equal(made.numpy(), expected)
        leaf = x.clone().requires_grad_()
        for a, b in ((leaf, x), (x, leaf), (leaf[:1], x[:1]), (x.view(6), leaf.view(6))):
            assert (a + b).requires_grad
            with tl.no_grad():
                assert not (a + b).requires_grad
        with pytest.raises(RuntimeError, match="match"):
            x + tl.ones(6)
        assert (x > x).dtype is tl.bool
        with tl.inference_mode():
            assert (x + x).is_inference()


def test_operands_whose_memory_was_made_for_other_cells():
    words = tl.arange(8, dtype=tl.int32).view(tl.float32)
    x = tl.ones(8)
    for _ in range(3):
        np.testing.assert_array_equal((x + words).numpy(), x.numpy() + words.numpy())
        np.testing.assert_array_equal((x[2:] + words[2:]).numpy(), x[2:].numpy() + words[2:].numpy())
        np.testing.assert_array_equal((x[1:5] + x[4:]).numpy(), [2, 2, 2, 2])


LIMIT = WORTHWHILE


@pytest.mark.parametrize("size", [0, 1, 16_384, 16_385, LIMIT, LIMIT + 1])
def test_sizes_around_the_limit(size):
    x, written = tl.arange(size, dtype=tl.float32), tl.zeros(size)
    for _ in range(4):
        tl.add(x, x, out=written)
        written.add_(x)
    np.testing.assert_array_equal(written.numpy(), 3 * x.numpy())
    np.testing.assert_array_equal((x + x).numpy(), 2 * x.numpy())
    np.testing.assert_array_equal(x.neg().numpy(), -x.numpy())
    np.testing.assert_array_equal((1.0 - x).numpy(), 1 - x.numpy())


def test_layouts_beside_row_major():
    a, b = tl.arange(12.0).view(3, 4), tl.arange(12.0).view(4, 3)
    for x, y in ((a, b.t()), (b.t(), a), (a.t(), b.t().t()), (a[:, :1], a[:1]), (a[:, 1:], a[1:2, 1:])):
        for _ in range(4):
            made = x + y
            np.testing.assert_array_equal(made.numpy(), x.numpy() + y.numpy())


def test_layouts_in_turns():
    """What is remembered of the last two tensors holds for no others."""
    x, y = tl.arange(12.0).view(3, 4), tl.arange(12.0).view(4, 3) * 10
    words = tl.arange(12, dtype=tl.int32).view(tl.float32).view(4, 3)
    leaf = y.clone().requires_grad_()
    wide = tl.arange(40.0).view(4, 10)
    others = [
        y,
        y + 1,
        words,
        leaf,
        wide[:, 3:6],
        wide[:, 7:],
        y.double(),
        x.t(),
        leaf.detach()[:, :3],
        leaf[:, :],
    ]
    for other in (other for other in others for _ in range(2)):
        for _ in range(3):
            expected = x.numpy() + y.numpy().T
            np.testing.assert_array_equal((x + y.t()).numpy(), expected)
        for _ in range(3):
            made = x + other.t()
            assert made.requires_grad == other.requires_grad
            np.testing.assert_array_equal(made.detach().numpy(), x.numpy() + other.detach().numpy().T)
        np.testing.assert_array_equal((x + x).numpy(), 2 * x.numpy())
    with tl.inference_mode():
        assert (x + y.t()).is_inference()
    with tl.autograd.profile() as memory:
        kept = x + y.t()
    assert [moment.change for moment in memory.timeline if moment.change > 4] == [4 * kept.numel()]
