"""Files of `torch.save`: what they hold comes here, and nothing that they name runs."""

from __future__ import annotations

import collections
import contextlib
import io
import os
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl


@pytest.fixture(params=["zip", "older"])
def saved(torch, request):
    """A function that saves an object with PyTorch and gives the bytes."""

    def save(obj):
        file = io.BytesIO()
        torch.save(obj, file, _use_new_zipfile_serialization=request.param == "zip")
        return file.getvalue()

    return save


def load(content, **settings):
    return tl.load(io.BytesIO(content), **settings)


@pytest.mark.parametrize("name", [each.name for each in tl.dtypes.ALL])
def test_every_dtype_comes_by_the_bit(torch, saved, name):
    x = torch.tensor([[0, 1, 1], [1, 0, 5]], dtype=getattr(torch, name))
    y = load(saved(x))
    assert (y.dtype, y.shape, y.tolist()) == (getattr(tl, name), (2, 3), x.tolist())


def test_views_stay_linked_with_their_layouts(torch, saved):
    x = torch.arange(12.0).view(3, 4)
    base, turned, part, same = load(saved([x, x.t(), x[1:, ::2], x]))
    assert (turned.stride(), part.stride(), part.storage_offset()) == ((1, 4), (4, 2), 4)
    base[1, 2] = -1
    assert (turned[2, 1].item(), part[0, 1].item(), same[1, 2].item()) == (-1, -1, -1)


def test_containers_and_numbers_come_as_they_are(torch, saved):
    held = {
        "epoch": 3,
        "lr": 0.1,
        "big": 2**40,
        "name": "né",
        "none": None,
        "flags": [True, False],
        "pair": (1, (2.5, "x")),
        "size": torch.Size([2, 3]),
        "counts": collections.Counter([1, 1, 2]),
        4: float("inf"),
        "empty": torch.zeros(0, 3),
        "scalar": torch.tensor(7),
        "dtype": torch.float16,
    }
    found = load(saved(held))
    assert found.pop("dtype") is tl.float16
    assert (found.pop("empty").shape, found.pop("scalar").item()) == ((0, 3), 7)
    for name in ("dtype", "empty", "scalar"):
        held.pop(name)
    assert found == held


def test_a_parameter_comes_as_one(torch, saved):
    found = load(saved([torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2), False)]))
    assert [type(each) for each in found] == [tl.nn.Parameter] * 2
    assert [each.requires_grad for each in found] == [True, False]
    leaf = load(saved(torch.ones(2, requires_grad=True)))
    assert (type(leaf), leaf.requires_grad) == (tl.Tensor, True)


def test_a_checkpoint_of_model_and_optimizer(torch, saved):
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(4, 2))
    optimizer = torch.optim.Adam(model.parameters(), amsgrad=True)
    sum(p.sum() for p in model.parameters()).backward()
    optimizer.step()
    found = load(saved({"model": model.state_dict(), "optimizer": optimizer.state_dict()}))
    for name, value in model.state_dict().items():
        assert np.array_equal(found["model"][name].numpy(), value.numpy()), name
    assert type(found["model"]) is collections.OrderedDict
    own = tl.optim.Adam([tl.tensor(p.detach().numpy()).requires_grad_() for p in model.parameters()])
    own.load_state_dict(found["optimizer"])
    assert own.param_groups[0]["amsgrad"] is True
    assert own.state_dict()["state"][0]["step"].item() == 1


class Named:
    """Pickled as a call of a function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def hostile(torch):
    x = torch.arange(4.0)
    return {
        "a shell": Named(os.system, "exit 1"),
        "eval": Named(eval, "1"),
        "getattr": Named(getattr, x, "shape"),
        "a class": torch.nn.Linear(1, 1),
        "an array": np.ones(3),
        "a bytearray": bytearray(3),
        "a set": {1, 2},
    }


@pytest.mark.parametrize(
    "name", ["a shell", "eval", "getattr", "a class", "an array", "a bytearray", "a set"]
)
def test_what_could_run_is_refused_and_named(torch, saved, name):
    with pytest.raises(RuntimeError, match=r"asks for|instruction"):
        load(saved(hostile(torch)[name]), weights_only=False)


def with_pickle(torch, pickled, cells=bytes(16)):
    """A zip of torch.save whose pickle is another."""
    file = io.BytesIO()
    torch.save(torch.arange(4.0), file)
    made = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("data.pkl"):
                content = pickled(content) if callable(pickled) else pickled
            if name.endswith("data/0"):
                content = cells
            new.writestr(name, content)
    return made.getvalue()


def test_a_zip_that_nobody_changed_is_read(torch):
    assert load(with_pickle(torch, lambda p: p)).tolist() == [0, 0, 0, 0]


TENSOR = b"ctorch._utils\n_rebuild_tensor_v2\n"
PID = b"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ"


def tensor_of(offset, shape, stride):
    """The pickle of a tensor over the four cells of storage 0."""

    def numbers(each):
        return b"(" + b"".join(b"J" + struct.pack("<i", n) for n in each) + b"t"

    arguments = (
        PID
        + b"J"
        + struct.pack("<i", offset)
        + numbers(shape)
        + numbers(stride)
        + b"\x89ccollections\nOrderedDict\n)Rt"
    )
    return b"\x80\x02" + TENSOR + arguments + b"R"


@pytest.mark.parametrize(
    "pickled",
    [
        tensor_of(1, [4], [1]) + b".",
        tensor_of(0, [2, 2], [4, 1]) + b".",
        tensor_of(0, [-1], [1]) + b".",
        tensor_of(-1, [1], [1]) + b".",
        tensor_of(0, [2, 2], [1]) + b".",
        tensor_of(0, [4], [1]) + b"N}X\x07\x00\x00\x00_offsetJ\xff\xff\xff\x7fs\x86b.",
        b"\x80\x02ctorch\nfloat32\nN}X\x08\x00\x00\x00itemsizeK\x01s\x86b.",
        b"\x80\x04\x8c\x0bcollections\x8c\x14OrderedDict.fromkeys\x93.",
        b"\x80\x02}r\xff\xff\xff\x7f",
        b"\x80\x02ctorch\nFloatStorage\nK\x01\x85R.",
        b"\x80\x02h\x05.",
        b"\x80\x02K\x01Q.",
        b"(dp0\n.",
        bytes(range(256)),
        b"",
    ],
    ids=[
        "beyond the storage",
        "strides too long",
        "a negative size",
        "a negative offset",
        "fewer strides than sizes",
        "an offset set afterwards",
        "a dtype changed",
        "a name with a dot",
        "no end",
        "a name that is called",
        "a place in the memo that is empty",
        "a persistent id that is a number",
        "a pickle of protocol 0",
        "noise",
        "nothing",
    ],
)
def test_a_crafted_pickle_is_refused(torch, pickled):
    with pytest.raises(RuntimeError, match=r"the file (cannot be loaded|is no file of torch\.save)"):
        load(with_pickle(torch, pickled))
    assert tl.float32.itemsize == 4


def test_a_memo_with_gaps_takes_no_memory(torch):
    assert load(with_pickle(torch, b"\x80\x02}r\xff\xff\xff\x7f.")) == {}


def test_shared_containers_do_not_multiply(torch, saved):
    nested = [1]
    for _ in range(60):
        nested = [nested, nested]
    found = load(saved(nested))
    assert found[0] is found[1]


def test_a_storage_that_is_cut_off_is_refused(torch):
    with pytest.raises(RuntimeError, match="a storage of 4 cells of float32 has 8 bytes"):
        load(with_pickle(torch, lambda p: p, cells=bytes(8)))


def test_a_compressed_entry_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("m/data.pkl", b"\x80\x02N.")
        archive.writestr("m/data/0", bytes(1 << 20))
    with pytest.raises(RuntimeError, match="compressed"):
        load(file.getvalue())


def test_another_zip_is_named():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("picture.png", b"")
    with pytest.raises(RuntimeError, match="a zip of something else"):
        load(file.getvalue())


def test_a_file_is_whole_or_refused(torch, saved):
    content = saved({"w": torch.arange(3.0)})
    for end in range(len(content)):
        with pytest.raises(RuntimeError):
            load(content[:end])


@given(st.data())
def test_damage_never_ends_otherwise_than_in_a_runtime_error(torch, data):
    file = io.BytesIO()
    torch.save(
        {"w": torch.arange(3.0), "step": 4}, file, _use_new_zipfile_serialization=data.draw(st.booleans())
    )
    content = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(RuntimeError):
        repr(load(bytes(content)))


def test_a_tensor_of_a_gpu_needs_a_place(torch):
    content = with_pickle(torch, lambda p: p.replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0"))
    with pytest.raises(RuntimeError, match="map_location='cpu'"):
        load(content)
    for place in ("cpu", tl.device("cpu"), {"cuda:0": "cpu"}, lambda storage, where: storage):
        assert load(content, map_location=place).tolist() == [0, 0, 0, 0]
    with pytest.raises(RuntimeError, match="map_location"):
        load(content, map_location={"cuda:1": "cpu"})


def test_pytorch_reads_what_is_saved_here(torch, tmp_path):
    safetensors = pytest.importorskip("safetensors.torch")
    model = tl.nn.Linear(3, 2)
    tl.save(model.state_dict(), tmp_path / "model.safetensors")
    found = safetensors.load_file(tmp_path / "model.safetensors")
    assert {name: value.tolist() for name, value in found.items()} == {
        name: value.tolist() for name, value in model.state_dict().items()
    }


def test_a_pickle_of_something_else_is_still_refused():
    with pytest.raises(RuntimeError, match="holds a pickle"):
        load(pickle.dumps(Named(os.abort)))
