"""From kernel source text to a compiled kernel that the next process need not compile again.

A kernel is generated as text and written to a real file, because Numba can only cache on disk what has a
file. The file's name ends in a hash of its text, and every constant stands in the text, so that a changed
generator makes a new file and never finds an old kernel by mistake. How an entry takes its arguments is
compiled into the kernel too, so the hash counts it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite.binding import ffi
from numba.core import config, event, types
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime.nrt import rtsys

from tensorlab.backends.cache import cache_directory
from tensorlab.backends.cpu import borrowed, machine_code
from tensorlab.backends.cpu.linking import address_in
from tensorlab.backends.cpu.wide import WideCompiler
from tensorlab.backends.interrupts import HeldBack

__all__ = [
    "ENTERED",
    "HELPER",
    "INNER",
    "KERNEL",
    "compiled",
    "entry",
    "helper",
    "kernel",
    "load",
    "quiet",
]


Function = TypeVar("Function", bound=Callable)

# The options of generated kernels: kept on disk, without the interpreter's lock, and never called from C.
KERNEL = "cache=True, nogil=True, no_cfunc_wrapper=True"
# What is called by kernels alone needs no way in from Python, which takes as long to compile as it does.
HELPER = "no_cpython_wrapper=True, no_cfunc_wrapper=True"
# The options of kernels that return nothing, and that Python calls through `entry` alone. What reads the
# arguments is the same for all that take as many, so it is not compiled into each; where no machine code can
# be made, Numba does that.
ENTERED = KERNEL + ", no_cpython_wrapper=True" * machine_code.usable()

# Kernels that are shared among threads, and that `tensorlab.backends.cpu.sharing` alone calls.
INNER = f"{KERNEL}, no_cpython_wrapper=True"

# Modules are made by one thread at a time, so that another never meets one that is half made. Beside that,
# Numba looks at one setting, of all threads, for the folder that a kernel is kept in.
_lock = threading.RLock()


class _Compiling(event.Listener):
    """Hears when the lock of the compiler is taken and given back."""

    def on_start(self, event: object) -> None:
        HeldBack.begin()

    def on_end(self, event: object) -> None:
        HeldBack.end()


event.register("numba:compiler_lock", _Compiling())


class _NothingCollected(event.Listener):
    """Keeps the garbage collector from looking through what the compiler holds while it compiles.

    Most of it lives until the end, and there is much: the looks take a fourteenth of the time. The events
    come from whoever has the lock of the compiler, one within another.
    """

    def __init__(self) -> None:
        self.depth, self.collects = 0, False

    def on_start(self, event: object) -> None:
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: object) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


event.register("numba:compile", _NothingCollected())

# Held while the process is forked: of a thread that compiles, the child has the locks and not the thread. The
# last is llvmlite's, which has no public name.
_compiling = contextlib.ExitStack()


def _before_fork() -> None:
    for lock in (_lock, global_compiler_lock, ffi.lib._lock):
        _compiling.enter_context(lock)


def _after_fork() -> None:
    _compiling.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@contextlib.contextmanager
def _kept_in(folder: Path | None) -> Iterator[None]:
    """Have the kernels that are decorated in here kept in `folder`; None: ``__pycache__`` beside the text."""
    with _lock:
        before = config.CACHE_DIR  # type: ignore[attr-defined]  # set when Numba reads the environment
        config.CACHE_DIR = str(folder or "")  # type: ignore[attr-defined]
        try:
            yield
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]


def load(stem: str, source: str) -> ModuleType:
    """The module whose text is `source`, written to the cache folder unless it is there already.

    Args:
        stem: the readable part of the file's name, ``"add_float32"``.
        source: a whole Python module. Its functions decorate themselves with ``njit(cache=True)``.
    """
    digest = hashlib.sha256((source + borrowed.DIGEST).encode()).hexdigest()[:16]
    name = f"{stem}_{digest}"
    module_name = f"tensorlab_kernels.{name}"
    with _lock:
        return sys.modules.get(module_name) or _make(module_name, name, source)


def _make(module_name: str, name: str, source: str) -> ModuleType:
    """Write the text of a module where it is not there yet, and run it."""
    path = cache_directory() / f"{name}.py"
    if not path.exists():
        _write(path, source)
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # Numba looks the module up by name when it reloads a cached kernel
    try:
        with _kept_in(None):
            spec.loader.exec_module(module)
        # The text says `cache=True` and `njit`, for which Numba has classes of its own.
        for made in vars(module).values():
            if type(getattr(made, "_cache", None)) is FunctionCache:
                made._cache.__class__ = _KernelFiles
                made._compiler.pipeline_class = WideCompiler
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


@functools.cache
def _writers() -> str:
    """Changes with the modules whose functions write instructions of kernels by themselves."""
    names = ("direct", "direct_values", "intrinsics", "linking", "pointers", "simd", "wide")
    texts = (Path(__file__).with_name(f"{name}.py").read_bytes() for name in names)
    return hashlib.sha256(b"".join(texts)).hexdigest()


class _KernelFiles(FunctionCache):
    """What Numba keeps of one kernel on disk; files that cannot be read count as none, and are made anew.

    They name the types of arguments by their modules. After a step back to an older version of this package,
    there may be none of that name, as `tensorlab.backends.cpu.borrowed` was not there from the beginning.

    Before it loads a kernel, Numba registers all functions that it can compile, which takes half of the time
    of a process's first operation. What machine code calls is its runtime alone, so only that is made ready.

    A kernel is made anew when its own text changes, as Numba sees, and when the modules change that write its
    instructions.
    """

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return *super()._index_key(sig, codegen), _writers()  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for these arguments, or None."""
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # whatever unpickling raises, which is any kind
            self.flush()  # type: ignore[no-untyped-call]
            return None


def kernel(**options: Any) -> Callable[[Callable], Callable]:
    """Decorate a hand-written kernel: compiled without the interpreter's lock, kept where the generated are.

    Args:
        options: more options of ``numba.njit``, such as ``parallel=True`` or ``fastmath``.
    """

    def decorate(function: Callable) -> Callable:
        settings = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
        settings["pipeline_class"] = WideCompiler
        compiled = numba.njit(**settings)(function)
        if not config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
            with _kept_in(cache_directory()):
                # What `cache=True` sets, of another class.
                compiled._cache = _KernelFiles(function)  # type: ignore[no-untyped-call]
        return quiet(compiled)

    return decorate


def helper(function: Function) -> Function:
    """Decorate what hand-written kernels call, and nobody else."""
    settings: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    decorated: Function = numba.njit(error_model="numpy", **settings)(function)
    return decorated


def quiet(kernel: Callable) -> Callable:
    """`kernel`; under ``NUMBA_DISABLE_JIT=1`` it keeps NumPy's warnings of overflow and of 1 / 0 to itself.

    Compiled code gives the infinity or the NaN without a word, and interpreted code must do the same.
    """
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
        return kernel

    @functools.wraps(kernel)
    def interpreted(*arguments: object) -> object:
        with np.errstate(all="ignore"):
            return kernel(*arguments)

    return interpreted


def entry(kernel: Any, *kinds: Any) -> Callable:
    """The compiled code of a kernel for arguments of these kinds, to be called without a look at them.

    Numba finds out the type of every argument of every call, and counts itself among each array's owners: of
    a small operation's time that is much. Here the look happens once, and arrays are borrowed (see
    `tensorlab.backends.cpu.borrowed`): whoever calls the code answers for the types and holds the arrays.

    Args:
        kernel: what `quiet` or `kernel` returned. It keeps no array that it is given.
        kinds: the kind of each argument, as `borrowed_type` takes it.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
        return kernel
    signature = tuple(map(borrowed.borrowed_type, kinds))
    code: Callable = kernel.compile(signature)
    found = kernel.overloads[signature]
    if kernel.targetoptions.get("no_cpython_wrapper"):
        assert found.signature.return_type == types.none, "what a kernel returns needs a way in of its own"
        with global_compiler_lock:  # of two threads that made the same code at once, only one's would be kept
            code = machine_code.entering(tuple(map(machine_code.kind_of, signature)), address_in(found))
    _compiled[code] = found
    return code


# What Numba knows of the code that `entry` returned.
_compiled: dict[Callable, Any] = {}


def compiled(code: Callable) -> Any:
    """What Numba compiled to make this entry of a kernel; None where it is no entry, or is interpreted."""
    return _compiled.get(code)


def _write(path: Path, source: str) -> None:
    """Write a file so that other processes see all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
