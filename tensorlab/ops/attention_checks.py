"""What attention refuses."""

from __future__ import annotations

from tensorlab.core import dtypes
from tensorlab.tensor import Tensor

__all__ = ["check_attention", "two_masks"]


def check_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    """Refuse operands of `tensorlab.nn.functional.scaled_dot_product_attention` that do not fit.

    Raises:
        RuntimeError: a tensor has too few dimensions, the dtypes differ or are no floats, the lengths of
            queries and keys differ, or the numbers of keys and values.
        IndexError: the mask has too few dimensions.
    """
    operands = {"query": query, "key": key, "value": value}
    if any(x.ndim < 2 for x in operands.values()):
        dims = ", ".join(f"{name} {x.ndim}" for name, x in operands.items())
        raise RuntimeError(
            f"Expected query, key, and value to all be at least 2 dimensional, but got {dims}: the last two "
            f"dimensions are rows and their length"
        )
    if not query._dtype is key._dtype is value._dtype:
        names = ", ".join(f"{name} {x._dtype.name}" for name, x in operands.items())
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got {names}")
    if not query._dtype.is_floating_point:
        raise RuntimeError(
            f"expected scalar type Float but found {query._dtype.name}: weights lie between whole numbers; "
            f"convert first, x.to(tensorlab.float32)"
        )
    if query._shape[-1] != key._shape[-1]:
        raise RuntimeError(
            f"Expected queries and keys of one length, but query has shape {list(query._shape)} and key "
            f"{list(key._shape)}: their last sizes must be equal"
        )
    if key._shape[-2] != value._shape[-2]:
        raise RuntimeError(
            f"Expected a value for each key, but key has shape {list(key._shape)} and value "
            f"{list(value._shape)}: their second-to-last sizes must be equal"
        )
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if mask is None:
        return
    if mask._dtype not in (dtypes.bool, dtypes.float32, query._dtype):
        raise RuntimeError(
            f"Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"{mask._dtype.name} beside {query._dtype.name}"
        )
    if mask.ndim < 2:
        raise IndexError(
            f"Dimension out of range: attn_mask needs a row for each query and a column for each key, and "
            f"has shape {tuple(mask._shape)}"
        )


def two_masks(beside: str) -> RuntimeError:
    """The error for a mask beside `is_causal`.

    Args:
        beside: what it was given with, so that one kernel cannot take both.
    """
    return RuntimeError(
        f"Explicit attn_mask should not be set when is_causal=True, beside {beside}: put both into one mask, "
        f"attn_mask & tensorlab.ones(queries, keys, dtype=tensorlab.bool).tril()"
    )
