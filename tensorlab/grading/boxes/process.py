"""A box that is a fresh Python process with a folder of its own, a clean environment and resource limits.

What it keeps apart: the grader's memory, the student's time (see `meter`) and (on Linux) memory per process,
standard streams, the working folder, environment variables, imports from the current folder. What it does
not: files that this user can read, the network, other processes of this user. Its level is therefore
``none``.

The same code runs on Linux, macOS and Windows: requests and replies use the process's stdin and stdout (see
`inside.runner`), and threads wait for them, since Windows cannot ``select`` on pipes.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol

import numpy

import tensorlab
from tensorlab.grading.boxes import BoxDied, BoxError, BoxTimeout, Level
from tensorlab.grading.boxes.meter import LOOK, Meter, Processor
from tensorlab.grading.inside import frames

START_SECONDS = 30.0  # to import NumPy and tensorlab from a cold disk
KEPT_OUTPUT = 65_536  # bytes of the process's stderr, which says why a box did not start or did not answer
DRAIN_SECONDS = 0.1  # for the last words of a process that is gone

_INSIDE = Path(__file__).resolve().parents[1] / "inside"

# The grader's folder is on the path for one import only, so that the runner is found there and nothing else
# is.
PROGRAM = """
import importlib, sys
folder, program, start, *libraries = sys.argv[1:]
exec(start)
sys.path.extend(folder for folder in libraries if folder not in sys.path)
sys.path.insert(0, folder)
main = importlib.import_module("inside." + program).main
sys.path.remove(folder)
main()
"""

#: PR_SET_PDEATHSIG, SIGKILL: a cell that never ends must not outlive a grader that was killed.
DIE_WITH_PARENT = "import ctypes; ctypes.CDLL(None).prctl(1, 9)"


class Process(Protocol):
    """What a box needs of `subprocess.Popen`."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    def poll(self) -> int | None:
        """None while it runs."""

    def wait(self) -> int:
        """Wait until it has ended."""
        ...

    def kill(self) -> None:
        """End it."""


class ProcessBox:
    """One student's process.

    Args:
        parts: the library functions to find before the student's code runs, as ``"module:name"``.
        memory_bytes: address space of each process (where the system can limit it).
        cpu_seconds: processor time of each process (where the system can limit it).
        warm: whether to try the library's kernels once, which loads Numba and them: half a second that a
            first call would wait for, and be charged.
        backend: the library's in the box, as ``TENSORLAB_BACKEND`` names it; its own choice if left out.

    Raises:
        BoxError: the process did not come up.
    """

    level: Level = "none"

    def __init__(
        self,
        parts: list[str],
        memory_bytes: int = 4 << 30,
        cpu_seconds: int = 120,
        *,
        warm: bool = False,
        backend: str = "",
    ) -> None:
        self._backend = backend
        self._folder = Path(tempfile.mkdtemp(prefix="tensorlab-box-"))
        self._asked: set[str] = set()
        self._closed = False
        self._output = b""
        self._mark = b""
        try:
            self._process = self._launch()
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise BoxError(f"the process could not be started: {error}") from error
        self._meter = Meter(self._processor())
        self._replies: queue.Queue[dict[str, Any] | Exception | None] = queue.Queue(maxsize=16)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._drainer = threading.Thread(target=self._drain_output, daemon=True)
        self._drainer.start()
        for work in (self._send_requests, self._read_replies):
            threading.Thread(target=work, daemon=True).start()
        start = {"op": "start", "parts": parts, "memory_bytes": memory_bytes, "cpu_seconds": cpu_seconds}
        try:
            self.limits: list[str] = self.ask(start, START_SECONDS)["limits"]
            if warm:
                self.ask({"op": "warm"}, START_SECONDS)
        except (BoxDied, BoxTimeout) as error:
            self.close()
            last = self._output.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise BoxError(f"the process did not come up: {last[0] if last else error}") from error

    @property
    def charged(self) -> float:
        """See `Box.charged`."""
        return self._meter.charged

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """See `Box.ask`."""
        # A name that cannot be foreseen: replies written in advance answer nothing.
        name = secrets.token_hex(8)
        self._mark = frames.mark(name) if request.get("listen") else b""
        self._meter.begin()
        try:
            return self._answer(name, request, seconds)
        except (BoxDied, BoxTimeout) as error:
            self._drainer.join(DRAIN_SECONDS)  # at its end when the process is
            if request.get("listen") and not self._mark:
                error.output = self._output.decode("utf-8", "replace").replace("\r\n", "\n")
            raise
        finally:
            self._meter.end()

    def _answer(self, name: str, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        if self._closed:
            raise BoxDied("the box is closed")
        self._asked.add(name)
        limit = self._meter.charged + seconds
        self._outgoing.put(frames.pack({"id": name, **request}))
        while self._meter.charged < limit:
            try:
                reply = self._replies.get(timeout=LOOK)
            except queue.Empty:
                self._meter.look()
                continue
            if reply is None:
                raise BoxDied("the process ended")
            if isinstance(reply, Exception):
                raise BoxDied(f"the process broke the protocol: {reply}")
            answers = reply.get("id")
            if answers == name:
                return reply
            # A late reply to an earlier request (a forked child's, say) is dropped.
            if not isinstance(answers, str) or answers not in self._asked:
                raise BoxDied("the process broke the protocol: a reply to no request")
            self._meter.look()
        raise BoxTimeout(f"no answer within {seconds:g} s")

    def close(self) -> None:
        """See `Box.close`."""
        self._closed = True
        self._outgoing.put(None)
        with contextlib.suppress(queue.Full):
            self._replies.put_nowait(None)  # for another thread that waits for a reply
        self._end()
        self._process.wait()
        # What a student's code left there (a folder that cannot be listed, say) must not stop the run.
        shutil.rmtree(self._folder, ignore_errors=True)

    def _launch(self) -> Process:
        """Start the process; a box that closes it off starts it another way."""
        start = DIE_WITH_PARENT if sys.platform == "linux" else ""
        return self._popen(program_command(start=start), clean_environment(str(self._folder), self._backend))

    def _processor(self) -> Callable[[bool], float | None]:
        return Processor(self._process.pid)

    def _end(self) -> None:
        """End the process and its children."""
        if self._process.poll() is None or os.name == "posix":
            _kill_tree(self._process)

    def _popen(
        self, command: list[str], environment: dict[str, str], pass_fds: tuple[int, ...] = ()
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder,
            env=environment,
            pass_fds=pass_fds,
            # A group of its own, so that it can be ended with all its children, and so that the Ctrl-C of
            # whoever grades goes to the grader alone.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )

    # The three threads own one pipe each and close it. If a process that escaped the group holds a pipe's
    # other end open, its thread waits on as a daemon: closing the pipe from here could hang as well.

    def _send_requests(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with pipe:
            while (data := self._outgoing.get()) is not None:
                view = memoryview(data)
                try:
                    while view:
                        view = view[pipe.write(view) or 0 :]
                except OSError:
                    return  # the process is gone; the reading thread reports it

    def _read_replies(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        with pipe:
            try:
                while (reply := frames.read(pipe.read, frames.MAX_REPLY)) is not None:
                    self._deliver(reply)
                self._deliver(None)
            except (frames.FrameError, OSError) as error:
                self._deliver(error)

    def _deliver(self, item: dict[str, Any] | Exception | None) -> None:
        """Queue what arrived. A flood of replies waits in the pipe, not in the grader's memory."""
        while not self._closed:
            with contextlib.suppress(queue.Full):
                self._replies.put(item, timeout=0.1)
                return

    def _drain_output(self) -> None:
        """Keep the beginning of what the process prints; where a mark is awaited, of what follows it."""
        pipe = self._process.stderr
        assert pipe is not None
        with pipe:
            while chunk := pipe.read(65_536):
                if awaited := self._mark:
                    _, mark, since = (self._output + chunk).partition(awaited)
                    self._output = since if mark else (self._output + chunk)[-len(awaited) :]
                    if mark and self._mark == awaited:
                        self._mark = b""
                elif len(self._output) < KEPT_OUTPUT:
                    self._output += chunk[: KEPT_OUTPUT - len(self._output)]


def program_command(program: str = "runner", start: str = "") -> list[str]:
    """The command that starts a program of `tensorlab.grading.inside`.

    Args:
        start: what its process does first, as source.
    """
    libraries = dict.fromkeys(
        str(Path(package.__file__ or "").resolve().parents[1]) for package in (tensorlab, numpy)
    )
    # -I: no environment variables, no user folder, no current folder. -B: write no bytecode.
    python = [sys.executable, "-I", "-B", "-X", "utf8", "-c", PROGRAM, str(_INSIDE.parent), program, start]
    return python + list(libraries)


def clean_environment(home: str, backend: str = "") -> dict[str, str]:
    """What the process may know of this machine: how to start programs, and its own folder."""
    kept = {
        name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ
    }
    return kept | own_environment(home, backend)


def own_environment(home: str, backend: str = "") -> dict[str, str]:
    """What the process is told besides, wherever it runs."""
    own = dict.fromkeys(
        ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "TENSORLAB_HOME", "IPYTHONDIR"), home
    )
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    # A box has no kernels from before, and compiling one takes longer than all calls of an answer together,
    # whose tensors are small. So kernels run as they are written, by the interpreter.
    kernels = {"NUMBA_CACHE_DIR": home, "NUMBA_DISABLE_JIT": "1"}
    chosen = {"TENSORLAB_BACKEND": backend} if backend else {}
    return own | threads | kernels | chosen | {"LANG": "C.UTF-8", "MPLBACKEND": "Agg"}


def _kill_tree(process: Process) -> None:
    """End a process and its children, with signals that cannot be caught."""
    if sys.platform == "win32":
        # Windows has no process groups to kill; taskkill walks the tree.
        subprocess.run(["taskkill", "/PID", str(process.pid), "/T", "/F"], capture_output=True, check=False)
    else:
        # Nobody of the group may be left; macOS says PermissionError for a group of zombies.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
