"""The first run: every refusal is one sentence, an interrupted install is no install."""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tensorlab import bootstrap
from tensorlab.bootstrap import environment, installer, machine
from tensorlab.bootstrap.installer import Progress
from tensorlab.bootstrap.machine import Refusal

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("__init__", "machine", "environment", "installer")
STARTERS = ("book/__main__.py", "tests/__main__.py", *(f"tensorlab/bootstrap/{part}.py" for part in PARTS))


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A copy of what the first run reads, with nothing installed."""
    for name in (*STARTERS, "requirements.txt", ".ci/constraints.txt", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def pips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Environments are empty folders and pip only says what it was called for."""

    def make_environment(venv: str) -> None:
        python = Path(environment.python_of(venv))
        python.parent.mkdir(parents=True)
        python.write_text("")
        Path(venv, "pyvenv.cfg").write_text("version = 3.12.1\n")

    called: list[str] = []
    monkeypatch.setattr(environment, "make_environment", make_environment)
    monkeypatch.setattr(environment, "version_of", lambda venv: (3, 12) if Path(venv).exists() else None)
    monkeypatch.setattr(
        environment, "pip_install", lambda root, venv, python, title, options: called.append(title)
    )
    return called


# ---------------------------------------------------------------- before anything is installed


@pytest.mark.parametrize("name", STARTERS)
def test_an_old_python_can_read_the_starters(name):
    ast.parse((ROOT / name).read_text(), feature_version=(3, 6))


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13), (3, 14)])
def test_supported_pythons_are_accepted(version):
    machine.check_python(version, "cpython")


@pytest.mark.parametrize(
    ("version", "implementation", "says"),
    [
        ((3, 10), "cpython", r"Python 3\.11 to 3\.14, and 3\.10 is older; install"),
        ((3, 15), "cpython", r"no build for 3\.15 yet.*older Python"),
        ((3, 11), "pypy", r"needs CPython"),
    ],
)
def test_other_pythons_are_refused(version, implementation, says):
    with pytest.raises(Refusal, match=says):
        machine.check_python(version, implementation)


def test_a_python_without_the_interpreters_lock_is_refused(bare, monkeypatch, capsys):
    monkeypatch.setattr(machine.sysconfig, "get_config_var", {"Py_GIL_DISABLED": 1}.get)
    assert bootstrap.main("book", [], str(bare)) == 3
    version = "python{}.{}".format(*sys.version_info)
    assert (
        f"Give the same command to the other build: {version} instead of {version}t"
        in capsys.readouterr().err
    )


def test_the_pythons_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    after = (bootstrap.NEWEST[0], bootstrap.NEWEST[1] + 1)
    assert project["requires-python"] == ">={}.{},<{}.{}".format(*bootstrap.OLDEST, *after)


def test_intel_macs_are_refused():
    with pytest.raises(Refusal, match="Intel Mac"):
        machine.check_system("darwin", "x86_64")
    machine.check_system("darwin", "arm64")
    machine.check_system("linux", "x86_64")


def test_a_refusal_is_one_sentence_and_an_exit_code(bare, monkeypatch, capsys):
    monkeypatch.setattr(machine, "OLDEST", (9, 0))
    assert bootstrap.main("book", [], str(bare)) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("tensorlab: this needs Python 9.0")
    assert said.err.count("\n") == 1
    assert not (bare / ".venv").exists()


@pytest.mark.parametrize("starter", ["book", "tests"])
def test_help_installs_nothing(bare, starter):
    done = subprocess.run(
        [sys.executable, starter, "--help"], cwd=bare, capture_output=True, text=True, check=True
    )
    assert f"python3 {starter}" in done.stdout
    assert not (bare / ".venv").exists()


def test_a_folder_that_cannot_be_written(bare, capsys):
    (bare / "_build").write_text("in the way")
    assert bootstrap.main("book", [], str(bare)) == 3
    assert re.search(
        r"cannot be written \(.+\); put the project into a folder of your own", capsys.readouterr().err
    )


def test_without_venv_module_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(machine.os.path, "exists", lambda path: path == "/etc/debian_version")
    with pytest.raises(Refusal, match=r"sudo apt install python3\.\d+-venv"):
        environment.make_environment(str(tmp_path / ".venv"))
    monkeypatch.setattr(machine.os.path, "exists", lambda path: False)
    with pytest.raises(Refusal, match=r"python\.org"):
        environment.make_environment(str(tmp_path / ".venv"))


# ---------------------------------------------------------------- the environment


def test_a_folder_that_is_no_environment_is_left_alone(tmp_path):
    mine = tmp_path / ".venv" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("precious")
    with pytest.raises(Refusal, match="is no virtual environment; move it away"):
        environment.make_environment(str(tmp_path / ".venv"))
    assert mine.read_text() == "precious"


def test_a_real_environment_is_made_and_a_broken_one_is_noticed(tmp_path):
    venv = str(tmp_path / ".venv")
    assert environment.version_of(venv) is None
    environment.make_environment(venv)
    assert environment.version_of(venv) == sys.version_info[:2]
    settings = Path(venv, "pyvenv.cfg").rename(tmp_path / "away")
    assert environment.version_of(venv) is None  # the program is the system's Python now
    settings.rename(Path(venv, "pyvenv.cfg"))
    Path(environment.python_of(venv)).unlink()
    assert environment.version_of(venv) is None


def test_an_environment_of_another_python_is_left_alone(bare, pips, monkeypatch):
    (bare / ".venv").mkdir()
    monkeypatch.setattr(environment, "version_of", lambda venv: (3, 9))
    with pytest.raises(Refusal, match=r"holds Python 3\.9, and this needs 3\.11 to 3\.14; move that folder"):
        environment.prepare(str(bare), str(bare / ".venv"), wants_tests=False)
    assert pips == []


def test_installs_once(bare, pips):
    venv = str(bare / ".venv")
    environment.prepare(str(bare), venv, wants_tests=False)
    assert pips == ["packages", "tensorlab"]
    environment.prepare(str(bare), venv, wants_tests=False)
    assert len(pips) == 2
    environment.prepare(str(bare), venv, wants_tests=True)
    assert pips[2:] == ["test tools"]


@pytest.mark.parametrize(
    "name", ["requirements.txt", ".ci/constraints.txt", "pyproject.toml", ".venv/pyvenv.cfg"]
)
def test_installs_again_when_what_decides_it_changed(bare, pips, name):
    venv = str(bare / ".venv")
    environment.prepare(str(bare), venv, wants_tests=True)
    (bare / name).write_text((bare / name).read_text() + "# changed\n")
    environment.prepare(str(bare), venv, wants_tests=True)
    assert pips == ["packages", "tensorlab", "test tools"] * 2


@pytest.mark.parametrize("stops_at", ["packages", "tensorlab", "test tools"])
def test_an_interrupted_install_is_not_taken_for_a_finished_one(bare, pips, monkeypatch, stops_at):
    venv = str(bare / ".venv")
    environment.prepare(str(bare), venv, wants_tests=True)
    (bare / "requirements.txt").write_text("numpy\n")

    def interrupted(root: str, venv: str, python: str, title: str, options: list[str]) -> None:
        if title == stops_at:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(environment, "pip_install", interrupted)
        with pytest.raises(KeyboardInterrupt):
            environment.prepare(str(bare), venv, wants_tests=True)
    assert not environment.is_installed(str(bare), venv, "dev")
    del pips[:]
    environment.prepare(str(bare), venv, wants_tests=True)
    assert stops_at in pips


def test_a_damaged_record_means_install_again(bare, pips):
    venv = str(bare / ".venv")
    environment.prepare(str(bare), venv, wants_tests=False)
    (bare / ".venv" / "tensorlab.json").write_text('{"run": ')
    assert not environment.is_installed(str(bare), venv, "run")


def test_an_environment_that_was_deleted_in_part_is_refused(bare, pips, monkeypatch, capsys):
    venv = bare / ".venv"
    site = venv / ("Lib/site-packages" if os.name == "nt" else "lib/python3.12/site-packages")

    def pip_install(root: str, venv: str, python: str, title: str, options: list[str]) -> None:
        for name in ("numpy", "numba", "numpy-2.4.dist-info"):
            (site / name).mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(environment, "pip_install", pip_install)
    environment.prepare(str(bare), str(venv), wants_tests=False)
    (site / "numpy-2.4.dist-info").rename(site / "numpy-2.5.dist-info")  # another version is no loss
    environment.prepare(str(bare), str(venv), wants_tests=False)
    (site / "numba").rmdir()
    assert bootstrap.main("book", [], str(bare)) == 3
    assert f"{venv} lacks numba, which was installed there; delete that folder" in capsys.readouterr().err
    (site / "numpy").rmdir()
    with pytest.raises(Refusal, match="lacks numba and 1 more"):
        environment.prepare(str(bare), str(venv), wants_tests=False)


def test_ctrl_c_is_no_traceback(bare, pips, monkeypatch, capsys):
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(environment, "pip_install", interrupt)
    assert bootstrap.main("book", [], str(bare)) == 130
    assert "run the same command again" in capsys.readouterr().err


def test_one_install_at_a_time(tmp_path):
    path = tmp_path / "lock"
    with path.open("a+") as first, path.open("a+") as second:
        assert bootstrap.take_lock(first)
        assert not bootstrap.take_lock(second)
    with path.open("a+") as third:
        assert bootstrap.take_lock(third)


def test_settings_that_lead_out_of_the_project_are_dropped(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    kept = machine.clean_environment()
    assert "PYTHONPATH" not in kept
    assert "PIP_TARGET" not in kept
    assert kept["HTTPS_PROXY"] == "http://proxy"


# ---------------------------------------------------------------- pip


SAID = {
    "no network": "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(...)'\n"
    "ERROR: No matching distribution found for numpy==2.4.6",
    "disk is full": "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
    "not allowed to write": "ERROR: Could not install packages: [Errno 13] Permission denied: '/x'",
    "no build of one of the packages": "ERROR: No matching distribution found for numba==0.68.1",
    "certificate": "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] ...",
    "ERROR: something new": "Collecting numpy\nERROR: something new",
}


@pytest.mark.parametrize("sentence", SAID)
def test_what_pip_says_becomes_a_sentence(sentence):
    assert sentence in installer.explain(SAID[sentence])


def test_no_network_with_the_real_pip(tmp_path, monkeypatch):
    (tmp_path / "_build").mkdir()
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # the discard port: nobody answers
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    with pytest.raises(Refusal, match="no network") as refusal:
        installer.pip_install(
            str(tmp_path), sys.prefix, sys.executable, "packages", ["no-such-package-of-tensorlab"]
        )
    assert str(tmp_path / "_build" / "install.log") in str(refusal.value)
    assert "no-such-package-of-tensorlab" in (tmp_path / "_build" / "install.log").read_text()


PIP_LINES = (
    "Collecting numpy==2.4.6",
    "  Downloading numpy-2.4.6-cp311.whl.metadata (62 kB)",
    "Collecting numba==0.68.1",
    "  Downloading numpy-2.4.6-cp311.whl (16.9 MB)",
    "  Using cached numba-0.68.1-cp311.whl (3.1 MB)",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("live", [True, False])
def test_progress_counts_what_pip_prints(tmp_path, live):
    out = Terminal() if live else io.StringIO()
    seconds = iter(range(0, 1000, 4))
    with Progress("packages", str(tmp_path), out, clock=lambda: next(seconds)) as progress:
        for line in PIP_LINES:
            progress.read(line)
    last = re.split(r"[\r\n]", out.getvalue().rstrip())[-1].strip()
    assert re.fullmatch(r"Installing packages: 2 found, 2 fetched, 20 MB \(\d+ s\)", last)
    assert ("\r" in out.getvalue()) is live


def test_progress_counts_what_is_unpacked(tmp_path):
    site = tmp_path / ("Lib/site-packages" if os.name == "nt" else "lib/python3.11/site-packages")
    (site / "pip-25.dist-info").mkdir(parents=True)
    progress = Progress("packages", str(tmp_path), io.StringIO(), clock=lambda: 0)
    progress.read("Installing collected packages: numpy, numba, rich")
    assert "0 of 3 unpacked" in progress.text()
    (site / "numpy-2.dist-info").mkdir()
    assert "1 of 3 unpacked" in progress.text()


def test_progress_says_that_the_network_is_slow(tmp_path):
    progress = Progress("packages", str(tmp_path), io.StringIO())
    progress.read("WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by ...")
    assert "trying again" in progress.text()
