"""doctor: what it finds is true, what is missing has a remedy, the exit code tells scripts."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import tempfile
import types

import pytest
from typer.testing import CliRunner

from tensorlab.cli import app
from tensorlab.cli.support import diagnosis

run = CliRunner().invoke


def test_json_is_what_a_program_can_read():
    shown = run(app, ["doctor", "--json"])
    findings = {finding["part"]: finding for finding in json.loads(shown.stdout)}
    assert shown.exit_code == int(any(finding["state"] == "missing" for finding in findings.values()))
    assert platform.python_version() in findings["Python"]["found"]
    assert findings["processor"]["state"] == "ok"
    assert "cores usable" in findings["processor"]["found"]
    assert set(findings) >= {"packages", "threads", "CUDA", "browser", "Chromium", "kernel cache", "project"}


def test_the_table_shows_every_part_and_remedy(monkeypatch):
    findings = [
        diagnosis.Finding("one", "ok", "there"),
        diagnosis.Finding("two", "missing", "not there", "Get it from the shop."),
    ]
    monkeypatch.setattr("tensorlab.cli.doctor.examine", lambda: findings)
    shown = run(app, ["doctor"])
    assert shown.exit_code == 1
    assert "two: Get it from the shop." in shown.output


def test_notes_are_no_failure(monkeypatch):
    monkeypatch.setattr(
        "tensorlab.cli.doctor.examine", lambda: [diagnosis.Finding("one", "note", "no", "do")]
    )
    assert run(app, ["doctor"]).exit_code == 0


def test_what_computes_is_named(monkeypatch):
    assert diagnosis.backend().found == "kernels compiled by Numba"
    monkeypatch.setattr(diagnosis, "HOST", diagnosis.NumPy())
    assert (diagnosis.backend().state, diagnosis.backend().remedy) == ("note", "Run `python3 book`.")
    monkeypatch.setenv(diagnosis.VARIABLE, "numpy")
    assert diagnosis.backend().state == "ok"


def test_a_missing_and_a_differing_package(monkeypatch):
    monkeypatch.setattr(diagnosis, "wanted_versions", lambda: [("no-such-thing", "1"), ("numpy", "0.1")])
    finding = diagnosis.packages()
    assert finding.state == "missing"
    numpy = importlib.metadata.version("numpy")
    assert (
        finding.found
        == f"0 as they should be; no-such-thing is not installed; numpy is {numpy}, tested with 0.1"
    )
    assert "python3 book" in finding.remedy


def test_the_pins_are_read_from_requirements():
    wanted = dict(diagnosis.wanted_versions())
    assert wanted["jupyter-book"] == "1.0.4.post1"
    assert wanted["platformdirs"] == "4.14.5"
    assert ("tbb" in wanted) is diagnosis.tbb_has_a_wheel()


def test_without_the_project_the_packages_own_needs_count(tmp_path, monkeypatch):
    monkeypatch.setattr(diagnosis, "find_root", lambda: tmp_path)
    wanted = dict(diagnosis.wanted_versions())
    assert wanted["numpy"] == ""
    assert "playwright" not in wanted


def test_an_old_python(monkeypatch):
    monkeypatch.setattr(diagnosis, "OLDEST", (9, 0))
    assert diagnosis.python().state == "missing"


def test_a_free_threaded_python(monkeypatch):
    monkeypatch.setattr(diagnosis, "is_free_threaded", lambda: True)
    found = diagnosis.python()
    assert (found.state, "free-threaded" in found.found) == ("missing", True)


def test_a_folder_that_cannot_be_written(monkeypatch, tmp_path):
    def refuse(**arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    monkeypatch.setenv("TENSORLAB_CACHE_DIR", str(tmp_path))
    finding = diagnosis.cache_folder()
    assert finding.state == "note"
    assert f"{tmp_path} cannot be written (Permission denied)" in finding.found
    assert "TENSORLAB_CACHE_DIR" in finding.remedy


def test_what_the_kernel_cache_holds(monkeypatch, tmp_path):
    monkeypatch.setenv("TENSORLAB_CACHE_DIR", str(tmp_path))
    empty = diagnosis.cache_folder()
    assert (empty.state, "empty" in empty.found) == ("ok", True)
    assert "tensorlab warm" in empty.remedy
    (tmp_path / "kernels" / "__pycache__").mkdir(parents=True)
    (tmp_path / "kernels" / "__pycache__" / "add.1.nbc").write_bytes(bytes(2_000_000))
    held = diagnosis.cache_folder()
    assert f"{tmp_path / 'kernels'}: 1 kernels, 2 MB" in held.found
    assert held.remedy == ""
    (tmp_path / "kernels" / "1a2b.cubin").write_bytes(bytes(1_000_000))
    assert "1 kernels and 1 of GPUs, 3 MB" in diagnosis.cache_folder().found


def test_no_driver_is_no_fault(monkeypatch):
    def refuse(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(diagnosis.ctypes, "CDLL", refuse)
    assert diagnosis.cuda().state == "ok"
    assert "simulator" in diagnosis.cuda().found
    assert diagnosis.threading_layer().state == ("note" if diagnosis.tbb_has_a_wheel() else "ok")


@pytest.mark.parametrize(("version", "extra"), [(13000, "[cuda]"), (12080, "[cuda12]")])
def test_a_driver_without_a_compiler_gets_the_extra_that_fits(monkeypatch, version, extra):
    class Driver:
        def cuDriverGetVersion(self, reference):
            reference._obj.value = version
            return 0

    monkeypatch.setattr(diagnosis.sys, "platform", "linux")
    monkeypatch.setattr(diagnosis.ctypes, "CDLL", lambda name: Driver())
    monkeypatch.setattr(diagnosis.importlib.util, "find_spec", lambda name: None)
    finding = diagnosis.cuda()
    assert finding.state == "note"
    assert extra in finding.remedy


def test_a_driver_that_is_too_old_for_the_packages_is_told(monkeypatch):
    library = types.SimpleNamespace(cuDriverGetVersion=lambda reference: None)
    monkeypatch.setattr(diagnosis.sys, "platform", "linux")
    monkeypatch.setattr(diagnosis.ctypes, "CDLL", lambda name: library)
    monkeypatch.setattr(diagnosis.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(diagnosis.gpus, "missing", lambda: "the driver is for CUDA 12.8")
    finding = diagnosis.cuda()
    assert (finding.state, finding.found.split(": ")[1]) == ("note", "the driver is for CUDA 12.8")


def test_no_screen(monkeypatch):
    monkeypatch.setattr(diagnosis.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delitem(os.environ, name, raising=False)
    assert "--no-open" in diagnosis.browser().remedy
