"""Small programs over the whole library, which give the same with every right set of parts.

`tensorlab.adopt` runs them before a student's part stays, and `tensorlab.blame` runs them when it is given
nothing else to look at. Each one takes about a millisecond and meets several parts at once.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any

import tensorlab as tl

#: Title -> program. The title ends the sentence "this changes …".
SAMPLES: dict[str, Callable[[], Any]] = {}


def _sample(title: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def register(program: Callable[[], Any]) -> Callable[[], Any]:
        SAMPLES[title] = program
        return program

    return register


def _box() -> tl.Tensor:
    return tl.arange(24, dtype=tl.float32).view(2, 3, 4)


@_sample("slices")
def slices() -> Any:
    """Steps, negative bounds, and bounds outside."""
    x = _box()
    return x[1], x[:, 1:], x[..., ::2], x[-1, -2:, 1:99:3], x[:, 2:1], x[1, 2, 3].item()


@_sample("turned tensors")
def turned() -> Any:
    """A cycle of three dimensions, which is not its own inverse."""
    x = _box()
    return x.permute(2, 0, 1), x.transpose(0, 2).contiguous(), x.movedim(0, -1)[1], x.mT.clone()


@_sample("dimensions of size 1")
def ones() -> Any:
    """Squeezed away and put in."""
    x = tl.arange(6.0).view(1, 2, 1, 3)
    return x.squeeze().shape, x.squeeze(0), x.squeeze(1), x.squeeze((0, -2)), x[0].unsqueeze(-1).shape


@_sample("diagonals")
def diagonals() -> Any:
    """In tables, and in boxes."""
    x = _box()
    return x[0].diagonal(), x[0].diagonal(1), x[0].diagonal(-2), x.diagonal(0, 0, 2), x.diagonal(0, -1, 1)


@_sample("view and reshape")
def reshaped() -> Any:
    """Whether a view exists, and what is shared with it."""
    x = _box()
    turned, wide = x.permute(1, 0, 2), x[:, :, :2]
    seen = [
        turned.reshape(6, -1),
        wide.reshape(2, 6),
        x.view(4, -1),
        x.reshape((3, 8)),
        x.unflatten(2, (2, 2)),
    ]
    shared = [view.data_ptr() == x.data_ptr() for view in (x.reshape(24), turned.reshape(24), wide.flatten())]
    return seen, shared, x.flatten(1), tl.tensor(3.0).flatten(), turned.is_contiguous()


@_sample("the refusals of view")
def refused() -> Any:
    """Errors are part of what a function does."""
    return [
        _error_of(functools.partial(_box().mT.view, sizes)) for sizes in ((5, 5), (-1, -1), (-1, 5), (24,))
    ]


def _error_of(step: Callable[[], Any]) -> str:
    try:
        step()
    except Exception as error:
        return type(error).__name__
    return "none"


@_sample("writes into parts")
def written() -> Any:
    """Through views of views, with numbers and with tensors."""
    x = _box()
    x[0, 1] = 7
    x[:, ::2, 1:3] = -1.5
    x[1][2] = tl.arange(4.0)
    x.diagonal(0, 1, 2).zero_()
    x[x > 20] = 0
    return x


@_sample("indices in lists")
def gathered() -> Any:
    """Positions and masks, which copy."""
    x = _box()
    return x[[1, 0]], x[:, [0, 2], [1, 1]], x[x > 15], x.gather(2, tl.zeros(2, 3, 1, dtype=tl.int64))


@_sample("printing")
def printed() -> Any:
    """What a tensor looks like."""
    return [repr(x) for x in (_box(), _box().mT[0], tl.zeros(2, 0), tl.tensor(1.5), tl.tensor([True, False]))]


@_sample("dtypes")
def typed() -> Any:
    """What two dtypes promote to, and what a cast keeps."""
    whole, small = tl.arange(4), tl.arange(4, dtype=tl.int8)
    sums = [whole + 0.5, small + 1, small + whole, whole / 2, tl.ones(2) + tl.ones(2, dtype=tl.float64)]
    cast = _box().mT.to(tl.int32)
    return sums, cast, cast.stride(), tl.can_cast(tl.float32, tl.int64), tl.result_type(small, 1.0)


@_sample("arithmetic")
def computed() -> Any:
    """Broadcasting, sums, products, over other layouts than rows."""
    x = _box()
    table = x[0].clone()
    met = table + tl.arange(4.0), tl.ones(3, 1) * tl.arange(4.0) - 0.5
    return (
        met,
        x.mT + x[:, :1].mT,
        x.sum(1),
        x.mean((0, 2)),
        x.mT @ x,
        x[0].t().contiguous().cumsum(0),
        x.amax(-1),
    )


@_sample("shapes that broadcast")
def stretched() -> Any:
    """What is stretched, what is refused, and that nothing stretched is written."""
    x = _box()
    row, column = x[0, 0], x[0, :, :1]
    seen = x + row, x * column, column - row, row.expand(2, -1).stride(), column.expand(3, 4).stride()
    return seen, [_error_of(step) for step in (lambda: x + x[0].mT, lambda: row.expand(3, 4).add_(1))]


@_sample("gradients")
def differentiated() -> Any:
    """Back through views and writes."""
    x = tl.arange(12.0).view(3, 4).requires_grad_()
    y = x.t().reshape(2, 6)[:, 1::2] * 3
    z = y.clone()
    z[0, 1] = 5
    (z.squeeze().flatten().sum() + x.diagonal().sum() + x.contiguous().permute(1, 0)[2].sum()).backward()
    return x.grad


@_sample("a graph with shared nodes")
def recorded() -> Any:
    """Two passes back through products and exponentials, into leaves."""
    x, w = (tl.tensor([n, 0.5], requires_grad=True) for n in (1.0, 2.0))
    a = x * w
    y = (a * a + a.exp() * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad, w.grad, [each.is_leaf for each in (x, a, y, x.detach(), x.double())]


@_sample("gradients of shapes")
def reshaped_gradients() -> Any:
    """Back through what was stretched, turned, gathered and multiplied, and through the largest."""
    x = tl.arange(24.0, dtype=tl.float64).view(2, 3, 4).requires_grad_()
    row, w = x[0, 0].detach().requires_grad_(), x[0, :2].detach().t().requires_grad_()
    y = ((x + row) @ w).permute(1, 2, 0)
    (y.amax((0, 2)).sum() + (x.amax() + x[[0, 1, 1], [2, 0, 0]] * row).sum() + (y[0] @ y[1]).sum()).backward()
    return x.grad, row.grad, w.grad


@_sample("files")
def saved() -> Any:
    """Saved and loaded: views of one storage stay views of one storage."""
    x = _box()
    file = io.BytesIO()
    tl.save({"x": x, "part": x[1, :, ::2]}, file)
    file.seek(0)
    loaded = tl.load(file)
    return loaded["part"], loaded["part"].stride(), loaded["x"].nbytes
