"""Attention: against its definition in NumPy, PyTorch, and finite differences."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.gradients.derivatives import assert_like_differences, assert_like_torch
from tests.library.layouts import KINDS, lay_out
from tests.library.references import agree

attend = F.scaled_dot_product_attention


def numbers(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def defined(query, key, value, mask=None, causal=False, scale=None):
    """The definition, in float64. Rows that see nothing are zeros."""
    query, key, value = (np.asarray(x, float) for x in (query, key, value))
    scores = query @ np.swapaxes(key, -1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        rows, columns = np.indices(scores.shape[-2:])
        scores = np.where(columns <= rows, scores, -np.inf)
    greatest = scores.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(greatest), 0, greatest))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ value


# Fewer and more than a tile, a block of queries and a block of keys hold.
SIZES = [(1, 1, 1, 1), (3, 5, 4, 2), (8, 48, 16, 16), (9, 112, 8, 8), (50, 113, 33, 17), (70, 300, 20, 40),
         (300, 70, 64, 64), (260, 600, 8, 8), (17, 9, 100, 3)]  # fmt: skip


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_definition(sizes, causal):
    queries, keys, length, width = sizes
    q, k, v = numbers((2, queries, length), (2, keys, length), (2, keys, width))
    expected = defined(q, k, v, causal=causal)
    wide = attend(tl.tensor(q), tl.tensor(k), tl.tensor(v), is_causal=causal)
    np.testing.assert_allclose(wide, expected, rtol=1e-11, atol=1e-12)
    single = [tl.tensor(x.astype("float32")) for x in (q, k, v)]
    np.testing.assert_allclose(attend(*single, is_causal=causal), expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("causal", [False, True])
def test_masks(kind, causal):
    arrays = numbers((2, 3, 20, 8), (2, 3, 70, 8), (2, 3, 70, 5), (20, 70))
    q, k, v, added = (lay_out(a, kind) for a in arrays)
    seen = lay_out(np.random.default_rng(1).random((20, 70)) < 0.3, kind)
    nothing = np.asarray(seen).copy()
    nothing[4] = False
    for mask in (added, seen, tl.tensor(nothing), seen[:1], added[:, :1], seen.expand(2, 3, 20, 70)):
        both = np.broadcast_to(np.asarray(mask), (2, 3, 20, 70))
        expected = defined(q, k, v, both, causal, scale=0.3)
        if causal:  # two masks become one
            lower = tl.ones(20, 70, dtype=tl.bool).tril()
            mask = mask & lower if mask.dtype is tl.bool else mask.masked_fill(~lower, -np.inf)
        got = attend(q, k, v, mask, scale=0.3)
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)
    hidden = attend(q, k, v, tl.tensor(nothing))[:, :, 4]
    assert hidden.tolist() == np.zeros((2, 3, 5)).tolist()


CALLS = [
    ("F.scaled_dot_product_attention(x, y, z)", [(1, 2, 5, 4), (1, 2, 7, 4), (1, 2, 7, 4)]),
    ("F.scaled_dot_product_attention(x, y, z, is_causal=True)", [(1, 2, 7, 3), (1, 2, 7, 3), (1, 2, 7, 3)]),
    ("F.scaled_dot_product_attention(x, y, z, is_causal=True, scale=0.7) * 1", [(9, 5), (7, 5), (7, 2)]),
    ("F.scaled_dot_product_attention(x, y, z, m.ones(5, 7).tril(2) > 0) * 1", [(5, 3), (7, 3), (7, 3)]),
    ("F.scaled_dot_product_attention(x, y, z, m.ones(5, 7).tril(-1) > 0) * 1", [(5, 3), (7, 3), (7, 3)]),
    ("F.scaled_dot_product_attention(x, y, z, m.arange(7, dtype=m.float64).expand(5, 7)) * 1",
     [(5, 3), (7, 3), (7, 3)]),
    ("F.scaled_dot_product_attention(x, y, z) * 1", [(2, 5, 4), (7, 4), (1, 7, 2)]),
    ("F.scaled_dot_product_attention(x, y, z) * 1", [(60, 4), (130, 4), (130, 4)]),
    ("F.scaled_dot_product_attention(x, y, z, is_causal=True) * 1", [(250, 4), (130, 4), (130, 4)]),
    ("F.scaled_dot_product_attention(x, y, z, enable_gqa=True)", [(2, 6, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4)]),
    ("F.scaled_dot_product_attention(x, x, x) * 1", [(6, 4)]),
]  # fmt: skip


@pytest.mark.part(3)
@pytest.mark.parametrize("kinds", [["row"] * 3, ["transposed", "sliced", "offset"]])
@pytest.mark.parametrize(("expression", "shapes"), CALLS)
def test_gradients_are_those_of_torch(torch, expression, shapes, kinds):
    for second in (False, True) if "* 1" in expression and shapes[0][0] < 60 else (False,):
        assert_like_torch(torch, expression, numbers(*shapes), kinds[: len(shapes)], 1e-9, second)


# Operands of a mask beside is_causal, and keywords.
TWO_MASKS = {
    "one kernel": lambda m, x: ((x, x, x, m.ones(4, 4) > 0), {}),
    "numbers that are added": lambda m, x: ((x, x, x, m.arange(16.0).view(4, 4)), {}),
    "a mask for each head": lambda m, x: ((x, x, x, m.arange(96).view(2, 3, 4, 4) % 5 > 0), {}),
    "more keys": lambda m, x: ((x[:, :, :2], x, x, m.ones(2, 4) > 0), {}),
    "grouped heads": lambda m, x: ((x, x[:, :1], x[:, :1], m.ones(4, 4) > 0), {"enable_gqa": True}),
    "three dimensions": lambda m, x: ((x[0], x[0], x[0], m.ones(4, 4) > 0), {}),
    "a mask of three dimensions": lambda m, x: ((x, x, x, m.ones(3, 4, 4) > 0), {}),
    "values of another width": lambda m, x: ((x, x, x[..., :3], m.ones(4, 4) > 0), {}),
    "keys that are broadcast": lambda m, x: ((x, x[:1], x[:1], m.ones(4, 4) > 0), {}),
    "keys that are no runs": lambda m, x: ((x, x.mT.contiguous().mT, x, m.ones(4, 4) > 0), {}),
    "no keys": lambda m, x: ((x[0], x[0, :, :0], x[0, :, :0], m.ones(4, 0) > 0), {}),
    "dropout": lambda m, x: ((x, x, x, m.ones(4, 4) > 0), {"dropout_p": 0.5}),
    "a mask with a gradient": lambda m, x: ((x, x, x, m.ones(4, 4, requires_grad=True)), {}),
}


@pytest.mark.parametrize("operands", TWO_MASKS.values(), ids=TWO_MASKS)
def test_a_mask_beside_is_causal_is_taken_where_pytorch_takes_it(torch, operands):
    (x,) = (a.astype("float32") for a in numbers((2, 3, 4, 6)))
    found = []
    for library in (tl, torch):
        positional, keywords = operands(library, library.tensor(x))
        try:
            function = library.nn.functional.scaled_dot_product_attention
            found.append(function(*positional, is_causal=True, **keywords))
        except RuntimeError as error:
            found.append(str(error))
    refused = "Explicit attn_mask should not be set when is_causal=True"
    if isinstance(found[1], str):
        assert refused in found[1]
        assert refused in found[0]
    else:
        agree(*found)


@pytest.mark.parametrize(("expression", "shapes"), CALLS[:3])
def test_gradients_are_those_that_differences_show(expression, shapes):
    assert_like_differences(expression, numbers(*shapes), second=False)


def test_the_gradient_of_a_mask(torch):
    q, k, v, mask = numbers((5, 4), (7, 4), (7, 4), (5, 7))
    found = []
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        leaves = [library.tensor(a).requires_grad_() for a in (q, k, v, mask)]
        result = functional.scaled_dot_product_attention(*leaves)
        found.append(library.autograd.grad((result * result).sum(), leaves))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


def test_dropout_leaves_out_what_torch_leaves_out(torch):
    q, k, v = (a.astype("float32") for a in numbers((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4)))
    found = []
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        library.manual_seed(3)
        operands = [library.tensor(a) for a in (q, k, v)]
        found.append(functional.scaled_dot_product_attention(*operands, dropout_p=0.4))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_sixteen_bits_are_rounded_once(half):
    q, k, v = (
        tl.tensor(a.astype("float32")).to(getattr(tl, half)) for a in numbers((9, 8), (70, 8), (70, 5))
    )
    q.requires_grad_()
    k.requires_grad_()
    wide = [x.detach().float().requires_grad_() for x in (q, k, v)]
    result, expected = attend(q, k, v), attend(*wide)
    assert result.tolist() == expected.to(q.dtype).tolist()
    result.sum().backward()
    expected.sum().backward()
    assert q.grad.dtype is q.dtype
    np.testing.assert_allclose(k.grad.float(), wide[1].grad, rtol=2e-2, atol=1e-2)


@pytest.mark.parametrize("keys", [4, 0])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (2, 0, 1, 3), (0, 1, 3, 2)])
def test_strides_are_those_of_torch(torch, order, keys):
    (x,) = (a.astype("float32") for a in numbers((2, 3, 4, 5)))
    ours, theirs = tl.tensor(x).permute(order), torch.tensor(x).permute(order)
    attended = torch.nn.functional.scaled_dot_product_attention(
        theirs, theirs[..., :keys, :], theirs[..., :keys, :]
    )
    agree(attend(ours, ours[..., :keys, :], ours[..., :keys, :]), attended)


def test_strides_where_pytorch_takes_another_kernel(torch):
    (x,) = (a.astype("float32") for a in numbers((2, 3, 4, 6)))
    calls = (
        lambda m, x: (x, x, x[..., ::2]),  # values of another width
        lambda m, x: (x, x.mT.contiguous().mT, x),  # keys that are no runs
        lambda m, x: (x, x[:1], x[:1]),  # fewer keys, which are broadcast
        lambda m, x: (x, x, x, m.ones(4, 3, 3) > 0),  # a mask of three dimensions
    )
    for call in calls:
        ours, theirs = tl.tensor(x).permute(0, 2, 1, 3), torch.tensor(x).permute(0, 2, 1, 3)
        agree(attend(*call(tl, ours)), torch.nn.functional.scaled_dot_product_attention(*call(torch, theirs)))


@pytest.mark.parametrize("shapes", [[(2, 0, 4), (2, 3, 4)], [(2, 3, 4), (2, 0, 4)], [(0, 3, 4), (0, 5, 4)],
                                    [(2, 3, 0), (2, 5, 0)]], ids=str)  # fmt: skip
def test_without_elements(torch, shapes):
    found = []
    for library, functional in ((tl, F), (torch, torch.nn.functional)):
        q, k = (library.ones(shape, requires_grad=True) for shape in shapes)
        v = library.ones((*shapes[1][:-1], 6), requires_grad=True)
        result = functional.scaled_dot_product_attention(q, k, v)
        result.sum().backward()
        found.append([result.detach(), q.grad, k.grad, v.grad])
    for ours, theirs in zip(*found, strict=True):
        assert tuple(ours.shape) == tuple(theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("causal", [False, True])
def test_results_do_not_depend_on_threads(causal):
    q, k, v, g = (tl.tensor(a.astype("float32")) for a in numbers(*[(3, 2, 200, 32)] * 4))
    found = []
    before = tl.get_num_threads()
    try:
        for threads in (1, 3):
            tl.set_num_threads(threads)
            leaves = [x.detach().clone().requires_grad_() for x in (q, k, v)]
            result = attend(*leaves, is_causal=causal)
            result.backward(g)
            found.append([result.tolist(), *(x.grad.tolist() for x in leaves)])
    finally:
        tl.set_num_threads(before)
    assert found[0] == found[1]


def test_memory_does_not_grow_with_the_scores():
    q, k, v = (tl.ones(2, 4096, 16, requires_grad=True) for _ in range(3))
    attend(q[:, :9], k[:, :9], v[:, :9]).sum().backward()
    tracemalloc.start()
    try:
        attend(q, k, v).sum().backward()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2 * 4096 * 16 * 4 * 12 + (8 << 20)  # some tensors of q's size; the scores alone are 134 MB


Q = tl.ones(2, 3, 4, 8)
REFUSED = [
    (lambda: attend(Q[0, 0, 0], Q, Q), RuntimeError, "at least 2 dimensional"),
    (lambda: attend(Q, Q, Q.double()), RuntimeError, "to have the same dtype"),
    (lambda: attend(Q.long(), Q.long(), Q.long()), RuntimeError, "expected scalar type Float"),
    (lambda: attend(Q, Q[..., :6], Q), RuntimeError, "queries and keys of one length"),
    (lambda: attend(Q, Q[:, :, :2], Q), RuntimeError, "a value for each key"),
    (lambda: attend(Q, Q, Q, tl.ones(4, 4).long()), RuntimeError, "attn_mask dtype"),
    (lambda: attend(Q, Q, Q, tl.ones(4)), IndexError, "attn_mask needs a row"),
    (lambda: attend(Q, Q, Q, tl.ones(4, 5)), RuntimeError, "expanded size"),
    (lambda: attend(Q, Q, Q, dropout_p=2.0), RuntimeError, "between 0 and 1"),
    (lambda: attend(tl.ones(2, 5, 4, 8), Q, Q), RuntimeError, "broadcast|match"),
    (lambda: attend(tl.ones(2, 5, 4, 8), Q, Q, enable_gqa=True), RuntimeError, "must divide the number of"),
    (lambda: attend(Q[0, 0], Q[0, 0], Q[0, 0], enable_gqa=True), IndexError, "heads as the third"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
