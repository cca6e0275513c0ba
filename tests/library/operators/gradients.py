"""Gradients of PyTorch's samples: first and second derivatives of every operator, on both sides.

python -m tests.library.operators.gradients [names]
"""

from __future__ import annotations

import argparse
import collections
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import tensorlab as tl
from tests.library.operators.calls import Comparison, covered, described, forms
from tests.library.operators.translation import Untranslatable, leaves, translate

__all__ = ["DIFFERENT", "compare_gradients"]


# Where the two differ on purpose: in place it takes another shape in PyTorch (see the compatibility page).
DIFFERENT = {("addbmm", "in place")}


def compare_gradients(torch: Any, op: Any, most: int | None = None) -> Iterator[Comparison]:
    """Compare the gradients of an operator's float64 samples, all or the first few, in each form."""
    if not op.supports_autograd or not op.supports_dtype(torch.float64, "cpu"):
        return
    torch.manual_seed(0)
    for sample in list(op.sample_inputs("cpu", torch.float64, requires_grad=True))[:most]:
        for form, ours, theirs in forms(torch, op):
            if form == "method" or (op.name, form) in DIFFERENT:
                continue
            call = (sample.input, *sample.args), sample.kwargs
            settled = sample.output_process_fn_grad
            ours, theirs = (_settled(settled, library, f) for library, f in ((tl, ours), (torch, theirs)))
            comparison = _compare(torch, op, form, ours, theirs, *call)
            if comparison is not None:
                yield comparison


def _settled(process: Callable, library: Any, function: Callable) -> Callable:
    """The function with its results made independent of choices, such as that of an eigenvector's sign.

    PyTorch keeps beside a sample what its own tests do to the results for that end.
    """
    rebound = process
    if isinstance(process, types.FunctionType):
        names = {**process.__globals__, "torch": library}
        rebound = types.FunctionType(
            process.__code__, names, process.__name__, process.__defaults__, process.__closure__
        )
    return lambda *arguments, **keywords: rebound(function(*arguments, **keywords))


def _compare(
    torch: Any, op: Any, form: str, ours: Any, theirs: Any, arguments: tuple, keywords: dict
) -> Comparison | None:
    flags = [tensor.requires_grad for tensor in leaves((arguments, keywords), torch.Tensor)]
    detached = _detached(torch, (arguments, keywords))
    try:
        our_inputs = translate(torch, detached)
    except Untranslatable:
        return None
    expected = _gradients(torch, theirs, form, detached, flags)
    got = _gradients(tl, ours, form, our_inputs, flags)
    name = f"{op.name} {op.variant_test_name}".strip()
    return Comparison(name, form, described(torch, arguments, keywords), _difference(got, expected, name))


# At 0 PyTorch masks the slope of these with one `where`, so that the slope of the slope is NaN; here it is 0.
MASKED_ONCE = ("norm", "dist", "std")


def _detached(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_detached(torch, item) for item in value)
    if isinstance(value, list):
        return [_detached(torch, item) for item in value]
    if isinstance(value, dict):
        return {key: _detached(torch, item) for key, item in value.items()}
    return value


def _gradients(library: Any, function: Any, form: str, call: Any, flags: list[bool]) -> Any:
    """The results that have a gradient, the gradients of the inputs, and those of the gradients."""
    inputs = list(leaves(call, library.Tensor))
    chosen = [tensor for tensor, flag in zip(inputs, flags, strict=True) if flag]
    for tensor in chosen:
        tensor.requires_grad_()
    arguments, keywords = call
    library.manual_seed(0)
    try:
        if form == "in place":
            arguments = (arguments[0].clone(), *arguments[1:])
        returned = function(*arguments, **keywords)
        outputs = [r for r in leaves(returned, library.Tensor) if r.requires_grad]
        flat = [tensor.requires_grad for tensor in leaves(returned, library.Tensor)]
        if not outputs:
            return flat, [], []
        weights = [_weights(library, output) for output in outputs]
        first = library.autograd.grad(outputs, chosen, weights, create_graph=True, allow_unused=True)
        total = None
        for gradient in first:
            if gradient is not None and gradient.requires_grad:
                term = (gradient * gradient).sum()
                total = term if total is None else total + term
        second = [None] * len(first)
        if total is not None and total.requires_grad:
            second = list(library.autograd.grad(total, chosen, allow_unused=True))
        return flat, _numbers(first), _numbers(second)
    except Exception as error:  # any type: it is what is compared
        return error


def _weights(library: Any, output: Any) -> Any:
    count = output.numel()
    return (
        (library.arange(count, dtype=library.float64) * 0.31 % 1.0 + 0.4)
        .reshape(output.shape)
        .to(output.dtype)
    )


def _numbers(gradients: Any) -> list:
    return [None if g is None else (tuple(g.shape), g.detach().reshape(-1).tolist()) for g in gradients]


def _difference(got: Any, expected: Any, name: str) -> str | None:
    if isinstance(expected, Exception):
        return None  # what PyTorch does not differentiate has no reference
    if isinstance(got, Exception):
        return f"error: {type(got).__name__}: {got}"
    if got[0] != expected[0]:
        return f"requires_grad: {got[0]} where PyTorch has {expected[0]}"
    for which, mine, theirs in (("first", got[1], expected[1]), ("second", got[2], expected[2])):
        for place, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            if which == "second" and (a is None or b is None):
                a, b = a or (b and (b[0], [0.0] * len(b[1]))), b or (a and (a[0], [0.0] * len(a[1])))
            if which == "second" and a and b and any(part in name for part in MASKED_ONCE):
                b = (
                    b[0],
                    [mine if theirs != theirs else theirs for mine, theirs in zip(a[1], b[1], strict=True)],
                )
            if (a is None) != (b is None) or (a is not None and not _close(a, b)):
                return f"{which} derivative {place}: {str(a)[:120]} where PyTorch has {str(b)[:120]}"
    return None


def _close(a: tuple, b: tuple) -> bool:
    return a[0] == b[0] and all(
        x == y or (x != x and y != y) or abs(x - y) <= 1e-7 * (1 + abs(x) + abs(y))
        for x, y in zip(a[1], b[1], strict=True)
    )


def main() -> int:
    """Command line: which operators. 1 if any differs."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    parser = argparse.ArgumentParser(prog="tests.library.operators.gradients", description=__doc__)
    parser.add_argument("names", nargs="*", help="operators; all without any")
    names = parser.parse_args().names
    calls = 0
    failed: collections.Counter[str] = collections.Counter()
    for op in op_db:
        if not covered(op) or op.name not in (names or [op.name]):
            continue
        comparisons = list(compare_gradients(torch, op))
        calls += len(comparisons)
        wrong = [comparison for comparison in comparisons if comparison.found]
        if wrong:
            failed[op.name] += len(wrong)
            first = wrong[0]
            print(f"{first.operator} [{first.form}] {len(wrong)} of {len(comparisons)}: {first.call[:150]}")
            print(f"    {str(first.found)[:260]}", flush=True)
    print(f"{calls} calls, {sum(failed.values())} differ, in {len(failed)} operators: {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
