"""Calls at the edges of what is allowed: they have the results of PyTorch, or its type of error.

Each call is the text of an expression in which ``m`` is the library, ``np`` is NumPy and ``x`` a vector.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorlab as tl

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

TENSORS_IN_LISTS = """
    m.tensor([m.tensor([1]), m.tensor([2])])
    m.tensor([m.tensor([[1.5]]), 2])
    m.tensor([2, m.tensor([1.5])])
    m.tensor([[m.tensor([1.5])], [m.tensor(2)]])
    m.tensor([m.tensor([1.5], dtype=m.float64)])
    m.as_tensor([m.tensor([True]), 1])
    m.Tensor([m.tensor([1]), m.tensor([2])])
    m.tensor([1, 'a'])
    m.tensor([1, b'a'])
    m.tensor([1, None])
    m.tensor([1, None], dtype=m.float32)
    m.tensor([1, 'a'], dtype=m.int64)
"""

# What no integer of the dtype holds: NaN, the infinities, and numbers beyond it.
INTEGERS_OF_FLOATS = "\n".join(
    f"m.tensor([m.nan, m.inf, -m.inf, 1e20, 3e9, -3e9, 300.7, -1.5] * 9, dtype=m.{source}).to(m.{target})"
    for source in ("float32", "float64")
    for target in ("int8", "int16", "int32", "int64", "uint8")
)

BOUNDS = """
    m.tensor([1, 2, 3]).clamp(m.tensor(2), 5)
    m.tensor([1, 2, 3]).clamp(0, m.tensor(2.5))
    m.tensor([1, 2, 3]).clamp_(m.tensor(2), 5)
    m.tensor([1, 2, 3]).clamp_(m.tensor(2), 2.5)
    m.tensor([1, 2, 3]).clip(2, m.tensor([2, 2, 3]))
    m.tensor([1, 2, 3]).clamp(2, m.tensor(2.5, requires_grad=True))
"""

STORAGES = """
    m.from_numpy(np.arange(3)).resize_(20).shape
    m.from_numpy(np.arange(3)).resize_(2)
    m.frombuffer(bytearray(8), dtype=m.uint8).resize_(20).shape
    m.add(m.zeros(3), 1, out=m.from_numpy(np.zeros(2, np.float32)))
    (x.numpy(), x.resize_(20).shape)
    (x.numpy(), x.untyped_storage().resizable())
    (np.asarray(x), x.untyped_storage().resizable())
    (x.tolist(), x.untyped_storage().resizable())
    x.clone().untyped_storage().resizable()
    m.tensor(np.arange(3)).untyped_storage().resizable()
    m.asarray(np.arange(3)).untyped_storage().resizable()
    m.from_numpy(np.arange(3)).data.untyped_storage().resizable()
    m.from_numpy(np.arange(3)).untyped_storage().clone().resizable()
"""

BROADCAST = """
    m.broadcast_tensors(x)[0] is x
    m.broadcast_tensors(x, m.zeros(1))[0] is x
    m.broadcast_tensors(x, m.zeros(1))[1].stride()
    m.broadcast_tensors(m.zeros(1), x)[0] is x
    m.broadcast_tensors([x, x])
"""

OUTS = "\n".join(
    f"m.{call}, out={out})"
    for call in (
        "abs(x",
        "neg(x",
        "floor(x",
        "round(x, decimals=1",
        "nan_to_num(x",
        "signbit(x",
        "clamp(x, 0, 1",
        "clamp(x, x, x",
        "exp(x",
        "cat([x, x]",
        "stack([x, x]",
        "hstack([x, x]",
        "diag(x",
        "inner(x, x",
        "tensordot(x, x, 1",
        "cross(x, x, 0",
        "linalg.inv(m.eye(2)",
        "linalg.det(m.eye(2)",
        "linalg.svd(m.eye(2)",
        "linalg.matrix_power(m.eye(2), 3",
        "linalg.multi_dot([m.eye(2), m.eye(2)]",
        "max(x",
        "min(x",
        "amax(x",
        "max(x, 0",
        "aminmax(x",
        "sort(x",
        "topk(x, 1",
        "kthvalue(x, 1",
        "median(x",
        "median(x, 0",
        "mode(x",
        "cummax(x, 0",
    )
    for out in (
        "m.empty(0, dtype=m.float64)",
        "m.empty(0, dtype=m.float16)",
        "m.empty(0, dtype=m.int64)",
        "(m.empty(0), m.empty(0, dtype=m.int64))",
        "[m.empty(0)]",
    )
)

DTYPE_VIEWS = """
    (x.view(m.int32), x.view(m.int32)._base is None)
    x.requires_grad_().view(m.int32).requires_grad
    x.requires_grad_()[1:].view(m.float32).requires_grad
    (x.requires_grad_().view(m.int32).add_(1), x._version)
    x.requires_grad_().view(m.int32)[1:].fill_(0)._base is None
"""

HUBER_LOSSES = "\n".join(
    f"m.nn.functional.huber_loss(x.to(m.{source}), 3 * x.to(m.{target}), reduction={reduction!r})"
    for source, target in (("float16", "float32"), ("float32", "bfloat16"), ("float32", "float64"))
    for reduction in ("none", "mean")
)

CALLS = "\n".join(
    (DTYPE_VIEWS, HUBER_LOSSES, TENSORS_IN_LISTS, INTEGERS_OF_FLOATS, BOUNDS, STORAGES, BROADCAST, OUTS)
)


def outcome(call, library):
    """What the call gives, in words that both libraries share."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(call, {"m": library, "np": np, "x": library.tensor([0.5, -1.25, 3.0])})
        except Exception as error:
            return type(error).__name__
    return described(result, library)


def described(result, library):
    if isinstance(result, library.Tensor):
        return result.tolist(), str(result.dtype).rpartition(".")[2], tuple(result.shape), result.stride()
    if isinstance(result, tuple):
        return [described(item, library) for item in result]
    return result.tolist() if isinstance(result, np.ndarray) else result


@pytest.mark.parametrize("call", [line.strip() for line in CALLS.splitlines() if line.strip()])
def test_a_call_at_the_edge_ends_as_in_pytorch(torch, call):
    assert outcome(call, tl) == outcome(call, torch)
