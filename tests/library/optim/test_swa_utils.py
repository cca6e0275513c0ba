"""Averages of weights beside PyTorch's: the same averages, statistics and rates."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl

AVERAGES = {
    "mean": lambda utils: {},
    "mean of buffers too": lambda utils: {"use_buffers": True},
    "swa": lambda utils: {"avg_fn": utils.get_swa_avg_fn()},
    "swa, lists": lambda utils: {"multi_avg_fn": utils.get_swa_multi_avg_fn()},
    "ema": lambda utils: {"avg_fn": utils.get_ema_avg_fn(0.8)},
    "ema, lists, buffers too": lambda utils: {
        "multi_avg_fn": utils.get_ema_multi_avg_fn(0.8),
        "use_buffers": True,
    },
    "own": lambda utils: {"avg_fn": lambda averaged, current, count: averaged + current * count},
}


def averaged(library, options):
    """The state of a model's average after a few steps, and of its statistics anew."""
    utils, nn = library.optim.swa_utils, library.nn
    library.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1)).double()
    rng = np.random.default_rng(0)
    batches = [
        (library.tensor(rng.standard_normal((8, 3))), library.tensor(rng.standard_normal((8, 1))))
        for _ in range(4)
    ]
    average = utils.AveragedModel(model, **options(utils))
    optimizer = library.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in batches:
        optimizer.zero_grad()
        ((model(inputs) - targets) ** 2).mean().backward()
        optimizer.step()
        average.update_parameters(model)
    found = {name: tensor.tolist() for name, tensor in average.state_dict().items()}
    average.eval()
    utils.update_bn(batches, average)
    assert not average.training
    assert average.module[1].momentum == 0.1
    found |= {f"anew {name}": buffer.tolist() for name, buffer in average.named_buffers()}
    return found | {"output": average(batches[0][0]).tolist()}


@pytest.mark.parametrize("options", AVERAGES.values(), ids=AVERAGES)
def test_averages_are_pytorchs(torch, options):
    ours, theirs = averaged(tl, options), averaged(torch, options)
    assert list(ours) == list(theirs)
    rounded = options is AVERAGES["swa, lists"]  # PyTorch takes the share of each model in float32
    near = 1e-7 if rounded else 1e-10
    for name, value in ours.items():
        np.testing.assert_allclose(value, theirs[name], rtol=near, atol=near, err_msg=name)


def test_an_average_goes_on_where_it_stopped():
    model = tl.nn.Linear(2, 1)
    first = tl.optim.swa_utils.AveragedModel(model)
    for _ in range(3):
        tl.nn.init.normal_(model.weight)
        first.update_parameters(model)
    second = tl.optim.swa_utils.AveragedModel(model)
    second.load_state_dict(first.state_dict())
    tl.nn.init.normal_(model.weight)
    for average in (first, second):
        average.update_parameters(model)
    assert first.module.weight.equal(second.module.weight)


@pytest.mark.parametrize("epochs", [0, 1, 4])
@pytest.mark.parametrize("strategy", ["cos", "linear"])
def test_rates_are_pytorchs(torch, epochs, strategy):
    def rates(library):
        groups = [{"params": [library.ones(1, requires_grad=True)], "lr": lr} for lr in (0.5, 0.1)]
        optimizer = library.optim.SGD(groups, lr=1.0)
        before = library.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        schedule = library.optim.swa_utils.SWALR(optimizer, [0.05, 0.2], epochs, strategy)
        found = []
        for step in range(9):
            optimizer.step()
            (before if step < 3 else schedule).step()
            found.append([group["lr"] for group in optimizer.param_groups])
        return found

    np.testing.assert_allclose(rates(tl), rates(torch), rtol=1e-12)


REFUSED = [
    lambda utils, optimizer: utils.get_ema_avg_fn(1.5),
    lambda utils, optimizer: utils.get_ema_multi_avg_fn(-0.1),
    lambda utils, optimizer: utils.SWALR(optimizer, 0.1, anneal_strategy="square"),
    lambda utils, optimizer: utils.SWALR(optimizer, 0.1, anneal_epochs=-1),
    lambda utils, optimizer: utils.SWALR(optimizer, [0.1, 0.2]),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals_are_pytorchs(torch, case):
    kinds = []
    for library in (tl, torch):
        optimizer = library.optim.SGD([library.ones(1, requires_grad=True)])
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            REFUSED[case](library.optim.swa_utils, optimizer)
        kinds.append(type(refused.value))
    assert kinds[0] is kinds[1]
    with pytest.raises(AssertionError, match="Only one"):
        tl.optim.swa_utils.AveragedModel(tl.nn.Linear(1, 1), avg_fn=max, multi_avg_fn=max)
