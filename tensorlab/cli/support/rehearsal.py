"""Compile what the book's pages need before they run, on all cores.

A page waits for each kernel that it is the first to use, one after the other, and the pages run one after the
other too, since they measure. A rehearsal runs the cells of every page in a process of its own, several at a
time, and drops what they show: what stays is the kernels. It is held once for a folder of kernels.

A page that measures says for how long in a cell of its own. That cell's metadata hold what a rehearsal takes
instead: ``{"tensorlab": {"rehearsal": {"seconds": 0.001}}}``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tensorlab.backends.cache import cache_directory, wanted_directory
from tensorlab.cli.support.project import child_environment

#: The pages that need kernels; those that need the most come last in the book, and begin first here.
PAGES = ("book/speed.ipynb", "book/chapters/*.ipynb")

#: In the folder of kernels: a rehearsal was held.
MARK = "rehearsed"

#: Seconds after which a rehearsal is broken off. It takes half a minute on four cores.
LONGEST = 300.0

PROGRAM = "import sys; from tensorlab.cli.support.rehearsal import play; play(sys.argv[1])"


def rehearse(root: Path, say: Callable[[str], None]) -> None:
    """Run the cells of the pages that need kernels, unless that was done for this folder of kernels before.

    What a page raises is dropped: it will raise it again when it runs to be seen.

    Args:
        say: is told how far it is.
    """
    folder = cache_directory()
    mark = folder / MARK
    pages = [page for pattern in PAGES for page in sorted(root.glob(pattern), reverse=True)]
    if mark.exists() or not pages or folder != wanted_directory():  # another one ends with its process
        return
    waiting, running, done = list(pages), dict[Path, subprocess.Popen[bytes]](), 0
    end = time.monotonic() + LONGEST
    try:
        while (waiting or running) and time.monotonic() < end:
            while waiting and len(running) < cores():
                page = waiting.pop(0)
                running[page] = _start(page)
            over = [page for page, process in running.items() if process.poll() is not None]
            for page in over:
                del running[page]
                done += 1
                say(f"compiling what the pages need: {done} of {len(pages)} pages")
            time.sleep(0.05)
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    if not waiting and not running:
        mark.touch()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(page: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, str(page)],
        cwd=page.parent,
        env=child_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def play(page: str) -> None:
    """Run the cells of a notebook in this process, past those that raise."""
    from IPython.core.interactiveshell import InteractiveShell  # what builds the book brings it along

    shell = InteractiveShell.instance()
    for cell in json.loads(Path(page).read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            shell.run_cell("".join(cell["source"]))  # type: ignore[no-untyped-call]  # IPython's own
            shell.user_ns.update(cell["metadata"].get("tensorlab", {}).get("rehearsal", {}))
