"""Copies between the CPU and ``device="cuda"``, pinned memory, and memory that other libraries share."""

from __future__ import annotations

import collections
import gc

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.backends import cuda, gpu
from tensorlab.backends.cuda import dlpack
from tensorlab.backends.cuda.compute import Cuda
from tensorlab.backends.cuda.driver import Simulated
from tensorlab.backends.cuda.memory import HostPool
from tests.library.device import IS_REAL, simulated_only


@pytest.fixture
def backend(monkeypatch):
    if not IS_REAL:
        monkeypatch.setenv(cuda.VARIABLE, "simulated")
    return gpu("the test")


# --- copies -------------------------------------------------------------------------------------------------


def test_copy_takes_elements_from_another_device_and_the_gradient_goes_back(backend):
    x = tl.zeros(2, 3, device="cuda")
    source = tl.tensor([1, 2, 3])
    assert x.copy_(source).tolist() == [[1, 2, 3], [1, 2, 3]]
    host = tl.zeros(3, 2)
    assert host.t().copy_(x, non_blocking=True).tolist() == x.tolist()
    w = tl.tensor([1.0, 2.0], requires_grad=True)
    (tl.zeros(2, device="cuda").copy_(w) * 3).sum().backward()
    assert (w.grad.device.type, w.grad.tolist()) == ("cpu", [3, 3])


# --- pinned memory ------------------------------------------------------------------------------------------


@simulated_only
def test_without_a_gpu_nothing_is_pinned():
    assert not tl.ones(2).is_pinned()
    with pytest.raises(RuntimeError, match="there is no CUDA device"):
        tl.ones(2).pin_memory()
    loader = tl.utils.data.DataLoader([1.0, 2.0], pin_memory=True)
    with pytest.warns(UserWarning, match="no accelerator is found") as caught:
        assert [each.tolist() for each in loader] == [[1], [2]]
    assert caught[0].filename == __file__


def test_a_pinned_tensor_is_a_copy_whose_views_are_pinned(backend):
    x = tl.arange(6.0).view(2, 3).t()
    pinned = x.pin_memory()
    assert pinned.equal(x)
    assert pinned.stride() == x.stride()
    assert pinned.data_ptr() != x.data_ptr()
    assert pinned.pin_memory() is pinned
    assert not x.is_pinned()
    assert not (pinned + 1).is_pinned()
    assert pinned[1:].is_pinned()
    assert pinned.data.is_pinned()
    assert pinned._version == 0
    for non_blocking in (False, True):
        assert pinned.to("cuda", non_blocking=non_blocking).tolist() == x.tolist()
    assert tl.ones(0).pin_memory().shape == (0,)
    with pytest.raises(RuntimeError, match=r"'cuda:0': only memory of the CPU can be pinned"):
        x.cuda().pin_memory()


def test_pinned_memory_serves_again_once_no_array_refers_to_it_and_its_copy_is_done(backend, monkeypatch):
    done, pool = [], HostPool(backend.driver)
    monkeypatch.setattr(backend, "host", pool)
    monkeypatch.setattr(backend.driver, "is_done", lambda mark: bool(done))
    x = tl.ones(300).pin_memory()
    address = x.data_ptr()
    array = x[5:].numpy()
    x.to("cuda", non_blocking=True)
    del x
    gc.collect()
    assert tl.zeros(300).pin_memory().data_ptr() != address  # the array refers to it
    del array
    gc.collect()
    held = [tl.zeros(300).pin_memory() for _ in range(2)]
    assert address not in [each.data_ptr() for each in held]  # it may still be being read
    done.append(True)
    assert tl.zeros(300).pin_memory().data_ptr() == address


def test_a_copy_from_pinned_memory_waits_only_if_it_shall(backend, monkeypatch):
    waited = []
    monkeypatch.setattr(backend.driver, "wait", waited.append)
    x = tl.ones(3)
    x.cuda()
    pinned = x.pin_memory()
    for move in (
        lambda: pinned.to("cuda", non_blocking=True),
        lambda: pinned.to("cuda", tl.float64, True),
        lambda: pinned.cuda(non_blocking=True),
        lambda: tl.nn.ParameterList([tl.nn.Parameter(x)]).to("cuda", non_blocking=True),
    ):
        move()
    assert waited == []
    pinned.to("cuda")
    assert len(waited) == 1


class Late(Simulated):
    """A GPU that reads pinned memory as late as it may: when something waits for it, or follows upon it."""

    def __init__(self):
        super().__init__()
        self.pinned, self.pending, self.asked, self.done = [], [], 0, 0

    def new_pinned(self, size):
        self.pinned.append(super().new_pinned(size))
        return self.pinned[-1]

    def upload(self, cells, array):
        if any(np.shares_memory(block, array) for block in self.pinned):
            self.pending.append((cells, array))
        else:
            super().upload(cells, array)

    def synchronize(self):
        for cells, array in self.pending:
            super().upload(cells, array)
        self.pending.clear()
        self.done = self.asked

    def download(self, cells):
        self.synchronize()
        return super().download(cells)

    def launch(self, *arguments):
        self.synchronize()
        super().launch(*arguments)

    def mark(self):
        self.asked += 1
        return self.asked

    def is_done(self, mark):
        return mark <= self.done

    def wait(self, mark):
        if not self.is_done(mark):
            self.synchronize()


@pytest.fixture
def late(monkeypatch):
    backend = Cuda(Late())
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    monkeypatch.setattr(cuda, "_device", lambda simulated: backend)
    return backend


# The ways in which the same pinned memory is named.
NAMES = {
    "itself": lambda x: x,
    "a view": lambda x: x[:],
    "an alias": lambda x: x.data,
    "an array of it": lambda x: tl.from_numpy(x.numpy()),
    "a run of an array of it": lambda x: tl.from_numpy(x.numpy()[:]),
    "a buffer of it": lambda x: tl.frombuffer(memoryview(x.numpy()), dtype=tl.float32),
}

# The ways in which it is copied, and waited for.
COPIES = {
    "cuda": lambda x: x.cuda(),
    "to": lambda x: x.to("cuda", copy=True),
    "copy_": lambda x: tl.zeros(3, device="cuda").copy_(x),
    "tensor": lambda x: tl.tensor(x, device="cuda"),
    "storage": lambda x: tl.asarray(x.untyped_storage().cuda().to("cpu").bytes()).view(tl.float32)[:3],
}


@simulated_only
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("copy", COPIES)
def test_pinned_memory_may_be_rewritten_once_a_copy_returns(late, name, copy):
    x = tl.ones(3).pin_memory()
    named = NAMES[name](x)
    assert named.is_pinned()
    found = COPIES[copy](named)
    x.fill_(7)
    assert found.tolist() == [1, 1, 1]


@simulated_only
@pytest.mark.parametrize("name", NAMES)
def test_pinned_memory_may_be_rewritten_after_a_wait_where_a_copy_does_not_block(late, name):
    x = tl.ones(3).pin_memory()
    for wait in (tl.cuda.synchronize, lambda: tl.cuda.current_stream().record_event().synchronize(), None):
        x.fill_(1)
        found = NAMES[name](x).cuda(non_blocking=True)
        if wait is not None:
            wait()
        x.fill_(7)
        assert found.tolist() == ([7, 7, 7] if wait is None else [1, 1, 1])


@simulated_only
@pytest.mark.parametrize("name", NAMES)
def test_pinned_memory_that_is_freed_early_serves_again_once_it_was_read(late, name):
    x = tl.ones(3).pin_memory()
    address, found = x.data_ptr(), NAMES[name](x).cuda(non_blocking=True)
    del x
    gc.collect()
    others = [tl.zeros(3).pin_memory() for _ in range(3)]
    assert address not in [each.data_ptr() for each in others]
    assert found.tolist() == [1, 1, 1]
    assert tl.zeros(3).pin_memory().data_ptr() == address


@simulated_only
def test_other_memory_has_been_read_when_a_copy_returns(late):
    x = tl.ones(3)
    found = x.to("cuda", non_blocking=True)
    x.fill_(7)
    assert found.tolist() == [1, 1, 1]
    strided = tl.ones(3, 2).pin_memory()[:, 0]  # a copy of it goes to the GPU
    found = strided.to("cuda", non_blocking=True)
    strided.fill_(7)
    assert found.tolist() == [1, 1, 1]


def test_a_loader_pins_its_batches_whatever_their_form(backend):
    Pair = collections.namedtuple("Pair", "x y")
    data = [{"pair": Pair(tl.ones(2), k), "name": "a", "parts": [np.zeros(1)]} for k in range(2)]
    (batch,) = tl.utils.data.DataLoader(data, batch_size=2, pin_memory=True)
    assert batch["name"] == ["a", "a"]
    for each in (*batch["pair"], *batch["parts"]):
        assert each.is_pinned()
    assert type(batch["pair"]) is Pair
    assert batch["pair"].y.tolist() == [0, 1]


def test_a_module_goes_to_the_gpu(backend):
    assert tl.nn.Linear(2, 1).cuda().weight.is_cuda


# --- memory shared with other libraries ---------------------------------------------------------------------


class Foreign:
    """An array of another library on the device, which is the host's memory here."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        fields = self.array.__array_interface__
        return {**fields, "strides": self.array.strides, "version": 3, "stream": 7}


class Exporter:
    """An object that hands a tensor's memory over and keeps what it was asked for."""

    def __init__(self, tensor):
        self.tensor, self.asked = tensor, []

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.tensor.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


@simulated_only
def test_an_array_of_a_gpu_is_shared_by_its_interface_and_its_stream_is_waited_for(backend, monkeypatch):
    ordered = []
    monkeypatch.setattr(backend.driver, "order", lambda *streams: ordered.append(streams))
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = tl.as_tensor(Foreign(array.T[1:]))
    assert (x.device.type, x.shape, x.stride()) == ("cuda", (3, 3), (1, 4))
    assert ordered == [(7, backend.driver.stream)]
    assert not x.untyped_storage().resizable()
    x.mul_(10)
    assert array[:, 1:].tolist() == [[10, 20, 30], [50, 60, 70], [90, 100, 110]]
    assert array[:, 0].tolist() == [0, 4, 8]
    assert tl.as_tensor(Foreign(array), dtype=tl.int64).dtype is tl.int64
    assert tl.as_tensor(Foreign(array), device="cpu").device.type == "cpu"
    assert tl.as_tensor(Foreign(np.zeros((0, 2)))).shape == (0, 2)
    with pytest.raises(ValueError, match="stride is negative"):
        tl.as_tensor(Foreign(array[::-1]))
    copied = tl.tensor(Foreign(array), dtype=tl.float64)
    array[0, 0] = 7
    assert (copied.device.type, copied.dtype, copied[0, 0].item()) == ("cuda", tl.float64, 0)
    assert tl.tensor(Foreign(array), device="cpu").tolist() == array.tolist()
    array.flags.writeable = False
    with pytest.raises(ValueError, match="must not be written"):
        tl.as_tensor(Foreign(array))


def test_a_tensor_says_where_its_elements_are(backend):
    x = tl.arange(6.0).view(2, 3).cuda().t()
    fields = x[1:].__cuda_array_interface__
    assert fields["data"] == (x.data_ptr() + 4, False)
    assert (fields["shape"], fields["strides"], fields["typestr"]) == ((2, 2), (4, 12), "<f4")
    assert (fields["version"], fields["stream"]) == (3, backend.driver.stream)
    assert not hasattr(tl.ones(2), "__cuda_array_interface__")
    with pytest.raises(RuntimeError, match=r"requires grad.*x\.detach\(\)"):
        x.requires_grad_().__cuda_array_interface__  # noqa: B018 - a property


@pytest.mark.parametrize("kind", [tl.float32, tl.bool, tl.bfloat16, tl.float16, tl.int64, tl.uint8])
def test_dlpack_shares_memory_of_the_device_in_both_directions(backend, kind):
    x = tl.tensor([[1, 0, 1], [0, 0, 1]]).to(kind).cuda()
    source = Exporter(x.t()[1:])
    y = tl.from_dlpack(source)
    assert source.asked == [{"stream": backend.driver.stream}]
    assert (y.device, y.dtype, y.shape, y.stride()) == (x.device, kind, (2, 2), (1, 3))
    assert y.data_ptr() == x[0, 1:].data_ptr()
    y.fill_(1)
    assert x.tolist() == tl.tensor([[1, 1, 1], [0, 1, 1]]).to(kind).tolist()


def test_memory_that_was_handed_over_is_kept_until_the_taker_is_gone(backend):
    gc.collect()
    before = tl.cuda.memory_allocated()
    x = tl.ones(1000, device="cuda")
    y = tl.from_dlpack(x)
    capsule = x.__dlpack__()
    del x
    gc.collect()
    assert tl.cuda.memory_allocated() > before
    assert y.sum().item() == 1000
    del y
    gc.collect()
    assert tl.cuda.memory_allocated() > before  # the capsule was not used
    del capsule
    gc.collect()
    assert tl.cuda.memory_allocated() == before


def test_a_capsule_is_used_once_and_its_taker_may_name_a_stream(backend, monkeypatch):
    ordered = []
    monkeypatch.setattr(backend.driver, "order", lambda *streams: ordered.append(streams))
    x = tl.ones(2, device="cuda")
    assert x.__dlpack_device__() == (2, 0)
    capsule = x.__dlpack__(stream=5)
    x.__dlpack__(stream=-1)
    x.__dlpack__()
    assert ordered == [(backend.driver.stream, 5), (backend.driver.stream, 1)]
    assert tl.from_dlpack(capsule).data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="a capsule that was not used yet"):
        tl.from_dlpack(capsule)


def test_dlpack_copies_to_where_it_is_wanted(backend):
    x = tl.arange(3.0, device="cuda")
    assert tl.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()
    assert tl.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    assert tl.from_dlpack(np.arange(3), device="cuda").is_cuda
    assert np.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match=r"lies on 'cuda:0'.*x\.cpu\(\)"):
        np.from_dlpack(x)
    with pytest.raises(ValueError, match="comes to 'cpu' by a copy"):
        tl.from_dlpack(x, device="cpu", copy=False)
    with pytest.raises(BufferError, match="require gradient"):
        tl.ones(1, device="cuda", requires_grad=True).__dlpack__()


def test_pytorch_reads_the_fields_of_a_capsule():
    torch = pytest.importorskip("torch")
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    capsule = dlpack.shared((1, 0), array.ctypes.data, tl.int16, (3, 2), (1, 3), array)
    theirs = torch.from_dlpack(capsule)
    assert theirs.tolist() == array.T.tolist()
    theirs[0, 1] = 7
    assert array[1, 0] == 7
    back = dlpack.taken(torch.utils.dlpack.to_dlpack(theirs))
    assert back[:5] == ((1, 0), array.ctypes.data, tl.int16, (3, 2), (1, 3))


@pytest.mark.skipif(not IS_REAL, reason="it takes a GPU: tensorlab test --gpu")
def test_pytorch_on_the_same_gpu_shares_without_a_copy(torch):
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch knows of no GPU")
    ours = tl.arange(6.0, device="cuda").view(2, 3)
    for theirs in (torch.from_dlpack(ours.t()).t(), torch.as_tensor(ours, device="cuda")):
        assert theirs.data_ptr() == ours.data_ptr()
        before = ours.tolist()
        theirs.mul_(2)
        assert (ours / 2).tolist() == before
    for big in (torch.full((1 << 24,), 2.0, device="cuda"), torch.full((1 << 24,), 2, device="cuda")):
        for shared in (tl.from_dlpack(big), tl.as_tensor(big)):  # what PyTorch still computes is waited for
            big.mul_(3)
            assert shared[-1].item() == big[-1].item()
            shared.sub_(1)
            assert big[-1].item() == shared[-1].item()
