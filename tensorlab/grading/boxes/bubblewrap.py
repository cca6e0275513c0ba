"""A box that bubblewrap closes off: no network, no files but Python's, no other processes, bounded memory.

What is inside: Python and the installed packages, read-only; this library without questions, hints and known
solutions; a folder in memory. As root, the process gets a user of its own that owns nothing; as another user,
a namespace of users, in which it has no rights. What all of its processes take together is measured from
outside, and a box that takes more is ended.

`tensorlab.grading.boxes.canaries` shows before a run that all of this holds.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import tensorlab
from tensorlab.grading.boxes import Level, seccomp
from tensorlab.grading.boxes.guard import GONE_SECONDS, collect, descendants
from tensorlab.grading.boxes.meter import Processor
from tensorlab.grading.boxes.process import ProcessBox, clean_environment, runner_command

FOLDER = "/box"  # where the process begins
FOLDER_BYTES = 128 << 20
MOST_PROCESSES = 64
LOOK = 0.05  # seconds between two looks at what the processes take

#: Users from here on are nobody's. Each box takes one, since limits count what a user has.
_FIRST_USER, _USERS = 2_000_000_000, 1 << 20

# Parts of this library that are not for students' eyes while they are graded.
_HIDDEN = ("grading", "learn", "cli")


class BubblewrapBox(ProcessBox):
    """One student's process, closed off by bubblewrap.

    Args:
        parts, cpu_seconds, warm: see `ProcessBox`.
        memory_bytes: of all processes of the box together, and of the address space of each.

    Raises:
        BoxError: the process did not come up.
    """

    level: Level = "strong"

    def __init__(
        self, parts: list[str], memory_bytes: int = 2 << 30, cpu_seconds: int = 120, *, warm: bool = False
    ) -> None:
        self._memory = memory_bytes
        super().__init__(parts, memory_bytes, cpu_seconds, warm=warm)
        threading.Thread(target=self._watch, daemon=True).start()

    def _launch(self) -> subprocess.Popen[bytes]:
        user = _FIRST_USER + secrets.randbelow(_USERS) if os.geteuid() == 0 else None
        reading, writing = os.pipe()  # the filter is shorter than a pipe's buffer
        try:
            with os.fdopen(writing, "wb") as end:
                end.write(seccomp.program())
            command = [*_walls(reading, user), "--", *runner_command(_become(user))]
            return self._popen(command, dict(os.environ), pass_fds=(reading,))
        finally:
            os.close(reading)

    def _end(self) -> None:
        """End the process, and wait for the others: the kernel ends them when theirs is gone, not at once."""
        members = list(descendants(self._process.pid))
        super()._end()
        until = time.monotonic() + GONE_SECONDS
        while not all(collect(pid) for pid in members) and time.monotonic() < until:
            time.sleep(0.002)

    def _processor(self) -> Processor:
        return Processor(self._process.pid, descendants)

    def _watch(self) -> None:
        """End the box when its processes take more than they may."""
        while self._process.poll() is None:
            members = list(descendants(self._process.pid))
            if sum(map(memory, members)) > self._memory:
                self._end()
            time.sleep(LOOK)


def missing() -> str:
    """What this machine lacks for such boxes, and the command that gets it; "" when it has all."""
    if sys.platform != "linux":
        return "they need Linux: grade in a container or on a virtual machine"
    if shutil.which("bwrap") is None:
        return (
            "bubblewrap is not installed: sudo apt install bubblewrap (Debian, Ubuntu), "
            "sudo dnf install bubblewrap (Fedora)"
        )
    if not seccomp.is_known():
        return "the system calls of this machine's processor are not known to this library"
    return ""


def memory(pid: int) -> int:
    """Bytes that a process takes: its share of what it has in common with others, where that is told."""
    with contextlib.suppress(OSError):  # it has ended
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def _become(user: int | None) -> str:
    """What the process does before all else: it becomes the box's user, who may have so many processes."""
    limit = f"import resource as r; r.setrlimit(r.RLIMIT_NPROC, ({MOST_PROCESSES}, {MOST_PROCESSES}))"
    if user is None:
        return limit
    return f"import os; os.setgroups([]); os.setresgid(*[{user}] * 3); os.setresuid(*[{user}] * 3); {limit}"


def _walls(filter_descriptor: int, user: int | None) -> list[str]:
    """The command line of bubblewrap, up to the program.

    Args:
        filter_descriptor: where it reads the program of `seccomp`.
        user: whom the program becomes by itself, None in a namespace of users.
    """
    package = Path(tensorlab.__file__).resolve().parent
    own = [str(package / name) for name in _HIDDEN]
    inside = str(package / "grading" / "inside")
    home = clean_environment(FOLDER)
    memory = ("--perms", "1777", "--size", str(FOLDER_BYTES), "--tmpfs")
    users = (
        ("--unshare-user", "--disable-userns", "--cap-drop", "ALL")
        if user is None
        else ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
    )
    return [
        "bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
        *users, "--new-session", "--die-with-parent", "--hostname", "box",
        "--clearenv", *[word for name, value in home.items() for word in ("--setenv", name, value)],
        *_files(package),
        *[word for folder in own for word in ("--tmpfs", folder)],
        "--ro-bind", inside, inside,
        "--proc", "/proc", "--dev", "/dev", *memory, "/dev/shm", "--remount-ro", "/dev",
        *memory, "/tmp", *memory, FOLDER, "--chdir", FOLDER,
        *[word for folder in own for word in ("--remount-ro", folder)],
        "--remount-ro", "/", "--seccomp", str(filter_descriptor),
    ]  # fmt: skip


def _files(package: Path) -> list[str]:
    """Python and its packages at the places where they are, read-only, and nothing else."""
    options = ["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for name in ("bin", "lib", "lib32", "lib64", "sbin"):
        path = Path("/", name)
        if path.is_symlink():
            options += "--symlink", str(path.readlink()), str(path)
        elif path.is_dir():
            options += "--ro-bind", str(path), str(path)
    kept: list[Path] = [Path("/usr")]
    for text in (sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix, str(package)):
        path = Path(text)
        if not any(path.is_relative_to(other) for other in kept):
            for parent in reversed(path.parents[:-1]):
                options += "--dir", str(parent)  # for all to enter; bubblewrap's own are for root alone
            options += "--ro-bind", text, text
            kept.append(path)
    return options
