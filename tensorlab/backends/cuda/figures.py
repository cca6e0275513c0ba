"""What the machine code of each kernel takes: registers, memory, and which instructions.

The figures stand in ``figures.json`` beside a hash of the text that they are the figures of, so that a test
can hold each kernel to its budget without compiling it, and fails when a kernel has changed without them.

    python -m tensorlab.backends.cuda.figures

compiles the kernels that have changed, and takes their figures anew. It needs no GPU, only the packages of
``pip install 'tensorlab[cuda,cuda-check]'``.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cuda import compiler

__all__ = [
    "CAPABILITIES",
    "FILE",
    "Checked",
    "disassembler",
    "fingerprint",
    "instructions",
    "measured",
    "recorded",
    "taken",
]

FILE = Path(__file__).with_name("figures.json")
CAPABILITIES = (7, 5), (8, 0), (9, 0)
# Cards of which a run is kept, for whose kernels times are predicted; a loop whose instructions multiply to
# a greater share than this is there for that.
TIMED, MULTIPLIES = (9, 0), 0.05

WHOLE, SINGLE = np.dtype(np.int64), compiler.Address(np.dtype(np.float32))
HALF = compiler.Address(np.dtype(np.uint16))
DOUBLE = np.dtype(np.float64)


class Checked(NamedTuple):
    """A kernel whose figures are kept.

    Attributes:
        kernel: the kernel.
        kinds: the `tensorlab.backends.cuda.compiler.signature` that it is compiled for.
        capabilities: the compute capabilities.
    """

    kernel: Callable[..., None]
    kinds: tuple[Any, ...]
    capabilities: tuple[tuple[int, int], ...] = CAPABILITIES


@functools.cache
def recorded() -> dict[str, dict[str, Any]]:
    """The figures of each kernel, by its name, and then by the kind of cards, as in ``"sm_80"``."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return found


def fingerprint(checked: Checked) -> str:
    """A hash of all that decides what a kernel is compiled to, but the packages that compile it.

    It is of texts, which every version of Python reads alike.
    """
    said = [str(checked.kinds), str(getattr(checked.kernel, "bounds", ""))]
    said += [*compiler.read_by(checked.kernel, inspect.getsource), _lowering()]
    said += [inspect.getsource(compiler.ptx), inspect.getsource(compiler.cubin)]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


@functools.cache
def _lowering() -> str:
    """The text of the module that makes instructions of the intrinsics, which takes numba-cuda to import."""
    return Path(__file__).with_name("lowering.py").read_text()


def measured(checked: Checked, capability: tuple[int, int]) -> dict[str, int]:
    """The figures of a kernel for cards of one kind.

    Returns:
        ``registers`` of a thread; bytes of ``stack`` of a thread and ``shared`` of a block; how many
        instructions there are: ``all``, ``fma``, ``tensor``, ``double`` (float64), ``wide`` (128-bit
        accesses), ``local`` (accesses of the stack), ``shuffle`` and ``atomic``; of the loop with the most
        work ``loop_all``, ``loop_fma``, ``loop_tensor`` and ``loop_local``; and of the loop where time goes
        by, on cards of `TIMED`, ``inner_all`` and ``inner_fma``, and the bytes that a thread reads and
        writes in global memory each turn, ``inner_read`` and ``inner_written``.
    """
    made = compiler.cubin(compiler.ptx(checked.kernel, checked.kinds, capability), capability)
    registers, stack = (
        int(re.search(pattern, made.log, re.I)[1])  # type: ignore[index]
        for pattern in (r"used (\d+) registers", r"(\d+) bytes stack")
    )
    shared = re.search(r"(\d+) bytes smem", made.log)
    listing = instructions(made.code)
    loops = _loops([line for line, _ in listing], {label: i for i, (_, label) in enumerate(listing) if label})
    return {
        "registers": registers,
        "stack": stack,
        "shared": int(shared[1]) if shared else 0,
        **_counted([line for line, _ in listing]),
        **{
            f"loop_{name}": count
            for name, count in _counted(_busiest(loops)).items()
            if name in ("all", "fma", "tensor", "local")
        },
        **(_inner(max(loops, key=_rank)) if capability == TIMED else {}),
    }


FAMILIES = {
    "all": r"(?!NOP)",
    "fma": r"FFMA",
    "tensor": r"[HIQ]G?MMA",
    "double": r"D(ADD|MUL|FMA|SETP|MNMX)",
    "wide": r"(LDG|STG|LDS|STS|LDGSTS)\S*\.128",
    "local": r"(LDL|STL)\b",
    "shuffle": r"SHFL",
    "atomic": r"(ATOM|RED|ATOMS|ATOMG)\b",
}


def _counted(listing: list[str]) -> dict[str, int]:
    return {name: sum(bool(re.match(p, line)) for line in listing) for name, p in FAMILIES.items()}


def _loops(lines: list[str], labels: Mapping[str, int]) -> list[list[str]]:
    """The instructions of each loop, and those of an empty one."""
    loops: list[list[str]] = [[]]
    for place, line in enumerate(lines):
        found = re.search(r"BRA.*\((\.L_x_\d+)\)", line)
        if found and labels.get(found[1], place) < place:
            loops.append(lines[labels[found[1]] : place + 1])
    return loops


def _busiest(loops: list[list[str]]) -> list[str]:
    """The loop that multiplies most, or is longest."""
    return max(loops, key=lambda loop: (sum("FMA" in line or "MMA" in line for line in loop), len(loop)))


def _rank(loop: list[str]) -> tuple[float, int]:
    """Where time goes by: where most of the work is multiplying, or else where most bytes move."""
    found = _inner(loop)
    share = (found["inner_fma"] + _counted(loop)["tensor"]) / max(found["inner_all"], 1)
    return share if share > MULTIPLIES else 0, found["inner_read"] + found["inner_written"]


def _inner(loop: list[str]) -> dict[str, int]:
    counted = _counted(loop)
    return {
        "inner_all": counted["all"],
        "inner_fma": counted["fma"],
        "inner_read": sum(map(_read, loop)),
        "inner_written": sum(map(_written, loop)),
    }


def _accessed(instruction: str, line: str) -> int:
    """The bytes of a thread's access of global memory; 0 for other instructions."""
    found = re.match(rf"{instruction}\b(\S*)", line)
    size = re.search(r"\.[US]?(8|16|64|128)\b", found[1]) if found else None
    return int(size[1] if size else 32) // 8 if found else 0


_read = functools.partial(_accessed, "LDG(?:STS)?")
_written = functools.partial(_accessed, "STG")


def instructions(code: bytes) -> list[tuple[str, str]]:
    """The instructions of some machine code, without predicates, and the label that stands before each."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        listing = subprocess.run(
            [disassembler(), "-c", file.name], capture_output=True, text=True, check=True
        ).stdout
    found, label = [], ""
    for line in listing.splitlines():
        if mark := re.match(r"\s*(\.L_x_\d+):", line):
            label = mark[1]
        elif mark := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z].*?);", line):
            found.append((mark[1], label))
            label = ""
    return found


def disassembler() -> str:
    """Where the program is that lists instructions; empty without it."""
    try:
        files = metadata.files("nvidia-cuda-nvdisasm") or []
    except metadata.PackageNotFoundError:
        return ""
    return next(str(each.locate()) for each in files if each.name in ("nvdisasm", "nvdisasm.exe"))


def taken(checked: Mapping[str, Checked], known: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The figures of all kernels: those that are known, if the kernel has not changed."""
    figures = {}
    for name, each in checked.items():
        source = fingerprint(each)
        if known.get(name, {}).get("source") == source:
            figures[name] = known[name]
            continue
        figures[name] = {"source": source} | {
            "sm_{}{}".format(*capability): measured(each, capability) for capability in each.capabilities
        }
    return figures


def main() -> None:
    """Take the figures of the kernels that have changed."""
    from tensorlab.backends.cuda.checked import CHECKED

    figures = taken(CHECKED, recorded() if FILE.exists() else {})
    FILE.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
