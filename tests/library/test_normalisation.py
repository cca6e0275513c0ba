"""Normalisation layers: against their definitions in NumPy, PyTorch, and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.gradients.derivatives import assert_like_differences, assert_like_torch
from tests.library.layouts import KINDS, lay_out
from tests.library.references import agree, twin


def defined(x, dims, weight=1.0, bias=0.0, eps=1e-5):
    """The definition, in float64."""
    x = np.asarray(x, float)
    mean = x.mean(dims, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(dims, keepdims=True) + eps) * weight + bias


def numbers(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(2.0, 3.0, shape) for shape in shapes]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_definitions(kind, dtype):
    x, w, b = (lay_out(a.astype(dtype), kind) for a in numbers((5, 6, 7), (6,), (6,)))
    near = {"rtol": 1e-5, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-12}
    wide = [np.asarray(t).reshape(6, 1) for t in (w, b)]
    seven = lay_out(numbers((7,), seed=1)[0].astype(dtype), kind)
    np.testing.assert_allclose(F.layer_norm(x, (7,), seven), defined(x, 2, np.asarray(seven)), **near)
    np.testing.assert_allclose(F.layer_norm(x, (6, 7)), defined(x, (1, 2)), **near)
    np.testing.assert_allclose(F.batch_norm(x, None, None, w, b, True), defined(x, (0, 2), *wide), **near)
    np.testing.assert_allclose(F.instance_norm(x, None, None, w, b), defined(x, 2, *wide), **near)
    grouped = defined(np.asarray(x).reshape(5, 3, 14), 2).reshape(5, 6, 7)
    np.testing.assert_allclose(F.group_norm(x, 3, w, b), grouped * wide[0] + wide[1], **near)
    square = np.asarray(x, float) / np.sqrt((np.asarray(x, float) ** 2).mean(2, keepdims=True) + 1e-3)
    np.testing.assert_allclose(F.rms_norm(x, (7,), eps=1e-3), square, **near)


CALLS = [
    ("F.layer_norm(x, (4,), y, z)", [(3, 4), (4,), (4,)]),
    ("F.layer_norm(x, (3, 4))", [(2, 3, 4)]),
    ("F.layer_norm(x, (4,), y)", [(40, 4), (4,)]),  # more rows than are summed up together
    ("F.layer_norm(x, (1500,), y, z)", [(2, 1500), (1500,), (1500,)]),  # more cells than a block
    ("F.rms_norm(x, (4,), y)", [(3, 4), (4,)]),
    ("F.rms_norm(x, (3, 4), eps=0.1)", [(2, 3, 4)]),
    ("F.group_norm(x, 2, y, z)", [(3, 4, 5), (4,), (4,)]),
    ("F.group_norm(x, 4)", [(3, 4, 5, 2)]),
    ("F.group_norm(x, 2, y, z)", [(3, 8), (8,), (8,)]),  # channels of one cell
    ("F.group_norm(x, 2, y)", [(2, 3000), (3000,)]),  # more of them than a block
    ("F.batch_norm(x, None, None, y, z, True)", [(3, 4, 5), (4,), (4,)]),
    ("F.batch_norm(x, None, None, y, z, True)", [(3, 4), (4,), (4,)]),
    ("F.batch_norm(x, None, None, y, z, True)", [(3, 300), (300,), (300,)]),  # more columns than a strip
    ("F.batch_norm(x.contiguous(memory_format=m.channels_last), None, None, y, z, True)",
     [(3, 4, 5, 2), (4,), (4,)]),
    ("F.batch_norm(x, m.arange(4.0), m.arange(1.0, 5.0), None, None)", [(3, 4, 2)]),
    ("F.batch_norm(x, m.arange(4.0).double(), m.arange(1.0, 5.0).double(), y, z)", [(3, 4, 2), (4,), (4,)]),
    ("F.batch_norm(x, m.arange(4.0).double(), m.arange(1.0, 5.0).double(), y, z)", [(3, 4), (4,), (4,)]),
    ("F.instance_norm(x, None, None, y, z)", [(3, 4, 5), (4,), (4,)]),
]  # fmt: skip


@pytest.mark.parametrize("kinds", [["row"] * 3, ["transposed", "sliced", "offset"], ["expanded"]])
@pytest.mark.parametrize(("expression", "shapes"), CALLS)
def test_gradients_are_those_of_torch(torch, expression, shapes, kinds):
    arrays = numbers(*shapes)
    if "arange(4.0), " in expression:
        expression = expression.replace("0)", "0, dtype=m.float64)")
    for second in (False, True):  # the kernel, and the formulas that can be differentiated again
        assert_like_torch(torch, expression, arrays, kinds[: len(arrays)], 1e-9, second)


@pytest.mark.parametrize(("expression", "shapes"), [call for call in CALLS if max(call[1][0]) < 1500])
def test_gradients_are_those_that_differences_show(expression, shapes):
    if max(shapes[0]) > 40 or "arange(4.0), " in expression:
        return
    assert_like_differences(expression, [a / 3 for a in numbers(*shapes)], second=False)


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_sixteen_bits_are_rounded_once(half):
    x, w = (tl.tensor(a.astype("float32")).to(getattr(tl, half)) for a in numbers((5, 64), (64,)))
    wide = F.layer_norm(x.float(), (64,), w.float())
    assert F.layer_norm(x, (64,), w).tolist() == wide.to(x.dtype).tolist()
    mixed = F.layer_norm(x, (64,), w.float(), w.float())
    assert mixed.dtype is x.dtype


def test_gradients_of_sixteen_bits(torch):
    x, w = (a.astype("float16") for a in numbers((5, 64), (64,)))
    found = []
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        leaves = [library.tensor(x).requires_grad_(), library.tensor(w).float().requires_grad_()]
        functional.layer_norm(leaves[0], (64,), leaves[1]).sum().backward()
        found.append([leaf.grad for leaf in leaves])
    for ours, theirs in zip(*found, strict=True):
        agree(ours, theirs, 4e-3)


@pytest.mark.parametrize("shape", [(4, 6), (4, 6, 3), (2, 6, 2, 3), (1, 6, 5)])
def test_running_statistics(torch, shape):
    (x,) = numbers(shape)
    for name in ("batch_norm", "instance_norm"):
        if name == "instance_norm" and len(shape) == 2:
            continue
        found = []
        for library, functional in ((tl, F), (torch, torch.nn.functional)):
            running = [library.zeros(6, dtype=library.float64), library.ones(6, dtype=library.float64)]
            flag = {"training": True} if name == "batch_norm" else {"use_input_stats": True}
            result = getattr(functional, name)(library.tensor(x), *running, momentum=0.3, **flag)
            flag = dict.fromkeys(flag, False)
            fixed = getattr(functional, name)(library.tensor(x), *running, **flag)
            found.append((result, fixed, *running))
        agree(found[0], found[1], 1e-12)


def test_running_statistics_count_as_written():
    mean, var = tl.zeros(3), tl.ones(3)
    F.batch_norm(tl.ones(4, 3), mean, var, training=True)
    assert mean._version > 0
    assert var._version > 0


@pytest.mark.parametrize("shape", [(0, 6, 4), (2, 6, 0), (0, 6)])
def test_without_elements(torch, shape):
    for name, arguments in (("layer_norm", (shape[-1:],)), ("group_norm", (3,)), ("rms_norm", (shape[-1:],)),
                            ("batch_norm", (None, None, None, None, True))):  # fmt: skip
        ours, theirs = tl.zeros(shape, requires_grad=True), torch.zeros(shape, requires_grad=True)
        result = getattr(F, name)(ours, *arguments)
        expected = getattr(torch.nn.functional, name)(theirs, *arguments)
        assert tuple(result.shape) == tuple(expected.shape)
        result.sum().backward()
        assert ours.grad.shape == ours.shape


def test_memory_formats(torch):
    (values,) = numbers((2, 6, 4, 5))
    x = tl.tensor(values.astype("float32")).contiguous(memory_format=tl.channels_last)
    other = torch.nn.functional
    agree(F.group_norm(x, 3), other.group_norm(twin(torch, x), 3), 1e-5)
    arguments = (None, None, None, None, True)
    agree(F.batch_norm(x, *arguments), other.batch_norm(twin(torch, x), *arguments), 1e-5)
    agree(F.layer_norm(x, (5,)), other.layer_norm(twin(torch, x), (5,)), 1e-5)
    for sizes, strides in (((2, 4, 1, 7), (28, 1, 4, 4)), ((5, 1, 4, 6), (24, 1, 6, 1))):  # sizes of 1
        x = tl.tensor(values.astype("float32")).as_strided(sizes, strides)
        agree(F.batch_norm(x, *arguments), other.batch_norm(twin(torch, x), *arguments), 1e-5)


def test_rows_beyond_the_caches():
    """Of many cells the kernels ask for the next row, which changes no result."""
    x, up = (tl.tensor(a.astype("float32")) for a in numbers((2300, 1000), (2300, 1000)))
    w, b = (tl.tensor(a.astype("float32")) for a in numbers((1000,), (1000,), seed=1))
    found, few = [], slice(1200, 1300)
    for rows in (slice(None), few):
        leaves = [t.detach().clone().requires_grad_() for t in (x[rows], w, b)]
        result = F.layer_norm(leaves[0], (1000,), *leaves[1:])
        found.append([result, *tl.autograd.grad(result, leaves, up[rows])])
    assert found[0][0][few].equal(found[1][0])
    np.testing.assert_allclose(found[0][1][few], found[1][1], rtol=1e-5, atol=1e-6)
    grad = up.numpy().astype(float)
    np.testing.assert_allclose(found[0][2], (grad * defined(x, 1)).sum(0), rtol=1e-5, atol=1e-2)
    np.testing.assert_allclose(found[0][3], grad.sum(0), rtol=1e-5, atol=1e-2)


@pytest.mark.parametrize("threads", [1, 3])
def test_many_rows_whatever_the_threads(threads):
    x, w = (tl.tensor(a.astype("float32")) for a in numbers((600, 700), (700,)))
    x.requires_grad_()
    w.requires_grad_()
    before = tl.get_num_threads()
    try:
        tl.set_num_threads(threads)
        result = F.layer_norm(x, (700,), w)
        result.backward(tl.ones(600, 700))
    finally:
        tl.set_num_threads(before)
    z = defined(x.detach(), 1)
    np.testing.assert_allclose(result.detach(), z * w.detach().numpy(), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(w.grad, z.sum(0), rtol=1e-4, atol=1e-3)


X = tl.ones(2, 6, 4)
REFUSED = [
    (lambda: F.layer_norm(X, (5,)), RuntimeError, r"Given normalized_shape=\[5\], expected input with"),
    (lambda: F.layer_norm(X, ()), RuntimeError, "at least 1-dimensional"),
    (lambda: F.layer_norm(X, 4), TypeError, r"must be tuple of ints, not int.*write \(4,\)"),
    (lambda: F.layer_norm(X, (4,), tl.ones(5)), RuntimeError, "weight to be of same shape"),
    (lambda: F.layer_norm(X.long(), (4,)), NotImplementedError, "not implemented for int64"),
    (lambda: F.layer_norm(X, (4,), tl.ones(4).double()), RuntimeError, "mixed dtype"),
    (lambda: F.group_norm(X, 4), RuntimeError, "divisible by num_groups"),
    (lambda: F.group_norm(X, 0), ZeroDivisionError, "0 groups"),
    (lambda: F.group_norm(tl.ones(6), 1), RuntimeError, "at least 2 dimensions"),
    (lambda: F.group_norm(tl.ones(1, 6), 6), ValueError, "more than 1 value per channel"),
    (lambda: F.batch_norm(X, None, None), RuntimeError, "running_mean must be defined in evaluation mode"),
    (lambda: F.batch_norm(X, tl.zeros(5), tl.ones(6)), RuntimeError, "contain 6 elements not 5"),
    (lambda: F.batch_norm(tl.ones(1, 6), None, None, training=True), ValueError, "more than 1 value"),
    (lambda: F.batch_norm(tl.ones(6), None, None, training=True), IndexError, "Dimension out of range"),
    (lambda: F.batch_norm(tl.ones(6), tl.zeros(6), tl.ones(6)), RuntimeError, "unsqueeze"),
    (lambda: F.batch_norm(X, None, None, momentum=None, training=True), TypeError, "must be float"),
    (lambda: F.batch_norm(X, None, None, eps=0, training=True), ValueError, "eps must be positive"),
    (lambda: F.instance_norm(X[:, :, :1]), ValueError, "more than 1 spatial element"),
    (lambda: F.instance_norm(X, tl.zeros(6)), ValueError, "must either both be None"),
    (lambda: F.instance_norm(X, use_input_stats=False), RuntimeError, "to be defined when use_input_stats"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
