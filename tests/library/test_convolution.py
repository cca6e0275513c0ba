"""Convolution and its transpose: against their definition in NumPy, and against PyTorch."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.backends.cpu import machine, threads
from tensorlab.backends.cpu.convolution import PARTS
from tensorlab.backends.cpu.convolution.geometry import for_gradient, for_result
from tensorlab.backends.cpu.gemm.blocks import blocks
from tensorlab.backends.windows import Correlation, Window
from tests.library.layouts import KINDS, lay_out
from tests.library.test_kernels import run


def defined(x, w, b, step, before, dilation, groups):
    """The definition: every result by itself, as a sum over its group's channels and the window's taps."""
    dims = x.ndim - 2
    padded = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in before]])
    sizes = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, s, p, d in zip(x.shape[2:], w.shape[2:], step, before, dilation, strict=True)
    ]
    out = np.zeros((x.shape[0], w.shape[0], *sizes), x.dtype)
    of_group = w.shape[0] // groups
    for m, place in itertools.product(range(w.shape[0]), np.ndindex(*sizes)):
        first = m // of_group * w.shape[1]
        covered = tuple(
            slice(i * s, i * s + d * (k - 1) + 1, d)
            for i, s, d, k in zip(place, step, dilation, w.shape[2:], strict=True)
        )
        part = padded[(slice(None), slice(first, first + w.shape[1]), *covered)]
        out[(slice(None), m, *place)] = (part * w[m]).sum(tuple(range(1, dims + 2)))
    return out if b is None else out + b.reshape(-1, *[1] * dims)


def whole(shape, seed=0):
    """Small whole numbers, with which sums are exact in any order."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float64)


CASES = [
    # images, channels, results, groups, size, window, stride, padding, dilation
    (1, 1, 1, 1, (5,), (3,), (1,), (0,), (1,)),
    (2, 3, 4, 1, (40,), (5,), (2,), (2,), (2,)),
    (1, 1, 1, 1, (1, 1), (1, 1), (1, 1), (0, 0), (1, 1)),
    (2, 3, 5, 1, (6, 7), (3, 2), (1, 1), (1, 0), (1, 1)),
    (2, 4, 6, 2, (9, 8), (3, 3), (2, 1), (1, 1), (1, 2)),
    (1, 6, 6, 6, (8, 8), (3, 3), (1, 1), (1, 1), (1, 1)),
    (1, 2, 9, 1, (5, 33), (2, 4), (3, 2), (4, 0), (2, 3)),
    (3, 33, 17, 1, (4, 4), (3, 3), (1, 1), (1, 1), (1, 1)),
    (1, 2, 2, 1, (3, 3), (1, 1), (3, 2), (0, 2), (1, 1)),
    (1, 1, 2, 1, (20, 20), (18, 18), (1, 1), (1, 1), (1, 1)),
    (2, 3, 1, 1, (9, 70), (3, 3), (1, 2), (1, 1), (1, 1)),
    (1, 4, 8, 4, (7, 6), (2, 2), (2, 1), (0, 1), (1, 1)),
    (2, 3, 4, 1, (3, 4, 5), (2, 2, 3), (1, 2, 1), (1, 0, 1), (1, 1, 2)),
]


def drawn(case):
    n, channels, results, groups, size, window, *form = case
    x, w = whole((n, channels, *size)), whole((results, channels // groups, *window), 1)
    return x, w, whole(results, 2), (*form, groups)


def convolve(x, w, b, step, before, dilation, groups):
    function = getattr(F, f"conv{w.ndim - 2}d")
    return function(x, w, b, stride=step, padding=before, dilation=dilation, groups=groups)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_result_is_its_sum(case, kind):
    x, w, b, form = drawn(case)
    if kind == "expanded":
        x, w, b = (np.repeat(array[:1], len(array), 0) for array in (x, w, b))
    result = convolve(*(lay_out(array, kind) for array in (x, w, b)), *form)
    np.testing.assert_array_equal(result.numpy(), defined(x, w, b, *form))


@pytest.mark.part(4)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int8"])
@pytest.mark.parametrize("case", CASES[3:6], ids=str)
def test_every_dtype(case, dtype):
    x, w, b, form = drawn(case)
    kind = tl.dtypes.by_name(dtype)
    result = convolve(*(tl.tensor(array).to(kind) for array in (x, w, b)), *form)
    assert result.dtype is kind
    expected = tl.tensor(defined(x, w, b, *form)).to(kind)
    assert result.tolist() == expected.tolist()


def test_halves_are_summed_up_in_float32_and_rounded_once():
    x, w = (
        np.random.default_rng(i).normal(size=s).astype("f")
        for i, s in enumerate([(1, 40, 6, 6), (8, 40, 3, 3)])
    )
    x, w = (tl.tensor(array).to(tl.float16) for array in (x, w))
    wide = F.conv2d(x.to(tl.float32), w.to(tl.float32))
    assert F.conv2d(x, w).tolist() == wide.to(tl.float16).tolist()


def test_an_infinity_that_a_tap_does_not_meet_is_not_in_its_gradient():
    """Between the lines of gradients the kernel has zeros, beside the image's last column."""
    x = whole((3, 2, 4, 6))
    x[1, 0, 2, 5] = np.inf
    w = tl.ones(2, 1, 1, 2, dtype=tl.float64).requires_grad_()
    F.conv2d(tl.tensor(x), w, groups=2).sum().backward()
    expected = np.stack([x[..., :5].sum((0, 2, 3)), x[..., 1:].sum((0, 2, 3))], -1)
    assert np.isinf(expected).sum() == 1
    np.testing.assert_array_equal(w.grad.numpy().reshape(2, 2), expected)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_transpose_is_the_gradient_and_the_other_way_round(case):
    """``<y, conv(x)> = <conv_transpose(y), x>``, exactly."""
    x, w, _, (step, before, dilation, groups) = drawn(case)
    y = convolve(*map(tl.tensor, (x, w)), None, step, before, dilation, groups)
    g = tl.tensor(whole(y.shape, 3))
    sizes = [
        size - ((n - 1) * s - 2 * p + d * (k - 1) + 1)
        for size, n, s, p, d, k in zip(
            x.shape[2:], y.shape[2:], step, before, dilation, w.shape[2:], strict=True
        )
    ]
    back = getattr(F, f"conv_transpose{w.ndim - 2}d")(
        g, tl.tensor(w), None, step, before, sizes, groups, dilation
    )
    assert tuple(back.shape) == x.shape
    assert (back * tl.tensor(x)).sum().item() == (g * y).sum().item()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("case", [CASES[i] for i in (1, 3, 4, 6, 8, 11, 12)], ids=str)
def test_gradients_are_differences(case, transposed):
    x, w, b, (step, before, dilation, groups) = drawn((min(case[0], 2), *case[1:4], *case[4:]))
    x, w, b = ((array + 0.3) / 4 for array in (x[..., :12], w, b))
    name = f"conv_transpose{w.ndim - 2}d" if transposed else f"conv{w.ndim - 2}d"
    if transposed:  # the results' channels are the input's
        x, b = np.resize(x, (x.shape[0], w.shape[0], *x.shape[2:])), np.resize(b, groups * w.shape[1])
        before = tuple(min(p, 1) for p in before)
    keywords = {"stride": step, "padding": before, "dilation": dilation, "groups": groups}
    leaves = [tl.tensor(array).requires_grad_() for array in (x, w, b)]
    assert tl.autograd.gradcheck(lambda *t: getattr(F, name)(*t, **keywords), leaves)


def test_second_derivatives_are_differences():
    x, w = (
        tl.tensor(whole(shape, i) / 4).requires_grad_()
        for i, shape in enumerate([(1, 2, 4, 5), (2, 1, 2, 3)])
    )
    for function in (F.conv2d, F.conv_transpose2d):
        assert tl.autograd.gradgradcheck(
            lambda a, b, function=function: function(a, b, stride=(1, 2), padding=(0, 1), groups=2), (x, w)
        )


@pytest.mark.parametrize("sizes", [(0, 3, 5, 5), (2, 3, 0, 5)])
def test_images_without_numbers(sizes):
    weight = tl.ones(4, 3, 2, 2)
    if sizes[0]:
        with pytest.raises(RuntimeError, match="zero batch"):
            F.conv2d(tl.ones(sizes), weight, padding=1)
        return
    x = tl.ones(sizes).requires_grad_()
    w = weight.requires_grad_()
    F.conv2d(x, w).sum().backward()
    assert x.grad.shape == sizes
    assert w.grad.tolist() == tl.zeros(4, 3, 2, 2).tolist()


def random_call(torch, rng):
    """A random call, as PyTorch's function, its tensors and its other arguments."""
    dims, groups = rng.choice([1, 2, 2, 3]), rng.choice([1, 1, 2, 3])
    channels, results = rng.choice([1, 2, 5, 17]), rng.choice([1, 2, 7, 33])
    most = 14 if dims < 3 else 6

    def numbers(low, *most):
        return [rng.randint(low, rng.choice(most)) for _ in range(dims)]

    size, window = numbers(1, most), numbers(1, 2, 3, 5)
    step, before, dilation = numbers(1, 1, 1, 3), numbers(0, 0, 2, 5), numbers(1, 1, 1, 4)
    transposed, n = rng.random() < 0.4, rng.choice([0, 1, 2, 3])
    kind = rng.choice([torch.float64, torch.float64, torch.float32])

    def tensor(*shape):
        made = torch.randn(*shape, dtype=kind)
        how = rng.choice(["row", "channels last", "turned", "sliced"])
        if how == "channels last" and len(shape) == 4:
            return made.to(memory_format=torch.channels_last)
        if how == "turned" and len(shape) > 1:
            return made.transpose(-1, -2).contiguous().transpose(-1, -2)
        if how == "sliced":
            wide = torch.randn([2 * size for size in shape], dtype=kind)
            return wide[tuple(slice(None, None, 2) for _ in shape)]
        return made

    x = tensor(n, groups * (results if transposed else channels), *size)
    w = tensor(groups * results, channels, *window)
    b = tensor(groups * (channels if transposed else results)) if rng.random() < 0.6 else None
    keywords = {"stride": step, "padding": before, "dilation": dilation, "groups": groups}
    if transposed:
        keywords["output_padding"] = [
            rng.randint(0, max(s, d) - 1) for s, d in zip(step, dilation, strict=True)
        ]
    elif rng.random() < 0.2:
        keywords["padding"] = rng.choice(["same", "valid"])
    name = f"conv{'_transpose' * transposed}{dims}d"
    return name, [x[0] if n == 1 else x, w, *([] if b is None else [b])], keywords


def near(ours, theirs, tolerance):
    assert tuple(ours.shape) == tuple(theirs.shape)
    scale = max(1.0, float(theirs.detach().abs().max())) if theirs.numel() else 1.0
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("seed", range(60))
def test_random_calls_agree_with_pytorch(torch, seed):
    """Results, strides, names of nodes, gradients, gradients of gradients, and types of errors."""
    torch.manual_seed(seed)
    name, tensors, keywords = random_call(torch, random.Random(seed))
    theirs = [t.detach().requires_grad_() for t in tensors]
    ours = [tl.from_numpy(t.numpy()).requires_grad_() for t in tensors]
    try:
        expected = getattr(torch.nn.functional, name)(*theirs, **keywords)
    except RuntimeError:
        with pytest.raises(RuntimeError):
            getattr(F, name)(*ours, **keywords)
        return
    if 0 in expected.shape and tensors[0].numel():
        pytest.skip(
            "PyTorch allows a transpose of which the padding leaves nothing in float32, and not in float64"
        )
    result = getattr(F, name)(*ours, **keywords)
    tolerance = 1e-12 if tensors[0].dtype is torch.float64 else 2e-5
    assert result.grad_fn.name() == expected.grad_fn.name()
    assert result.stride() == expected.stride()
    near(result, expected, tolerance)
    if not expected.numel():
        return
    g = torch.randn(expected.shape, dtype=expected.dtype)
    their_first = torch.autograd.grad(expected, theirs, g, create_graph=True)
    our_first = tl.autograd.grad(result, ours, tl.from_numpy(g.numpy()), create_graph=True)
    for mine, other in zip(our_first, their_first, strict=True):
        near(mine, other, 20 * tolerance)
    their_second = torch.autograd.grad(sum((t * t).sum() for t in their_first), theirs[:2])
    our_second = tl.autograd.grad(sum([(t * t).sum() for t in our_first]), ours[:2])
    for mine, other in zip(our_second, their_second, strict=True):
        near(mine, other, 400 * tolerance)


WRONG = """
m.conv2d(x, w[:, :3])
m.conv2d(x, w, groups=2)
m.conv2d(x, w[:5, :2], groups=2)
m.conv2d(x, w, groups=0)
m.conv2d(x, w, padding=-1)
m.conv2d(x, w, stride=0)
m.conv2d(x, w, dilation=0)
m.conv2d(x[:, :, :2], w)
m.conv2d(x, w, b[:5])
m.conv2d(x, w, b[:, None])
m.conv2d(x, w.double())
m.conv2d(x, w, b.double())
m.conv2d(x, w[0])
m.conv2d(x[0, 0], w)
m.conv2d(x, w, stride=(1, 1, 1))
m.conv2d(x, w, stride=1.5)
m.conv2d(x, None)
m.conv2d([1.0], w)
m.conv2d(x, w, padding="same", stride=2)
m.conv2d(x, w, padding="around")
m.conv2d(x, w[:0])
m.conv2d(x > 0, w > 0)
m.conv_transpose2d(x, w)
m.conv_transpose2d(x, w.mT.transpose(0, 1), output_padding=1)
m.conv_transpose2d(x, w.transpose(0, 1), output_padding=-1)
m.conv_transpose2d(x, w.transpose(0, 1), b[:5])
m.conv_transpose2d(x, w.transpose(0, 1), padding="same")
m.conv_transpose2d(x, w.transpose(0, 1), groups=3)
"""


@pytest.mark.parametrize("call", WRONG.split("\n")[1:-1])
def test_errors_are_of_pytorchs_types(torch, call):
    arrays = {"x": whole((2, 4, 6, 8)), "w": whole((6, 4, 3, 3)), "b": whole(6)}

    def kind(library):
        operands = {name: library.tensor(array).float() for name, array in arrays.items()}
        with pytest.raises((RuntimeError, TypeError)) as caught:
            eval(call, {"m": library, **operands})
        return RuntimeError if isinstance(caught.value, NotImplementedError) else caught.type

    assert kind(tl) is kind(torch)


def test_the_result_does_not_depend_on_the_threads():
    x, w = (
        tl.tensor(np.random.default_rng(i).normal(size=s).astype("f"))
        for i, s in enumerate([(3, 20, 30, 31), (24, 20, 3, 3)])
    )
    before, found = threads.get_num_threads(), []
    try:
        for team in (1, 2, 4):
            threads.set_num_threads(team)
            leaves = [t.detach().requires_grad_() for t in (x, w)]
            y = F.conv2d(*leaves, padding=1)
            y.backward(y.detach())
            found.append([t.tolist() for t in (y.detach(), *(leaf.grad for leaf in leaves))])
    finally:
        threads.set_num_threads(before)
    assert found[0] == found[1] == found[2]


def test_the_workspace_is_bounded():
    """At most a second-level cache for each thread, whatever the sizes."""
    rng, caches = random.Random(0), machine.caches()
    for _ in range(200):
        n, c, m = (rng.choice(sizes) for sizes in ((1, 8, 64), (1, 3, 64, 1024), (1, 16, 1024)))
        height, width, kernel = (
            rng.choice([1, 14, 224]),
            rng.choice([7, 56, 1024, 20_000]),
            rng.choice([1, 3, 7, 11]),
        )
        step, dilation = rng.choice([1, 2, 4]), rng.choice([1, 2, 16])
        windows = [Window(1, 1, 1, (0,))]
        for extent, taps in ((height, min(kernel, height)), (width, kernel)):
            size = (extent + 2 * (kernel // 2) - dilation * (taps - 1) - 1) // step + 1
            offsets = tuple(tap * dilation - kernel // 2 for tap in range(taps))
            windows.append(Window(max(size, 1), extent, step, offsets))
        taps = tuple(range(len(windows[1].offsets) * kernel))
        problem = Correlation(n, 1, m, c, tuple(windows), (0,) * 6, (0,) * 6, (0, 0, 0), taps)
        for size, make, team in itertools.product((4, 8), (for_result, for_gradient), (1, 4)):
            block, _ = make(problem, blocks(size), caches.second // PARTS // size, team)
            assert block.cells * size <= 1.1 * caches.second


INTERPRETED = """
import tensorlab as tl
x = (tl.arange(2 * 3 * 5 * 6, dtype=tl.float32) % 7).view(2, 3, 5, 6).requires_grad_()
w = (tl.arange(4 * 3 * 3 * 2, dtype=tl.float32) % 5).view(4, 3, 3, 2).requires_grad_()
y = tl.conv2d(x, w, tl.ones(4), stride=(2, 1), padding=1)
y.backward(y.detach())
print(y.tolist(), x.grad.tolist(), w.grad.tolist())
"""


def test_interpreted_kernels_give_the_same():
    assert run(INTERPRETED, NUMBA_DISABLE_JIT="1") == run(INTERPRETED, NUMBA_DISABLE_JIT="0")
