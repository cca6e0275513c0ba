"""Interpolation, gates and learnt slopes: against PyTorch, and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.gradients.derivatives import assert_like_differences, assert_like_torch
from tests.library.layouts import KINDS, lay_out
from tests.library.references import agree, twin

IMAGES = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
CALLS = [
    "F.interpolate(x, (7, 3))", "F.interpolate(x, scale_factor=2)",
    "F.interpolate(x, scale_factor=(1.7, 0.6))",
    "F.interpolate(x, scale_factor=1.7, mode='nearest-exact')", "F.interpolate(x, 6, mode='bilinear')",
    "F.interpolate(x, (8, 10), mode='bilinear', align_corners=True)",
    "F.interpolate(x, scale_factor=1.7, mode='bilinear')",
    "F.interpolate(x, scale_factor=1.7, mode='bilinear', recompute_scale_factor=True)",
    "F.interpolate(x, (2, 9), mode='bicubic')",
    "F.interpolate(x, (1, 9), mode='bicubic', align_corners=True)",
    "F.interpolate(x, (3, 2), mode='area')", "F.interpolate(x[0], 7, mode='linear')",
    "F.interpolate(x[0], 7)", "F.interpolate(x[None], (3, 5, 2), mode='trilinear', align_corners=True)",
    "F.interpolate(x[None], (2, 5, 7), mode='area')", "F.interpolate(x[None], (2, 5, 7))",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", CALLS)
def test_interpolation_is_that_of_torch(torch, expression, kind):
    for second in (False, True):
        assert_like_torch(torch, expression, [IMAGES], [kind], 1e-11, second)


@pytest.mark.parametrize("expression", CALLS[3:9])
def test_interpolation_like_differences(expression):
    assert_like_differences(expression, [IMAGES[:1, :1]], second=False)


def test_float32_and_channels_last(torch):
    x = tl.tensor(IMAGES.astype("float32")).contiguous(memory_format=tl.channels_last)
    for mode in ("nearest", "bilinear", "bicubic", "area"):
        ours = F.interpolate(x, (9, 2), mode=mode)
        agree(ours, torch.nn.functional.interpolate(twin(torch, x), (9, 2), mode=mode))


@pytest.mark.parametrize("kinds", [["row", "row"], ["transposed", "sliced"], ["expanded", "offset"]])
def test_gates_and_slopes(torch, kinds):
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(4, 6, 2)), rng.normal(size=6)
    for second in (False, True):
        assert_like_torch(torch, "F.glu(x, 1)", [x], kinds[:1], second=second)
        assert_like_torch(torch, "F.glu(x)", [x], kinds[:1], second=second)
        assert_like_torch(torch, "F.prelu(x, y)", [x, w], kinds, second=second)
        assert_like_torch(torch, "F.prelu(x, y)", [x, w[:1]], kinds, second=second)


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_of_other_ranks(torch, kind):
    for shape in ((), (5,), (3, 1)):
        x = lay_out(np.random.default_rng(2).normal(size=shape), kind)
        slope = tl.tensor([0.25], dtype=tl.float64)
        expected = torch.nn.functional.prelu(twin(torch, x), twin(torch, slope))
        agree(F.prelu(x, slope), expected)


X = tl.ones(2, 3, 4)
REFUSED = [
    (lambda: F.interpolate(X), ValueError, "either size or scale_factor"),
    (lambda: F.interpolate(X, 8, 2), ValueError, "only one of size or scale_factor"),
    (lambda: F.interpolate(X, 8, mode="bilinear"), NotImplementedError, "bilinear mode needs 4D input"),
    (lambda: F.interpolate(X, (8, 8)), ValueError, "same number of spatial dimensions"),
    (lambda: F.interpolate(X, 8, align_corners=True), ValueError, "align_corners option"),
    (lambda: F.interpolate(X, 8, mode="cubist"), NotImplementedError, "got cubist"),
    (lambda: F.interpolate(X[0], 8), NotImplementedError, "got 2D"),
    (lambda: F.interpolate(X.long(), 8), NotImplementedError, "int64"),
    (lambda: F.interpolate(X, 0), RuntimeError, "greater than 0"),
    (lambda: F.interpolate(X, 8, recompute_scale_factor=True), ValueError, "explicit size"),
    (lambda: F.glu(X, 1), RuntimeError, "Halving dimension must be even"),
    (lambda: F.glu(X[0, 0, 0]), RuntimeError, "does not support scalars"),
    (lambda: F.prelu(X, tl.ones(2)), RuntimeError, "parameter numbers = 2 and channel size = 3"),
    (lambda: F.prelu(X, tl.ones(1, 3)), RuntimeError, "scalar or 1D"),
    (lambda: F.prelu(X, tl.ones(3).double()), RuntimeError, "Type promoting"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_halves_are_rounded_once(mode, half):
    x = tl.tensor(IMAGES).to(getattr(tl, half)).requires_grad_()
    wide = x.detach().float().requires_grad_()
    ours, exact = (F.interpolate(t, (9, 11), mode=mode) for t in (x, wide))
    assert ours.tolist() == exact.to(x.dtype).tolist()
    up = tl.tensor(np.random.default_rng(1).normal(size=ours.shape)).to(x.dtype)
    ours.backward(up)
    exact.backward(up.float())
    assert x.grad.tolist() == wide.grad.to(x.dtype).tolist()


def test_bytes_are_moved_and_not_blended(torch):
    x = tl.arange(60).to(tl.uint8).view(1, 3, 4, 5)
    agree(F.interpolate(x, (9, 2)), torch.nn.functional.interpolate(twin(torch, x), (9, 2)))
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        with pytest.raises((NotImplementedError, RuntimeError)):
            functional.interpolate(library.ones(1, 1, 2, 4, 5).to(library.uint8), 2, mode="area")


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_images_do_not_depend_on_the_threads(mode):
    x = tl.tensor(np.random.default_rng(2).normal(size=(6, 5, 40, 41)).astype("float32")).requires_grad_()
    before, found = tl.get_num_threads(), []
    try:
        for threads in (1, 3):
            tl.set_num_threads(threads)
            result = F.interpolate(x, (83, 79), mode=mode)
            found.append((result, tl.autograd.grad(result.sum(), x)[0]))
    finally:
        tl.set_num_threads(before)
    assert all(one.equal(other) for one, other in zip(*found, strict=True))
