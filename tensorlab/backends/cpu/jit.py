"""How kernels are compiled by Numba, and kept for the next process.

A kernel is an ordinary function under Numba's `njit`. One that is written by hand is decorated with `kernel`;
what only other kernels call is decorated with `helper`. One that is generated as text, because it differs
from dtype to dtype, is part of a module for `load`, in a real file: only what has a file can Numba keep on
disk, and only there a debugger can step into it. The file's name ends in a hash of its text, and every
constant stands in the text, so that a changed generator makes a new file and never finds an old kernel.

Under ``NUMBA_DISABLE_JIT=1`` all of them are plain Python.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib.util
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import binding
from llvmlite.binding import ffi
from numba import _dynfunc  # type: ignore[attr-defined]  # written in C
from numba.core import config, event
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary, get_host_cpu_features
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

from tensorlab.backends.cache import cache_directory, write
from tensorlab.backends.interrupts import HeldBack

Function = TypeVar("Function", bound=Callable)

# The options of generated kernels: kept on disk, without the interpreter's lock, and never called from C.
KERNEL = "cache=True, nogil=True, no_cfunc_wrapper=True"
# What is called by kernels alone needs no way in from Python, and becomes machine code as a part of them.
HELPER = "no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=Part"

# Of many processors with AVX-512 LLVM uses half a register unless it is told otherwise: on the first of them
# a few long vectors slowed the clock of everything. A kernel is all vectors, and gains.
if platform.machine() in ("x86_64", "AMD64"):
    _chosen = config.CPU_FEATURES  # type: ignore[attr-defined]  # set when Numba reads the environment
    _features = get_host_cpu_features() if _chosen is None else _chosen
    config.CPU_FEATURES = ",".join(filter(None, [_features, "-prefer-256-bit"]))  # type: ignore[attr-defined]

# Modules are made by one thread at a time, so that another never meets one that is half made. Beside that,
# Numba looks at one setting, of all threads, for the folder that a kernel is kept in.
_lock = threading.RLock()

# The modules whose intrinsics write instructions of kernels: every kernel is made anew when one of them
# changes. Numba itself only sees whether the file changes in which a kernel stands.
_WRITERS = ("gemm/registers.py", "intrinsics.py", "pointers.py", "simd.py")
_texts = b"".join(Path(__file__).parent.joinpath(name).read_bytes() for name in _WRITERS)
_WRITTEN_BY = hashlib.sha256(_texts).hexdigest()


class _Compiling(event.Listener):
    """Hears when the lock of the compiler is taken and given back."""

    on_start, on_end = HeldBack.begin, HeldBack.end


event.register("numba:compiler_lock", _Compiling())


class _Uncollected(event.Listener):
    """Lets the collector of cycles rest while a kernel is compiled: it took a sixth of that time.

    One thread compiles at a time, and a kernel compiles what it calls.
    """

    depth = 0
    collects = False

    def on_start(self, event: object) -> None:
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: object) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


event.register("numba:compile", _Uncollected())

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
        before = config.CACHE_DIR  # type: ignore[attr-defined]
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
    name = f"{stem}_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    module_name = f"tensorlab_kernels.{name}"
    with _kept_in(None):
        if module_name in sys.modules:
            return sys.modules[module_name]
        path = cache_directory() / f"{name}.py"
        if not path.exists():
            write(path, source.encode())
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module  # Numba looks the module up by name when it reloads a cached kernel
        try:
            spec.loader.exec_module(module)
            # The text says `cache=True`, for which Numba has a class of its own.
            for made in vars(module).values():
                if type(getattr(made, "_cache", None)) is FunctionCache:
                    made._cache.__class__ = _KernelFiles
        except BaseException:  # after Ctrl-C as well, nobody may find half a module
            del sys.modules[module_name]
            raise
        return module


class _KernelFiles(FunctionCache):
    """What Numba keeps of one kernel on disk; files that cannot be read count as none, and are made anew.

    Before it loads a kernel, Numba registers all functions that it can compile, which takes half of the time
    of a process's first operation. What machine code calls is its runtime alone, so only that is made ready.
    """

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return *super()._index_key(sig, codegen), _WRITTEN_BY  # type: ignore[no-untyped-call]

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
        options: more options of ``numba.njit``, such as ``fastmath``.
    """

    def decorate(function: Callable) -> Callable:
        settings = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
        compiled = numba.njit(**settings)(function)
        if not config.DISABLE_JIT:  # type: ignore[attr-defined]
            with _kept_in(cache_directory()):
                # What `cache=True` sets, of another class.
                compiled._cache = _KernelFiles(function)  # type: ignore[no-untyped-call]
        return quiet(compiled)

    return decorate


def helper(function: Function) -> Function:
    """Decorate what hand-written kernels call, and nobody else."""
    settings: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": Part}
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


class _Unfinished(JITCodeLibrary):
    """The code of a part of kernels, in LLVM's language, as it was written."""

    def _optimize_final_module(self) -> None:
        """Nothing: this is done once it stands in a kernel, with what it is called with."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


class Part(Compiler):
    """Compiles what kernels call, and nobody else, as far as a kernel takes it over.

    On its own such a function would be optimized and become machine code that nobody runs, in a quarter of
    the time of its kernel.
    """

    def compile_extra(self, func: Callable) -> Any:
        """What Numba is to know of the function."""
        codegen = self.state.targetctx.codegen()
        self.state.library = _Unfinished(codegen, func.__qualname__)  # type: ignore[no-untyped-call]
        self.state.flags.no_compile = True
        made = super().compile_extra(func)  # type: ignore[no-untyped-call]
        # Numba knows a compiled function by what Python would call.
        module = sys.modules[func.__module__]
        key = _dynfunc.make_function(module, func.__name__, "", 0, made.environment, ())
        self.state.targetctx.insert_user_function(key, made.fndesc, [made.library])
        return made._replace(entry_point=key)


def assembly(text: str) -> str:
    """The instructions that a text of LLVM's language becomes on the processor that is compiled for."""
    triple, processor, features = cpu_target.target_context.codegen().magic_tuple()
    target = binding.Target.from_triple(triple).create_target_machine(cpu=processor, features=features, opt=2)
    written: str = target.emit_assembly(binding.parse_assembly(text))
    return written
