"""What is launched under NVIDIA's compute-sanitizer: every kernel."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
import types

from tensorlab.backends import cuda
from tensorlab.backends.cuda import compiler, memory, simulator
from tensorlab.backends.cuda.checked import CHECKED
from tensorlab.backends.cuda.compute import Cuda
from tensorlab.backends.cuda.driver import Simulated
from tests.library import every_kernel


def written() -> set[str]:
    """The names of the kernels that stand in modules: they ask who they are, and return nothing."""
    read = {}
    for each in pkgutil.iter_modules(cuda.__path__, f"{cuda.__name__}."):
        if each.name.endswith((".lowering", ".simulator", ".intrinsics")):
            continue
        for function in vars(importlib.import_module(each.name)).values():
            if isinstance(function, types.FunctionType) and function.__module__ == each.name:
                names = compiler.globals_of(function.__code__)
                if "cuda" in names and function.__globals__["cuda"] is simulator.cuda:
                    read[function] = names
    called = set().union(*read.values())
    return {each.__name__ for each in read if each.__name__ not in called and not _returns(each)}


def _returns(function: types.FunctionType) -> bool:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(tree))


def test_every_kernel_is_launched_in_memory_of_its_exact_size(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")
    monkeypatch.setattr(memory, "GRAIN", 1)
    backend = Cuda(Simulated())
    backend.driver.blocks = 8  # so many that some share a result
    monkeypatch.setattr(cuda, "_device", lambda simulated: backend)
    launched = every_kernel.launched(backend)
    checked = {each.kernel.__name__ for each in CHECKED.values()}
    assert len(written()) > 30
    assert (written() | checked) - launched.keys() == set()
