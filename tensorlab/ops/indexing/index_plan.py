"""Where an index leads: the two operations that follow index tensors, `Read` and `Write`.

``x[i, :, j]``, `index_select`, `gather`, `take` and their writing counterparts differ in how an index is
written down. What they do is the same: walk some shape, and at each position go to a cell of a tensor that
index tensors decide. A `Route` says which cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab import folds
from tensorlab.autograd.formulas import Backward
from tensorlab.backends import Backend, Buffer, IndexLayout, Launch, OperandLayout, no_launch
from tensorlab.core import broadcasting, dtypes, layout, memory_formats
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.guards import share_cells
from tensorlab.dispatch.operands import Number, check_number, widened
from tensorlab.dispatch.primitive import IN_PLACE, Primitive, Recorded, Result, call
from tensorlab.ops import conversion
from tensorlab.ops.arguments import need_tensor
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

# The "dimension" of an index that counts all elements of a tensor.
WHOLE = -1


class Term(NamedTuple):
    """What one index tensor decides.

    Attributes:
        strides: those of the index over the shape of the walk.
        dim: the dimension of the tensor that it indexes, as errors name it.
        size: the size of that dimension.
        step: its stride.
        wraps: whether a negative index counts from the end.
    """

    strides: tuple[int, ...]
    dim: int
    size: int
    step: int
    wraps: bool

    @property
    def low(self) -> int:
        """The least index that is allowed."""
        return -self.size if self.wraps else 0


class Route(NamedTuple):
    """Cells of a tensor, one for each position of a shape.

    The cell of a position is the tensor's offset, plus the position times `strides`, plus for each term the
    index at that position times the term's step.
    """

    shape: Size
    strides: tuple[int, ...]
    terms: tuple[Term, ...]


# Where index tensors lead in a tensor of this shape and these strides; last the operation's further params.
Rule = Callable[[Size, tuple[int, ...], Sequence[Tensor], tuple], Route]


def along_dim(shape: Size, stride: tuple[int, ...], indices: Sequence[Tensor], where: tuple) -> Route:
    """The route of ``gather``: position ``(i, j, k)`` leads to ``input[i, index[i, j, k], k]`` for dim 1.

    The index has as many dimensions as the tensor; of 0 and 1 either may stand for the other.
    """
    (index,), (dim, *_) = indices, where
    sizes, steps = index._shape, index._stride
    if not shape:
        return Route(sizes, (0,) * len(sizes), (Term(steps, 0, 1, 0, wraps=False),))
    strides = tuple([0 if d == dim else step for d, step in enumerate(stride)][: len(sizes)])
    return Route(sizes, strides, (Term(steps, dim, shape[dim], stride[dim], wraps=False),))


def slices_at(shape: Size, stride: tuple[int, ...], indices: Sequence[Tensor], where: tuple) -> Route:
    """The route of ``index_select``: the slices along one dimension that a vector of indices names.

    `where` is the dimension, and whether a negative index counts from the end. A tensor without dimensions
    counts as one of a single element.
    """
    (index,), (dim, wraps, *_) = indices, where
    sizes, strides = list(shape) or [1], list(stride) or [0]
    walked = [0] * len(sizes)
    walked[dim] = index._stride[0] if index._stride else 0
    term = Term(tuple(walked), dim, sizes[dim], strides[dim], wraps)
    sizes[dim], strides[dim] = index.numel(), 0
    return Route(Size(sizes), tuple(strides), (term,))


def elements_of(shape: Size, stride: tuple[int, ...], indices: Sequence[Tensor], where: tuple) -> Route:
    """The route of ``take``: elements in row-major order, of a tensor that can be seen as a vector."""
    (index,), count = indices, layout.numel(shape)
    flat = layout.view_strides(shape, stride, Size((count,)))
    assert not isinstance(flat, layout.Refusal)
    term = Term(index._stride, WHOLE, count, flat[0], wraps=True)
    return Route(index._shape, (0,) * index.ndim, (term,))


class _Indexed(Primitive):
    """An operation whose last operands are index tensors.

    Attributes:
        rule: says where they lead.
        kind: the node that a call leaves, if it leaves one by itself.
        error: what is raised for an index outside its dimension.
        even_empty: whether such an index is refused where there is nothing to be read, too.
    """

    differentiable = True
    first_index = 1
    even_empty = False

    def __init__(
        self,
        name: str,
        rule: Rule,
        kind: type[Backward] | None = None,
        error: type[Exception] = RuntimeError,
    ) -> None:
        self.name, self.rule, self.kind, self.error = name, rule, kind, error

    def refusal(self, input: Tensor, params: tuple) -> type[Exception]:
        """What is raised for an index outside its dimension."""
        return self.error

    def check_elements(
        self, backend: Backend, operands: Sequence[Any], params: tuple, is_new: bool
    ) -> Callable[..., None] | None:
        """Refuse an index outside its dimension."""
        input, indices = operands[0], operands[self.first_index :]
        route, error = self.rule(input._shape, input._stride, indices, params), self.refusal(input, params)
        if 0 in route.shape and not self.even_empty:
            return None
        if backend.tells_late and 0 not in route.shape:
            return None
        checks = [
            _check(backend, term, index, error) for term, index in zip(route.terms, indices, strict=True)
        ]
        first = self.first_index

        def check(*buffers: Any) -> None:
            for one, buffer in zip(checks, buffers[first:], strict=True):
                if one is not None:
                    one(buffer)

        return check

    def check_out(self, out: Tensor, result: Result, operands: Sequence[Any], brought: bool) -> None:
        """Refuse an `out` of another dtype."""
        if out._dtype is not result.dtype:
            raise RuntimeError(
                f"{self.name}(): Expected out tensor to have dtype {result.dtype.name}, but got "
                f"{out._dtype.name} instead"
            )


def _check(
    backend: Backend, term: Term, index: Tensor, error: type[Exception]
) -> Callable[[Buffer], None] | None:
    """What refuses an index tensor with an element that is too large, or negative where it must not be."""
    shape, stride, low, kind = index._shape, index._stride, term.low, index._dtype
    if 0 in shape:
        return None
    out, source = OperandLayout(kind, (0,) * len(shape)), OperandLayout(kind, stride)
    least, greatest = (
        backend.reduce(folds.TABLE[name], kind, shape, tuple(range(len(shape))), out, source)
        for name in ("amin", "amax")
    )

    def check(buffer: Buffer) -> None:
        bounds = backend.allocate(2, kind.cell)
        least((bounds, 0), buffer)
        greatest((bounds, 1), buffer)
        from_, to = backend.download(bounds)
        if low <= from_ and to < term.size:
            return
        cells, first = np.asarray(backend.download(buffer[0])), buffer[1]
        steps = [step * cells.itemsize for step in stride]
        elements = np.ndarray(shape, cells.dtype, cells, first * cells.itemsize, steps)
        at = tuple(np.argwhere((elements < low) | (elements >= term.size))[0])
        named = f" at {tuple(map(int, at))} of the index" if shape else ""
        allowed = f"use {low} … {term.size - 1}" if term.size else "it has no elements"
        what = (
            f"a tensor of {term.size} elements"
            if term.dim == WHOLE
            else f"dimension {term.dim} with size {term.size}"
        )
        raise error(f"index {elements[at]} is out of bounds for {what}{named}: {allowed}")

    return check


class Read(_Indexed):
    """The elements where index tensors lead; the operands are the tensor and the indices."""

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the walk's shape, row-major."""
        input, *indices = operands
        shape = self.rule(input._shape, input._stride, indices, params).shape
        return Result(shape, layout.default_strides(shape), input._dtype)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        if result.overwritten:
            raise _shared()
        input, *indices = operands
        route = self.rule(input._shape, input._stride, indices, params)
        target = result.stride or (0,) * len(route.shape)
        gather = _moves(backend, "gather", route, target, route.strides)
        check = super().check_elements(backend, operands, params, is_new=True)

        def launch(out: Buffer, *buffers: Buffer) -> None:
            if gather(out, *buffers) and check is not None:
                check(*buffers)

        return launch

    def check_elements(
        self, backend: Backend, operands: Sequence[Any], params: tuple, is_new: bool
    ) -> Callable[..., None] | None:
        """For a new tensor, indices are looked at where they are followed, unless nothing is to be read."""
        input, *indices = operands
        shape = self.rule(input._shape, input._stride, indices, params).shape
        if is_new and 0 not in shape:
            return None
        return super().check_elements(backend, operands, params, is_new)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With the size of the tensor and the dimension, if there is one."""
        return self.kind, {"sizes": operands[0]._shape, "dim": params[0] if params else 0}


class Write(_Indexed):
    """A tensor with values combined into the elements where index tensors lead.

    The operands are the tensor, the values (a tensor of its dtype, or a number) and the indices. `params` are
    those of the rule, and last the action: ``"replace"``, ``"add"``, ``"mul"``, ``"max"`` or ``"min"``. Where
    several positions lead to one cell they act in the order of `_writing_order`.
    """

    first_index = 2

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """As the tensor, row-major."""
        input, *_ = operands
        return Result(input._shape, layout.default_strides(input._shape), input._dtype)

    def value_strides(self, sizes: Size, stride: tuple[int, ...], shape: Size) -> tuple[int, ...]:
        """The strides of values of these sizes over the shape of the walk."""
        return broadcasting.broadcast_strides(sizes, stride, shape)

    def check_elements(
        self, backend: Backend, operands: Sequence[Any], params: tuple, is_new: bool
    ) -> Callable[..., None] | None:
        """Refuse an index outside its dimension, and a number that the dtype cannot hold."""
        check_indices = super().check_elements(backend, operands, params, is_new)
        input, values, *_ = operands
        if isinstance(values, Tensor):
            return check_indices
        element_type = input._dtype

        def check(target: Buffer, value: Number, *indices: Buffer) -> None:
            if isinstance(value, float):
                check_number(value, element_type)
            encode_one(value, element_type)
            if check_indices is not None:
                check_indices(target, value, *indices)

        return check

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """A tensor that is not overwritten itself is copied first."""
        input, values, *indices = operands
        sizes, steps = (values._shape, values._stride) if isinstance(values, Tensor) else (Size(), ())
        out = OperandLayout(result.dtype, result.stride)
        copy = no_launch
        if 0 not in result.overwritten:
            copy = _copy(backend, result.shape, out, OperandLayout(input._dtype, input._stride))
        if params[-1] == "replace" or result.dtype not in (dtypes.float16, dtypes.bfloat16):
            write = self._write(backend, out, result.shape, sizes, steps, indices, params)

            def launch(out: Buffer, source: Buffer, value: Any, *indices: Buffer) -> None:
                copy(out, source)
                write(out, value if type(value) is tuple else _cell(backend, value, result.dtype), *indices)

            return launch
        # Sixteen-bit floats compute in float32 and round once, at the end.
        wide, wide_values = (_float32(shape) for shape in (result.shape, sizes))
        widen, narrow = _copy(backend, result.shape, wide, out), _copy(backend, result.shape, out, wide)
        widen_values = _copy(backend, sizes, wide_values, OperandLayout(result.dtype, steps))
        write = self._write(backend, wide, result.shape, sizes, wide_values.strides, indices, params)

        def launch_wide(out: Buffer, source: Buffer, value: Any, *indices: Buffer) -> None:
            copy(out, source)
            if type(value) is not tuple:
                value = _cell(backend, value, result.dtype)
            computed, read = (
                (backend.allocate(layout.numel(shape), wide.dtype.cell), 0) for shape in (result.shape, sizes)
            )
            widen(computed, out)
            widen_values(read, value)
            write(computed, read, *indices)
            narrow(out, computed)

        return launch_wide

    def _write(
        self,
        backend: Backend,
        out: OperandLayout,
        shape: Size,
        sizes: Size,
        steps: tuple[int, ...],
        indices: Sequence[Tensor],
        params: tuple,
    ) -> Launch:
        """What combines values of these sizes and steps into a tensor of this layout."""
        route = self.rule(shape, out.strides, indices, params)
        if 0 in route.shape:
            return no_launch
        return _moves(
            backend, params[-1], route, route.strides, self.value_strides(sizes, steps, route.shape)
        )


def _float32(shape: Size) -> OperandLayout:
    return OperandLayout(dtypes.float32, layout.default_strides(shape))


def _copy(backend: Backend, shape: Size, to: OperandLayout, source: OperandLayout) -> Launch:
    return backend.pointwise(TABLE["copy"], widened(source.dtype), shape, to, [source])


def _cell(backend: Backend, value: Number, element_type: dtype) -> Buffer:
    """A buffer of one number."""
    cell = backend.allocate(1, element_type.cell), 0
    backend.fill(cell, 1, encode_one(value, element_type))
    return cell


def _moves(
    backend: Backend, action: str, route: Route, target: tuple[int, ...], other: tuple[int, ...]
) -> Callable[..., Any]:
    """The backend's launch for a route, and the strides of what is written and of the other operand."""
    if 0 in route.shape:
        return no_launch
    walks = [term.strides for term in route.terms]
    order: Sequence[int] = range(len(route.shape))
    contested = sum(n > 1 and not step for n, step in zip(route.shape, target, strict=True))
    if action != "gather" and contested > 1:
        order = _writing_order(route.shape, [target, other, *walks])

    def turned(strides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(strides[dim] for dim in order)

    layouts = tuple(IndexLayout(turned(t.strides), t.size, t.step, t.low) for t in route.terms)
    return backend.indexed(action, turned(route.shape), turned(target), turned(other), layouts)


def _writing_order(shape: Size, operands: list[tuple[int, ...]]) -> Sequence[int]:
    """The dimensions from the outermost to the innermost, as PyTorch walks them when it writes.

    Where several positions lead to one cell, the order decides which value stays. It is row-major for
    operands that are, and follows their memory otherwise.
    """
    dense = memory_formats.elementwise_strides(shape, operands, broadcast=True)
    return sorted(range(len(shape)), key=lambda dim: dense[dim], reverse=True)


# --- arguments, and the copies that are written -------------------------------------------------------


def dim_of(input: Tensor, dim: int) -> int:
    """A dimension that an operation was given, counted from the first."""
    return layout.wrap_dim(layout.as_int(dim, "dim"), len(input._shape))


def written_at(
    primitive: Write, input: Tensor, values: Any, index: Tensor, params: tuple, out: Any, lenient: str = ""
) -> Tensor:
    """`call`; in place the values and the index are kept apart from the tensor first, see `apart`."""
    if out is IN_PLACE:
        values, index = apart(input, values, index, lenient=lenient)
    return call(primitive, input, values, index, params=params, out=out)


def apart(target: Tensor, *others: Any, lenient: str = "") -> Sequence[Any]:
    """Values and indices that are safe to read while `target` is written.

    Args:
        target: the tensor to write.
        others: tensors and numbers.
        lenient: the name of an operation that may write into an expanded tensor, with a warning.

    Returns:
        the others, copied where they might lie among `target`'s cells without being dense.

    Raises:
        RuntimeError: one is `target` itself, even without elements, or lies among its cells without gaps.
    """
    if lenient and is_expanded(target) and not target._storage.readonly:
        warn_caller(
            f"Use of {lenient} on expanded tensors is deprecated: several elements lie in one cell and "
            f"change together. Please clone() the tensor before performing this operation. This also "
            f"applies to advanced indexing, e.g. tensor[indices] = value",
            UserWarning,
        )
    memory = target._storage._memory
    for other in others:
        if isinstance(other, Tensor) and other._storage._memory is memory:
            break
    else:
        return others
    return [_apart(target, other) for other in others]


def _apart(target: Tensor, other: Any) -> Any:
    if not isinstance(other, Tensor):
        return other
    shared = share_cells(target, other)
    if other is target or (
        shared
        and all(memory_formats.is_non_overlapping_and_dense(t._shape, t._stride) for t in (target, other))
    ):
        raise _shared()
    return conversion.clone(other) if shared else other


def _shared() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
        "single memory location. Please clone() the tensor before performing the operation."
    )


def is_expanded(tensor: Tensor) -> bool:
    """Whether several elements share a cell because a stride is 0."""
    return 0 in tensor._stride and any(
        size > 1 and stride == 0 for size, stride in zip(tensor._shape, tensor._stride, strict=True)
    )


def need_index(function: str, index: object, *allowed: dtype, error: type[Exception] = RuntimeError) -> None:
    """Refuse an index that is no tensor, or not of an allowed dtype (int64 and int32 by default).

    Raises:
        TypeError: it is no tensor.
        error: it has another dtype.
    """
    need_tensor(function, index, "index")
    assert isinstance(index, Tensor)
    allowed = allowed or (dtypes.int64, dtypes.int32)
    if index.dtype not in allowed:
        names = " or ".join(t.name for t in reversed(allowed))
        raise error(
            f"{function}(): Expected dtype {names} for index, got {index.dtype.name}: convert it with "
            f".to(tensorlab.int64)"
        )


def need_dtype(function: str, input: Tensor, name: str, value: Tensor) -> None:
    """Refuse a tensor of values that has not `input`'s dtype.

    Raises:
        RuntimeError: it has another.
    """
    if value.dtype is not input.dtype:
        raise RuntimeError(
            f"{function}(): self ({input.dtype.name}) and {name} ({value.dtype.name}) must have the same "
            f"scalar type: convert with {name}.to(tensorlab.{input.dtype.name})"
        )


def need_vector(function: str, index: Tensor, error: type[Exception] = IndexError) -> None:
    """Refuse an index of several dimensions.

    Raises:
        error: it has some.
    """
    if index.ndim > 1:
        raise error(
            f"{function}(): Index is supposed to be a vector, but got shape {list(index.shape)}: an index "
            f"for every element is for gather and scatter"
        )
