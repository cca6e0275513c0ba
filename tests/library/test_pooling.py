"""Pooling: against its definition in NumPy, and against PyTorch."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.test_kernels import run

FORMS = [  # window, stride, padding, dilation
    (1, 1, 0, 1), (2, 2, 0, 1), (3, 1, 1, 1), ((3, 2), (2, 3), (1, 0), (1, 2)), (3, 2, 1, 2),
    ((1, 5), 1, (0, 2), 1),
]  # fmt: skip


def both(each):
    return (each, each) if isinstance(each, int) else each


def windows(x, window, stride, padding, dilation):
    """The numbers of each window that lie in the image, and their places, for each image and channel."""
    (kh, kw), (sh, sw), (ph, pw), (dh, dw) = map(both, (window, stride, padding, dilation))
    height, width = x.shape[2:]
    down = (height + 2 * ph - dh * (kh - 1) - 1) // sh + 1
    across = (width + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    for i, j in itertools.product(range(down), range(across)):
        rows = [v for v in range(i * sh - ph, i * sh - ph + kh * dh, dh) if 0 <= v < height]
        columns = [u for u in range(j * sw - pw, j * sw - pw + kw * dw, dw) if 0 <= u < width]
        yield (
            x[:, :, rows][..., columns].reshape(*x.shape[:2], -1),
            [v * width + u for v in rows for u in columns],
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_by_the_definition(form, kind):
    x = lay_out(random_values((2, 3, 7, 9), "float64", 0), kind)
    parts = list(windows(np.array(x.tolist()), *form))
    values, places = F.max_pool2d(x, *form, return_indices=True)
    np.testing.assert_array_equal(
        values.flatten(2).numpy(), np.stack([part.max(-1) for part, _ in parts], -1)
    )
    np.testing.assert_array_equal(
        places.flatten(2).numpy(), np.stack([np.array(at)[part.argmax(-1)] for part, at in parts], -1)
    )
    if form[3] == 1:
        means = F.avg_pool2d(x, *form[:3], count_include_pad=False)
        np.testing.assert_allclose(
            means.flatten(2).numpy(), np.stack([part.mean(-1) for part, _ in parts], -1), rtol=1e-12
        )


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", [*KINDS, "channels last"])
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64", "int32", "int8", "uint8"])
def test_the_greatest_are_the_same_without_their_places(form, kind, dtype):
    x = lay_out(random_values((2, 3, 7, 9), "float32", 0), "row" if kind == "channels last" else kind)
    if dtype.endswith(("float32", "float16")):
        x = x.where(x > -12, tl.nan).where(x < 12, -tl.inf)
    x = x.abs().to(getattr(tl, dtype)) if dtype == "uint8" else x.to(getattr(tl, dtype))
    if kind == "channels last":
        x = x.contiguous(memory_format=tl.channels_last)
    for call, image, arguments in (
        (F.max_pool2d, x, form),
        (F.adaptive_max_pool2d, x, ((3, 2),)),
        (F.max_pool1d, x[0], (2,)),
    ):
        if not x.dtype.is_floating_point and call is not F.max_pool2d:
            continue
        alone, (values, _) = call(image, *arguments), call(image, *arguments, return_indices=True)
        assert alone.stride() == values.stride() or call is F.max_pool1d
        assert repr(alone) == repr(values)


@pytest.mark.part(2)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64", "int32", "int8", "uint8"])
def test_dtypes(torch, dtype):
    x = (torch.randn(2, 3, 8, 9) * 30).to(getattr(torch, dtype))
    ours = tl.tensor(x.tolist(), dtype=tl.dtypes.by_name(dtype))
    values, places = F.max_pool2d(ours, 3, 2, 1, return_indices=True)
    expected, expected_places = torch.nn.functional.max_pool2d(x, 3, 2, 1, return_indices=True)
    assert (values.tolist(), places.tolist()) == (expected.tolist(), expected_places.tolist())
    assert values.dtype is ours.dtype
    assert places.dtype is tl.int64
    if dtype in ("float16", "bfloat16", "int64"):
        assert F.avg_pool2d(ours, 3).tolist() == torch.nn.functional.avg_pool2d(x, 3).tolist()
        override = {"divisor_override": -4}
        expected = torch.nn.functional.avg_pool2d(x, 3, **override)
        assert F.avg_pool2d(ours, 3, **override).tolist() == expected.tolist()


def test_nan_infinities_and_equals(torch):
    nan, inf = float("nan"), float("inf")
    for numbers in ([1.0, nan, 3.0, nan, 2.0, 0.0, nan, 1.0], [-inf] * 8, [1.0] * 8, [inf, nan] * 4):
        for window in ((2, 2), (2, 4), (1, 4)):
            ours = F.max_pool2d(tl.tensor(numbers).view(1, 2, 4), window, return_indices=True)
            theirs = torch.nn.functional.max_pool2d(
                torch.tensor(numbers).view(1, 2, 4), window, return_indices=True
            )
            assert str(ours[0].tolist()) == str(theirs[0].tolist())
            assert ours[1].tolist() == theirs[1].tolist()


def random_call(torch, rng):
    """The name of a function, a tensor and the other arguments."""
    dims = rng.choice([1, 2, 2])
    name = rng.choice(["max", "max", "avg", "avg", "adaptive_avg", "adaptive_max"]) + f"_pool{dims}d"

    def numbers(low, *most):
        return tuple(rng.randint(low, rng.choice(most)) for _ in range(dims))

    sizes = numbers(1, 4, 20)
    x = torch.randn(rng.choice([0, 1, 2]), rng.choice([1, 3, 17]), *sizes, dtype=torch.float64)
    how = rng.choice(["row", "channels last", "turned", "sliced"])
    if how == "channels last" and dims == 2:
        x = x.to(memory_format=torch.channels_last)
    elif how == "turned":
        x = x.transpose(-1, -2).contiguous().transpose(-1, -2)
    elif how == "sliced":
        x = torch.randn([2 * size for size in x.shape], dtype=torch.float64)[
            tuple(slice(None, None, 2) for _ in x.shape)
        ]
    if x.shape[0] == 1 and rng.random() < 0.5:
        x = x[0]
    if name.startswith("adaptive"):
        return name, x, (numbers(0, 3, 9),), {}
    window = numbers(1, 2, 3, 5)
    before = tuple(rng.randint(0, size // 2) for size in window)
    keywords = {"stride": numbers(1, 3), "padding": before, "ceil_mode": rng.random() < 0.5}
    if name.startswith("max"):
        keywords["dilation"] = numbers(1, 1, 3)
    else:
        keywords["count_include_pad"] = rng.random() < 0.5
        if dims == 2 and rng.random() < 0.3:
            keywords["divisor_override"] = 3
    return name, x, (window,), keywords


@pytest.mark.parametrize("seed", range(120))
def test_random_calls_agree_with_pytorch(torch, seed):
    """Results, strides, names of nodes, places, gradients, gradients of gradients, and types of errors."""
    torch.manual_seed(seed)
    name, x, arguments, keywords = random_call(torch, random.Random(seed))
    theirs, ours = x.detach().requires_grad_(), tl.from_numpy(x.numpy()).requires_grad_()
    try:
        expected = getattr(torch.nn.functional, name)(theirs, *arguments, **keywords)
    except RuntimeError:
        with pytest.raises(RuntimeError):
            getattr(F, name)(ours, *arguments, **keywords)
        return
    if (
        expected.isinf().any()
    ):  # a window beside the image, whose gradient PyTorch writes outside of its memory
        with pytest.raises(RuntimeError, match="meets no number"):
            getattr(F, name)(ours, *arguments, **keywords)
        return
    result = getattr(F, name)(ours, *arguments, **keywords)
    assert result.stride() == expected.stride()
    if "AsStrided" not in expected.grad_fn.name():
        assert result.grad_fn.name() == expected.grad_fn.name()
    np.testing.assert_allclose(result.detach().numpy(), expected.detach().numpy(), rtol=1e-12, atol=1e-13)
    if "max" in name:
        places, expected_places = (
            getattr(library, name)(tensor, *arguments, **keywords, return_indices=True)[1]
            for library, tensor in ((F, ours), (torch.nn.functional, theirs))
        )
        assert (places.tolist(), places.stride()) == (expected_places.tolist(), expected_places.stride())
    if not expected.numel():
        return
    g = torch.randn(expected.shape, dtype=expected.dtype)
    (first,) = torch.autograd.grad((expected**2 * g).sum(), theirs, create_graph=True)
    (our_first,) = tl.autograd.grad((result**2 * tl.from_numpy(g.numpy())).sum(), ours, create_graph=True)
    np.testing.assert_allclose(our_first.detach().numpy(), first.detach().numpy(), rtol=1e-10, atol=1e-12)
    (second,) = torch.autograd.grad((first**2).sum(), theirs)
    (our_second,) = tl.autograd.grad((our_first**2).sum(), ours)
    np.testing.assert_allclose(our_second.numpy(), second.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda x: F.avg_pool2d(x, (2, 3), 1, (1, 0), count_include_pad=False),
        lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
        lambda x: F.adaptive_max_pool2d(x, (2, 3)),
    ],
)
def test_gradients_are_differences(call):
    values = np.random.default_rng(0).permutation(2 * 5 * 7).reshape(1, 2, 5, 7) / 10
    for kind in ("row", "transposed"):
        x = lay_out(values, kind).requires_grad_()
        assert tl.autograd.gradcheck(call, (x,))
        assert tl.autograd.gradgradcheck(call, (x,))


WRONG = """
F.max_pool2d(x, 0)
F.max_pool2d(x, (2, 2, 2))
F.max_pool2d(x, 2, 0)
F.max_pool2d(x, 2, padding=2)
F.max_pool2d(x, 2, padding=-1)
F.max_pool2d(x, 2, dilation=0)
F.max_pool2d(x, 9)
F.max_pool2d(x[0, 0], 2)
F.max_pool2d(x[:, :0], 2)
F.max_pool2d(x[:, :, :0], 2)
F.max_pool2d([1.0], 2)
F.max_pool2d(x, 2.5)
F.max_pool2d(x > 0, 2)
F.max_pool1d(x, 2)
F.max_pool1d(x[0].long(), 2)
F.avg_pool2d(x, 0)
F.avg_pool2d(x, 2, (1, 1, 1))
F.avg_pool2d(x[0, 0], 2)
F.avg_pool2d(x, 2, divisor_override=0)
F.avg_pool2d(x.int(), 2)
F.avg_pool1d(x[0], (2, 2))
F.adaptive_avg_pool2d(x, (2, 2, 2))
F.adaptive_avg_pool2d(x, -1)
F.adaptive_avg_pool2d(x[0, 0], 2)
F.adaptive_avg_pool2d(x[0, 0], (2, 2))
F.adaptive_avg_pool2d(x[:, :, :0], 2)
F.adaptive_avg_pool2d(x.long(), 2)
F.adaptive_max_pool2d(x, -1)
F.adaptive_avg_pool1d(x, 2)
"""


@pytest.mark.parametrize("call", WRONG.split("\n")[1:-1])
def test_errors_are_of_pytorchs_types(torch, call):
    kinds = []
    for functional, x in ((torch.nn.functional, torch.ones(2, 4, 6, 8)), (F, tl.ones(2, 4, 6, 8))):
        with pytest.raises((RuntimeError, TypeError, IndexError, ValueError)) as caught:
            eval(call, {"F": functional, "x": x})
        kinds.append(RuntimeError if caught.type is NotImplementedError else caught.type)
    assert kinds[0] is kinds[1]


def test_gradients_of_halves_are_summed_up_in_float32():
    x = tl.ones(1, 1, 1, 2048, dtype=tl.float16).requires_grad_()
    F.avg_pool2d(x, (1, 1025), 1, divisor_override=1).sum().backward()
    assert x.grad[0, 0, 0, 1023:1025].tolist() == [1024.0, 1024.0]


INTERPRETED = """
import tensorlab as tl, tensorlab.nn.functional as F
x = (tl.arange(2 * 3 * 5 * 6, dtype=tl.float32) * 7 % 11).view(2, 3, 5, 6).requires_grad_()
y, at = F.max_pool2d(x, 3, 2, 1, return_indices=True)
z = F.avg_pool2d(x.to(memory_format=tl.channels_last), 2, padding=1)
(y.sum() + z.sum()).backward()
print(y.tolist(), at.tolist(), z.tolist(), x.grad.tolist())
"""


def test_interpreted_kernels_give_the_same():
    assert run(INTERPRETED, NUMBA_DISABLE_JIT="1") == run(INTERPRETED, NUMBA_DISABLE_JIT="0")
