"""Triangles of matrices, written in place and anew, against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.core import dtypes
from tests.library.layouts import KINDS, lay_out, random_values
from tests.library.references import agree, twin

SHAPES = [
    (4, 4),
    (3, 5),
    (5, 2),
    (1, 3),
    (3, 1),
    (0, 3),
    (3, 0),
    (2, 3, 4),
    (2, 0, 3, 3),
    (2, 2, 3, 2),
    (90, 80),
]
DIAGONALS = (0, 1, -1, 2, -3, 100, -100, 2**62, -(2**62))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "expanded"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_in_all_layouts(torch, name, shape, kind):
    for diagonal in DIAGONALS:
        x = lay_out(random_values(shape, "float32", 3), kind)
        other = twin(torch, x)
        agree(getattr(x, name)(diagonal), getattr(other, name)(diagonal))
        version = x._version
        assert getattr(x, f"{name}_")(diagonal) is x
        assert x._version == version + 1
        getattr(other, f"{name}_")(diagonal)
        agree(x, other)


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_leave_what_lies_between_the_elements(name):
    wide = tl.arange(1, 101).view(10, 10)
    before = wide.clone()
    getattr(wide[1::2, ::3], f"{name}_")()
    before[1::2, ::3] = getattr(before[1::2, ::3], name)()
    assert wide.tolist() == before.tolist()


@pytest.mark.parametrize("shape", [(5, 5), (90, 80)], ids=str)
@pytest.mark.parametrize("t", [t.name for t in dtypes.ALL])
def test_triangles_of_all_dtypes(torch, t, shape):
    ours = tl.ones(shape, dtype=dtypes.by_name(t))
    theirs = torch.ones(shape, dtype=getattr(torch, t))
    agree(ours.tril(1), theirs.tril(1))
    agree(ours.T.triu_(-1), theirs.T.triu_(-1))
    agree(ours, theirs)


@pytest.mark.parametrize("shape", [(3, 4), (70, 80)], ids=str)
@pytest.mark.parametrize("name", ["tril_", "triu_", "tril", "triu"])
def test_gradients_of_triangles(torch, name, shape):
    values = random_values(shape, "float64", 1)
    found = []
    for lib in (tl, torch):
        x = lib.tensor(values, requires_grad=True)
        written = getattr(x * 1, name)(1)
        (written * written * lib.tensor(values)).sum().backward()
        found.append((written.grad_fn.name(), np.asarray(x.grad)))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1])


@pytest.mark.parametrize("shape", [(3, 4), (70, 80)], ids=str)
def test_triangles_in_out(torch, shape):
    values = random_values(shape, "float32", 1)
    for lib in (tl, torch):
        x = lib.tensor(values)
        for out in (x, lib.empty(0), lib.ones(shape[::-1]).T):
            assert lib.triu(x, 1, out=out) is out
            np.testing.assert_array_equal(np.asarray(out), np.triu(values, 1))


def test_refused_writes_of_triangles():
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        tl.ones(3).tril_()
    with pytest.raises(RuntimeError, match="single memory location"):
        tl.ones(1).expand(3, 3).triu_()
    with pytest.raises(RuntimeError, match="leaf"):
        tl.ones(3, 3, requires_grad=True).tril_()
    named = tl.ones(2, 2, names=("N", "C"))
    assert named.tril().names == ("N", "C")
