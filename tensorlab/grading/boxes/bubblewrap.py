"""Boxes that bubblewrap closes off: no network, no files but Python's, no other processes, bounded memory.

What is inside: Python and the installed packages, read-only; this library without questions, hints and known
solutions; a folder in memory. As root, the process gets a user of its own that owns nothing; as another user,
a namespace of users, in which it has no rights. What all of its processes take together is measured from
outside, and a box that takes more is ended.

To load the library takes a second and more. So it is loaded once, by a process that runs no code of a student
(`inside.zygote`), and boxes are forked from that.

`tensorlab.grading.boxes.canaries` shows before a run that all of this holds.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import weakref
from pathlib import Path
from typing import IO, Any

import tensorlab
from tensorlab.grading.boxes import BoxError, Level, seccomp
from tensorlab.grading.boxes.guard import GONE_SECONDS
from tensorlab.grading.boxes.process import START_SECONDS, Process, clean_environment, program_command
from tensorlab.grading.boxes.walled import HIDDEN, MOST_PROCESSES, WalledBox

FOLDER = "/box"  # where the process begins
FOLDER_BYTES = 128 << 20

#: What the program says when it has loaded the library, and when there is a box; as `inside.zygote` has it.
HELLO = b"a box is there"

#: Users from here on are nobody's. Each box takes one, since limits count what a user has.
_FIRST_USER, _USERS = 2_000_000_000, 1 << 20

_CREDENTIALS = struct.Struct("iII")  # process, user, group


class BubblewrapBoxes:
    """Starts boxes that bubblewrap closes off. What they are forked from ends with this object.

    Args:
        parts, cpu_seconds, warm, backend: see `ProcessBox`.
        memory_bytes: of all processes of a box together, and of the address space of each.
        alone: see `WalledBox`.

    Example: ``with closing(BubblewrapBoxes(parts)()) as box: ...``
    """

    def __init__(
        self,
        parts: list[str],
        memory_bytes: int = 2 << 30,
        cpu_seconds: int = 120,
        *,
        warm: bool = False,
        backend: str = "",
        alone: bool = False,
    ) -> None:
        self._backend = backend
        self._limits = parts, memory_bytes, cpu_seconds
        filtered = seccomp.program(processes=not alone)
        self._told = {
            "parts": parts, "warm": warm, "filter": filtered.hex(), "processes": MOST_PROCESSES,
            "folder": FOLDER, "folder_bytes": FOLDER_BYTES, "kept": _libraries(_package()),
        }  # fmt: skip
        self._zygote: Zygote | None = None

    def __call__(self) -> BubblewrapBox:
        """A box whose process is ready.

        Raises:
            BoxError: the process did not come up.
        """
        if self._zygote is None or not self._zygote.runs():
            self._zygote = Zygote(self._told, self._backend)
        return BubblewrapBox(self._zygote, *self._limits)


class Zygote:
    """The process that boxes are forked from.

    Args:
        told: what it reads before anything else.
        backend: see `ProcessBox`.

    Raises:
        BoxError: it did not come up.
    """

    def __init__(self, told: dict[str, Any], backend: str = "") -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._control.settimeout(START_SECONDS)
        try:
            with theirs:
                process = subprocess.Popen(
                    [*_walls(backend), "--", *program_command("zygote")],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
        except OSError as error:
            self._control.close()
            raise BoxError(f"the process could not be started: {error}") from error
        self._process = process
        weakref.finalize(self, _stop, process, self._control, os.getpid())
        with contextlib.suppress(OSError):
            self._control.send(json.dumps(told).encode())
            if self._control.recv(len(HELLO)) == HELLO:
                return
        process.kill()
        assert process.stderr is not None
        last = process.stderr.read().decode("utf-8", "replace").strip().splitlines()[-1:]
        raise BoxError(f"the process did not come up: {last[0] if last else 'it said nothing'}")

    def runs(self) -> bool:
        """Whether boxes can be forked from it."""
        return self._process.poll() is None

    def fork(self, user: int) -> Forked:
        """A process in a box of its own.

        Args:
            user: whom it becomes; 0 in a namespace of users.
        """
        pipes = [os.pipe() for _ in range(3)]
        (stdin, ours), (output, stdout), (errors, stderr) = pipes
        try:
            socket.send_fds(self._control, [str(user).encode()], [stdin, stdout, stderr])
            said, told, _, _ = self._control.recvmsg(4096, socket.CMSG_SPACE(_CREDENTIALS.size))
            if said != HELLO:
                raise OSError(said.decode("utf-8", "replace") or "what it is forked from has ended")
            # The kernel writes who the sender is, and as which process this one knows it.
            pid = _CREDENTIALS.unpack(told[0][2])[0]
            return Forked(pid, ours, output, errors)
        except OSError:
            self._process.kill()  # whatever is wrong with it, the next box gets another one
            for descriptor in (ours, output, errors):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (stdin, stdout, stderr):
                os.close(descriptor)


def _stop(process: subprocess.Popen[bytes], control: socket.socket, owner: int) -> None:
    if os.getpid() == owner:  # and not a process that was forked from it
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
    control.close()


class Forked:
    """The first process of a box, as `subprocess.Popen` has one. It ends after all others of the box."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)
        weakref.finalize(self, os.close, self._handle).atexit = False  # a thread may still look at it then
        self.stdin: IO[bytes] | None = os.fdopen(stdin, "wb", 0)
        self.stdout: IO[bytes] | None = os.fdopen(stdout, "rb", 0)
        self.stderr: IO[bytes] | None = os.fdopen(stderr, "rb", 0)

    def poll(self) -> int | None:
        """None while it runs."""
        return 0 if select.select([self._handle], [], [], 0)[0] else None

    def wait(self) -> int:
        """Wait until it has ended."""
        select.select([self._handle], [], [], GONE_SECONDS)
        return 0

    def kill(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)


class BubblewrapBox(WalledBox):
    """One student's process, closed off by bubblewrap; see `BubblewrapBoxes`."""

    level: Level = "strong"

    def __init__(self, zygote: Zygote, parts: list[str], memory_bytes: int, cpu_seconds: int) -> None:
        self._zygote = zygote
        super().__init__(parts, memory_bytes, cpu_seconds)

    def _launch(self) -> Process:
        return self._zygote.fork(_FIRST_USER + secrets.randbelow(_USERS) if os.geteuid() == 0 else 0)

    def _end(self) -> None:
        self._process.kill()


def missing() -> str:
    """What this machine lacks for such boxes, and the command that gets it; "" when it has all."""
    if sys.platform != "linux":
        return "they need Linux: grade in containers (--container IMAGE) or on a virtual machine"
    if shutil.which("bwrap") is None:
        return (
            "bubblewrap is not installed: sudo apt install bubblewrap (Debian, Ubuntu), "
            "sudo dnf install bubblewrap (Fedora)"
        )
    if not seccomp.is_known():
        return "the system calls of this machine's processor are not known to this library"
    return ""


def _package() -> Path:
    return Path(tensorlab.__file__).resolve().parent


def _walls(backend: str) -> list[str]:
    """The command line of bubblewrap, up to the program, which may put up more walls behind these.

    The folders in memory come first: Python, its packages or this library may lie below one of them.
    """
    package = _package()
    own = [str(package / name) for name in HIDDEN]
    inside = str(package / "grading" / "inside")
    home = clean_environment(FOLDER, backend)
    memory = ("--perms", "1777", "--size", str(FOLDER_BYTES), "--tmpfs")
    own_user = () if os.geteuid() == 0 else ("--unshare-user", "--disable-userns")
    rights = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID")
    return [
        "bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
        *own_user, "--cap-drop", "ALL", *[word for right in rights for word in ("--cap-add", right)],
        "--new-session", "--die-with-parent", "--hostname", "box",
        "--clearenv", *[word for name, value in home.items() for word in ("--setenv", name, value)],
        "--proc", "/proc", "--dev", "/dev", *memory, "/dev/shm", *memory, "/tmp", *memory, FOLDER,
        *_files(package),
        *[word for folder in own for word in ("--tmpfs", folder)],
        "--ro-bind", inside, inside,
        *[word for folder in own for word in ("--remount-ro", folder)],
        "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", FOLDER,
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
    for text in _libraries(package):
        for parent in reversed(Path(text).parents[:-1]):
            options += "--dir", str(parent)  # for all to enter; bubblewrap's own are for root alone
        options += "--ro-bind", text, text
    return options


def _libraries(package: Path) -> list[str]:
    """The folders of Python, its packages and this library that are not below /usr."""
    kept = [Path("/usr")]
    for text in (sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix, str(package)):
        path = Path(text)
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return [str(path) for path in kept[1:]]
