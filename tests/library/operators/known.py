"""Where a difference is known, and what is compared instead."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["UNFINISHED_IN_PYTORCH", "known_reason", "same_choice", "up_to_sign"]

# PyTorch 2.13 writes outside of the memory of a column-major out of more than three dimensions.
UNFINISHED_IN_PYTORCH = ("tril", "triu")

# Operators that name elements by their index; which of equal elements they name, PyTorch leaves open.
_CHOOSES = ("argsort", "kthvalue", "median", "mode", "nanmedian", "sort", "topk")

# Operators whose matrices have columns of either sign.
_EITHER_SIGN = ("linalg.eigh", "linalg.svd", "svd")

_REASONS = {
    ("addbmm", "in place", "error"): "addbmm_ of PyTorch changes the shape of its tensor; here it keeps it",
    ("matmul", "out", "error"): "PyTorch folds a batch of row vectors before it looks at the strides of out",
    ("normal", "out", "error"): "PyTorch takes no out without elements beside one number; here it is resized",
    ("nn.functional.rms_norm", "function", "stride"): "PyTorch's strides of no elements are by chance",
    ("amax", "", "error"): "tensors of more than 64 dimensions",
    ("amin", "", "error"): "tensors of more than 64 dimensions",
    ("aminmax", "", "error"): "tensors of more than 64 dimensions",
    ("nn.functional.embedding", "function", "error"): "there are no sparse gradients: sparse=True is refused",
    ("polygamma", "", "values"): "PyTorch's trigamma loses digits below 0",
    ("special.polygamma", "", "values"): "PyTorch's trigamma loses digits below 0",
    ("special.ndtr", "", "values"): "PyTorch's ndtr is a sum with 1, which keeps no digits of the lower tail",
    (
        "sinc",
        "",
        "values",
    ): "at whole numbers nothing is left but rounding, and here it is computed in float64",
    (
        "nn.functional.embedding_bag",
        "function",
        "error",
    ): "there are no sparse gradients: sparse=True is refused",
    ("nn.functional.local_response_norm", "function", "error"): "the mean of integers is refused",
    ("histogram", "", "values"): "PyTorch adds weights in float32, and here they add up in float64",
    ("cholesky", "", "stride"): "PyTorch's strides of no elements are by chance",
    ("deg2rad", "", "stride"): "PyTorch's strides of no elements are by chance",
    ("rad2deg", "", "stride"): "PyTorch's strides of no elements are by chance",
    ("isreal", "", "stride"): "PyTorch's strides of no elements are by chance",
    ("linalg.lstsq", "out", "error"): "lstsq takes no out, and PyTorch documents none",
}


def known_reason(operator: str, form: str, found: str) -> str | None:
    """Why a difference is there on purpose; None for one that nobody has explained."""
    fact = found.partition(":")[0]
    for (name, where, what), reason in _REASONS.items():
        if operator == name and where in ("", form) and what == fact:
            return reason
    return None


def same_choice(torch: Any, operator: str, arguments: tuple, keywords: dict, ours: Any, theirs: Any) -> bool:
    """Whether two results name the same values, be it at other places."""
    if operator not in _CHOOSES:
        return False
    position = 1 if operator in ("kthvalue", "topk") else 0
    dim = keywords.get("dim", arguments[position + 1] if len(arguments) > position + 1 else -1)
    indices = [result if operator == "argsort" else result[1] for result in (ours, theirs)]
    values = arguments[0]
    chosen = []
    for index in indices:
        places = np.atleast_1d(np.array(index.tolist()))
        if places.ndim < values.ndim:
            places = np.expand_dims(places, dim)
        chosen.append(np.take_along_axis(np.atleast_1d(np.array(values.tolist())), places, dim))
    return np.array_equal(*chosen)


def up_to_sign(operator: str, ours: Any, theirs: Any) -> bool:
    """Whether the matrices of two results are made of the same columns, or rows, up to their signs."""
    if operator not in _EITHER_SIGN:
        return False
    for position, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        a, b = np.abs(np.array(mine.tolist())), np.abs(np.array(other.tolist()))
        if operator == "svd" and position == 2:  # V stands here as it is in linalg.svd, turned
            a, b = a.swapaxes(-1, -2), b.swapaxes(-1, -2)
        if operator.endswith("svd") and position != 1:  # further columns of U, rows of Vh, are any basis
            count = ours[1].shape[-1]
            a, b = (m[..., :count] if position == 0 else m[..., :count, :] for m in (a, b))
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-4, atol=1e-5):
            return False
    return True
