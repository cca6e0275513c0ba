"""Chapter 13, steps: the questions about what an optimizer does to a parameter."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch13_right, ch13_wrong_adam, ch13_wrong_sgd, draw

Shape = tuple[int, ...]

ROUNDING = 4e-6  # some last digits of a float32


def _step(*args: Any) -> Case:
    return Case(args, rounding=ROUNDING)


def _numbers(source: Random, shape: Shape, storage: int, scale: float = 1.0, **more: Any) -> Strided:
    """Numbers from -4 to 4, in quarters, none of them 0."""
    strides = more.get("strides") or layout.default_strides(shape)
    reached = layout.address_range(shape, strides, 0)
    count = reached[1] + 1 if reached else 0
    cells = [scale * source.choice((-1, 1)) * source.randint(1, 16) / 4 for _ in range(count)]
    return strided(shape, cells=cells, storage=storage, **more)


def _vector(storage: int, *cells: float, dtype: dtypes.dtype = dtypes.float32) -> Strided:
    return strided((len(cells),), cells=cells, storage=storage, dtype=dtype)


def _zeros(storage: int, shape: Shape) -> Strided:
    return strided(shape, cells=[0] * layout.numel(shape), storage=storage)


# --- 13.sgd_momentum ----------------------------------------------------------------------------------


def _sgd(source: Random, *, first: bool = False, momentum: float | None = None, loose: bool = False) -> Case:
    shape = draw.shape(source, 2, 7, (2, 2) if loose else (1, 2))
    strides = draw.loose(source, shape, zeros=False) if loose else None
    x = _numbers(source, shape, 1, strides=strides)
    velocity = _zeros(3, shape) if first else _numbers(source, shape, 3, strides=strides)
    keep = source.choice((0.25, 0.5, 0.75, 0.9)) if momentum is None else momentum
    return _step(x, _numbers(source, shape, 2), velocity, source.choice((0.125, 0.5, 0.01)), keep)


SGD_MOMENTUM = Exercise(
    id="13.sgd_momentum",
    title="A step with momentum",
    stars=2,
    signature="sgd_momentum(parameter, grad, velocity, lr, momentum)",
    task="Overwrite velocity with momentum times itself plus grad, and take lr times it off the parameter.",
    part="tensorlab.optim.sgd:sgd_momentum",
    topics=(
        Topic(
            "the first step",
            2,
            "The velocity is 0, so it becomes the gradient. Both tensors are written; nothing is returned.",
            (
                _step(_vector(1, 1.0), _vector(2, 2.0), _vector(3, 0.0), 0.5, 0.5),
                _step(_vector(1, 1.0, -2.0), _vector(2, 4.0, 8.0), _vector(3, 0.0, 0.0), 0.125, 0.5),
                _step(_vector(1, 1.0, 2.0, 3.0), _vector(2, 0.0, 1.0, -1.0), _zeros(3, (3,)), 0.25, 0.75),
            ),
            lambda source: _sgd(source, first=True),
        ),
        Topic(
            "a velocity that is there",
            3,
            "First the velocity moves, then the parameter moves by the new velocity. The learning rate is no "
            "part of the velocity.",
            (
                _step(_vector(1, 1.0), _vector(2, 2.0), _vector(3, 4.0), 0.5, 0.5),
                _step(_vector(1, 0.0, 0.0), _vector(2, 1.0, -1.0), _vector(3, 2.0, 2.0), 1.0, 0.25),
                _step(_vector(1, 8.0, 4.0), _vector(2, 0.0, 0.0), _vector(3, 4.0, -4.0), 0.25, 0.75),
            ),
            _sgd,
        ),
        Topic(
            "no momentum",
            1,
            "With momentum 0 the velocity is the gradient alone, and is written all the same.",
            (
                _step(_vector(1, 1.0), _vector(2, 2.0), _vector(3, 4.0), 0.5, 0.0),
                _step(_vector(1, 1.0, -2.0), _vector(2, 4.0, 8.0), _vector(3, 1.0, 1.0), 0.125, 0.0),
            ),
            lambda source: _sgd(source, momentum=0.0),
        ),
        Topic(
            "views",
            1,
            "A parameter may lie turned or with gaps in its storage. Write the elements that it shows, and "
            "nothing beside them.",
            (
                _step(strided((2,), (2,), cells=[1, 7, 3]), _vector(2, 2.0, 4.0), _zeros(3, (2,)), 0.5, 0.5),
                _step(
                    strided((2, 2), (1, 2), cells=[1, 2, 3, 4]),
                    strided((2, 2), cells=[4, 8, 12, 16], storage=2),
                    strided((2, 2), (1, 2), cells=[1, 1, 2, 2], storage=3),
                    0.25,
                    0.5,
                ),
            ),
            lambda source: _sgd(source, loose=True),
        ),
    ),
    wrong=ch13_wrong_sgd.solutions.wrong_of("13.sgd_momentum"),
    right=ch13_right.solutions.right_of("13.sgd_momentum"),
)


# --- 13.adam_step -------------------------------------------------------------------------------------

USUAL = (0.5, (0.9, 0.999), 1e-8)  # lr, betas, eps


def _adam(
    source: Random, step: int, *, lr: float = 0.5, betas: Any = (0.9, 0.999), eps: float = 1e-8
) -> Case:
    shape = draw.shape(source, 2, 7, (1, 2))
    x, grad = _numbers(source, shape, 1), _numbers(source, shape, 2)
    if step == 1:
        mean, square = _zeros(3, shape), _zeros(4, shape)
    else:
        mean = _numbers(source, shape, 3, 0.25)
        numbers = [abs(number) for number in _numbers(source, shape, 4, 0.5).cells]
        square = strided(shape, cells=numbers, storage=4)
    return _step(x, grad, mean, square, step, lr, betas, eps)


def _tiny(source: Random) -> Case:
    """Gradients of about the size of eps, where it matters what eps is added to."""
    eps = source.choice((0.25, 0.5, 1.0))
    return _adam(source, source.choice((1, 3)), eps=eps)


ADAM_STEP = Exercise(
    id="13.adam_step",
    title="A step of Adam",
    stars=3,
    signature="adam_step(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8)",
    task="Overwrite the running means of the gradient and of its square, and move the parameter by them.",
    part="tensorlab.optim.adam:adam_step",
    topics=(
        Topic(
            "the first step",
            3,
            "Both means began at 0, so they are divided by 1 - beta before they are used: the first step has "
            "length lr, whatever the gradient's size. The means themselves stay as they are.",
            (
                _step(_vector(1, 1.0), _vector(2, 4.0), _zeros(3, (1,)), _zeros(4, (1,)), 1, *USUAL),
                _step(
                    _vector(1, 1.0, 1.0),
                    _vector(2, 2.0, -200.0),
                    _zeros(3, (2,)),
                    _zeros(4, (2,)),
                    1,
                    *USUAL,
                ),
                _step(_vector(1, 3.0), _vector(2, 2.0), _zeros(3, (1,)), _zeros(4, (1,)), 1),
            ),
            lambda source: _adam(source, 1),
        ),
        Topic(
            "later steps",
            2,
            "At step t they are divided by 1 - beta to the power t. The step counts from 1.",
            (
                _step(_vector(1, 1.0), _vector(2, 2.0), _vector(3, 0.5), _vector(4, 1.0), 2, *USUAL),
                _step(
                    _vector(1, 1.0, 2.0),
                    _vector(2, 2.0, -1.0),
                    _vector(3, -0.5, 0.25),
                    _vector(4, 1.0, 0.5),
                    5,
                    *USUAL,
                ),
                _step(_vector(1, 1.0), _vector(2, 2.0), _vector(3, 0.5), _vector(4, 1.0), 10000, *USUAL),
            ),
            lambda source: _adam(source, source.randint(2, 30)),
        ),
        Topic(
            "other settings",
            1,
            "The first beta is the mean's, the second the square's. All settings can be given.",
            (
                _step(
                    _vector(1, 1.0), _vector(2, 2.0), _zeros(3, (1,)), _zeros(4, (1,)), 1, 0.25, (0.5, 0.75)
                ),
                _step(
                    _vector(1, 1.0), _vector(2, 2.0), _vector(3, 1.0), _vector(4, 4.0), 3, 0.5, (0.5, 0.75)
                ),
                _step(_vector(1, 1.0), _vector(2, 2.0), _vector(3, 1.0), _vector(4, 4.0), 3, 0.5, (0.0, 0.5)),
            ),
            lambda source: _adam(
                source,
                source.randint(2, 5),
                lr=source.choice((0.125, 0.25, 1.0)),
                betas=tuple(source.sample((0.0, 0.25, 0.5, 0.75, 0.875), 2)),
            ),
        ),
        Topic(
            "where eps stands",
            1,
            "eps is added to the root of the corrected square, and not inside the root.",
            (
                _step(
                    _vector(1, 1.0),
                    _vector(2, 2.0),
                    _zeros(3, (1,)),
                    _zeros(4, (1,)),
                    1,
                    0.5,
                    (0.9, 0.999),
                    1.0,
                ),
                _step(_vector(1, 1.0), _vector(2, 0.0), _zeros(3, (1,)), _zeros(4, (1,)), 1, *USUAL),
                _step(
                    _vector(1, 1.0),
                    _vector(2, 2.0),
                    _vector(3, 0.5),
                    _vector(4, 1.0),
                    3,
                    0.5,
                    (0.9, 0.999),
                    0.5,
                ),
            ),
            _tiny,
        ),
    ),
    wrong=ch13_wrong_adam.solutions.wrong_of("13.adam_step"),
    right=ch13_right.solutions.right_of("13.adam_step"),
)
