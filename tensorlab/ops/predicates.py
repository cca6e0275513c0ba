"""What a tensor is, in questions that programs ask of PyTorch; here the answer is often always the same."""

from __future__ import annotations

import math
from typing import Any

from tensorlab.autograd.unbroadcasting import unbroadcast
from tensorlab.core import layout, memory_formats
from tensorlab.dispatch.guards import same_place
from tensorlab.ops.aliases import as_own
from tensorlab.ops.arguments import need_tensor, sizes_from
from tensorlab.ops.pointwise import eq, lt
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method")
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the elements are plus infinity. Integers never are.

    Example:
        >>> tl.isposinf(tl.tensor([tl.inf, -tl.inf, 1.0]))
        tensor([ True, False, False])
    """
    return _equal("isposinf", input, math.inf, out)


@op("function method")
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the elements are minus infinity. Integers never are.

    Example:
        >>> tl.isneginf(tl.tensor([tl.inf, -tl.inf, 1.0]))
        tensor([False,  True, False])
    """
    return _equal("isneginf", input, -math.inf, out)


def _equal(name: str, input: Tensor, value: float, out: Tensor | None) -> Tensor:
    if input.dtype.is_floating_point:
        return input == value if out is None else eq(input, value, out=out)
    return input < input if out is None else lt(input, input, out=out)  # nowhere; and names are kept


@op("function method")
def isreal(input: Tensor) -> Tensor:
    """Where the elements are real numbers: everywhere, there are no complex tensors here.

    Example:
        >>> tl.isreal(tl.tensor([1.5, tl.nan]))
        tensor([True, True])
    """
    return (input < input).logical_not()


@op("function method")
def is_nonzero(input: Tensor) -> bool:
    """Whether the one element of a tensor is not 0.

    Raises:
        RuntimeError: the tensor has no element, or several.

    Example:
        >>> tl.is_nonzero(tl.tensor([0.5])), tl.is_nonzero(tl.tensor(False))
        (True, False)
    """
    count = input.numel()
    if count == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous: it has no element to ask")
    if count > 1:
        raise RuntimeError(
            "Boolean value of Tensor with more than one value is ambiguous: "
            "any() says whether one element is not 0, all() whether each is"
        )
    return bool(input)


@op("function method")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape.

    Args:
        input, other: any tensors.

    Example:
        >>> tl.is_same_size(tl.zeros(2, 3), tl.zeros(3, 2))
        False
    """
    return input.shape == other.shape


@op("function method")
def is_conj(input: Tensor) -> bool:
    """Whether the tensor is to be conjugated when it is read: never, there are no complex tensors here.

    Example:
        >>> tl.is_conj(tl.ones(2))
        False
    """
    return need_tensor("is_conj", input) is None


@op("function method")
def is_neg(input: Tensor) -> bool:
    """Whether the tensor is to be negated when it is read: never, a negative is computed at once here.

    Example:
        >>> tl.is_neg(-tl.ones(2))
        False
    """
    return need_tensor("is_neg", input) is None


@op("method")
def is_set_to(input: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same view of the same storage.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.is_set_to(x.view(2, 3)), x.is_set_to(x.view(6))
        (True, False)
    """
    return same_place(input, tensor)


@op("function method")
def get_device(input: Tensor) -> int:
    """The number of the GPU that the tensor lies on, or -1 for the processor.

    Example:
        >>> tl.zeros(1).get_device()
        -1
    """
    return -1 if input.device.type == "cpu" else input.device.index or 0


@op("method")
def is_shared(input: Tensor) -> bool:
    """Whether other processes see the memory: never.

    Example:
        >>> tl.ones(2).is_shared()
        False
    """
    return False


@op("method")
@op("property", name="itemsize")
def element_size(input: Tensor) -> int:
    """The bytes of one element.

    Example:
        >>> tl.zeros(2, 3).element_size(), tl.arange(2).element_size()
        (4, 8)
    """
    return input._dtype.itemsize


@op("method")
def data_ptr(input: Tensor) -> int:
    """The address of the first element, as the processor counts bytes; 0 without elements.

    Two tensors over one storage have different addresses when their offsets differ. To see whether they
    share memory, compare ``untyped_storage().data_ptr()``.

    Example:
        >>> x = tl.zeros(4)
        >>> x[1:].data_ptr() - x.data_ptr()
        4
    """
    if not input.numel():
        return 0
    return input._storage.data_ptr() + input._offset * input._dtype.itemsize


@op("function method")
def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers.

    Example:
        >>> tl.arange(2).is_signed(), tl.arange(2).byte().is_signed()
        (True, False)
    """
    return input._dtype.is_signed


@op("method")
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sums over the dimensions that broadcasting would stretch from a shape to the tensor's own.

    Args:
        input: any tensor.
        size: the shape, as separate ints or as one sequence.

    Raises:
        RuntimeError: the shape cannot be broadcast to the tensor's.

    Example:
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
        return input.sum()  # a copy, even of a tensor that has that shape
    summed = unbroadcast(input, shape)
    return summed if summed is input else as_own(summed)


@op("property", name="nbytes")
def _nbytes(input: Tensor) -> int:
    """The bytes of all elements, counted as if none shared a cell: `numel` times `element_size`."""
    return layout.nbytes(input._shape, input._dtype)


@op("property", name="is_cuda")
def _is_cuda(input: Tensor) -> bool:
    """Whether the storage lies on a GPU."""
    return input.device.type == "cuda"


@op("property", name="layout")
def _layout(input: Tensor) -> object:
    """How the elements are found: always ``tensorlab.strided``, by strides."""
    return memory_formats.strided


def _answers(name: str, answer: bool, question: str) -> None:
    """Register a property that says the same of every tensor."""

    def always(input: Tensor) -> bool:
        return answer

    always.__doc__ = f"Whether the tensor {question}: {'always' if answer else 'never'}."
    op("property", name=name)(always)


_answers("is_cpu", True, "lies in the computer's own memory")
_answers("is_meta", False, "has a shape and no memory")
_answers("is_mps", False, "lies on a GPU of Apple's")
_answers("is_nested", False, "is made of tensors of different shapes")
_answers("is_quantized", False, "holds integers that stand for scaled numbers")
_answers("is_sparse", False, "holds only the elements that are not 0")
_answers("is_sparse_csr", False, "holds only the elements that are not 0, row by row")
_answers("is_xpu", False, "lies on a GPU of Intel's")
