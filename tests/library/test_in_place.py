"""Writes in place: what they write, the first time and by a plan that is kept, and what is refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import tensorlab as tl
from tests.library.layouts import lay_out, random_values
from tests.library.references import agree, twin

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

# Each writes its second argument: a function of the library, the target, and two other tensors.
WRITES = {
    "add(out=)": lambda t, o, a, b: t.add(a, b, out=o),
    "exp(out=)": lambda t, o, a, b: t.exp(a, out=o),
    "mul by a float (out=)": lambda t, o, a, b: t.mul(a, 0.5, out=o),
    "mul by an int (out=)": lambda t, o, a, b: t.mul(a, 3, out=o),
    "lt(out=)": lambda t, o, a, b: t.lt(a, b, out=o),
    "add_": lambda t, o, a, b: o.add_(a),
    "mul_ by a float": lambda t, o, a, b: o.mul_(0.5),
    "mul_ by an int": lambda t, o, a, b: o.mul_(3),
    "exp_": lambda t, o, a, b: o.exp_(),
    "add_ scaled": lambda t, o, a, b: o.add_(a, alpha=0.5),
    "addcmul_": lambda t, o, a, b: o.addcmul_(a, b, value=0.5),
    "addcdiv_": lambda t, o, a, b: o.addcdiv_(a, b, value=2),
    "lerp_": lambda t, o, a, b: o.lerp_(a, 0.25),
    "lerp_ by a tensor": lambda t, o, a, b: o.lerp_(a, b),
    "clamp_": lambda t, o, a, b: o.clamp_(-1.0, 2.0),
    "copy_": lambda t, o, a, b: o.copy_(a),
    "zero_": lambda t, o, a, b: o.zero_(),
    "fill_": lambda t, o, a, b: o.fill_(2.5),
}
LAYOUTS = ("row", "transposed", "sliced", "offset")
# Which kernel a layout asks for is one question for all that read as many operands, so that these alone meet
# all of them: each function has kernels of its own to compile for each.
IN_ALL_LAYOUTS = ("add(out=)", "exp(out=)", "addcmul_", "copy_")
SOME_LAYOUTS = [
    *((layout,) * 3 for layout in LAYOUTS),
    ("row", "transposed", "sliced"),
    ("transposed", "row", "row"),
    ("sliced", "offset", "transposed"),
]
OF_TWO = [name for name in WRITES if name in ("add(out=)", "add_", "copy_", "lerp_ by a tensor")]


def same_write(torch, write, tensors, times: int = 4) -> None:
    """PyTorch's values, version and surroundings, or refused as there, the first time and again."""
    for _ in range(times):
        twins = [twin(torch, x) for x in tensors]
        before = tensors[0]._version
        try:
            expected = write(torch, *twins)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                write(tl, *tensors)
            assert tensors[0]._version == before
            continue
        assert write(tl, *tensors) is tensors[0]
        agree(tensors[0], expected)
        assert tensors[0]._version == before + 1
        memory = tensors[0].untyped_storage().bytes().tobytes()
        cells = [np.frombuffer(memory, np.dtype(tensors[0].dtype.numpy)), twins[0]._base.numpy()]
        np.testing.assert_allclose(*cells, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", WRITES)
def test_tensors_of_all_layouts(torch, name):
    for layouts in itertools.product(LAYOUTS, repeat=3) if name in IN_ALL_LAYOUTS else SOME_LAYOUTS:
        values = [random_values((3, 4), "float32", seed) for seed in range(3)]
        same_write(torch, WRITES[name], list(map(lay_out, values, layouts)))


@pytest.mark.parametrize("name", OF_TWO)
def test_operands_that_are_broadcast(torch, name):
    for shape, kind in itertools.product([(4,), (3, 1), (1, 1), ()], ("row", "expanded")):
        for target in LAYOUTS:
            values = [random_values(s, "float32", seed) for seed, s in enumerate([(3, 4), shape, (3, 4)])]
            operand = lay_out(values[1], kind if shape else "row")
            same_write(torch, WRITES[name], [lay_out(values[0], target), operand, lay_out(values[2], "row")])


@pytest.mark.parametrize("name", OF_TWO)
@pytest.mark.parametrize("types", [*itertools.product(["float32", "float64", "int32", "bool"], repeat=2)])
def test_dtypes_that_meet(torch, name, types):
    for layout in ("row", "transposed"):
        values = [random_values((3, 4), kind, seed) for seed, kind in enumerate((*types, types[1]))]
        same_write(torch, WRITES[name], [lay_out(values[0], layout), *map(tl.tensor, values[1:])], 3)


def test_shapes_take_turns(torch):
    shapes = [(3, 4), (5,), (2, 1, 3), (), (1,), (0, 3), (40, 50)]
    for name, _ in itertools.product(WRITES, range(2)):
        for shape in shapes:
            values = [random_values(shape, "float32", seed) for seed in range(3)]
            same_write(torch, WRITES[name], list(map(tl.tensor, values)), 1)


def warm(write, target, a, b) -> None:
    for _ in range(3):
        write(tl, target, a, b)


def three(layout: str = "row") -> list[tl.Tensor]:
    return [lay_out(random_values((3, 3), "float32", seed) ** 2 + 1, layout) for seed in range(3)]


def refused(write, target, a, b, words: str) -> None:
    """A write that is refused changes neither the elements nor the version."""
    version = None if target.is_inference() else target._version
    before = target.detach().clone()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=words):
            write(tl, target, a, b)
    assert tl.equal(target.detach(), before)
    assert version is None or target._version == version


EACH = pytest.mark.parametrize("layout", ["row", "transposed"])
NAMED = pytest.mark.parametrize("name", [name for name in WRITES if name != "lt(out=)"])


@NAMED
@EACH
def test_a_leaf_is_not_written(name, layout):
    warm(WRITES[name], *three(layout))
    target, a, b = three(layout)
    target.requires_grad_()
    words = "automatic differentiation" if "out=" in name else "a leaf Variable that requires grad"
    refused(WRITES[name], target, a, b, words)
    view = target.view_as(target) if layout == "row" else target.t().t()
    refused(WRITES[name], view, a, b, words.replace("a leaf", "a view of a leaf"))
    with tl.no_grad():
        version = target._version
        warm(WRITES[name], target, a, b)
        assert target._version == version + 3
        assert target.is_leaf
        assert target.requires_grad
    refused(WRITES[name], target, a, b, words)


@pytest.mark.parametrize("name", ["add(out=)", "exp(out=)", "mul by a float (out=)"])
@EACH
def test_out_is_not_recorded(name, layout):
    warm(WRITES[name], *three(layout))
    target, a, b = three(layout)
    a.requires_grad_()
    refused(WRITES[name], target, a, b, "automatic differentiation")
    refused(WRITES[name], target, a * 1, b, "automatic differentiation")


@pytest.mark.parametrize("name", ["add_", "lerp_", "addcmul_", "add_ scaled", "copy_"])
@EACH
def test_an_operand_that_requires_a_gradient_is_recorded(name, layout):
    warm(WRITES[name], *three(layout))
    target, a, b = three(layout)
    a.requires_grad_()
    WRITES[name](tl, target, a, b)
    assert target.requires_grad
    target.sum().backward()
    assert a.grad is not None


@NAMED
@EACH
def test_memory_that_may_not_be_written(name, layout):
    warm(WRITES[name], *three(layout))
    target, a, b = three(layout)
    target.untyped_storage().readonly = True  # as `from_numpy` makes it for a read-only array
    refused(WRITES[name], target, a, b, "read-only memory")
    with tl.inference_mode():
        target = three(layout)[0]
        warm(WRITES[name], target, a, b)
    refused(WRITES[name], target, a, b, "Inplace update to inference tensor")


@pytest.mark.parametrize("name", ["add(out=)", "exp(out=)", "add_", "addcmul_", "lerp_", "copy_"])
def test_memory_that_is_shared(torch, name):
    write = WRITES[name]
    warm(write, *three())
    warm(write, three()[0], *three("transposed")[1:])
    cells = tl.arange(30.0)
    target, behind, b = cells[:9].view(3, 3), cells[4:13].view(3, 3), tl.ones(3, 3)
    refused(write, target, behind, b, "a single memory location")
    refused(write, target, target.t(), b, "a single memory location")
    apart = cells[20:29].view(3, 3)
    for source in (target, target.view(3, 3), apart):
        expected = write(torch, *[torch.tensor(x.tolist()) for x in (target, source, b)])
        if source is not apart:
            expected = torch.tensor(target.tolist())
            write(torch, expected, expected, torch.ones(3, 3))
        write(tl, target, source, b)
        agree(target, expected)


@pytest.mark.parametrize("name", ["add(out=)", "exp_", "add_", "mul_ by a float", "lerp_", "copy_"])
def test_cells_that_several_elements_share(name):
    warm(WRITES[name], *three())
    _, a, b = three()
    refused(WRITES[name], tl.ones(3, 1).expand(3, 3), a, b, "more than one element of the written-to tensor")


def test_kinds_and_shapes_that_do_not_fit():
    warm(WRITES["add(out=)"], *three())
    warm(WRITES["add_"], *three())
    _, a, b = three()
    whole = tl.ones(3, 3, dtype=tl.int64)
    for name in ("add(out=)", "add_"):
        refused(WRITES[name], whole, a, b, "can't be cast to the desired output type")
    refused(WRITES["add_"], tl.ones(3), a, b, "doesn't match the broadcast shape")
    out = tl.ones(2)
    with pytest.warns(UserWarning, match="was resized"):
        tl.add(a, b, out=out)
    assert tl.equal(out, a + b)
    with pytest.raises(TypeError, match="takes 2 operands, and 3 were given"):
        a.add_.__self__.mul_(b, b)
    with pytest.raises(TypeError, match="must be a Tensor"):
        tl.add(a, b, out=np.ones((3, 3), np.float32))
    named = tl.zeros(3, 3, names=("N", None))
    assert tl.zeros(3, 3).add_(a).names == (None, None)
    assert tl.add(named, a, out=tl.zeros(3, 3)).names == ("N", None)
    assert named.add_(a).names == ("N", None)


def test_numbers_of_several_kinds(torch):
    for library in (tl, torch):
        x = library.ones(3, dtype=library.int64)
        for number in (2, 3, 2**62, -(2**63), 5, True, 2):
            x.mul_(number)
        with pytest.raises((OverflowError, RuntimeError)):
            x.mul_(2**70)
        with pytest.raises(RuntimeError, match="can't be cast"):
            x.mul_(0.5)
        y = library.ones(3)
        for number in (2, 0.5, 3, math.inf, 2**63, -0.0):
            library.mul(y, number, out=y.new_empty(3)).add_(number)
        if library is tl:
            ours = x.tolist(), y.tolist()
    assert ours == (x.tolist(), y.tolist())


def test_the_default_dtype_decides_for_integers():
    a, out = tl.full((3,), 2**24 + 1), tl.zeros(3, dtype=tl.float64)
    for _ in range(3):
        assert tl.mul(a, 1.0, out=out).tolist() == [2.0**24] * 3
    tl.set_default_dtype(tl.float64)
    try:
        assert tl.mul(a, 1.0, out=out).tolist() == [2.0**24 + 1] * 3
    finally:
        tl.set_default_dtype(tl.float32)


@pytest.mark.parametrize("name", ["add_", "mul_ by a float", "exp_", "add(out=)", "copy_", "zero_", "fill_"])
@EACH
def test_what_the_graph_keeps_is_not_overwritten_unseen(name, layout):
    write = WRITES[name]
    warm(write, *three(layout))
    target, a, b = three(layout)
    weight = tl.ones(3, 3, requires_grad=True)
    product = weight * target
    write(tl, target, a, b)
    called = {"add(out=)": r"add\(out=\.\.\.\)", "mul_ by a float": "mul_"}.get(name, name)
    with pytest.raises(RuntimeError, match=f"modified by an inplace operation.*{called}(?s:.)*"):
        product.sum().backward()


@pytest.mark.parametrize("kind", ["float32", "float16", "int64", "bool"])
def test_a_row_major_copy_of_each_layout(torch, kind):
    for shape in [(3, 4), (2, 3, 4), (0, 3), (1, 1), (17, 33)]:
        values = random_values(shape, "float32" if kind == "float16" else kind, 0)
        for layout, _ in itertools.product((*LAYOUTS, "expanded"), range(3)):
            x = lay_out(values, layout).to(getattr(tl, kind))
            found = x.contiguous()
            expected = twin(torch, x.float()).contiguous()
            agree(found.float(), expected)
            assert found._version == 0
            assert (found is x) == (x.is_contiguous())


def test_a_row_major_copy_is_recorded():
    x = tl.ones(3, 4, requires_grad=True)
    for _ in range(3):
        copy = x.t().contiguous()
        assert type(copy.grad_fn).__name__ == "CloneBackward0" or copy.grad_fn.name() == "CloneBackward0"
    with tl.inference_mode():
        assert tl.ones(3, 4).t().contiguous().is_inference()
    with tl.no_grad():
        assert not x.t().contiguous().requires_grad
