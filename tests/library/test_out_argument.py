"""``out=``: what is written, the first time and by a plan that is kept, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensorlab as tl
from tests.library.layouts import lay_out, random_values
from tests.library.references import agree, twin

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

# Functions of the library, two 3 × 3 tensors, an index, and `out`, which is given by name.
CALLS = {
    "matmul": lambda t, a, b, i, **out: t.matmul(a, b, **out),
    "mm": lambda t, a, b, i, **out: t.mm(a, b, **out),
    "mv": lambda t, a, b, i, **out: t.mv(a, b[0], **out),
    "dot": lambda t, a, b, i, **out: t.dot(a[0], b[0], **out),
    "bmm": lambda t, a, b, i, **out: t.bmm(a[None], b[None], **out),
    "addmm": lambda t, a, b, i, **out: t.addmm(a, a, b, beta=0.5, alpha=2.0, **out),
    "sum": lambda t, a, b, i, **out: t.sum(a, 1, **out),
    "sum by name": lambda t, a, b, i, **out: t.sum(a, dim=0, keepdim=True, **out),
    "mean": lambda t, a, b, i, **out: t.mean(a, 0, True, **out),
    "prod": lambda t, a, b, i, **out: t.prod(a, 1, **out),
    "amax": lambda t, a, b, i, **out: t.amax(a, (0, 1), **out),
    "std": lambda t, a, b, i, **out: t.std(a, 1, **out),
    "argmax": lambda t, a, b, i, **out: t.argmax(a, 1, **out),
    "softmax": lambda t, a, b, i, **out: t.softmax(a, 1, **out),
    "logsumexp": lambda t, a, b, i, **out: t.logsumexp(a, 0, **out),
    "cumsum": lambda t, a, b, i, **out: t.cumsum(a, 0, **out),
    "cat": lambda t, a, b, i, **out: t.cat((a, b), 1, **out),
    "stack": lambda t, a, b, i, **out: t.stack([a, b], **out),
    "index_select": lambda t, a, b, i, **out: t.index_select(a, 0, i, **out),
    "gather": lambda t, a, b, i, **out: t.gather(a, 0, i.view(1, 3), **out),
    "tril": lambda t, a, b, i, **out: t.tril(a, -1, **out),
    "linalg.norm": lambda t, a, b, i, **out: t.linalg.norm(a, **out),
    "add, of itself": lambda t, a, b, i, **out: t.add(out.get("out", a), b, **out),
    "exp, of itself": lambda t, a, b, i, **out: t.exp(out.get("out", a), **out),
}
ITSELF = "add, of itself", "exp, of itself"
EACH = pytest.mark.parametrize("name", CALLS)
# What is refused where recording would be needed; a place has no gradient.
RECORDED = pytest.mark.parametrize("name", [name for name in CALLS if name != "argmax"])


def operands(kind: str = "float32", layout: str = "row") -> list[tl.Tensor]:
    values = [random_values((3, 3), kind, seed) for seed in range(2)]
    return [*(lay_out(value, layout) for value in values), tl.tensor([2, 0, 2])]


def target(name: str, layout: str = "row") -> tl.Tensor:
    found = CALLS[name](tl, *operands())
    values = found.numpy().copy() * 0 + 1
    return lay_out(values, layout if values.ndim > 1 else "row")


def warm(name: str) -> None:
    for _ in range(4):
        CALLS[name](tl, *operands(), out=target(name))


@EACH
def test_values_and_versions(torch, name):
    for layout, of, _ in itertools.product(("row", "transposed", "offset"), ("row", "transposed"), range(4)):
        out, given = target(name, layout), operands(layout=of)
        version = out._version
        expected = CALLS[name](torch, *[twin(torch, x) for x in given], out=twin(torch, out))
        assert CALLS[name](tl, *given, out=out) is out
        agree(out, expected)
        assert out._version == version + 1


@EACH
def test_the_same_bits_each_time(name):
    outs = []
    for _ in range(4):
        out = target(name)
        outs.append(CALLS[name](tl, *operands(), out=out).numpy().tobytes())
    assert len(set(outs)) == 1


def refused(name: str, given: list[tl.Tensor], out: tl.Tensor, words: str, times: int = 2) -> None:
    version = None if out.is_inference() else out._version
    before = out.detach().clone()
    for _ in range(times):
        with pytest.raises(RuntimeError, match=words):
            CALLS[name](tl, *given, out=out)
    assert tl.equal(out.detach(), before)
    assert version is None or out._version == version


@RECORDED
def test_nothing_is_recorded(name):
    warm(name)
    if name not in ITSELF:
        for of in range(2 if name in ("matmul", "mm", "mv", "dot", "bmm", "addmm", "cat", "stack") else 1):
            given = operands()
            given[of].requires_grad_()
            refused(name, given, target(name), "automatic differentiation")
            with tl.no_grad():
                assert not CALLS[name](tl, *given, out=target(name)).requires_grad
    out = target(name).requires_grad_()
    refused(name, operands(), out, "automatic differentiation")
    refused(name, operands(), out.view(out.shape), "automatic differentiation")
    with tl.no_grad():
        assert CALLS[name](tl, *operands(), out=out).requires_grad


@EACH
def test_memory_that_may_not_be_written(name):
    warm(name)
    out = target(name)
    out.untyped_storage().readonly = True
    refused(name, operands(), out, "read-only memory")
    with tl.inference_mode():
        out = target(name)
        warm(name)
        CALLS[name](tl, *operands(), out=out)
    refused(name, operands(), out, "Inplace update to inference tensor")


@pytest.mark.parametrize("name", ["matmul", "softmax", "cumsum", "index_select", "tril", "addmm"])
def test_out_in_the_memory_of_an_operand(name):
    """The result is that of operands apart, or the call is refused."""
    warm(name)
    for shift, _ in itertools.product((0, 3), range(3)):
        cells = tl.arange(30.0).sin()
        given = [cells[:9].view(3, 3), cells[18:27].view(3, 3), tl.tensor([2, 0, 2])]
        out = cells[shift : shift + 9].view(3, 3)
        expected = CALLS[name](tl, *[x.clone() for x in given])
        if name == "index_select" or (name in ("cumsum", "tril") and shift):
            refused(name, given, out, "single memory location")
        else:
            assert tl.equal(CALLS[name](tl, *given, out=out), expected)


@EACH
def test_an_out_of_another_kind(torch, name):
    warm(name)
    for kind, _ in itertools.product(("bool", "int64", "float64"), range(3)):
        out = tl.ones(target(name).shape, dtype=getattr(tl, kind))
        try:
            expected = CALLS[name](torch, *[twin(torch, x) for x in operands()], out=twin(torch, out))
        except (RuntimeError, TypeError):
            with pytest.raises((RuntimeError, TypeError)):
                CALLS[name](tl, *operands(), out=out)
        else:
            agree(CALLS[name](tl, *operands(), out=out), expected)
    if name not in ITSELF:
        small = target(name).new_empty(7)
        with pytest.warns(UserWarning, match="was resized"):
            assert CALLS[name](tl, *operands(), out=small).shape == target(name).shape
    with pytest.raises(TypeError):
        CALLS[name](tl, *operands(), out=np.ones((3, 3), np.float32))


def test_errors_of_other_arguments_stay():
    for name in ("sum", "index_select", "gather", "cat", "matmul"):
        warm(name)
    a = operands()[0]
    out = tl.zeros(3, 3)
    for _ in range(2):
        with pytest.raises(IndexError):
            tl.sum(a, 2, out=tl.zeros(3))
        with pytest.raises(IndexError, match="out of bounds"):
            tl.index_select(a, 0, tl.tensor([0, 1, 3]), out=out)
        with pytest.raises((IndexError, RuntimeError), match="out of bounds"):
            tl.gather(a, 0, tl.tensor([[0, 1, 3]]), out=tl.zeros(1, 3))
        with pytest.raises(RuntimeError):
            tl.matmul(a, tl.ones(2, 3), out=out)
        with pytest.raises(TypeError):
            tl.cat((a, [1.0]), out=tl.zeros(6, 3))
    assert tl.equal(out, tl.zeros(3, 3))
    assert tl.sum(a.rename("N", "C"), 1, out=tl.zeros(3)).names == ("N",)


def test_the_graph_sees_the_write():
    for name in ("sum", "matmul", "softmax", "cumsum", "add, of itself"):
        warm(name)
        out = target(name)
        weight = tl.ones(out.shape, requires_grad=True)
        product = weight * out
        CALLS[name](tl, *operands(), out=out)
        called = name.split(",")[0]
        with pytest.raises(
            RuntimeError, match=rf"modified by an inplace operation(?s:.)*{called}\(out=\.\.\.\)"
        ):
            product.sum().backward()


def test_batches_of_products(torch):
    for sizes in ((2, 3, 5, 7), (4, 8, 6, 16), (1, 4, 4, 9), (3, 2, 2, 2), (2, 0, 3, 4), (2, 3, 0, 8)):
        batch, m, k, n = sizes
        for kind, seed in itertools.product(("float32", "float64", "int64"), range(3)):
            a, b = (np.round(random_values(s, kind, seed)) for s in ((batch, m, k), (batch, k, n)))
            for left, right in itertools.product(("row", "transposed"), repeat=2):
                x, y = lay_out(a, left), lay_out(b, right)
                expected = torch.bmm(twin(torch, x), twin(torch, y))
                agree(tl.bmm(x, y), expected)
                agree(x @ y, expected)
                agree(tl.bmm(x, y, out=tl.zeros(batch, m, n, dtype=x.dtype)), expected)
            wide = tl.tensor(np.stack([a, a]))
            agree(wide @ tl.tensor(b), torch.matmul(twin(torch, wide), torch.tensor(b)))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="Expected size for first two dimensions"):
            tl.bmm(tl.ones(2, 3, 4), tl.ones(2, 5, 4))
        with pytest.raises(RuntimeError, match="must be a 3D tensor"):
            tl.bmm(tl.ones(2, 3, 4), tl.ones(4, 5))


def test_parameters_take_turns(torch):
    x, y = tl.arange(16.0).view(4, 4).sin(), torch.arange(16.0).view(4, 4).sin()
    out, theirs = tl.zeros(4), torch.zeros(4)
    for _ in range(4):
        for dim in (0, 1, -1):
            agree(tl.sum(x, dim, out=out), torch.sum(y, dim, out=theirs))
        for beta in (0.5, 0.0, 2, True):
            ours = tl.addmm(x, x, x, beta=beta, out=tl.zeros(4, 4))
            agree(ours, torch.addmm(y, y, y, beta=beta, out=torch.zeros(4, 4)))
        for dtype in ("float32", "float64"):
            kind = {"dtype": getattr(tl, dtype)}, {"dtype": getattr(torch, dtype)}
            wide = tl.zeros(4, **kind[0])
            agree(
                tl.sum(x, 0, out=wide, **kind[0]), torch.sum(y, 0, out=torch.zeros(4, **kind[1]), **kind[1])
            )
