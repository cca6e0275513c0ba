"""Kernels compiled for a GPU: to PTX with numba-cuda, and from there to the machine code of one card.

Neither needs a GPU. A kernel is the same function that runs in the simulator; what changes is what its names
mean: `cuda` is `numba.cuda`, `math` is `math`, and functions that it calls are compiled with it. Its
arguments are addresses and numbers, so that a launch has nothing to unpack:

====================  ==================================================
memory of cells       an address of cells of that type
a Python integer      int64
a Python float        float64
a NumPy number        its own type
a tuple               one argument for each item; ``()`` stands as ``(1,)``
====================  ==================================================
"""

from __future__ import annotations

import contextlib
import dis
import functools
import math
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cuda import intrinsics

__all__ = ["Compiled", "cubin", "flattened", "ptx", "signature"]

# Cells of this type are addresses in a signature; a plain NumPy type is a number.
Kind = Any


class Address(NamedTuple):
    """In a signature: the address of cells of a type."""

    cell: np.dtype


class Compiled(NamedTuple):
    """A kernel for one kind of card.

    Attributes:
        code: the PTX, or the machine code.
        entry: the kernel's name in it.
        log: what the compiler says of registers and memory.
    """

    code: bytes
    entry: str
    log: str = ""


def signature(arguments: Sequence[Any]) -> tuple[Kind, ...]:
    """What decides how a kernel is compiled for these arguments.

    Example:
        >>> signature((3, (4, 5), np.float32(1)))
        (dtype('int64'), (dtype('int64'), dtype('int64')), dtype('float32'))
    """
    return tuple(_kind(each) for each in arguments)


def _kind(argument: Any) -> Kind:
    if isinstance(argument, tuple):
        return tuple(_kind(each) for each in argument or (1,))
    if isinstance(argument, np.generic):
        return argument.dtype
    if isinstance(argument, (bool, int)):
        return np.dtype(np.int64)
    if isinstance(argument, float):
        return np.dtype(np.float64)
    return Address(argument.dtype)


def flattened(arguments: Sequence[Any]) -> Iterator[Any]:
    """The arguments as a launch hands them to the driver: addresses, and NumPy's numbers.

    Example:
        >>> list(flattened((3, (), (4, 5))))
        [np.int64(3), np.int64(1), np.int64(4), np.int64(5)]
    """
    for each in arguments:
        if isinstance(each, tuple):
            yield from flattened(each or (1,))
        elif isinstance(each, np.generic):
            yield each
        elif isinstance(each, (bool, int)):
            yield np.int64(each)
        elif isinstance(each, float):
            yield np.float64(each)
        else:
            yield each.pointer


def ptx(kernel: Callable, kinds: Sequence[Kind], capability: tuple[int, int]) -> Compiled:
    """The PTX of a kernel.

    Args:
        kernel: a kernel as the simulator runs it.
        kinds: the `signature` of its arguments.
        capability: the compute capability of the card.

    Raises:
        ModuleNotFoundError: numba-cuda is not installed.
    """
    from numba import cuda, void

    if getattr(cuda, "implementation", "") != "NVIDIA":
        raise ModuleNotFoundError("kernels for GPUs need numba-cuda: pip install 'tensorlab[cuda]'")
    with _asked(capability):
        text, _ = cuda.compile(  # type: ignore[attr-defined]
            _lowered(kernel),
            void(*map(_numba_type, kinds)),
            device=False,
            abi="numba",
            cc=_target(capability),
            fastmath=False,
            launch_bounds=getattr(kernel, "bounds", None),
        )
    found = re.search(r"\.entry (\w+)", text)
    assert found is not None
    return Compiled(text.encode(), found[1])


def cubin(compiled: Compiled, capability: tuple[int, int]) -> Compiled:
    """The machine code of some PTX, and the compiler's words about registers and memory.

    Raises:
        RuntimeError: the PTX is refused, with the reason.
    """
    from cuda.bindings import nvjitlink

    options = ["-arch=sm_" + "".join(map(str, _target(capability))), "-O3", "-verbose"]
    link = nvjitlink.create(len(options), options)
    try:
        nvjitlink.add_data(link, nvjitlink.InputType.PTX, compiled.code, len(compiled.code), compiled.entry)
        nvjitlink.complete(link)
    except nvjitlink.nvJitLinkError as error:
        words = bytearray(nvjitlink.get_error_log_size(link))
        nvjitlink.get_error_log(link, words)
        raise RuntimeError(f"{compiled.entry}: {words.decode()}") from error
    code = bytearray(nvjitlink.get_linked_cubin_size(link))
    log = bytearray(nvjitlink.get_info_log_size(link))
    nvjitlink.get_linked_cubin(link, code)
    nvjitlink.get_info_log(link, log)
    nvjitlink.destroy(link)
    return Compiled(bytes(code), compiled.entry, log.decode())


def _target(capability: tuple[int, int]) -> tuple[Any, ...]:
    """What is compiled for: Hopper has instructions of its own, which no later card runs."""
    return (*capability, "a") if capability == (9, 0) else capability


def _numba_type(kind: Kind) -> Any:
    from numba import from_dtype, types

    if isinstance(kind, Address):
        # A truth is a byte in memory, and a bit where the compiler computes.
        return types.CPointer(from_dtype(np.dtype(np.uint8) if kind.cell == np.bool_ else kind.cell))
    if isinstance(kind, tuple):
        return types.Tuple([_numba_type(each) for each in kind])
    return from_dtype(kind)


@functools.cache
def _lowered(kernel: Callable) -> Callable:
    """A kernel, or a function that it calls, with the names of a GPU in place of the simulator's."""
    from numba import cuda

    named = kernel.__globals__
    names: dict[str, Any] = {}
    for name in globals_of(kernel.__code__):
        value = named.get(name)
        if name == "cuda":
            value = cuda
        elif name == "math":
            value = math
        elif value is np:
            value = _numpy()
        elif name in _WHOLE:
            value = cuda.jit(device=True)(_WHOLE[name])
        elif isinstance(value, types.FunctionType) and (
            value.__module__ == intrinsics.__name__ or value.__name__ in _CONVERSIONS
        ):
            value = _instructions()[value.__name__]
        elif isinstance(value, types.FunctionType):
            value = cuda.jit(device=True, forceinline=True)(_lowered(value))  # type: ignore[call-arg]
        if name in named:
            names[name] = value
    return types.FunctionType(
        kernel.__code__, {**names, "__name__": __name__}, kernel.__name__, kernel.__defaults__
    )


@functools.cache
def _numpy() -> types.ModuleType:
    """NumPy's names that kernels use, with those functions that numba-cuda has under other names."""
    from numba.cuda import jit, libdevice

    named = types.ModuleType("numpy_on_a_gpu")
    vars(named).update(vars(np))
    # In float64, where both are as exact as in float32.
    own: dict[str, Callable] = {
        "ceil": lambda x: libdevice.ceil(x),
        "copysign": lambda x, y: libdevice.copysign(x, y),
        "floor": lambda x: libdevice.floor(x),
        "fmod": lambda x, y: libdevice.fmod(x, y),
        "rint": lambda x: libdevice.rint(x),
        "trunc": lambda x: libdevice.trunc(x),
    }
    vars(named).update({name: jit(device=True)(function) for name, function in own.items()})
    named.sqrt = math.sqrt  # type: ignore[attr-defined]
    return named


def _instructions() -> dict[str, Any]:
    from tensorlab.backends.cuda.lowering import INSTRUCTIONS

    return INSTRUCTIONS


def globals_of(code: types.CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    own = {each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}
    return own.union(*map(globals_of, inner))


# What the text of a kernel spells out for processors without these instructions.
_CONVERSIONS = "float16_to_float32", "float32_to_float16"

_WHOLE = {"whole32": lambda value: np.int32(value), "whole64": lambda value: np.int64(value)}


@contextlib.contextmanager
def _asked(capability: tuple[int, int]) -> Iterator[None]:
    """Functions that a kernel calls are compiled for the current GPU: let it be one of this capability."""
    from numba.cuda import dispatcher

    found: Any = dispatcher
    held = found.get_current_device
    found.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        found.get_current_device = held
