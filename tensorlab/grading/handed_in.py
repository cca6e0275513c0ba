"""The files of a class: in a folder, in the archive that a learning platform makes, in archives inside it.

An archive is never unpacked to disk. What its names say of folders is read, and leads nowhere. The archive of
a student may hold so much and no more, together with those inside it.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from tensorlab.grading.files import open_regular
from tensorlab.grading.notebook import MAX_FILE, UnreadableNotebook, from_python, read_bytes

#: Folders in folders, and archives in archives, that are looked into.
DEEPEST = 6

#: Files in the archive of one student, and the bytes of the notebooks and archives among them.
MOST_FILES = 1000
MOST_BYTES = 100 << 20

ARCHIVE = ".zip"
NOTEBOOK = ".ipynb"
PYTHON = ".py"

_HUNG_ON = (".txt", ".json")

# What `zipfile` raises where an archive is damaged, locked, or packed in a way that it does not know.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True)
class File:
    """One file.

    Attributes:
        parts: the names of the folders and archives that it lies in, and its own.
        path: where it is on disk, or the outermost archive that holds it.
        members: its place in that archive, and in the archives inside.
        packed: how many of the parts lead to the archive of a student that holds it, with that one; 0 for
            none.
        size: the bytes that it says to have in its archive, where they count.
        problem: why it cannot be read, where that is known already.
    """

    parts: tuple[str, ...]
    path: Path
    members: tuple[str, ...] = ()
    packed: int = 0
    size: int = 0
    problem: str = ""

    @property
    def name(self) -> str:
        """Its own name."""
        return self.parts[-1]

    @property
    def suffix(self) -> str:
        """That of its name, in small letters. A browser may have hung another one on that of a notebook."""
        last = PurePosixPath(self.name).suffix.casefold()
        before = PurePosixPath(PurePosixPath(self.name).stem).suffix.casefold()
        return NOTEBOOK if last in _HUNG_ON and before == NOTEBOOK else last

    @property
    def stem(self) -> str:
        """Its own name without the suffix."""
        stem = PurePosixPath(self.name).stem
        return stem if self.name.casefold().endswith(self.suffix) else PurePosixPath(stem).stem

    def content(self) -> bytes:
        """The notebook that it holds; of a Python file, the one that `from_python` makes.

        Raises:
            UnreadableNotebook: it cannot be read, or is too large.
        """
        if self.problem:
            raise UnreadableNotebook(self.problem)
        if not self.members:
            raw = read_bytes(self.path)
        else:
            with self._archive() as archive:
                raw = _member(archive, self.members[-1])
        return from_python(raw) if self.suffix == PYTHON else raw

    def _archive(self) -> BinaryIO:
        """The archive that holds it."""
        opened: BinaryIO = open_regular(self.path)
        for member in self.members[:-1]:
            with opened:
                raw = _member(opened, member)
            opened = io.BytesIO(raw)
        return opened


def files(source: Path) -> Iterator[File]:
    """The files of a folder or an archive, and of the archives in it, by name. Hidden ones are left out.

    No link to a folder is followed. An archive that cannot be read is a file like any other.
    """
    if source.is_dir():
        yield from _below(source, ())
        return
    for found in _unpacked(File((source.stem,), source)):
        if found.members:
            found = replace(found, parts=found.parts[1:])
            yield from _of_a_student(found) if found.suffix == ARCHIVE else [found]


def _below(folder: Path, parts: tuple[str, ...]) -> Iterator[File]:
    for entry in sorted(folder.iterdir()):
        if _is_hidden(entry.name):
            continue
        here = (*parts, entry.name)
        if entry.is_dir() and not entry.is_symlink():
            if len(here) < DEEPEST:
                yield from _below(entry, here)
        elif entry.suffix.casefold() == ARCHIVE:
            yield from _of_a_student(File(here, entry))
        else:
            yield File(here, entry)


def _of_a_student(archive: File) -> list[File]:
    """The files in an archive and in those inside it; the archive itself where it holds too much."""
    todo, seen, size = [archive], 0, 0
    found: list[File] = []
    while todo:
        for file in _unpacked(todo.pop()):
            seen += 1
            size += file.size
            if seen > MOST_FILES or size > MOST_BYTES:
                most = f"{MOST_FILES:,} files, or {MOST_BYTES >> 20} MB of notebooks"
                problem = f"{archive.name} holds more than {most}; hand in the notebook itself"
                return [replace(archive, problem=problem)]
            again = file.suffix == ARCHIVE and not file.problem
            (todo if again else found).append(replace(file, packed=len(archive.parts)))
    return sorted(found, key=lambda file: file.parts)


def _unpacked(archive: File) -> Iterator[File]:
    """The files in an archive, as if it were a folder of its name."""
    if len(archive.parts) >= DEEPEST:
        return
    try:
        inside = File(archive.parts, archive.path, (*archive.members, ""))
        with inside._archive() as file, zipfile.ZipFile(file) as opened:
            infos = [info for info in opened.infolist() if not info.is_dir()]
    except UnreadableNotebook as error:
        yield replace(archive, problem=str(error))
        return
    except _BROKEN as error:
        problem = f"{archive.name} cannot be unpacked: {error}; hand in the notebook itself"
        yield replace(archive, problem=problem)
        return
    folder = (*archive.parts[:-1], PurePosixPath(archive.name).stem)
    for info in sorted(infos, key=lambda info: info.filename):
        name = info.filename
        parts = tuple(
            part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..")
        )
        if not parts or any(map(_is_hidden, parts)):
            continue
        parts = (
            parts[1:] if len(parts) > 1 and parts[0] == folder[-1] else parts
        )  # a folder packed as a whole
        found = File((*folder, *parts), archive.path, (*archive.members, name))
        yield replace(found, size=info.file_size if found.suffix in (NOTEBOOK, PYTHON, ARCHIVE) else 0)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def _member(archive: BinaryIO, name: str) -> bytes:
    """A file of an archive; no more of it is unpacked than a notebook may have."""
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(name) as file:
            content = file.read(MAX_FILE + 1)
    except _BROKEN as error:
        raise UnreadableNotebook(f"{name} cannot be unpacked: {error}") from None
    if len(content) > MAX_FILE:
        raise UnreadableNotebook(
            f"{name} has more than {MAX_FILE:,} bytes; clear the outputs and save it again"
        )
    return content
