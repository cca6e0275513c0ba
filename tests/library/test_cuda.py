"""``device="cuda"``: what programs are told without a GPU, and tensors on one in the simulator."""

from __future__ import annotations

import concurrent.futures as futures
import gc
import re
import subprocess
import sys
import timeit

import pytest

import tensorlab as tl
from tensorlab.backends import HOST, cuda, gpu
from tensorlab.backends.cuda.memory import readable


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")


# --- without a GPU ------------------------------------------------------------------------------------------


def test_without_a_gpu_what_can_be_answered_is_answered():
    assert not tl.cuda.is_available()
    assert not tl.cuda.is_initialized()
    assert tl.cuda.device_count() == 0
    assert tl.cuda.memory_allocated() == tl.cuda.max_memory_reserved("cuda:0") == 0
    assert tl.cuda.memory_stats() == {}
    assert tl.cuda.empty_cache() is tl.cuda.ipc_collect() is None
    assert tl.cuda.get_rng_state_all() == []
    assert not tl.cuda.is_bf16_supported()
    state = tl.get_rng_state()
    tl.cuda.manual_seed_all(tl.initial_seed() ^ 1)  # as in PyTorch, which says nothing either
    tl.cuda.seed()
    assert tl.equal(tl.get_rng_state(), state)
    with tl.cuda.stream(None), tl.cuda.device(None), tl.cuda.device_of(tl.ones(1)):
        assert (tl.ones(2) + 1).tolist() == [2, 2]
    assert min(timeit.repeat(tl.cuda.is_available, number=100, repeat=5)) / 100 < 100e-6


@pytest.mark.parametrize(
    "ask",
    [
        lambda: tl.ones(1).cuda(),
        lambda: tl.ones(1).to("cuda:0"),
        lambda: tl.zeros(1, device="cuda"),
        lambda: tl.arange(3, device=tl.device("cuda")),
        tl.cuda.synchronize,
        tl.cuda.current_device,
        tl.cuda.mem_get_info,
        tl.cuda.get_device_name,
        tl.cuda.Stream,
        tl.cuda.Event,
        tl.cuda.init,
        tl.cuda.reset_peak_memory_stats,
        tl.cuda.memory_summary,
        tl.cuda.initial_seed,
        tl.cuda.get_rng_state,
        lambda: tl.cuda.set_rng_state(tl.zeros(16, dtype=tl.uint8)),
        lambda: tl.cuda.device(0),
        lambda: tl.Generator("cuda"),
        tl.cuda.default_stream,
    ],
)
def test_what_needs_a_gpu_is_refused_with_what_would_work(ask):
    with pytest.raises(RuntimeError, match=r"there is no CUDA device.*is_available\(\) else 'cpu'.*pip inst"):
        ask()


def test_what_is_missing_is_told(monkeypatch):
    monkeypatch.setattr(cuda, "missing", lambda: "the driver sleeps")
    with pytest.raises(RuntimeError, match=r"tensors on cuda: there is no CUDA device \(the driver sleeps\)"):
        gpu("tensors on cuda")


def test_importing_touches_no_driver_and_no_package_for_gpus():
    code = (
        "import sys, tensorlab as tl; tl.cuda.is_available(); tl.cuda.device_count(); "
        "print([name for name in ('numba.cuda', 'greenlet', 'cuda', 'torch') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("status", "count", "version", "capability", "said"),
    [
        (0, 1, 13000, (9, 0), ""),
        (0, 1, 13010, (7, 5), ""),
        (0, 0, 13000, (9, 0), "finds no GPU"),
        (100, 0, 13000, (9, 0), "finds no GPU"),
        (803, 0, 13000, (9, 0), "CUDA error 803"),
        (
            0,
            1,
            12080,
            (9, 0),
            "for CUDA 12.8, and the installed toolkit is for 13: update .*cuda12",
        ),
        (0, 1, 11040, (9, 0), "for CUDA 11.4, and the installed toolkit is for 13: update the driver$"),
        (0, 1, 13000, (7, 0), "capability 7.0, and kernels need 7.5"),
    ],
)
def test_what_is_missing_is_what_the_driver_says(monkeypatch, status, count, version, capability, said):
    class Driver:
        def cuInit(self, flags):
            return status

        def cuDeviceGetCount(self, place):
            place._obj.value = count
            return 0

        def cuDriverGetVersion(self, place):
            place._obj.value = version
            return 0

        def cuDeviceGet(self, place, number):
            place._obj.value = number
            return 0

        def cuDeviceGetAttribute(self, place, attribute, number):
            place._obj.value = capability[attribute - 75]
            return 0

    monkeypatch.setattr(cuda.ctypes, "CDLL", lambda name: Driver())
    monkeypatch.setattr(cuda, "_toolkit", lambda: 13)
    found = cuda._missing_of_driver.__wrapped__()
    assert re.search(said, found) if said else found == ""


def test_another_value_of_the_variable_is_refused(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "yes")
    with pytest.raises(RuntimeError, match="TENSORLAB_CUDA is 'yes'; 'simulated' is the one value"):
        tl.cuda.is_available()


# --- in the simulator ---------------------------------------------------------------------------------------


def test_tensors_go_to_the_device_and_come_back(simulated):
    host = tl.arange(6.0).view(2, 3).t()
    x = host.cuda()
    assert (x.device, x.is_cuda, x.get_device(), x.stride()) == (tl.device("cuda:0"), True, 0, (1, 3))
    assert x.to("cuda") is x
    assert x.cuda() is x
    back = x.cpu()
    assert back.device == tl.device("cpu")
    assert back.equal(host)
    assert back.data_ptr() != host.data_ptr()
    assert repr(x[0]) == "tensor([0., 3.], device='cuda:0')"
    assert x.tolist() == host.tolist()
    assert x.to("cpu", tl.int64).dtype is tl.int64
    assert x[::2, 1].cpu().tolist() == [3, 5]
    assert x.storage().tolist() == host.storage().tolist()


def test_what_is_made_on_the_device_is_not_brought_there(simulated, monkeypatch):
    monkeypatch.setattr(gpu("a test").driver, "upload", None)
    made = [tl.zeros(2, 3, device="cuda"), tl.ones(2, device="cuda:0"), tl.empty(3, device="cuda")]
    made += [tl.full((2,), 7, device="cuda"), tl.rand(3, device="cuda"), tl.randn(2, device="cuda")]
    made += [tl.normal(0.0, 1.0, (2,), device="cuda"), tl.randint(9, (4,), device="cuda")]
    host = tl.zeros(2)
    made += [make(host, device="cuda") for make in (tl.zeros_like, tl.ones_like, tl.empty_like, tl.rand_like)]
    made += [tl.full_like(host, 7, device="cuda"), host.new_full((3,), 7, device="cuda")]
    made += [host.new_zeros(2, device="cuda"), host.new_empty(2, device="cuda"), tl.eye(2, device="cuda")]
    made += [tl.hann_window(4, device="cuda"), *(make("cuda") for make in COUNTED)]
    assert all(each.is_cuda for each in made)
    assert (made[0].tolist(), made[1].tolist(), made[3].tolist()) == ([[0] * 3] * 2, [1, 1], [7, 7])


# What is counted, with the values of the CPU to the last bit.
COUNTED = [
    lambda place: tl.arange(5, device=place),
    lambda place: tl.arange(40, -3, -7, dtype=tl.uint8, device=place),
    lambda place: tl.arange(0.3, 4, 0.7, device=place),
    lambda place: tl.arange(0.3, 4, 0.7, dtype=tl.float64, device=place),
    lambda place: tl.arange(1.7, 9, 2.3, dtype=tl.int32, device=place),
    lambda place: tl.arange(250, 290, dtype=tl.bfloat16, device=place),
    lambda place: tl.arange(3, out=tl.zeros(3, dtype=tl.int64, device=place)),
    lambda place: tl.arange(0, device=place),
    lambda place: tl.linspace(-0.1, 3.3, 70, device=place),
    lambda place: tl.linspace(-0.1, 3.3, 70, dtype=tl.float64, device=place),
    lambda place: tl.linspace(-0.1, 3.3, 70, dtype=tl.bfloat16, device=place),
    lambda place: tl.linspace(-0.1, 3.3, 70, dtype=tl.float16, device=place),
    lambda place: tl.linspace(5, -9, 6, dtype=tl.int32, device=place),
    lambda place: tl.linspace(5, 9, 1, device=place),
    lambda place: tl.eye(3, 5, device=place),
]


@pytest.mark.parametrize("number", range(len(COUNTED)))
def test_what_is_counted_has_the_same_bits_on_both_devices(simulated, number):
    host, found = (COUNTED[number](place) for place in ("cpu", "cuda"))
    assert (found.is_cuda, found.dtype, found.stride()) == (True, host.dtype, host.stride())
    assert found.tolist() == host.tolist()


def test_powers_and_triangles_that_are_counted_agree_on_both_devices(simulated):
    tl.testing.assert_close(tl.logspace(-1, 2, 9, device="cuda").cpu(), tl.logspace(-1, 2, 9))
    for make in tl.tril_indices, tl.triu_indices:
        found = make(3, 5, 1, dtype=tl.int32, device="cuda")
        assert found.is_cuda
        assert found.tolist() == make(3, 5, 1, dtype=tl.int32).tolist()


def test_no_more_is_downloaded_than_from_the_first_element_to_the_last(simulated, monkeypatch):
    x, driver = tl.arange(600.0).view(20, 30).cuda(), gpu("a test").driver
    download, seen = driver.download, []
    monkeypatch.setattr(driver, "download", lambda cells: seen.append(cells.nbytes) or download(cells))
    assert (x[3, 4].item(), x[1, 2:5].tolist(), x[:2, 7].tolist(), x[:0].tolist()) == (
        94, [32, 33, 34], [7, 37], [],
    )  # fmt: skip
    assert seen == [4, 12, 31 * 4, 0]


def test_tensors_are_made_on_the_device(simulated):
    for made in (
        tl.zeros(2, 3, device="cuda"),
        tl.tensor([1, 2], device=tl.device("cuda", 0)),
        tl.full((2,), 7.0, device="cuda", requires_grad=True),
        tl.ones_like(tl.zeros(2), device="cuda"),
        tl.zeros(2, device="cuda").new_full((3,), 1),
        tl.empty_like(tl.zeros(2, device="cuda")),
    ):
        assert made.is_cuda
    assert tl.zeros_like(tl.zeros(2, device="cuda"), device="cpu").device.type == "cpu"
    tl.manual_seed(0)
    assert tl.rand(3, device="cuda").cpu().equal(tl.random.Philox(0).uniform(3))


def test_a_network_learns_the_same_on_both_devices(simulated):
    def train(device):
        tl.manual_seed(1)
        model = tl.nn.Sequential(tl.nn.Linear(3, 4), tl.nn.ReLU(), tl.nn.Linear(4, 2)).to(device)
        optimizer = tl.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        x, y = tl.randn(5, 3).to(device), (tl.arange(5) % 2).to(device)
        losses = []
        for _ in range(3):
            loss = tl.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert {p.device.type for p in model.parameters()} == {device}
        return losses

    assert train("cuda") == pytest.approx(train("cpu"), rel=1e-5)


def test_a_gradient_comes_back_to_where_its_tensor_lies(simulated):
    w = tl.tensor([1.0, 2.0], requires_grad=True)
    (w.cuda() * tl.tensor([3.0, 4.0], device="cuda")).sum().backward()
    assert w.grad.device.type == "cpu"
    assert w.grad.tolist() == [3, 4]


def test_operands_of_two_devices_are_refused(simulated):
    x = tl.eye(2, device="cuda")
    with pytest.raises(RuntimeError, match=r"Expected all tensors to be on the same device.*cuda:0 and cpu"):
        x + tl.ones(2)
    with pytest.raises(RuntimeError, match=r"no kernel on 'cuda:0'.*x\.cpu\(\)"):
        tl.autograd.gradcheck(tl.exp, x.double().requires_grad_())
    with pytest.raises(TypeError, match=r"can't convert cuda:0 device type tensor to numpy"):
        x.numpy()
    with pytest.raises(RuntimeError, match="there is no 'cuda:1'"):
        tl.zeros(1, device="cuda:1")
    with pytest.raises(RuntimeError, match=r"cuda\.synchronize\(\): there is no CUDA device 'cuda:1'"):
        tl.cuda.synchronize(1)


def test_a_number_of_the_cpu_may_stand_beside_tensors_of_the_device(simulated):
    x = tl.arange(3.0, device="cuda").requires_grad_()
    scale = tl.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        found = x * scale[1]
        assert (found.tolist(), found.device) == ([0, 2, 4], x.device)
    found.sum().backward()
    assert (scale.grad.device.type, scale.grad.tolist()) == ("cpu", [0, 3])
    assert (x.grad.is_cuda, x.grad.tolist()) == (True, [2, 2, 2])
    assert (tl.tensor(1) - x).tolist() == [1, 0, -1]
    assert tl.where(x > 1, tl.tensor(7.0), x).tolist() == [0, 1, 7]
    y = x.detach().clone()
    assert y.mul_(tl.tensor(3.0)).tolist() == tl.mul(x.detach(), tl.tensor(3.0), out=y).tolist() == [0, 3, 6]
    here, there = tl.tensor(1.0), tl.tensor(2.0, device="cuda")
    assert (here + there).is_cuda
    for refused in (
        lambda: here.add_(there),
        lambda: tl.add(there, there, out=here),
        lambda: there + tl.ones(1),
    ):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            refused()
    assert here.item() == 1


def test_statistics_of_memory(simulated):
    gc.collect()
    before = tl.cuda.memory_allocated()
    x = tl.zeros(1000, device="cuda")
    assert tl.cuda.memory_allocated() == before + 4096
    assert tl.cuda.max_memory_allocated() >= before + 4096
    assert tl.cuda.memory_stats()["allocated_bytes.all.current"] == before + 4096
    del x
    gc.collect()
    assert tl.cuda.memory_allocated() == before
    tl.cuda.empty_cache()
    assert tl.cuda.memory_reserved() == before
    tl.cuda.reset_peak_memory_stats()
    assert tl.cuda.max_memory_allocated() == before
    free, total = tl.cuda.mem_get_info()
    assert free == total - before
    with pytest.raises(tl.cuda.OutOfMemoryError, match=r"allocate 4\.00 GiB.* capacity of 1\.00 GiB"):
        gpu("a test").allocate(1 << 30, tl.float32.cell)


def test_events_and_streams(simulated):
    begin, end = (tl.cuda.Event(enable_timing=True) for _ in range(2))
    with pytest.raises(ValueError, match="must be recorded"):
        begin.elapsed_time(end)
    stream = tl.cuda.Stream()
    with tl.cuda.stream(stream):
        assert tl.cuda.current_stream() is stream
        begin.record()
        tl.ones(3, device="cuda").sum()
        stream.record_event(end)
    tl.cuda.synchronize()
    assert tl.cuda.current_stream() is not stream
    assert begin.query()
    assert begin.elapsed_time(end) > 0
    with pytest.raises(ValueError, match="enable_timing=True"):
        tl.cuda.Event().elapsed_time(end)


def test_the_current_stream_is_that_of_a_thread(simulated):
    default, stream, other = tl.cuda.default_stream(), tl.cuda.Stream(), tl.cuda.Stream()
    assert tl.cuda.current_stream() is tl.cuda.default_stream("cuda:0") is default
    with tl.cuda.stream(stream):
        tl.cuda.set_stream(other)
        tl.cuda.set_stream(None)
        assert tl.cuda.current_stream() is other
        with futures.ThreadPoolExecutor(1) as pool:
            assert pool.submit(tl.cuda.current_stream).result() is default
    assert tl.cuda.current_stream() is default


def test_contexts_of_gpus_name_the_one_there_is(simulated):
    with tl.cuda.device(0) as entered, tl.cuda.device("cuda"), tl.cuda.device(-1):
        assert entered is None
        assert tl.cuda.current_device() == 0
    assert (tl.cuda.device(0).idx, tl.cuda.device(None).idx) == (0, -1)
    assert (tl.cuda.device_of(tl.ones(1)).idx, tl.cuda.device_of(tl.ones(1).cuda()).idx) == (-1, 0)
    with pytest.raises(
        RuntimeError, match=r"cuda\.device\(\): there is no CUDA device 'cuda:5'; there is 'cuda:0'"
    ):
        tl.cuda.device(5)


def test_the_memory_is_summed_up_in_a_table(simulated):
    x = tl.zeros(1000, device="cuda")
    found = tl.cuda.memory_summary()
    assert found.splitlines()[0].startswith("Memory of cuda:0, tensorlab's simulator")
    allocated = readable(tl.cuda.memory_allocated())
    assert found.splitlines()[1].split("  ")[0] == "Allocated memory"
    assert allocated in found.splitlines()[1]
    assert "Requests that were refused" in found
    assert "refused" not in tl.cuda.memory_summary(0, abbreviated=True)
    assert x.is_cuda


def test_what_the_device_is_called(simulated):
    assert tl.cuda.is_available()
    assert (tl.cuda.device_count(), tl.cuda.current_device()) == (1, 0)
    assert tl.accelerator.current_accelerator() == tl.device("cuda")
    assert "simulator" in tl.cuda.get_device_name()
    assert tl.cuda.get_device_capability() == (0, 0)
    assert tl.cuda.is_bf16_supported()
    assert not tl.cuda.is_bf16_supported(including_emulation=False)
    assert tl.cuda.get_device_properties(0).multi_processor_count == 1
    assert gpu("a test") is not HOST


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_recurrent_networks_agree_on_both_devices(simulated, kind):
    tl.manual_seed(0)
    network, x = getattr(tl.nn, kind)(3, 2), tl.randn(4, 2, 3)
    results = []
    for device in ("cpu", "cuda"):
        network.zero_grad()
        network.to(device)
        out, _ = network(x.to(device))
        out.sum().backward()
        results.append([out, *(each.grad for each in network.parameters())])
    tl.testing.assert_close([each.cpu() for each in results[1]], results[0])


def test_one_hot_rows_are_made_where_the_classes_lie(simulated):
    rows = tl.nn.functional.one_hot(tl.tensor([2, 0], device="cuda"), 3)
    assert rows.is_cuda
    assert rows.tolist() == [[0, 0, 1], [1, 0, 0]]


# --- the default device -------------------------------------------------------------------------------------

MAKERS = {
    "arange": (3,), "as_tensor": ([1.0],), "asarray": ([1.0],), "bartlett_window": (3,),
    "blackman_window": (3,), "empty": (2,), "empty_strided": ((2,), (1,)), "eye": (2,), "full": ((2,), 7),
    "hamming_window": (3,), "hann_window": (3,), "kaiser_window": (3,), "linspace": (0, 1, 3),
    "logspace": (0, 1, 3), "ones": (2,), "rand": (2,), "randint": (9, (2,)), "randn": (2,),
    "randperm": (3,), "scalar_tensor": (1,), "tensor": ([1.0],), "tril_indices": (2, 2),
    "triu_indices": (2, 2), "zeros": (2,),
}  # fmt: skip


@pytest.fixture
def without_default():
    yield
    tl.set_default_device(None)


def test_every_function_that_pytorch_makes_on_the_default_device_is_made_there(simulated):
    of_pytorch = pytest.importorskip("torch.utils._device")
    constructors = {each.__name__ for each in of_pytorch._device_constructors()}
    assert constructors & set(tl.__all__) == set(MAKERS)
    for name, arguments in MAKERS.items():
        make = getattr(tl, name)
        with tl.device("cuda"):
            assert make(*arguments).is_cuda, name
            assert make(*arguments, device=None).is_cuda, name
            assert not make(*arguments, device="cpu").is_cuda, name
        assert not make(*arguments).is_cuda, name


def test_contexts_of_devices_nest_and_end_with_an_error(simulated, without_default):
    assert tl.get_default_device() == tl.device("cpu")
    with tl.device("cuda") as entered:
        assert (entered, tl.get_default_device()) == (tl.device("cuda"), tl.device("cuda:0"))
        with entered, tl.device("cpu"):
            assert not tl.ones(1).is_cuda
        with pytest.raises(RuntimeError, match="negative"), tl.device("cpu"):
            tl.ones(-1)
        assert tl.ones(1).is_cuda
    assert not tl.ones(1).is_cuda
    tl.set_default_device("cuda:0")
    assert tl.ones(1).is_cuda
    with tl.device("cpu"):
        tl.set_default_device(tl.device("cuda"))
        assert not tl.ones(1).is_cuda
    assert tl.get_default_device() == tl.device("cuda:0")
    tl.set_default_device(None)
    assert not tl.ones(1).is_cuda


def test_a_device_decorates_functions_and_generators(simulated):
    place = tl.device("cuda")

    @place
    def both(x, y=0):
        return tl.ones(1), x + y

    @place
    def several():
        for _ in range(2):
            yield tl.ones(1)

    made, total = both(1, y=2)
    assert (made.is_cuda, total, both.__name__) == (True, 3, "both")
    for made in several():
        assert made.is_cuda
        assert not tl.ones(1).is_cuda  # the generator waits
    with pytest.raises(RuntimeError, match="Cannot decorate classes: decorate __init__"):

        @place
        class A:
            pass


def test_positions_are_repeated_where_their_counts_lie(simulated):
    assert tl.repeat_interleave(tl.tensor([2, 0, 1], device="cuda")).tolist() == [0, 0, 2]


def test_a_tensor_with_names_is_made_where_it_is_asked_for(simulated):
    for place in ("cpu", "cuda"):
        with tl.device(place):
            x = tl.zeros(2, names=("N",))
        assert (x.device.type, x.names) == (place, ("N",))
        x = tl.ones(2, 3, names=("N", None), device=place, requires_grad=True)
        assert (x.device.type, x.names, x.requires_grad, x.is_leaf) == (place, ("N", None), True, True)


def test_the_default_device_is_that_of_a_thread(simulated, without_default):
    tl.set_default_device("cuda")
    with tl.device("cuda"), futures.ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: str(tl.ones(1).device)).result() == "cpu"


def test_the_default_device_is_for_new_tensors_alone(simulated):
    x, out, generator = tl.tensor([3.0, 1.0, 3.0]), tl.empty(2), tl.Generator()
    with tl.device("cuda"):
        assert not tl.zeros_like(x).is_cuda
        assert not x.new_ones(2).is_cuda
        assert not tl.from_numpy(x.numpy()).is_cuda
        assert tl.zeros(2, out=out) is out
        assert not tl.as_tensor(x, None, "cpu").is_cuda
        assert tl.as_tensor(x, None, None).is_cuda
        for made in (
            x.unique(), x[[0, 2]], x[x > 2], tl.cdist(x[:, None], x[:, None]), x.repeat_interleave(2),
            tl.bincount(x.long()), x.quantile(0.5), tl.normal(0.0, 1.0, (2,), generator=generator),
            x.sort()[0], tl.nn.functional.one_hot(x.long()), tl.linalg.matrix_exp(x.diag()), tl.trapezoid(x),
        ):  # fmt: skip
            assert not made.is_cuda
        layer = tl.nn.Linear(3, 2)
        assert layer.weight.is_cuda
        assert layer(x.cuda()).is_cuda


@pytest.mark.parametrize(("lies", "default"), [("cpu", "cuda"), ("cuda", "cpu")])
def test_modules_and_distributions_make_their_helpers_where_their_tensors_lie(simulated, lies, default):
    x = tl.tensor([0.25, 0.75], device=lies)
    with tl.device(default):
        d, utils = tl.distributions, tl.nn.utils
        made = [each.sample((2,)) for each in (d.Normal(x, 1.0), d.Uniform(0.0, x), d.Multinomial(2, x))]
        made += [
            d.Bernoulli(x).enumerate_support(),
            d.Categorical(x).enumerate_support(),
            d.Categorical(x).mean,
        ]
        made += [d.Multinomial(2, x).entropy(), tl.nn.init.eye_(x.expand(2, 2).clone())]
        made.append(tl.nn.init.sparse_(x.expand(2, 2).clone(), 0.5))
        for how in ("cayley", "householder"):
            layer = tl.nn.Linear(2, 2, device=lies)
            made.append(utils.parametrizations.orthogonal(layer, orthogonal_map=how).weight)
        attention = tl.nn.MultiheadAttention(2, 1, device=lies)
        rows = x.expand(2, 1, 2)
        made.append(attention(rows, rows, rows, attn_mask=tl.eye(2, device=lies) == 0)[0])
        packed = utils.rnn.pack_padded_sequence(rows, [2])
        made.append(packed.data)
        assert not packed.batch_sizes.is_cuda
        assert not utils.rnn.pad_packed_sequence(packed)[1].is_cuda
    assert {each.device.type for each in made} == {lies}


def test_a_default_device_that_is_not_there_is_told_when_a_tensor_is_made(without_default):
    with tl.device("cuda"), pytest.raises(RuntimeError, match="there is no CUDA device"):
        tl.ones(1)
    tl.set_default_device("cuda")
    with pytest.raises(RuntimeError, match="there is no CUDA device"):
        tl.get_default_device()
    with pytest.raises(RuntimeError, match="Invalid device string: 'gpu'"):
        tl.set_default_device("gpu")


def test_an_array_goes_where_it_is_asked_for_and_is_not_shared_with_another_device(simulated):
    array = tl.ones(2).numpy()
    assert tl.asarray(array, device="cuda").is_cuda
    assert tl.asarray(array, device="cpu").data_ptr() == tl.from_numpy(array).data_ptr()
    with pytest.raises(ValueError, match="can't alias tensor with device 'cpu' into device 'cuda:0'"):
        tl.asarray(array, device="cuda", copy=False)
