"""What the site takes from npm is what the record says, pinned, and comes with its licence."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import vendor

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = tomllib.loads(vendor.MANIFEST.read_text(encoding="utf-8"))["package"]


def test_vendored_files_are_as_recorded() -> None:
    assert vendor.check() == []


def test_a_changed_file_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed, missing = "changed.js", "missing.js"
    (tmp_path / changed).write_text("new")
    record = tmp_path / "record"
    record.write_text(f"{vendor.sha256(b'old')}  {changed}\n{vendor.sha256(b'old')}  {missing}\n")
    monkeypatch.setattr(vendor, "ROOT", tmp_path)
    monkeypatch.setattr(vendor, "RECORD", record)
    assert vendor.check() == ["changed.js differs from its record.", "missing.js is missing."]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package["name"])
def test_every_package_is_pinned_and_licensed(package: dict) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", package["version"])
    assert re.fullmatch(r"[0-9a-f]{64}", package["sha256"])
    assert len((ROOT / package["licence"]["to"]).read_text(encoding="utf-8")) > 500


def test_nothing_lies_among_the_vendored_files_unrecorded() -> None:
    recorded = {line.split("  ", 1)[1] for line in vendor.RECORD.read_text(encoding="utf-8").splitlines()}
    ours = {"book/_assets/widgets/local-loader.js", "book/_assets/widgets/draw.js"}
    for folder in {Path(name).parent for name in recorded}:
        for path in (ROOT / folder).iterdir():
            name = path.relative_to(ROOT).as_posix()
            assert path.is_dir() or path.name == ".gitattributes" or name in recorded | ours, name
