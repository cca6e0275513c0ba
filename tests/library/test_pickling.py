"""Pickles and copies: what is linked stays linked, what is a copy is one."""

from __future__ import annotations

import copy
import pickle
import pickletools
import types

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.core import dtypes
from tensorlab.storage import rebuild_storage
from tensorlab.tensor import rebuild_tensor
from tests.library.layouts import KINDS, lay_out, random_values

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 3)], ids=str)
def test_a_pickle_keeps_values_and_layout(kind, shape, protocol):
    x = lay_out(random_values(shape, "int32", 1), kind)
    for y in (pickle.loads(pickle.dumps(x, protocol)), copy.deepcopy(x), copy.copy(x)):
        assert (y.tolist(), y.shape, y.stride()) == (x.tolist(), x.shape, x.stride())
        assert (y.dtype, y.storage_offset()) == (x.dtype, x.storage_offset())
        assert y.untyped_storage().nbytes() == x.untyped_storage().nbytes()


@pytest.mark.parametrize("t", dtypes.ALL, ids=lambda t: t.name)
def test_every_dtype_goes_through_a_pickle(t):
    x = pickle.loads(pickle.dumps(tl.ones(2, dtype=t)))
    assert x.dtype is t
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_views_stay_linked_with_each_other_and_not_with_the_original(again):
    x = tl.arange(6)
    base, part, turned, same = again([x, x[1:4], x.view(2, 3).t(), x])
    assert same is base
    base[2] = -1
    assert (part.tolist(), turned.tolist()) == ([1, -1, 3], [[0, 3], [1, 4], [-1, 5]])
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_copy_shares_the_storage():
    x = tl.zeros(3)
    y = copy.copy(x[1:])
    y[0] = 4
    assert x.tolist() == [0, 4, 0]


def test_copies_of_read_only_memory_can_be_written():
    owner = np.arange(3)
    owner.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        x = tl.from_numpy(owner)
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        y[0] = 7
        assert y.tolist() == [7, 1, 2]


def test_storages_sizes_dtypes_and_devices():
    storage = tl.arange(3).untyped_storage()
    for again in (copy.copy(storage), copy.deepcopy(storage), pickle.loads(pickle.dumps(storage))):
        assert again.tolist() == storage.tolist()
        assert again.data_ptr() != storage.data_ptr()
    typed = pickle.loads(pickle.dumps(tl.arange(3).storage()))
    assert (typed.tolist(), typed.dtype) == ([0, 1, 2], tl.int64)
    for value in (tl.Size((2, 3)), tl.float32, tl.device("cuda:1")):
        for again in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert again == value
            assert type(again) is type(value)
    assert pickle.loads(pickle.dumps(tl.bfloat16)) is tl.bfloat16


def test_a_pickle_names_nothing_but_what_rebuilds_a_tensor():
    written = pickle.dumps([tl.ones(2, 3), tl.zeros(2, dtype=tl.bfloat16)[1:]], 2)
    strings, named = [], set()
    for opcode, argument, _ in pickletools.genops(written):
        if opcode.name == "GLOBAL":
            named.add(argument.replace(" ", "."))
        strings.append(opcode.name)
    assert "INST" not in strings
    assert named <= {
        "tensorlab.tensor.rebuild_tensor",
        "tensorlab.storage.rebuild_storage",
        "tensorlab.core.dtypes.by_name",
        "_codecs.encode",  # how protocol 2 writes bytes
    }


def test_a_damaged_pickle_reaches_nothing_outside_its_storage():
    storage = rebuild_storage(bytes(8))
    for shape, stride, offset in [((3,), (1,), 0), ((2,), (-1,), 1), ((1,), (1,), 2), ((1, 1), (1,), 0)]:
        with pytest.raises(RuntimeError, match="is damaged, for it reaches outside its storage"):
            rebuild_tensor(storage, tl.float32, shape, stride, offset)


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_what_a_program_keeps_on_a_tensor_goes_along_as_in_pytorch(torch, again, requires_grad):
    found = []
    for library in (torch, tl):
        x = library.ones(3, requires_grad=requires_grad)
        x.tag, x.notes = "weight", [1]
        y = again(x)
        made = (x.clone(), x.detach(), x[1:], x + 1)
        found.append((vars(y), y.notes is x.notes, y.requires_grad, [hasattr(z, "tag") for z in made]))
    assert found[0] == found[1]
    assert vars(tl.ones(2)) == {}


def test_what_is_kept_on_a_tensor_with_names_goes_along():
    x = tl.ones(2, 3, names=("N", "C"), requires_grad=True)
    x.tag = [1]
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert (y.tag, y.names, y.requires_grad) == ([1], ("N", "C"), True)
    assert copy.deepcopy(x).tag is not x.tag


def test_a_fact_about_a_tensor_is_no_place_for_something_else(torch):
    for name in ("shape", "dtype", "grad_fn", "is_leaf", "T", "device", "ndim", "layout", "itemsize"):
        for library in (torch, tl):
            with pytest.raises(AttributeError):
                setattr(library.ones(2), name, 3)


@pytest.mark.parametrize("module", [tl, tl.linalg, tl.nn.functional], ids=lambda module: module.__name__)
def test_functions_are_pickled_by_the_names_that_programs_use(module):
    functions = [f for f in vars(module).values() if isinstance(f, types.FunctionType)]
    exported = [f for f in functions if not f.__name__.startswith("_")]
    assert len(exported) > 30 or module is tl.linalg
    for function in exported:
        assert pickle.loads(pickle.dumps(function)) is function
