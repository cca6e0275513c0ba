"""Writes at index tensors: what they write, at first and by a plan that is kept, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensorlab as tl
from tests.library.layouts import lay_out, random_values
from tests.library.references import agree, twin

# Each writes its first tensor, of 3 × 4, at an index of 3 and with values of 3 × 4.
WRITES = {
    "x[i] = values": lambda t, x, i, v: x.__setitem__(i, v),
    "x[i] = row": lambda t, x, i, v: x.__setitem__(i, v[0]),
    "x[i] = number": lambda t, x, i, v: x.__setitem__(i, 2.5),
    "x[i] = int": lambda t, x, i, v: x.__setitem__(i, -3),
    "x[i, j] = number": lambda t, x, i, v: x.__setitem__((i, i), -0.0),
    "x[:, i] = values": lambda t, x, i, v: x.__setitem__((slice(None), i), v[:, :3]),
    "index_put_": lambda t, x, i, v: x.index_put_((i,), v),
    "index_put_ accumulate": lambda t, x, i, v: x.index_put_((i,), v, accumulate=True),
    "index_add_": lambda t, x, i, v: x.index_add_(0, i, v),
    "index_add_ alpha": lambda t, x, i, v: x.index_add_(0, i, v, alpha=2),
    "index_copy_": lambda t, x, i, v: x.index_copy_(0, i, v),
    "index_fill_": lambda t, x, i, v: x.index_fill_(1, i, 7.0),
    "index_fill_ tensor": lambda t, x, i, v: x.index_fill_(0, i, v[0, 0]),
    "scatter_": lambda t, x, i, v: x.scatter_(1, i.view(3, 1), v[:, :1]),
    "scatter_ number": lambda t, x, i, v: x.scatter_(0, i.view(1, 3), 3.0),
    "scatter_ add": lambda t, x, i, v: x.scatter_(1, i.view(3, 1), v, reduce="add"),
    "scatter_ multiply": lambda t, x, i, v: x.scatter_(1, i.view(3, 1), v, reduce="multiply"),
    "scatter_add_": lambda t, x, i, v: x.scatter_add_(0, i.view(1, 3), v[:1, :3]),
}
EACH = pytest.mark.parametrize("name", list(WRITES))
# Those that a mask of the tensor's shape chooses for.
WRITES |= {
    "masked_fill_": lambda t, x, i, v: x.masked_fill_(v > 0, 0.5),
    "masked_fill_ infinity": lambda t, x, i, v: x.masked_fill_(v > 0, -float("inf")),
    "x[mask] = number": lambda t, x, i, v: x.__setitem__(v > 0, 1.5),
}
AND_MASKS = pytest.mark.parametrize("name", WRITES)
RECORDED = [
    name for name in WRITES if "reduce" not in name and "multiply" not in name and "_ add" not in name
]
NEW = {
    "index_add": lambda t, x, i, v: t.index_add(x, 0, i, v),
    "index_copy": lambda t, x, i, v: t.index_copy(x, 0, i, v),
    "index_fill": lambda t, x, i, v: t.index_fill(x, 1, i, 7.0),
    "scatter": lambda t, x, i, v: t.scatter(x, 1, i.view(3, 1), v),
    "scatter number": lambda t, x, i, v: t.scatter(x, 1, i.view(3, 1), 2.0),
    "take": lambda t, x, i, v: t.take(x, i),
}


def tensors(kind: str = "float32", layouts=("row", "row")) -> list[tl.Tensor]:
    x, v = (random_values((3, 4), kind, seed) for seed in range(2))
    return [lay_out(x, layouts[0]), tl.tensor([2, 0, 2]), lay_out(v, layouts[1])]


def warm(name: str) -> None:
    for _ in range(3):
        WRITES[name](tl, *tensors())


@AND_MASKS
@pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter")
@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "int8"])
def test_values_and_versions(torch, name, kind):
    if kind.startswith("int") and ("number" in name or "mask" in name):
        kind = "float64"
    layouts = ("row", "transposed", "offset", "sliced")
    for pair, _ in itertools.product(itertools.product(layouts, repeat=2), range(3)):
        given = tensors(kind, pair)
        version = given[0]._version
        theirs = [twin(torch, x) for x in given]
        WRITES[name](torch, *theirs)
        WRITES[name](tl, *given)
        agree(given[0], theirs[0])
        assert given[0]._version == version + 1


@pytest.mark.parametrize("name", NEW)
def test_new_tensors(torch, name):
    for kind, layout, _ in itertools.product(("float32", "int64", "bool"), ("row", "transposed"), range(3)):
        given = tensors(kind, (layout, "row"))
        agree(NEW[name](tl, *given), NEW[name](torch, *[twin(torch, x) for x in given]))
        assert NEW[name](tl, *given)._version == 0
    x, i, v = tensors()
    x.requires_grad_()
    assert NEW[name](tl, x, i, v).requires_grad
    with tl.no_grad():
        assert not NEW[name](tl, x, i, v).requires_grad
    with tl.inference_mode():
        assert NEW[name](tl, *tensors()).is_inference()


def refused(name: str, x: tl.Tensor, i: tl.Tensor, v: tl.Tensor, kinds, words: str) -> None:
    version = None if x.is_inference() else x._version
    before = x.detach().clone()
    for _ in range(2):
        with pytest.raises(kinds, match=words):
            WRITES[name](tl, x, i, v)
    assert tl.equal(x.detach(), before)
    assert version is None or x._version == version


@EACH
def test_an_index_outside(name):
    warm(name)
    for index in ([2, 0, 4], [2, 0, -5]):
        x, _, v = tensors()
        refused(name, x, tl.tensor(index), v, (IndexError, RuntimeError), "out of bounds")


@pytest.mark.parametrize("name", ["x[i] = values", "x[i] = number", "index_fill_", "index_put_"])
def test_a_negative_index_counts_from_the_end(torch, name):
    warm(name)
    x, _, v = tensors()
    theirs = twin(torch, x)
    WRITES[name](torch, theirs, torch.tensor([-1, 0, -2]), twin(torch, v))
    WRITES[name](tl, x, tl.tensor([-1, 0, -2]), v)
    agree(x, theirs)


@AND_MASKS
def test_leaves_and_memory(name):
    warm(name)
    x, i, v = tensors()
    x.requires_grad_()
    refused(name, x, i, v, RuntimeError, "leaf|derivative for scatter")
    with tl.no_grad():
        WRITES[name](tl, x, i, v)
    assert x.is_leaf
    assert x.requires_grad
    x, i, v = tensors()
    x.untyped_storage().readonly = True
    refused(name, x, i, v, RuntimeError, "read-only memory")
    with tl.inference_mode():
        x, i, v = tensors()
        WRITES[name](tl, x, i, v)
    refused(name, x, i, v, RuntimeError, "Inplace update to inference tensor")


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_recorded(torch, name):
    warm(name)
    gradients = []
    for library in (tl, torch):
        x, i, v = (t if library is tl else twin(torch, t) for t in tensors())
        v = v.clone().requires_grad_("mask" not in name)
        x = x.clone().requires_grad_()
        y = x * 1
        WRITES[name](library, y, i, v)
        (y * y).sum().backward()
        gradients.append((x.grad, v.grad))
    for ours, theirs in zip(*gradients, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            agree(ours, theirs)


@AND_MASKS
def test_the_graph_sees_the_write(name):
    warm(name)
    x, i, v = tensors()
    weight = tl.ones(3, 4, requires_grad=True)
    product = weight * x
    WRITES[name](tl, x, i, v)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_values_and_indices_in_the_same_memory(torch):
    for name in ("x[i] = values", "index_put_"):
        warm(name)
        x, i, _ = tensors()
        with pytest.raises(RuntimeError, match="single memory location"):
            WRITES[name](tl, x, i, x)
    cells = tl.arange(24).remainder(3)
    for _ in range(3):
        theirs = torch.tensor(cells.tolist())
        cells[:12].view(3, 4)[cells[12:15]] = cells[16:20]
        theirs[:12].view(3, 4)[theirs[12:15]] = theirs[16:20]
        agree(cells, theirs)


def test_other_arguments_are_refused():
    for name in WRITES:
        warm(name)
    x, i, v = tensors()
    before = x.clone()
    for _ in range(2):
        with pytest.raises(TypeError):
            x.index_add_(False, i, v)
        with pytest.raises(TypeError):
            x.index_fill_(True, i, 7.0)
        with pytest.raises((RuntimeError, IndexError)):
            x.index_add_(0, i.to(tl.float32), v)
        with pytest.raises(RuntimeError):
            x.index_add_(0, i, v.double())
        with pytest.raises(RuntimeError):
            x[i] = v.double()
        with pytest.raises(RuntimeError):
            x.scatter_(1, i.view(3, 1), 1e300)
        with pytest.raises(RuntimeError):
            tl.zeros(3, 4, dtype=tl.uint8)[i] = 300
        with pytest.raises((TypeError, RuntimeError)):
            x.scatter_(1, i.view(3, 1), "a")
    assert tl.equal(x, before)


def test_numbers_of_several_kinds(torch):
    for kind in ("float32", "float16", "int64", "uint8", "bool"):
        x, y = tl.zeros(4, dtype=getattr(tl, kind)), torch.zeros(4, dtype=getattr(torch, kind))
        i = [2, 0]
        for number in (1.5, -0.0, 0, 1, True, 2, 100, float("inf"), 0.1, float("nan"), 3e38):
            if kind not in ("float32", "float16") and number not in (0, 1, 2, 100):
                continue
            if kind == "float16" and number == 3e38:
                continue
            for _ in range(2):
                x[tl.tensor(i)] = number
                y[torch.tensor(i)] = number
                assert np.array_equal(x.numpy(), y.numpy(), equal_nan=kind.startswith("float"))
                assert np.array_equal(np.signbit(x.double().numpy()), np.signbit(y.double().numpy()))


READS = {
    "x[i, j]": lambda x, i: x[i, i],
    "x[:, i]": lambda x, i: x[:, i],
    "x[i]": lambda x, i: x[i],
    "x[[2, 0]]": lambda x, i: x[[2, 0]],
    "x[i, 1:]": lambda x, i: x[i, 1:],
    "x[i[:, None], i]": lambda x, i: x[i[:, None], i],
    "x[i, None, j]": lambda x, i: x[i, None, i],
    "x[0, i]": lambda x, i: x[0, i],
}


@pytest.mark.parametrize("name", READS)
def test_what_index_tensors_choose(torch, name):
    read = READS[name]
    for kind, layout, times in itertools.product(
        ("float32", "bool"), ("row", "transposed", "offset"), range(3)
    ):
        x = tensors(kind, (layout, "row"))[0]
        i = tl.tensor([[2, 0, 2], [-1, 1, 0], [0, 0, -3]][times])
        found, expected = read(x, i), read(twin(torch, x), twin(torch, i))
        agree(found, expected)
        assert found.stride() == expected.stride()
        assert found._version == 0
    if "[[" not in name:
        for index in ([0, 4, 1], [-5, 0, 1]):
            with pytest.raises(IndexError, match="out of bounds"):
                read(x, tl.tensor(index))
    x, y = tl.ones(3, 4, requires_grad=True), torch.ones(3, 4, requires_grad=True)
    i = tl.tensor([2, 0, 2])
    read(x, i).sum().backward()
    read(y, twin(torch, i)).sum().backward()
    agree(x.grad, y.grad)
    with pytest.raises(IndexError):
        read(tl.ones(3, 4), tl.tensor([2.0, 0.0, 2.0])) if "[[" not in name else x[[2, 9]]
    mask = tl.tensor([True, False, True])
    if name == "x[i]":
        agree(read(tl.ones(3, 4), mask), torch.ones(2, 4))
