"""The argument `out`: which shape, strides and memory it has afterwards, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorlab as tl

CALLS = {
    "add": lambda lib, a, out: lib.add(a, 1, out=out),
    "neg": lambda lib, a, out: lib.neg(a, out=out),
    "sum": lambda lib, a, out: lib.sum(a, 0, out=out),
    "cumsum": lambda lib, a, out: lib.cumsum(a, 1, out=out),
    "mm": lambda lib, a, out: lib.mm(a, a.t(), out=out),
    "take": lambda lib, a, out: lib.take(a, lib.tensor([4, 0, 5]), out=out),
    "index_select": lambda lib, a, out: lib.index_select(a, 0, lib.tensor([1, 1, 0]), out=out),
    "diff": lambda lib, a, out: lib.diff(a, out=out),
    "msort": lambda lib, a, out: lib.msort(a, out=out),
    "cat": lambda lib, a, out: lib.cat([a, a], out=out),
}


def both(torch, call, make_out, turned):
    """The result of one call in both libraries, with the tensor that `out` looks into."""
    results = []
    for lib in (tl, torch):
        a = lib.arange(6.0).view(2, 3)
        base, out = make_out(lib)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call(lib, a.t() if turned else a, out)
        assert result is out
        results.append((out.tolist(), tuple(out.shape), out.stride(), out.storage_offset(), base.tolist()))
    return results


def without_elements(lib):
    out = lib.empty(0)
    return out, out


def in_a_larger_storage(lib):
    base = lib.zeros(20)
    return base, base[3:3]


def with_too_many_elements(lib):
    base = lib.zeros(4, 6)
    return base, base[1:, ::2]


def with_too_few(lib):
    out = lib.zeros(1)
    return out, out


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "make_out", [without_elements, in_a_larger_storage, with_too_many_elements, with_too_few]
)
@pytest.mark.parametrize("name", CALLS)
def test_out_takes_the_shape_and_stays_where_it_lies(torch, name, make_out, turned):
    ours, theirs = both(torch, CALLS[name], make_out, turned)
    assert ours == theirs


def test_an_out_with_elements_is_resized_with_a_warning():
    out = tl.zeros(2)
    with pytest.warns(UserWarning, match=r"had shape \[2\] and was resized to \[3\]"):
        tl.neg(tl.ones(3), out=out)
    assert out.tolist() == [-1, -1, -1]


def test_an_out_without_elements_is_resized_without_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tl.neg(tl.ones(3), out=tl.empty(0, 4)).tolist() == [-1, -1, -1]


def test_a_shared_storage_does_not_grow():
    base = tl.zeros(2)
    out = base[:0]
    with pytest.raises(RuntimeError, match="something else looks into the storage"):
        tl.neg(tl.ones(3), out=out)
    assert base.tolist() == [0, 0]
    assert out.shape == (0,)


def test_an_operand_keeps_its_shape(torch):
    for lib in (tl, torch):
        x = lib.zeros(3, 1)
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            lib.add(x, lib.ones(1, 3), out=x)
        assert x.shape == (3, 1)


def test_what_is_read_is_not_resized():
    for call in (
        lambda x: tl.kthvalue(x, 2, out=(x, tl.empty(0, dtype=tl.int64))),
        lambda x: tl.sum(x, 0, out=x),
    ):
        x = tl.arange(3.0)
        with pytest.raises(RuntimeError, match=r"unsupported operation|doesn't match"):
            call(x)
        assert x.tolist() == [0, 1, 2]


def test_what_the_storage_held_before_stays_when_it_grows():
    out = tl.arange(4.0)[2:]
    with pytest.warns(UserWarning, match="was resized"):
        tl.add(tl.zeros(3), 7, out=out)
    assert out.untyped_storage().nbytes() == 5 * 4
    assert out.storage().tolist() == [0, 1, 7, 7, 7]


def test_forms_in_place_keep_their_shape(torch):
    for lib in (tl, torch):
        for call in (
            lambda o: o(()).addr_(o(2), o(3)),
            lambda o: o(1, 3).addr_(o(2), o(3)),
            lambda o: o(3).addmm_(o(2, 3), o(3, 3)),
            lambda o: o(1, 3).add_(o(2, 3)),
        ):
            with pytest.raises(RuntimeError):
                call(lib.ones)


@pytest.mark.parametrize(
    ("dtype", "wider", "value"),
    [("bool", "float64", True), ("int8", "int32", 100), ("uint8", "int64", 200), ("float16", "float32", 1.1)],
)
def test_a_result_is_wrapped_or_rounded_before_a_wider_out_takes_it(torch, dtype, wider, value):
    results = []
    for lib in (tl, torch):
        x = lib.tensor([value, value]).to(getattr(lib, dtype))
        out = lib.empty(2, dtype=getattr(lib, wider))
        results.append((lib.add(x, x, out=out).tolist(), lib.mul(x, x, out=out).tolist()))
    assert results[0] == results[1]


ALIASES = {
    "copy_": lambda lib, x: x[1:].copy_(x.data[:-1]),
    "add_": lambda lib, x: x.data[1:].add_(x[:-1]),
    "add_ itself": lambda lib, x: x.add_(x.data),
    "assign": lambda lib, x: x.data.__setitem__(lib.tensor([1, 2, 3]), x[:3]),
    "assign flipped": lambda lib, x: x.__setitem__(slice(None), x.data.flip(0)),
    "index_copy_": lambda lib, x: x.index_copy_(0, lib.tensor([5, 4, 3]), x.data[:3]),
    "out": lambda lib, x: lib.add(x[:3], x[3:], out=x.data[1:4]),
    "cat": lambda lib, x: lib.cat([x[:2], x[2:4]], out=x.data[1:5]),
    "gather": lambda lib, x: lib.gather(x, 0, lib.tensor([5, 4, 3, 2, 1, 0]), out=x.data),
}


@pytest.mark.parametrize("name", ALIASES)
def test_data_lies_in_the_memory_of_its_tensor(torch, name):
    outcomes = []
    for lib in (tl, torch):
        x = lib.arange(6.0)
        try:
            ALIASES[name](lib, x)
            outcomes.append(x.tolist())
        except RuntimeError:
            outcomes.append("refused")
    assert outcomes[0] == outcomes[1]


# Of each kind of operation that writes into its out: a float32 matrix, an index, and the out.
WRITERS = {
    "add": lambda lib, a, i, out: lib.add(a, a, out=out),
    "sum": lambda lib, a, i, out: lib.sum(a, 0, keepdim=True, out=out),
    "mm": lambda lib, a, i, out: lib.mm(a, a, out=out),
    "gather": lambda lib, a, i, out: lib.gather(a, 0, i, out=out),
    "take": lambda lib, a, i, out: lib.take(a, i, out=out),
    "take_along_dim": lambda lib, a, i, out: lib.take_along_dim(a, i, 0, out=out),
    "index_select": lambda lib, a, i, out: lib.index_select(a, 0, i[0], out=out),
    "index_add": lambda lib, a, i, out: lib.index_add(lib.ones(3, 3), 0, i[0], a, out=out),
    "index_copy": lambda lib, a, i, out: lib.index_copy(lib.ones(3, 3), 0, i[0], a, out=out),
    "scatter": lambda lib, a, i, out: lib.scatter(lib.ones(3, 3), 0, i, a, out=out),
    "scatter_add": lambda lib, a, i, out: lib.scatter_add(lib.ones(3, 3), 0, i, a, out=out),
    "scatter_reduce": lambda lib, a, i, out: lib.scatter_reduce(lib.ones(3, 3), 0, i, a, "mean", out=out),
    "masked_select": lambda lib, a, i, out: lib.masked_select(a, i[:1] >= 0, out=out.view(-1)),
    "cat": lambda lib, a, i, out: lib.cat([a[:1], a[1:]], out=out),
    "stack": lambda lib, a, i, out: lib.stack([a[0], a[1], a[2]], out=out),
    "msort": lambda lib, a, i, out: lib.msort(a, out=out),
    "multi_dot": lambda lib, a, i, out: lib.linalg.multi_dot([a, a], out=out),
    "pinv": lambda lib, a, i, out: lib.linalg.pinv(a, out=out),
    "eigh": lambda lib, a, i, out: lib.linalg.eigh(a, out=(lib.empty(3), out))[1],
    "svdvals": lambda lib, a, i, out: lib.linalg.svdvals(a, out=out[0]),
    "eigvalsh": lambda lib, a, i, out: lib.linalg.eigvalsh(a, out=out[0]),
    "normal": lambda lib, a, i, out: lib.normal(a, 1.0, out=out),
}
# These read no tensor.
MAKERS = {
    "ones": lambda lib, a, i, out: lib.ones(3, 3, out=out),
    "full": lambda lib, a, i, out: lib.full((3, 3), 2.0, out=out),
    "eye": lambda lib, a, i, out: lib.eye(3, out=out),
    "randn": lambda lib, a, i, out: lib.randn(3, 3, out=out),
    "arange": lambda lib, a, i, out: lib.arange(3, out=out[0]),
}


def operands(lib):
    a = lib.tensor([[2.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 4.0]])
    return a, lib.tensor([[2, 0, 1], [1, 2, 0], [0, 1, 2]])


@pytest.mark.parametrize("name", [*WRITERS, *MAKERS])
def test_an_out_is_not_recorded_and_counts_one_write(torch, name):
    write = {**WRITERS, **MAKERS}[name]
    outcomes = []
    for lib in (tl, torch):
        a, index = operands(lib)
        out = lib.zeros(1, 3) if name == "sum" else lib.zeros(3, 3)
        write(lib, a, index, out)
        outcomes.append((out._version, out.requires_grad))
        a.requires_grad_()
        if name in WRITERS and name != "take_along_dim":  # PyTorch's is made of others
            with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
                write(lib, a, index, out)
        with lib.no_grad():
            write(lib, a, index, out)
        outcomes[-1] += out._version, out.requires_grad, None if name in ("normal", "randn") else out.tolist()
        leaf = lib.zeros(out.shape, requires_grad=True)
        with pytest.raises(RuntimeError, match="require"):
            write(lib, a.detach(), index, leaf)
    ours, theirs = outcomes
    assert ours[:4] == theirs[:4]
    assert theirs[4] is None or np.allclose(ours[4], theirs[4], atol=1e-5)


@pytest.mark.parametrize("name", ["lt", "eq", "logical_and", "isneginf", "argmax", "all"])
def test_truths_and_places_are_written_whoever_requires_a_gradient(torch, name):
    outcomes = []
    for lib in (tl, torch):
        a = lib.tensor([[2.0, -1.0], [0.0, 3.0]], requires_grad=True)
        shape = (2,) if name in ("argmax", "all") else (2, 2)
        out = lib.zeros(shape, dtype=lib.int64 if name == "argmax" else lib.bool)
        others = {"isneginf": (), "argmax": (1,), "all": (1,)}.get(name, (a.t(),))
        for _ in range(3):
            assert getattr(lib, name)(a, *others, out=out) is out
        outcomes.append((out.tolist(), out._version, out.requires_grad))
    assert outcomes[0] == outcomes[1]


def test_an_out_of_a_stack_without_elements_is_what_is_given_back(torch):
    for dim, shape in ((0, (0,)), (1, (0,)), (0, (2, 0)), (0, (3,)), (1, (0, 2))):
        outcomes = []
        for lib in (tl, torch):
            out = lib.zeros(shape)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert lib.stack([lib.zeros(0)] * 2, dim, out=out) is out
            outcomes.append((tuple(out.shape), out.stride()))
        assert outcomes[0] == outcomes[1]


def test_an_out_that_is_read_keeps_its_shape_when_it_is_refused(torch):
    for lib in (tl, torch):
        cells = lib.arange(20.0)
        out, source = cells[:16].view(4, 4), cells[2:18].view(4, 4)
        with pytest.raises(RuntimeError, match="single memory location"):
            lib.index_select(source, 0, lib.tensor([0, 0, 1]), out=out)
        assert out.shape == (4, 4)


def test_differences_of_a_turned_matrix_keep_their_order_in_memory(torch):
    for lib in (tl, torch):
        out = lib.empty(0)
        assert lib.diff(lib.arange(12.0).view(4, 3).t(), out=out).stride() == (1, 3)


def test_where_writes_an_out_of_its_own_dtype_alone(torch):
    for lib in (tl, torch):
        mask = lib.tensor([True, False])
        for kinds in ("f4 f4 f8", "i8 i8 f4", "f4 f8 f4"):
            types = {"f4": lib.float32, "f8": lib.float64, "i8": lib.int64}
            a, b, out = (lib.ones(2, dtype=types[kind]) for kind in kinds.split())
            with pytest.raises(RuntimeError, match="Expected out"):
                lib.where(mask, a, b, out=out)
            assert lib.where(mask, a, b, out=(a + b).zero_()).tolist() == [1, 1]
        with pytest.raises(TypeError, match="out"):
            lib.where(mask, mask, mask, out=2)
