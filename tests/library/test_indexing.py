"""Square brackets, read and written, against PyTorch: values, shapes, strides, sharing, errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlab as tl

from .index_strategies import LAYOUTS, assert_same, items, make, outcome, sizes, spell

drawn = sizes.flatmap(lambda shape: st.tuples(st.just(shape), items(shape)))


@settings(max_examples=800)
@given(drawn, st.sampled_from(LAYOUTS))
def test_reading_is_pytorchs(torch, shape_and_index, layout):
    shape, index = shape_and_index
    x, y = make(tl, shape, layout), make(torch, shape, layout)
    ours = outcome(lambda: x[spell(tl, index)])
    theirs = outcome(lambda: y[spell(torch, index)])
    assert_same(ours, theirs)
    if isinstance(ours, tl.Tensor) and ours.numel():
        shares = ours.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        assert shares == (theirs.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())


@settings(max_examples=800)
@given(drawn, st.sampled_from(LAYOUTS[:3]), st.data())
def test_writing_is_pytorchs(torch, shape_and_index, layout, data):
    shape, index = shape_and_index
    x, y = make(tl, shape, layout), make(torch, shape, layout)
    place = outcome(lambda: y[spell(torch, index)])
    value = data.draw(st.sampled_from(["number", "one", "whole", "row", "other dtype", "wrong"]))
    if value == "number" or isinstance(place, type):
        ours = theirs = data.draw(st.sampled_from([7, -1.5, True, 300]))
    else:
        wanted = {
            "one": (1, 1),
            "whole": tuple(place.shape),
            "other dtype": tuple(place.shape),
            "row": tuple(place.shape)[-1:],
            "wrong": (5,),
        }[value]
        dtype = "float32" if value == "other dtype" else "int64"
        ours, theirs = ((make(library, wanted, "row", dtype) + 100) for library in (tl, torch))

    def assign(library, tensor, values):
        tensor[spell(library, index)] = values
        return tensor

    before = x.tolist()
    ours, theirs = outcome(lambda: assign(tl, x, ours)), outcome(lambda: assign(torch, y, theirs))
    assert_same(ours, theirs)
    if isinstance(ours, type):
        assert x.tolist() == before  # nothing is half written


@pytest.mark.parametrize(
    "index",
    [
        "[0, 2]", "[]", "[True, False, True]", "[True, 2]", "[0.5]", "range(2)", "np.array([2, 0])", "True",
        "False", "np.array([True, False, True])", "np.array([1, 0], np.uint16)",
        "np.array([1, 0], np.int8)", "np.array(1)", "np.array(True)", "np.int64(1)", "([0, 1], [2, 3])",
        "(0, [0, 1])", "(..., [0, 1])", "(None, [0, 1])", "library.tensor(1)", "library.tensor(True)",
        "library.tensor(1, dtype=library.uint8)", "(slice(None), (0, 1))",
        "library.tensor(1, dtype=library.int8)", "slice(library.tensor(1), None)", "(True, False)",
        "(0, True)", "[-4]", "[3]", "([0, 1], [0, 1, 2])", "0.5", "'a'", "b'a'", "{0}", "np.float32(1)",
        "np.True_", "1j", "[2**70]", "2**70", "slice(None, None, -1)", "slice(0, 1, 0)", "slice(1.0, None)",
        "library.tensor([1.0])", "(0, 0, 0)", "[0] * 40", "[[0]] * 40", "library.zeros(3, 4, 1) == 0",
        "(library.zeros(3, 4) == 0, 0)", "(..., ...)",
    ],
)  # fmt: skip
def test_indices_of_every_kind(torch, index):
    def read(library):
        x = library.arange(12).view(3, 4)
        return x[eval(index, {"library": library, "np": np})]

    assert_same(outcome(lambda: read(tl)), outcome(lambda: read(torch)))


def test_a_tensor_without_dimensions(torch):
    for index in (True, False, None, ..., (), (None, True), 0, slice(None), [0], (..., True)):
        assert_same(outcome(lambda i=index: tl.tensor(5)[i]), outcome(lambda i=index: torch.tensor(5)[i]))


def test_a_list_of_lists_is_still_a_tuple_and_says_so(torch):
    x = tl.arange(12).view(3, 4)
    with pytest.warns(UserWarning, match="non-tuple sequence for multidimensional indexing is deprecated"):
        assert x[[[0, 1], [1, 0]]].tolist() == [1, 4]
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert torch.arange(12).view(3, 4)[[[0, 1], [1, 0]]].tolist() == [1, 4]


def test_uint8_is_a_mask_and_deprecated():
    x, bytes_ = tl.arange(3), tl.tensor([1, 0, 1], dtype=tl.uint8)
    with pytest.warns(UserWarning, match="use a dtype tensorlab.bool instead"):
        assert x[bytes_].tolist() == [0, 2]
    with pytest.raises(RuntimeError, match="masked_fill_ only supports boolean masks"):
        x[bytes_] = 1  # PyTorch's own oddity


@pytest.mark.parametrize("t", ["bool", "int16", "bfloat16", "float32", "int64"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (40, 70), (0, 3)], ids=str)
def test_a_vector_of_values_goes_where_a_mask_is_true(torch, shape, turned, t):
    truth = np.random.default_rng(2).integers(0, 2, shape).astype(bool)
    results = []
    for lib in (tl, torch):
        kind, mask = getattr(lib, t), lib.tensor(truth)
        wide = lib.zeros([2 * size for size in shape], dtype=kind)
        x = wide[tuple(slice(1, None, 2) for _ in shape)]
        if turned:
            x, mask = x.permute(*reversed(range(len(shape)))), mask.permute(*reversed(range(len(shape))))
        count = int(mask.sum())
        for values in (
            lib.arange(count).to(kind),
            lib.arange(3 * count).to(kind)[::3],
            lib.ones(1, dtype=kind).expand(count),
        ):
            x[mask] = values
            results.append(wide.tolist())
        before = x._version
        x[mask & ~mask] = lib.zeros(0, dtype=kind)
        assert x._version > before
        for wrong in (lib.zeros(count + 2, dtype=kind), lib.zeros(count, dtype=lib.float64)):
            if wrong.numel() == 1:  # a number, whatever its dtype
                continue
            with pytest.raises((RuntimeError, IndexError)):
                x[mask] = wrong
        results.append(wide.tolist())
    assert results[: len(results) // 2] == results[len(results) // 2 :]


def test_gradients_of_values_that_go_where_a_mask_is_true(torch):
    truth = np.random.default_rng(2).integers(0, 2, (30, 40)).astype(bool)
    for lib in (tl, torch):
        x = lib.ones(30, 40, requires_grad=True)
        values = lib.arange(float(truth.sum())).requires_grad_()
        y = x * 1
        y[lib.tensor(truth)] = values
        (y * y).sum().backward()
        assert y.grad_fn.name() == "IndexPutBackward0"
        np.testing.assert_array_equal(np.asarray(x.grad), np.where(truth, 0, 2))
        np.testing.assert_array_equal(np.asarray(values.grad), 2 * np.arange(truth.sum()))


def test_a_mask_or_values_among_the_cells_that_are_written():
    x = tl.tensor([True, False, True, True])
    with pytest.raises(RuntimeError, match="single memory location"):
        x[x] = tl.zeros(3, dtype=tl.bool)
    pairs = tl.arange(8.0).view(4, 2)
    pairs[:, 0][tl.tensor([True, False, True, True])] = pairs[1:, 1]
    assert pairs[:, 0].tolist() == [3, 2, 5, 7]


def test_the_last_of_equal_indices_stays():
    x = tl.zeros(3)
    x[[0, 0, 1, 0]] = tl.tensor([1.0, 2.0, 3.0, 4.0])
    assert x.tolist() == [4, 3, 0]
    x[tl.tensor([[0, 1], [0, 1]]).t()] = tl.tensor([1.0, 2.0])  # the order follows the index's memory
    assert x.tolist()[:2] == [2, 2]
    table = tl.zeros(2, 2)
    table[[[0, 1], [0, 1]], 0] = tl.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert table.tolist() == [[3, 0], [4, 0]]


def test_equal_indices_count_once_in_an_in_place_sum():
    x = tl.zeros(3)
    x[[0, 0, 1]] += 1
    assert x.tolist() == [1, 1, 0]


def test_writing_into_a_copy_changes_nothing():
    x = tl.zeros(3)
    x[[0, 1]][0] = 9
    x[x == 0][0] = 9
    assert x.tolist() == [0, 0, 0]


def test_what_the_errors_say():
    x = tl.arange(12).view(3, 4)
    for index, message in [
        (
            ([0], [5]),
            r"index 5 is out of bounds for dimension 1 with size 4 at \(0,\) of the index: use -4 … 3",
        ),
        (tl.tensor([[0, 1], [2, 3]]), r"index 3 is out of bounds for dimension 0 with size 3 at \(1, 1\)"),
        (
            tl.zeros(2, 4) == 0,
            r"shape of the mask \[2, 4\] at index 0 does not match .* tensor \[3, 4\] at index 0",
        ),
        (([0, 1], [0, 1, 2]), r"could not be broadcast together with shapes \[2\], \[3\]"),
        ((0, [9]), r"index 9 is out of bounds for dimension 0"),
        (0.5, r"only integers, slices .* are valid indices \(got float\): 0.5 for dimension 0"),
        (tl.zeros(2), r"must be long, int, byte or bool tensors: the index of dimension 0 is float32"),
        ((0, 0, 0), r"too many indices for tensor of dimension 2: got 3, and shape \(3, 4\) takes 2"),
        (7, r"index 7 is out of bounds for dimension 0 with size 3: use -3 … 2"),
    ]:
        with pytest.raises(IndexError, match=message):
            x[index]
    with pytest.raises(IndexError, match=r"invalid index of a 0-dim tensor.*tensor\.item\(\)"):
        tl.tensor(1)[0]
    with pytest.raises(
        RuntimeError, match=r"value tensor of shape \[3\] cannot be broadcast to .* shape \[2, 4\]"
    ):
        x[[0, 1]] = tl.tensor([1, 2, 3])
    with pytest.raises(
        RuntimeError, match=r"dtypes match, got int64 for the destination and float32 for the source"
    ):
        x[[0, 1]] = tl.tensor([1.0])
    with pytest.raises(
        TypeError, match="can't assign a list to a tensor of int64: assign a number or a tensor"
    ):
        x[0] = [1, 2, 3, 4]
    with pytest.raises(ValueError, match="does not fit into 64 bits"):
        x[0] = 2**70


def test_nothing_is_written_before_every_index_is_known_to_be_good():
    x = tl.zeros(4)
    with pytest.raises(IndexError, match=r"index 4 is out of bounds .* at \(2,\)"):
        x[[0, 1, 4]] = tl.ones(3)
    assert x.tolist() == [0] * 4
    assert x._version == 0


STRETCHED = "library.zeros(1).as_strided((3,), (0,))"


@pytest.mark.parametrize(
    ("code", "start"),
    [
        (code, "library.arange(12).view(3, 4)")
        for code in (
            "x[[0, 1]] = x[1:]", "x[[0]] = x[0]", "x[[0, 1]] = x[[1, 0]]", "x[[0]] = x[0, 0]",
            "x[x == 3] = x[0, 0]", "x[:, [0, 1]] = x[:, 2:]", "x[x[:, 0] % 1] = 5", "x[0] = x[1]",
            "x[x[0, :3]] = 1", "x[0] = x[:1]", "x[[9]] = x", "x[[0.5]] = x", "x[:, [9]] = x", "x[x] = 1",
            "x[::2, [9]] = x", "x[[True, False]] = x", "x[[0, 1, 2]] = x.view(3, 4)", "x[..., [0, 9]] = x",
        )
    ]
    + [
        (code, "library.zeros(2, 0)")
        for code in ("x[:, [9]] = x", "x[None, [0]] = x", "x[[0, 1]] = x", "x[[0, 1]] = x[:]")
    ]
    + [
        (code, STRETCHED)
        for code in ("x[[0]] = 1", "x[x == 0] = 1", "x[[0]] = library.ones(1)", "x[:] = 1", "x[:1] = 1")
    ]
    # A value of another shape is a view of its own, in which a dimension of size 1 has the stride of its run.
    + [
        (code, f"library.arange(3).as_strided({place})")
        for place in ("(3, 1, 1), (1, 2, 3)", "(1, 3, 1), (5, 1, 1)", "(3, 1, 1), (1, 3, 3)")
        for code in ("x[None] = x", "x[None, ..., None] = x[..., None]", "x[:] = x", "x[...] = x[None]")
    ],
)  # fmt: skip
def test_memory_that_overlaps(torch, code, start):
    def attempt(library):
        names = {"library": library, "x": eval(start, {"library": library})}
        exec(code, names)
        return names["x"]

    assert_same(outcome(lambda: attempt(tl)), outcome(lambda: attempt(torch)))


def test_an_index_that_lies_in_the_tensor_itself():
    """Indices are read as they were before the write."""
    x = tl.tensor([[0, 9], [0, 9], [0, 9]])
    x[x[:, 0]] = tl.tensor([[2, 2], [2, 2], [2, 2]])
    assert x.tolist() == [[2, 2], [0, 9], [0, 9]]


def test_expanded_tensors_warn_when_an_index_writes_them():
    x = tl.zeros(1).as_strided((3,), (0,))
    with pytest.warns(UserWarning, match=r"index_put_ on expanded tensors is deprecated.*clone\(\)"):
        x[[0]] = tl.ones(1)
    assert x.tolist() == [1, 1, 1]


def test_read_only_memory_is_refused():
    array = np.zeros(3)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = tl.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only memory"):
        x[[0]] = 1
    with pytest.raises(RuntimeError, match="read-only memory"):
        x[x == 0] = 1
    assert x[tl.tensor([0, 2])].tolist() == [0, 0]


@pytest.mark.parametrize("dtype", [t.name for t in tl.dtypes.ALL])
def test_every_dtype(torch, dtype):
    def work(library):
        x = library.arange(6).to(getattr(library, dtype)).view(2, 3)
        taken = x[[1, 0], [2, 0]]
        x[[0, 1], [0, 1]] = taken
        x[:, [2]] = 1
        x[library.tensor([[True, False, False], [False, True, False]])] = 0
        return taken, x, x[x > 0] if dtype != "bool" else x[x]

    assert_same(work(tl), work(torch))


def test_writing_one_element_of_a_vector_counts_as_a_write():
    x = tl.zeros(4)
    tail = x[1:]
    x[0], x[-1] = 1.5, -2.0
    assert x.tolist() == [1.5, 0.0, 0.0, -2.0]
    assert tail.tolist() == [0.0, 0.0, -2.0]
    assert x._version == tail._version == 2
    with pytest.raises(IndexError):
        x[4] = 1.0
    with pytest.raises(RuntimeError):
        x[0] = 1e39  # float32 has no such number
    whole = tl.arange(3)
    whole[1] = 7.9
    assert whole.tolist() == [0, 7, 2]
    with tl.inference_mode():
        made = tl.ones(2)
    with pytest.raises(RuntimeError, match="inference"):
        made[0] = 2.0


def test_writing_one_element_is_seen_by_the_gradients():
    x = tl.ones(3)
    w = tl.ones(3, requires_grad=True)
    y = x * w
    x[1] = 4.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="leaf"):
        w[0] = 2.0
    z = w * 1
    z[0] = 5.0
    z.sum().backward()
    assert w.grad.tolist() == [0.0, 1.0, 1.0]
