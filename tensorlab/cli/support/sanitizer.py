"""NVIDIA's compute-sanitizer: where it is, how it is run, and what it says of which kernel."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

__all__ = ["TOOLS", "command", "is_clean", "program", "said"]

TOOLS = "memcheck", "racecheck", "initcheck", "synccheck"

# With what each line begins that the tool writes amid the program's own.
MARK = "========="
# Where CUDA's toolkit lies on Linux if no variable says otherwise.
CUSTOMARY = "/usr/local/cuda"


def program() -> str | None:
    """The path of compute-sanitizer: on ``PATH``, or in CUDA's toolkit; None where it is not installed."""
    home = Path(os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or CUSTOMARY)
    folders = os.environ.get("PATH", ""), home / "bin", home / "compute-sanitizer"
    return shutil.which("compute-sanitizer", path=os.pathsep.join(map(str, folders)))


def command(path: str, tool: str, *arguments: str) -> list[str]:
    """How a program is run under a tool.

    An error ends its kernel and not the GPU's context, so that the kernels after it run. What functions of
    the driver return is left to whoever called them: cuda-bindings asks for some that are not there.
    """
    options = ["--destroy-on-device-error", "kernel", "--print-limit", "10000", "--show-backtrace", "no"]
    return [path, "--tool", tool, "--report-api-errors", "no", *options, *arguments]


def said(text: str) -> dict[str, Any]:
    """What a tool found.

    Args:
        text: all that it and the program wrote.

    Returns:
        ``summary``, the tool's last word, empty without one; ``errors``, how many there are of each kernel;
        and ``launched``, how often the program says that it launched each: it says so in its last line.

    Example:
        >>> said('''========= COMPUTE-SANITIZER
        ... ========= Invalid __global__ read of size 4 bytes
        ... =========     at scale(float *, float)+0x70 in scale.cu:6
        ... =========     by thread (255,0,0) in block (3,0,0)
        ... {"launched": {"scale": 2}}
        ... ========= ERROR SUMMARY: 1 error''')
        {'summary': 'ERROR SUMMARY: 1 error', 'errors': {'scale': 1}, 'launched': {'scale': 2}}
    """
    launched = [json.loads(line)["launched"] for line in text.splitlines() if line.startswith('{"launched"')]
    lines = [line.removeprefix(MARK) for line in text.splitlines() if line.startswith(MARK)]
    errors: Counter[str] = Counter()
    for line in lines:
        # Of a race there are several accesses: the first stands in the line that reports it.
        if found := re.match(r"(?: {4,}| .*Race reported between \w+ access )at (.+)", line):
            errors[_kernel(found[1])] += 1
    summaries = [line.strip() for line in lines if "SUMMARY:" in line]
    return {
        "summary": summaries[-1] if summaries else "",
        "errors": dict(errors),
        "launched": launched[-1] if launched else {},
    }


def is_clean(found: dict[str, Any]) -> bool:
    """Whether the program and the tool came to their ends, and nothing was found."""
    return (
        found["launched"]
        and not found["errors"]
        and re.search(r"SUMMARY: 0 (errors|hazards)", found["summary"]) is not None
    )


def _kernel(place: str) -> str:
    """The name of the kernel in which a place is: bare of namespaces, of types, and of what numba adds."""
    place = re.sub(r"^0x\w+ in ", "", place)  # up to version 2022
    place = re.sub(r"^\S+:\d+:", "", place)
    name = re.split(r"[\[(<]|\+0x", place)[0].rpartition("::")[2].split()[-1]
    return re.sub(r"[$_]\d+$", "", name)
