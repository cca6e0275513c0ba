"""Saved files: what comes back, what stays linked, what others read, and that nothing in a file can run."""

from __future__ import annotations

import copy
import io
import json
import math
import os
import pickle
import stat
from collections import Counter, OrderedDict, namedtuple

import numpy as np
import pytest
import safetensors
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.backends import cuda
from tensorlab.core import dtypes
from tests.library.layouts import KINDS, lay_out, random_values


def again(obj):
    file = io.BytesIO()
    tl.save(obj, file)
    file.seek(0)
    return tl.load(file)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 3)], ids=str)
def test_values_and_layout_come_back(shape, kind):
    x = lay_out(random_values(shape, "int32", 1), kind)
    y = again(x)
    assert (y.tolist(), y.shape, y.stride(), y.dtype) == (x.tolist(), x.shape, x.stride(), x.dtype)
    assert y.storage_offset() == x.storage_offset()


@pytest.mark.parametrize("t", dtypes.ALL, ids=lambda t: t.name)
def test_every_dtype_comes_back_by_the_bit(t):
    x = tl.tensor([1, 0, 1], dtype=t)
    y = again({"x": x})["x"]
    assert y.dtype is t
    assert y.untyped_storage().tolist() == x.untyped_storage().tolist()


def test_views_stay_linked_and_the_same_tensor_stays_the_same():
    x = tl.arange(6)
    base, part, turned, same = again([x, x[1:4], x.view(2, 3).t(), x])
    assert same is base
    base[2] = -1
    assert (part.tolist(), turned.tolist()) == ([1, -1, 3], [[0, 3], [1, 4], [-1, 5]])
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_parameter_comes_back_as_one_and_shares_its_storage(torch):
    for library in (tl, torch):
        weight = library.nn.Parameter(library.ones(2, 2))
        frozen = library.nn.Parameter(library.arange(2), requires_grad=False)
        file = io.BytesIO()
        library.save([weight, weight.detach().view(4), frozen, weight], file)
        file.seek(0)
        found, view, still, same = library.load(file)
        assert same is found
        assert [type(each) is library.nn.Parameter for each in (found, view, still)] == [True, False, True]
        assert (found.requires_grad, still.requires_grad) == (True, False)
        view[0] = 7
        assert found.tolist() == [[7, 1], [1, 1]]


def test_a_leaf_comes_back_as_a_leaf(torch):
    for library in (tl, torch):
        leaf = library.ones(2, requires_grad=True)
        file = io.BytesIO()
        library.save([leaf, leaf * 2, library.ones(2)], file)
        file.seek(0)
        kept, computed, plain = library.load(file)
        assert [x.requires_grad for x in (kept, computed, plain)] == [True, True, False]
        assert all(x.is_leaf for x in (kept, computed, plain))


def test_a_slice_brings_its_storage_and_a_clone_does_not():
    x = tl.zeros(1000)
    whole, slice_, clone = io.BytesIO(), io.BytesIO(), io.BytesIO()
    for obj, file in ((x, whole), (x[:10], slice_), (x[:10].clone(), clone)):
        tl.save(obj, file)
    assert again(x[:10]).untyped_storage().nbytes() == 4000
    assert abs(whole.tell() - slice_.tell()) < 100
    assert clone.tell() < 400


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from([tl.float32, tl.bfloat16, tl.device("cuda:1"), tl.Size((2, 3)), tl.Size()])
)
keys = st.none() | st.booleans() | st.integers() | st.text() | st.tuples(st.integers(), st.text())
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4).map(OrderedDict)
    ),
    max_leaves=12,
)


def same(a, b):
    if type(a) is not type(b) or (isinstance(a, (list, tuple)) and len(a) != len(b)):
        return False
    if isinstance(a, dict):
        return same([*a.keys()], [*b.keys()]) and same([*a.values()], [*b.values()])
    if isinstance(a, (list, tuple)) and type(a) is not tl.Size:
        return all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float):
        return math.copysign(1, a) == math.copysign(1, b) and a == b
    return a == b


@given(trees)
def test_what_is_around_the_tensors_comes_back_equal_and_of_its_type(tree):
    assert same(again(tree), tree)


def test_numbers_that_json_has_not():
    assert math.isnan(again(math.nan))
    assert again([math.inf, -math.inf, -0.0, 2**80]) == [math.inf, -math.inf, -0.0, 2**80]
    assert again([np.float32(1.5), np.int64(3), np.bool_(True)]) == [1.5, 3, True]


def test_a_state_of_training_comes_back():
    weight = tl.arange(6.0).view(2, 3)
    state = {
        "model": OrderedDict({"fc.weight": weight, "fc.bias": tl.zeros(3)}),
        "optimizer": {
            "state": {0: {"step": 7, "exp_avg": weight.clone()}},
            "param_groups": [{"betas": (0.9, 0.99)}],
        },
    }
    back = again(state)
    assert list(back["model"]) == ["fc.weight", "fc.bias"]
    assert type(back["model"]) is OrderedDict
    assert back["optimizer"]["state"][0]["exp_avg"].tolist() == weight.tolist()
    assert back["optimizer"]["param_groups"] == [{"betas": (0.9, 0.99)}]


def test_other_programs_read_it_under_the_names_that_it_has(tmp_path):
    path = tmp_path / "model.safetensors"
    weight = tl.arange(6.0).view(2, 3)
    tl.save({"a": {"weight": weight, "turned": weight.t()}, "tail": tl.arange(5)[3:]}, path)
    with safetensors.safe_open(path, framework="numpy") as file:
        assert sorted(file.keys()) == ["a.weight", "tail.storage"]
        assert file.get_tensor("a.weight").tolist() == weight.tolist()


def test_what_other_programs_write_is_a_dict_of_tensors():
    values = np.arange(6, dtype=np.float32)
    spec = safetensors.TensorSpec(dtype="float32", shape=[2, 3], data_ptr=values.ctypes.data, data_len=24)
    content = safetensors.serialize({"w": spec}, {"format": "pt"})
    loaded = tl.load(io.BytesIO(content))
    assert loaded["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    loaded["w"].add_(1)
    strange = safetensors.TensorSpec(dtype="uint16", shape=[12], data_ptr=values.ctypes.data, data_len=24)
    with pytest.raises(RuntimeError, match="'w' in the file is of type U16, and tensorlab has BOOL"):
        tl.load(io.BytesIO(safetensors.serialize({"w": strange})))


def test_files_of_safetensors_and_pytorch_go_both_ways(torch, tmp_path):
    torch_file = pytest.importorskip(
        "safetensors.torch", reason="safetensors has no support for PyTorch here"
    )
    weights = {"w": torch.arange(6, dtype=torch.bfloat16).view(2, 3), "b": torch.zeros(3)}
    torch_file.save_file(weights, tmp_path / "theirs.safetensors")
    ours = tl.load(tmp_path / "theirs.safetensors")
    assert {name: (t.tolist(), t.dtype.name) for name, t in ours.items()} == {
        name: (t.tolist(), str(t.dtype).removeprefix("torch.")) for name, t in weights.items()
    }
    tl.save(ours, tmp_path / "ours.safetensors")
    assert torch_file.load_file(tmp_path / "ours.safetensors")["w"].equal(weights["w"])


def test_names_that_collide_are_told_apart():
    tree = {
        "a.b": tl.zeros(1),
        "a": {"b": tl.ones(1)},
        "__metadata__": tl.full((1,), 2.0),
        1: tl.full((1,), 3.0),
    }
    tree |= {"1": tl.full((1,), 4.0), "s": tl.arange(3)[1:], "s.storage": tl.full((1,), 5.0)}
    back = again(tree)
    assert [v.tolist() for k, v in back.items() if k != "a"] == [[0], [2], [3], [4], [1, 2], [5]]
    assert back["a"]["b"].tolist() == [1]


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("obj", "way"),
    [
        ({"a": [1, {2}]}, r"'a\.1'.*this is a set: save sorted\(x\)"),
        (Counter("aa"), r"this is a Counter: save dict\(x\)"),
        (Point(1, 2), r"this is a Point: save tuple\(x\)"),
        (np.zeros(2), r"tensorlab\.from_numpy\(array\)"),
        (len, "save the numbers and texts that it is made of"),
        (type("Net", (), {"state_dict": None})(), r"save its state_dict\(\)"),
        ({Point(1, 2): 3}, "this is a Point"),
    ],
)
def test_what_no_file_holds_is_refused(obj, way):
    with pytest.raises(TypeError, match=way):
        again(obj)


def test_a_container_in_itself_is_refused():
    inner = []
    inner.append({"again": inner})
    with pytest.raises(ValueError, match=r"'0\.again': this list contains itself"):
        again(inner)
    shared = [1]
    assert again([shared, shared]) == [[1], [1]]


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "x.safetensors"
    tl.save({"x": 1}, path)

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tl.save({"x": 2}, path)
    assert tl.load(path) == {"x": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["x.safetensors"]


def test_a_saved_file_replaces_an_older_one_and_follows_a_link(tmp_path):
    path, link = tmp_path / "x.safetensors", tmp_path / "link.safetensors"
    tl.save([1], str(path))
    try:
        link.symlink_to(path)
    except OSError:
        pytest.skip("this account may not make symbolic links")
    tl.save([2], link)
    assert link.is_symlink()
    assert tl.load(path) == [2]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_saved_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "other").touch()
    tl.save([1], tmp_path / "x")
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_wrong_places_are_refused(tmp_path):
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        tl.save([1], tmp_path / "no" / "x")
    with pytest.raises(RuntimeError, match="is a folder: name the file"):
        tl.save([1], tmp_path)
    with pytest.raises(FileNotFoundError):
        tl.load(tmp_path / "x")
    for call in (lambda: tl.save([1], 3), lambda: tl.load(3)):
        with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
            call()
    with pytest.raises(RuntimeError, match="Invalid device string"):
        tl.load(tmp_path / "x", map_location="gpu")


def packed(obj):
    file = io.BytesIO()
    tl.save(obj, file)
    return file.getvalue()


def test_every_truncation_is_noticed():
    content = packed({"x": tl.arange(3), "n": 3})
    for length in range(len(content)):
        with pytest.raises(RuntimeError, match="the file is no safetensors file, or a damaged one"):
            tl.load(io.BytesIO(content[:length]))


def with_description(change):
    """A file of one tensor whose description is changed."""
    content = packed([tl.arange(4)])
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    description = json.loads(header["__metadata__"]["tensorlab"])
    change(description)
    header["__metadata__"]["tensorlab"] = json.dumps(description)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + size :]


def record(**changes):
    return lambda description: description["tensors"][0].update(changes)


DAMAGES = {
    "beyond the end": record(offset=1),
    "a longer shape": record(shape=[5]),
    "negative stride": record(stride=[-1], offset=3),
    "negative size": record(shape=[-1]),
    "negative offset": record(offset=-1),
    "one stride too many": record(stride=[1, 1]),
    "no such storage": record(storage="y"),
    "a gradient of whole numbers": record(requires_grad=True),
    "a flag that is none": record(requires_grad=1),
    "no such dtype": record(dtype="complex64"),
    "dtype of an attribute": record(dtype="__class__"),
    "text for a size": record(shape=["4"]),
    "float for a size": record(shape=[4.0]),
    "null": record(shape=None),
    "no such tensor": lambda d: d.update(tree={"tensor": 7}),
    "no such kind": lambda d: d.update(tree={"__import__": "os"}),
    "two kinds": lambda d: d.update(tree={"tuple": [], "dict": []}),
    "no kind": lambda d: d.update(tree={}),
    "a key that is a list": lambda d: d.update(tree={"dict": [[[], 1]]}),
    "no pair": lambda d: d.update(tree={"dict": [[1]]}),
    "no tree": lambda d: d.pop("tree"),
    "no device": lambda d: d.update(tree={"device": "gpu"}),
    "tensors are a number": lambda d: d.update(tensors=3),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_description_is_noticed(name):
    with pytest.raises(RuntimeError, match=r"the file is damaged: its description"):
        tl.load(io.BytesIO(with_description(DAMAGES[name])))


def test_a_file_of_a_later_version_says_so():
    with pytest.raises(RuntimeError, match="written by a later tensorlab: it is of version 2"):
        tl.load(io.BytesIO(with_description(lambda d: d.update(version=2))))


@given(st.integers(0, 10**6), st.integers(0, 255))
def test_one_changed_byte_never_reaches_outside_a_storage(position, value):
    content = bytearray(packed({"x": tl.arange(4), "y": [tl.ones(2, 2).t()]}))
    content[position % len(content)] = value
    try:
        loaded = tl.load(io.BytesIO(bytes(content)))
    except RuntimeError:
        return
    repr(loaded)


class Bomb:
    def __reduce__(self):
        return (os.abort, ())


@pytest.mark.parametrize("protocol", [2, 5])
def test_a_pickle_is_refused_and_not_run(protocol):
    with pytest.raises(RuntimeError, match="the file holds a pickle"):
        tl.load(io.BytesIO(pickle.dumps(Bomb(), protocol)), weights_only=False)


# --- tensors of a GPU, in the simulator ---------------------------------------------------------------------


@pytest.fixture
def simulated(monkeypatch):
    pytest.importorskip("greenlet")  # a GPU's threads
    monkeypatch.setenv(cuda.VARIABLE, "simulated")


def test_tensors_come_back_to_the_device_where_they_lay_or_to_another(simulated):
    x = tl.arange(6.0).view(2, 3).cuda().requires_grad_()
    content = packed({"x": x, "row": x.detach()[1], "host": tl.ones(2)})

    def load(place=None):
        return tl.load(io.BytesIO(content), map_location=place)

    found = load()
    assert [found[name].device.type for name in ("x", "row", "host")] == ["cuda", "cuda", "cpu"]
    assert found["x"].tolist() == x.tolist()
    assert found["x"].requires_grad
    found["row"][0] = 9.0
    assert found["x"][1, 0] == 9.0  # they share their storage still
    for place in ("cpu", tl.device("cpu"), {"cuda:0": "cpu"}, lambda storage, where: storage):
        assert load(place)["x"].device.type == "cpu"
    for place in ("cuda", {"cpu": "cuda:0"}, lambda storage, where: storage.cuda()):
        assert load(place)["host"].tolist() == [1, 1]
        assert load(place)["host"].is_cuda
    assert load(lambda storage, where: None)["x"].is_cuda


def test_pickles_and_copies_stay_on_the_device(simulated):
    x = tl.arange(6.0).cuda()
    pair = pickle.loads(pickle.dumps([x, x[2:]]))
    assert [each.device.type for each in (*pair, copy.deepcopy(x))] == ["cuda"] * 3
    pair[0][2] = 7.0
    assert pair[1].tolist() == [7, 3, 4, 5]
    model = pickle.loads(pickle.dumps(tl.nn.Linear(2, 3).cuda()))
    assert {each.device.type for each in model.parameters()} == {"cuda"}


def test_a_device_that_is_not_here_needs_a_place(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    content, pickled = packed(tl.ones(2).cuda()), pickle.dumps(tl.ones(2).cuda())
    monkeypatch.delenv(cuda.VARIABLE)
    with pytest.raises(RuntimeError, match=r"object on device 'cuda:0', which is not here.*='cpu'"):
        tl.load(io.BytesIO(content))
    with pytest.raises(RuntimeError, match=r"on device 'cuda:0', which is not here.*x\.cpu\(\).*='cpu'"):
        pickle.loads(pickled)
    assert tl.load(io.BytesIO(content), map_location="cpu").tolist() == [1, 1]


def test_a_device_that_is_here_and_full_is_no_device_that_is_not(simulated, monkeypatch):
    content, pickled = packed(tl.ones(1 << 20)), pickle.dumps(tl.ones(1 << 20).cuda())
    tl.cuda.empty_cache()
    monkeypatch.setattr(cuda.gpu("a test").driver, "total", tl.cuda.memory_reserved() + (1 << 20))
    for load in (lambda: tl.load(io.BytesIO(content), map_location="cuda"), lambda: pickle.loads(pickled)):
        with pytest.raises(tl.OutOfMemoryError, match=r"Tried to allocate 4\.00 MiB"):
            load()


@pytest.mark.parametrize("error", [KeyError("mine"), TypeError("mine"), OSError("mine")])
def test_an_error_of_the_own_function_is_no_damage_of_the_file(error):
    def place(storage, where):
        raise error

    with pytest.raises(type(error), match="mine"):
        tl.load(io.BytesIO(packed(tl.ones(2))), map_location=place)
    with pytest.raises(TypeError, match="map_location returned a str for a storage of 'cpu'"):
        tl.load(io.BytesIO(packed(tl.ones(2))), map_location=lambda storage, where: "cpu")
