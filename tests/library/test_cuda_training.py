"""What a step of training asks of ``device="cuda"``, simulated or not: few launches, and no waiting."""

from __future__ import annotations

import inspect

import pytest

import tensorlab as tl
from tests.library.device import SEEDS, prepared, simulated_only

F = tl.nn.functional


@pytest.fixture(params=SEEDS, ids="seed{}".format)
def device(request, monkeypatch):
    return prepared(monkeypatch, request.param)


@pytest.fixture
def waits(device, monkeypatch):
    """What the host has brought to the device, or waited for."""
    noted = []
    for name in ("upload", "download"):
        inner = getattr(device.driver, name)
        monkeypatch.setattr(device.driver, name, lambda *given, f=inner, n=name: noted.append(n) or f(*given))
    return noted


def agree(compute, *given, rtol=1e-4):
    """A function gives on the device what it gives on the CPU, and so do the gradients."""
    found = []
    for place in ("cpu", "cuda"):
        tensors = [x.clone().to(place) for x in given]
        leaves = [x.requires_grad_() for x in tensors if x.is_floating_point()]
        result = compute(*tensors)
        (result * result).sum().backward()
        found.append([result.detach().cpu(), *(leaf.grad.cpu() for leaf in leaves if leaf.grad is not None)])
    for ours, theirs in zip(*reversed(found), strict=True):
        tl.testing.assert_close(ours, theirs, rtol=rtol, atol=1e-5)


def test_a_step_of_training_takes_few_launches_and_waits_for_none(device, waits):
    tl.manual_seed(0)
    model = tl.nn.Sequential(tl.nn.Linear(5, 6), tl.nn.ReLU(), tl.nn.Linear(6, 3)).to("cuda")
    optimizer = tl.optim.AdamW(model.parameters())
    x, y = tl.randn(4, 5).cuda(), tl.tensor([0, 2, 1, 1]).cuda()

    def step():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    step().item()
    before = device.launches
    waits.clear()
    loss = step()
    assert device.launches - before <= 24
    assert waits == []
    assert loss.item() > 0


STEPS = {  # how an optimizer is made, and how many launches a step of at most 32 parameters takes
    "SGD": (tl.optim.SGD, {}, 1),
    "SGD with momentum": (tl.optim.SGD, {"momentum": 0.9, "nesterov": True}, 1),
    "Adam": (tl.optim.Adam, {}, 1),
    "Adam, capturable": (tl.optim.Adam, {"capturable": True, "amsgrad": True}, 3),
    "Adamax, capturable": (tl.optim.Adamax, {"capturable": True}, 3),
    "RAdam, capturable": (tl.optim.RAdam, {"capturable": True}, 3),
    "NAdam, capturable": (tl.optim.NAdam, {"capturable": True}, None),
    "ASGD, capturable": (tl.optim.ASGD, {"capturable": True}, None),
    "RMSprop": (tl.optim.RMSprop, {"centered": True, "momentum": 0.5}, 1),
}


def parameters_with_gradients(sizes, kind=tl.float32):
    """Parameters of such sizes on the device; the last one is a column."""
    tl.manual_seed(1)
    found = [tl.randn(size, dtype=kind).cuda() for size in sizes]
    found[-1] = tl.stack([found[-1]] * 2, -1)[..., 0]
    for x in found:
        x.requires_grad_().grad = tl.randn(x.shape, dtype=kind).cuda()
    return found


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("kind", [tl.float32, tl.bfloat16], ids=str)
def test_parameters_move_together_as_each_would_alone(device, name, kind):
    make, settings, _ = STEPS[name]
    sizes = [(7, 9), (8,), (0,), (600,), *[(4 * k,) for k in range(3, 38)], (3, 5)]
    together, alone = parameters_with_gradients(sizes, kind), parameters_with_gradients(sizes, kind)
    groups = [{"params": together[::2]}, {"params": together[1::2], "lr": 0.5}]
    optimizers = [make(groups, lr=0.1, **settings)]
    optimizers += [make([x], lr=0.5 if k % 2 else 0.1, **settings) for k, x in enumerate(alone)]
    for optimizer in optimizers * 2:
        optimizer.step()
    for x, y in zip(together, alone, strict=True):
        assert x.tolist() == y.tolist()


@pytest.mark.parametrize("name", [name for name, (_, _, launches) in STEPS.items() if launches])
def test_one_launch_moves_many_parameters(device, name):
    make, settings, launches = STEPS[name]
    optimizer = make(parameters_with_gradients([(8,)] * 40)[:-1], lr=0.1, **settings)
    optimizer.step()
    before = device.launches
    optimizer.step()
    assert device.launches - before == 2 * launches


def test_who_reads_amid_a_step_sees_what_was_moved_before(device):
    found = []

    class Watched(tl.optim.SGD):
        def _move(self, group, parameter, grad, state):
            super()._move(group, parameter, grad, state)
            found.extend([parameter.tolist(), (parameter * 2).tolist()])

    x, y = (tl.ones(2).cuda().requires_grad_() for _ in range(2))
    x.grad = y.grad = tl.ones(2).cuda()
    Watched([x, y], lr=0.5).step()
    assert found == [[0.5, 0.5], [1.0, 1.0]] * 2


def test_a_step_within_a_step_loses_no_update(device):
    class Outer(tl.optim.SGD):
        def _move(self, group, parameter, grad, state):
            super()._move(group, parameter, grad, state)
            inner.step()

    x, y, z = (tl.ones(2).cuda().requires_grad_() for _ in range(3))
    x.grad = y.grad = z.grad = tl.ones(2).cuda()
    inner = tl.optim.SGD([z], lr=0.125)
    Outer([x, y], lr=0.5).step()
    assert [each.tolist() for each in (x, y, z)] == [[0.5, 0.5], [0.5, 0.5], [0.75, 0.75]]


@pytest.mark.parametrize("kind", [tl.float32, tl.bfloat16], ids=str)
def test_the_running_statistics_of_a_batch_take_few_launches(device, kind):
    x = tl.randn(6, 5, 3, dtype=kind)
    there = [tl.zeros(5).cuda(), tl.ones(5).cuda()]
    here = [tl.zeros(5), tl.ones(5)]
    before, y = device.launches, x.cuda()
    F.batch_norm(y, *there, training=True, momentum=0.3)
    assert device.launches - before <= 5 + 2  # two of them make weights and biases
    F.batch_norm(x, *here, training=True, momentum=0.3)
    for ours, theirs in zip(there, here, strict=True):
        tl.testing.assert_close(ours.cpu(), theirs)
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        F.batch_norm(y, *here, training=True)


@pytest.mark.parametrize("shape", [(5, 7), (7,), (2, 4, 3), (150, 2)], ids=str)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_loss_of_classes_and_its_gradient(device, shape, reduction):
    tl.manual_seed(1)
    classes = shape[0] if len(shape) == 1 else shape[1]
    target = tl.randint(0, classes, (*shape[:1], *shape[2:]) if len(shape) > 1 else ())
    if len(shape) == 3:
        target[1, 2] = -100
    agree(
        lambda x, weight, target: F.cross_entropy(x, target, weight.detach(), reduction=reduction),
        tl.randn(*shape), tl.rand(classes) + 0.5, target,
    )  # fmt: skip


def test_a_target_that_is_no_class_is_told_when_the_host_waits(device):
    loss = F.cross_entropy(tl.zeros(3, 4).cuda(), tl.tensor([1, 4, 2]).cuda())
    with pytest.raises(IndexError, match="Target 4 is out of bounds: there are 4 classes, 0 to 3"):
        loss.item()
    assert F.cross_entropy(tl.zeros(1, 4).cuda(), tl.tensor([1]).cuda()).item() == pytest.approx(1.386294)
    assert F.cross_entropy(tl.zeros(1, 4).cuda(), tl.tensor([-100]).cuda()).isnan().item()


@pytest.mark.parametrize(
    "pool",
    [
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.max_pool2d(x, 3, stride=1, padding=1, dilation=2),
        lambda x: F.avg_pool2d(x, (3, 2), stride=2, padding=1),
        lambda x: F.avg_pool2d(x, 2, ceil_mode=True, count_include_pad=False, padding=1),
        lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
        lambda x: F.adaptive_max_pool2d(x, (2, 3)),
        lambda x: F.max_pool1d(x[0], 3, 2),
    ],
)
def test_a_pooling_is_one_launch_each_way(device, pool):
    tl.manual_seed(2)
    x = tl.randn(2, 2, 5, 7)
    x[0, 0, 1, 1] = tl.nan
    before = device.launches
    found, places = F.max_pool2d(x.cuda(), 2, return_indices=True)
    assert device.launches == before + 1
    expected = F.max_pool2d(x, 2, return_indices=True)
    tl.testing.assert_close((found.cpu(), places.cpu()), tuple(expected), equal_nan=True)
    agree(pool, tl.randn(2, 2, 5, 7))
    agree(lambda x: pool(x.permute(0, 1, 3, 2)).float(), tl.randn(2, 2, 7, 5).bfloat16())


@pytest.mark.parametrize(("length", "keys"), [(36, 7), (6, 66)])
def test_attention_is_one_launch_for_queries_of_every_length(device, length, keys):
    tl.manual_seed(6)
    given = tl.randn(1, 17, length), tl.randn(1, keys, length), tl.randn(1, keys, length - 4)
    before = device.launches
    found = F.scaled_dot_product_attention(*(x.cuda() for x in given))
    assert device.launches == before + 1
    tl.testing.assert_close(found.cpu(), F.scaled_dot_product_attention(*given), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "rtol"), [("float32", 1e-4), ("float16", 1e-2), ("bfloat16", 3e-2)])
def test_attention_to_what_came_before_and_its_gradient(device, kind, rtol):
    tl.manual_seed(7)

    def attend(*given):
        q, k, v = (x.to(getattr(tl, kind)) for x in given)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).float()

    agree(attend, *tl.randn(3, 5, 4), rtol=rtol)


@pytest.mark.parametrize("causal", [False, True])
def test_the_gradient_of_attention_is_what_differences_show(device, causal):
    tl.manual_seed(8)
    given = [tl.randn(2, size, 3, dtype=tl.float64).cuda() for size in (3, 4, 4)]
    ways = [tl.randn(2, size, 3, dtype=tl.float64).cuda() for size in (3, 4, 4)]
    factors = tl.randn(2, 3, 3, dtype=tl.float64).cuda()

    def moved(far):
        q, k, v = (x + far * way for x, way in zip(given, ways, strict=True))
        return (F.scaled_dot_product_attention(q, k, v, is_causal=causal) * factors).sum()

    far = tl.zeros((), dtype=tl.float64, device="cuda", requires_grad=True)
    moved(far).backward()
    difference = (moved(1e-5) - moved(-1e-5)) / 2e-5
    tl.testing.assert_close(far.grad, difference.detach(), rtol=1e-8, atol=1e-9)


@simulated_only
def test_gradients_have_the_same_bits_in_every_order_of_the_threads(device, monkeypatch):
    x, w = tl.randn(2, 3, 4).cuda().requires_grad_(), tl.randn(4).cuda().requires_grad_()
    found = set()
    for seed in range(3):
        monkeypatch.setattr(device.driver, "seed", seed)
        x.grad = w.grad = None
        y = F.group_norm(F.layer_norm(x, (4,), w), 1) + F.batch_norm(x.mT, None, None, w, training=True).mT
        F.scaled_dot_product_attention(y, x, y).square().sum().backward()
        found.add((tuple(x.grad.flatten().tolist()), tuple(w.grad.tolist())))
    assert len(found) == 1


def test_the_gradient_of_attention_holds_no_table_of_queries_and_keys(device):
    x = tl.randn(64, 2).cuda().requires_grad_()
    loss = F.scaled_dot_product_attention(x, x, x, is_causal=True).sum()
    before = tl.cuda.memory_allocated()
    tl.cuda.reset_peak_memory_stats()
    loss.backward()
    assert tl.cuda.max_memory_allocated() - before < x.element_size() * 64 * 64


NORMS = {
    "layer": lambda x, w, b: F.layer_norm(x.flatten(2), (20,), w.repeat(5), b.repeat(5)),
    "rms": lambda x, w, b: F.rms_norm(x, (5,), (w[:1] + b[:1]).expand(5)) * x,
    "group": lambda x, w, b: F.group_norm(x, 2, w, b),
    "instance": lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
    "batch": lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
    "batch, channels last": lambda x, w, b: F.batch_norm(
        x.contiguous(memory_format=tl.channels_last), None, None, w, b, training=True
    ),
    "batch of vectors": lambda x, w, b: F.batch_norm(x[..., 0, 0], None, None, w, b, training=True),
    "batch, of given statistics": lambda x, w, b: F.batch_norm(
        x, x.detach().mean((0, 2, 3)), x.detach().var((0, 2, 3)), w, b
    ),
    "without weights": lambda x, w, b: F.batch_norm(x, None, None, training=True) * (w + b).view(4, 1, 1),
}


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize(("kind", "rtol"), [("float32", 1e-3), ("float64", 1e-9), ("bfloat16", 5e-2)])
def test_normalisation_and_its_gradient(device, name, kind, rtol):
    tl.manual_seed(9)
    element = getattr(tl, kind)
    given = tl.randn(3, 4, 4, 5) * 2 + 1, tl.randn(4), tl.randn(4)

    agree(lambda *tensors: NORMS[name](*(x.to(element) for x in tensors)).double(), *given, rtol=rtol)


@pytest.mark.parametrize("name", ["layer", "group", "batch", "batch, channels last"])
def test_the_gradient_of_a_normalisation_is_what_differences_show(device, name):
    tl.manual_seed(10)
    shapes = (3, 4, 4, 5), (4,), (4,)
    given, ways = ([tl.randn(shape, dtype=tl.float64).cuda() for shape in shapes] for _ in range(2))
    factors = tl.randn(3, 4, 20, dtype=tl.float64).cuda()

    def moved(far):
        found = NORMS[name](*(x + far * way for x, way in zip(given, ways, strict=True)))
        return (found.flatten(2) * factors).sum()

    far = tl.zeros((), dtype=tl.float64, device="cuda", requires_grad=True)
    moved(far).backward()
    difference = (moved(1e-5) - moved(-1e-5)) / 2e-5
    tl.testing.assert_close(far.grad, difference.detach(), rtol=1e-7, atol=1e-8)


def test_a_second_step_makes_no_text_of_a_kernel(device, monkeypatch):
    x = tl.randn(3, 4, 8).cuda().requires_grad_()

    def step():
        y = F.layer_norm(x, (8,))
        F.scaled_dot_product_attention(y, y, y).sum().backward()

    step()
    monkeypatch.setattr(inspect, "getsource", None)  # what every text is made of
    step()


@pytest.mark.parametrize("sizes", [(0, 2, 3, 4), (1, 2, 0, 4), (1, 2, 3, 0)], ids=str)
def test_attention_that_sees_nothing(device, sizes):
    batch, heads, queries, keys = sizes
    agree(
        F.scaled_dot_product_attention,
        *(tl.randn(batch, heads, rows, 4) for rows in (queries, keys, keys)),
    )
