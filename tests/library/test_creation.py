"""Tensors from data: inference, refusals, and PyTorch's answers to the same calls."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.core import dtypes
from tests.library.references import agree


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (4.14, tl.float32, ()),
        ([[1.0, 2], [3, 4]], tl.float32, (2, 2)),
        ([1, 2, 3], tl.int64, (3,)),
        ([True, False], tl.bool, (2,)),
        ([True, 2], tl.int64, (2,)),
        ([True, 2.0], tl.float32, (2,)),
        ([], tl.float32, (0,)),
        ([[], []], tl.float32, (2, 0)),
        (((1, 2), (3, 4), (5, 6)), tl.int64, (3, 2)),
        (range(3), tl.int64, (3,)),
    ],
)
def test_inference(data, dtype, shape):
    x = tl.tensor(data)
    assert x.dtype is dtype
    assert x.shape == shape
    assert x.is_contiguous()


def test_data_may_mix_tensors_and_numpy():
    assert tl.tensor([tl.tensor(1), tl.tensor(2)]).tolist() == [1, 2]
    assert tl.tensor([np.float64(1.5), 2]).tolist() == [1.5, 2]
    assert tl.tensor([np.arange(2), np.arange(2)]).tolist() == [[0, 1], [0, 1]]
    assert tl.tensor(np.arange(3, dtype=np.int8)).dtype is tl.int8
    assert tl.tensor(np.arange(3, dtype=">i4")).tolist() == [0, 1, 2]


def test_tensor_copies_and_as_tensor_shares_where_it_can():
    array = np.zeros(3, np.float32)
    copied, shared, converted = tl.tensor(array), tl.as_tensor(array), tl.as_tensor(array, dtype=tl.float64)
    array[0] = 1
    assert (copied[0].item(), shared[0].item(), converted[0].item()) == (0, 1, 0)
    x = tl.zeros(2)
    assert tl.as_tensor(x) is x
    assert tl.as_tensor(x, dtype=tl.int8) is not x
    assert tl.as_tensor(np.arange(3)[::-1]).tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        ([[1, 2], [3]], ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
        ([[1, 2], 3], TypeError, "not a sequence"),
        ([1, [2, 3]], TypeError, "expected a number at dim 1"),
        ("a", TypeError, "invalid data type 'str'"),
        (["a", "b"], ValueError, "too many dimensions 'str'"),
        ([[1], "a"], TypeError, "not a sequence"),
        (None, RuntimeError, "Could not infer dtype of NoneType"),
        ({1: 2}, RuntimeError, "Could not infer dtype of dict"),
        (1j, RuntimeError, "Could not infer dtype of complex"),
        (2**63, ValueError, "Overflow when unpacking long long"),
    ],
)
def test_what_is_no_tensor_is_refused(data, error, text):
    with pytest.raises(error, match=text):
        tl.tensor(data)


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(RuntimeError, match="value 300 cannot be converted to type uint8 without overflow"):
        tl.tensor([300], dtype=tl.uint8)
    assert tl.tensor([-1], dtype=tl.uint8).tolist() == [255]
    with pytest.raises(TypeError, match="dtype must be a tensorlab dtype"):
        tl.zeros(2, dtype="float32")


def test_sizes_come_separately_or_as_one_sequence():
    assert tl.zeros(2, 3).shape == tl.zeros((2, 3)).shape == tl.zeros([2, 3]).shape == (2, 3)
    assert tl.ones(()).tolist() == 1.0
    for make in (tl.ones, tl.zeros, tl.empty):
        with pytest.raises(TypeError, match=r'missing 1 required positional arguments: "size"'):
            make()
    assert tl.full((2, 0), 3).shape == (2, 0)
    with pytest.raises(RuntimeError, match="sizes must not be negative"):
        tl.zeros(-1)
    with pytest.raises(TypeError, match=r"zeros\(\): every item of size must be an integer"):
        tl.zeros(2.0)


@pytest.mark.parametrize("t", dtypes.ALL, ids=lambda t: t.name)
def test_fills(t):
    assert tl.zeros(3, dtype=t).tolist() == [0, 0, 0]
    assert tl.ones(3, dtype=t).tolist() == [1, 1, 1]
    assert tl.full((2,), 1, dtype=t).dtype is t


def test_full_infers_and_checks():
    assert (tl.full((1,), True).dtype, tl.full((1,), 2).dtype) == (tl.bool, tl.int64)
    assert tl.full((1,), 2.0).dtype is tl.float32
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.full((2,), 300, dtype=tl.int8)
    with pytest.raises(TypeError, match="fill_value must be a number"):
        tl.full((2,), "a")


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (2, 5),
        (0, 10, 3),
        (5, 0, -2),
        (3.0,),
        (0, 1, 0.25),
        (0, 1, 0.3),
        (1.5, 4),
        (0,),
        (2, 2),
        (0.0, -1, -0.25),
    ],
    ids=str,
)
def test_arange_is_pytorchs(torch, arguments):
    ours, theirs = tl.arange(*arguments), torch.arange(*arguments)
    assert ours.tolist() == theirs.tolist()
    assert str(theirs.dtype).removeprefix("torch.") == ours.dtype.name


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16"])
def test_linspace_is_pytorchs_in_every_dtype(torch, kind):
    for arguments in ((0, 100, 7), (5.5, 99.25, 20), (77, 3, 13), (4, 9, 1)):
        ours, theirs = (t.linspace(*arguments, dtype=getattr(t, kind)) for t in (tl, torch))
        assert ours.tolist() == theirs.tolist()


def test_arange_refuses():
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        tl.arange(1, 5, 0)
    with pytest.raises(RuntimeError, match="inconsistent with step sign"):
        tl.arange(5, 1)
    with pytest.raises(RuntimeError, match="end must be finite"):
        tl.arange(0, float("inf"))
    with pytest.raises(TypeError, match="end must be a number"):
        tl.arange(0, "a")


def test_as_strided_checks_every_address():
    x = tl.arange(12)
    assert x.as_strided((3, 3), (1, 1), 2).tolist() == [[2, 3, 4], [3, 4, 5], [4, 5, 6]]
    assert x[4:].as_strided((2,), (1,)).tolist() == [4, 5]
    assert x.as_strided((0, 5), (100, 100), 12).shape == (0, 5)
    with pytest.raises(RuntimeError, match=r"element \(2, 3\) would lie in cell 2 \+ 2·4 \+ 3·1 = 13"):
        x.as_strided((3, 4), (4, 1), 2)
    with pytest.raises(RuntimeError, match="stride -1 of dimension 1 is negative"):
        x.as_strided((3, 4), (4, -1))
    with pytest.raises(RuntimeError, match="2 sizes need 2 strides, got 1"):
        x.as_strided((3, 4), (4,))


def test_devices():
    assert tl.zeros(1, device="cpu").device == tl.device("cpu")
    assert repr(tl.device("cuda:1")) == "device(type='cuda', index=1)"
    assert str(tl.device("cuda", 0)) == "cuda:0"
    assert len({tl.device("cpu"), tl.device("cpu")}) == 1
    with pytest.raises(RuntimeError, match=r"there is no CUDA device.*TENSORLAB_CUDA=simulated"):
        tl.zeros(1, device="cuda")
    for bad in ("gpu", "cuda:x", "cuda:"):
        with pytest.raises(RuntimeError, match="Invalid device string"):
            tl.device(bad)
    with pytest.raises(
        RuntimeError, match=r"Invalid device string: 'int8': .*; the dtype is tensorlab\.int8"
    ):
        tl.zeros(1).to("int8")


def test_a_program_that_asks_for_a_gpu_goes_on_with_the_cpu(torch):
    for m in (tl, torch):
        device = m.device("cuda" if m.cuda.is_available() else "cpu")
        if m.backends.mps.is_available() or m.accelerator.is_available():
            device = m.accelerator.current_accelerator()
        m.cuda.manual_seed(3)
        m.cuda.manual_seed_all(3)
        flags = m.backends.cudnn
        # PyTorch's own operator samples, once a test has imported them, forbid to set its flags.
        if m is tl or not m.backends.flags_frozen():
            flags.benchmark, flags.deterministic = False, True
        assert {flags.benchmark, flags.deterministic} <= {False, True}
        assert m.ones(2, device=device).to(device).device.type == device.type
    assert (tl.cuda.device_count(), tl.accelerator.device_count()) == (0, 0)
    with pytest.raises(ValueError, match="invalid literal"):
        tl.cuda.manual_seed_all("three")


def test_small_tensors_of_numbers(torch):
    numbers = (
        2.5,
        -0.0,
        0,
        1,
        -1,
        127,
        128,
        2**62,
        -(2**63),
        True,
        False,
        1e30,
        math.inf,
        -math.inf,
        math.nan,
    )
    for number in (*numbers, 3.5e38, 1e300):
        agree(tl.tensor(number), torch.tensor(number))
    with pytest.raises((RuntimeError, ValueError)):
        tl.tensor(2**63)
    for kind in ("float32", "float64", "float16", "int64", "int8", "uint8", "bool"):
        ours, theirs = {"dtype": getattr(tl, kind)}, {"dtype": getattr(torch, kind)}
        for sizes in itertools.product(range(4), repeat=2):
            agree(tl.eye(*sizes, **ours), torch.eye(*sizes, **theirs))
            assert tl.eye(*sizes, **ours)._version == 0
        for number in (0, 1, 2, 100, *((-1, 0.5, -0.0) if "float" in kind else ())):
            agree(tl.full((2, 3), number, **ours), torch.full((2, 3), number, **theirs))
            agree(tl.full_like(tl.ones(2, 3, **ours).t(), number), torch.full((2, 3), number, **theirs).t())
            assert tl.full_like(tl.ones(2, 3, **ours).t(), number).stride() == (1, 3)
    with pytest.raises(RuntimeError):
        tl.full((2,), 1e300, dtype=tl.float16)
    with tl.inference_mode():
        assert tl.tensor(2.5).is_inference()
        assert tl.eye(2).is_inference()
    assert tl.tensor(2.5, requires_grad=True).requires_grad


def test_arrays_of_odd_strides(torch):
    cells = np.arange(24, dtype=np.float32)
    table = cells.reshape(4, 6)
    wide = cells.reshape(1, 24), cells.reshape(24, 1), cells.reshape(2, 1, 12), cells[:1].reshape(())
    parts = cells[:0], cells[:1], cells[::2], table[:1], table[:, :1], table.T, table[1:, 2:]
    for array in (table, *wide, *parts, cells.view(np.int32), cells.view(np.float16)):
        ours, theirs = tl.from_numpy(array), torch.from_numpy(array)
        assert (ours.shape, ours.stride()) == (tuple(theirs.shape), theirs.stride())
        assert ours.data_ptr() == theirs.data_ptr()
        agree(ours, theirs)
