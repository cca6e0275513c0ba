"""What a tensor is, in questions that programs ask of PyTorch; here the answer is often always the same."""

from __future__ import annotations

import math
from typing import Any

from tensorlab.ops.aliases import as_own
from tensorlab.ops.arguments import need_tensor, need_tensors, sizes_from
from tensorlab.ops.dispatch import same_place
from tensorlab.ops.pointwise import eq, logical_not, lt
from tensorlab.ops.reduction import sum as sum_over
from tensorlab.ops.shape import view
from tensorlab.tensor import Tensor

__all__ = [
    "get_device",
    "is_conj",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "isneginf",
    "isposinf",
    "isreal",
]


def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the elements are plus infinity. Integers never are.

    Example:
        >>> import tensorlab as tl
        >>> tl.isposinf(tl.tensor([tl.inf, -tl.inf, 1.0]))
        tensor([ True, False, False])
    """
    return _equal("isposinf", input, math.inf, out)


def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the elements are minus infinity. Integers never are.

    Example:
        >>> import tensorlab as tl
        >>> tl.isneginf(tl.tensor([tl.inf, -tl.inf, 1.0]))
        tensor([False,  True, False])
    """
    return _equal("isneginf", input, -math.inf, out)


def _equal(name: str, input: Tensor, value: float, out: Tensor | None) -> Tensor:
    if need_tensor(name, input).dtype.is_floating_point:
        return eq(input, value) if out is None else eq(input, value, out=out)
    return lt(input, input) if out is None else lt(input, input, out=out)  # nowhere; and names are kept


def isreal(input: Tensor) -> Tensor:
    """Where the elements are real numbers: everywhere, there are no complex tensors here.

    Example:
        >>> import tensorlab as tl
        >>> tl.isreal(tl.tensor([1.5, tl.nan]))
        tensor([True, True])
    """
    return logical_not(lt(need_tensor("isreal", input), input))


def is_nonzero(input: Tensor) -> bool:
    """Whether the one element of a tensor is not 0.

    Raises:
        RuntimeError: the tensor has no element, or several.

    Example:
        >>> import tensorlab as tl
        >>> tl.is_nonzero(tl.tensor([0.5])), tl.is_nonzero(tl.tensor(False))
        (True, False)
    """
    count = need_tensor("is_nonzero", input).numel()
    if count == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous: it has no element to ask")
    if count > 1:
        raise RuntimeError(
            "Boolean value of Tensor with more than one value is ambiguous: "
            "any() says whether one element is not 0, all() whether each is"
        )
    return bool(input)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape.

    Example:
        >>> import tensorlab as tl
        >>> tl.is_same_size(tl.zeros(2, 3), tl.zeros(3, 2))
        False
    """
    return need_tensor("is_same_size", input).shape == need_tensor("is_same_size", other, "other").shape


def is_conj(input: Tensor) -> bool:
    """Whether the tensor is to be conjugated when it is read: never, there are no complex tensors here."""
    return need_tensor("is_conj", input) is None


def is_neg(input: Tensor) -> bool:
    """Whether the tensor is to be negated when it is read: never, a negative is computed at once here."""
    return need_tensor("is_neg", input) is None


def is_set_to(input: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same view of the same storage.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3)
        >>> x.is_set_to(x.view(2, 3)), x.is_set_to(x.view(6))
        (True, False)
    """
    return same_place(input, need_tensor("is_set_to", tensor, "tensor"))


def get_device(input: Tensor) -> int:
    """The number of the device that the tensor lies on: -1, the processor.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(1).get_device()
        -1
    """
    need_tensors("get_device", input=input)
    return -1


def is_pinned(input: Tensor) -> bool:
    """Whether the memory is locked in place for a GPU: never."""
    return False


def is_shared(input: Tensor) -> bool:
    """Whether other processes see the memory: never."""
    return False


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sums over the dimensions that broadcasting would stretch from a shape to the tensor's own.

    Raises:
        RuntimeError: the shape cannot be broadcast to the tensor's.

    Example:
        >>> import tensorlab as tl
        >>> tl.ones(2, 3).sum_to_size(1, 3)
        tensor([[2., 2., 2.]])
    """
    shape = sizes_from(size, "sum_to_size")
    before = input.ndim - len(shape)
    fits = before >= 0 and all(n in (1, m) for n, m in zip(shape, input.shape[before:], strict=True))
    if not fits:
        raise RuntimeError(
            f"size {{{list(shape)}}} is not expandable to size {{{list(input.shape)}}}: aligned from the "
            f"right, each size must be 1 or that of the tensor"
        )
    if not shape:
        return sum_over(input)
    if shape == input.shape:
        return input
    dims = [dim for dim in range(input.ndim) if dim < before or shape[dim - before] != input.shape[dim]]
    return as_own(view(sum_over(input, dims, keepdim=True), shape))


METHODS = (
    get_device,
    is_conj,
    is_neg,
    is_nonzero,
    is_pinned,
    is_same_size,
    is_set_to,
    is_shared,
    isneginf,
    isposinf,
    isreal,
    sum_to_size,
)


def _answers(answer: bool) -> property:
    def always(input: Tensor) -> bool:
        return answer

    return property(always)


_NEVER = ("is_meta", "is_mps", "is_nested", "is_quantized", "is_sparse", "is_sparse_csr", "is_xpu")
PROPERTIES = {"is_cpu": _answers(True)} | dict.fromkeys(_NEVER, _answers(False))
