"""Memory that somebody else owns: NumPy, buffers, DLPack. Who sees whose writes, and for how long."""

from __future__ import annotations

import array
import gc
import weakref

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.core import dtypes

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

IN_NUMPY = [t for t in dtypes.ALL if t.numpy is not None]
ARRAYS = {
    "row": lambda: np.arange(6.0).reshape(2, 3),
    "transposed": lambda: np.arange(6.0).reshape(2, 3).T,
    "sliced": lambda: np.arange(24.0).reshape(4, 6)[1::2, ::3],
    "0-dim": lambda: np.array(3.0),
    "no rows": lambda: np.zeros((0, 3)),
    "no columns": lambda: np.zeros((3, 0)),
    "one column": lambda: np.zeros((3, 4))[:, :1],
    "fortran": lambda: np.asfortranarray(np.arange(6.0).reshape(2, 3)),
}


@pytest.mark.parametrize("take", ["from_numpy", "from_dlpack", "asarray", "as_tensor"])
@pytest.mark.parametrize("kind", ARRAYS)
def test_the_layout_is_pytorchs(torch, kind, take):
    owner = ARRAYS[kind]()
    ours, theirs = getattr(tl, take)(owner), getattr(torch, take)(owner)
    assert (ours.shape, ours.stride(), ours.tolist()) == (theirs.shape, theirs.stride(), theirs.tolist())
    assert ours.untyped_storage().nbytes() == theirs.untyped_storage().nbytes()
    if owner.size and (owner.ndim or take != "asarray"):
        assert ours.data_ptr() == theirs.data_ptr()
        ours.fill_(-2)
        assert (owner == -2).all()


@pytest.mark.parametrize("t", IN_NUMPY, ids=lambda t: t.name)
def test_every_type_of_numpys_goes_both_ways(t):
    x = tl.ones(2, 3, dtype=t)[:, 1:]
    for there, back in [(x.numpy(), tl.from_numpy), (np.from_dlpack(x), tl.from_dlpack)]:
        assert there.dtype == t.numpy
        assert np.shares_memory(there, x._cells_array())
        again = back(there)
        assert (again.dtype, again.stride()) == (t, x.stride())
        again.zero_()
        assert x.tolist() == [[0, 0], [0, 0]]
        x.fill_(1)


def test_dlpack_with_pytorch_shares_in_both_directions(torch):
    ours, theirs = tl.zeros(2, 3), torch.zeros(2, 3)
    torch.from_dlpack(ours)[0, 1] = 5
    tl.from_dlpack(theirs.t())[2, 1] = 6
    assert (ours[0, 1].item(), theirs[1, 2].item()) == (5, 6)
    taken = tl.from_dlpack(torch.utils.dlpack.to_dlpack(theirs))
    assert taken.data_ptr() == theirs.data_ptr()


def test_a_capsule_is_taken_over_once():
    x = tl.arange(3)
    capsule = x.__dlpack__()
    assert tl.from_dlpack(capsule).data_ptr() == x.data_ptr()
    for no_capsule in (capsule, [1]):
        with pytest.raises(RuntimeError, match="from_dlpack received"):
            tl.from_dlpack(no_capsule)


def test_dlpack_copies_when_asked():
    x = tl.arange(3)
    assert tl.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()
    assert tl.from_dlpack(x, device="cpu", copy=False).data_ptr() == x.data_ptr()
    assert x.__dlpack_device__() == (1, 0)


def test_dlpack_refuses():
    with pytest.raises(BufferError, match=r"bfloat16 cannot be handed over.*view\(tensorlab.int16\)"):
        np.from_dlpack(tl.zeros(2, dtype=tl.bfloat16))
    with pytest.raises(ValueError, match="stride in the given numpy array is negative"):
        tl.from_dlpack(np.arange(3)[::-1])
    with pytest.raises(RuntimeError, match="only supports stream=None"):
        tl.zeros(1).__dlpack__(stream=1)
    with pytest.raises(RuntimeError, match="there is no CUDA device"):
        tl.from_dlpack(np.zeros(1), device="cuda")


def test_bfloat16_of_pytorch_is_refused_with_the_way_out(torch):
    with pytest.raises(RuntimeError, match="share a bfloat16 tensor by the bits, as int16"):
        tl.from_dlpack(torch.zeros(2, dtype=torch.bfloat16))


def test_read_only_memory_stays_read_only_through_dlpack():
    owner = np.arange(3.0)
    owner.flags.writeable = False
    x = tl.from_dlpack(owner)
    with pytest.raises(RuntimeError, match="read-only memory"):
        x.add_(1)
    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError):
        x.__dlpack__()


@pytest.mark.parametrize("take", [tl.from_numpy, tl.from_dlpack, tl.asarray])
def test_a_tensor_keeps_the_owner_alive(take):
    owner = np.full(1000, 7.0)
    alive = weakref.ref(owner)
    x = take(owner)[10:20]
    del owner
    gc.collect()
    assert alive() is not None
    assert x.tolist() == [7.0] * 10
    del x
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("hand_over", [lambda x: x.numpy(), np.from_dlpack, np.asarray])
def test_an_array_keeps_the_storage_alive(hand_over):
    x = tl.full((1000,), 7.0)
    alive = weakref.ref(x.untyped_storage()._memory)
    taken = hand_over(x)
    del x
    gc.collect()
    assert alive() is not None
    assert (taken == 7).all()
    del taken
    gc.collect()
    assert alive() is None


def test_frombuffer_shares_and_locks_the_buffer():
    memory = bytearray(range(8))
    x = tl.frombuffer(memory, dtype=tl.int16, count=2, offset=2)
    assert x.tolist() == [0x0302, 0x0504]
    memory[2] = 255
    assert x.tolist() == [0x03FF, 0x0504]
    with pytest.raises(BufferError):
        memory.append(1)  # the bytes could move while the tensor looks at them
    del x
    gc.collect()
    memory.append(1)


BUFFER_CALLS = [
    {"dtype": "int16"},
    {"dtype": "bfloat16"},
    {"dtype": "int16", "offset": 1, "count": 2},
    {"dtype": "int16", "count": -2},
    {"dtype": "int16", "count": 0},
    {"dtype": "int16", "count": 5},
    {"dtype": "int16", "offset": 8},
    {"dtype": "int16", "offset": 3},
    {"dtype": "int16", "offset": -1},
    {"dtype": "int64", "count": 1, "offset": 4},
]


@pytest.mark.parametrize("call", BUFFER_CALLS, ids=str)
def test_frombuffer_is_pytorchs(torch, call):
    def outcome(module):
        try:
            x = module.frombuffer(bytearray(range(8)), **(call | {"dtype": getattr(module, call["dtype"])}))
        except Exception as error:
            return type(error)
        return x.tolist()

    assert outcome(tl) == outcome(torch)


def test_frombuffer_refuses():
    with pytest.raises(ValueError, match="does not implement Python buffer protocol: list"):
        tl.frombuffer([1], dtype=tl.int8)
    with pytest.raises(RuntimeError, match="its memory is not one run"):
        tl.frombuffer(np.zeros((2, 3)).T, dtype=tl.float64)
    with pytest.raises(TypeError, match="dtype must be a tensorlab dtype"):
        tl.frombuffer(bytearray(8), dtype=np.float32)
    with pytest.warns(UserWarning, match="buffer is not writable"):
        x = tl.frombuffer(b"12345678", dtype=tl.uint8)
    with pytest.raises(RuntimeError, match="read-only memory"):
        x[0] = 1


def test_asarray_shares_what_it_can():
    x, owner, memory = tl.zeros(2), np.zeros(3, np.float32), array.array("f", [1, 2])
    assert tl.asarray(x) is x
    assert tl.asarray(owner).data_ptr() == owner.ctypes.data
    tl.asarray(memory)[0] = 9
    assert memory[0] == 9
    assert tl.asarray(owner, copy=True).data_ptr() != owner.ctypes.data
    assert tl.asarray([1, 2.5]).tolist() == [1, 2.5]
    assert tl.asarray(owner, dtype=tl.int8).dtype is tl.int8
    with pytest.raises(ValueError, match="can't alias arbitrary sequence"):
        tl.asarray([1], copy=False)
    with pytest.raises(ValueError, match="can't alias tensor with dtype 'float32' into dtype 'int8'"):
        tl.asarray(owner, dtype=tl.int8, copy=False)


def test_functions_of_numpy_take_tensors_and_return_tensors():
    x = tl.arange(3.0)
    for result in (np.sqrt(x), np.add(np.ones(3, np.float32), x), np.isfinite(x)):
        assert isinstance(result, tl.Tensor)
    assert np.add(np.ones(3, np.float32), x).tolist() == [1, 2, 3]
    assert np.isfinite(x).dtype is tl.bool
    assert np.concatenate([x, x]).tolist() == [0, 1, 2, 0, 1, 2]


def test_the_stubs_that_pytorch_has_not_are_not_here():
    x = tl.zeros(2)
    with pytest.raises(TypeError, match="bytes-like object is required"):
        memoryview(x)
    assert not hasattr(x, "__array_interface__")
