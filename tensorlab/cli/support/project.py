"""Where the project lies, and running a program of its environment."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import tensorlab
from tensorlab.bootstrap import ROOT, way_to_install
from tensorlab.cli.support.errors import ENVIRONMENT, CommandError

#: What every copy of the project has at its top.
LANDMARKS = ("_config.yml", "_toc.yml", "pyproject.toml", "tensorlab")


def find_root() -> Path:
    """Return the project's folder: the one around the current folder, else the one this package lies in.

    Raises `CommandError` when there is none, as for a tensorlab that was installed from a package index.
    """
    here = Path.cwd()
    for folder in (here, *here.parents, Path(tensorlab.__file__).parent.parent):
        if all((folder / name).exists() for name in LANDMARKS):
            return folder
    raise CommandError(
        f"this command works on a copy of the project, and {here} is not inside one; "
        "change into the folder that has _toc.yml and book/ in it.",
        ENVIRONMENT,
    )


def require(module: str, purpose: str, command: str = "python3 book") -> None:
    """Raise `CommandError` unless `module` can be imported; `command` is what installs it.

    Example: ``require("jupyterlab", "opens the exercises")``
    """
    if importlib.util.find_spec(module) is None:
        raise CommandError(
            f"the package {module}, which {purpose}, is not installed for {sys.executable}; "
            f"{way_to_install(ROOT, command)}",
            ENVIRONMENT,
        )


def child_environment() -> dict[str, str]:
    """Return the environment for programs that start notebook kernels.

    A kernel that the user once registered under the same name must not run in place of the environment's own.
    """
    return {**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"}


def run_module(module: str, arguments: Sequence[str], cwd: Path, limit: float | None = None) -> int:
    """Run ``python -m MODULE ARGUMENTS`` in `cwd` and return its exit code; Ctrl-C is left to the program.

    After `limit` seconds it is killed.
    """
    process = subprocess.Popen([sys.executable, "-m", module, *arguments], cwd=cwd, env=child_environment())
    while True:
        try:
            return process.wait(limit)
        except KeyboardInterrupt:
            continue  # the program got it too, and may ask or tidy up before it ends
        except subprocess.TimeoutExpired:
            process.kill()
