"""``tensorlab test``: all tests, through pytest; or those that a GPU can run."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from tensorlab.cli.support import gpu_report, sanitizer
from tensorlab.cli.support.errors import ENVIRONMENT, CommandError
from tensorlab.cli.support.project import child_environment, find_root, require, run_module

CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}

# What runs on a GPU: kernels against NumPy's, operators and gradients against the CPU's, PyTorch's samples.
ON_GPU = (
    "test_cuda_operators.py",
    "test_cuda_graphs.py",
    "test_cuda_memory.py",
    "test_cuda_backend.py",
    "test_cuda_convolution.py",
    "test_cuda_training.py",
    "test_cuda_samples.py",
)

# The seconds behind the limit that a test which has begun may take.
GRACE = 20


def run(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PYTEST ARGUMENTS]", help="Passed on to pytest; paths count from the project's folder."
        ),
    ] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="Run what a GPU can run, on the GPU.")] = False,
    limit: Annotated[float, typer.Option(help="With --gpu: seconds after which no test is begun.")] = 420,
    out: Annotated[
        Path | None, typer.Option(help="With --gpu: a file for the results, as lines of JSON.")
    ] = None,
) -> None:
    """Run the tests: library, widgets, grader, book, solutions, and every example in a docstring.

    Exit codes are pytest's: 0 all passed, 1 some failed, 2 interrupted, 4 wrong arguments, 5 no test found.
    For one file in this process: `tensorlab test -n0 tests/library/test_layout.py`.

    With --gpu: the tests of kernels and operators, and PyTorch's own samples where it is installed, on the
    GPU in place of the simulator; and beside them every kernel under the tools of NVIDIA's
    compute-sanitizer, if that is on PATH or in CUDA_HOME. What any of them finds makes it fail. The results
    are objects of JSON, one a line, each in the file when it is known; beside it lies what the tools write.
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

    report, end = out or root / "_build" / "gpu.jsonl", time.time() + limit
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    os.environ |= {
        "TENSORLAB_TEST_GPU": "1",
        gpu_report.OUT: str(report.absolute()),
        gpu_report.UNTIL: str(end),
    }
    gpu_report.append(card())
    checks = _checks(root, report)
    files = [str(root / "tests" / "library" / name) for name in ON_GPU]
    workers = [f"-n{_workers()}", "--dist=load"] if importlib.util.find_spec("xdist") else []
    # Of the options in pyproject.toml some are notebooks', whose plugin need not be installed here.
    options = ["-o", "addopts=--import-mode=importlib", "-p", "no:cacheprovider", "-p", "tests.gpu_report"]
    asked = [*options, *workers, *arguments, *files]
    code = run_module("pytest", asked, cwd=root, limit=limit + GRACE)
    clean = [_checked(tool, check, report, end + GRACE - time.time()) for tool, check in checks.items()]
    found = gpu_report.summary(gpu_report.read(report))
    gpu_report.append({"is_whole": found["not_run"] == [], **found})
    for name in found["failed"]:
        typer.echo(f"failed: {name}")
    counts = {key: each if isinstance(each, int) else len(each or ()) for key, each in found.items()}
    said = (f"{count} {key.replace('_', ' ')}" for key, count in counts.items())
    typer.echo(f"{', '.join(said)}: {report}")
    return code if code > 0 else int(code < 0 or not all(clean))


def _workers() -> int:
    """How many processes run tests: most of the time they compile kernels, and the tools need cores too."""
    return max(1, min(12, (os.cpu_count() or 1) - len(sanitizer.TOOLS)))


def _checks(root: Path, report: Path) -> dict[str, subprocess.Popen[bytes]]:
    """Every kernel under every tool of compute-sanitizer, whose words go to files beside the report."""
    path = sanitizer.program()
    if path is None:
        gpu_report.append({"sanitizer": "", "summary": "compute-sanitizer is not on PATH, nor in CUDA_HOME"})
        return {}
    found = {}
    for tool in sanitizer.TOOLS:
        command = sanitizer.command(path, tool, sys.executable, "-m", "tests.library.every_kernel")
        with _log(report, tool).open("wb") as log:
            found[tool] = subprocess.Popen(
                command, cwd=root, env=child_environment(), stdout=log, stderr=subprocess.STDOUT
            )
    return found


def _checked(tool: str, check: subprocess.Popen[bytes], report: Path, seconds: float) -> bool:
    """Write what a tool found to the report; whether it found nothing, and the program came to its end."""
    try:
        code: int | None = check.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        check.kill()
        code = None
    text = _log(report, tool).read_text("utf-8", errors="replace")
    found = sanitizer.said(text)
    is_clean = code == 0 and sanitizer.is_clean(found)
    gpu_report.append({"sanitizer": tool, **found, "code": code, "is_clean": is_clean})
    return is_clean


def _log(report: Path, tool: str) -> Path:
    return report.with_suffix(f".{tool}.txt")
