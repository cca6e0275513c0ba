"""The argument `out`: which shape, strides and memory it has afterwards, and what is refused."""

from __future__ import annotations

import warnings

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
        with pytest.raises(RuntimeError, match="unsupported operation"):
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
