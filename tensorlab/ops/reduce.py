"""Reductions on their way to a kernel: dimensions, dtypes, the shape that is left, the node in the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.autograd.formulas import Formula, formulas
from tensorlab.backends import Backend, Launch, OperandLayout
from tensorlab.core import layout
from tensorlab.core.dtypes import bool as bool_
from tensorlab.core.dtypes import dtype, int64
from tensorlab.core.layout import Size
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, call, unary
from tensorlab.folds import TABLE
from tensorlab.names.rules import reduces
from tensorlab.tensor import Tensor

Dims = int | Sequence[int] | None


def as_flag(name: str, value: object, argument: str = "keepdim") -> bool:
    """`value`, which must be a bool.

    Raises:
        TypeError: it is something else; a dimension that was meant for `dim`, say.
    """
    if value is True or value is False:
        return value
    raise TypeError(f"{name}(): argument {argument!r} must be bool, not {type(value).__name__}")


def as_dims(dim: object, ndim: int, name: str) -> tuple[int, ...]:
    """The dimensions that an argument names, counted from the front. None and no dimensions mean all.

    Raises:
        TypeError: `dim` is neither an int nor a sequence of ints.
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.

    Example:
        >>> as_dims((-1, 0), 3, "sum"), as_dims(None, 3, "sum")
        ((2, 0), (0, 1, 2))
    """
    if dim is None:
        return tuple(range(ndim))
    named = dim if isinstance(dim, (tuple, list)) else (dim,)
    found: list[int] = []
    for one in named:
        if isinstance(one, (bool, float, str)) or not hasattr(one, "__index__"):
            raise TypeError(
                f"{name}(): argument 'dim' must be an int or a tuple of ints, got {dim!r} "
                f"of type {type(dim).__name__}"
            )
        position = layout.wrap_dim(one.__index__(), ndim)
        if position in found:
            raise RuntimeError(f"dim {position} appears multiple times in the list of dims {tuple(named)}")
        found.append(position)
    if not ndim or not found:
        return tuple(range(ndim))
    return tuple(found)


def as_one_dim(name: str, dim: Any, input: Tensor) -> int:
    """A dimension of `input`, counted from the front.

    Raises:
        TypeError: `dim` is no int.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> as_one_dim("cumsum", -1, tl.zeros(2, 3))
        1
    """
    if isinstance(dim, (bool, float, str, tuple, list)) or not hasattr(dim, "__index__"):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
    return layout.wrap_dim(dim.__index__(), input.ndim)


def reduced_shape(shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> Size:
    """The shape that is left when `dims` are folded away, or kept with size 1."""
    if keepdim:
        return Size(1 if dim in dims else size for dim, size in enumerate(shape))
    return Size(size for dim, size in enumerate(shape) if dim not in dims)


def spread(gradient: Any, shape: Size, dim: Any, keepdim: bool) -> Any:
    """What belongs to the results of a fold, repeated for all elements that were folded into each.

    Args:
        gradient: a tensor of the results' shape.
        shape: of the elements.
        dim, keepdim: which dimensions were folded away, as `as_dims` takes them, and whether they stayed.

    Returns:
        a view of `shape`.

    Example:
        >>> import tensorlab as tl
        >>> spread(tl.tensor([1, 2]), tl.Size([2, 3]), 1, False)
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    if not keepdim and gradient._shape:
        gradient = gradient.reshape(reduced_shape(shape, as_dims(dim, len(shape), "sum"), True))
    return gradient.expand(shape)


# --- the operation ----------------------------------------------------------------------------------------


# What elements are counted in, and the dtype of the results, for elements of a dtype where one is asked for.
Types = Callable[[dtype, dtype | None], tuple[dtype, dtype]]


def own_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    """Elements are converted to the dtype that is asked for first."""
    return chosen or element, chosen or element


def wide_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    """The same, but integers and bools add up in int64; so do truths where bools are asked for."""
    value = chosen or (element if element.is_floating_point else int64)
    return (int64, value) if value is bool_ else (value, value)


def result_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    """The results alone are converted."""
    return element, chosen or element


class Reduce(Primitive):
    """A row of `tensorlab.folds.TABLE` over some dimensions.

    Its `params` are the dimensions (None for all), whether they stay with size 1, the dtype that is asked for
    (or None), and the number k that the row's formulas use.

    Args:
        row: its name.
        types: which dtypes it works in.
        node: what the nodes in the graph are called, without the number at the end; none are left without it.
        gradient: the formula of the gradient, of ``grad`` and of what it names of ``input``, ``result``,
            ``shape``, ``dim``, ``keepdim`` and ``k``.
        numbers: of the node for all elements, and of that along dimensions.
        name: what errors call the operation, if that is not the row's name.
    """

    names = staticmethod(reduces)

    def __init__(
        self,
        row: str,
        types: Types,
        node: str = "",
        gradient: Formula | None = None,
        numbers: tuple[int, int] = (0, 0),
        name: str = "",
    ) -> None:
        self.row, self.types, self.name = TABLE[row], types, name or row
        self.differentiable = gradient is not None
        self.nodes = [gradient and formulas(f"{node}Backward{number}", input=gradient) for number in numbers]

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """The shape that is left, row-major."""
        (input,), (dim, keepdim, chosen, _) = operands, params
        shape = reduced_shape(input.shape, as_dims(dim, input.ndim, self.name), keepdim)
        return Result(shape, layout.default_strides(shape), self.types(input.dtype, chosen)[1])

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (input,), (dim, keepdim, chosen, k) = operands, params
        dims = as_dims(dim, input.ndim, self.name)
        out = OperandLayout(result.dtype, strides_of_results(result.stride, dims, keepdim, input.ndim))
        source = OperandLayout(input.dtype, input.stride())
        value, _ = self.types(input.dtype, chosen)
        return backend.reduce(self.row, value, input.shape, dims, out, source, k)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        (input,), (dim, keepdim, _, k) = operands, params
        along = dim is not None or keepdim
        return self.nodes[along], {"shape": input.shape, "dim": dim, "keepdim": keepdim, "k": k}


def reduce(
    primitive: Reduce,
    input: Tensor,
    dim: Any,
    keepdim: Any,
    dtype: dtype | None = None,
    out: Tensor | None = None,
    k: float = 0.0,
) -> Tensor:
    """One reduction over some dimensions, recorded.

    Args:
        primitive: which.
        input: the elements.
        dim, keepdim: the dimensions to reduce over, as `as_dims` takes them, and whether they stay.
        dtype: the dtype that is asked for; that of `out`, if there is one.
        out: a tensor to write into.
        k: the number that the row's formulas use.

    Raises:
        TypeError, IndexError, RuntimeError: see `as_dims`, `as_flag` and `tensorlab.dispatch.primitive.call`.
    """
    if dim is not None and type(dim) is not int:
        dim = as_dims(dim, input.ndim, primitive.name)
    if type(keepdim) is not bool:
        as_flag(primitive.name, keepdim)
    if out is None:
        return unary(primitive, input, (dim, keepdim, dtype, k))
    return call(primitive, input, params=(dim, keepdim, out.dtype, k), out=out)


def strides_of_results(
    stride: tuple[int, ...], dims: tuple[int, ...], keepdim: bool, ndim: int
) -> tuple[int, ...]:
    """The strides of results with one for each dimension of the elements: 0 along those that are reduced.

    Example:
        >>> strides_of_results((4, 1), (1,), False, 3)
        (4, 0, 1)
    """
    # With keepdim the dimensions that are reduced have strides too, which no index uses.
    rest = iter([step for dim, step in enumerate(stride) if not (keepdim and dim in dims)])
    return tuple(0 if dim in dims else next(rest) for dim in range(ndim))
