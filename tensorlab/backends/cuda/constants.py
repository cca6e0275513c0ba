"""Kernels with other constants: names in capitals of a kernel's module, and the functions that it calls."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda import intrinsics
from tensorlab.backends.cuda.kernel_text import cells_text, functions_of
from tensorlab.core.dtypes import dtype

_PACKAGE = intrinsics.__name__.removesuffix("intrinsics")


def specialised(kernel: Callable[..., None], **names: Any) -> Callable[..., None]:
    """The same kernel with other constants, and with other functions under the names that it calls.

    Functions of this package that it calls see the same names.
    """
    return _specialised(kernel, tuple([(name, type(names[name]), names[name]) for name in sorted(names)]))


@functools.cache
def _specialised(kernel: Any, names: tuple[tuple[str, type, Any], ...]) -> Any:
    seen = {**kernel.__globals__, **{name: value for name, _, value in names}}
    for name in kernel.__code__.co_names:
        called = seen.get(name)
        if isinstance(called, types.FunctionType) and _reads_constants(called):
            seen[name] = _specialised(called, names)
    made = types.FunctionType(kernel.__code__, seen, kernel.__name__)
    made.__dict__.update(vars(kernel))
    return made


def _reads_constants(function: types.FunctionType) -> bool:
    """Whether a function stands in this package, and is neither made of a text nor an instruction."""
    module = function.__module__ or ""
    return module.startswith(_PACKAGE) and module != intrinsics.__name__


def of_cells(kernel: Callable, source: dtype, result: dtype, **constants: Any) -> Callable:
    """A kernel for cells of these types, with the functions `widen` and `narrow` for them."""
    functions = functions_of("cells", cells_text(source, compute_type(result), result))
    names = {name: functions[name] for name in ("widen", "narrow", "number")}
    return specialised(kernel, **names, **constants)
