"""``tensorlab grade FOLDER --out DIR``: one row for each student and question."""

from __future__ import annotations

import contextlib
import json
import secrets
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

import tensorlab
from tensorlab.bench.measure import machine
from tensorlab.cli.check import chosen_chapter
from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, INTERRUPTED, USAGE, CommandError
from tensorlab.cli.support.ledgers import ledger_of
from tensorlab.cli.support.rehearsal import cores
from tensorlab.cli.support.rosters import read_roster_file
from tensorlab.grading.boxes import BoxError, Level, bubblewrap, container
from tensorlab.grading.boxes import limited as limits
from tensorlab.grading.boxes.canaries import escapes
from tensorlab.grading.boxes.guard import guarded
from tensorlab.grading.cluster import ClusterError, grade_on
from tensorlab.grading.files import AlreadyThere
from tensorlab.grading.grader import Grader, Row, boxes
from tensorlab.grading.inside.values import printable
from tensorlab.grading.ledger import Ledger, LedgerError
from tensorlab.grading.pool import grade_all
from tensorlab.grading.results import (
    CSV_NAME,
    JSON_NAME,
    Results,
    Run,
    Target,
    as_csv,
    as_json,
    json_text,
    package_digest,
)
from tensorlab.grading.standing import Left, Way, grade_left, left_to_grade, reported
from tensorlab.grading.submissions import (
    Copy,
    NoSubmissions,
    Submission,
    absent,
    chapters_handed_in,
    find_submissions,
    not_graded,
    take,
)
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import chapters, exercises, suite_digest

#: Fewer bytes than this can be guessed.
LEAST_SECRET = 16


def run(
    submissions: Annotated[
        Path,
        typer.Argument(
            help="Folder or .zip with NAME.ipynb, or NAME/…, for each student, or as a platform packs them.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for results.csv and results.json.", show_default=False)],
    chapter: Annotated[
        str | None, typer.Option(help="Such as 01. Default: the one that the submissions are of.")
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="SQLite file that keeps each row as soon as its question ends, and a copy of each notebook. "
            "Default: one for this folder of submissions, in $TENSORLAB_HOME/ledgers or where this system "
            "keeps a program's data.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STUDENT[/QUESTION]",
            help="Grade this again and nothing else, such as ada, ada/01.numel or '*/01.numel'. "
            "May be given several times.",
        ),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV with a column student. Who stands there and handed in nothing gets rows that say so.",
        ),
    ] = None,
    secret_file: Annotated[
        Path | None,
        typer.Option(
            help="File of at least 16 bytes from which the hidden inputs are drawn; keep it to grade again "
            "with the same ones. Default: a secret that the ledger keeps."
        ),
    ] = None,
    trusted: Annotated[
        bool,
        typer.Option(
            "--i-trust-this-code",
            help="Run the notebooks as processes of yours, which may read your files and use the network.",
        ),
    ] = False,
    limited: Annotated[
        bool,
        typer.Option(
            "--limited",
            help="Close the notebooks off without bubblewrap, by what a process of Linux 6.12 can do itself. "
            "Weaker: see the chapter for instructors.",
        ),
    ] = False,
    image: Annotated[
        str,
        typer.Option(
            "--container",
            metavar="IMAGE",
            help="Close the notebooks off in containers of this image, by podman or docker.",
            show_default=False,
        ),
    ] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace files in --out that this ledger did not write.")
    ] = False,
    print_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON too.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Notebooks to grade at a time. Default: one for each core.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Grade on the workers of a dask.distributed scheduler, such as tcp://10.0.0.5:8786.",
        ),
    ] = None,
) -> None:
    """Grade a folder of submitted notebooks.

    Every student gets a row for every question, whatever the notebook does. The notebooks are copied into the
    ledger before any of their code runs, and never written.

    A run that was stopped, by Ctrl-C, a crash or a loss of power, is resumed by the same command: what is in
    the ledger is not graded again, unless the file, the questions, the secret or the limits have changed.
    `tensorlab report` makes reports from the ledger at any time.

    Bubblewrap closes the notebooks off from files, network and other processes; --limited does less, without
    it. Before the run, code of this library tries to get out of such a box; if it can, nothing is graded.

    Exit code 0: all were graded; 1: some could not be read, or this machine failed for some, whose points are
    left empty.
    """
    level: Level = "none" if trusted else "limited" if limited else "strong"
    if image and level != "strong":
        raise CommandError("--container closes notebooks off; leave out what runs them otherwise.", USAGE)
    if scheduler is None:
        _need(level, image)
    elif jobs is not None:
        raise CommandError("--jobs counts processes of this computer; a --scheduler has its own.", USAGE)
    way: Way = partial(grade_on, address=scheduler) if scheduler else partial(grade_all, jobs=jobs or cores())
    which = chosen_chapter(chapter or _only_chapter(submissions))
    found = _found(submissions, which)
    listed = [one.student for one in read_roster_file(roster)] if roster else []
    given = _secret(secret_file)
    try:
        with closing(Ledger(ledger or ledger_of(submissions))) as book, book.alone():
            target = _target(out, book, replace)
            secret = Secret(_kept_secret(book, which) if given is None else given)
            make = partial(_grader, which, secret, level, image)
            grader = make()
            _name_what_is_left_out(submissions)
            folder = str(submissions.resolve())
            copies = [take(submission) for submission in found]
            _name_who_is_not_listed(copies, listed)
            _name_what_changed(book.hand_in(which, folder, [*copies, *absent(listed, copies)]))
            facts = _facts(which, secret, grader)
            left = _left(book, folder, facts, grader, only or [])
            if left and not scheduler and level != "none":
                _prove(make(), image)
            _grade(book, make, facts, left, way)
            results = reported(book, which, grader.exercises, folder)
            _write(target, book, results)
            if print_json:
                typer.echo(json.dumps(as_json(results), indent=1))
            else:
                _show(results.rows)
                typer.echo(f"\n{out / CSV_NAME} and {out / JSON_NAME} written from {book.path}.")
    except LedgerError as error:
        raise CommandError(f"{error}.", ENVIRONMENT) from error
    if any(row.status in ("machine", "pending", "unreadable") for row in results.rows):
        raise typer.Exit(FAILED)


def _grader(chapter: str, secret: Secret, level: Level, image: str) -> Grader:
    asked = exercises(chapter)
    tight = boxes(asked, level, image, tight=True)
    return Grader(asked, secret, boxes(asked, level, image), level, open_tight=tight)


def _facts(chapter: str, secret: Secret, grader: Grader) -> Run:
    return Run(
        chapter=chapter,
        version=tensorlab.__version__,
        package_sha256=package_digest(),
        suite_sha256=suite_digest(chapter),
        secret_id=secret.id,
        level=grader.level,
        limits=asdict(grader.limits),
        machine=machine(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _only_chapter(submissions: Path) -> str | None:
    """The chapter that all submissions are of; None when that cannot be told."""
    found = chapters_handed_in(submissions, chapters())
    if len(found) > 1:
        raise CommandError(
            f"{submissions} holds notebooks of chapters {', '.join(found)}; say which one to grade with "
            "--chapter.",
            USAGE,
        )
    if not found:
        _found(submissions, "NN")  # which says so, if there is nothing to be of any chapter
    return found[0] if found else None


def _found(submissions: Path, chapter: str) -> list[Submission]:
    try:
        return find_submissions(submissions, chapter)
    except NoSubmissions as error:
        raise CommandError(f"{error}.", USAGE) from error


def _left(book: Ledger, folder: str, facts: Run, grader: Grader, only: Sequence[str]) -> list[Left]:
    try:
        return left_to_grade(book, folder, facts, grader.exercises, only)
    except LookupError as error:
        raise CommandError(
            f"--only {error.args[0]} names nothing that was handed in; give STUDENT or STUDENT/QUESTION, "
            f"such as '*/{grader.exercises[0].id}'.",
            USAGE,
        ) from error


def _grade(book: Ledger, make: Callable[[], Grader], facts: Run, left: list[Left], way: Way) -> None:
    """Grade what is left. Whatever stops this leaves in the ledger what was graded."""
    total = sum(len(each.exercises) for each in left)
    if not total:
        return
    done, started = 0, time.monotonic()
    console = Console(stderr=True)
    try:
        with (
            guarded(),
            _terminated_as_interrupted(),
            closing(grade_left(book, make, facts, left, way)) as rows,
        ):
            for _ in track(
                rows, "Grading", total, console=console, transient=True, disable=not console.is_terminal
            ):
                done += 1
    except KeyboardInterrupt:
        raise CommandError(
            f"stopped after {done} of {total} questions, which are in {book.path}; the same command grades "
            "the rest.",
            INTERRUPTED,
        ) from None
    except (LedgerError, ClusterError) as error:
        raise CommandError(
            f"stopped after {done} of {total} questions: {error}; the same command grades the rest.",
            ENVIRONMENT,
        ) from error
    seconds = time.monotonic() - started
    console.print(f"{len(left)} notebooks graded in {seconds:.0f} s, {len(left) / seconds:.1f} a second.")


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM ends the boxes and says what became of the results, as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _write(target: Target, book: Ledger, results: Results) -> None:
    """Write the results, and say where they stand if that cannot be done."""
    texts = {JSON_NAME: json_text(results), CSV_NAME: as_csv(results.rows)}
    try:
        for name, text in texts.items():
            target.write(name, text, book.note_report)
    except AlreadyThere as error:
        raise CommandError(
            f"{error} was made by somebody else while this run graded, and is left alone; all rows are in "
            f"{book.path}, and the same command with another --out writes them.",
            ENVIRONMENT,
        ) from error
    except OSError as error:
        raise CommandError(
            f"the results could not be written: {error}; all rows are in {book.path}, and the same command "
            "writes them.",
            ENVIRONMENT,
        ) from error


def _kept_secret(book: Ledger, chapter: str) -> bytes:
    """The secret of this ledger, for a run that was given none."""
    key = book.secret(lambda: secrets.token_bytes(32))
    others = {run.secret_id for run in book.runs(chapter).values()} - {Secret(key).id}
    if others:
        raise CommandError(
            f"{book.path} has rows whose hidden inputs were drawn from a secret of yours "
            f"({', '.join(sorted(others))}); give its file with --secret-file, or another ledger.",
            USAGE,
        )
    return key


_ONE_IS_MADE = 'make one with python3 -c "import secrets; print(secrets.token_hex())"'


def _secret(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise CommandError(
            f"the secret cannot be read from {path}: {error.strerror}; {_ONE_IS_MADE}.", USAGE
        ) from error
    if len(key) < LEAST_SECRET:
        raise CommandError(
            f"{path} holds {len(key)} bytes and a secret needs at least {LEAST_SECRET}; {_ONE_IS_MADE}.",
            USAGE,
        )
    return key


def _target(out: Path, book: Ledger, replace: bool) -> Target:
    try:
        return Target(out, (lambda path, sha256: True) if replace else book.wrote)
    except AlreadyThere as error:
        raise CommandError(
            f"{error} is there already; choose another folder, or say --replace.", USAGE
        ) from error
    except FileExistsError as error:
        raise CommandError(f"{out} is a file; --out names a folder for the results.", USAGE) from error
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror}.", ENVIRONMENT) from error


_NAME_WIDTH, _LEAST_WIDTH, _POINTS_WIDTH = 20, 3, 12  # of the table's columns; names of questions are folded
_OF_THE_IMAGE = "Perhaps the image is not there, or of another version of tensorlab: build it again"
_OF_NAMESPACES = (
    "Where the system lets users make no namespaces, "
    "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 may allow it (Ubuntu)"
)
_OTHERWISE = "--i-trust-this-code grades without, for people whom you would let run programs as you"


def _need(level: Level, image: str) -> None:
    strong = container.missing if image else bubblewrap.missing
    missing: dict[Level, Callable[[], str]] = {"strong": strong, "limited": limits.missing}
    if level in missing and (reason := missing[level]()):
        raise CommandError(f"the notebooks cannot be closed off: {reason}; {_OTHERWISE}.", ENVIRONMENT)


def _prove(grader: Grader, image: str) -> None:
    """Let no notebook run where code of ours gets out."""
    try:
        found = escapes(grader.open_box, grader.exercises[0].part)
    except BoxError as error:
        raise CommandError(
            f"a process cannot be closed off here: {error}. {_OF_THE_IMAGE if image else _OF_NAMESPACES}; "
            f"{_OTHERWISE}.",
            ENVIRONMENT,
        ) from error
    if found:
        listed = "; ".join(found)
        raise CommandError(
            f"code got out of a box, so nothing was graded: {listed}; {_OTHERWISE}.", ENVIRONMENT
        )


def _name_what_is_left_out(folder: Path) -> None:
    names = not_graded(folder)
    if names:
        typer.echo(f"tensorlab: not graded, because they are no notebooks: {_listed(names)}.", err=True)


def _name_who_is_not_listed(copies: Sequence[Copy], roster: Sequence[str]) -> None:
    strangers = [copy.student for copy in copies if copy.student not in roster] if roster else []
    if strangers:
        typer.echo(
            f"tensorlab: graded, and not in the roster: {_listed(strangers)}. A student whom the roster "
            "names otherwise also counts there as absent.",
            err=True,
        )


def _listed(names: Sequence[str]) -> str:
    """The first few names."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(printable, names[:5])) + more


def _name_what_changed(students: list[str]) -> None:
    if students:
        listed = ", ".join(map(printable, students))
        typer.echo(f"tensorlab: the file has changed since it was last graded: {listed}.", err=True)


def _show(rows: Sequence[Row]) -> None:
    students: dict[str, list[Row]] = {}
    for row in rows:
        students.setdefault(row.student, []).append(row)
    table = Table(box=None, pad_edge=False, header_style="bold")
    console, questions = Console(highlight=False), len(next(iter(students.values())))
    name = min(_NAME_WIDTH, max(map(len, students)))
    table.add_column("student", overflow="fold", min_width=name)
    room = max(_LEAST_WIDTH, (console.width - name - _POINTS_WIDTH) // questions - 2)
    for row in next(iter(students.values())):
        table.add_column(row.question.partition(".")[2], justify="right", overflow="fold", max_width=room)
    table.add_column("points", justify="right", no_wrap=True)
    for student, theirs in students.items():
        points = [row.points for row in theirs]
        if theirs[0].status in ("absent", "unreadable"):
            shown, total = [""] * len(theirs), theirs[0].status
        else:
            shown = ["?" if value is None else str(value) for value in points]
            total = f"{sum(value or 0 for value in points)} of {sum(row.max_points for row in theirs)}"
        table.add_row(escape(printable(student)), *shown, total)
    console.print(table)
