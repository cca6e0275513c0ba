"""Shape operations side by side with PyTorch: values, dtype, shape, strides, offset, and what is shared."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensorlab as tl


def sources(library):
    """The same tensors in both libraries, laid out in many ways."""
    x = library.arange(24).reshape(2, 3, 4)
    wide = library.arange(120).reshape(4, 6, 5)
    return {
        "row": x,
        "transposed": x.transpose(0, 2),
        "sliced": wide[::2, 1::2, :4],
        "offset": wide[1:3, 2:5, 1:],
        "expanded": library.arange(12).reshape(1, 3, 4).expand(2, 3, 4),
        "ones": library.arange(4).reshape(1, 4, 1),
        "empty": library.zeros(2, 0, 3),
        "line": library.arange(5),
        "matrix": library.arange(6).reshape(3, 2).t(),
        "number": library.tensor(7),
        "images": library.arange(120).reshape(2, 3, 4, 5).to(memory_format=library.channels_last),
    }


def agree(ours, theirs, base=None, their_base=None):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            agree(a, b, base, their_base)
        return
    assert str(theirs.dtype).removeprefix("torch.") == ours.dtype.name
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.tolist() == theirs.tolist()
    assert ours.stride() == theirs.stride()
    if base is not None:
        shared = theirs.untyped_storage().data_ptr() == their_base.untyped_storage().data_ptr()
        if theirs.numel():
            assert (ours.untyped_storage() is base.untyped_storage()) == shared
            assert not shared or ours.storage_offset() == theirs.storage_offset()


CALLS = {
    "t": lambda lib, x: x.t(),
    "T": lambda lib, x: x.T if x.ndim == 2 else x.permute(*range(x.ndim - 1, -1, -1)),
    "mT": lambda lib, x: x.mT,
    "transpose": lambda lib, x: x.transpose(0, -1),
    "swapaxes": lambda lib, x: lib.swapaxes(x, -1, 0),
    "movedim": lambda lib, x: x.movedim(0, -1),
    "movedim of two": lambda lib, x: lib.movedim(x, (0, 1), (1, -1)),
    "flatten": lambda lib, x: x.flatten(),
    "flatten from 1": lambda lib, x: lib.flatten(x, 1),
    "ravel": lambda lib, x: x.ravel(),
    "unflatten": lambda lib, x: x.unflatten(-1, (2, -1)),
    "squeeze": lambda lib, x: x.squeeze(),
    "squeeze 0": lambda lib, x: x.squeeze(0),
    "squeeze of two": lambda lib, x: x.squeeze((0, -1)),
    "unsqueeze": lambda lib, x: x.unsqueeze(-1),
    "unsqueeze 0": lambda lib, x: lib.unsqueeze(x, 0),
    "unsqueeze 1": lambda lib, x: lib.unsqueeze(x, 1),
    "expand": lambda lib, x: x.unsqueeze(0).expand(3, *[-1] * x.ndim),
    "broadcast_to": lambda lib, x: lib.broadcast_to(x, (2, *x.shape)),
    "narrow": lambda lib, x: x.narrow(-1, 1, 2),
    "select": lambda lib, x: x.select(0, -1),
    "split": lambda lib, x: x.split(2, -1),
    "split sizes": lambda lib, x: lib.split(x, [1, 2, 1], -1),
    "chunk": lambda lib, x: x.chunk(3, -1),
    "tensor_split": lambda lib, x: lib.tensor_split(x, 3, -1),
    "tensor_split at": lambda lib, x: lib.tensor_split(x, (1, 3), 0),
    "hsplit": lambda lib, x: lib.hsplit(x, 2),
    "unbind": lambda lib, x: x.unbind(-1),
    "diagonal": lambda lib, x: x.diagonal(),
    "diagonal 1": lambda lib, x: lib.diagonal(x, 1, -1, 0),
    "unfold": lambda lib, x: x.unfold(-1, 2, 1),
    "view": lambda lib, x: x.view(-1),
    "view of bytes": lambda lib, x: x.view(lib.int32),
    "reshape": lambda lib, x: x.reshape(-1, 2),
    "contiguous": lambda lib, x: x.contiguous(),
    "clone": lambda lib, x: x.clone(),
    "clone row-major": lambda lib, x: x.clone(memory_format=lib.contiguous_format),
    "channels_last": lambda lib, x: x.contiguous(memory_format=lib.channels_last),
    "to float": lambda lib, x: x.float(),
    "to same": lambda lib, x: x.to(lib.int64),
    "to copy": lambda lib, x: x.to(lib.int64, copy=True),
    "double": lambda lib, x: x.double(),
    "bool": lambda lib, x: x.bool(),
    "type_as": lambda lib, x: x.type_as(lib.zeros(1, dtype=lib.int8)),
    "zeros_like": lambda lib, x: lib.zeros_like(x),
    "full_like": lambda lib, x: lib.full_like(x, 3, dtype=lib.float32),
    "ones_like row-major": lambda lib, x: lib.ones_like(x, memory_format=lib.contiguous_format),
    "new_zeros": lambda lib, x: x.new_zeros(2, 3),
    "new_full": lambda lib, x: x.new_full((2,), 5),
    "cat": lambda lib, x: lib.cat((x, x), -1),
    "cat 0": lambda lib, x: lib.cat([x, x, x]),
    "stack": lambda lib, x: lib.stack((x, x), 1),
    "stack last": lambda lib, x: lib.stack((x, x), -1),
    "hstack": lambda lib, x: lib.hstack((x, x)),
    "vstack": lambda lib, x: lib.vstack((x, x)),
    "dstack": lambda lib, x: lib.dstack((x, x)),
    "flip": lambda lib, x: x.flip(0),
    "flip of all": lambda lib, x: lib.flip(x, tuple(range(x.ndim))),
    "fliplr": lambda lib, x: lib.fliplr(x),
    "roll": lambda lib, x: x.roll(1, 0),
    "roll as a line": lambda lib, x: lib.roll(x, 2),
    "roll of nothing": lambda lib, x: x[..., :0].transpose(0, -1).roll(3, 0),
    "roll of two": lambda lib, x: lib.roll(x, (1, -1), (0, -1)),
    "rot90": lambda lib, x: lib.rot90(x),
    "rot90 back": lambda lib, x: lib.rot90(x, -1, (-1, 0)),
    "repeat": lambda lib, x: x.repeat(*[2] * (x.ndim + 1)),
    "repeat once": lambda lib, x: x.repeat(*[1] * x.ndim),
    "tile": lambda lib, x: lib.tile(x, (2,)),
    "repeat_interleave": lambda lib, x: x.repeat_interleave(2),
    "repeat_interleave 0": lambda lib, x: lib.repeat_interleave(x, 3, 0),
    "repeat_interleave each": lambda lib, x: x.repeat_interleave(lib.arange(x.shape[-1]), -1),
    "tril": lambda lib, x: x.tril(),
    "triu": lambda lib, x: lib.triu(x, -1),
    "diag": lambda lib, x: lib.diag(x),
    "diag 1": lambda lib, x: lib.diag(x, 1),
    "diag_embed": lambda lib, x: lib.diag_embed(x),
    "diag_embed 0": lambda lib, x: x.diag_embed(1, 0, -1),
    "diagflat": lambda lib, x: lib.diagflat(x),
    "atleast_2d": lambda lib, x: lib.atleast_2d(x),
    "atleast_3d": lambda lib, x: lib.atleast_3d(x),
    "meshgrid": lambda lib, x: lib.meshgrid(x, lib.arange(3), indexing="ij"),
    "meshgrid xy": lambda lib, x: lib.meshgrid(x, lib.arange(3), indexing="xy"),
    "broadcast_tensors": lambda lib, x: lib.broadcast_tensors(x, lib.zeros(x.shape, dtype=lib.int64)),
    "view_as": lambda lib, x: x.view_as(lib.zeros(x.numel())),
    "expand_as": lambda lib, x: x.expand_as(lib.zeros(2, *x.shape)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_shape_operations_are_pytorchs(torch, name):
    """Every operation on every layout: the same result, or an error of the same type."""
    compared = 0
    for (kind, x), y in zip(sources(tl).items(), sources(torch).values(), strict=True):
        try:
            expected = CALLS[name](torch, y)
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            with pytest.raises(type(error)):
                CALLS[name](tl, x)
        else:
            agree(CALLS[name](tl, x), expected, x, y)
            compared += 1
        assert kind
    assert compared


@pytest.mark.parametrize(
    "arguments", [(0, 1, 5), (0, 10, 7), (-2.5, 3, 1), (5, 1, 4), (0, 1, 0), (3, 3, 3)], ids=str
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_linspace_and_logspace(torch, arguments, dtype):
    ours = tl.linspace(*arguments, dtype=getattr(tl, dtype))
    theirs = torch.linspace(*arguments, dtype=getattr(torch, dtype))
    eps = 2e-7 if dtype == "float32" else 4e-16
    np.testing.assert_allclose(np.asarray(ours), theirs.numpy(), rtol=eps, atol=eps)
    assert ours.dtype.name == dtype
    powers = tl.logspace(*arguments, dtype=tl.float64)
    np.testing.assert_allclose(
        np.asarray(powers), torch.logspace(*arguments, dtype=torch.float64), rtol=1e-14
    )


def test_eye_and_triangle_indices(torch):
    for n, m in itertools.product(range(4), (None, 0, 2, 5)):
        agree(tl.eye(n, m), torch.eye(n) if m is None else torch.eye(n, m))
    for row, col, offset in itertools.product((0, 2, 3), (0, 2, 4), (-1, 0, 1)):
        agree(tl.tril_indices(row, col, offset), torch.tril_indices(row, col, offset))
        agree(tl.triu_indices(row, col, offset), torch.triu_indices(row, col, offset))


def test_out_of_joined_tensors():
    out = tl.empty(0)
    assert tl.cat((tl.ones(2), tl.zeros(1)), out=out) is out
    assert out.tolist() == [1, 1, 0]


def test_in_place_changes_of_layout(torch):
    for library in (tl, torch):
        x = library.arange(6).reshape(1, 2, 3)
        alias = x[0]
        x.squeeze_(0)
        x.t_()
        x.unsqueeze_(1)
        x.transpose_(0, 2)
        assert tuple(x.shape) == (2, 1, 3)
        x[0, 0, 0] = 9
        assert alias[0, 0] == 9


def test_finfo_and_iinfo(torch):
    for name in ("float16", "bfloat16", "float32", "float64"):
        ours, theirs = tl.finfo(getattr(tl, name)), torch.finfo(getattr(torch, name))
        for fact in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
            assert getattr(ours, fact) == getattr(theirs, fact), (name, fact)
    for name in ("uint8", "int8", "int16", "int32", "int64"):
        ours, theirs = tl.iinfo(getattr(tl, name)), torch.iinfo(getattr(torch, name))
        assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)
    with pytest.raises(TypeError, match="requires a floating point input type"):
        tl.finfo(tl.int8)
    with pytest.raises(TypeError, match="requires an integer input type"):
        tl.iinfo(tl.float32)


def test_types_by_their_old_names(torch):
    for t in tl.dtypes.ALL:
        theirs = torch.zeros(1, dtype=getattr(torch, t.name)).type()
        assert tl.zeros(1, dtype=t).type() == theirs.replace("torch.", "tensorlab.")
        assert tl.zeros(1).type(tl.zeros(1, dtype=t).type()).dtype is t
    with pytest.raises(ValueError, match="invalid type"):
        tl.zeros(1).type("tensorlab.StringTensor")


def test_can_cast(torch):
    for a, b in itertools.product(tl.dtypes.ALL, repeat=2):
        assert tl.can_cast(a, b) == torch.can_cast(getattr(torch, a.name), getattr(torch, b.name))


def test_a_write_asks_can_cast(monkeypatch):
    wide, narrow = tl.ones(3, 7, 5, dtype=tl.int16), tl.ones(3, 7, 5, dtype=tl.int8)
    asked = []
    monkeypatch.setattr("tensorlab.core.dtypes.can_cast", lambda *pair: asked.append(pair))
    with pytest.raises(RuntimeError, match="can't be cast"):
        narrow.mul_(wide)
    with pytest.raises(RuntimeError, match="can't be cast"):
        tl.sum(wide, 1, out=tl.empty(0, dtype=tl.int64))
    assert asked == [(tl.int16, tl.int8), (tl.int64, tl.int64)]
