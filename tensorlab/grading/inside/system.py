"""What a process asks of Linux to take rights from itself and from all that it will start, for good."""

from __future__ import annotations

import ctypes
import functools
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: The variable that tells the program of a limited box which walls to put up.
WALLS = "TENSORLAB_WALLS"

_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # of prctl

# Landlock's calls have one number on every machine; its rights are those of <linux/landlock.h>.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = (1 << bit for bit in (0, 1, 2, 3, 14, 15))
_READ, _OF_FILES = _EXECUTE | _READ_FILE | _READ_DIR, _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_ALL = (1 << 16) - 1
_SCOPES = 0b11  # sockets without a path, and signals: none to processes outside


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def filter_calls(program: bytes) -> None:
    """Refuse system calls from now on; see `boxes.seccomp`."""
    call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call("prctl", _SECCOMP, _FILTER, ctypes.byref(_Program(len(program) // 8, program)), 0, 0)


def landlock_version() -> int:
    """The version of Landlock that the kernel has; 0 for none."""
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)))


def keep_to(read: Iterable[str], write: Iterable[str]) -> None:
    """Reach no file but those below some paths, no signal's target and no nameless socket outside.

    Takes version 6 of Landlock.

    Args:
        read: what can be read and run. Paths that are not there are left out.
        write: what can be changed as well.
    """
    rules = call("syscall", _CREATE_RULESET, struct.pack("=QQQ", _ALL, 0, _SCOPES), ctypes.c_size_t(24), 0)
    for paths, rights in ((read, _READ), (write, _ALL)):
        for path in filter(os.path.exists, paths):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = rights if Path(path).is_dir() else rights & _OF_FILES
            call("syscall", _ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
            os.close(place)
    call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call("syscall", _RESTRICT_SELF, rules, 0)
    os.close(rules)


def call(name: str, *args: Any) -> int:
    """A call of the C library that fails with an error.

    Raises:
        OSError: the system refuses.
    """
    found = int(getattr(_libc(), name)(*args))
    if found < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return found


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
