"""Padding: against NumPy's, and against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.layouts import KINDS, lay_out, random_values

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
CASES = [
    ((3, 5), (2, 1)),
    ((2, 3, 5), (4, 0)),
    ((2, 3, 4, 5), (1, 2, 3, 0)),
    ((1, 2, 4, 3, 5), (1, 1, 0, 2, 3, 2)),
]


@pytest.mark.parametrize("dtype", ["float32", "int64", "float16", "uint8"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("shape", "widths"), CASES, ids=str)
def test_as_numpy_pads(shape, widths, mode, dtype):
    values = random_values(shape, dtype, 0)
    pairs = [(0, 0)] * (len(shape) - len(widths) // 2)
    pairs += [(widths[i], widths[i + 1]) for i in range(len(widths) - 2, -1, -2)]
    expected = np.pad(values, pairs, MODES[mode])
    for kind in KINDS[:4]:
        assert F.pad(lay_out(values, kind), widths, mode).tolist() == expected.tolist()


def twins(torch, shape, how):
    made = torch.randn(shape, dtype=torch.float64)
    if how == "channels last":
        made = made.to(memory_format=torch.channels_last)
    elif how == "turned":
        made = made.mT.contiguous().mT
    return made.requires_grad_(), tl.from_numpy(made.detach().numpy()).requires_grad_()


@pytest.mark.parametrize("how", ["row", "channels last", "turned"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "widths", [(1, 2, 2, 1), (-1, 2, 0, -2), (-1, -2, 0, 0), (0, 0, 0, 0), (3, -5, 1, 1)]
)
def test_layouts_and_gradients_agree_with_pytorch(torch, mode, widths, how):
    theirs, ours = twins(torch, (2, 4, 6, 8), how)
    expected, result = torch.nn.functional.pad(theirs, widths, mode), F.pad(ours, widths, mode)
    assert result.stride() == expected.stride()
    assert result.tolist() == expected.tolist()
    if mode != "circular":  # there PyTorch writes parts into an empty tensor, and the node is that of a write
        assert result.grad_fn.name() == expected.grad_fn.name()
    g = torch.randn(expected.shape, dtype=torch.float64)
    (first,) = torch.autograd.grad((expected**2 * g).sum(), theirs, create_graph=True)
    (ours_first,) = tl.autograd.grad((result**2 * tl.from_numpy(g.numpy())).sum(), ours, create_graph=True)
    np.testing.assert_allclose(ours_first.detach().numpy(), first.detach().numpy(), rtol=1e-12)
    (second,), (ours_second,) = (
        torch.autograd.grad((first**2).sum(), theirs),
        tl.autograd.grad((ours_first**2).sum(), ours),
    )
    np.testing.assert_allclose(ours_second.numpy(), second.numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_are_differences(mode):
    x = tl.tensor(random_values((2, 3, 4), "float64", 1)).requires_grad_()
    assert tl.autograd.gradcheck(lambda t: F.pad(t, (2, 3), mode), (x,))
    assert tl.autograd.gradgradcheck(lambda t: F.pad(t, (2, -1), mode), (x,))


def test_gradients_of_halves_are_summed_up_in_float32():
    x = tl.ones(1, 1, 2, dtype=tl.float16).requires_grad_()
    F.pad(x, (0, 4000), "replicate").sum().backward()
    assert x.grad.tolist() == [[[1.0, 4000.0]]]


WRONG = [
    ((2, 3), (1, 1, 1), "constant"), ((2, 3), (1,) * 6, "constant"), ((2, 3), (-2, -2), "constant"),
    ((2, 3), (1.0, 1), "constant"), ((2, 3), 1, "constant"), ((2, 3), "ab", "constant"),
    ((2, 3), (1, 1), "x"),
    ((2, 3), (3, 1), "reflect"), ((2, 3), (4, 1), "circular"), ((2, 3, 4, 5), (1, 1), "reflect"),
    ((2, 3, 0), (1, 1), "replicate"), ((2, 3, 0), (1, 1), "circular"), ((2, 0, 3), (1, 1), "reflect"),
    ((3,), (1, 1), "replicate"), ((2, 3, 4), (-5, 0), "reflect"), ((2, 3, 4), (), "circular"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_errors_are_of_pytorchs_types(torch, wrong):
    shape, widths, mode = wrong
    with pytest.raises((RuntimeError, TypeError)) as caught:
        torch.nn.functional.pad(torch.ones(shape), widths, mode)
    with pytest.raises(caught.type):
        F.pad(tl.ones(shape), widths, mode)


def test_values():
    assert F.pad(tl.ones(1), (1, 0), value=float("inf")).tolist() == [float("inf"), 1.0]
    assert F.pad(tl.tensor([True]), (0, 1)).tolist() == [True, False]
    assert tl.constant_pad_nd(tl.ones(2, 0), (1, 1, 0, 1), 3).shape == (3, 2)
    with pytest.raises(RuntimeError, match="overflow"):
        F.pad(tl.ones(1, dtype=tl.uint8), (1, 1), value=300)
    with pytest.raises(RuntimeError, match="value argument"):
        F.pad(tl.ones(2, 3), (1, 1), "reflect", 1.0)
    with pytest.raises(NotImplementedError):
        F.pad(tl.tensor([[True]]), (0, 1), "replicate")
