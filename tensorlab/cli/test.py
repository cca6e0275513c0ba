"""``tensorlab test``: all tests, through pytest; or those that a GPU can run."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

import typer

from tensorlab.cli.support.errors import ENVIRONMENT, CommandError
from tensorlab.cli.support.project import child_environment, find_root, require, run_module

CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}

# What runs on a GPU: kernels against NumPy's, operators against the CPU's, and PyTorch's samples.
ON_GPU = (
    "test_cuda_operators.py",
    "test_cuda_graphs.py",
    "test_cuda_memory.py",
    "test_cuda_backend.py",
    "test_cuda_samples.py",
)


def run(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PYTEST ARGUMENTS]", help="Passed on to pytest; paths count from the project's folder."
        ),
    ] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="Run what a GPU can run, on the GPU.")] = False,
    limit: Annotated[float, typer.Option(help="With --gpu: seconds after which no test is begun.")] = 420,
    out: Annotated[Path | None, typer.Option(help="With --gpu: a file for the results, as JSON.")] = None,
) -> None:
    """Run the tests: library, widgets, grader, book, solutions, and every example in a docstring.

    Exit codes are pytest's: 0 all passed, 1 some failed, 2 interrupted, 4 wrong arguments, 5 no test found.
    For one file in this process: `tensorlab test -n0 tests/library/test_layout.py`.

    With --gpu: the tests of kernels and operators, and PyTorch's own samples where it is installed, on the
    GPU in place of the simulator; and the operators once more under NVIDIA's compute-sanitizer, if that is
    installed. The first failure of the sanitizer makes it fail.
    """
    root = find_root()
    require("pytest", "runs the tests", command="python3 tests")
    if gpu:
        raise typer.Exit(_on_gpu(root, arguments or [], limit, out))
    require("nbval", "runs the notebooks as tests", command="python3 tests")
    raise typer.Exit(run_module("pytest", arguments or [], cwd=root))


def _on_gpu(root: Path, arguments: list[str], limit: float, out: Path | None) -> int:
    from tensorlab.backends import cuda

    if missing := cuda.missing():
        raise CommandError(f"test --gpu runs tests on a GPU, and there is none: {missing}", ENVIRONMENT)
    from tensorlab.bench.gpu import card

    os.environ |= {"TENSORLAB_TEST_GPU": "1", "TENSORLAB_TEST_UNTIL": str(time.time() + limit)}
    files = [str(root / "tests" / "library" / name) for name in ON_GPU]
    checks = {tool: _sanitizer(tool, files[0], arguments, root) for tool in ("memcheck", "racecheck")}
    results = root / "_build" / "gpu.xml"
    results.parent.mkdir(exist_ok=True)
    workers = [f"-n{min(8, os.cpu_count() or 1)}", "--dist=load"] if importlib.util.find_spec("xdist") else []
    asked = ["-p", "no:cacheprovider", f"--junitxml={results}", *workers, *arguments, *files]
    code = run_module("pytest", asked, cwd=root)
    found = {
        **card(),
        "sanitizer": {tool: _summary(check) for tool, check in checks.items()},
        **_read(results),
    }
    text = json.dumps(found, indent=1)
    if out is None:
        typer.echo(text)
    else:
        out.write_text(text + "\n")
    clean = all(
        said in ("", "ERROR SUMMARY: 0 errors") or "0 hazards" in said for said in found["sanitizer"].values()
    )
    return code or int(not clean)


def _sanitizer(tool: str, file: str, arguments: list[str], root: Path) -> subprocess.Popen[str] | None:
    """The operators' tests under a tool of compute-sanitizer; nothing where it is not installed."""
    program = shutil.which("compute-sanitizer")
    if program is None:
        return None
    options = ["-n0", "-q", "-p", "no:cacheprovider", *arguments, file]
    command = [program, "--tool", tool, sys.executable, "-m", "pytest", *options]
    environment = child_environment()
    return subprocess.Popen(
        command, cwd=root, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def _summary(check: subprocess.Popen[str] | None) -> str:
    """The line with which compute-sanitizer ends."""
    if check is None:
        return ""
    lines = [line.strip("= \n") for line in check.communicate()[0].splitlines()]
    return next(
        (line for line in reversed(lines) if "SUMMARY" in line), lines[-1] if lines else "it said nothing"
    )


def _read(results: Path) -> dict[str, Any]:
    """How many tests passed, failed and were skipped, and what the failed ones say."""
    cases = list(ElementTree.parse(results).iter("testcase"))
    failed = {}
    for case in cases:
        for problem in (*case.findall("failure"), *case.findall("error")):
            failed[f"{case.get('classname')}::{case.get('name')}"] = (problem.get("message") or "")[:500]
    skipped = sum(case.find("skipped") is not None for case in cases)
    return {"passed": len(cases) - len(failed) - skipped, "skipped": skipped, "failed": failed}
