"""Runs a module as if Numba were not installed: ``python -m tests.library.blocked MODULE ARGUMENTS``.

All of PyTorch's samples on the backend that then computes: ``python -m tests.library.blocked
tests.library.operators``; a test file: ``python -m tests.library.blocked pytest FILE``.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

BLOCKED = ("numba", "llvmlite")


class Blocker(MetaPathFinder):
    """Says of the compiler's packages that there are none."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Refuse a blocked package; say nothing of all others."""
        if fullname.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


if __name__ == "__main__":
    sys.meta_path.insert(0, Blocker())
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
