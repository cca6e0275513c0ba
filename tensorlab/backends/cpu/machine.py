"""The processor: how long its vectors are, how many there are, and the sizes of its caches.

What the vectors are like is asked of the compiler, which is told by ``NUMBA_CPU_NAME`` what to compile for.
"""

from __future__ import annotations

import functools
import platform
import subprocess
from pathlib import Path
from typing import NamedTuple

from tensorlab.backends.cpu import jit


class Vectors(NamedTuple):
    """Vectors: the bytes of one, and how many registers hold one."""

    size: int
    registers: int


class Caches(NamedTuple):
    """The bytes of the caches that a core has for itself."""

    first: int
    second: int


# What the compiler makes of an addition of long vectors shows which registers it has.
_ADDITION = """
define void @add(ptr %x) {
  %a = load <16 x float>, ptr %x
  %b = fadd <16 x float> %a, %a
  store <16 x float> %b, ptr %x
  ret void
}
"""
_X86 = (("zmm", Vectors(64, 32)), ("ymm", Vectors(32, 16)), ("xmm", Vectors(16, 16)))
_OTHERS = Vectors(16, 32)  # NEON, and the vectors of POWER


@functools.cache
def vectors() -> Vectors:
    """The vector registers of the processor that is compiled for.

    Example:
        >>> vectors().size in (16, 32, 64)
        True
    """
    assembly = jit.assembly(_ADDITION)
    return next((found for name, found in _X86 if f"%{name}" in assembly), _OTHERS)


# What is taken for granted where the system does not tell.
_APPLE = Caches(128 << 10, 4 << 20)
_ARM = Caches(64 << 10, 1 << 20)
_COMMON = Caches(32 << 10, 512 << 10)  # of x86 for many years


@functools.cache
def caches() -> Caches:
    """The sizes of the caches, as the system tells them, or usual ones where it does not.

    Example:
        >>> caches().first < caches().second
        True
    """
    system = platform.system()
    told: dict[int, int] = {}
    usual = _COMMON
    if platform.machine().lower() in ("aarch64", "arm64"):
        usual = _APPLE if system == "Darwin" else _ARM
    if system == "Linux":
        told = _told_by_linux()
    elif system == "Darwin":
        told = _told_by_macos()
    return Caches(told.get(1, usual.first), told.get(2, usual.second))


def _told_by_linux(folder: Path = Path("/sys/devices/system/cpu/cpu0/cache")) -> dict[int, int]:
    """The size of the data cache of each level. Some virtual machines leave it out, or say 0."""
    found = {}
    for index in folder.glob("index*"):
        try:
            level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        kilobytes = size.removesuffix("K")
        if kind != "Instruction" and level.isdigit() and kilobytes.isdigit() and int(kilobytes):
            found[int(level)] = int(kilobytes) << 10
    return found


def _told_by_macos() -> dict[int, int]:
    """The same, of the fast cores. A Mac with another maker's processor does not know these names."""
    found = {}
    for level, name in ((1, "hw.perflevel0.l1dcachesize"), (2, "hw.perflevel0.l2cachesize")):
        try:
            told = subprocess.run(["sysctl", "-n", name], capture_output=True, text=True, check=False).stdout
        except OSError:
            continue
        if told.strip().isdigit():
            found[level] = int(told)
    if 2 in found:
        found[2] //= 4  # a cluster of cores shares it
    return found
