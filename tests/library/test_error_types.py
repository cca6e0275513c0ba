"""Wrong calls: the same type of error as PyTorch's, or the same answer, and a text that helps.

Each call is written once, for both libraries: `m` is one of them. What differs on purpose stands in
`DIFFERENT` with its reason, so that the list of differences is complete.
"""

from __future__ import annotations

import copy
import linecache
import math
import operator
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

import tensorlab as tl

LIBRARY = str(Path(tl.__file__).parent)


def x(m):
    return m.arange(6.0).view(2, 3)


def i(m):
    return m.arange(6).view(2, 3)


CALLS = {
    # dtypes that an operation is not made for
    "softmax of ints": lambda m: i(m).softmax(0),
    "log_softmax of bools": lambda m: (x(m) > 2).log_softmax(1),
    "cross_entropy of ints": lambda m: m.nn.functional.cross_entropy(i(m), m.tensor([0, 1])),
    "bincount of floats": lambda m: m.bincount(m.tensor([0.0, 1.0])),
    "eigh of ints": lambda m: m.linalg.eigh(m.ones(2, 2, dtype=m.int64)),
    "eigvalsh of halves": lambda m: m.linalg.eigvalsh(m.ones(2, 2).half()),
    "inv of ints": lambda m: m.linalg.inv(m.ones(2, 2, dtype=m.int64)),
    "a text for an index": lambda m: x(m)["a"],
    "median of bools": lambda m: (x(m) > 2).median(),
    "kthvalue of bools": lambda m: (x(m) > 2).kthvalue(1),
    "histc of ints": lambda m: i(m).histc(),
    "searchsorted in bools": lambda m: m.searchsorted(x(m)[0] > 2, x(m)[0] > 2),
    "glu of ints": lambda m: m.nn.functional.glu(m.ones(2, 2, dtype=m.int64)),
    "fill_ of halves with an int": lambda m: m.ones(2).half().fill_(70000),
    "full of halves with an int": lambda m: m.full((2,), -70000, dtype=m.float16),
    "setitem of halves with an int": lambda m: m.ones(2).half().__setitem__(0, 70000),
    "masked_fill of halves": lambda m: m.ones(2).half().masked_fill(m.ones(2) > 0, 70000),
    "full of halves with a bool": lambda m: m.full((2,), True, dtype=m.float16),
    # numbers of other kinds than are asked for
    "view(True)": lambda m: x(m).view(True),
    "reshape((3, True))": lambda m: x(m).reshape(True, 6),
    "to(0)": lambda m: x(m).to(0),
    "zeros(device 0)": lambda m: m.zeros(2, device=0),
    "remainder of numbers": lambda m: m.remainder(2, 3),
    "add of numbers": lambda m: m.add(2, 3),
    "rsub of a number": lambda m: m.rsub(2, x(m)),
    "clamp of a number": lambda m: m.clamp(2, 1),
    "clamp_min of a number": lambda m: m.clamp_min(2, 3),
    "as_strided_(outside)": lambda m: x(m).as_strided_((9,), (1,)),
    "cat of nothing, dim 1": lambda m: m.cat([m.ones(0), m.ones(0)], 1),
    "as_strided of no cells": lambda m: m.tensor(5).nonzero().as_strided((), (), 0),
    "lerp of ints": lambda m: m.lerp(i(m), i(m), 0.5),
    "fill(vector)": lambda m: m.fill(x(m), m.ones(2)),
    "contiguous(preserve)": lambda m: x(m).t().contiguous(memory_format=m.preserve_format),
    # making tensors from data
    "tensor(text)": lambda m: m.tensor("a"),
    "tensor(bytes)": lambda m: m.tensor(b"ab"),
    "tensor(texts)": lambda m: m.tensor(["a"]),
    "tensor(None)": lambda m: m.tensor(None),
    "tensor([None])": lambda m: m.tensor([None]),
    "tensor(dict)": lambda m: m.tensor({}),
    "tensor(set)": lambda m: m.tensor({1}),
    "tensor(object)": lambda m: m.tensor(object()),
    "tensor(ragged)": lambda m: m.tensor([[1, 2], [3]]),
    "tensor(row beside number)": lambda m: m.tensor([[1, 2], 3]),
    "tensor(number beside row)": lambda m: m.tensor([1, [2, 3]]),
    "tensor(ragged, empty)": lambda m: m.tensor([[], [1]]),
    "tensor(2 ** 63)": lambda m: m.tensor(2**63),
    "tensor(-2 ** 63)": lambda m: m.tensor(-(2**63)),
    "tensor(2 ** 70)": lambda m: m.tensor([2**70]),
    "tensor(2 ** 70, float)": lambda m: m.tensor([2.0, 2**70]),
    "tensor() twice": lambda m: m.tensor(1, 2),
    "tensor()": lambda m: m.tensor(),
    "tensor(300, uint8)": lambda m: m.tensor(300, dtype=m.uint8),
    "tensor([300], uint8)": lambda m: m.tensor([300], dtype=m.uint8),
    "tensor(-1, uint8)": lambda m: m.tensor(-1, dtype=m.uint8),
    "tensor(nan, int)": lambda m: m.tensor(math.nan, dtype=m.int32),
    "tensor(inf, int)": lambda m: m.tensor(math.inf, dtype=m.int64),
    "tensor(1e10, int8)": lambda m: m.tensor(1e10, dtype=m.int8),
    "tensor(1e39)": lambda m: m.tensor(1e39),
    "tensor(70000., float16)": lambda m: m.tensor(70000.0, dtype=m.float16),
    "tensor(dtype text)": lambda m: m.tensor(1, dtype="float32"),
    "tensor(dtype numpy)": lambda m: m.tensor(1, dtype=np.float32),
    "tensor(dtype 3)": lambda m: m.tensor(1, dtype=3),
    "tensor(device 3.5)": lambda m: m.tensor(1, device=3.5),
    "tensor(device text)": lambda m: m.tensor(1, device="nowhere"),
    "tensor(keyword)": lambda m: m.tensor(1, nonsense=2),
    "tensor(tensors)": lambda m: m.tensor([m.tensor([1.0, 2.0]), m.tensor([3.0, 4.0])]),
    "tensor(np.float64 inside)": lambda m: m.tensor([np.float64(1)]),
    "tensor(np.float32 inside)": lambda m: m.tensor([np.float32(1)]),
    "tensor(np.int8 inside)": lambda m: m.tensor([np.int8(1)]),
    "tensor(np.float64)": lambda m: m.tensor(np.float64(1)),
    "tensor(float64 tensor inside)": lambda m: m.tensor([m.tensor(1.0, dtype=m.float64)]),
    "tensor(int8 and int16 tensors)": lambda m: m.tensor(
        [m.tensor(1, dtype=m.int8), m.tensor(1, dtype=m.int16)]
    ),
    "tensor(int8 tensor, 1)": lambda m: m.tensor([m.tensor(1, dtype=m.int8), 1]),
    "tensor(int8 tensor, 1.)": lambda m: m.tensor([m.tensor(1, dtype=m.int8), 1.0]),
    "tensor(np texts)": lambda m: m.tensor(np.array(["a"])),
    "tensor(np objects)": lambda m: m.tensor(np.array([None])),
    "tensor(np dates)": lambda m: m.tensor(np.array(["2020-01-01"], "M8[D]")),
    "as_tensor(text)": lambda m: m.as_tensor("a"),
    "as_tensor(bytes)": lambda m: m.as_tensor(b"abc"),
    "as_tensor(dtype 3)": lambda m: m.as_tensor([1], dtype=3),
    "from_numpy(list)": lambda m: m.from_numpy([1]),
    "from_numpy(scalar)": lambda m: m.from_numpy(np.float32(1)),
    "from_numpy(negative)": lambda m: m.from_numpy(np.zeros(3)[::-1]),
    "from_numpy(negative, size 1)": lambda m: m.from_numpy(np.zeros((3, 1))[:, ::-1]),
    "from_numpy(texts)": lambda m: m.from_numpy(np.array(["a"])),
    "from_numpy(big endian)": lambda m: m.from_numpy(np.zeros(2, ">f4")),
    "from_numpy(fields)": lambda m: m.from_numpy(np.zeros(3, [("a", "f4"), ("b", "i1")])["a"]),
    "from_numpy(objects)": lambda m: m.from_numpy(np.array([None])),
    "asarray(text)": lambda m: m.asarray("abc"),
    "asarray(list, copy=False)": lambda m: m.asarray([1], copy=False),
    "asarray(dtype, copy=False)": lambda m: m.asarray(np.zeros(2), dtype=m.float32, copy=False),
    "from_dlpack(list)": lambda m: m.from_dlpack([1]),
    "from_dlpack(big endian)": lambda m: m.from_dlpack(np.zeros(2, ">f4")),
    # making tensors from sizes
    "zeros(-1)": lambda m: m.zeros(-1),
    "zeros(2, -1)": lambda m: m.zeros(2, -1),
    "zeros(2.)": lambda m: m.zeros(2.0),
    "zeros(2, 2.)": lambda m: m.zeros(2, 2.0),
    "zeros(text)": lambda m: m.zeros("2"),
    "zeros(None)": lambda m: m.zeros(None),
    "zeros([2., 3])": lambda m: m.zeros([2.0, 3]),
    "zeros([[2]])": lambda m: m.zeros([[2]]),
    "zeros((2,), 3)": lambda m: m.zeros((2,), 3),
    "zeros(np.int64)": lambda m: m.zeros(np.int64(3)),
    "zeros(tensor)": lambda m: m.zeros(m.tensor(3)),
    "zeros(bool)": lambda m: m.zeros(True),
    "zeros(dtype text)": lambda m: m.zeros(2, dtype="float32"),
    "zeros(size=)": lambda m: m.zeros(size=(2, 3)),
    "zeros(device)": lambda m: m.zeros(2, device="nowhere"),
    "ones(-1)": lambda m: m.ones(-1),
    "empty(-1)": lambda m: m.empty(-1),
    "full(text)": lambda m: m.full((2,), "a"),
    "full(None)": lambda m: m.full((2,), None),
    "full(-1)": lambda m: m.full((-1,), 0),
    "full(int size)": lambda m: m.full(2, 0),
    "full(300, int8)": lambda m: m.full((2,), 300, dtype=m.int8),
    "full(np.float32)": lambda m: m.full((2,), np.float32(2)),
    "full(np.int32)": lambda m: m.full((2,), np.int32(2)),
    "full(2 values)": lambda m: m.full((2,), [1, 2]),
    "arange()": lambda m: m.arange(),
    "arange(text)": lambda m: m.arange("a"),
    "arange(step 0)": lambda m: m.arange(1, 5, 0),
    "arange(backwards)": lambda m: m.arange(5, 1),
    "arange(inf)": lambda m: m.arange(0, math.inf),
    "arange(nan)": lambda m: m.arange(0, math.nan),
    "arange(None)": lambda m: m.arange(None),
    "arange(np.int64)": lambda m: m.arange(np.int64(3)),
    # Python's own conversions
    "int(many)": lambda m: int(x(m)),
    "int(none)": lambda m: int(m.zeros(0)),
    "int(nan)": lambda m: int(m.tensor(math.nan)),
    "int(inf)": lambda m: int(m.tensor(math.inf)),
    "float(many)": lambda m: float(x(m)),
    "complex(many)": lambda m: complex(x(m)),
    "bool(many)": lambda m: bool(x(m)),
    "bool(none)": lambda m: bool(m.zeros(0)),
    "bool(nan)": lambda m: bool(m.tensor(math.nan)),
    "item(many)": lambda m: x(m).item(),
    "item(none)": lambda m: m.zeros(0).item(),
    "index(float)": lambda m: operator.index(m.tensor(1.0)),
    "index(many)": lambda m: operator.index(i(m)),
    "index(none)": lambda m: operator.index(m.zeros(0, dtype=m.int64)),
    "index(bool)": lambda m: operator.index(m.tensor(True)),
    "index(one)": lambda m: operator.index(m.tensor([[3]])),
    "len(0-dim)": lambda m: len(m.tensor(1)),
    "iter(0-dim)": lambda m: iter(m.tensor(1)),
    "unpack too few": lambda m: (lambda a, b, c: 0)(*x(m)),
    "round(x)": lambda m: round(m.tensor(2.5)),
    "trunc(x)": lambda m: math.trunc(m.tensor(2.5)),
    "floor(x)": lambda m: math.floor(m.tensor(2.5)),
    "floor(many)": lambda m: math.floor(x(m)),
    "divmod": lambda m: divmod(x(m), 2),
    "format(many)": lambda m: f"{x(m):.2f}",
    "format(one)": lambda m: f"{m.tensor([1.5]):.2f}",
    "format(bad)": lambda m: f"{m.tensor(3):zz}",
    "format(0-dim)": lambda m: f"{m.tensor(2.5):.3f}|{m.tensor(3)}",
    "'a' in x": lambda m: "a" in x(m),
    "None in x": lambda m: None in x(m),
    "[1] in x": lambda m: [1] in x(m),
    "wrong shape in x": lambda m: m.zeros(2) in x(m),
    "del x[0]": lambda m: operator.delitem(x(m), 0),
    "x()": lambda m: x(m)(),
    "memoryview": lambda m: memoryview(x(m)),
    "hash": lambda m: hash(x(m)) is not None,
    "reversed": lambda m: reversed(x(m)),
    "reversed 0-dim": lambda m: reversed(m.tensor(1)),
    # facts
    "size(2)": lambda m: x(m).size(2),
    "size(-3)": lambda m: x(m).size(-3),
    "size(text)": lambda m: x(m).size("a"),
    "size(1.)": lambda m: x(m).size(1.0),
    "size of 0-dim": lambda m: m.tensor(1).size(0),
    "stride(2)": lambda m: x(m).stride(2),
    "stride(1.)": lambda m: x(m).stride(1.0),
    "stride of 0-dim": lambda m: m.tensor(1).stride(0),
    "shape is read-only": lambda m: setattr(x(m), "shape", (3, 2)),
    "dtype is read-only": lambda m: setattr(x(m), "dtype", m.int8),
    "device is read-only": lambda m: setattr(x(m), "device", "cpu"),
    "no such attribute": lambda m: x(m).nonsense,
    "no such function": lambda m: m.nonsense,
    "numpy(positional)": lambda m: x(m).numpy(True),
    "numpy(bfloat16)": lambda m: x(m).to(m.bfloat16).numpy(),
    "array(bfloat16)": lambda m: np.asarray(x(m).to(m.bfloat16)),
    "array(copy=False)": lambda m: np.array(x(m), dtype="f8", copy=False),
    # operators with strangers
    "x + None": lambda m: x(m) + None,
    "x + text": lambda m: x(m) + "a",
    "text + x": lambda m: "a" + x(m),
    "x + list": lambda m: operator.add(x(m), [1]),
    "list + x": lambda m: operator.add([1], x(m)),
    "None + x": lambda m: None + x(m),
    "x * text": lambda m: x(m) * "a",
    "x - None": lambda m: x(m) - None,
    "x / None": lambda m: x(m) / None,
    "x ** None": lambda m: x(m) ** None,
    "x @ 2": lambda m: x(m) @ 2,
    "2 @ x": lambda m: 2 @ x(m),
    "x += None": lambda m: operator.iadd(x(m), None),
    "x & None": lambda m: i(m) & None,
    "x << text": lambda m: i(m) << "a",
    "x == None": lambda m: x(m) == None,  # noqa: E711
    "x != None": lambda m: x(m) != None,  # noqa: E711
    "x == text": lambda m: x(m) == "a",
    "x == list": lambda m: x(m) == [1],
    "x < text": lambda m: x(m) < "a",
    "x < None": lambda m: x(m) < None,
    "-mask": lambda m: -m.tensor([True]),
    "~float": lambda m: ~x(m),
    "mask - mask": lambda m: m.tensor([True]) - m.tensor([True]),
    "shapes": lambda m: x(m) + m.zeros(2),
    "shapes of three": lambda m: m.zeros(2, 3, 4) * m.zeros(3, 3),
    "add(list)": lambda m: m.add(x(m), [1]),
    "add()": lambda m: m.add(x(m)),
    "add(out text)": lambda m: m.add(x(m), 1, out="a"),
    "add_ other kind": lambda m: i(m).add_(0.5),
    "add_ other shape": lambda m: m.zeros(3).add_(x(m)),
    "add_ to expanded": lambda m: m.zeros(1).expand(3).add_(1),
    "div_ ints": lambda m: i(m).div_(2),
    "add out of other kind": lambda m: m.add(x(m), 1, out=i(m)),
    "add(2 ** 70)": lambda m: i(m) + 2**70,
    # NumPy beside tensors
    "array + x": lambda m: np.ones((2, 3), np.float32) + x(m),
    "array * x": lambda m: np.ones((2, 3)) * x(m),
    "array @ x": lambda m: np.ones((2, 2), np.float32) @ x(m),
    "array < x": lambda m: np.ones((2, 3), np.float32) < x(m),
    "array == x": lambda m: np.ones((2, 3), np.float32) == x(m),
    "x + array": lambda m: x(m) + np.ones((2, 3), np.float32),
    "x == array": lambda m: x(m) == np.ones((2, 3), np.float32),
    "np.float32 * x": lambda m: np.float32(2) * x(m),
    "x * np.float32": lambda m: x(m) * np.float32(2),
    "x * np.float64": lambda m: x(m) * np.float64(2),
    "int8 * np.int64": lambda m: m.tensor([1], dtype=m.int8) * np.int64(3),
    "np.int64 + int8": lambda m: np.int64(3) + m.tensor([1], dtype=m.int8),
    "float16 * np.float64": lambda m: m.tensor([1.0], dtype=m.float16) * np.float64(3),
    "x * np.bool_": lambda m: x(m) * np.bool_(True),
    "np.int64 < x": lambda m: np.int64(1) < x(m),
    "np.float32 ** x": lambda m: np.float32(2) ** x(m),
    "add(np.float32)": lambda m: m.add(x(m), np.float32(2)),
    "add_(np.float32)": lambda m: x(m).add_(np.float32(2)),
    "fill_(np.int64)": lambda m: x(m).fill_(np.int64(3)),
    # writing
    "x[0] = text": lambda m: operator.setitem(x(m), 0, "a"),
    "x[0] = None": lambda m: operator.setitem(x(m), 0, None),
    "x[0] = other shape": lambda m: operator.setitem(x(m), 0, m.zeros(2)),
    "x[5] = ": lambda m: operator.setitem(x(m), 5, 1),
    "x['a'] = ": lambda m: operator.setitem(x(m), "a", 1),
    "fill_(text)": lambda m: x(m).fill_("a"),
    "fill_(None)": lambda m: x(m).fill_(None),
    "fill_(many)": lambda m: x(m).fill_(m.zeros(2)),
    "fill_(300)": lambda m: m.zeros(2, dtype=m.int8).fill_(300),
    "fill_(0.5)": lambda m: i(m).fill_(0.5),
    "copy_(other shape)": lambda m: x(m).copy_(m.zeros(2)),
    "copy_(None)": lambda m: x(m).copy_(None),
    "copy_(list)": lambda m: x(m).copy_([1]),
    # indexing
    "x[2]": lambda m: x(m)[2],
    "x[-3]": lambda m: x(m)[-3],
    "x[0, 0, 0]": lambda m: x(m)[0, 0, 0],
    "x[text]": lambda m: x(m)["a"],
    "x[1.]": lambda m: x(m)[1.0],
    "x[object]": lambda m: x(m)[object()],
    "x[::-1]": lambda m: x(m)[::-1],
    "x[::0]": lambda m: x(m)[::0],
    "x[1.:]": lambda m: x(m)[1.0:],
    "x['a':]": lambda m: x(m)["a":],
    "0-dim[0]": lambda m: m.tensor(1)[0],
    "0-dim[...]": lambda m: m.tensor(1)[...],
    "x[5:]": lambda m: x(m)[5:],
    "x[..., ...]": lambda m: x(m)[..., ...],
    # conversion
    "to(text)": lambda m: x(m).to("nowhere"),
    "to(None)": lambda m: x(m).to(None),
    "to()": lambda m: x(m).to(),
    "to(3.5)": lambda m: x(m).to(3.5),
    "view(7)": lambda m: x(m).view(7),
    "view(-1, -1)": lambda m: x(m).view(-1, -1),
    "view(-2)": lambda m: x(m).view(-2),
    "view(4, -1)": lambda m: x(m).view(4, -1),
    "unflatten of no dimensions": lambda m: m.tensor(1.0).unflatten(0, (1,)),
    "view()": lambda m: x(m).view(),
    "view(text)": lambda m: x(m).view("a"),
    "view(1.)": lambda m: x(m).view(6.0),
    "view of t": lambda m: x(m).t().view(6),
    "reshape(7)": lambda m: x(m).reshape(7),
    "permute(0)": lambda m: x(m).permute(0),
    "permute(0, 0)": lambda m: x(m).permute(0, 0),
    "permute(0, 2)": lambda m: x(m).permute(0, 2),
    "transpose(0, 2)": lambda m: x(m).transpose(0, 2),
    "transpose(text)": lambda m: x(m).transpose("a", "b"),
    "transpose(tuple)": lambda m: x(m).transpose((0, 1)),
    "t of 3": lambda m: m.zeros(2, 2, 2).t(),
    "as_strided outside": lambda m: x(m).as_strided((7,), (1,)),
    "as_strided negative": lambda m: x(m).as_strided((2,), (-1,)),
    "as_strided lengths": lambda m: x(m).as_strided((2, 2), (1,)),
    "as_strided offset": lambda m: x(m).as_strided((1,), (1,), -1),
    "storage resize": lambda m: m.from_numpy(np.zeros(3)).untyped_storage().resize_(100),
    # types and settings
    "device(text)": lambda m: m.device("nowhere"),
    "device(number)": lambda m: m.device("cuda:x"),
    "device twice": lambda m: m.device("cuda:1", 1),
    "device(None)": lambda m: m.device(None),
    "set_default_dtype(int)": lambda m: m.set_default_dtype(m.int32),
    "set_default_dtype(text)": lambda m: m.set_default_dtype("float32"),
    "set_default_dtype(float)": lambda m: m.set_default_dtype(float),
    "promote_types(text)": lambda m: m.promote_types("a", m.float32),
    "result_type()": lambda m: m.result_type(),
    "result_type(text)": lambda m: m.result_type("a", x(m)),
    "Size(float)": lambda m: m.Size([1.5]),
    "Size(int)": lambda m: m.Size(3),
    "copy of a dtype": lambda m: copy.deepcopy(m.float32) is m.float32,
    "Tensor(shape)": lambda m: m.Tensor(2, 3).shape,
}


def outcome(call, module):
    """The type of the error, or what the result is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call(module)
        except Exception as error:
            return type(error).__name__
    if isinstance(result, module.Tensor):
        return result.tolist(), str(result.dtype).rpartition(".")[2], tuple(result.shape)
    if isinstance(result, np.ndarray):
        return result.tolist(), str(result.dtype)
    return str(result).replace("torch.", "tensorlab.")


# What PyTorch raises or answers, and why it is not so here.
DIFFERENT = {
    "add of numbers": "PyTorch makes a tensor of two numbers; Python adds them without one",
    "tensor(ragged, empty)": "PyTorch lets the first row decide and drops the number",
    "tensor(tensors)": "rows may be tensors here, as they may be arrays; stack does the same",
    "to(3.5)": "PyTorch takes the number for a dtype; nobody means that",
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_calls_have_pytorchs_outcome(torch, name):
    ours, theirs = outcome(CALLS[name], tl), outcome(CALLS[name], torch)
    if name in DIFFERENT:
        assert ours != theirs, f"{name} is as in PyTorch now: take it off the list"
    else:
        assert ours == theirs


# Python raises these itself, in words that need no help.
PYTHONS_OWN = {"int(nan)", "int(inf)", "format(bad)", "Size(int)", "x['a':]", "x[1.:]", "x[::0]"}


@pytest.mark.parametrize("name", sorted(set(CALLS) - PYTHONS_OWN))
def test_refusals_are_written_by_hand(name):
    """An error that nobody meant to raise, from deep inside, says nothing to the one who made the mistake."""
    raised = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            CALLS[name](tl)
        except Exception as error:
            raised = error
    place = traceback.extract_tb(raised.__traceback__)[-1] if raised else None
    if place and place.filename.startswith(LIBRARY):
        statement = linecache.getline(place.filename, place.lineno).strip()
        if statement.endswith("function(*arguments, **keywords)"):
            return  # a decorator passed on a call that Python itself refuses
        assert statement.startswith("raise "), f"{statement!r} in {place.filename} raised {raised!r}"
        assert len(str(raised)) > 20
