"""gradcheck and gradgradcheck of every differentiable operator, its inputs laid out in many ways.

The calls are PyTorch's samples of its operators in float64; the derivatives are held against finite
differences of this library's own results. Each sample is tried with all inputs that have a gradient
transposed, shifted in their storage, every second element of another tensor, expanded, and cut to one row and
to none. Where a check fails, PyTorch is asked: a function may have no derivative at the sample's values.

    python -W ignore -m tests.library.gradients.operator_layouts            all of it
    python -W ignore -m tests.library.gradients.operator_layouts add sort   these operators
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import tensorlab as tl
from tests.library.operators.calls import covered, described, forms
from tests.library.operators.gradients import DIFFERENT
from tests.library.operators.translation import Untranslatable, leaves, translate

__all__ = ["LAYOUTS", "Check", "check_operator"]

# Of each layout what makes a leaf of the values, and what makes an operand of `size` rows of the leaf.
Layout = tuple[Callable[[Any, Any], Any], Callable[[Any, int], Any]]

LAYOUTS: dict[str, Layout] = {
    "row-major": (lambda t, x: x.clone(), lambda leaf, size: leaf),
    "transposed": (lambda t, x: x.transpose(0, -1).contiguous(), lambda leaf, size: leaf.transpose(0, -1)),
    "offset": (lambda t, x: t.cat([x[:1], x]), lambda leaf, size: leaf[leaf.shape[0] - size :]),
    "stepped": (lambda t, x: t.stack([x, x], -1), lambda leaf, size: leaf.select(-1, 1)),
    "expanded": (lambda t, x: x[:1].clone(), lambda leaf, size: leaf.expand(size, *leaf.shape[1:])),
    "one row": (lambda t, x: x[:1].clone(), lambda leaf, size: leaf),
    "no row": (lambda t, x: x[:0].clone(), lambda leaf, size: leaf),
}

# Functions of random numbers, whose differences are those of the draws.
RANDOM = {
    "bernoulli", "normal", "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
    "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d",
}  # fmt: skip


# Of these PyTorch does not look at the shapes of what has no elements; here they have to fit all the same.
LENIENT = {"nn.functional.scaled_dot_product_attention"}

EPSILON = 2.0**-52  # of float64
STEP = 1e-6  # gradcheck's own


@dataclass
class Check:
    """One call in one layout.

    Attributes:
        operator: the operator's name, and the name of the variant.
        layout: the name of the layout.
        call: the arguments, in words.
        found: why a check failed, or None.
    """

    operator: str
    layout: str
    call: str
    found: str | None


def check_operator(
    torch: Any, op: Any, most: int | None = None, layouts: tuple[str, ...] = tuple(LAYOUTS)
) -> Iterator[Check]:
    """Check the samples of an operator, all or the first few, in each layout, as a function and in place."""
    if op.name in RANDOM or not op.supports_autograd or not op.supports_dtype(torch.float64, "cpu"):
        return
    name = f"{op.name} {op.variant_test_name}".strip()
    torch.manual_seed(0)
    for sample in list(op.sample_inputs("cpu", torch.float64, requires_grad=True))[:most]:
        call = (sample.input, *sample.args), sample.kwargs
        for form, ours, theirs in forms(torch, op):
            if form == "method" or (op.name, form) in DIFFERENT:
                continue
            for layout in layouts:
                found = _check(torch, form, ours, theirs, call, layout)
                if found is not None and layout == "no row" and op.name in LENIENT:
                    continue
                if found != UNCOVERED:
                    yield Check(f"{name} [{form}]", layout, described(torch, *call), found)


UNCOVERED = "not a call of this library"


def _check(torch: Any, form: str, ours: Any, theirs: Any, call: Any, layout: str) -> str | None:
    """What is wrong with the derivatives of one call; None if nothing is, or PyTorch's are no better."""
    flags = [tensor.requires_grad for tensor in leaves(call, torch.Tensor)]
    values = _detached(torch, call)
    try:
        function, points = _as_function(tl, ours, form, translate(torch, values), flags, layout)
    except Untranslatable:
        return UNCOVERED
    failures = _failures(tl.autograd, function, points, tl.Tensor)
    if failures:
        function, points = _as_function(torch, theirs, form, values, flags, layout)
        failures = failures if not _failures(torch.autograd, function, points, torch.Tensor) else ""
    return failures or None


def _detached(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_detached(torch, item) for item in value)
    if isinstance(value, dict):
        return {key: _detached(torch, item) for key, item in value.items()}
    return value


def _as_function(
    library: Any, function: Callable, form: str, call: Any, flags: list[bool], layout: str
) -> tuple[Callable, list[Any]]:
    """The call as a function of its leaves alone, and the leaves."""
    tensors = list(leaves(call, library.Tensor))
    lay, view = LAYOUTS[layout]
    points: dict[int, Any] = {}
    for tensor, flag in zip(tensors, flags, strict=True):
        if flag and id(tensor) not in points:
            leaf = lay(library, tensor) if tensor.ndim else tensor.clone()
            points[id(tensor)] = leaf.requires_grad_()

    def put(value: Any, operands: dict[int, Any]) -> Any:
        if isinstance(value, library.Tensor):
            if id(value) not in points:
                return value
            operand = operands[id(value)]
            return view(operand, value.shape[0]) if value.ndim else operand
        if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
            return type(value)(put(item, operands) for item in value)
        if isinstance(value, dict):
            return {key: put(item, operands) for key, item in value.items()}
        return value

    def called(*given: Any) -> tuple:
        arguments, keywords = put(call, dict(zip(points, given, strict=True)))
        if form == "in place":
            arguments = (arguments[0].clone(), *arguments[1:])
        library.manual_seed(0)
        return tuple(leaves(function(*arguments, **keywords), library.Tensor))

    return called, list(points.values())


def _failures(autograd: Any, function: Callable, points: list[Any], kind: type) -> str:
    """What gradcheck, or gradgradcheck, says against a function; that it raises where it does."""
    try:
        outputs = function(*points)
    except Exception as error:  # any type: it is asked of PyTorch next
        return f"the call raises {type(error).__name__}: {error}"
    if not any(output.requires_grad for output in outputs):
        return ""
    # A difference is no more exact than the numbers that it is taken of.
    largest = max((output.detach().abs().max().item() for output in outputs if output.numel()), default=0.0)
    atol = 1e-5 + min(largest, 1e9) * EPSILON / STEP
    for check in (autograd.gradcheck, autograd.gradgradcheck):
        try:
            check(_differentiable(function), tuple(points), fast_mode=True, atol=atol)
        except Exception as error:  # any type: a wrong gradient, or one that cannot be computed
            return f"{check.__name__}: {type(error).__name__}: {error}"
    return ""


def _differentiable(function: Callable) -> Callable:
    """The function with those of its results alone that have a gradient."""

    def results(*points: Any) -> tuple:
        return tuple(result for result in function(*points) if result.dtype.is_floating_point)

    return results


def main() -> int:
    """Command line: which operators, how many samples of each. 1 if any check fails."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="operators; all without any")
    parser.add_argument("--samples", type=int, help="how many samples of each operator; all without it")
    options = parser.parse_args()
    began, count, failed = time.perf_counter(), 0, 0
    for op in op_db:
        if not covered(op) or op.name not in (options.names or [op.name]):
            continue
        for check in check_operator(torch, op, options.samples):
            count += 1
            if check.found:
                failed += 1
                print(
                    f"{check.operator}, {check.layout}: {check.call[:150]}\n    {check.found[:260]}",
                    flush=True,
                )
    print(f"{count} calls checked, {failed} fail, {time.perf_counter() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
