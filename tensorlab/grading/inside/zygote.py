"""The program that boxes are forked from: it loads the library once, and runs no code of a student.

It lives behind the walls of bubblewrap, with the rights that it takes to build more of them. Each box that it
is asked for gets namespaces of its own for processes, mounts and messages, empty folders in memory, and a
process that has given up all rights, and whose system calls are filtered, before it reads its first request.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import resource
import socket
from pathlib import Path
from typing import Any, NoReturn

from . import runner
from .calls import Parts
from .system import call, filter_calls

HELLO = b"a box is there"

_NEW_NAMESPACES = 0x00020000 | 0x08000000 | 0x20000000  # CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID
_NO_SUID, _NO_DEVICES, _READ_ONLY = 2, 4, 1
_BIND, _PRIVATE = 0x4000 | 0x1000, 0x4000 | 0x40000  # MS_BIND and MS_PRIVATE, with all that is below (MS_REC)
_AMBIENT, _CLEAR_ALL = 47, 4  # of prctl
_CAPABILITIES = 0x20080522  # version 3


def main() -> None:
    """Fork a box for each request, until the grader closes its end."""
    control = socket.socket(fileno=os.dup(0))
    told: dict[str, Any] = json.loads(control.recv(1 << 16))
    importlib.import_module("tensorlab")
    Parts(told["parts"])
    if told["warm"]:
        runner.warm("float32", "float64", "int64")
    gc.freeze()  # what is there stays shared between all boxes
    control.send(HELLO)
    while True:
        user, pipes, _, _ = socket.recv_fds(control, 64, 3)
        if not user:
            return
        child = os.fork()
        if child == 0:
            _box(control, pipes, int(user), told)
        for pipe in pipes:
            os.close(pipe)
        os.waitpid(child, 0)


def _box(control: socket.socket, pipes: list[int], user: int, told: dict[str, Any]) -> NoReturn:
    """Start a box, and end with it."""
    try:
        call("unshare", _NEW_NAMESPACES)
        if os.fork():  # the first process after that is the first one of the new namespace
            os._exit(0)
        _mount_folders(told["folder"], told["folder_bytes"], told["kept"])
        control.send(HELLO)
    except Exception as error:
        control.send(str(error).encode())
        os._exit(1)
    control.close()
    student = os.fork()
    if student == 0:
        _become_student(pipes, user, told)
        runner.main()
        os._exit(0)
    for pipe in pipes:
        os.close(pipe)
    while os.wait()[0] != student:
        pass  # a process that its parent left behind
    os._exit(0)  # and with the first process end all others of the namespace


def _mount_folders(folder: str, size: int, kept: list[str]) -> None:
    """Put folders of its own over those of this process.

    What the library has made there is made again, and what is kept below one of them stays where it is.
    """
    made = [path for path in Path(folder).rglob("*") if path.is_dir()]
    call("mount", b"none", b"/", None, _PRIVATE, None)
    own = (folder, "/tmp", "/dev/shm")
    covered = [path for path in kept if any(Path(path).is_relative_to(other) for other in own)]
    places = [os.open(path, os.O_PATH) for path in covered]
    for path in own:
        flags = _NO_SUID | _NO_DEVICES
        call("mount", b"tmpfs", path.encode(), b"tmpfs", flags, f"mode=1777,size={size}".encode())
    os.umask(0o022)  # all may enter the folders that are made here
    for path, place in zip(covered, places, strict=True):
        Path(path).mkdir(parents=True)
        call("mount", f"/proc/self/fd/{place}".encode(), path.encode(), None, _BIND, None)
        os.close(place)
    call("mount", b"tmpfs", b"/proc", b"tmpfs", _NO_SUID | _NO_DEVICES | _READ_ONLY, b"mode=555,size=4k")
    for made_before in made:
        made_before.mkdir()
        made_before.chmod(0o1777)


def _become_student(pipes: list[int], user: int, told: dict[str, Any]) -> None:
    """Keep three pipes and no rights."""
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.setsid()
    os.chdir(told["folder"])
    resource.setrlimit(resource.RLIMIT_NPROC, (told["processes"], told["processes"]))
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    call("prctl", _AMBIENT, _CLEAR_ALL, 0, 0, 0)
    call("capset", (ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)())
    filter_calls(bytes.fromhex(told["filter"]))
