"""The same module in both libraries: weights copied, outputs, gradients, text and names compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlab as tl

torch = pytest.importorskip("torch")

TOLERANCE = {"float32": 2e-5, "float64": 1e-10}


def theirs(value: Any) -> Any:
    """A tensor of PyTorch with the numbers of one of ours; containers item by item."""
    if isinstance(value, tl.Tensor):
        made = torch.tensor(value.detach().numpy())
        return made.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(theirs(item) for item in value)
    if isinstance(value, dict):
        return {name: theirs(item) for name, item in value.items()}
    return value


def copy_state(ours: Any, other: Any) -> None:
    """Give PyTorch's module the weights of ours; their names must be the same."""
    state = ours.state_dict()
    assert list(state) == list(other.state_dict())
    other.load_state_dict({name: torch.tensor(tensor.numpy()) for name, tensor in state.items()})


def tensors(value: Any) -> list[Any]:
    """All tensors in nested tuples."""
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in tensors(item)]
    return [] if value is None else [value]


def agree(ours: Any, other: Any, dtype: str = "float32") -> None:
    """Assert that nested results have the same shapes and, nearly, the same numbers."""
    found, expected = tensors(ours), tensors(other)
    assert len(found) == len(expected)
    for mine, yours in zip(found, expected, strict=True):
        assert tuple(mine.shape) == tuple(yours.shape)
        assert str(mine.dtype).split(".")[-1] == str(yours.dtype).split(".")[-1]
        np.testing.assert_allclose(
            mine.detach().numpy(), yours.detach().numpy(), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype]
        )


def same_text(ours: object, other: object) -> None:
    """Assert that both print the same, but for the library's name."""
    assert repr(ours) == repr(other).replace("torch.", "tensorlab.")


def compare(name: str, arguments: tuple, options: dict, *inputs: Any, dtype: str = "float32") -> None:
    """Make the module `name` of both libraries, and compare text, names, outputs and all gradients."""
    mine = getattr(tl.nn, name)(*arguments, **options)
    yours = getattr(torch.nn, name)(*arguments, **options)
    same_text(mine, yours)
    if dtype == "float64":
        mine, yours = mine.double(), yours.double()
        inputs = tuple(as_double(value) for value in inputs)
    compare_modules(mine, yours, *inputs, dtype=dtype)


def as_double(value: Any) -> Any:
    """The same in float64."""
    if isinstance(value, tuple):
        return tuple(as_double(item) for item in value)
    if isinstance(value, tl.Tensor) and value.is_floating_point():
        return value.detach().double().requires_grad_(value.requires_grad)
    return value


def compare_modules(mine: Any, yours: Any, *inputs: Any, dtype: str = "float32", **options: Any) -> None:
    """Copy the weights, then compare outputs, gradients and buffers."""
    copy_state(mine, yours)
    copies = theirs(inputs)
    output, expected = mine(*inputs, **options), yours(*copies, **theirs(options))
    agree(output, expected, dtype)
    weighted_sum(output).backward()
    weighted_sum(expected).backward()
    gradients = {key: value.grad for key, value in mine.named_parameters()}
    wanted = {key: value.grad for key, value in yours.named_parameters()}
    assert list(gradients) == list(wanted)
    assert [key for key, value in gradients.items() if value is None] == [
        key for key, value in wanted.items() if value is None
    ]
    agree(list(gradients.values()), list(wanted.values()), dtype)
    pairs = zip(tensors(list(inputs)), tensors(list(copies)), strict=True)
    leaves = [(a.grad, b.grad) for a, b in pairs if isinstance(a, tl.Tensor) and a.requires_grad]
    agree([a for a, _ in leaves], [b for _, b in leaves], dtype)
    agree(list(mine.state_dict().values()), list(yours.state_dict().values()), dtype)


def weighted_sum(output: Any) -> Any:
    """One number, in which each element has another weight."""
    total: Any = 0
    for place, tensor in enumerate(tensors(output)):
        if not tensor.requires_grad:
            continue
        library = tl if isinstance(tensor, tl.Tensor) else torch
        weights = library.arange(tensor.numel()).to(tensor.dtype).reshape(tensor.shape)
        total = total + (tensor * (weights * (0.7 + place)).sin()).sum()
    return total


def same_error(call: Any, kind: type[Exception] | None = None) -> None:
    """Assert that ``call(library)`` raises the same type and words in both libraries."""
    with pytest.raises(Exception) as expected:  # noqa: PT011
        call(torch)
    with pytest.raises(expected.type) as found:
        call(tl)
    words = str(expected.value).replace("torch.nn.modules", "tensorlab.nn.modules")
    words = words.replace("torch.", "tensorlab.").replace("torch ", "tensorlab ")
    assert str(found.value) == words, f"{found.value}\n  instead of\n{words}"
    assert kind is None or expected.type is kind
