"""Storages and what tensors tell about them."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl


def test_one_storage_many_tensors():
    x = tl.arange(12, dtype=tl.int16)
    views = [x.view(3, 4), x.view(3, 4).T, x[1:8:2], x.as_strided((2, 2, 2), (3, 1, 1), 4)]
    x[5] = -7
    for view in views:
        assert view.untyped_storage() is x.untyped_storage()
        assert -7 in np.asarray(view)


def test_data_ptr_is_the_address_of_the_first_element():
    x = tl.arange(12).view(3, 4)
    assert x[1:, 2:].data_ptr() - x.data_ptr() == 6 * 8
    assert x[1:].untyped_storage().data_ptr() == x.data_ptr()
    assert tl.zeros(0).data_ptr() == 0
    assert tl.zeros(0).untyped_storage().data_ptr() == 0


def test_untyped_storage_is_bytes():
    storage = tl.tensor([1, 258], dtype=tl.int32).untyped_storage()
    assert storage.tolist() == [1, 0, 0, 0, 2, 1, 0, 0]
    assert (storage.nbytes(), storage.size(), len(storage), storage.element_size()) == (8, 8, 8, 1)
    assert storage[4] == 2
    assert list(storage) == storage.tolist()
    assert repr(storage) == "UntypedStorage of 8 bytes on cpu"


def test_typed_storage_is_cells_whatever_the_view():
    x = tl.tensor([[1.5, 2.5], [3.5, 4.5]], dtype=tl.bfloat16)
    cells = x.T[1:].storage()
    assert cells.tolist() == [1.5, 2.5, 3.5, 4.5]
    assert (cells[0], cells[-1], len(cells), cells.nbytes()) == (1.5, 4.5, 4, 8)
    assert cells.dtype is tl.bfloat16
    assert cells.data_ptr() == x.data_ptr()
    assert cells.untyped() is x.untyped_storage()
    with pytest.raises(IndexError, match="cell 4 is out of bounds for a storage of 4 cells"):
        cells[4]


def test_a_storage_cannot_be_resized():
    with pytest.raises(RuntimeError, match="8 bytes cannot be resized to 16"):
        tl.zeros(2).untyped_storage().resize_(16)


def test_the_version_counts_writes_through_any_view():
    x = tl.zeros(4)
    before = x._version
    x[1:][0] = 3
    x.view(2, 2).add_(1)
    assert x._version == before + 2


def test_from_numpy_shares_both_ways():
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = tl.from_numpy(array[1:, ::2])
    assert (x.tolist(), x.stride(), x.storage_offset()) == ([[4, 6], [8, 10]], (4, 2), 0)
    x[0, 1] = -1
    assert array[1, 2] == -1
    array[2, 0] = 99
    assert x[1, 0].item() == 99


def test_from_numpy_of_nothing_and_of_one_number():
    assert tl.from_numpy(np.zeros((2, 0))).shape == (2, 0)
    zero_dim = np.array(3.0)
    x = tl.from_numpy(zero_dim)
    x.fill_(4)
    assert zero_dim == 4


def test_from_numpy_refuses():
    with pytest.raises(TypeError, match=r"expected np.ndarray \(got list\)"):
        tl.from_numpy([1])
    with pytest.raises(ValueError, match="stride in the given numpy array is negative"):
        tl.from_numpy(np.zeros(3)[::-1])
    with pytest.raises(ValueError, match="not multiples of its itemsize"):
        tl.from_numpy(np.zeros(3, [("a", "i1"), ("b", "f4")])["b"])


def test_read_only_numpy_memory_can_be_read_and_not_written():
    array = np.arange(3.0)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        x = tl.from_numpy(array)
    assert (x + 1).tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="read-only memory"):
        x[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        x.numpy()[0] = 5


def test_numpy_and_array_share_memory():
    x = tl.arange(6).view(2, 3).T
    array = x.numpy()
    array[2, 1] = 77
    assert x[2, 1].item() == 77
    assert np.shares_memory(np.asarray(x), array)
    assert not np.shares_memory(np.array(x, copy=True), array)
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="cannot share memory"):
        np.array(x, dtype=np.float64, copy=False)
    with pytest.raises(TypeError, match="NumPy has no type bfloat16"):
        tl.zeros(2, dtype=tl.bfloat16).numpy()
