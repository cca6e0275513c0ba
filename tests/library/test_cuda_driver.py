"""What a GPU's driver is asked, with a stand-in for ``cuda.bindings.driver`` whose device is the host."""

from __future__ import annotations

import ctypes
import enum
import os
import threading
import types

import numpy as np
import pytest

from tensorlab.backends.cuda import compiler, copy
from tensorlab.backends.cuda.driver import AcceleratorError, Gpu, GpuCells
from tensorlab.backends.cuda.memory import OutOfMemoryError, Pool


class Result(enum.IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NOT_INITIALIZED = 3
    CUDA_ERROR_INVALID_CONTEXT = 201
    CUDA_ERROR_NOT_READY = 600
    CUDA_ERROR_ILLEGAL_ADDRESS = 700


class Attribute(enum.IntEnum):
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 4
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 8
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 0


class Api:
    """The functions of ``cuda.bindings.driver`` that the backend calls.

    Attributes:
        error: what calls that enqueue or wait return.
        total, blocks: how many bytes there are, and the memory that was handed out, by address.
        launched: the function, grid, block and eight bytes of each argument of each launch.
    """

    CUresult, CUdevice_attribute = Result, Attribute
    CUstream_flags = types.SimpleNamespace(CU_STREAM_DEFAULT=0, CU_STREAM_NON_BLOCKING=1)
    CUstreamCaptureMode = types.SimpleNamespace(CU_STREAM_CAPTURE_MODE_RELAXED=2)

    def __init__(self):
        self.error, self.total, self.parameters = Result(0), 1 << 24, 4
        self.blocks, self.launched, self.loaded, self.waits = {}, [], 0, 0
        self.streams, self.recorded, self.events, self.done = [], {}, 0, 0
        self._current = threading.local()

    def cuInit(self, flags):
        return (Result(0),)

    def cuDeviceGet(self, number):
        return Result(0), number

    def cuDevicePrimaryCtxRetain(self, device):
        return Result(0), "the context"

    def cuDeviceGetName(self, length, device):
        return Result(0), b"a card".ljust(length, b"\0")

    def cuDeviceGetAttribute(self, attribute, device):
        return Result(0), int(attribute)

    def cuCtxSetCurrent(self, context):
        self._current.context = context
        return (Result(0),)

    def _here(self):
        return self.error if hasattr(self._current, "context") else Result(201)

    def cuStreamCreate(self, flags):
        return self._here(), 7 + flags

    def cuEventCreate(self, flags):
        self.events += 1
        return self._here(), f"event {self.events}"

    def cuEventRecord(self, event, stream):
        self.recorded[event] = stream, len(self.launched)
        return (self._here(),)

    def cuEventQuery(self, event):
        return (self._here() if self.recorded[event][1] <= self.done else Result.CUDA_ERROR_NOT_READY,)

    def cuEventElapsedTime(self, first, last):
        return self._here(), float(self.recorded[last][1] - self.recorded[first][1])

    def cuStreamWaitEvent(self, stream, event, flags):
        self.streams.append((stream, "waits for", self.recorded[event][0]))
        return (self._here(),)

    def cuStreamBeginCapture(self, stream, mode):
        return (self._here(),)

    def cuStreamEndCapture(self, stream):
        return self._here(), f"the graph of stream {stream}"

    def cuGraphInstantiate(self, graph, flags):
        return self._here(), graph

    def cuGraphDestroy(self, graph):
        return (self._here(),)

    def cuGraphLaunch(self, graph, stream):
        self.streams.append((graph, stream))
        return (self._here(),)

    def cuStreamSynchronize(self, stream):
        self.waits += 1
        return (self._here(),)

    def cuMemGetInfo(self):
        used = sum(block.nbytes for block in self.blocks.values())
        return self._here(), self.total - used, self.total

    def cuMemAlloc(self, size):
        if size > self.cuMemGetInfo()[1]:
            return Result(2), 0
        block = np.zeros(size, np.uint8)
        self.blocks[block.ctypes.data] = block
        return self._here(), block.ctypes.data

    def cuMemFree(self, pointer):
        del self.blocks[pointer]
        return (self._here(),)

    def cuMemcpyHtoDAsync(self, to, source, size, stream):
        ctypes.memmove(to, source, size)
        return (self._here(),)

    cuMemcpyDtoHAsync = cuMemcpyHtoDAsync

    def cuLibraryLoadData(self, code, *options):
        self.loaded += 1
        return Result(0), code

    def cuLibraryGetKernel(self, library, name):
        return Result(0), (library, name)

    def cuKernelGetFunction(self, kernel):
        return Result(0), kernel

    def cuLaunchKernel(self, function, *given):
        addresses = (ctypes.c_void_p * self.parameters).from_address(given[-2])
        cells = [bytes((ctypes.c_uint8 * 8).from_address(each)) for each in addresses]
        self.launched.append((function, [*given[:3]], [*given[3:6]], cells))
        self.streams.append(given[7])
        return (self._here(),)


@pytest.fixture
def api(monkeypatch):
    monkeypatch.setattr(compiler, "machine_code", lambda *given: compiler.Compiled(b"", "fill"))
    return Api()


def test_a_launch_hands_addresses_and_numbers_to_a_kernel_that_is_compiled_once(api):
    gpu = Gpu(api)
    assert (gpu.name, gpu.capability, gpu.total, gpu.blocks) == ("a card", (8, 0), 1 << 24, 32)
    cells = gpu.new_block(64).view(np.float32)
    gpu.launch(copy.fill, 2, 32, cells, 4, 12, np.float32(1.5))
    gpu.launch(copy.fill, (1, 5), (32, 2), cells[4:], 0, 12, np.float32(2))
    (function, grid, block, found), (_, second, threads, others) = api.launched
    assert (function, grid, block) == ((b"", b"fill"), [2, 1, 1], [32, 1, 1])
    assert (second, threads) == ([1, 5, 1], [32, 2, 1])
    assert [int.from_bytes(each, "little") for each in found[:3]] == [cells.pointer, 4, 12]
    assert np.frombuffer(found[3], np.float32)[0] == 1.5
    assert int.from_bytes(others[0], "little") == cells.pointer + 16
    assert api.loaded == 1
    gpu.launch(copy.fill, 1, 32, cells.view(np.int32), 0, 16, np.int32(2))
    assert api.loaded == 2


NUMBERS = [(True, "int64"), (-3, "int64"), (2.5, "float64")]
NUMBERS += [(np.dtype(each).type(1), each) for each in ("bool", "int8", "uint16", "uint64", "float16")]


@pytest.mark.parametrize(("number", "kind"), NUMBERS)
def test_a_number_is_handed_over_in_its_own_type(api, number, kind):
    gpu = Gpu(api)
    gpu.launch(copy.fill, 1, 1, number, (), (4, number))
    first, empty, four, last = api.launched[0][3]
    assert np.frombuffer(first, kind)[0] == np.frombuffer(last, kind)[0] == number
    assert [int.from_bytes(each, "little") for each in (empty, four)] == [1, 4]


def test_tuples_in_tuples_and_memory_in_them_are_handed_over_one_by_one(api):
    gpu, api.parameters = Gpu(api), 5
    cells = gpu.new_block(16).view(np.float32)
    gpu.launch(copy.fill, 1, 1, ((), (2, 3)), (cells, cells[1:]))
    found = [int.from_bytes(each, "little") for each in api.launched[0][3]]
    assert found == [1, 2, 3, cells.pointer, cells.pointer + 4]
    gpu.launch(copy.fill, 1, 1, ((), (2, 3)), (cells, cells.view(np.int32)))
    assert api.loaded == 2


def test_every_thread_works_in_the_context_of_the_gpu(api):
    gpu, errors = Gpu(api), []
    cells = gpu.new_block(16).view(np.float32)

    def work(value):
        try:
            gpu.upload(cells, np.full(4, value, np.float32))
            gpu.launch(copy.fill, 1, 1, cells, 0, 4, np.float32(value))
            gpu.download(cells)
        except AcceleratorError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(api.launched) == 4


def test_threads_do_not_write_over_each_other_s_arguments(api):
    gpu, number = Gpu(api), 200

    def work(value):
        for _ in range(number):
            gpu.launch(copy.fill, value, 1, value, value, value, value)

    threads = [threading.Thread(target=work, args=(value,)) for value in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(api.launched) == 4 * number
    for _, grid, _, cells in api.launched:
        assert {int.from_bytes(each, "little") for each in cells} == {grid[0]}


def test_only_a_download_waits(api):
    gpu = Gpu(api)
    cells = gpu.new_block(16).view(np.float32)
    gpu.upload(cells, np.arange(4, dtype=np.float32))
    gpu.launch(copy.fill, 1, 1, cells, 0, 4, np.float32(0))
    assert api.waits == 0
    assert gpu.download(cells).tolist() == [0, 1, 2, 3]
    assert api.waits == 1


def test_a_kernel_that_faults_is_named_and_every_later_call_says_that_the_context_is_lost(api):
    gpu = Gpu(api)
    cells = gpu.new_block(16).view(np.float32)
    gpu.launch(copy.fill, 3, 64, cells, 0, 4, np.float32(0))
    api.error = Result.CUDA_ERROR_ILLEGAL_ADDRESS
    words = r"CUDA_ERROR_ILLEGAL_ADDRESS.*\n  fill\[3, 64\]\(4 cells of float32 at .*context is lost"
    for call in (
        gpu.synchronize,
        lambda: gpu.new_block(8),
        lambda: gpu.launch(copy.fill, 1, 1, 1, 2, 3, 4),
    ):
        with pytest.raises(AcceleratorError, match=f"(?s){words}") as caught:
            call()
        assert caught.value.error_code == 700


def test_a_graph_is_recorded_in_a_stream_of_its_own_and_replayed_in_that_of_all_work(api):
    gpu = Gpu(api)
    gpu.begin_capture()
    gpu.launch(copy.fill, 1, 1, 1, 2, 3, 4)
    graph = gpu.end_capture()
    gpu.launch(copy.fill, 1, 1, 1, 2, 3, 4)
    gpu.replay(graph)
    assert api.streams == [8, 7, ("the graph of stream 8", 7)]


def test_points_in_the_work_are_events_which_serve_again_when_nobody_has_them(api):
    gpu = Gpu(api)
    first = gpu.mark()
    gpu.launch(copy.fill, 1, 1, 1, 2, 3, 4)
    last = gpu.mark()
    assert (gpu.is_done(first), gpu.is_done(last), gpu.elapsed(first, last)) == (True, False, 1)
    api.done = 1
    assert gpu.is_done(last)
    del first, last
    gpu.order(1, gpu.stream)
    assert api.streams[-1] == (gpu.stream, "waits for", 1)
    gpu.mark()
    assert api.events == 2


def test_a_forked_process_is_told_to_be_started_anew(api, monkeypatch):
    gpu = Gpu(api)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    api.error = Result.CUDA_ERROR_NOT_INITIALIZED
    with pytest.raises(AcceleratorError, match=r"CUDA in forked subprocess.*'spawn'"):
        gpu.synchronize()


def test_a_call_that_is_refused_costs_the_context_nothing(api):
    gpu = Gpu(api)
    api.error = Result.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(AcceleratorError, match=r"CUDA error: CUDA_ERROR_INVALID_VALUE$"):
        gpu.launch(copy.fill, 0, 1, 1, 2, 3, 4)
    api.error = Result.CUDA_SUCCESS
    gpu.synchronize()


def test_memory_that_the_driver_refuses_is_asked_for_again_without_the_kept_blocks(api):
    pool = Pool(Gpu(api))
    kept = [pool.allocate(4 << 20, np.dtype(np.uint8)) for _ in range(3)]
    del kept[1:]
    assert pool.allocate(9 << 20, np.dtype(np.uint8)).nbytes == 9 << 20
    assert (pool.reserved, pool.retries) == (14 << 20, 1)
    with pytest.raises(
        OutOfMemoryError, match=r"allocate 30\.00 MiB.*16\.00 MiB of which 12\.00 MiB is free"
    ):
        pool.allocate(30 << 20, np.dtype(np.uint8))
    assert (pool.reserved, pool.allocated) == (4 << 20, 4 << 20)
    assert (pool.from_driver, pool.to_driver, pool.retries, pool.refusals) == (4, 3, 2, 1)
    del kept
    pool.empty_cache()
    assert (pool.reserved, api.blocks) == (0, {})


def test_cells_of_a_gpu_are_sliced_and_viewed_by_address():
    cells = GpuCells(1000, 10, np.dtype(np.int16))
    part = cells[2:5]
    assert (part.pointer, part.size, part.nbytes, part.view(np.uint8).size) == (1004, 3, 6, 6)
    assert cells[10:].size == 0
