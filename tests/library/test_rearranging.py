"""Operations that only move elements: what they give again and again, for tensors that change."""

from __future__ import annotations

import itertools

import pytest

import tensorlab as tl
from tests.library.layouts import lay_out, random_values
from tests.library.references import agree, twin

MOVES = {
    "flip": lambda t, x: t.flip(x, (0,)),
    "flip both": lambda t, x: x.flip(0, -1),
    "flip none": lambda t, x: t.flip(x, ()),
    "fliplr": lambda t, x: t.fliplr(x),
    "roll": lambda t, x: t.roll(x, 1),
    "roll along": lambda t, x: x.roll((1, -2), (0, 1)),
    "roll by name": lambda t, x: t.roll(x, shifts=2, dims=1),
    "rot90": lambda t, x: t.rot90(x),
    "rot90 none": lambda t, x: t.rot90(x, 0),
    "repeat": lambda t, x: x.repeat(2, 1, 3),
    "repeat none": lambda t, x: x.repeat(0, 1),
    "tile": lambda t, x: t.tile(x, (2,)),
    "repeat_interleave": lambda t, x: x.repeat_interleave(2),
    "repeat_interleave along": lambda t, x: t.repeat_interleave(x, 3, dim=0),
    "repeat_interleave tensor": lambda t, x: x.repeat_interleave(t.tensor([2, 0, 1]), 0),
    "tril": lambda t, x: t.tril(x),
    "triu": lambda t, x: x.triu(1),
    "diag": lambda t, x: t.diag(x),
    "diag of a vector": lambda t, x: t.diag(x[0], -1),
    "diag_embed": lambda t, x: t.diag_embed(x),
    "pad": lambda t, x: t.nn.functional.pad(x, (1, 2)),
    "pad and cut": lambda t, x: t.nn.functional.pad(x, [1, -1, 0, 2]),
    "pad by a number": lambda t, x: t.nn.functional.pad(x, (1, 1), value=3.0),
    "reflect": lambda t, x: t.nn.functional.pad(x, (1, 1), "reflect"),
}
EACH = pytest.mark.parametrize("name", MOVES)
LAYOUTS = ("row", "transposed", "sliced", "offset")


@EACH
def test_values_and_strides(torch, name):
    for kind, layout, seed in itertools.product(("float32", "int64", "bool"), LAYOUTS, range(3)):
        if kind != "float32" and (name == "reflect" or "number" in name):
            continue
        x = lay_out(random_values((3, 4), kind, seed), layout)
        found, expected = MOVES[name](tl, x), MOVES[name](torch, twin(torch, x))
        agree(found, expected)
        assert found.stride() == expected.stride()
        assert found._version == 0
        assert found.untyped_storage() is not x.untyped_storage()
        if name not in ("repeat none",):
            before = x.clone()
            found.zero_()
            assert tl.equal(x, before)


@EACH
def test_sixteen_bits_and_nan(name):
    for kind in (tl.float16, tl.bfloat16):
        for seed in range(3):
            x = tl.tensor(random_values((3, 4), "float32", seed)).to(kind)
            x[0, 0], x[1, 1] = float("nan"), -0.0
            found, expected = MOVES[name](tl, x), MOVES[name](tl, x.float())
            assert found.dtype is kind
            assert str(found.float().tolist()) == str(expected.tolist())


@EACH
def test_what_is_recorded(torch, name):
    for _ in range(3):
        x = tl.tensor(random_values((3, 4), "float32", 0))
        y = twin(torch, x).clone()
        MOVES[name](tl, x)
        found = MOVES[name](tl, x.requires_grad_())
        expected = MOVES[name](torch, y.requires_grad_())
        assert found.requires_grad
        (found * found).sum().backward()
        (expected * expected).sum().backward()
        agree(x.grad, y.grad)
        with tl.no_grad():
            assert not MOVES[name](tl, x).requires_grad
        with tl.inference_mode():
            assert MOVES[name](tl, tl.ones(3, 4)).is_inference()


def test_arguments_are_still_refused():
    x = tl.ones(3, 4)
    for name in MOVES:
        for _ in range(3):
            MOVES[name](tl, x)
    for _ in range(3):
        for wrong in (
            lambda: tl.flip(x, (True,)),
            lambda: x.flip(0.0),
            lambda: tl.roll(x, 1.0, 0),
            lambda: x.repeat(2),
            lambda: tl.flip(x, (0, 0)),
            lambda: tl.tril(x[0]),
            lambda: tl.tril(x, 0.5),
            lambda: tl.rot90(x, 1, (0, 0)),
            lambda: tl.nn.functional.pad(x, (1,)),
            lambda: tl.nn.functional.pad([1.0], (1, 1)),
        ):
            with pytest.raises((TypeError, RuntimeError, IndexError, ValueError)):
                wrong()
    named = tl.ones(3, 4, names=("N", None))
    assert tl.flip(named, (0,)).names == ("N", None)


def test_many_shapes(torch):
    for size in range(1, 150):
        for _ in range(3):
            x = tl.arange(size)
            agree(x.flip(0), torch.arange(size).flip(0))
    long = tl.arange(10_000.0)
    for _ in range(3):
        agree(long.flip(0), torch.arange(10_000.0).flip(0))
        assert tl.arange(4000).repeat(5).shape == (20_000,)
