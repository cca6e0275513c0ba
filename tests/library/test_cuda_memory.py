"""Copies between the CPU and ``device="cuda"``, pinned memory, and memory that other libraries share."""

from __future__ import annotations

import collections
import gc

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.backends import cuda, gpu
from tensorlab.backends.cuda.memory import HostPool


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    return gpu("the test")


# --- copies -------------------------------------------------------------------------------------------------


def test_copy_takes_elements_from_another_device_and_the_gradient_goes_back(simulated):
    x = tl.zeros(2, 3, device="cuda")
    source = tl.tensor([1, 2, 3])
    assert x.copy_(source).tolist() == [[1, 2, 3], [1, 2, 3]]
    host = tl.zeros(3, 2)
    assert host.t().copy_(x, non_blocking=True).tolist() == x.tolist()
    w = tl.tensor([1.0, 2.0], requires_grad=True)
    (tl.zeros(2, device="cuda").copy_(w) * 3).sum().backward()
    assert (w.grad.device.type, w.grad.tolist()) == ("cpu", [3, 3])


# --- pinned memory ------------------------------------------------------------------------------------------


def test_without_a_gpu_nothing_is_pinned():
    assert not tl.ones(2).is_pinned()
    with pytest.raises(RuntimeError, match="there is no CUDA device"):
        tl.ones(2).pin_memory()
    loader = tl.utils.data.DataLoader([1.0, 2.0], pin_memory=True)
    with pytest.warns(UserWarning, match="no accelerator is found") as caught:
        assert [each.tolist() for each in loader] == [[1], [2]]
    assert caught[0].filename == __file__


def test_a_pinned_tensor_is_a_copy_whose_views_are_pinned(simulated):
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


def test_pinned_memory_serves_again_once_no_array_refers_to_it_and_its_copy_is_done(simulated, monkeypatch):
    done, pool = [], HostPool(simulated.driver)
    monkeypatch.setattr(simulated, "host", pool)
    monkeypatch.setattr(simulated.driver, "is_done", lambda mark: bool(done))
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


def test_a_copy_from_pinned_memory_waits_only_if_it_shall(simulated, monkeypatch):
    waited = []
    monkeypatch.setattr(simulated.driver, "wait", waited.append)
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


def test_a_loader_pins_its_batches_whatever_their_form(simulated):
    Pair = collections.namedtuple("Pair", "x y")
    data = [{"pair": Pair(tl.ones(2), k), "name": "a", "parts": [np.zeros(1)]} for k in range(2)]
    (batch,) = tl.utils.data.DataLoader(data, batch_size=2, pin_memory=True)
    assert batch["name"] == ["a", "a"]
    for each in (*batch["pair"], *batch["parts"]):
        assert each.is_pinned()
    assert type(batch["pair"]) is Pair
    assert batch["pair"].y.tolist() == [0, 1]


def test_a_module_goes_to_the_gpu(simulated):
    assert tl.nn.Linear(2, 1).cuda().weight.is_cuda
