"""The greatest and the least elements, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from tensorlab import return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record, record_several
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Backend, Launch, OperandLayout
from tensorlab.contracts import with_dims
from tensorlab.core import dtypes, layout
from tensorlab.dispatch.primitive import Primitive, Result, call, refuse_recorded, unary
from tensorlab.names.rules import reduces
from tensorlab.ops import pointwise
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.outputs import need_outs, typed_out, written
from tensorlab.ops.reduce import (
    Dims,
    Reduce,
    as_dims,
    as_flag,
    as_one_dim,
    own_type,
    reduce,
    reduced_shape,
    strides_of_results,
)
from tensorlab.ops.select_backward import among_equals, chooses_places
from tensorlab.registry import op
from tensorlab.return_types import NamedResults
from tensorlab.tensor import Tensor


def _d_aminmax(
    grad: Sequence[Tensor | None], input: Tensor, result0: Tensor, result1: Tensor, dim: Dims, keepdim: bool
) -> Tensor | None:
    shares = [
        among_equals(gradient, input, result, dim, keepdim)
        for gradient, result in zip(grad, (result0, result1), strict=True)
        if gradient is not None
    ]
    return shares[0] if len(shares) == 1 else shares[0] + shares[1]


def amax_backward(
    grad: Tensor, input: Tensor, result: Tensor, dim: Dims = (), keepdim: bool = False
) -> Tensor:
    """The gradient of ``input.amax(dim, keepdim)``: all elements that are the largest share it.

    It is that of `amin`, too: what counts is which elements are equal to the result.

    Args:
        grad, result: of the fold.
        input: the elements.
        dim, keepdim: as `amax` takes them.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([[3.0, 1.0, 3.0], [0.0, 5.0, 2.0]])
        >>> amax_backward(tl.tensor([1.0, 10.0]), x, x.amax(1), 1)
        tensor([[ 0.5000,  0.0000,  0.5000],
                [ 0.0000, 10.0000,  0.0000]])
    """
    return among_equals(grad, input, result, dim, keepdim)


def _d_extreme(grad: Tensor, input: Tensor, result: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    return amax_backward(grad, input, result, dim, keepdim)


def _d_of_all(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    return among_equals(grad, input, result, nan=True)


AMAX, AMIN = Reduce("amax", own_type, "Amax", _d_extreme), Reduce("amin", own_type, "Amin", _d_extreme)
MAX = Reduce("amax", own_type, "Max", _d_of_all, (1, 1), name="max")
MIN = Reduce("amin", own_type, "Min", _d_of_all, (1, 1), name="min")
AminmaxBackward0 = formulas("AminmaxBackward0", input=_d_aminmax)
MaxBackward0, MinBackward0 = chooses_places("MaxBackward0"), chooses_places("MinBackward0")


class Places(Primitive):
    """Where the greatest or the least elements first stand; `params`: the dimension (or None) and keepdim."""

    names = staticmethod(reduces)

    def __init__(self, name: str, greatest: bool) -> None:
        self.name, self.greatest = name, greatest

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """The shape that is left, row-major, of int64."""
        (input,), (dim, keepdim) = operands, params
        shape = reduced_shape(input.shape, as_dims(dim, input.ndim, self.name), keepdim)
        return Result(shape, layout.default_strides(shape), dtypes.int64)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (input,), (dim, keepdim) = operands, params
        dims = as_dims(dim, input.ndim, self.name)
        out = OperandLayout(dtypes.int64, strides_of_results(result.stride, dims, keepdim, input.ndim))
        source = OperandLayout(input.dtype, input.stride())
        return backend.arg_reduce(self.greatest, input.shape, dims, out, source)


ARGMAX, ARGMIN = Places("argmax", True), Places("argmin", False)
_FORMS = {
    "max": (MAX, ARGMAX, MaxBackward0, return_types.max),
    "min": (MIN, ARGMIN, MinBackward0, return_types.min),
}


@op("function method", names="reduces")
def amax(input: Tensor, dim: Dims = (), keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element; NaN if there is one.

    Args:
        input: a tensor with elements.
        dim: the dimension, or dimensions, to look along; all without it.
        keepdim: whether the dimensions stay, with size 1.
        out: a tensor of the result's shape and of `input`'s dtype to write into.

    Raises:
        IndexError: a dimension to look along has no elements: nothing is the greatest of nothing.
        RuntimeError: `input` has no elements and no dimension is named.

    Example:
        >>> x = tl.tensor([[1, 5], [7, 3]])
        >>> x.amax(), x.amax(0), x.amax((0, 1), keepdim=True)
        (tensor(7), tensor([7, 5]), tensor([[7]]))
    """
    return _extreme(AMAX, input, dim, keepdim, out)


@op("function method", names="reduces")
def amin(input: Tensor, dim: Dims = (), keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The least element; NaN if there is one. The arguments are those of `amax`.

    Example:
        >>> tl.tensor([[1, 5], [7, 3]]).amin(1)
        tensor([1, 3])
    """
    return _extreme(AMIN, input, dim, keepdim, out)


def _extreme(
    primitive: Reduce, input: Tensor, dim: Dims, keepdim: bool, out: Tensor | None, called: str = ""
) -> Tensor:
    name = called or primitive.name
    element_type = input.dtype
    if 0 in input.shape:
        named = dim is not None and dim != () and dim != []
        _refuse_empty(name, input, as_dims(dim, input.ndim, name) if named else None, RuntimeError)
    if out is not None and out.dtype is not element_type:
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {element_type.name} for input's dtype "
            f"and {out.dtype.name} for out's dtype"
        )
    return reduce(primitive, input, dim, keepdim, None, out)


def _refuse_empty(name: str, input: Tensor, dims: tuple[int, ...] | None, error: type[Exception]) -> None:
    """Raise if an extreme would be that of no elements."""
    if dims is None:
        if input.numel() == 0:
            raise error(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                f"reduction dim with the 'dim' argument: the shape {tuple(input.shape)} has no elements to "
                f"choose from"
            )
        return
    for dim in dims:
        if input.ndim and input.shape[dim] == 0:
            raise IndexError(
                f"{name}(): Expected reduction dim {dim} to have non-zero size: "
                f"the shape {tuple(input.shape)} has no elements along it to choose from"
            )


@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...


@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...


@overload
def max(
    input: Tensor, dim: int, keepdim: bool = False, *, out: tuple[Tensor, Tensor] | None = None
) -> NamedResults: ...


@op("function method", names="reduces_or_unifies")
def max(input: Tensor, *arguments: Any, out: Any = None, **keywords: Any) -> Any:
    """The greatest of all elements, or those along a dimension with their places, or those of two tensors.

    ``max(input)`` is the greatest of all elements. ``max(input, dim, keepdim=False)`` is the pair ``(values,
    indices)`` of the greatest elements along a dimension and the first places where they stand.
    ``max(input, other)`` compares two tensors, as `maximum` does. NaN counts as greater than everything.

    Args:
        input: a tensor.
        arguments: nothing; `dim` and `keepdim`; or another tensor.
        out: a tensor to write into, or a pair of them for values and indices.
        keywords: ``dim``, ``keepdim`` or ``other`` by name.

    Raises:
        IndexError: there is no such dimension, or it has no elements.
        RuntimeError: `input` has no elements and no dimension is named.
        TypeError: the arguments are of none of the three forms.

    Example:
        >>> x = tl.tensor([[1, 5, 5], [7, 3, 1]])
        >>> x.max()
        tensor(7)
        >>> values, indices = x.max(1)
        >>> values, indices
        (tensor([5, 7]), tensor([1, 0]))
        >>> tl.max(x, tl.tensor([4, 4, 4]))
        tensor([[4, 5, 5],
                [7, 4, 4]])
    """
    return _three_forms("max", input, arguments, keywords, out)


@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...


@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...


@overload
def min(
    input: Tensor, dim: int, keepdim: bool = False, *, out: tuple[Tensor, Tensor] | None = None
) -> NamedResults: ...


@op("function method", names="reduces_or_unifies")
def min(input: Tensor, *arguments: Any, out: Any = None, **keywords: Any) -> Any:
    """The least of all elements, or those along a dimension with their places, or those of two tensors.

    The forms and arguments are those of `max`. NaN counts as less than everything.

    Example:
        >>> tl.tensor([[1, 5], [7, 3]]).min(0).values
        tensor([1, 3])
    """
    return _three_forms("min", input, arguments, keywords, out)


def _three_forms(name: str, input: Tensor, arguments: tuple, keywords: dict[str, Any], out: Any) -> Any:
    given = with_dims(max if name == "max" else min, dict(keywords))
    if arguments and isinstance(arguments[0], Tensor):
        given.update(zip(("other",), arguments, strict=False))
    else:
        given.update(zip(("dim", "keepdim"), arguments, strict=False))
    if len(given) != len(arguments) + len(keywords) or not (
        not given or set(given) == {"other"} or ("dim" in given and set(given) <= {"dim", "keepdim"})
    ):
        raise TypeError(
            f"{name}() received an invalid combination of arguments: it is called as {name}(input), as "
            f"{name}(input, dim, keepdim=False), or as {name}(input, other)"
        )
    if "other" in given:
        other = need_tensor(name, given["other"], "other")
        return (pointwise.maximum if name == "max" else pointwise.minimum)(input, other, out=out)
    if not given:
        primitive = _FORMS[name][0]
        if out is not None and need_tensor(name, out, "out").dtype is not input.dtype:
            return written(out, _extreme(primitive, input, None, False, None))
        return _extreme(primitive, input, None, False, out)
    return _with_places(name, input, given["dim"], given.get("keepdim", False), out)


def _with_places(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> NamedResults:
    position = as_one_dim(name, dim, input)
    _refuse_empty(name, input, (position,), IndexError)
    params = position, as_flag(name, keepdim)
    primitive, places, node, results = _FORMS[name]
    elements, kind = input.detach() if requires_grad(input) else input, input.dtype
    values, indices = (None, None) if out is None else need_outs(name, out, 2)
    if values is not None and indices is not None:
        typed_out(name, kind, values)
        typed_out(name, dtypes.int64, indices)
        refuse_recorded(f"{name}(): ", values, input)
    indices = call(places, elements, params=params, out=indices)
    found = reduce(primitive, elements, position, keepdim, None, values)
    record(node, found, input, shape=input._shape, dim=position, indices=indices, keepdim=keepdim)
    return results((found, indices))


@op("function method", names="reduces")
def argmax(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The place of the greatest element: the first, if there are several; that of the first NaN, if any.

    Args:
        input: a tensor with elements, not of bools.
        dim: the dimension to look along. Without it the place is counted through all elements in their order.
        keepdim: whether the dimension stays, with size 1.
        out: an int64 tensor of the result's shape to write into.

    Raises:
        IndexError: there is no such dimension, or there are no elements to choose from.
        RuntimeError: the elements are bools.

    Example:
        >>> x = tl.tensor([[1, 5, 5], [7, 3, 1]])
        >>> x.argmax(), x.argmax(1), x.t().argmax()
        (tensor(3), tensor([1, 0]), tensor(1))
    """
    return _place(ARGMAX, input, dim, keepdim, out)


@op("function method", names="reduces")
def argmin(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The place of the least element. The arguments are those of `argmax`.

    Example:
        >>> tl.tensor([3, 1, 1]).argmin()
        tensor(1)
    """
    return _place(ARGMIN, input, dim, keepdim, out)


def _place(primitive: Places, input: Tensor, dim: int | None, keepdim: bool, out: Tensor | None) -> Tensor:
    name = primitive.name
    if input._dtype is dtypes.bool:
        raise RuntimeError(f"{name}(): does not support bool input: convert with .to(tensorlab.uint8) first")
    position = None if dim is None else as_one_dim(name, dim, input)
    if 0 in input._shape:
        _refuse_empty(name, input, None if position is None else (position,), IndexError)
    params = position, as_flag(name, keepdim)
    if out is None:
        return unary(primitive, input, params)
    typed_out(name, dtypes.int64, out)
    return call(primitive, input, params=params, out=out)


@op("function method", names="reduces")
def aminmax(
    input: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> NamedResults:
    """The least and the greatest element, as the pair ``(min, max)``.

    Args:
        input: a tensor with elements.
        dim: the dimension to look along; all without it.
        keepdim: whether the dimensions stay, with size 1.
        out: a pair of tensors of the result's shape and of `input`'s dtype to write into.

    Raises:
        IndexError: there is no such dimension, or it has no elements.
        RuntimeError: `input` has no elements and no dimension is named.

    Example:
        >>> least, greatest = tl.aminmax(tl.tensor([3, 1, 2]))
        >>> least, greatest
        (tensor(1), tensor(3))
    """
    position = None if dim is None else as_one_dim("aminmax", dim, input)
    least, greatest = (None, None) if out is None else need_outs("aminmax", out, 2)
    elements = input.detach()
    results = (
        _extreme(AMIN, elements, position, keepdim, least, "aminmax"),
        _extreme(AMAX, elements, position, keepdim, greatest, "aminmax"),
    )
    record_several(AminmaxBackward0, results, input, dim=position, keepdim=keepdim)
    return return_types.aminmax(results)
