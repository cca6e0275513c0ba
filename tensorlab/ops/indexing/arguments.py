"""What the functions of this package ask of their arguments, and the copies that they begin with."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.dispatch import allocate, check_out, guard_write, write_new
from tensorlab.ops.indexing.places import guard
from tensorlab.ops.resizing import resize_output
from tensorlab.tensor import Tensor

__all__ = [
    "contiguous_copy",
    "need_dtype",
    "need_index",
    "result_in",
]


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


def result_in(
    function: str, out: Tensor | None, shape: Size, element_type: dtype, *sources: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """The tensor to write a result into, and the sources, safe to be read meanwhile.

    Args:
        function: the caller's name, for errors.
        out: what the user gave, which takes the shape; without it a new tensor is made.
        shape, element_type: the result's.
        sources: the tensors that are read.

    Raises:
        RuntimeError: `out` has another dtype, is read-only, or shares memory with a source; or gradients
            could not follow it.
    """
    if out is None:
        return allocate(shape, element_type), list(sources)
    need_tensor(function, out, "out")
    check_out(function, out, *sources)
    if out.dtype is not element_type:
        raise RuntimeError(
            f"{function}(): Expected out tensor to have dtype {element_type.name}, but got {out.dtype.name} "
            f"instead"
        )
    if out.shape != shape:
        guard_write(out, *sources)
        resize_output(out, shape)
    safe = guard(out, *sources)
    out._storage._version += 1
    return out, safe


def contiguous_copy(function: str, input: Tensor, out: Tensor | None, *values: object) -> Tensor:
    """A dense row-major copy; or `out`, overwritten with `input`.

    Args:
        function: the caller's name, for errors.
        input: what is copied.
        out: what the user gave.
        values: what will be written into the copy.

    Raises:
        RuntimeError: `out` does not fit (see `result_in`), or gradients could not follow it.
    """
    if out is not None:
        check_out(function, out, input, *values)
    if out is input:
        return input
    copy, (source,) = result_in(function, out, input.shape, input.dtype, input)
    write_new(copy, source)  # in `out` it is counted already
    return copy
