"""Which elements of one tensor are among those of another."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.dtypes import dtype
from tensorlab.ops.aliases import detach
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.bounds import clamp_max
from tensorlab.ops.conversion import to
from tensorlab.ops.creation import full
from tensorlab.ops.dispatch import Number, is_number, result_type
from tensorlab.ops.indexing.index_select import take
from tensorlab.ops.indexing.masks import masked_select
from tensorlab.ops.outputs import written
from tensorlab.ops.pointwise import eq, ne
from tensorlab.ops.search import searchsorted
from tensorlab.ops.shape import flatten
from tensorlab.ops.sorting import sort
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """For each element whether it equals one of others; NaN equals none.

    The others are sorted once, and each element looks for its place among them.

    Args:
        elements: the elements to ask about, or one number.
        test_elements: what they are compared with, of any shape; or one number, if `elements` is a tensor.
        assume_unique: taken as PyTorch takes it: that no element comes twice makes no difference here.
        invert: ask whether it equals none.
        out: a tensor of bools to write into.

    Returns:
        bools in the shape of `elements`.

    Raises:
        TypeError: there is no tensor, or an argument is neither a tensor nor a number.
        RuntimeError: the elements are bools.

    Example:
        >>> import tensorlab as tl
        >>> tl.isin(tl.tensor([[1, 2], [3, 4]]), tl.tensor([2, 4, 6]))
        tensor([[False,  True],
                [False,  True]])
    """
    for name, given in (("elements", elements), ("test_elements", test_elements)):
        if not is_number(given):
            need_tensor("isin", given, name)
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin(): one of elements and test_elements must be a Tensor, got two numbers")
    common = result_type(elements, test_elements)
    if dtypes.bool in (result_type(elements), result_type(test_elements)):
        raise RuntimeError("Unsupported input type encountered for isin(): bool: convert with .byte() first")
    asked, others = _as_tensor(elements, common), flatten(_as_tensor(test_elements, common))
    if common.is_floating_point:
        others = masked_select(others, eq(others, others))  # NaN equals nothing, and has no place in an order
    if others.numel():
        ordered = sort(others).values
        places = clamp_max(searchsorted(ordered, asked), ordered.shape[0] - 1)
        result = (ne if invert else eq)(take(ordered, places), asked)
    else:
        result = full(tuple(asked.shape), invert)
    return result if out is None else written(out, result)


def _as_tensor(given: Tensor | Number, element_type: dtype) -> Tensor:
    return to(detach(given) if isinstance(given, Tensor) else full((), given), element_type)
