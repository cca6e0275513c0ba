"""How precise a program wants products of matrices to be."""

from __future__ import annotations

from tensorlab.core.warned import warn_caller
from tensorlab.registry import op

_PRECISIONS = ("highest", "high", "medium")
_precision = ["highest"]


@op()
def set_float32_matmul_precision(precision: str) -> None:
    """Say how precise products of float32 matrices must be: at least so much.

    Args:
        precision: ``"highest"`` for float32 throughout; ``"high"`` and ``"medium"`` allow fewer digits. Here
            products are computed in float32 whatever is allowed.

    Example:
        >>> tl.set_float32_matmul_precision("high")
        >>> tl.get_float32_matmul_precision()
        'high'
        >>> tl.set_float32_matmul_precision("highest")
    """
    if precision in _PRECISIONS:
        _precision[0] = precision
    else:
        warn_caller(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current "
            f"set_float32_matmul_precision call has no effect"
        )


@op()
def get_float32_matmul_precision() -> str:
    """How precise products of float32 matrices must be; see `set_float32_matmul_precision`.

    Example:
        >>> tl.get_float32_matmul_precision()
        'highest'
    """
    return _precision[0]
