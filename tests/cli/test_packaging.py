"""Pins, ranges and lock agree; the package carries its files; README's commands are the ones that CI runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirements(lines: list[str]) -> list[Requirement]:
    texts = (re.split(r"\s#", line)[0].strip() for line in lines)
    return [Requirement(text) for text in texts if text and text[0] not in "#-"]


def pinned(name: str) -> list[Requirement]:
    return requirements((ROOT / name).read_text().splitlines())


LOCK = {(canonicalize_name(r.name), str(r.specifier)) for r in pinned(".ci/constraints.txt")}


@pytest.mark.parametrize(
    "requirement",
    [*pinned("requirements.txt"), *requirements(PROJECT["optional-dependencies"]["dev"])],
    ids=str,
)
def test_every_direct_pin_is_the_locks(requirement):
    assert re.fullmatch(r"==[\w.]+", str(requirement.specifier))
    assert (canonicalize_name(requirement.name), str(requirement.specifier)) in LOCK


@pytest.mark.parametrize("requirement", requirements(PROJECT["dependencies"]), ids=str)
def test_the_packages_ranges_hold_the_pins(requirement):
    versions = [pin.removeprefix("==") for name, pin in LOCK if name == canonicalize_name(requirement.name)]
    assert versions
    assert all(requirement.specifier.contains(version) for version in versions)


def test_the_wheel_has_the_files_that_run_in_the_browser(tmp_path):
    copy = (
        tmp_path / "copy"
    )  # a build in the project itself would leave a folder that the next build believes
    shutil.copytree(ROOT / "tensorlab", copy / "tensorlab", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    call = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "."]
    done = subprocess.run([*call, "-w", str(tmp_path)], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("tensorlab-*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    tracked = [
        path for path in (ROOT / "tensorlab").rglob("*") if path.suffix in {".py", ".js", ".css", ".toml"}
    ]
    assert {path.relative_to(ROOT).as_posix() for path in tracked} <= inside
    assert not any(name.startswith(("tests/", "book/", "exercises/")) for name in inside)


def test_readme_has_exactly_two_set_up_commands_and_ci_runs_them():
    blocks = re.findall(r"```bash\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert commands[:2] == ["python3 book", "python3 tests"]
    assert 'from_readme "python3 book"' in (ROOT / ".ci" / "run").read_text()
    assert 'from_readme "python3 tests"' in (ROOT / ".ci" / "run").read_text()
