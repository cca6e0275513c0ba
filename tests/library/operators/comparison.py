"""What of two results is compared, and how near numbers must be."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlab as tl
from tests.library.operators.translation import leaves

__all__ = ["difference", "error_difference"]

# The largest error allowed, as a part of the largest number in the result: sums are added in another order.
TOLERANCES = {"float64": 1e-13, "float32": 3e-6, "float16": 2e-3, "bfloat16": 1.6e-2}


def difference(
    torch: Any, ours: Any, theirs: Any, *, values: bool = True, tolerance: float = 1.0
) -> str | None:
    """In what two results differ, in words; None where they agree.

    Args:
        torch: PyTorch.
        ours: what this library returned.
        theirs: what PyTorch returned.
        values: whether numbers are compared too.
        tolerance: a factor on `TOLERANCES`.
    """
    if isinstance(theirs, torch.Tensor):
        return _tensors(ours, theirs, values, tolerance)
    if isinstance(theirs, (tuple, list)):
        if not isinstance(ours, (tuple, list)) or isinstance(ours, list) != isinstance(theirs, list):
            return f"type: {type(ours).__name__}, PyTorch {type(theirs).__name__}"
        if len(ours) != len(theirs):
            return f"length: {len(ours)}, PyTorch {len(theirs)}"
        if getattr(type(ours), "_fields", None) is None and hasattr(type(theirs), "n_sequence_fields"):
            return f"field names: {type(ours).__name__} has none, PyTorch {type(theirs).__name__}"
        for mine, other in zip(ours, theirs, strict=True):
            found = difference(torch, mine, other, values=values, tolerance=tolerance)
            if found:
                return found
        return None
    if isinstance(theirs, torch.dtype):
        return (
            None
            if ours.name == str(theirs).removeprefix("torch.")
            else f"dtype object: {ours}, PyTorch {theirs}"
        )
    if type(ours) is not type(theirs):
        return f"type: {type(ours).__name__}, PyTorch {type(theirs).__name__}"
    if isinstance(theirs, float):
        return (
            None
            if np.isclose(ours, theirs, rtol=1e-6, equal_nan=True)
            else f"value: {ours}, PyTorch {theirs}"
        )
    return None if ours == theirs else f"value: {ours}, PyTorch {theirs}"


def _tensors(ours: Any, theirs: Any, values: bool, tolerance: float) -> str | None:
    if not isinstance(ours, tl.Tensor):
        return f"type: {type(ours).__name__}, PyTorch Tensor"
    facts = {
        "dtype": (ours.dtype.name, str(theirs.dtype).removeprefix("torch.")),
        "shape": (tuple(ours.shape), tuple(theirs.shape)),
        "stride": (ours.stride(), theirs.stride()),
    }
    for fact, (mine, other) in facts.items():
        if mine != other:
            return f"{fact}: {mine}, PyTorch {other}"
    if not values or not theirs.numel():
        return None
    name = ours.dtype.name
    if name not in TOLERANCES:
        a, b = np.array(ours.tolist()), np.array(theirs.tolist())
        return None if np.array_equal(a, b) else f"values: {_some(a, b, a != b)}"
    a, b = np.array(ours.tolist(), np.float64), np.array(theirs.tolist(), np.float64)
    finite = np.isfinite(b)
    scale = np.abs(b[finite]).max(initial=np.finfo(np.float32).tiny)
    with np.errstate(invalid="ignore"):
        wrong = np.where(
            finite,
            ~(np.abs(a - b) <= TOLERANCES[name] * tolerance * scale),
            ~((a == b) | (np.isnan(a) & np.isnan(b))),
        )
    return f"values: {_some(a, b, wrong)}" if wrong.any() else None


def _some(ours: np.ndarray, theirs: np.ndarray, wrong: np.ndarray) -> str:
    first = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))
    at = first if wrong.ndim else ()
    return f"{int(wrong.sum())} of {wrong.size}, at {at}: {ours[at]}, PyTorch {theirs[at]}"


def sharing(torch: Any, ours: Any, our_inputs: Any, theirs: Any, their_inputs: Any) -> str | None:
    """In what two results differ in the memory that they share with the inputs, and in being the inputs."""
    pairs = list(zip(leaves(ours, tl.Tensor), leaves(theirs, torch.Tensor), strict=True))
    inputs = list(zip(leaves(our_inputs, tl.Tensor), leaves(their_inputs, torch.Tensor), strict=True))
    for mine, other in pairs:
        for my_input, other_input in inputs:
            if not other.untyped_storage().nbytes() or not other_input.untyped_storage().nbytes():
                continue
            shares = mine.untyped_storage() is my_input.untyped_storage()
            expected = other.untyped_storage().data_ptr() == other_input.untyped_storage().data_ptr()
            if shares != expected:
                return f"sharing: {shares}, PyTorch {expected}"
            if shares and mine.storage_offset() != other.storage_offset():
                return f"offset: {mine.storage_offset()}, PyTorch {other.storage_offset()}"
            if (mine is my_input) != (other is other_input):
                return f"is its input: {mine is my_input}, PyTorch {other is other_input}"
    return None


def error_difference(ours: Exception | None, theirs: Exception | None) -> str | None:
    """In what the errors of two calls differ; None where both raised the same type, or neither raised."""
    if _kind(ours) == _kind(theirs):
        return None
    return f"error: {_described(ours)}; PyTorch {_described(theirs)}"


def _kind(error: Exception | None) -> str:
    # PyTorch raises NotImplementedError, which is a RuntimeError, wherever a kernel lacks a dtype.
    return "RuntimeError" if isinstance(error, NotImplementedError) else type(error).__name__


def _described(error: Exception | None) -> str:
    if error is None:
        return "none"
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:150]}"
