"""Names beside the usual ones: functions that write, second names, questions, and other shapes in place."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorlab as tl

SECOND = (
    "arccos", "arcsin", "arctan", "arctan2", "fix", "greater", "greater_equal", "less", "less_equal",
    "not_equal",
)  # fmt: skip


OF_TWO = ("arctan2", "greater", "greater_equal", "less", "less_equal", "not_equal")


@pytest.mark.parametrize("name", SECOND)
def test_second_names(torch, name):
    for form in (name, f"{name}_"):
        found = []
        for library in (tl, torch):
            others = [library.tensor([0.5, 0.5])] if name in OF_TWO else []
            found.append(getattr(library.tensor([0.25, 0.5]), form)(*others).tolist())
        np.testing.assert_allclose(*found, rtol=1e-6)
    assert getattr(tl, name).__name__ == name


def test_every_function_of_pytorch_that_writes_is_one_here_if_it_is_a_method(torch):
    names = [n for n in dir(torch) if n.endswith("_") and not n.startswith("_") and hasattr(tl.Tensor, n)]
    assert len(names) > 40
    for name in names:
        assert getattr(tl, name).__name__ == getattr(tl.Tensor, name).__name__ == name
    x = tl.tensor([-1.0, 4.0])
    assert tl.relu_(x) is x
    assert tl.sqrt_(x).tolist() == [0, 2]


QUESTIONS = {
    "isposinf": lambda t, x: t.isposinf(x),
    "isneginf": lambda t, x: t.isneginf(x),
    "of integers": lambda t, x: t.isposinf(x.nan_to_num(0, 0, 0).long()),
    "isposinf into out": lambda t, x: t.isposinf(x, out=t.zeros(3, dtype=t.bool)),
    "isneginf of integers into out": lambda t, x: t.isneginf(t.arange(3), out=t.ones(3, dtype=t.bool)),
    "isreal": lambda t, x: t.isreal(x),
    "is_nonzero": lambda t, x: t.is_nonzero(x[1]),
    "is_nonzero of zero": lambda t, x: x.clone().zero_()[:1].is_nonzero(),
    "is_nonzero of none": lambda t, x: x[:0].is_nonzero(),
    "is_nonzero of several": lambda t, x: x.is_nonzero(),
    "is_same_size": lambda t, x: (t.is_same_size(x, x[:2]), x.is_same_size(x.clone())),
    "is_set_to": lambda t, x: (x.is_set_to(x.detach()), x.is_set_to(x.clone()), x.is_set_to(x[1:])),
    "complex": lambda t, x: (t.is_conj(x), t.is_neg(x), x.is_conj(), x.is_neg()),
    "device": lambda t, x: (
        t.get_device(x),
        x.get_device(),
        x.is_cpu,
        x.is_meta,
        x.is_pinned(),
        x.is_shared(),
    ),
    "kinds": lambda t, x: (x.is_sparse, x.is_sparse_csr, x.is_quantized, x.is_mps, x.is_xpu, x.is_nested),
    "sum_to_size": lambda t, x: t.ones(2, 3, 4).sum_to_size(3, 1),
    "sum_to_size itself": lambda t, x: x.sum_to_size(3) is x,
    "sum_to_size of another": lambda t, x: x.sum_to_size((2,)),
    "sum_to_size larger": lambda t, x: x.sum_to_size(1, 3),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions(torch, name):
    assert told(tl, QUESTIONS[name]) == told(torch, QUESTIONS[name])


def told(library, question):
    """The answer in plain Python, or the error's type."""
    x = library.tensor([float("inf"), -float("inf"), 1.0])
    try:
        answer = question(library, x)
    except RuntimeError as error:
        return type(error)
    return (answer.dtype.__str__().split(".")[-1], answer.tolist()) if hasattr(answer, "tolist") else answer


RESIZED = {
    "smaller": lambda t: t.arange(6).view(2, 3).resize_(2, 2),
    "a sequence": lambda t: t.arange(6).resize_((3, 2)),
    "the same": lambda t: t.arange(6).view(2, 3).t().resize_(3, 2),
    "of a view": lambda t: t.arange(6).view(2, 3)[:, 1:].resize_(2, 2),
    "channels last": lambda t: t.arange(12).resize_(1, 3, 2, 2, memory_format=t.channels_last),
    "as another": lambda t: t.arange(6).resize_as_(t.zeros(2, 2)),
    "nothing": lambda t: t.arange(6).resize_(0),
    "of a leaf": lambda t: t.ones(3, requires_grad=True).resize_(2),
    "of a result": lambda t: (t.ones(3, requires_grad=True) * 1).resize_(3),
    "negative": lambda t: t.ones(3).resize_(-1),
}


@pytest.mark.parametrize("name", RESIZED)
def test_resize(torch, name):
    found = []
    for library in (tl, torch):
        try:
            x = RESIZED[name](library)
        except RuntimeError as error:
            found.append(type(error))
        else:
            found.append((tuple(x.shape), x.stride(), x.storage_offset(), x.tolist(), x._version))
    assert found[0] == found[1]


def test_a_tensor_can_grow_where_nobody_else_looks():
    x = tl.arange(4)
    x.resize_(2, 3)
    assert x.shape == (2, 3)
    assert x.view(6)[:4].tolist() == [0, 1, 2, 3]
    other = x.view(6)
    with pytest.raises(RuntimeError, match="something else looks into the storage"):
        x.resize_(100)
    assert other.shape == (6,)
    assert x.shape == (2, 3)


DIAGONALS = {
    "square": lambda t: t.zeros(3, 3).fill_diagonal_(5),
    "wide": lambda t: t.zeros(2, 4).fill_diagonal_(5),
    "tall": lambda t: t.zeros(7, 3).fill_diagonal_(5),
    "tall and wrapped": lambda t: t.zeros(7, 3).fill_diagonal_(5, wrap=True),
    "transposed": lambda t: t.zeros(3, 7).t().fill_diagonal_(5, True),
    "part of another": lambda t: t.zeros(5, 5)[1:, 2:].fill_diagonal_(5),
    "cube": lambda t: t.zeros(3, 3, 3).fill_diagonal_(2),
    "a tensor": lambda t: t.zeros(2, 2).fill_diagonal_(t.tensor(3.0)),
    "empty": lambda t: t.zeros(0, 3).fill_diagonal_(1),
    "sizes that differ": lambda t: t.zeros(2, 3, 4).fill_diagonal_(1),
    "a vector": lambda t: t.zeros(3).fill_diagonal_(1),
    "gradient": lambda t: _gradient_of_fill(t),
}


def _gradient_of_fill(t):
    x = t.ones(3, 3, requires_grad=True)
    (x * 2).fill_diagonal_(7).sum().backward()
    return x.grad


@pytest.mark.parametrize("name", DIAGONALS)
def test_fill_diagonal(torch, name):
    found = []
    for library in (tl, torch):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(DIAGONALS[name](library).tolist())
            except RuntimeError as error:
                found.append(type(error))
    assert found[0] == found[1]


NUMBERS = {
    "pi": lambda t: (t.pi, t.e, t.inf, t.nan != t.nan),
    "newaxis": lambda t: t.arange(3)[:, t.newaxis].shape,
    "deg2rad": lambda t: t.deg2rad(t.tensor([0, 90, -360])),
    "rad2deg": lambda t: t.rad2deg(t.tensor([0.5, t.pi], dtype=t.float64)),
    "deg2rad of halves": lambda t: t.tensor([180.0], dtype=t.float16).rad2deg(),
    "deg2rad in place": lambda t: t.tensor([90.0, 45.0]).deg2rad_(),
    "rad2deg in place of integers": lambda t: t.tensor([1]).rad2deg_(),
    "dist": lambda t: t.dist(t.tensor([1.0, 2.0]), t.tensor([3.0])),
    "dist by 1": lambda t: t.tensor([[1.0, 2.0]]).dist(t.tensor([[3.0], [5.0]]), p=1),
    "dist of integers": lambda t: t.dist(t.tensor([1, 2]), t.tensor([3, 3])),
    "cosine": lambda t: t.cosine_similarity(t.eye(2), t.ones(2), dim=-1),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_angles_and_distances(torch, name):
    outcomes = []
    for library in (tl, torch):
        try:
            found = NUMBERS[name](library)
            numbers = found.tolist() if hasattr(found, "tolist") else list(found)
            outcomes.append((str(getattr(found, "dtype", ""))[-7:], numbers))
        except RuntimeError:
            outcomes.append(("refused", []))
    assert outcomes[0][0] == outcomes[1][0]
    np.testing.assert_allclose(outcomes[0][1], outcomes[1][1], rtol=1e-6)
