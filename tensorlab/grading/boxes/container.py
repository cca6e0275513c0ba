"""Boxes that podman or docker closes off: for Linux without bubblewrap, and for macOS.

Each box is a container of an image that holds Python and this library without questions, hints and known
solutions (`book/container/Containerfile`). The engine takes from it network, rights and the right to write,
and limits memory and processes of all of it together. To start one takes seconds, since each loads the
library anew.

`tensorlab.grading.boxes.canaries` shows before a run that what it promises holds.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections.abc import Callable

from tensorlab.grading.boxes import Level
from tensorlab.grading.boxes.bubblewrap import FOLDER, FOLDER_BYTES
from tensorlab.grading.boxes.process import PROGRAM, Process, ProcessBox, own_environment
from tensorlab.grading.boxes.walled import MOST_PROCESSES

ENGINES = ("podman", "docker")
LIBRARY = "/library"  # where the image has this library and what it needs
NOBODY = "65534:65534"
STOP_SECONDS = 30.0  # for the engine to remove a container


class ContainerBox(ProcessBox):
    """One student's process in a container; see `ProcessBox`.

    Args:
        image: that the container is made of.
        memory_bytes: of all processes of the box together, and of the address space of each.

    Raises:
        BoxError: there is no engine, or the container did not come up.
    """

    level: Level = "strong"

    def __init__(
        self,
        image: str,
        parts: list[str],
        memory_bytes: int = 2 << 30,
        cpu_seconds: int = 120,
        *,
        warm: bool = False,
        backend: str = "",
    ) -> None:
        self._image, self._memory = image, memory_bytes
        self._name = f"tensorlab-{secrets.token_hex(8)}"
        super().__init__(parts, memory_bytes, cpu_seconds, warm=warm, backend=backend)

    def _launch(self) -> Process:
        return subprocess.Popen(
            [engine() or ENGINES[0], *self._walls(), self._image, *_command()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder,  # Podman leaves a file where it was started when a container has had no memory
            start_new_session=True,  # the Ctrl-C of whoever grades goes to the grader alone
        )

    def _walls(self) -> list[str]:
        """What the engine is asked for, up to the image."""
        folder = f"rw,noexec,nosuid,nodev,mode=1777,size={FOLDER_BYTES}"
        own, memory = own_environment(FOLDER, self._backend), str(self._memory)
        return [
            "run", "--rm", "--interactive", "--name", self._name, "--pull", "never",
            "--network", "none", "--read-only", "--cap-drop", "all", "--user", NOBODY,
            "--security-opt", "no-new-privileges", "--ipc", "private", "--hostname", "box",
            "--pids-limit", str(MOST_PROCESSES), "--memory", memory, "--memory-swap", memory,
            "--tmpfs", f"{FOLDER}:{folder}", "--tmpfs", f"/tmp:{folder}", "--workdir", FOLDER,
            *[word for name, value in own.items() for word in ("--env", f"{name}={value}")],
        ]  # fmt: skip

    def _processor(self) -> Callable[[bool], float | None]:
        return lambda everyone: None  # the container's processes are the engine's, which may be far from here

    def _end(self) -> None:
        """End all processes of the container. The engine's own, which waits for them, ends then."""
        command = [engine() or ENGINES[0], "rm", "--force", self._name]
        subprocess.run(command, capture_output=True, check=False, timeout=STOP_SECONDS)
        self._process.kill()


def engine() -> str | None:
    """The path of podman, or of docker; None where there is neither."""
    return next(filter(None, map(shutil.which, ENGINES)), None)


def missing() -> str:
    """What this machine lacks for such boxes, and what helps; "" when it has all."""
    return "" if engine() else "neither podman nor docker is installed: sudo apt install podman"


def _command() -> list[str]:
    """The command that starts the runner in the image."""
    python = ["python", "-I", "-B", "-X", "utf8", "-c", PROGRAM]
    return [*python, f"{LIBRARY}/tensorlab/grading", "runner", "", LIBRARY]
