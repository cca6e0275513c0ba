"""The operations of random graphs: each takes the library, and one or two tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["BINARY", "KEEP_MORE", "TABLES", "UNARY", "VIEWS", "WRITES", "WRITES_OF_TWO"]

UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda t, x: (x * 0.3).exp(),
    "tanh": lambda t, x: x.tanh(),
    "sin": lambda t, x: x.sin(),
    "square": lambda t, x: x * x,
    "scale": lambda t, x: x * 1.25,
    "negate": lambda t, x: -x,
    "shift": lambda t, x: x + 0.5,
    "relu": lambda t, x: x.relu(),
    "sigmoid": lambda t, x: x.sigmoid(),
    "cube": lambda t, x: x**3,
    "clone": lambda t, x: x.clone(),
    "sum": lambda t, x: x.sum(),
    "sum0": lambda t, x: x.sum(0),
    "mean-1": lambda t, x: x.mean(-1, keepdim=True),
    "amax": lambda t, x: x.amax(),
    "cumsum": lambda t, x: x.cumsum(0),
    "softmax": lambda t, x: x.softmax(-1),
    "flip": lambda t, x: x.flip(0),
    "rows": lambda t, x: x[t.tensor([0, 0])],
    "detach": lambda t, x: x.detach(),
    "float": lambda t, x: x.to(t.float32).to(t.float64),
    "index_select": lambda t, x: _some(x).index_select(0, t.tensor([0, 0])),
    "take": lambda t, x: x.take(t.tensor([0, 1, 0])),
    "gather": lambda t, x: _some(x).gather(0, _zeros(x)),
    "masked_select": lambda t, x: x.masked_select(x > 0),
    "mask": lambda t, x: x[x > 0],
    "last": lambda t, x: x[..., t.tensor([0, -1])],
    "masked_fill": lambda t, x: x.masked_fill(x > 0.2, 0.5),
    "repeat": lambda t, x: x.repeat(2, *[1] * max(x.ndim - 1, 0)),
    "repeat_interleave": lambda t, x: x.repeat_interleave(2, 0),
    "roll": lambda t, x: x.roll(1, 0),
    "sort": lambda t, x: x.sort(0)[0],
    "topk": lambda t, x: _with_one_largest(x).topk(1, 0)[0],
    "max": lambda t, x: x.max(0)[0],
    "prod": lambda t, x: x.prod(0),
    "var": lambda t, x: x.var(),
    "logsumexp": lambda t, x: x.logsumexp(0),
    "norm": lambda t, x: x.norm(),
    "tril": lambda t, x: x.tril(),
    "diag_embed": lambda t, x: x.diag_embed(),
    "clamp": lambda t, x: x.clamp(-0.3, 0.3),
    "abs": lambda t, x: x.abs(),
    "std_mean": lambda t, x: t.stack(t.std_mean(_spread(_finite(x)))),
    "log_softmax": lambda t, x: x.log_softmax(-1),
    "softplus": lambda t, x: t.nn.functional.softplus(x),
    "gelu": lambda t, x: t.nn.functional.gelu(_finite(x)),
    # moved away from 0, which the middle of evenly spaced numbers is near, from either side
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, x.shape[-1:]) + 0.25,
    # away from 0: second derivatives divide by the factors, in both libraries
    "cumprod": lambda t, x: (x * x + 0.5).cumprod(0),
    "pad": lambda t, x: t.nn.functional.pad(x, (1, 2)),
    "rot90": lambda t, x: x.rot90(),
    "trace": lambda t, x: x.trace(),
    "diag": lambda t, x: x.diag(),
    "split and joined": lambda t, x: t.cat([part * 2 for part in x.tensor_split(2)][::-1]),
    "rows by iteration": lambda t, x: t.stack([row * (n + 1) for n, row in enumerate(x)]),
    "own": lambda t, x: _own(t).apply(x),
    "hooked": lambda t, x: _hooked(x * 1),
    "einsum": lambda t, x: t.einsum("...i,...i->...", x, x),
    "expm1": lambda t, x: (x * 0.5).expm1(),
    "sorted pair": lambda t, x: x.aminmax(dim=0).max - x.amin(0),
}

# Numbers that are nearer than this are the same but for their rounding.
APART = 1e-6

VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "t": lambda t, x: x.transpose(0, -1),
    "row": lambda t, x: x[0],
    "tail": lambda t, x: x[1:],
    "step": lambda t, x: x[..., ::2],
    "flat": lambda t, x: x.view(-1),
    "reshape": lambda t, x: x.reshape(-1),
    "unsqueeze": lambda t, x: x.unsqueeze(0),
    "squeeze": lambda t, x: x.squeeze(),
    "expand": lambda t, x: x.expand(2, *x.shape),
    "diagonal": lambda t, x: x.diagonal(),
    "chunk": lambda t, x: x.chunk(2)[0],
    "unbind": lambda t, x: x.unbind(0)[-1],
    "narrow": lambda t, x: x.narrow(0, 0, 1),
    "unfold": lambda t, x: x.unfold(0, 2, 1),
    "movedim": lambda t, x: x.movedim(0, -1),
    "unflatten": lambda t, x: x.unflatten(-1, (-1, 1)),
    "mixed": lambda t, x: x[None, ..., 1:],
    "number": lambda t, x: x[t.tensor(0)],
    "expand_as": lambda t, x: x[:1].expand_as(x),
    "view_as": lambda t, x: x.view_as(x),
    # Of an expanded tensor it would read cells that the tensor does not show: there PyTorch divides 0 by 0.
    "as_strided": lambda t, x: x.as_strided((2,), (0,) if 0 in x.stride() else (1,)),
}

BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda t, x, y: x + y,
    "sub": lambda t, x, y: x - y,
    "mul": lambda t, x, y: x * y,
    "div": lambda t, x, y: x / (y * y + 1),
    "matmul": lambda t, x, y: _matrix(x) @ _matrix(y),
    "maximum": lambda t, x, y: t.maximum(x, y),
    "where": lambda t, x, y: t.where(x > y, x, y),
    "cat": lambda t, x, y: t.cat([x, y]),
    "stack": lambda t, x, y: t.stack([x, y]),
    "hstack": lambda t, x, y: t.hstack([x, y]),
    "outer": lambda t, x, y: t.outer(x, y),
    "minimum": lambda t, x, y: t.minimum(x, y),
    "lerp": lambda t, x, y: t.lerp(x, y, 0.3),
    "atan2": lambda t, x, y: t.atan2(x, y * y + 1),
    "addcmul": lambda t, x, y: t.addcmul(x, x, y),
    "index_add": lambda t, x, y: _some(x).index_add(0, t.tensor([0]), _some(y)[:1]),
    "index_copy": lambda t, x, y: _some(x).index_copy(0, t.tensor([0]), _some(y)[:1]),
    "index_put": lambda t, x, y: x.index_put((t.tensor([0]),), y),
    "scatter": lambda t, x, y: _some(x).scatter(0, _zeros(y), _some(y)),
    "scatter_add": lambda t, x, y: _some(x).scatter_add(0, _zeros(y), _some(y)),
    "masked_scatter": lambda t, x, y: x.masked_scatter(x > 0, _enough(y, x)),
}

WRITES: dict[str, Callable[..., Any]] = {
    "mul_": lambda t, x: x.mul_(0.75),
    "add_": lambda t, x: x.add_(0.25),
    "exp_": lambda t, x: x.mul_(0.2).exp_(),
    "tanh_": lambda t, x: x.tanh_(),
    "zero_": lambda t, x: x.zero_(),
    "fill": lambda t, x: x.fill_(0.3),
    "first": lambda t, x: x.__setitem__(0, 0.5),
    "relu_": lambda t, x: x.relu_(),
    "index": lambda t, x: x.__setitem__(t.tensor([0]), 0.25),
    "clamp_": lambda t, x: x.clamp_(-0.4, 0.4),
    "quiet": lambda t, x: _quietly(t, x),
    "unsqueeze_": lambda t, x: x.unsqueeze_(0),
    "index_fill_": lambda t, x: _some(x).index_fill_(0, t.tensor([0]), 0.4),
    "masked_fill_": lambda t, x: x.masked_fill_(x > 0, 0.4),
    "cumsum_": lambda t, x: x.cumsum_(0),
    "tril_": lambda t, x: _apart(x).tril_(),
    "fill_diagonal_": lambda t, x: x.fill_diagonal_(0.3),
    "sigmoid_": lambda t, x: x.sigmoid_(),
    "sqrt_": lambda t, x: x.abs_().add_(1).sqrt_(),
    "pow_": lambda t, x: x.pow_(2),
    "t_": lambda t, x: x.t_(),
    "rows_": lambda t, x: [row.mul_(2) for row in x],
    "own_": lambda t, x: _own_in_place(t).apply(x),
    "slice_": lambda t, x: x[..., ::2].mul_(0.5),
    "triu_": lambda t, x: _apart(x).triu_(),
    "cumprod_": lambda t, x: x.pow_(2).add_(0.5).cumprod_(0),
    "clip of a part": lambda t, x: x[0].clamp_(min=0.1),
}

WRITES_OF_TWO: dict[str, Callable[..., Any]] = {
    "add_": lambda t, x, y: x.add_(y),
    "mul_": lambda t, x, y: x.mul_(y),
    "sub_": lambda t, x, y: x.sub_(y, alpha=0.5),
    "copy_": lambda t, x, y: x.copy_(y),
    "row": lambda t, x, y: x.__setitem__(0, y),
    "masked": lambda t, x, y: x.masked_fill_(x > 0.3, 0.1),
    "div_": lambda t, x, y: x.div_(y * y + 1),
    "lerp_": lambda t, x, y: x.lerp_(y, 0.3),
    "addcmul_": lambda t, x, y: x.addcmul_(y, y),
    "index_add_": lambda t, x, y: _some(x).index_add_(0, t.tensor([0]), _some(y)[:1]),
    "index_copy_": lambda t, x, y: _apart(_some(x)).index_copy_(0, t.tensor([0]), _some(y)[:1]),
    "index_put_": lambda t, x, y: x.index_put_((t.tensor([0]),), y, accumulate=True),
    "scatter_": lambda t, x, y: _some(x).scatter_(0, _zeros(y), _some(y)),
    "scatter_add_": lambda t, x, y: _some(x).scatter_add_(0, _zeros(y), _some(y)),
    "masked_scatter_": lambda t, x, y: x.masked_scatter_(x > 0, _enough(y, x)),
}

TABLES = (UNARY, VIEWS, BINARY, WRITES, WRITES_OF_TWO)

# Operations of which PyTorch keeps the operand itself where its shape is all that the gradient needs. After a
# write of the operand the backward pass refuses there, and goes well here.
KEEP_MORE = {
    "gather", "take", "masked_select", "mask", "index_add", "index_copy", "index_add_", "index_copy_",
}  # fmt: skip


def _matrix(x: Any) -> Any:
    """PyTorch's product of a batch reads a copy, and does not notice a write that this library notices."""
    if x.ndim > 2:
        raise ValueError("matrices only")
    return x


def _zeros(x: Any) -> Any:
    """Indices of 0 in a tensor's shape."""
    return (x.detach() * 0).long()


def _some(x: Any) -> Any:
    """The tensor; which error its emptiness is depends on PyTorch's kernels."""
    if not x.numel():
        raise ValueError("tensors with elements only")
    return x


def _with_one_largest(x: Any) -> Any:
    """The tensor; which of equal elements `topk` takes and gives the gradient is left open.

    Elements that are equal but for their rounding count as equal: the two libraries round differently.
    """
    if x.ndim and x.shape[0] and bool((x.detach() >= x.detach().amax(0) - APART).sum(0).gt(1).any()):
        raise ValueError("tensors with one largest element only")
    return x


def _spread(x: Any) -> Any:
    """The tensor; of elements that are equal but for their rounding, `std` is that, and so is its slope."""
    if x.detach().std() < APART:
        raise ValueError("elements that stand apart only")
    return x


def _finite(x: Any) -> Any:
    """The tensor; of infinities PyTorch's kernels make NaN or not, by how many elements there are."""
    if x.detach().isinf().any():
        raise ValueError("finite numbers only")
    return x


def _apart(x: Any) -> Any:
    """The tensor; where elements share a cell, PyTorch refuses late, or not at all."""
    if 0 in x.stride():
        raise ValueError("tensors with a cell for each element only")
    return x


def _enough(source: Any, target: Any) -> Any:
    """The source; of one too short, or the target itself, PyTorch writes some before it says so."""
    if source.numel() < target.numel() or source is target:
        raise ValueError("sources that suffice only")
    return source


def _own(t: Any) -> Any:
    """A function of the user's own, the cube, that keeps its argument and its result."""

    def forward(ctx: Any, x: Any) -> Any:
        result = x * x * x
        ctx.save_for_backward(x, result)
        return result

    def backward(ctx: Any, grad: Any) -> Any:
        x, result = ctx.saved_tensors
        return grad * (2 * x * x + 0.5 * x * x + 0.5 * result / x.where(x != 0, 1))

    return type("Own", (t.autograd.Function,), _static(forward=forward, backward=backward))


def _own_in_place(t: Any) -> Any:
    """A function of the user's own that writes its argument."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(0.5)

    return type(
        "OwnInPlace", (t.autograd.Function,), _static(forward=forward, backward=lambda ctx, g: g * 0.5)
    )


def _static(**methods: Any) -> dict[str, Any]:
    return {name: staticmethod(method) for name, method in methods.items()}


def _hooked(x: Any) -> Any:
    """The tensor with a hook that changes its gradient."""
    if x.requires_grad:
        x.register_hook(lambda grad: grad * 1.5)
    return x


def _quietly(t: Any, x: Any) -> None:
    with t.no_grad():
        x.mul_(0.5)
