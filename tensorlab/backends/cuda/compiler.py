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

Machine code is kept in the folder of `tensorlab.backends.cache`, for the next process: a file for each
kernel, signature and kind of card, named by a hash of all that decides what is in it.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import math
import os
import platform
import re
import types
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cache import cache_directory, write
from tensorlab.backends.cuda import intrinsics

__all__ = [
    "Compiled",
    "bytecode",
    "cubin",
    "flattened",
    "key",
    "machine_code",
    "ptx",
    "read_by",
    "signature",
    "toolchain",
]

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


def machine_code(kernel: Callable, kinds: Sequence[Kind], capability: tuple[int, int]) -> Compiled:
    """The machine code of a kernel, as another process has kept it, or else compiled and kept.

    Args:
        kernel, kinds, capability: as for `ptx`.
    """
    path = cache_directory() / f"{key(kernel, kinds, capability)}.cubin"
    found = _read(path)
    if found is None:
        found = cubin(ptx(kernel, kinds, capability), capability)
        content = b"\n".join([found.entry.encode(), found.code])
        # Where it cannot be written, on a full disk say, the next process compiles as well.
        with contextlib.suppress(OSError):
            write(path, _mark(path, content) + content)
    return found


def _read(path: Path) -> Compiled | None:
    """What a file keeps; None if there is none that can be read, or if it is not as it was written."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    if found[:size] != _mark(path, found[size:]):
        return None
    entry, _, code = found[size:].partition(b"\n")
    return Compiled(code, entry.decode())


def _mark(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + content).digest()


def key(kernel: Callable, kinds: Sequence[Kind], capability: tuple[int, int]) -> str:
    """A hash of all that decides the machine code of a kernel.

    That is the code of the function and of those that it calls, the constants that they read, the signature,
    the kind of card, and what compiles. It is of bytecode, not of text: that takes a fortieth of the time,
    and is what this process compiles even where the file has changed since.
    """
    said = [toolchain(), str(capability), str(kinds), str(getattr(kernel, "bounds", None))]
    return hashlib.sha256("\n".join([*said, *read_by(kernel, bytecode)]).encode()).hexdigest()[:32]


def read_by(function: Any, words: Callable[[Any], str], seen: dict[Any, int] | None = None) -> Iterator[str]:
    """What decides what a kernel does, the packages that compile it apart.

    Args:
        function: the kernel, or a function that it calls.
        words: what stands for a function alone, such as its text.
        seen: the functions that were met before, numbered.

    Yields:
        the words of the function, what each name means that it reads, and the same of those that it calls.
    """
    seen = {} if seen is None else seen
    seen[function] = len(seen)
    yield words(function)
    for name in sorted(_names(function.__code__) & function.__globals__.keys() - {"cuda", "math"}):
        value = function.__globals__[name]
        if isinstance(value, types.ModuleType) or _is_instruction(value):
            yield f"{name} = {value.__name__}"
        elif isinstance(value, types.FunctionType):
            if value not in seen:
                yield from read_by(value, words, seen)
            yield f"{name} = function {seen[value]}"
        else:
            yield f"{name} = {value!r}"


def _names(code: types.CodeType) -> set[str]:
    """The names that code reads, those of globals and of attributes: to tell them apart takes longer."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def bytecode(function: Any) -> str:
    """The code of a function, and the defaults of its arguments."""
    return f"{_written(function.__code__)} {function.__defaults__}"


def _written(value: Any) -> str:
    """Code, or a constant in it, the same in every process."""
    if isinstance(value, types.CodeType):
        constants = ", ".join(map(_written, value.co_consts))
        return f"{value.co_code.hex()} {value.co_varnames} {value.co_names} ({constants})"
    return str(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


# The packages that compile: toolkits for CUDA 12 have names of their own.
_PACKAGES = "numba-cuda", "numba", "llvmlite", "numpy", "nvidia-nvvm", "nvidia-cuda-nvcc-cu12"


@functools.cache
def toolchain() -> str:
    """What compiles: this module, versions of Python, of packages and of the linker, and Numba's settings."""
    from cuda.bindings import nvjitlink

    here = Path(__file__)
    own = b"".join(each.read_bytes() for each in (here, here.with_name("lowering.py")))
    said = [hashlib.sha256(own).hexdigest(), platform.python_version(), str(nvjitlink.version())]
    said += sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_CUDA_"))
    for package in _PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            said.append(f"{package} {metadata.version(package)}")
    return "\n".join(said)


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
    for name in globals_of(kernel.__code__) & named.keys():
        value: Any = named[name]
        if name == "cuda":
            value = cuda
        elif name == "math":
            value = math
        elif value is np:
            value = _numpy()
        elif name in _WHOLE:
            value = cuda.jit(device=True)(_WHOLE[name])
        elif _is_instruction(value):
            value = _instructions()[value.__name__]
        elif isinstance(value, types.FunctionType):
            value = cuda.jit(device=True, forceinline=True)(_lowered(value))  # type: ignore[call-arg]
        names[name] = value
    return types.FunctionType(
        kernel.__code__, {**names, "__name__": __name__}, kernel.__name__, kernel.__defaults__
    )


@functools.cache
def _numpy() -> types.ModuleType:
    """NumPy's names that kernels use, with those functions that numba-cuda has under two others.

    One is for float32 and one, without the ``f`` at its end, for float64, in which every GPU is slow.
    """
    from numba.core.types import float32
    from numba.cuda import libdevice
    from numba.cuda.extending import overload  # type: ignore[attr-defined]

    named = types.ModuleType("numpy_on_a_gpu")
    vars(named).update(vars(np))

    def of_one(single: Callable, double: Callable) -> Callable:
        def function(x: Any) -> None: ...

        overload(function)(lambda x: (lambda x: single(x)) if x == float32 else (lambda x: double(x)))
        return function

    def of_two(single: Callable, double: Callable) -> Callable:
        def function(x: Any, y: Any) -> None: ...

        overload(function)(
            lambda x, y: (lambda x, y: single(x, y)) if x == y == float32 else (lambda x, y: double(x, y))
        )
        return function

    for make, names in (of_one, ("ceil", "floor", "rint", "trunc")), (of_two, ("copysign", "fmod")):
        for name in names:
            setattr(named, name, make(getattr(libdevice, f"{name}f"), getattr(libdevice, name)))
    named.sqrt = math.sqrt  # type: ignore[attr-defined]
    return named


def _is_instruction(value: Any) -> bool:
    """Whether a GPU has an instruction for a function that a kernel calls."""
    return isinstance(value, types.FunctionType) and (
        value.__module__ == intrinsics.__name__ or value.__name__ in _CONVERSIONS
    )


def _instructions() -> dict[str, Any]:
    from tensorlab.backends.cuda.lowering import INSTRUCTIONS

    return INSTRUCTIONS


def globals_of(code: types.CodeType) -> set[str]:
    """The names of globals that code reads."""
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
