"""Blocks as columns, channels as pixels, and both back: against their definitions, and against PyTorch."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.layouts import KINDS, lay_out, random_values

FORMS = [  # window, dilation, padding, stride
    (1, 1, 0, 1), ((2, 3), 1, 0, 1), (3, 1, 1, 1), (2, (1, 2), (2, 0), (3, 2)), ((5, 1), 1, 3, 2),
]  # fmt: skip


def columns(x, window, dilation, padding, stride):
    """The definition: one column for each place, one row for each channel and each place in the window."""
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = (
        (each, each) if isinstance(each, int) else each for each in (window, dilation, padding, stride)
    )
    padded = np.pad(x, [(0, 0), (0, 0), (ph, ph), (pw, pw)])
    down = (padded.shape[2] - dh * (kh - 1) - 1) // sh + 1
    across = (padded.shape[3] - dw * (kw - 1) - 1) // sw + 1
    blocks = [
        padded[:, :, i * sh : i * sh + dh * (kh - 1) + 1 : dh, j * sw : j * sw + dw * (kw - 1) + 1 : dw]
        for i, j in itertools.product(range(down), range(across))
    ]
    return np.stack([block.reshape(len(x), -1) for block in blocks], -1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_unfold_by_its_definition(form, kind):
    values = random_values((2, 3, 6, 7), "float64", 0)
    x = lay_out(values, kind)
    np.testing.assert_array_equal(F.unfold(x, *form).numpy(), columns(np.array(x.tolist()), *form))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bool"])
def test_dtypes(dtype):
    values = random_values((1, 2, 4, 4), dtype, 0)
    x = tl.tensor(values)
    blocks = F.unfold(x, 2)
    assert blocks.tolist() == columns(values, 2, 1, 0, 1).tolist()
    assert blocks.dtype is F.fold(blocks, 4, 2).dtype is x.dtype
    with pytest.raises(NotImplementedError):
        F.unfold(x.to(tl.int64), 2)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("batched", [True, False])
def test_both_agree_with_pytorch(torch, form, batched):
    """Results, strides, names of nodes, gradients and gradients of gradients."""
    given = torch.randn((2, 3, 6, 7) if batched else (3, 6, 7), dtype=torch.float64)
    found = []
    for library, functional, x in (
        (torch, torch.nn.functional, given.requires_grad_()),
        (tl, F, tl.from_numpy(given.detach().numpy()).requires_grad_()),
    ):
        blocks = functional.unfold(x, *form)
        image = functional.fold(blocks**2, (6, 7), *form)
        (first,) = library.autograd.grad((image**2).sum(), x, create_graph=True)
        (second,) = library.autograd.grad((first**2).sum(), x)
        names = blocks.grad_fn.name(), image.grad_fn.name()
        results = [t.detach().numpy() for t in (blocks, image, first, second)]
        found.append((names, [t.stride() for t in (blocks, image)], results))
    (names, strides, results), (expected_names, expected_strides, expected) = found
    assert (names, strides) == (expected_names, expected_strides)
    for result, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, other, rtol=1e-12)


def test_halves_are_added_up_in_float32():
    ones = tl.full((1, 4096, 1), 0.25, dtype=tl.float16)
    assert F.fold(ones.transpose(1, 2), (1, 4096), 1).shape == (1, 1, 1, 4096)
    overlapping = tl.full((1, 3, 4096), 1 / 3, dtype=tl.float16)
    summed = F.fold(overlapping, (1, 4098), (1, 3))
    assert summed[0, 0, 0, 2].item() == tl.tensor(3 * float(overlapping[0, 0, 0])).to(tl.float16).item()


@pytest.mark.parametrize("how", ["row", "channels last", "sliced"])
def test_pixels_agree_with_pytorch(torch, how):
    given = torch.randn(2, 8, 4, 6, dtype=torch.float64)
    if how == "channels last":
        given = given.to(memory_format=torch.channels_last)
    elif how == "sliced":
        given = torch.randn(4, 8, 4, 12, dtype=torch.float64)[::2, :, :, ::2]
    found = []
    for functional, x in (
        (torch.nn.functional, given.requires_grad_()),
        (F, tl.from_numpy(given.detach().numpy()).requires_grad_()),
    ):
        shuffled, unshuffled = functional.pixel_shuffle(x, 2), functional.pixel_unshuffle(x, 2)
        ((shuffled**2).sum() + (unshuffled**3).sum()).backward()
        both = shuffled, unshuffled
        facts = [(t.stride(), t.grad_fn.name(), t.tolist()) for t in both]
        found.append((facts, x.grad.tolist()))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12)


def test_shuffling_there_and_back():
    x = tl.arange(2 * 9 * 2 * 3).view(2, 9, 2, 3)
    assert tl.pixel_unshuffle(tl.pixel_shuffle(x, 3), 3).tolist() == x.tolist()


WRONG = """
F.unfold(x, 9)
F.unfold(x, (2, 2, 2))
F.unfold(x, 0)
F.unfold(x, 2, stride=0)
F.unfold(x, 2, padding=-1)
F.unfold(x, 2, dilation=0)
F.unfold(x[0, 0], 2)
F.unfold(x[:, :0], 2)
F.unfold(x.long(), 2)
F.fold(x, (4, 4), 2)
F.fold(x[0], (6, 8), 3)
F.fold(x[0], (6, 8), 1)
F.fold(x[0].long(), (6, 8), 1)
F.fold(x[0, :0], (6, 8), 1)
F.pixel_shuffle(x, 3)
F.pixel_shuffle(x, -1)
F.pixel_shuffle(x[0, 0], 1)
F.pixel_shuffle(x, 2.0)
F.pixel_unshuffle(x, 4)
F.pixel_unshuffle(x, 0)
"""


@pytest.mark.parametrize("call", WRONG.split("\n")[1:-1])
def test_errors_are_of_pytorchs_types(torch, call):
    kinds = []
    for functional, x in ((torch.nn.functional, torch.ones(2, 4, 6, 8)), (F, tl.ones(2, 4, 6, 8))):
        with pytest.raises((RuntimeError, TypeError, IndexError)) as caught:
            eval(call, {"F": functional, "x": x})
        kinds.append(RuntimeError if caught.type is NotImplementedError else caught.type)
    assert kinds[0] is kinds[1]
