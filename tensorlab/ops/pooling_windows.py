"""Pooling as primitives: the windows of a call, the greatest number in each or the mean, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Backend, Buffer, Launch
from tensorlab.backends.operands import no_launch
from tensorlab.backends.windows import Pooling, Reach
from tensorlab.core import dtypes, layout
from tensorlab.core.integers import ceil_div
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import format_strides, suggested_format
from tensorlab.core.modes import current
from tensorlab.dispatch.copies import reader
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, call, call_several, compute
from tensorlab.ops.conversion import summed_in_float32
from tensorlab.ops.sliding_windows import each_dim
from tensorlab.tensor import Tensor

# --- windows ---------------------------------------------------------------------------------------------


class Sliding(NamedTuple):
    """Windows of equal size that slide over an image, with a number for each dimension they move along.

    Attributes:
        name: the function, for errors.
        window, step, before, dilation: see `tensorlab.max_pool2d`.
        ceil_mode: whether a window that reaches over the image's end counts.
        counts_padding: whether places in the padding count for a mean.
    """

    name: str
    window: tuple[int, ...]
    step: tuple[int, ...]
    before: tuple[int, ...]
    dilation: tuple[int, ...]
    ceil_mode: bool
    counts_padding: bool

    def reaches(self, shape: Size) -> tuple[Reach, Reach]:
        """Where the windows lie in an image, which is of height 1 where they move along one dimension.

        Raises:
            RuntimeError: a number is out of its range, or no window fits.
        """
        name, window, step, before, dilation, *flags = self
        dims = len(window)
        for word, values, least, rule in (
            ("kernel_size", window, 1, "greater than zero"),
            ("stride", step, 1, "greater than zero"),
            ("dilation", dilation, 1, "greater than zero"),
            ("padding", before, 0, "non-negative"),
        ):
            if min(values) < least:
                raise RuntimeError(f"{name}(): {word} must be {rule}, but got {values}")
        for k, p in zip(window, before, strict=True):
            if p > k // 2:
                raise RuntimeError(
                    f"{name}(): pad should be smaller than or equal to half of kernel size, but got pad={p} "
                    f"and kernel_size={k}"
                )
        reaches = [
            sliding_reach(*each, *flags)
            for each in zip(shape[-dims:], window, step, before, dilation, strict=True)
        ]
        if not all(reach.begins for reach in reaches):
            sizes = "x".join(str(len(reach.begins)) for reach in reaches)
            raise RuntimeError(
                f"{name}(): Given input size: {tuple(shape[-dims - 1 :])}. Calculated output size: "
                f"{sizes}. Output size is too small"
            )
        if any(a >= b for reach in reaches for a, b in zip(reach.begins, reach.ends, strict=True)):
            raise RuntimeError(
                f"{name}(): a window meets no number of the input {tuple(shape[-dims - 1 :])}: with "
                f"kernel_size={window}, padding={before} and dilation={dilation} all of its places lie in "
                f"the padding; give less padding, or a smaller dilation"
            )
        return (reaches[0], reaches[1]) if dims == 2 else (_WHOLE, reaches[0])


class Adaptive(NamedTuple):
    """As many windows as are wanted, which cover the image."""

    counts: tuple[int, ...]

    def reaches(self, shape: Size) -> tuple[Reach, Reach]:
        """See `Sliding.reaches`."""
        extents = shape[-len(self.counts) :]
        reaches = [adaptive_reach(size, count) for size, count in zip(extents, self.counts, strict=True)]
        return (reaches[0], reaches[1]) if len(reaches) == 2 else (_WHOLE, reaches[0])


Asked = Sliding | Adaptive


def sliding_windows(
    name: str,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    counts_padding: bool = True,
    dims: int = 2,
) -> Sliding:
    """The windows that a call asks for.

    Raises:
        RuntimeError: there are neither 1 nor `dims` numbers.
        TypeError: an argument is no int, nor a sequence of ints.
    """
    without = stride is None or (isinstance(stride, (tuple, list)) and not stride)
    window = each_dim(name, "kernel_size", kernel_size, dims)
    step = window if without else each_dim(name, "stride", stride, dims)
    before, spread = each_dim(name, "padding", padding, dims), each_dim(name, "dilation", dilation, dims)
    return Sliding(name, window, step, before, spread, bool(ceil_mode), bool(counts_padding))


def adaptive_windows(name: str, input: Tensor, output_size: Any, dims: int) -> Adaptive:
    """As many windows as are wanted; None stands for as many as the image has numbers.

    Raises:
        RuntimeError: there are not `dims` sizes, or one is negative.
        TypeError: a size is no int.
    """
    wanted = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * dims
    if len(wanted) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims} numbers, got {output_size!r}")
    extents = input._shape[-dims:]
    wanted = tuple(size if want is None else want for want, size in zip(wanted, extents, strict=True))
    counts = each_dim(name, "output_size", wanted, dims)
    if min(counts) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {counts}"
        )
    return Adaptive(counts)


def sliding_reach(
    size: int, window: int, step: int, before: int, dilation: int, ceil: bool, counts_padding: bool
) -> Reach:
    """The windows along one dimension.

    Example:
        >>> found = sliding_reach(5, 3, 2, 1, 1, False, False)
        >>> found.begins, found.ends, found.divisors
        ((0, 1, 3), (2, 4, 5), (2, 3, 2))
    """
    reach = dilation * (window - 1) + 1
    count = (size + 2 * before - reach + (step - 1 if ceil else 0)) // step + 1
    if ceil and (count - 1) * step >= size + before:  # the last window has to begin before the image's end
        count -= 1
    begins, ends, divisors = [], [], []
    for start in range(-before, -before + max(count, 0) * step, step):
        end = min(start + reach, size + before)
        begins.append(start + max(-(start // dilation), 0) * dilation)
        ends.append(min(start + reach, size))
        divisors.append(end - start if counts_padding else ends[-1] - max(start, 0))
    return Reach(tuple(begins), tuple(ends), tuple(divisors), dilation, step, -before, window)


# Along the height of a signal.
_WHOLE = sliding_reach(1, 1, 1, 0, 1, False, False)


def adaptive_reach(size: int, count: int) -> Reach:
    """The windows along one dimension: each begins where its share of it begins, rounded to the outside.

    Example:
        >>> found = adaptive_reach(5, 2)
        >>> found.begins, found.ends
        ((0, 2), (3, 5))
    """
    if count and size % count == 0:  # all are equal
        return sliding_reach(size, size // count, size // count, 0, 1, False, False)
    begins = tuple(i * size // count for i in range(count))
    ends = tuple(ceil_div((i + 1) * size, count) for i in range(count))
    divisors = tuple(end - begin for begin, end in zip(begins, ends, strict=True))
    return Reach(begins, ends, divisors, 1, 0, 0, 0)


# --- primitives ------------------------------------------------------------------------------------------


class _Pool(Primitive):
    """A number for each window of an image. `params` are the windows and a divisor, 0 for none.

    Attributes:
        kind: the node that a call leaves.
    """

    differentiable = True

    def __init__(self, name: str, kind: Any) -> None:
        self.name, self.kind = name, kind

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """A number for each window, in the image's memory format."""
        (image,), (asked, _) = operands, params
        shape = Size((*image._shape[:-2], *(len(reach.begins) for reach in asked.reaches(image._shape))))
        stride = format_strides(shape, suggested_format(image._shape, image._stride))
        return Result(shape, stride, image._dtype)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (image,) = operands
        if not result.shape.numel():
            return no_launch
        problem = _problem(result.stride, image._shape, image._stride, *params)
        return self.pool(backend, result.dtype, problem)

    def pool(self, backend: Backend, dtype: dtypes.dtype, problem: Pooling) -> Launch:
        """The kernel's launch."""
        raise NotImplementedError

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        (image,), (asked, divisor) = operands, params
        return self.kind, {"pool": self, "shape": image._shape, "asked": asked, "divisor": divisor}


class MaxPool(_Pool):
    """The greatest number of each window, and its place."""

    saved = ("places",)

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Beside the numbers the places, counted through the lines of a channel."""
        made = super().result(operands, params)
        return made._replace(further=[made._replace(dtype=dtypes.int64)])

    def pool(self, backend: Backend, dtype: dtypes.dtype, problem: Pooling) -> Launch:
        """With the places, which the kernel takes last."""
        pool = backend.pool(dtype, problem, True)
        return lambda out, places, image: pool(out, image, places)


class Greatest(_Pool):
    """The greatest number of each window, without its place."""

    differentiable = False

    def pool(self, backend: Backend, dtype: dtypes.dtype, problem: Pooling) -> Launch:
        """Without places."""
        return backend.pool(dtype, problem, True, False)


class AvgPool(_Pool):
    """The mean of each window, or its sum divided by the divisor."""

    def pool(self, backend: Backend, dtype: dtypes.dtype, problem: Pooling) -> Launch:
        """See `_Pool.pool`."""
        return backend.pool(dtype, problem, False)


class _PoolGradient(Primitive):
    """The gradient of an image. Its first operand is that of the pooled numbers.

    `params` are those of the pooling, the image's shape, and the pooling itself.
    """

    differentiable = True
    kind: Any

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the image's shape, in the format of the last operand."""
        like, (_, _, shape, _) = operands[-1], params
        stride = format_strides(shape, suggested_format(like._shape, like._stride))
        return Result(shape, stride, operands[0]._dtype)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        asked, divisor, _, pool = params
        return self.kind, {"pool": pool, "asked": asked, "divisor": divisor}


class MaxPoolGradient(_PoolGradient):
    """Each part goes to the number that was the greatest. Operands: the gradient, and the places."""

    name = "max_pool_backward"
    kind = formulas(
        "MaxPool2DWithIndicesBackwardBackward0",
        gradient=lambda grad, places: grad.flatten(-2).gather(-1, places.flatten(-2)).view(places.shape),
        places=None,
    )

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (grad, places), (asked, _, shape, _) = operands, params
        if not grad._shape.numel():
            return _zeros(backend, result)
        problem = _problem(places._stride, shape, result.stride, asked, 0)
        read, clear = reader(backend, grad, places._stride), _zeros(backend, result)
        add = backend.pool_gradient(result.dtype, problem, True)

        def launch(image: Buffer, grad: Buffer, places: Buffer) -> None:
            clear(image)
            add(read(grad), image, places)

        return launch


class AvgPoolGradient(_PoolGradient):
    """Each part, divided, goes to all numbers of its window."""

    name = "avg_pool_backward"
    kind = formulas(
        "AvgPool2DBackwardBackward0",
        gradient=lambda grad, pool, asked, divisor: call(pool, grad, params=(asked, divisor)),
    )

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (grad,), (asked, divisor, shape, _) = operands, params
        if not grad._shape.numel():
            return _zeros(backend, result)
        problem = _problem(grad._stride, shape, result.stride, asked, divisor)
        clear, add = _zeros(backend, result), backend.pool_gradient(result.dtype, problem, False)

        def launch(image: Buffer, grad: Buffer) -> None:
            clear(image)
            add(grad, image)

        return launch


def _problem(
    out: tuple[int, ...], shape: Size, image: tuple[int, ...], asked: Asked, divisor: int
) -> Pooling:
    """A pooling for the kernels, of strides, the image's shape, and `params`."""
    images = shape[0] if len(shape) == 4 else 1
    out, image = ((0, *stride) if len(stride) == 3 else stride for stride in (out, image))
    return Pooling(images, shape[-3], shape[-1], asked.reaches(shape), divisor, out, image)


def _zeros(backend: Backend, result: Result) -> Launch:
    """The launch that fills a new result with zeros."""
    zero, count = result.dtype.cell.type(0), layout.numel(result.shape)
    return lambda out, *buffers: backend.fill(out, count, zero)


MAX_POOL_GRADIENT, AVG_POOL_GRADIENT = MaxPoolGradient(), AvgPoolGradient()


@summed_in_float32
def _d_max_pool(grad: Tensor, places: Tensor, pool: MaxPool, shape: Size, asked: Asked) -> Tensor:
    return call(MAX_POOL_GRADIENT, grad, places, params=(asked, 0, shape, pool))


@summed_in_float32
def _d_avg_pool(grad: Tensor, pool: AvgPool, shape: Size, asked: Asked, divisor: int) -> Tensor:
    return call(AVG_POOL_GRADIENT, grad, params=(asked, divisor, shape, pool))


MAX_POOL, ADAPTIVE_MAX_POOL = (
    MaxPool(
        name,
        formulas(
            f"{node}Backward0",
            image=lambda grad, places, pool, shape, asked: _d_max_pool(grad, places, pool, shape, asked),
        ),
    )
    for name, node in (("max_pool", "MaxPool2DWithIndices"), ("adaptive_max_pool", "AdaptiveMaxPool2D"))
)
AVG_POOL, ADAPTIVE_AVG_POOL = (
    AvgPool(
        name,
        formulas(
            f"{node}Backward0",
            image=lambda grad, pool, shape, asked, divisor: _d_avg_pool(grad, pool, shape, asked, divisor),
        ),
    )
    for name, node in (("avg_pool", "AvgPool2D"), ("adaptive_avg_pool", "AdaptiveAvgPool2D"))
)
_GREATEST = Greatest("max_pool", None)


def max_pool(pool: MaxPool, input: Tensor, asked: Asked, wanted: bool = True) -> tuple[Tensor, Any]:
    """The greatest number of each window, and its place; None where no place is `wanted`, nor a gradient."""
    if wanted or (current.grad and requires_grad(input)):
        values, places = call_several(pool, input, params=(asked, 0))
        return values, places
    return compute(_GREATEST, input, params=(asked, 0)), None
