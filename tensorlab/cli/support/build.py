"""Build the book into ``_build/html``: only when something changed, and never half.

Jupyter Book writes to ``_build/work``. When it went through without a warning, the new site takes the place
of the old one in one move, together with a digest of all it was made from. After a failed build the old site
is as it was.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from rich.console import Console
from rich.status import Status

from tensorlab.bootstrap import take_lock
from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, INTERRUPTED, CommandError
from tensorlab.cli.support.project import child_environment, require
from tensorlab.cli.support.rehearsal import rehearse

#: What a page can depend on. A kernel runs with the installed packages, so their versions count too.
INPUTS = (
    "_config.yml",
    "_toc.yml",
    "book",
    "exercises",
    "solutions",
    "tensorlab",
    "requirements.txt",
    ".ci/constraints.txt",
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # Jupyter Book colours its words even when nobody sees them
SKIPPED = {"__pycache__", ".ipynb_checkpoints"}
DIGEST_FILE = ".digest"


def inputs_digest(root: Path) -> str:
    """Return a digest of every file that the book is made from, by name and content."""
    seal = hashlib.sha256(sys.version.encode())
    for name in INPUTS:
        top = root / name
        files = sorted(path for path in top.rglob("*") if path.is_file()) if top.is_dir() else [top]
        for path in files:
            relative = path.relative_to(root)
            if SKIPPED.isdisjoint(relative.parts) and path.exists():
                seal.update(relative.as_posix().encode() + b"\0")
                seal.update(hashlib.sha256(path.read_bytes()).digest())
    return seal.hexdigest()


def site_of(root: Path) -> Path:
    """Return the folder of the built site."""
    return root / "_build" / "html"


def is_current(root: Path, digest: str) -> bool:
    """Tell whether the built site was made from what is there now."""
    stamp = site_of(root) / DIGEST_FILE
    return stamp.is_file() and stamp.read_text() == digest


def first_page(root: Path) -> str:
    """Return the first chapter's page, relative to the site: ``book/chapters/01_a_tensor_is_a_line.html``."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    listed = [*contents.get("chapters", []), *(c for p in contents.get("parts", []) for c in p["chapters"])]
    pages = [chapter["file"] for chapter in listed if "file" in chapter]
    return f"{pages[0] if pages else contents['root']}.html"


def build(root: Path, console: Console, clean: bool = False) -> bool:
    """Bring the built site up to date; tell whether anything had to be done.

    `clean` forgets the executed notebooks and the old site's digest first, so that everything runs anew.
    Raises `CommandError` with the reasons when the book does not build; the old site is left alone.
    """
    require("jupyter_book", "builds the book")
    with only_one_build(root, console):
        digest = inputs_digest(root)
        if is_current(root, digest) and not clean:
            return False
        work = root / "_build" / "work"
        if clean:
            shutil.rmtree(work, ignore_errors=True)
        started = time.perf_counter()
        try:
            with Stage(console) as stage:
                rehearse(root, stage.say)
                run_jupyter_book(root, work, stage)
        except KeyboardInterrupt:
            raise CommandError(
                "stopped; the site is as it was before. Run the same command again to go on.", INTERRUPTED
            ) from None
        staged = work / "_build" / "html"
        (staged / DIGEST_FILE).write_text(digest)
        put_in_place(staged, site_of(root))
    console.print(f"Built the book in {time.perf_counter() - started:.0f} s.")
    return True


@contextmanager
def only_one_build(root: Path, console: Console) -> Iterator[None]:
    """Let one process build while others wait; the lock ends with the process that holds it."""
    folder = root / "_build"
    try:
        folder.mkdir(exist_ok=True)
        lock = (folder / "book.lock").open("a+")
    except OSError as error:
        raise CommandError(
            f"the folder {root} cannot be written ({error.strerror}); put the project into one of your own.",
            ENVIRONMENT,
        ) from error
    with lock:
        if not take_lock(lock):
            console.print("Another run is building the book; waiting for it.")
            while not take_lock(lock):
                time.sleep(0.5)
        yield


def run_jupyter_book(root: Path, work: Path, stage: Stage) -> None:
    """Run Jupyter Book with every warning an error, and show the page it is at.

    `--all` writes every page anew: a page's outputs depend on the library, which Sphinx does not look at.
    Executed notebooks are reused all the same as long as the library is unchanged.
    """
    shutil.rmtree(work / "_build" / "html", ignore_errors=True)
    program = "from jupyter_book.cli.main import main; main()"  # the package has no __main__
    call = [sys.executable, "-c", program, "build", ".", "--path-output", str(work)]
    call += ["--all", "--warningiserror", "--nitpick", "--keep-going"]
    environment = {**child_environment(), "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    lines: list[str] = []
    with subprocess.Popen(
        call,
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(COLOUR.sub("", line).rstrip())
            stage.read(lines[-1])
    log = root / "_build" / "book.log"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if process.returncode:
        raise CommandError(f"the book does not build:\n{reasons(lines)}\nThe whole log is in {log}", FAILED)


def reasons(lines: list[str]) -> str:
    """Return what one looks for in a failed build's log: warnings and the failed cell, else its end."""
    found = [line for line in lines if re.search(r"\b(WARNING|ERROR|CRITICAL): ", line)]
    # Sphinx prints the failed cell's own error first and then how it came through the build.
    cell = [n for n, line in enumerate(lines) if "CellExecutionError: An error occurred" in line]
    passed_on = [n for n, line in enumerate(lines) if line.startswith("The above exception")]
    if cell and passed_on:
        found += lines[cell[0] : passed_on[0]][-30:]
    # Without any, what was raised: Jupyter Book adds an error of its own, which has no words.
    found = found or [line for line in lines if re.match(r"[\w.]+(Error|Exception): \S", line)]
    return "\n".join(line for line in found or lines[-15:] if line.strip())


def put_in_place(staged: Path, site: Path) -> None:
    """Let the new site take the place of the old one; the old one comes back if that fails."""
    old = site.with_name("html.old")
    shutil.rmtree(old, ignore_errors=True)
    try:
        if site.exists():
            site.rename(old)
        staged.rename(site)
    except OSError as error:
        if old.exists() and not site.exists():
            old.rename(site)
        raise CommandError(
            f"the new site could not take the place of {site} ({error.strerror}); "
            "close the programs that have files of it open and run again.",
            ENVIRONMENT,
        ) from error
    shutil.rmtree(old, ignore_errors=True)


class Stage:
    """Shows where a build is: one line that changes on a terminal, a line a page elsewhere."""

    READING = re.compile(r"reading sources\.\.\. \[\s*(\d+)%\] (\S+)")
    WRITING = re.compile(r"writing output\.\.\. \[\s*(\d+)%\] (\S+)")
    RUNNING = re.compile(r"(?:^|/)((?:book|exercises)/\S+?)(?:\.\w+)?: Executing notebook")

    def __init__(self, console: Console) -> None:
        self.console = console
        self.status: Status | None = console.status("Building the book") if console.is_terminal else None

    def __enter__(self) -> Stage:
        if self.status:
            self.status.start()
        else:
            self.console.print("Building the book")
        return self

    def __exit__(self, *error: object) -> None:
        if self.status:
            self.status.stop()

    def read(self, line: str) -> None:
        """Take in one line of Jupyter Book's."""
        if found := self.READING.search(line):
            self.say(f"reading {found[2]} ({found[1]} %)")
        elif found := self.RUNNING.search(line):
            self.say(f"running the cells of {found[1]}")
        elif found := self.WRITING.search(line):
            self.say(f"writing {found[2]} ({found[1]} %)")

    def say(self, text: str) -> None:
        """Show one step."""
        if self.status:
            self.status.update(f"Building the book: {text}")
        else:
            self.console.print(f"  {text}", markup=False, highlight=False)
