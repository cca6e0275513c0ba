"""The program as a whole: help, exit codes, errors of one sentence, a quick start."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tensorlab
from tensorlab.cli import app
from tensorlab.cli.app import COMMANDS
from tensorlab.cli.support import project as project_module
from tensorlab.cli.support.errors import EXIT_CODES, CommandError, report

ROOT = Path(__file__).parents[2]

run = CliRunner().invoke


def test_help_explains_every_command():
    shown = run(app, ["--help"])
    assert shown.exit_code == 0
    for name in COMMANDS:
        assert f" {name} " in shown.output
    for code in EXIT_CODES:
        assert f"exit code {code}" in " ".join(shown.output.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name):
    shown = run(app, [name, "--help"])
    assert shown.exit_code == 0
    assert f"Usage: tensorlab {name}" in shown.output or f"{name} [OPTIONS]" in shown.output
    assert len(shown.output.splitlines()) > 6


def test_version():
    assert run(app, ["--version"]).output.strip() == tensorlab.__version__


@pytest.mark.parametrize("arguments", [["bok"], ["book", "--prot", "1"], ["book", "--port", "no"]])
def test_wrong_usage_has_exit_code_2(arguments):
    assert run(app, arguments).exit_code == 2


def test_a_typing_error_is_met_with_a_suggestion():
    assert "Did you mean 'book'" in " ".join(run(app, ["bok"]).output.split())


def test_the_program_starts_without_the_heavy_packages():
    code = "import sys, json, tensorlab.cli.app, tensorlab.cli.book; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert loaded.isdisjoint(
        {"numba", "llvmlite", "nbformat", "nbclient", "jupyter_book", "sphinx", "matplotlib"}
    )


def test_outside_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tensorlab, "__file__", str(tmp_path / "site-packages" / "tensorlab" / "__init__.py"))
    for name in ("book", "lab", "test"):
        stopped = run(app, [name])
        assert stopped.exit_code == 3
        assert f"{tmp_path} is not inside one; change into the folder" in stopped.output
        assert "Traceback" not in stopped.output


@pytest.mark.parametrize(
    ("command", "package", "way_out"),
    [
        ("book", "jupyter_book", "python3 book"),
        ("lab", "jupyterlab", "python3 book"),
        ("test", "nbval", "python3 tests"),
    ],
)
def test_a_missing_package(project, monkeypatch, command, package, way_out):
    find_spec = project_module.importlib.util.find_spec
    monkeypatch.setattr(
        project_module.importlib.util, "find_spec", lambda name: None if name == package else find_spec(name)
    )
    stopped = run(app, [command])
    assert stopped.exit_code == 3
    assert f"the package {package}" in stopped.output
    assert f"run `{way_out}`" in stopped.output


def test_the_error_is_not_broken_inside_a_path(capsys, tmp_path):
    path = tmp_path / ("long" * 40)
    report(CommandError(f"{path} is not there.", 2))
    assert capsys.readouterr().err == f"tensorlab: {path} is not there.\n"


def test_pytest_gets_its_arguments_and_its_exit_code_comes_back(project, monkeypatch):
    calls = []

    def run_module(module: str, arguments: list[str], cwd: Path) -> int:
        calls.append((module, arguments, cwd))
        return 5

    monkeypatch.setattr("tensorlab.cli.test.run_module", run_module)
    assert run(app, ["test", "-n0", "-k", "stride", "tests/library"]).exit_code == 5
    assert calls == [("pytest", ["-n0", "-k", "stride", "tests/library"], project)]


def test_lab_opens_the_exercises_only(project, monkeypatch):
    calls = []
    monkeypatch.setattr("tensorlab.cli.lab.run_module", lambda *call, cwd: calls.append(call) or 0)
    assert run(app, ["lab", "--no-open"]).exit_code == 0
    ((module, arguments),) = calls
    assert module == "jupyterlab"
    assert arguments[0] == f"--ServerApp.root_dir={project / 'exercises'}"
    assert "--no-browser" in arguments


@pytest.mark.parametrize(("package", "command"), [("typer", "--help"), ("platformdirs", "progress")])
def test_without_a_package_the_program_says_how_to_get_it(package, command):
    code = (
        f"import sys, runpy; sys.modules['{package}'] = None; sys.argv = ['tensorlab', '{command}']; "
        "runpy.run_module('tensorlab', run_name='__main__')"
    )
    call = [sys.executable, "-c", code]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(f"tensorlab: the package {package} is not installed")
    assert "python3 book" in done.stderr
    assert "Traceback" not in done.stderr


def test_to_grade_compiles_nothing(tmp_path):
    """The grader's own answers for chapter 8 would take a minute to compile, and the next run's some more."""
    solutions, results = tmp_path / "handed_in", tmp_path / "results"
    solutions.mkdir()
    (notebook,) = (ROOT / "solutions").glob("08_*.ipynb")
    shutil.copy(notebook, solutions / "anna.ipynb")
    kernels = tmp_path / "kernels"
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    command = [sys.executable, "-m", "tensorlab", "grade", "--i-trust-this-code", solutions, "--out", results]
    done = subprocess.run(
        command,
        env={**environment, "TENSORLAB_CACHE_DIR": str(kernels)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (results / "results.csv").exists()
    assert list(kernels.rglob("*.nbc")) == []
