"""Schedules beside PyTorch's: the same rates and momenta, epoch by epoch."""

from __future__ import annotations

import copy

import pytest

import tensorlab as tl


def optimizer_of(library, name="SGD", rate=float):
    settings = {"lr": rate(0.5), **({"momentum": 0.9} if name == "SGD" else {})}
    groups = [
        {"params": [library.ones(1, requires_grad=True)]},
        {"params": [library.ones(1, requires_grad=True)], "lr": rate(0.2)},
    ]
    return getattr(library.optim, name)(groups, **settings)


CASES = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    "LambdaLR, one each": lambda s, o: s.LambdaLR(
        o, [lambda epoch: 0.9**epoch, lambda epoch: 1 / (1 + epoch)]
    ),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 1 - 0.1 * (epoch % 3)),
    "StepLR": lambda s, o: s.StepLR(o, 3, gamma=0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [2, 5, 5], gamma=0.5),
    "ConstantLR": lambda s, o: s.ConstantLR(o, factor=0.25, total_iters=4),
    "LinearLR": lambda s, o: s.LinearLR(o, start_factor=0.1, end_factor=0.8, total_iters=6),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.8),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, total_iters=7, power=1.5),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, T_max=4, eta_min=0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(
        o, T_0=3, T_mult=2, eta_min=0.01
    ),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.1, [1.0, 2.0], step_size_up=3, step_size_down=4),
    "CyclicLR, halved": lambda s, o: s.CyclicLR(o, 0.1, 1.0, step_size_up=2, mode="triangular2"),
    "CyclicLR, exponential": lambda s, o: s.CyclicLR(o, 0.1, 1.0, 2, mode="exp_range", gamma=0.9),
    "CyclicLR, own": lambda s, o: s.CyclicLR(o, 0.1, 1.0, 2, scale_fn=lambda x: 1 / x, cycle_momentum=False),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, max_lr=1.0, total_steps=16),
    "OneCycleLR, linear": lambda s, o: s.OneCycleLR(
        o, max_lr=[1.0, 2.0], epochs=4, steps_per_epoch=4, anneal_strategy="linear", three_phase=True
    ),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, total_iters=3), s.CosineAnnealingLR(o, 8), s.ExponentialLR(o, 0.5)], [3, 9]
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.5), s.ExponentialLR(o, 0.9)]),
    "SequentialLR of steps": lambda s, o: s.SequentialLR(o, [s.StepLR(o, 2), s.ConstantLR(o, 0.5, 2)], [4]),
}


def rates(library, make, name, epochs=14, rate=float):
    optimizer = optimizer_of(library, name, rate)
    schedule = make(library.optim.lr_scheduler, optimizer)
    found = []
    for _ in range(epochs):
        moments = [group.get("momentum", group.get("betas")) for group in optimizer.param_groups]
        found.append((schedule.get_last_lr(), [group["lr"] for group in optimizer.param_groups], moments))
        optimizer.step()
        schedule.step()
    return found


def flat(nested):
    if isinstance(nested, (list, tuple)):
        return [number for each in nested for number in flat(each)]
    return [float(nested)]


@pytest.mark.filterwarnings("ignore:.*epoch parameter.*")
@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
@pytest.mark.parametrize("case", CASES)
def test_rates_and_momenta_are_pytorchs(torch, case, optimizer):
    own, theirs = (flat(rates(library, CASES[case], optimizer)) for library in (tl, torch))
    assert own == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def test_a_rate_that_is_a_tensor_is_overwritten():
    """A graph that was recorded with it reads the same cell at every replay."""
    makes = [*CASES.values(), lambda s, o: s.ReduceLROnPlateau(o, patience=0)]
    for make in makes:
        found = []
        for rate in float, tl.tensor:
            optimizer = optimizer_of(tl, rate=rate)
            given = [group["lr"] for group in optimizer.param_groups]
            schedule = make(tl.optim.lr_scheduler, optimizer)
            for _ in range(6):
                found.append(
                    flat([schedule.get_last_lr(), [group["lr"] for group in optimizer.param_groups]])
                )
                optimizer.step()
                schedule.step(*[1.0] * hasattr(schedule, "patience"))
        assert all(group["lr"] is each for group, each in zip(optimizer.param_groups, given, strict=True))
        assert found[6:] == [pytest.approx(each, rel=1e-5) for each in found[:6]]


@pytest.mark.parametrize(
    "settings", [{}, {"mode": "max", "threshold_mode": "abs"}, {"cooldown": 2}, {"min_lr": [0.1, 0.3]}]
)
def test_a_plateau_lowers_the_rate_as_in_pytorch(torch, settings):
    values = [3.0, 2.0, 2.0, 1.99999, 2.0, 2.5, 2.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    found = []
    for library in (tl, torch):
        optimizer = optimizer_of(library)
        schedule = library.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2, factor=0.5, **settings)
        found.append([])
        for value in values:
            schedule.step(library.tensor(value))
            found[-1].append(list(schedule.get_last_lr()))
    assert flat(found[0]) == pytest.approx(flat(found[1]))


@pytest.mark.parametrize(
    "case", ["StepLR", "CosineAnnealingLR", "OneCycleLR", "SequentialLR", "ChainedScheduler"]
)
def test_a_schedule_goes_on_where_it_stopped(case):
    whole = rates(tl, CASES[case], "SGD", 12)
    optimizer = optimizer_of(tl)
    schedule = CASES[case](tl.optim.lr_scheduler, optimizer)
    for _ in range(5):
        optimizer.step()
        schedule.step()
    saved = copy.deepcopy((optimizer.state_dict(), schedule.state_dict()))
    optimizer = optimizer_of(tl)
    schedule = CASES[case](tl.optim.lr_scheduler, optimizer)
    optimizer.load_state_dict(saved[0])
    schedule.load_state_dict(saved[1])
    for expected in whole[5:]:
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx(expected[1])
        optimizer.step()
        schedule.step()


def test_a_schedule_before_the_optimizer_is_warned_of():
    schedule = tl.optim.lr_scheduler.StepLR(optimizer_of(tl), 1)
    with pytest.warns(UserWarning, match=r"before `optimizer\.step\(\)`"):
        schedule.step()


def test_resuming_without_initial_rates_is_refused(torch):
    for library in (tl, torch):
        with pytest.raises(KeyError, match="initial_lr"):
            library.optim.lr_scheduler.StepLR(optimizer_of(library), 1, last_epoch=3)


def test_settings_that_make_no_sense_are_refused(torch):
    for library in (tl, torch):
        optimizer, s = optimizer_of(library), library.optim.lr_scheduler
        for make in (
            lambda s=s, o=optimizer: s.LambdaLR(o, [lambda epoch: 1]),
            lambda s=s, o=optimizer: s.ConstantLR(o, factor=2),
            lambda s=s, o=optimizer: s.LinearLR(o, start_factor=0),
            lambda s=s, o=optimizer: s.CosineAnnealingWarmRestarts(o, T_0=0),
            lambda s=s, o=optimizer: s.OneCycleLR(o, 1.0),
            lambda s=s, o=optimizer: s.OneCycleLR(o, 1.0, total_steps=5, anneal_strategy="steps"),
            lambda s=s, o=optimizer: s.ReduceLROnPlateau(o, factor=1.0),
            lambda s=s, o=optimizer: s.SequentialLR(o, [s.StepLR(o, 1)], [1]),
            lambda s=s, o=optimizer: s.ChainedScheduler([]),
        ):
            with pytest.raises(ValueError, match=r"\w"):
                make()
        with pytest.raises(TypeError, match="not an Optimizer"):
            s.StepLR(3, 1)
