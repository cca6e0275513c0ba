"""What users call: functions of tensors, and the methods and operators of `Tensor` made from them.

In each module ``__all__`` names the functions that `tensorlab` exports, and ``METHODS`` holds those that are
methods of a tensor as well.
"""

from __future__ import annotations

from tensorlab.ops import methods

methods.bind()
