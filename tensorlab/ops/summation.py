"""A sum whose error does not grow with the number of its elements, addition by addition.

The kernels of sums do the same in compiled loops, for float64: `tensorlab.backends.cpu.reduce_kernels`. This
is the definition that they are measured against.
"""

from __future__ import annotations

import numpy as np

from tensorlab.ops.from_data import tensor
from tensorlab.tensor import Tensor


def accurate_sum(input: Tensor) -> Tensor:
    """The sum of all elements, every addition in their own dtype, with what the additions lost put back.

    An addition of floats is rounded. What it loses is a float again, and four more additions find it exactly
    (D. Knuth, *The Art of Computer Programming*, volume 2, section 4.2.2). The losses are added up beside
    the total and join it at the end. Where a plain sum of n elements may lose n roundings of the total, this
    one loses two.

    Args:
        input: a float32 or float64 tensor of any shape.

    Returns:
        a tensor of one number, of the dtype of `input`; 0 where there are no elements.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([16777216.0, 1.0, 1.0, 1.0])
        >>> (x[0] + x[1] + x[2] + x[3]).item(), accurate_sum(x).item()
        (16777216.0, 16777220.0)
    """
    elements = input.detach().reshape(-1).numpy()
    total = lost = elements.dtype.type(0)
    with np.errstate(all="ignore"):  # of an infinite total the losses are NaN
        for element in elements:
            together = total + element
            added = together - total
            lost = lost + ((total - (together - added)) + (element - added))
            total = together
        found = total + lost if lost == lost else total
    return tensor(float(found), dtype=input._dtype)
