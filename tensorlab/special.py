"""PyTorch's `torch.special`: functions that statistics and physics need, element by element.

Example:
    >>> import tensorlab as tl
    >>> tl.special.expit(tl.tensor([0.0])), tl.special.ndtr(tl.tensor([0.0]))
    (tensor([0.5000]), tensor([0.5000]))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlab.ops.exports import exported

if TYPE_CHECKING:
    from tensorlab.stubs.special import *  # noqa: F403

_functions = exported("special")
globals().update(_functions)

__all__ = [*_functions]
