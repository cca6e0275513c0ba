"""Every operator on another device than the CPU: its results lie there, and it makes nothing elsewhere.

The other device is the backend in plain NumPy under the name of a GPU: what kernels compute is tested with
the kernels, and here only where tensors are made.
"""

from __future__ import annotations

import pickle
import re
import types
from itertools import islice

import pytest

import tensorlab as tl
from tensorlab.backends import cuda
from tensorlab.backends.numpy import NumPy
from tensorlab.core.devices import device
from tests.library.operators import translation
from tests.library.operators.calls import compare_sample, draws, samples

PARTS = 16


@pytest.fixture
def elsewhere(monkeypatch):
    backend = NumPy()
    backend.device = device("cuda", 0)
    backend.driver = types.SimpleNamespace(name="NumPy", capability=(0, 0), total=1 << 34)
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    monkeypatch.setattr(cuda, "_device", lambda simulated: backend)
    monkeypatch.setattr(translation, "PLACE", "cuda")


@pytest.mark.part(4)
@pytest.mark.filterwarnings("ignore")  # PyTorch's samples warn, of what they are about to do
@pytest.mark.parametrize("part", range(PARTS))
def test_an_operator_stays_on_the_device_of_its_operands(torch, operators, elsewhere, part):
    assert tl.ones(2).cuda().device == tl.device("cuda", 0)
    differences = [
        f"{comparison.operator} [{comparison.form}] {comparison.call}: {comparison.found}"
        for op in operators[part::PARTS]
        for dtype in ("float32", "int64")
        if op.supports_dtype(getattr(torch, dtype), "cpu")
        for sample in islice(samples(torch, op, dtype), 0, 24, 4)
        for comparison in compare_sample(torch, op, sample, values=not draws(torch, op, sample))
        if comparison.found is not None and comparison.reason is None
    ]
    assert not differences, "\n".join(differences)


# --- operands of two devices --------------------------------------------------------------------------------

F = tl.nn.functional

# One call a family: x, a matrix, lies on the GPU, and y, another one, on the CPU; i and j are indices there.
FAMILIES = {
    "pointwise": lambda x, y, i, j: x + y,
    "in place": lambda x, y, i, j: x.mul_(y),
    "an out": lambda x, y, i, j: tl.add(x, x, out=y),
    "an out of a composition": lambda x, y, i, j: tl.softmax(x, 0, out=y),
    "comparison": lambda x, y, i, j: x < y,
    "choice": lambda x, y, i, j: tl.where(x > 0, x, y),
    "three operands": lambda x, y, i, j: tl.addcmul(x, x, y),
    "product": lambda x, y, i, j: x @ y,
    "product and sum": lambda x, y, i, j: tl.addmm(y, x, x),
    "einsum": lambda x, y, i, j: tl.einsum("ij,jk->ik", x, y),
    "linear": lambda x, y, i, j: tl.nn.Linear(2, 2)(x),
    "equation": lambda x, y, i, j: tl.linalg.solve(x, y),
    "least squares": lambda x, y, i, j: tl.linalg.lstsq(x, y),
    "triangle": lambda x, y, i, j: tl.linalg.solve_triangular(x, y, upper=True),
    "cross product": lambda x, y, i, j: tl.linalg.cross(tl.ones(3).to(x.device), tl.ones(3)),
    "distances": lambda x, y, i, j: tl.cdist(x, y),
    "joining": lambda x, y, i, j: tl.cat([x, y]),
    "stacking": lambda x, y, i, j: tl.stack([x, y]),
    "grids": lambda x, y, i, j: tl.meshgrid(x[0], y[0], indexing="ij"),
    "gather": lambda x, y, i, j: x.gather(0, j),
    "scatter": lambda x, y, i, j: x.scatter(0, i, y),
    "scatter_add": lambda x, y, i, j: x.scatter_add(0, j, x),
    "scatter_reduce": lambda x, y, i, j: x.scatter_reduce(0, i, y, "amax"),
    "index_select": lambda x, y, i, j: x.index_select(0, j[0]),
    "index_add": lambda x, y, i, j: x.index_add(0, i[0], y),
    "index_put": lambda x, y, i, j: x.index_put((i[0],), y),
    "take": lambda x, y, i, j: x.take(j),
    "mask": lambda x, y, i, j: x.masked_fill(y > 0, 1.0),
    "mask that chooses": lambda x, y, i, j: x.masked_select(y > 0),
    "mask that scatters": lambda x, y, i, j: x.masked_scatter(x > 0, y),
    "embedding": lambda x, y, i, j: F.embedding(i, y),
    "search": lambda x, y, i, j: tl.searchsorted(x, y),
    "counts": lambda x, y, i, j: tl.bincount(i[0], y[0]),
    "convolution": lambda x, y, i, j: F.conv1d(x.unsqueeze(0), y.unsqueeze(0)),
    "batch_norm": lambda x, y, i, j: tl.nn.BatchNorm1d(2)(x),
    "layer_norm": lambda x, y, i, j: F.layer_norm(x, (2,), y[0]),
    "classes": lambda x, y, i, j: F.cross_entropy(x, j[0]),
    "weights of classes": lambda x, y, i, j: F.cross_entropy(x, i[0], y[0]),
    "regression": lambda x, y, i, j: F.mse_loss(x, y),
    "attention": lambda x, y, i, j: F.scaled_dot_product_attention(x[None], y[None], x[None]),
    "recurrent": lambda x, y, i, j: tl.nn.GRU(2, 2)(x.unsqueeze(1)),
    "resampling": lambda x, y, i, j: F.grid_sample(x[None, None], y.view(1, 1, 2, 2)),
    "equality": lambda x, y, i, j: tl.allclose(x, y),
    "random": lambda x, y, i, j: tl.normal(x, y),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", FAMILIES)
def test_operands_of_two_devices_are_named_with_what_brings_them_together(elsewhere, family):
    x, y = tl.tensor([[2.0, 1.0], [0.0, 1.0]]).to("cuda"), tl.tensor([[1.0, 3.0], [0.0, 2.0]])
    j = tl.tensor([[0, 1], [1, 1]])
    before = x.tolist(), y.tolist()
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device") as caught:
        FAMILIES[family](x, y, j.to("cuda"), j)
    said = str(caught.value)
    assert "a tensor of shape (" in said
    assert {"'cuda:0'", "'cpu'"} <= set(re.findall(r"'[\w:]+'", said))
    assert "x.to('cuda:0')" in said
    assert (x.tolist(), y.tolist()) == before


def test_places_that_do_not_fit_are_refused_as_in_pytorch(elsewhere):
    x, y, i = tl.ones(3, requires_grad=True).to("cuda").detach(), tl.ones(3), tl.tensor([0, 2])
    for index in (i.to("cuda"), x > 0):
        for use in (lambda index=index: y[index], lambda index=index: y.index_put_((index,), tl.tensor(1.0))):
            with pytest.raises(
                RuntimeError, match=r"either on cpu or on the same device .* \(cpu\).*'cuda:0'"
            ):
                use()
    assert x[i].tolist() == x[y > 0][:2].tolist() == [1, 1]
    with pytest.raises(
        RuntimeError, match=r"grad has data located on a different device.*grad\.to\('cuda:0'\)"
    ):
        x.grad = y
    for make in (
        lambda out: tl.zeros(3, out=out, device="cuda"),
        lambda out: tl.arange(3, out=out, device="cuda"),
        lambda out: tl.rand(3, out=out, device="cuda"),
    ):
        with pytest.raises(
            RuntimeError, match=r"device cuda:0 does not match device of out parameter \(cpu\)"
        ):
            make(y)
        assert make(tl.zeros(3).to("cuda")).is_cuda


def test_a_gradient_to_begin_with_lies_where_its_output_does(elsewhere):
    x = tl.ones(2).to("cuda").requires_grad_()
    for begin in (
        lambda: (x * 2).backward(tl.ones(2)),
        lambda: tl.autograd.grad(x * 2, x, tl.ones(2)),
    ):
        with pytest.raises(
            RuntimeError, match=r"expected device cuda:0 but got cpu.*gradient\.to\('cuda:0'\)"
        ):
            begin()
    x.sum().backward(tl.tensor(3.0))  # one number is brought, as in PyTorch
    assert (x.grad.is_cuda, x.grad.tolist()) == (True, [3, 3])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: tl.ones(1).to("cuda:5"),
        lambda: tl.ones(1, device="cuda:5"),
        lambda: tl.ones(1).cuda(5),
        lambda: tl.ones(1).untyped_storage().cuda(5),
        lambda: tl.nn.Linear(1, 1, device="cuda:5"),
        lambda: tl.nn.Linear(1, 1).cuda(5),
        lambda: tl.Generator("cuda:5"),
        lambda: tl.random.fork_rng(devices=[5]).__enter__(),
        lambda: tl.cuda.set_device(5),
        lambda: tl.cuda.device("cuda:5"),
        lambda: tl.cuda.get_device_name(5),
        lambda: tl.from_dlpack(tl.ones(1), device="cuda:5"),
    ],
)
def test_another_gpu_than_the_one_there_is(elsewhere, ask):
    with pytest.raises(RuntimeError, match=r"'cuda:5'.*'cuda:0'"):
        ask()


def test_a_pickle_of_a_gpu_that_is_not_here(elsewhere):
    content = pickle.dumps(tl.ones(1).cuda()).replace(b"cuda:0", b"cuda:5")
    with pytest.raises(RuntimeError, match=r"device 'cuda:5', which is not here.*x\.cpu\(\)"):
        pickle.loads(content)


def test_a_checkpoint_of_a_gpu_that_is_not_here(elsewhere, tmp_path, monkeypatch):
    file = tmp_path / "weights.safetensors"
    tl.save({"weight": tl.ones(2).cuda()}, file)
    content = file.read_bytes()
    assert content.count(b"cuda:0") == 1
    (tmp_path / "other").write_bytes(content.replace(b"cuda:0", b"cuda:5"))
    with pytest.raises(RuntimeError, match=r"device 'cuda:5', which is not here.*map_location"):
        tl.load(tmp_path / "other")
    assert tl.load(tmp_path / "other", map_location="cuda")["weight"].is_cuda
    monkeypatch.delenv(cuda.VARIABLE)
    with pytest.raises(RuntimeError, match=r"device 'cuda:0', which is not here.*map_location"):
        tl.load(file)
    assert tl.load(file, map_location="cpu")["weight"].tolist() == [1, 1]
