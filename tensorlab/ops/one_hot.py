"""Class numbers as vectors."""

from __future__ import annotations

from tensorlab.dtypes import int64
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.creation import zeros
from tensorlab.ops.dispatch import as_new
from tensorlab.ops.indexing.along import scatter_
from tensorlab.ops.operands import number_from
from tensorlab.ops.shape import unsqueeze
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(namespace="nn.functional")
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Class numbers as vectors with a 1 at the class and 0 elsewhere, along a new last dimension.

    Args:
        tensor: int64, each 0 or more.
        num_classes: the length of the vectors; -1 stands for the greatest class plus 1.

    Returns:
        an int64 tensor of shape ``(*tensor.shape, num_classes)``.

    Raises:
        TypeError: `tensor` is no tensor, or `num_classes` no int.
        RuntimeError: the dtype is another, a class is negative or not less than `num_classes`, or there are
            no classes to count.

    Example:
        >>> import tensorlab as tl
        >>> one_hot(tl.tensor([0, 2]), 3)
        tensor([[1, 0, 0],
                [0, 0, 1]])
    """
    need_tensor("one_hot", tensor, "tensor")
    num_classes = number_from(num_classes)
    if isinstance(num_classes, bool) or not isinstance(num_classes, int):
        raise TypeError(f"one_hot(): argument 'num_classes' must be int, not {type(num_classes).__name__}")
    if tensor.dtype is not int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type LongTensor, got {tensor.dtype.name}: "
            f"convert it with .to(tensorlab.int64)"
        )
    if not tensor.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor: give num_classes")
        return zeros(*tensor.shape, num_classes, dtype=int64)
    classes = tensor._cells_array()
    least, greatest = int(classes.min()), int(classes.max())
    if least < 0:
        raise RuntimeError(f"Class values must be non-negative, got {least}")
    if num_classes == -1:
        num_classes = greatest + 1
    elif greatest >= num_classes:
        raise RuntimeError(f"Class values must be smaller than num_classes, got {greatest} and {num_classes}")
    result = zeros(*tensor.shape, num_classes, dtype=int64)
    return as_new(scatter_(result, -1, unsqueeze(tensor, -1), 1))
