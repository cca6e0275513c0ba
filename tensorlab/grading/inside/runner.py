"""The program in the box: take requests from stdin, run a student's cells and functions, answer on stdout.

The pipes are the process's own stdin and stdout, because those exist in the same way on Linux, macOS and
Windows and through a container. They are taken away before any code of a student runs: what that code prints
goes to stderr, which the grader drains and never reads for results.

Owning this program lets a student's code answer questions in its own way, which is the exercise. It holds no
tests, no answers and no secret.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import Any

from . import frames, values
from .calls import Parts, call, looked_at, told_again
from .cells import Cells
from .printed import listening

# A call draws its random numbers with this. Loaded before any code of a student, it is the same in every box
# that is forked, and no box takes the time.
importlib.import_module("numpy.random")


def main() -> None:
    """Serve requests until the grader closes its end."""
    requests, replies = _claim_pipes()
    owner = os.getpid()
    parts, cells = Parts(()), None
    while (request := frames.read(lambda n: os.read(requests, n), frames.MAX_REQUEST)) is not None:
        if request["op"] == "start":
            reply: dict[str, Any] = {"limits": _limit(request["memory_bytes"], request["cpu_seconds"])}
            parts = Parts(request["parts"])
            _quiet_learning_tools()
            cells = Cells()
        elif request["op"] == "warm":
            warm("float32")
            reply = {}
        else:
            assert cells is not None, "the first request is 'start'"
            if request.get("listen"):
                os.write(2, frames.mark(request["id"]))
            with listening(request.get("listen", 0)) as printed:
                reply = _work(cells, parts, request)
            if printed.text:
                reply["printed"] = printed.text
        if os.getpid() != owner:
            os._exit(0)  # a child that the student's code forked must not answer for its parent
        _write_all(replies, frames.pack({"id": request["id"], **reply}))


def _claim_pipes() -> tuple[int, int]:
    """Move the two pipes to descriptors that no child inherits, and point 0 and 1 elsewhere."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _work(cells: Cells, parts: Parts, request: dict[str, Any]) -> dict[str, Any]:
    if request["op"] == "cell":
        return cells.run(request["number"], request["source"])
    if request["op"] == "write":
        return told_again(cells.kept, values.decode(request["lines"]))
    if request["op"] == "look":
        return looked_at(cells.kept, values.decode(request["places"]))
    function = cells.namespace.get(request["name"])
    if not callable(function):
        return {"missing": True}
    named = request.get("named", "")  # of a part that programs use; the others are called with arguments
    args, around = values.decode(request["args"]), parts.without(request["part"])
    return call(function, args, around, named, cells.kept)


def _quiet_learning_tools() -> None:
    """A student's own ``check(...)``, ``hint(...)`` and ``adopt(...)`` cells do nothing here.

    The questions and the known solutions cannot be imported either. Their files are those of an open project,
    so this keeps an honest box honest and no more; a stronger box does not hold the files.
    """
    tensorlab = importlib.import_module("tensorlab")
    learn = ModuleType("tensorlab.learn")
    for module in (tensorlab, learn):
        for name in ("adopt", "blame", "check", "hint", "status"):
            setattr(module, name, lambda *args, **kwargs: None)
    sys.modules["tensorlab.learn"] = learn
    sys.modules["tensorlab.grading"] = None  # type: ignore[assignment] # Python's own way to forbid an import


def warm(*dtypes: str) -> None:
    """Use kernels of several kinds once, so that what they need is loaded."""
    tensorlab = importlib.import_module("tensorlab")
    for name in dtypes:
        x = tensorlab.ones(2, 3, dtype=getattr(tensorlab, name))
        turned, column = x.t(), x[:, :1]
        results = [x @ turned, x.sum(1), x.sum(), x.amax(1), x.to(tensorlab.int16)]
        for y in (x, column, turned.contiguous().t()):
            results += [x + y, x - y, x * y, x / y]
        if x.is_floating_point():
            results += [x.mean(1), x.exp(), x.log(), x.sqrt(), x.square()]
        assert all(result.numel() for result in results)


def _limit(memory_bytes: int, cpu_seconds: int) -> list[str]:
    """Lower this process's own limits where the system has them; returns those that hold."""
    try:
        import resource  # not on Windows
    except ImportError:
        return []
    wanted = {
        "memory": (resource.RLIMIT_AS, memory_bytes),
        "cpu": (resource.RLIMIT_CPU, cpu_seconds),
        "file size": (resource.RLIMIT_FSIZE, 100 << 20),
        "open files": (resource.RLIMIT_NOFILE, 256),
        "core dumps": (resource.RLIMIT_CORE, 0),
    }
    held = []
    for name, (which, limit) in wanted.items():
        _, hard = resource.getrlimit(which)
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        try:
            resource.setrlimit(which, (limit, limit))
        except (ValueError, OSError):
            continue  # macOS refuses some of them; what holds is what is reported
        held.append(name)
    return held
