"""The same elements under another tensor object, and one tensor object with other elements."""

from __future__ import annotations

from tensorlab.autograd.formulas import Backward
from tensorlab.autograd.recording import in_place
from tensorlab.autograd.views import requires_grad
from tensorlab.core.layout import Size
from tensorlab.dispatch.guards import guard_inference
from tensorlab.ops.arguments import need_tensors
from tensorlab.registry import op
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor, make_tensor


@op("function method", names="copies")
def detach(input: Tensor) -> Tensor:
    """Another tensor object with the same layout over the same storage, which requires no gradient.

    A write through it is seen in `input`, and counted: if the backward pass needed the old elements, it says
    so. A write through ``input.data`` is not counted.

    Example:
        >>> x = tl.zeros(2)
        >>> y = x.detach()
        >>> y[0] = 1
        >>> x, y is x
        (tensor([1., 0.]), False)
    """
    return make_tensor(input._storage, input._dtype, input._shape, input._stride, input._offset)


@op("function property", names="copies")
def real(input: Tensor) -> Tensor:
    """The real part, which is `input` itself: there are no complex tensors here.

    Example:
        >>> x = tl.ones(2)
        >>> tl.real(x) is x
        True
    """
    need_tensors("real", input=input)
    return input


@op("function method")
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, which is `input` itself: there are no complex tensors here.

    Example:
        >>> x = tl.ones(2)
        >>> x.conj() is x
        True
    """
    need_tensors("conj", input=input)
    return input


@op("function method")
def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself: no conjugation waits to be carried out.

    Example:
        >>> x = tl.ones(2)
        >>> x.resolve_conj() is x
        True
    """
    need_tensors("resolve_conj", input=input)
    return input


@op("function method")
def resolve_neg(input: Tensor) -> Tensor:
    """`input` itself: no negation waits to be carried out.

    Example:
        >>> x = tl.ones(2)
        >>> x.resolve_neg() is x
        True
    """
    need_tensors("resolve_neg", input=input)
    return input


def as_own(view: Tensor) -> Tensor:
    """A view of memory that nobody else holds, as a tensor that is a view of nothing."""
    view._base = None
    return view


def _data(input: Tensor) -> Tensor:
    """`detach()`, with a count of writes of its own, so that nothing notices what is written through it.

    Assigning to it makes this tensor object look into the assigned tensor's storage.
    """
    storage = input._storage.alias()
    storage._version = UNTRACKED if input._storage._version is UNTRACKED else 0
    return make_tensor(storage, input._dtype, input._shape, input._stride, input._offset)


def _set_data(input: Tensor, other: Tensor) -> None:
    if not isinstance(other, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(other).__name__}")
    if requires_grad(input) and not other._dtype.is_floating_point:
        raise RuntimeError(
            f"data set to a tensor that requires gradients must be floating point, got {other._dtype.name}: "
            f"convert it, or call requires_grad_(False) first"
        )
    replace(input, other)


def change_layout(
    kind: type[Backward] | None,
    tensor: Tensor,
    shape: Size,
    stride: tuple[int, ...],
    *,
    offset: int | None = None,
    **notes: object,
) -> Tensor:
    """`tensor` itself with another layout over the same cells.

    Args:
        kind: the node of the operation that makes a view of this layout, with `tensor` as its operand.
        offset: the cell of the first element, where it changes.
        notes: what its formula names.

    Raises:
        RuntimeError: `tensor` was made in inference mode, and that has ended; or gradients could not follow.
    """
    guard_inference(tensor)
    offset = tensor._offset if offset is None else offset
    with in_place(kind, tensor, **notes):
        # The layout changes as a whole: Python can be interrupted at calls and jumps; here is neither.
        tensor._shape = shape
        tensor._stride = stride
        tensor._offset = offset
        tensor._at = tensor._at[0], offset
        tensor._storage._version += 1
    return tensor


def replace(tensor: Tensor, other: Tensor) -> None:
    """Let `tensor` look into the storage of `other`, in its layout and dtype. Its views stay behind."""
    tensor._storage = other._storage
    tensor._dtype = other._dtype
    tensor._shape = other._shape
    tensor._stride = other._stride
    tensor._offset = other._offset
    tensor._at = other._at
    tensor._base = None


op("property", name="data", names="copies")(property(_data, _set_data))
