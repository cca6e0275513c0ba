"""What Python asks of a tensor in its own syntax, beyond what `tensorlab.tensor` answers by itself."""

from __future__ import annotations

import numpy as np

from tensorlab.ops.dispatch import is_number
from tensorlab.ops.pointwise import eq
from tensorlab.tensor import Tensor

__all__ = []


def contains(input: Tensor, element: object) -> bool:
    """``element in input``: whether any element is equal. A tensor is broadcast and compared as ``==`` does.

    So ``tensor([1, 2]) in x`` does not ask whether x has that row, but whether any pair of numbers meets.

    Raises:
        RuntimeError: `element` is neither a number nor a tensor, or its shape cannot be broadcast.

    Example:
        >>> import tensorlab as tl
        >>> 3 in tl.arange(4), 3 in tl.arange(3)
        (True, False)
    """
    if isinstance(element, np.generic):
        element = element.item()
    if isinstance(element, complex):
        if element.imag:
            return False
        element = element.real
    if not isinstance(element, Tensor) and not is_number(element):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}: "
            f"a tensor holds numbers"
        )
    return bool(eq(input, element)._cells_array().any())


METHODS = ()
