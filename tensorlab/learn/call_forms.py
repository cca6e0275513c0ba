"""Calls of the library's functions, in the form in which an exercise asks for them.

Some functions of the library take more forms of a call than their exercises speak of:
``reshape(x, (2, 3))`` beside ``reshape(x, 2, 3)``, ``x[mask] = 1`` beside ``x[0] = 1``. A student's function
answers the forms of its exercise. Here stands, for each such exercise, what brings a call into that form, or
says that there is none.

A function that is not listed takes the calls that fit its exercise's first line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorlab.autograd import anomaly
from tensorlab.autograd.graph import Node, node_of, walk
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes
from tensorlab.core.modes import current
from tensorlab.dispatch.operands import Number
from tensorlab.ops.sliding_windows import places
from tensorlab.tensor import Tensor

Arguments = tuple[Any, ...]


def reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Arguments | None:
    """Separate ints, also where the call has them in one sequence."""
    if shape is not None:
        sizes = shape
    elif len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    return (input, *sizes) if all(type(size) is int for size in sizes) else None


def expand(input: Tensor, *sizes: Any, size: Any = None) -> Arguments | None:
    """Separate ints, also where the call has them in one sequence."""
    return reshape(input, *sizes, shape=size)


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Arguments | None:
    """Two dimensions that exist and differ."""
    span = input.dim()
    if not all(type(number) is int for number in (offset, dim1, dim2)):
        return None
    exist = -span <= dim1 < span and -span <= dim2 < span
    return (input, offset, dim1, dim2) if exist and (dim1 - dim2) % span else None


def setitem(input: Tensor, index: Any, value: Any) -> Arguments | None:
    """An index of ints and slices; a number, or a tensor of the shape that the index shows."""
    items = index if type(index) is tuple else (index,)
    if not all(type(item) is int or type(item) is slice for item in items):
        return None
    if type(value) in (bool, int, float):
        return input, items, value
    fits = isinstance(value, Tensor) and value.shape == input[items].shape
    return (input, items, value) if fits else None


def result_type(*operands: Tensor | Number) -> Arguments | None:
    """Tensors and Python's numbers, not NumPy's."""
    known = all(isinstance(operand, (Tensor, bool, int, float)) for operand in operands)
    return operands if known and operands else None


def matmul(input: Any, other: Any, *, out: Tensor | None = None) -> Arguments | None:
    """Two tensors, a new result, and no gradient: an answer may write its products with ``out``."""
    if not isinstance(input, Tensor) or not isinstance(other, Tensor) or out is not None:
        return None
    return None if _recorded(input, other) else (input, other)


def argmax(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Arguments | None:
    """Numbers, and a dimension that exists or none."""
    plain = isinstance(input, Tensor) and input.numel() > 0 and input.dtype is not dtypes.bool
    if not plain or out is not None or type(keepdim) is not bool:
        return None
    return (input, dim, keepdim) if dim is None or _exists(dim, input) else None


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Arguments | None:
    """Floats, and a p that is a power and a root."""
    plain = isinstance(input, Tensor) and input.dtype.is_floating_point and out is None
    return (input, p, dim, eps) if plain and 0 < p < math.inf and _exists(dim, input) else None


def index_add_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1
) -> Arguments | None:
    """Slices that fit, and places that exist."""
    if alpha != 1 or not _names_places(input, dim, index) or not isinstance(source, Tensor):
        return None
    shape = list(input.shape)
    shape[dim] = index.numel()
    fits = index.dim() == 1 and source.shape == tuple(shape) and source.dtype is input.dtype
    return (input, dim, index, source) if fits else None


def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None
) -> Arguments | None:
    """Places that exist, of a tensor with as many dimensions."""
    fits = out is None and _names_places(input, dim, index) and _within(index, input, but=dim)
    return (input, dim, index) if fits else None


def scatter_add(
    input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None
) -> Arguments | None:
    """Places that exist, and a value for each."""
    fits = out is None and _names_places(input, dim, index) and _within(index, input, but=dim)
    if not fits or not isinstance(src, Tensor) or src.dtype is not input.dtype:
        return None
    return (input, dim, index, src) if _within(index, src) else None


def unbroadcast(gradient: Tensor, shape: Sequence[int]) -> Arguments | None:
    """A gradient that isn't differentiated in turn."""
    return None if _recorded(gradient) else (gradient, tuple(shape))


def gradcheck(func: Callable[..., Any], inputs: Any, **options: Any) -> Arguments | None:
    """Inputs of float64 with cells of their own, one of which requires a gradient, and a single result."""
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    plain = all(isinstance(x, Tensor) and x.dtype is dtypes.float64 and 0 not in x.stride() for x in given)
    if options or not plain or not any(map(requires_grad, given)):
        return None
    return (func, given) if isinstance(func(*given), Tensor) else None


def index_backward(grad: Tensor, shape: Sequence[int], indices: Sequence[Tensor | None]) -> Arguments | None:
    """Lists of places for the first dimensions; no masks, and none left out."""
    lists = all(isinstance(index, Tensor) and index.dtype is dtypes.int64 for index in indices)
    return (grad, tuple(shape), tuple(indices)) if lists and not _recorded(grad) else None


def amax_backward(
    grad: Tensor, input: Tensor, result: Tensor, dim: Any = (), keepdim: bool = False
) -> Arguments | None:
    """Numbers without a nan, and a gradient that isn't differentiated in turn."""
    plain = not _recorded(grad, input, result) and input.numel() > 0 and not bool(result.isnan().any())
    return (grad, input, result, () if dim is None else dim, keepdim) if plain else None


def matmul_backward(grad: Tensor, a: Tensor, b: Tensor) -> Arguments | None:
    """A gradient that isn't differentiated in turn."""
    return None if _recorded(grad, a, b) else (grad, a, b)


def _recorded(*operands: Tensor) -> bool:
    """Whether what is computed with them now is recorded for a gradient."""
    return current.grad and any(map(requires_grad, operands))


def sgd_momentum(
    parameter: Tensor,
    grad: Tensor,
    velocity: Tensor,
    lr: float,
    momentum: float,
    dampening: float = 0,
    weight_decay: float = 0,
    nesterov: bool = False,
    maximize: bool = False,
) -> Arguments | None:
    """Momentum alone."""
    plain = not (dampening or weight_decay or nesterov or maximize)
    return (parameter, grad, velocity, lr, momentum) if plain else None


def adam_step(
    parameter: Tensor,
    grad: Tensor,
    mean: Tensor,
    square: Tensor,
    step: int,
    lr: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    maximize: bool = False,
    shrink: float = 1,
    most: Tensor | None = None,
    writer: str = "",
) -> Arguments | None:
    """The paper's Adam, without decay and without the greatest square."""
    plain = not (weight_decay or maximize) and shrink == 1 and most is None
    return (parameter, grad, mean, square, step, lr, betas, eps) if plain else None


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Arguments | None:
    """A result of its own, and a probability."""
    plain = isinstance(input, Tensor) and input.dtype.is_floating_point and not inplace and 0 <= p <= 1
    return (input, p, training) if plain else None


def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Arguments | None:
    """A list of tensors, and any number that comes out."""
    plain = not isinstance(tensors, Tensor) and norm_type > 0 and not error_if_nonfinite
    return (list(tensors), norm_type) if plain else None


def mul_backward(grad: Tensor, input: Tensor, other: Tensor) -> Arguments | None:
    """Two tensors; a factor that is a number keeps no tensor."""
    return (grad, input, other) if isinstance(input, Tensor) and isinstance(other, Tensor) else None


def topological_order(roots: Iterable[Any]) -> Arguments:
    """Nodes, also where the call has edges to their results."""
    return ([node_of(edge) for edge in roots],)


def accumulate(pending: dict[Any, Any], edge: Any, gradient: Tensor) -> Arguments | None:
    """A gradient that fits a node of one result: nothing has to be summed into its shape, or converted."""
    fits = isinstance(edge, Node) and gradient.shape == edge.shape and gradient.dtype is edge.dtype
    return (pending, edge, gradient) if fits else None


def run(
    roots: Sequence[tuple[Any, Tensor]],
    retain_graph: bool = False,
    *,
    create_graph: bool = False,
    wanted: Sequence[Any] | None = None,
    to_leaves: bool = True,
) -> Arguments | None:
    """A pass to all leaves that is not recorded, through nodes of one result and without hooks."""
    if create_graph or wanted is not None or not to_leaves or anomaly.watching:
        return None
    nodes = {node for edge, _ in roots if isinstance(edge, Node) for node in walk(edge)}
    edges = [edge for node in nodes for edge in node.edges] + [edge for edge, _ in roots]
    plain = all(edge is None or isinstance(edge, Node) for edge in edges)
    return (roots, retain_graph) if plain and all(node.hooks is None for node in nodes) else None


def logsumexp(
    input: Tensor, dim: Any, keepdim: bool = False, *, out: Tensor | None = None
) -> Arguments | None:
    """Floats, one dimension that exists, and no gradient: an answer may read its numbers with ``item()``."""
    plain = isinstance(input, Tensor) and input.dtype.is_floating_point and input.dim() > 0 and out is None
    if not plain or not _exists(dim, input) or (current.grad and requires_grad(input)):
        return None
    return input, dim, keepdim


def log_softmax_backward(grad: Tensor, result: Tensor, dim: int) -> Arguments | None:
    """What is not differentiated in turn, and has a dimension."""
    differentiated = current.grad and (requires_grad(grad) or requires_grad(result))
    return None if differentiated or not result.dim() else (grad, result, dim)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Arguments | None:
    """Rows of logits, a class for each, and their mean."""
    given = any(one is not None for one in (weight, size_average, reduce))
    usual = not given and reduction == "mean" and not label_smoothing
    if not usual or input.dim() != 2 or target.shape != input.shape[:1] or not target.numel():
        return None
    fits = input.dtype.is_floating_point and target.dtype is dtypes.int64
    exist = fits and bool((target.amin() >= 0).item()) and bool((target.amax() < input.shape[1]).item())
    return (input, target) if exist and ignore_index < 0 else None


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Arguments | None:
    """A dimension that exists, windows of some size that move, and no gradient."""
    plain = _exists(dimension, input) and type(size) is int and type(step) is int and size > 0 and step > 0
    return (input, dimension, size, step) if plain and not _recorded(input) else None


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Arguments | None:
    """A batch of float32 columns that fit, square windows, and one number for both directions."""
    size = (output_size, output_size) if type(output_size) is int else tuple(output_size)
    numbers = (kernel_size, dilation, padding, stride)
    plain = isinstance(input, Tensor) and input.dim() == 3 and input.dtype is dtypes.float32
    if not plain or not all(type(number) is int for number in (*size, *numbers)):
        return None
    if len(size) != 2 or min(kernel_size, dilation, stride) < 1 or padding < 0 or 0 in input.shape:
        return None
    down, across = (places(extent, kernel_size, stride, dilation, padding, padding) for extent in size)
    fits = min(down, across) > 0 and input.shape[2] == down * across and not input.shape[1] % kernel_size**2
    return (input, size, *numbers) if fits and not _recorded(input) else None


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Arguments | None:
    """A batch of row-major float32 images that fit, one number for both directions, and no gradient."""
    tensors = [input, weight] if bias is None else [input, weight, bias]
    plain = all(isinstance(one, Tensor) and one.dtype is dtypes.float32 for one in tensors)
    numbers = [
        one[0] if type(one) is tuple and len({*one}) == 1 else one for one in (stride, padding, dilation)
    ]
    if not plain or input.dim() != 4 or weight.dim() != 4 or not input.is_contiguous():
        return None
    if not all(type(number) is int for number in (*numbers, groups)) or 0 in input.shape + weight.shape:
        return None
    step, before, spread = numbers
    made, share, *kernel = weight.shape
    fits = min(step, spread, groups) > 0 <= before and not made % groups and input.shape[1] == share * groups
    if not fits or (bias is not None and bias.shape != (made,)):
        return None
    sizes = zip(input.shape[2:], kernel, strict=True)
    room = all(places(extent, k, step, spread, before, before) > 0 for extent, k in sizes)
    return (input, weight, bias, *numbers, groups) if room and not _recorded(*tensors) else None


def _exists(dim: object, input: Tensor) -> bool:
    return type(dim) is int and -input.dim() <= dim < input.dim()


def _names_places(input: object, dim: object, index: object) -> bool:
    """Whether `index` names positions of a dimension that there is."""
    if not isinstance(input, Tensor) or not isinstance(index, Tensor) or index.dtype is not dtypes.int64:
        return False
    if type(dim) is not int or not _exists(dim, input):
        return False
    return not index.numel() or bool(index.amin() >= 0 and index.amax() < input.shape[dim])


def _within(index: Tensor, other: Tensor, but: int | None = None) -> bool:
    """Whether `index` is nowhere larger than `other`, which has as many dimensions; `but` does not count."""
    if index.dim() != other.dim():
        return False
    free = None if but is None else but % other.dim()
    sizes = zip(index.shape, other.shape, strict=True)
    return all(size <= most or dim == free for dim, (size, most) in enumerate(sizes))


#: Exercise id -> what gives the arguments for the student's function, or None for a call that is not its.
FORMS: dict[str, Callable[..., Arguments | None]] = {
    "03.diagonal": diagonal,
    "03.setitem": setitem,
    "04.reshape": reshape,
    "05.result_type": result_type,
    "06.expand": expand,
    "07.argmax": argmax,
    "07.normalize": normalize,
    "07.index_add_": index_add_,
    "07.gather": gather,
    "07.scatter_add": scatter_add,
    "08.matmul": matmul,
    "09.mul_backward": mul_backward,
    "09.topological_order": topological_order,
    "09.accumulate": accumulate,
    "09.run": run,
    "10.unbroadcast": unbroadcast,
    "10.index_backward": index_backward,
    "10.amax_backward": amax_backward,
    "10.matmul_backward": matmul_backward,
    "10.gradcheck": gradcheck,
    "12.logsumexp": logsumexp,
    "12.log_softmax_backward": log_softmax_backward,
    "12.cross_entropy": cross_entropy,
    "13.sgd_momentum": sgd_momentum,
    "13.adam_step": adam_step,
    "13.dropout": dropout,
    "13.get_total_norm": get_total_norm,
    "14.unfold": unfold,
    "14.fold": fold,
    "14.conv2d": conv2d,
}
