"""Fetch the parts of the site that come from npm, at pinned versions, and keep a record of every file.

    python book/_extensions/vendor.py            fetch with `npm pack`, verify, write the files and the record
    python book/_extensions/vendor.py --check    compare the files that lie here with the record; no network

`vendor.toml` beside this file says what is taken and from where. The record, `vendor.sha256`, has the form
that `sha256sum --check` reads from the project's root. The files are committed: a reader who builds the book
needs neither npm nor a network for them.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from importlib import metadata
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MANIFEST = HERE / "vendor.toml"
RECORD = HERE / "vendor.sha256"


class VendorError(Exception):
    """A package, file or licence is not what the manifest or the record says."""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fetch(package: dict, folder: Path) -> Path:
    """Download one package's tarball with npm and return its path; its sha256 must be the pinned one."""
    npm = shutil.which("npm")
    if npm is None:
        raise VendorError("npm is not on the PATH; install Node.js, which brings it, and run this again.")
    wanted = f"{package['name']}@{package['version']}"
    command = [npm, "pack", "--silent", wanted]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise VendorError(f"npm pack {wanted} failed: {done.stderr.strip()}")
    tarball = folder / done.stdout.split()[-1]
    found = sha256(tarball.read_bytes())
    if found != package["sha256"]:
        raise VendorError(f"{wanted} has sha256 {found}, but vendor.toml pins {package['sha256']}.")
    return tarball


def contents(tarball: Path) -> dict[str, bytes]:
    """Return the plain files of an npm tarball by their path inside the package."""
    files = {}
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            stream = archive.extractfile(member)
            if stream is not None:
                files[PurePosixPath(member.name).relative_to("package").as_posix()] = stream.read()
    return files


def chosen(package: dict, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return destination -> bytes for what the manifest takes from one package, its licence included."""
    result = {}
    for pattern, destination in package["files"].items():
        matches = sorted(fnmatch.filter(files, pattern))
        if not matches:
            raise VendorError(f"{package['name']} {package['version']} has no file {pattern!r}.")
        for name in matches:
            target = destination + PurePosixPath(name).name if destination.endswith("/") else destination
            result[target] = files[name]
    result[package["licence"]["to"]] = licence_text(package, files)
    return result


def licence_text(package: dict, files: dict[str, bytes]) -> bytes:
    """Return the licence that is kept beside a package's files."""
    if "text" in package["licence"]:
        return package["licence"]["text"].lstrip().encode()
    kind, _, name = package["licence"]["from"].partition(":")
    if kind == "package":
        return files[name]
    paths = [path for path in metadata.files(name) or [] if path.name.upper().startswith("LICENSE")]
    if not paths:
        raise VendorError(f"the installed Python package {name} has no LICENSE file.")
    return paths[0].locate().read_bytes()


def write(target: Path, data: bytes) -> None:
    """Write a file in one step: a reader of the folder sees the old file or the new one, never half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    part.write_bytes(data)
    part.replace(target)


def vendor() -> int:
    """Fetch everything in the manifest; return the number of files written."""
    packages = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["package"]
    everything: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for package in packages:
            everything |= chosen(package, contents(fetch(package, Path(folder))))
    for destination, data in everything.items():
        write(ROOT / destination, data)
    lines = [f"{sha256(data)}  {destination}\n" for destination, data in sorted(everything.items())]
    write(RECORD, "".join(lines).encode())
    return len(everything)


def check() -> list[str]:
    """Return one sentence for each vendored file that is missing or differs from the record."""
    problems = []
    for line in RECORD.read_text(encoding="utf-8").splitlines():
        wanted, destination = line.split("  ", 1)
        path = ROOT / destination
        if not path.is_file():
            problems.append(f"{destination} is missing.")
        elif sha256(path.read_bytes()) != wanted:
            problems.append(f"{destination} differs from its record.")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the record; no network")
    if parser.parse_args().check:
        problems = check()
        for problem in problems:
            print(problem, file=sys.stderr)
        return 1 if problems else 0
    try:
        print(f"{vendor()} files written; their sha256 are in {RECORD.relative_to(ROOT)}.")
    except VendorError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
