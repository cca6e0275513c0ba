"""The ledger of a class: an SQLite file with each notebook as it came and each row as it was graded.

A row is on disk when its question ends, so that whatever stops a run costs the question in hand and no other.
The ledger lies outside the folder of the results, which are made from it at any time. Rows of earlier runs
stay in it: a question has one row a run, and the newest one counts.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tensorlab.grading.grader import Row
from tensorlab.grading.results import COLUMNS, Run
from tensorlab.grading.submissions import Copy

#: What the head of the file says, so that no other program's database is taken for a ledger: "tlgr".
APPLICATION = int.from_bytes(b"tlgr", "big")
VERSION = 1

_SCHEMA = f"""
CREATE TABLE secrets (key BLOB NOT NULL);
CREATE TABLE runs (run INTEGER PRIMARY KEY, chapter TEXT NOT NULL, facts TEXT NOT NULL);
CREATE TABLE files (sha256 TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE submissions (
  chapter TEXT, folder TEXT, student TEXT, sha256 TEXT NOT NULL, problem TEXT NOT NULL,
  PRIMARY KEY (chapter, folder, student)
);
CREATE TABLE results (
  run INTEGER REFERENCES runs, student TEXT, question TEXT, title TEXT NOT NULL, points INTEGER,
  max_points INTEGER NOT NULL, status TEXT NOT NULL, feedback TEXT NOT NULL, level TEXT NOT NULL,
  sha256 TEXT NOT NULL, seconds REAL NOT NULL, topic TEXT NOT NULL, misconception TEXT NOT NULL,
  PRIMARY KEY (student, question, run)
);
CREATE TABLE reports (path TEXT, sha256 TEXT, PRIMARY KEY (path, sha256));
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""


class LedgerError(Exception):
    """The ledger cannot be read or written; the text says why, in one clause."""


class LedgerBusy(LedgerError):
    """Another run is writing into the ledger."""


@dataclass(frozen=True)
class Entry:
    """A student in the ledger: which file counts, or why there is none."""

    student: str
    sha256: str
    problem: str

    @property
    def absent(self) -> bool:
        """Whether the student is in the roster only: there is no file, and nothing wrong with one."""
        return not self.sha256 and not self.problem


@dataclass(frozen=True)
class Graded:
    """A row, and the number of the run that it is from."""

    row: Row
    run: int


class Ledger:
    """One ledger file, opened.

    Args:
        path: made when it is not there, with its folder, readable for this user alone.

    Raises:
        LedgerError: it is no ledger of this version, or cannot be opened.

    Example:
        >>> import tempfile
        >>> from tensorlab.grading.submissions import Copy
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = Ledger(Path(folder) / "course.sqlite")
        ...     ledger.hand_in("01", "week 1", [Copy("ada", b"a notebook", "1f3c")])
        ...     print(ledger.content("1f3c"))
        ...     ledger.close()
        []
        b'a notebook'
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._told():
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._database = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            with self._told():
                self._prepare()
        except LedgerError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs out. However this process ends, the system ends that too.

        Raises:
            LedgerBusy: another run is in.
        """
        # A database of its own is the lock: the ledger itself stays open to whoever makes reports meanwhile.
        with closing(sqlite3.connect(f"{self.path}.lock", timeout=0, isolation_level=None)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                raise LedgerBusy(f"another run is using {self.path} ({error})") from error
            yield

    def secret(self, make: Callable[[], bytes]) -> bytes:
        """The key that this ledger keeps, for runs that are given none; made when it is first asked for."""
        with self._transaction() as database:
            found = database.execute("SELECT key FROM secrets").fetchone()
            if found is None:
                found = (make(),)
                database.execute("INSERT INTO secrets VALUES (?)", found)
        return bytes(found[0])

    def hand_in(self, chapter: str, folder: str, copies: Iterable[Copy]) -> list[str]:
        """Put what a folder holds now in place of what it held; returns the students whose file changed."""
        with self._transaction() as database:
            before = dict(
                database.execute(
                    "SELECT student, sha256 FROM submissions "
                    "WHERE chapter = ? AND folder = ? AND sha256 || problem <> ''",
                    (chapter, folder),
                ).fetchall()
            )
            database.execute("DELETE FROM submissions WHERE chapter = ? AND folder = ?", (chapter, folder))
            changed = []
            for copy in copies:
                if before.get(copy.student, copy.sha256) != copy.sha256:
                    changed.append(copy.student)
                if copy.content is not None:
                    database.execute(
                        "INSERT OR IGNORE INTO files VALUES (?, ?)",
                        (copy.sha256, zlib.compress(copy.content)),
                    )
                database.execute(
                    "INSERT INTO submissions VALUES (?, ?, ?, ?, ?)",
                    (chapter, folder, copy.student, copy.sha256, copy.problem),
                )
        return changed

    def chapters(self) -> list[str]:
        """The chapters of which something was handed in."""
        return [chapter for (chapter,) in self._all("SELECT DISTINCT chapter FROM submissions ORDER BY 1")]

    def entries(self, chapter: str, folder: str | None = None) -> list[Entry]:
        """Who handed in a chapter or should have, sorted.

        Of a student in several folders what was put in last counts, if anything was.
        """
        found = self._all(
            "SELECT student, sha256, problem FROM submissions "
            "WHERE chapter = ? AND (? IS NULL OR folder = ?) ORDER BY rowid",
            (chapter, folder, folder),
        )
        last: dict[str, Entry] = {}
        for entry in (Entry(*values) for values in found):
            if not entry.absent or entry.student not in last:
                last[entry.student] = entry
        return [last[student] for student in sorted(last)]

    def content(self, sha256: str) -> bytes:
        """The file of this fingerprint."""
        ((content,),) = self._all("SELECT content FROM files WHERE sha256 = ?", (sha256,))
        return zlib.decompress(content)

    def begin(self, run: Run) -> int:
        """Note a run; returns its number."""
        with self._transaction() as database:
            facts = json.dumps(asdict(run))
            done = database.execute("INSERT INTO runs (chapter, facts) VALUES (?, ?)", (run.chapter, facts))
            assert done.lastrowid is not None
            return done.lastrowid

    def store(self, run: int, row: Row) -> None:
        """Put one row on disk."""
        with self._transaction() as database:
            database.execute(
                f"INSERT OR REPLACE INTO results (run, {', '.join(COLUMNS)}) "
                f"VALUES (?{', ?' * len(COLUMNS)})",
                (run, *(getattr(row, column) for column in COLUMNS)),
            )

    def standing(self, chapter: str) -> dict[tuple[str, str], Graded]:
        """The newest row of each student and question."""
        found = self._all(
            f"SELECT max(run), {', '.join(COLUMNS)} FROM results JOIN runs USING (run) "
            "WHERE chapter = ? GROUP BY student, question",
            (chapter,),
        )
        graded = [Graded(Row(**dict(zip(COLUMNS, values, strict=True))), run) for run, *values in found]
        return {(one.row.student, one.row.question): one for one in graded}

    def runs(self, chapter: str) -> dict[int, Run]:
        """All runs of a chapter by their numbers."""
        found = self._all("SELECT run, facts FROM runs WHERE chapter = ? ORDER BY run", (chapter,))
        return {run: Run(**json.loads(facts)) for run, facts in found}

    def note_report(self, path: Path, sha256: str) -> None:
        """Remember that a file is about to be written from this ledger."""
        with self._transaction() as database:
            database.execute("INSERT OR IGNORE INTO reports VALUES (?, ?)", (str(path), sha256))

    def wrote(self, path: Path, sha256: str) -> bool:
        """Whether a file with this content was written from this ledger."""
        return bool(self._all("SELECT 1 FROM reports WHERE path = ? AND sha256 = ?", (str(path), sha256)))

    def _prepare(self) -> None:
        # WAL: readers don't wait for the writer. FULL: what is committed outlives a loss of power.
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        with self._transaction() as database:
            if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    database.execute(statement)
            ((application,),), ((version,),) = (
                database.execute(f"PRAGMA {name}").fetchall() for name in ("application_id", "user_version")
            )
        if (application, version) != (APPLICATION, VERSION):
            raise LedgerError(f"{self.path} is no ledger of this version of tensorlab; name another file")

    def _all(self, query: str, values: tuple[object, ...] = ()) -> list[tuple]:
        with self._told():
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of what is done inside, or none of it."""
        with self._told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:  # Ctrl-C must not leave half of it to the next COMMIT
                with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back by itself, of a full disk
                    self._database.execute("ROLLBACK")
                raise

    def _told(self) -> AbstractContextManager[None]:
        """Errors of the system and of SQLite become one clause."""
        return _told(self.path)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(f"the ledger {path} cannot be used: {error}") from error
    except OSError as error:
        raise LedgerError(f"the ledger {path} cannot be used: {error.strerror}") from error
