"""tensorlab: tensors with PyTorch's semantics, written to be read.

``import tensorlab as tl`` gives the library that the book *Tensors, Inside Out* opens up. Importing it
compiles nothing and loads neither Numba nor a widget; each comes when it is first needed.
"""

from __future__ import annotations

import importlib
from typing import Any

from tensorlab import dtypes, layout
from tensorlab.devices import device
from tensorlab.dtypes import (
    bfloat16,
    bool,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from tensorlab.layout import Size
from tensorlab.ops import (
    add,
    arange,
    as_strided,
    as_tensor,
    clone,
    div,
    empty,
    eq,
    from_numpy,
    full,
    ge,
    gt,
    le,
    lt,
    mul,
    ne,
    neg,
    ones,
    permute,
    reshape,
    result_type,
    sub,
    t,
    tensor,
    transpose,
    zeros,
)
from tensorlab.printing import set_printoptions
from tensorlab.storage import TypedStorage, UntypedStorage
from tensorlab.tensor import Tensor

__version__ = "0.1.0"

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64

# Names that are loaded when they are first used, and the module that has each.
_LAZY = {"check": "tensorlab.learn", "hint": "tensorlab.learn"}
_LAZY_MODULES = ("learn", "widgets")

__all__ = [
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "add",
    "arange",
    "as_strided",
    "as_tensor",
    "bfloat16",
    "bool",
    "check",
    "clone",
    "device",
    "div",
    "double",
    "dtype",
    "dtypes",
    "empty",
    "eq",
    "float",
    "float16",
    "float32",
    "float64",
    "from_numpy",
    "full",
    "ge",
    "get_default_dtype",
    "gt",
    "half",
    "hint",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "layout",
    "le",
    "long",
    "lt",
    "mul",
    "ne",
    "neg",
    "ones",
    "permute",
    "promote_types",
    "reshape",
    "result_type",
    "set_default_dtype",
    "set_printoptions",
    "short",
    "sub",
    "t",
    "tensor",
    "transpose",
    "uint8",
    "zeros",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _LAZY_MODULES:
        return importlib.import_module(f"tensorlab.{name}")
    raise AttributeError(
        f"tensorlab has no {name!r}; what it covers of PyTorch is listed in tensorlab.__all__"
    )
