"""The calls to compare: PyTorch's samples of an operator, in each form that the operator has."""

from __future__ import annotations

import copy
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import tensorlab as tl
from tests.library.operators.comparison import difference, error_difference, sharing
from tests.library.operators.known import UNFINISHED_IN_PYTORCH, known_reason, same_choice, up_to_sign
from tests.library.operators.translation import Untranslatable, leaves, translate

__all__ = ["Comparison", "compare_operator", "covered", "covered_operators", "draws"]

DTYPES = ("float32", "float64", "int64", "bool")


@dataclass
class Comparison:
    """One call on both sides.

    Attributes:
        operator: the operator's name, and the name of the variant.
        form: ``function``, ``method``, ``in place`` or ``out``.
        call: the arguments, in words.
        found: the first difference, or None.
        reason: why it is there, where that is known.
    """

    operator: str
    form: str
    call: str
    found: str | None
    reason: str | None = None


def resolve(owner: Any, name: str) -> Any:
    """What a dotted name means in a library; None where it has no such name."""
    for part in name.split("."):
        owner = getattr(owner, part, None)
    return owner


def covered(op: Any) -> bool:
    """Whether this library has the operator as a function or as a method."""
    return resolve(tl, op.name) is not None or hasattr(tl.Tensor, op.name)


def covered_operators() -> list[Any]:
    """PyTorch's operators that this library has, in the order of their names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db

    return sorted((op for op in op_db if covered(op)), key=lambda op: (op.name, op.variant_test_name))


def forms(torch: Any, op: Any) -> Iterator[tuple[str, Callable, Callable]]:
    """The forms of an operator: a name, this library's function and PyTorch's."""
    if isinstance(op.op, types.FunctionType) and "torch.testing" in op.op.__module__:
        # PyTorch's list wraps the call: the same wrapper, with this library in the place of torch.
        yield "function", _rebound(op.op, tl), _rebound(op.op, torch)
    elif resolve(tl, op.name) is not None:
        yield "function", resolve(tl, op.name), resolve(torch, op.name) or op.op
    name = op.name
    if "." in name:
        return
    if (
        op.method_variant is not None
        and hasattr(torch.Tensor, name)
        and callable(getattr(torch.Tensor, name))
    ):
        yield "method", _method(name), _method(name)
    if op.inplace_variant is not None and hasattr(torch.Tensor, f"{name}_"):
        yield "in place", _method(f"{name}_"), _method(f"{name}_")


def _method(name: str) -> Callable:
    def call(first: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(first, name)(*arguments, **keywords)

    return call


def _rebound(function: types.FunctionType, library: Any) -> Callable:
    def wrapper_set_seed(op: Callable, *arguments: Any, **keywords: Any) -> Any:
        library.manual_seed(42)
        return op(*arguments, **keywords)

    namespace = {**function.__globals__, "torch": library, "wrapper_set_seed": wrapper_set_seed}
    return types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )


def samples(torch: Any, op: Any, dtype: str) -> Iterator[Any]:
    """The samples of one dtype: first as PyTorch gives them, then with tensors that have gaps."""
    torch.manual_seed(0)
    with torch.no_grad():
        drawn = list(op.sample_inputs("cpu", getattr(torch, dtype)))
    for sample in drawn:
        yield sample
        if any(
            tensor.numel() > 1 for tensor in leaves((sample.input, sample.args, sample.kwargs), torch.Tensor)
        ):
            yield sample.noncontiguous()


def draws(torch: Any, op: Any, sample: Any) -> bool:
    """Whether a call draws random numbers, which are others on a GPU."""
    unused = []
    for seed in (42, 0):  # 42 is what PyTorch's wrappers begin with
        torch.manual_seed(seed)
        unused.append(torch.get_rng_state())
    arguments, keywords = copy.deepcopy(((sample.input, *sample.args), sample.kwargs))
    _, _, call = next(forms(torch, op))
    call(*arguments, **keywords)
    return not any(torch.equal(torch.get_rng_state(), state) for state in unused)


def compare_operator(
    torch: Any, op: Any, dtypes: tuple[str, ...] = DTYPES, every: int = 1
) -> Iterator[Comparison]:
    """Compare every so-manieth sample of an operator in every form it has, then the calls that must raise."""
    for dtype in dtypes:
        if op.supports_dtype(getattr(torch, dtype), "cpu"):
            for sample in islice(samples(torch, op, dtype), 0, None, every):
                yield from compare_sample(torch, op, sample)
    if op.error_inputs_func is not None:
        for error in op.error_inputs("cpu"):
            yield from compare_sample(torch, op, error.sample_input)


def compare_sample(torch: Any, op: Any, sample: Any, values: bool = True) -> Iterator[Comparison]:
    """One sample in every form of its operator; its numbers too, if `values` says so."""
    arguments = (sample.input, *sample.args), sample.kwargs
    for form, ours, theirs in forms(torch, op):
        if form != "function" and "out" in sample.kwargs:
            continue  # methods take none in PyTorch; here they are the same functions
        comparison = compare_call(torch, op, form, ours, theirs, *arguments, values)
        if comparison is not None:
            yield comparison
        if form == "function" and op.supports_out and "out" not in sample.kwargs:
            yield from compare_out(torch, op, ours, theirs, *arguments, values)


def compare_out(
    torch: Any, op: Any, ours: Callable, theirs: Callable, arguments: tuple, keywords: dict, values: bool
) -> Iterator[Comparison]:
    """The call with `out`: first without elements, then of the right shape and in column-major order."""
    result, error = _attempt(torch, theirs, *copy.deepcopy((arguments, keywords)))
    tensors = list(leaves(result, torch.Tensor))
    if error is not None or not tensors or len(tensors) < (len(result) if isinstance(result, tuple) else 1):
        return
    if op.name.startswith("nn."):  # those of PyTorch take an out that is not documented
        return
    bare = [torch.empty(0, dtype=t.dtype) for t in tensors]
    turned = [torch.zeros(t.shape[::-1], dtype=t.dtype).permute(tuple(range(t.ndim))[::-1]) for t in tensors]
    unsafe = op.name in UNFINISHED_IN_PYTORCH and any(tensor.ndim > 3 for tensor in tensors)
    for outs in (bare,) if unsafe else (bare, turned):
        out = outs[0] if isinstance(result, torch.Tensor) else tuple(outs)
        given = arguments, {**keywords, "out": out}
        comparison = compare_call(torch, op, "out", ours, theirs, *given, values)
        if comparison is not None:
            yield comparison


def compare_call(
    torch: Any,
    op: Any,
    form: str,
    ours: Callable,
    theirs: Callable,
    arguments: tuple,
    keywords: dict,
    values: bool = True,
) -> Comparison | None:
    """One call on both sides; None where its arguments do not exist here."""
    name = f"{op.name} {op.variant_test_name}".strip()
    their_inputs = copy.deepcopy((arguments, keywords))
    try:
        our_inputs = translate(torch, their_inputs)
    except Untranslatable:
        return None
    call = described(torch, arguments, keywords)
    expected, their_error = _attempt(torch, theirs, *their_inputs)
    if any(t.is_complex() or t.layout != torch.strided for t in leaves(expected, torch.Tensor)):
        return None
    got, our_error = _attempt(tl, ours, *our_inputs)
    found = error_difference(our_error, their_error)
    if found is None and their_error is None:
        values = values and not op.name.startswith(("empty", "new_empty"))
        found = difference(torch, got, expected, values=values) or sharing(
            torch, got, our_inputs, expected, their_inputs
        )
        if found is None:
            changed = difference(
                torch,
                list(leaves(our_inputs, tl.Tensor)),
                list(leaves(their_inputs, torch.Tensor)),
                values=values,
            )
            found = changed and f"an input afterwards: {changed}"
    if found is not None and found.startswith("values") and their_error is None:
        same = same_choice(torch, op.name, arguments, keywords, got, expected)
        found = None if same or up_to_sign(op.name, got, expected) else found
    return Comparison(name, form, call, found, found and known_reason(op.name, form, found))


def _attempt(
    library: Any, function: Callable, arguments: tuple, keywords: dict
) -> tuple[Any, Exception | None]:
    library.manual_seed(0)
    try:
        return function(*arguments, **keywords), None
    except Exception as error:  # any type: it is what is compared
        return None, error


def described(torch: Any, *values: Any) -> str:
    """Arguments in words: tensors by dtype, shape and stride."""

    def one(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            dtype = str(value.dtype).removeprefix("torch.")
            strides = "" if value.is_contiguous() else f" stride {value.stride()}"
            numbers = f"={value.tolist()}" if value.numel() < 4 else ""
            return f"<{dtype} {tuple(value.shape)}{strides}{numbers}>"
        if isinstance(value, (tuple, list)):
            return f"{type(value).__name__}({', '.join(map(one, value))})"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {one(item)}" for key, item in value.items()) + "}"
        return repr(value)

    return ", ".join(map(one, values))
