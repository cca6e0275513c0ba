"""What `tensorlab bench ops` compares: the operations that the promises are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import tensorlab as tl
from tensorlab.bench.measure import Case
from tensorlab.nn import functional

__all__ = ["TITLES", "cases"]

TITLES = {"numpy": "NumPy ÷ ours", "torch": "PyTorch ÷ ours"}
SIZES = (1_000, 1_000_000, 10_000_000)


def cases(torch: Any, wanted: str = "") -> Iterator[Case]:
    """The comparisons whose name has `wanted` in it; PyTorch is left out where it is not installed."""
    return (case for case in _all(torch) if wanted in case[0])


def _all(torch: Any) -> Iterator[Case]:
    yield from _small(torch)
    for dtype in ("float32", "float64"):
        for size in SIZES:
            yield from _elementwise(torch, dtype, size)
            yield from _reductions(torch, dtype, size)
            yield from _layouts(torch, dtype, size)


def _case(name: str, **candidates: Callable[[], object] | None) -> Case:
    return name, {candidate: function for candidate, function in candidates.items() if function is not None}


def _small(torch: Any) -> Iterator[Case]:
    x, y = tl.ones(4), tl.ones(4)
    a, b = np.ones(4, np.float32), np.ones(4, np.float32)
    table = tl.ones(3, 4)
    array = np.ones((3, 4), np.float32)
    u: Any
    v: Any
    tt: Any
    u, v, tt = (torch.ones(4), torch.ones(4), torch.ones(3, 4)) if torch else (None, None, None)
    yield _case(
        "add, 4 elements", tensorlab=lambda: x + y, numpy=lambda: a + b, torch=torch and (lambda: u + v)
    )
    yield _case(
        "transpose",
        tensorlab=lambda: table.transpose(0, 1),
        numpy=lambda: array.T,
        torch=torch and (lambda: tt.transpose(0, 1)),
    )
    yield _case(
        "view",
        tensorlab=lambda: table.view(12),
        numpy=lambda: array.reshape(12),
        torch=torch and (lambda: tt.view(12)),
    )
    yield _case(
        "slice", tensorlab=lambda: table[1:], numpy=lambda: array[1:], torch=torch and (lambda: tt[1:])
    )
    ours = _Little(tl, x, y, tl.ones(1000), table, tl.tensor([0, 2, 1]), x > 0)
    theirs = torch and _Little(torch, u, v, torch.ones(1000), tt, torch.tensor([0, 2, 1]), u > 0)
    for name, function in _LITTLE.items():
        yield _case(name, tensorlab=partial(function, ours), torch=theirs and partial(function, theirs))


class _Little(NamedTuple):
    """A library and small tensors of it: 4 floats, 4 and 1,000 ones, 3 × 4 floats, 3 positions, 4 truths."""

    library: Any
    x: Any
    ones: Any
    thousand: Any
    table: Any
    index: Any
    mask: Any


_LITTLE: dict[str, Callable[[_Little], object]] = {
    "table + row": lambda t: t.table + t.x,
    "where": lambda t: t.library.where(t.mask, t.x, t.x),
    "clamp": lambda t: t.x.clamp(0.0, 1.0),
    "sum, 4 elements": lambda t: t.x.sum(),
    "sum, 1,000 elements": lambda t: t.thousand.sum(),
    "clone": lambda t: t.x.clone(),
    "zeros": lambda t: t.library.zeros(4),
    "ones": lambda t: t.library.ones(4),
    "arange": lambda t: t.library.arange(4),
    "tensor": lambda t: t.library.tensor([1.0, 2.0, 3.0]),
    "cat": lambda t: t.library.cat([t.x, t.x]),
    "stack": lambda t: t.library.stack([t.x, t.x]),
    "index by a tensor": lambda t: t.x[t.index],
    "index by a mask": lambda t: t.x[t.mask],
    "index by a number": lambda t: t.table[1],
    "set one element": lambda t: t.x.__setitem__(0, 1.0),
    "multiply in place": lambda t: t.x.mul_(t.ones),
    "rand": lambda t: t.library.rand(4),
}


def _operands(torch: Any, dtype: str, size: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    a, b = (rng.standard_normal(size).astype(dtype) for _ in range(2))
    x, y = tl.from_numpy(a), tl.from_numpy(b)
    pair: Any = (torch.from_numpy(a), torch.from_numpy(b)) if torch else (None, None)
    return a, b, x, y, *pair


def _elementwise(torch: Any, dtype: str, size: int) -> Iterator[Case]:
    a, b, x, y, u, v = _operands(torch, dtype, size)
    label = f"{dtype}, {size:,}"
    yield _case(
        f"add, {label}", tensorlab=lambda: x + y, numpy=lambda: a + b, torch=torch and (lambda: u + v)
    )
    yield _case(
        f"add every second, {label}",
        tensorlab=lambda: x[::2] + y[::2],
        numpy=lambda: a[::2] + b[::2],
        torch=torch and (lambda: u[::2] + v[::2]),
    )
    for name in ("exp", "tanh"):
        theirs: Any = getattr(torch, name) if torch else None
        yield _case(
            f"{name}, {label}",
            tensorlab=partial(getattr(tl, name), x),
            numpy=partial(getattr(np, name), a),
            torch=torch and partial(theirs, u),
        )
    gelu: Any = torch.nn.functional.gelu if torch else None
    yield _case(f"gelu, {label}", tensorlab=partial(functional.gelu, x), torch=torch and partial(gelu, u))


def _reductions(torch: Any, dtype: str, size: int) -> Iterator[Case]:
    a, _, x, _, u, _ = _operands(torch, dtype, size)
    rows = int(size**0.5)
    shape = (rows, size // rows)
    a2, x2 = a[: rows * shape[1]].reshape(shape), x[: rows * shape[1]].view(shape)
    u2: Any = u[: rows * shape[1]].view(shape) if torch else None
    label = f"{dtype}, {size:,}"
    yield _case(
        f"sum of all, {label}",
        tensorlab=lambda: x.sum(),
        numpy=lambda: a.sum(),
        torch=torch and (lambda: u.sum()),
    )
    for dim, kind in ((1, "rows"), (0, "columns")):
        yield _case(
            f"sum over {kind}, {label}",
            tensorlab=partial(tl.sum, x2, dim),
            numpy=partial(np.sum, a2, dim),
            torch=torch and partial(torch.sum, u2, dim),
        )
    yield _case(
        f"softmax of rows, {label}",
        tensorlab=lambda: tl.softmax(x2, 1),
        torch=torch and (lambda: torch.softmax(u2, 1)),
    )


def _layouts(torch: Any, dtype: str, size: int) -> Iterator[Case]:
    a, b, x, y, u, v = _operands(torch, dtype, size)
    side = int(size**0.5)
    a, b = (array[: side * side].reshape(side, side) for array in (a, b))
    x, y = (tensor[: side * side].view(side, side) for tensor in (x, y))
    if torch:
        u, v = (t[: side * side].view(side, side) for t in (u, v))
    label = f"{dtype}, {side} × {side}"
    yield _case(
        f"A + B transposed, {label}",
        tensorlab=lambda: x + y.t(),
        numpy=lambda: a + b.T,
        torch=torch and (lambda: u + v.t()),
    )
    yield _case(
        f"column + row, {label}",
        tensorlab=lambda: x[:, :1] + y[:1],
        numpy=lambda: a[:, :1] + b[:1],
        torch=torch and (lambda: u[:, :1] + v[:1]),
    )
    yield _case(
        f"A + row, {label}",
        tensorlab=lambda: x + y[0],
        numpy=lambda: a + b[0],
        torch=torch and (lambda: u + v[0]),
    )
