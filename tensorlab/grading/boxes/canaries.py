"""Shows, before a run, that boxes keep what they promise: code in one tries to get out, and is watched.

The code is this file's own, so that what it says of itself can be believed. What it leaves behind is looked
for from outside.
"""

from __future__ import annotations

import contextlib
import secrets
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from tensorlab.grading.boxes import Box, BoxFactory, NoAnswer
from tensorlab.grading.inside import values

SECONDS = 30.0
GONE_SECONDS = 2.0  # until the processes of a closed box must be gone
MOST_PROCESSES = 128
MOST_MEMORY = 4 << 30
_TCP, _UDP, _NAMED = "it connected by TCP", "it sent by UDP", "it reached a socket"

#: What code in a box tries. Each function returns what it got.
_ATTEMPTS = """
import os, signal, socket, time

def tried(words, action):
    try:
        return [words] if action() is not False else []
    except (OSError, MemoryError):
        return []

def read(*paths):
    look = lambda path: bool(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
    return [words for path in paths for words in tried("it read " + path, lambda: look(path))]

def write(*folders):
    def put(folder):
        path = os.path.join(folder, "tensorlab-canary")
        open(path, "x").close()
        os.remove(path)
    return [words for folder in folders for words in tried("it wrote to " + folder, lambda: put(folder))]

def connect(tcp, udp, name):
    def send(family, kind, address):
        with socket.socket(family, kind) as end:
            end.settimeout(1)
            end.connect(address)
            end.send(b"canary")
    tried("", lambda: send(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", tcp)))
    tried("", lambda: send(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", udp)))
    tried("", lambda: send(socket.AF_UNIX, socket.SOCK_STREAM, chr(0) + name))
    return []  # what arrived is seen at the other end: a box may have a network of its own, with nobody there

def stop(pid):
    return tried("it stopped a process", lambda: os.kill(pid, signal.SIGKILL))

def grow(size):
    return tried("it took too much memory", lambda: bool(bytearray(size)))

def multiply(most, name):
    def begin():
        for count in range(most):
            if os.fork() == 0:
                os.setsid()  # out of the group, to outlive it
                if count == 0:
                    os.execv("/bin/sh", ["sh", "-c", "sleep 20; true", name])
                time.sleep(20)
                os._exit(0)
    return tried("it started " + str(most) + " processes", begin)
"""


def escapes(open_box: BoxFactory, part: str) -> list[str]:
    """What code in such a box could do, in words; empty where the box is tight.

    Args:
        part: one of those that the box knows, since a call names one.

    Raises:
        BoxError: no box could be started.
    """
    name = secrets.token_hex(16)
    with ExitStack() as outside:
        folder = Path(outside.enter_context(tempfile.TemporaryDirectory(prefix="tensorlab-canary-")))
        (folder / "canary").write_text(name, encoding="ascii")
        ends = outside.enter_context(_listening(name))
        tcp, udp = (ends[kind].getsockname()[1] for kind in (_TCP, _UDP))
        victim = outside.enter_context(_waiting())
        grading = Path(__file__).resolve().parents[1]
        tries: dict[str, tuple[Any, ...]] = {
            "read": (str(folder / "canary"), str(grading / "suites"), f"/proc/{victim.pid}/environ"),
            "write": (str(folder), sys.prefix, str(grading), "/"),
            "connect": (tcp, udp, name),
            "stop": (victim.pid,),
            "grow": (MOST_MEMORY + (1 << 20),),
            "multiply": (MOST_PROCESSES, name),
        }
        with closing(open_box()) as box:
            box.ask({"op": "cell", "number": 1, "source": _ATTEMPTS}, SECONDS)
            found = [words for function, args in tries.items() for words in _try(box, part, function, args)]
        found += [words for words, end in ends.items() if select.select([end], [], [], 0)[0]]
    return found + (["it left a process behind"] if _is_alive(name) else [])


@contextlib.contextmanager
def _listening(name: str) -> Iterator[dict[str, socket.socket]]:
    """Sockets of this process, one of which has a name, under what is said of code that reaches them."""
    with ExitStack() as stack:
        inet, unix, stream = socket.AF_INET, socket.AF_UNIX, socket.SOCK_STREAM
        ends = {
            _TCP: stack.enter_context(socket.socket(inet, stream)),
            _UDP: stack.enter_context(socket.socket(inet, socket.SOCK_DGRAM)),
        }
        for end in ends.values():
            end.bind(("127.0.0.1", 0))
        if sys.platform == "linux":  # nobody else has sockets without a path
            ends[_NAMED] = stack.enter_context(socket.socket(unix, stream))
            ends[_NAMED].bind(f"\0{name}")
        for words in ends.keys() - {_UDP}:
            ends[words].listen()
        yield ends


@contextlib.contextmanager
def _waiting() -> Iterator[subprocess.Popen[bytes]]:
    """A process of this user that should not be stopped."""
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]) as process:
        try:
            yield process
        finally:
            process.kill()


def _try(box: Box, part: str, function: str, args: tuple[Any, ...]) -> list[str]:
    request = {"op": "call", "name": function, "part": part, "args": values.encode(args)}
    try:
        reply = box.ask(request, SECONDS)
    except NoAnswer as error:
        return [f"{function} had no answer: {error}"]
    return list(values.decode(reply["returned"])) if "returned" in reply else [str(reply)]


def _is_alive(name: str) -> bool:
    """Whether a process that was started in the box is still there."""
    until = time.monotonic() + GONE_SECONDS
    while any(name.encode() in _command(path) for path in Path("/proc").glob("[0-9]*/cmdline")):
        if time.monotonic() > until:
            return True
        time.sleep(0.05)
    return False


def _command(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it has ended
