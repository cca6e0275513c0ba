"""tensorlab: tensors with PyTorch's semantics, written to be read.

``import tensorlab as tl`` gives the library that the book *Tensors, Inside Out* opens up. Importing it
compiles nothing and loads neither Numba nor a widget; each comes when it is first needed.
"""

# ruff: noqa: F403, F405 (what type checkers see of the operators stands in a stub)

from __future__ import annotations

import importlib
import importlib.util
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

if importlib.util.find_spec("numpy") is None:
    raise ModuleNotFoundError(
        "tensorlab needs NumPy, which this Python does not have: run `python3 book` in the project's folder, "
        "which makes an environment with all that is needed",
        name="numpy",
    )

from tensorlab import autograd, linalg, random, return_types
from tensorlab.core import dtypes, layout
from tensorlab.core.devices import device
from tensorlab.core.dtypes import (
    bfloat16,
    bool,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
    strided,
)
from tensorlab.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from tensorlab.core.numeric_limits import finfo, iinfo
from tensorlab.core.spelling import LateText, nearest
from tensorlab.ops.exports import exported
from tensorlab.random import Generator, default_generator
from tensorlab.storage import TypedStorage, UntypedStorage
from tensorlab.tensor import Tensor

if TYPE_CHECKING:
    from tensorlab.stubs.functions import *

__version__ = "0.1.0"

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64

newaxis = None  # in an index, a new dimension of size 1

# Names that are loaded when they are first used, and the module that has each.
_LAZY = {
    "AcceleratorError": "tensorlab.backends.cuda.driver",
    "OutOfMemoryError": "tensorlab.backends.cuda.memory",
    "adopt": "tensorlab.learn",
    "blame": "tensorlab.learn",
    "check": "tensorlab.learn",
    "get_num_threads": "tensorlab.backends.cpu.threads",
    "hint": "tensorlab.learn",
    "load": "tensorlab.io",
    "save": "tensorlab.io",
    "set_num_threads": "tensorlab.backends.cpu.threads",
    "status": "tensorlab.learn",
    "vmap": "tensorlab.func",
}
_LAZY_MODULES = (
    "accelerator",
    "backends",
    "cuda",
    "datasets",
    "distributions",
    "figures",
    "func",
    "gemm",
    "io",
    "learn",
    "nn",
    "optim",
    "special",
    "testing",
    "utils",
    "widgets",
)

# Rooms of tensorlab.core that the book opens: ``tensorlab.broadcasting`` is ``tensorlab.core.broadcasting``.
_CORE_MODULES = (
    "broadcasting",
    "float_bits",
    "fold_rules",
    "memory_formats",
    "part_rules",
    "positions",
    "product_shapes",
    "view_rules",
)

# The operators, and the other functions that stand in the registry.
_functions = exported("")
globals().update(_functions)

__all__ = [
    # numbers, and the index that adds a dimension
    "e",
    "inf",
    "nan",
    "newaxis",
    "pi",
    # types and settings
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "bfloat16",
    "bool",
    "device",
    "double",
    "dtype",
    "dtypes",
    "float",
    "float16",
    "float32",
    "float64",
    "finfo",
    "half",
    "iinfo",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "layout",
    "linalg",
    "long",
    "return_types",
    "short",
    "uint8",
    # memory formats
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "memory_format",
    "preserve_format",
    "strided",
    # random
    "Generator",
    "default_generator",
    "random",
    # gradients
    "autograd",
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    # for students
    "adopt",
    "blame",
    "check",
    "hint",
    "status",
    # io
    "load",
    "save",
    *_functions,
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _LAZY_MODULES:
        return importlib.import_module(f"tensorlab.{name}")
    if name in _CORE_MODULES:
        return importlib.import_module(f"tensorlab.core.{name}")
    # Without `obj`, for which a terminal would look for a near name once more.
    raise AttributeError(LateText(_absent, name), name=name, obj=None)


def _absent(name: str) -> str:
    """What the error about a name says that this module does not have."""
    listed = "hat it covers of PyTorch is listed in tensorlab.__all__"
    for module in ("nn.functional", "linalg", "special"):
        if name in importlib.import_module(f"tensorlab.{module}").__all__:
            return f"tensorlab has no {name!r}; there is tensorlab.{module}.{name}"
    if meant := nearest(name, __dir__()):
        return f"tensorlab has no {name!r}; did you mean {meant!r}? W{listed}"
    return f"tensorlab has no {name!r}; w{listed}"


def __dir__() -> list[str]:
    """What a prompt offers: also what is loaded when it is asked for, and not what is used here only."""
    modules = (name for name, found in globals().items() if getattr(found, "__package__", "") == __name__)
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*__all__, *_LAZY, *_LAZY_MODULES, *_CORE_MODULES, *modules, *special})
