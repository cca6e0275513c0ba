"""A student's notebook without a kernel: its cells run one after another in one namespace.

IPython's magics and shell lines do nothing here, except that ``%time`` and cells under ``%%time``,
``%%timeit`` and ``%%capture`` run once as plain code, since answers are written under them.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

from . import calls

MAX_NAMES = 50  # function names reported for one cell

_RUN_THE_BODY = frozenset({"time", "timeit", "capture", "prun"})


class Cells:
    """The namespace of one notebook, and the cells that ran in it."""

    def __init__(self) -> None:
        # A real module under the name __main__, because dataclasses and pickle look their classes up there.
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.namespace: dict[str, Any] = module.__dict__
        self.kept: calls.Kept = []
        shell = QuietShell(self)
        self.namespace.update(
            __builtins__=builtins, get_ipython=lambda: shell, display=lambda *objects, **options: None
        )

    def run(self, number: int, source: str) -> dict[str, Any]:
        """Run one cell. Returns ``{"defines": [names]}``, with ``"raised"`` beside it when it stopped early.

        Args:
            number: the cell's place in the notebook, from 1; errors name it.
        """
        filename = f"<cell {number}>"
        reply: dict[str, Any] = {}
        try:
            python = self.to_python(source)
            linecache.cache[filename] = (len(python), None, python.splitlines(keepends=True), filename)
            self.execute(_compile(python, filename))
        except BaseException as error:
            reply["raised"] = calls.describe(error, filename)
        reply["defines"] = self._functions_of(filename)
        return reply

    def execute(self, code: CodeType) -> None:
        """Run code of a cell, which may await something outside of any function, as in Jupyter."""
        waiting = eval(code, self.namespace)  # the whole point of the box
        if waiting is not None:
            import asyncio  # 0.05 s, and most cells need none of it

            asyncio.run(waiting)

    def to_python(self, source: str) -> str:
        """`source` with magics and shell lines turned into calls of `QuietShell`."""
        try:
            _compile(source, "<cell>")
        except SyntaxError:
            return _without_magics(source)
        return source

    def _functions_of(self, filename: str) -> list[str]:
        names = [
            name
            for name, value in self.namespace.items()
            if isinstance(value, FunctionType)
            and value.__code__.co_filename == filename
            and type(name) is str
            and name.isidentifier()
        ]
        return names[:MAX_NAMES]


def _compile(source: str, filename: str) -> CodeType:
    """Compile as Jupyter would: without this file's own ``from __future__`` imports, and with ``await``."""
    return compile(source, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def _without_magics(source: str) -> str:
    try:
        from IPython.core.inputtransformer2 import TransformerManager  # 0.2 s, and most cells need none of it
    except ImportError:  # IPython is what students write in, not what grading needs
        return source
    transformed: str = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
    return transformed


class QuietShell:
    """What ``get_ipython()`` returns: it accepts every magic and runs none of the shell's."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    def run_cell_magic(self, name: str, line: str, body: str) -> None:
        """``%%name``: run the body of the harmless ones, skip the others."""
        if name in _RUN_THE_BODY:
            self._run(body)

    def run_line_magic(self, name: str, line: str, *args: Any) -> None:
        """``%name``: only ``%time statement`` has an effect."""
        if name == "time":
            self._run(line)

    def system(self, command: str) -> None:
        """``!command`` does nothing."""

    def getoutput(self, command: str) -> list[str]:
        """``lines = !command`` gives no lines."""
        return []

    def _run(self, source: str) -> None:
        # Keep the file name of the cell that holds the magic, so that its functions count as that cell's.
        filename = sys._getframe(2).f_code.co_filename
        self._cells.execute(_compile(self._cells.to_python(source), filename))
