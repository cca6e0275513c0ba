"""The system calls that code in a box does not get, as a program for the kernel (seccomp, in classic BPF).

Namespaces close off what these calls would reach. A kernel has bugs, though, and a call that is refused
reaches none of them. Python, NumPy and Numba need none of these calls.

The numbers are those of Linux's tables, the format is that of `man 2 seccomp`.
"""

from __future__ import annotations

import errno
import platform
import struct

# name: the number on x86-64, and on 64-bit ARM. Newer calls have one number everywhere.
_REFUSED = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280),
    "clock_adjtime": (305, 266), "clock_settime": (227, 112), "delete_module": (176, 106),
    "finit_module": (313, 273), "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430),
    "fspick": (433, 433), "init_module": (175, 105), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "kcmp": (312, 272),
    "kexec_file_load": (320, 294), "kexec_load": (246, 104), "keyctl": (250, 219),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "mount": (165, 40), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "mq_open": (240, 180), "msgget": (68, 186), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428),
    "perf_event_open": (298, 241), "personality": (135, 92), "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "ptrace": (101, 117), "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218),
    "semget": (64, 190), "setdomainname": (171, 162), "sethostname": (170, 161), "setns": (308, 268),
    "settimeofday": (164, 170), "shmget": (29, 194), "swapoff": (168, 225), "swapon": (167, 224),
    "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}  # fmt: skip
_FORKS = {"x86_64": (57, 58), "aarch64": ()}  # fork and vfork
_CLONE, _CLONE3, _SOCKET = (56, 220), (435, 435), (41, 198)

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # a column above, and AUDIT_ARCH_…
_X32 = 0x40000000  # numbers from here on are those of another table of x86-64
_NEW_NAMESPACES = 0x7E020080  # the flags CLONE_NEW… of all kinds
_SAME_PROCESS = 0x10000  # CLONE_THREAD
_AF_UNIX, _NO_FAMILY = 1, 0xFFFF

# Where the filter finds a call's number, the machine, and the lower half of the first argument.
_NUMBER, _MACHINE, _FIRST = 0, 4, 16
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000


def is_known(machine: str | None = None) -> bool:
    """Whether the numbers of this machine's calls are known.

    Example:
        >>> is_known("x86_64"), is_known("s390x")
        (True, False)
    """
    return (machine or platform.machine()) in _MACHINES


def program(machine: str | None = None, *, sockets: bool = True, processes: bool = True) -> bytes:
    """The filter, as the kernel takes it.

    Args:
        sockets: whether the process may make local ones.
        processes: whether it may start others; threads it may.

    Raises:
        KeyError: the numbers of this machine's calls are not known, see `is_known`.

    Example:
        >>> len(program("x86_64")) % 8  # an instruction has eight bytes
        0
    """
    machine = machine or platform.machine()
    column, architecture = _MACHINES[machine]
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *_where(_AT_LEAST, _X32, errno.ENOSYS),
    ]
    for numbers in _REFUSED.values():
        steps += _where(_EQUAL, numbers[column], errno.EPERM)
    for number in () if processes else _FORKS[machine]:
        steps += _where(_EQUAL, number, errno.EAGAIN)
    # glibc falls back to clone, whose flags can be seen
    steps += _where(_EQUAL, _CLONE3[column], errno.ENOSYS)
    clones = [(_LOAD, 0, 0, _FIRST), *_where(_ANY_BIT, _NEW_NAMESPACES, errno.EPERM)]
    if not processes:
        clones += [(_ANY_BIT, 1, 0, _SAME_PROCESS), (_RETURN, 0, 0, _ERROR | errno.EAGAIN)]
    steps += [
        (_EQUAL, 0, len(clones), _CLONE[column]),
        *clones,
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 0, 3, _SOCKET[column]),
        (_LOAD, 0, 0, _FIRST),
        (_EQUAL, 1, 0, _AF_UNIX if sockets else _NO_FAMILY),
        (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _where(test: int, value: int, error: int) -> list[tuple[int, int, int, int]]:
    """Refuse a call where the test holds; else go on."""
    return [(test, 0, 1, value), (_RETURN, 0, 0, _ERROR | error)]
