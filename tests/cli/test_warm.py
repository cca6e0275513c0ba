"""warm: what it compiles is found by the next process; it may be stopped, and run again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tensorlab
from tensorlab.backends.cache import contents

SMALL = ["--only", "names", "--dtypes", "int64", "--jobs", "2"]


def warm(cache: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tensorlab", "warm", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "TENSORLAB_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0", **environment},
        check=False,
    )


PROGRAM = """
import tensorlab as tl
x = tl.arange(16).view(4, 4)
print((x + x).tolist()[0], x.rename("N", "C").sum("N").tolist())
"""


def test_a_program_finds_what_it_compiled(tmp_path):
    first = warm(tmp_path, *SMALL, "--json")
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    assert found["folder"] == str(tmp_path / "kernels")
    assert found["compiled"] == found["kernels"] == contents(tmp_path / "kernels").kernels > 1
    assert found["bytes"] > 10_000
    assert found["failed"] == []

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "TENSORLAB_CACHE_DIR": str(tmp_path),
            "NUMBA_DEBUG_CACHE": "1",
            "NUMBA_DISABLE_JIT": "0",
        },
        check=True,
    )
    assert "data loaded from" in done.stdout
    assert "data saved to" not in done.stdout

    again = warm(tmp_path, *SMALL)
    assert again.stdout.startswith("0 kernels compiled")
    assert f"{tmp_path / 'kernels'} holds {found['kernels']} kernels" in again.stdout


def test_a_dry_run_compiles_nothing(tmp_path):
    plain = warm(tmp_path, "--dry-run")
    assert plain.returncode == 0
    assert "reductions" in plain.stdout
    assert f"{tmp_path / 'kernels'} holds 0 kernels" in plain.stdout
    found = json.loads(warm(tmp_path, "--dry-run", "--json").stdout)
    assert found["calls"] > 1000
    assert found["kernels"] == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a group of processes")
def test_it_may_be_interrupted(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "tensorlab", "warm", "--only", "arithmetic", "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TENSORLAB_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored by what runs behind
    )
    kernels = tmp_path / "kernels"
    deadline = time.monotonic() + 60
    while not contents(kernels).kernels and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    kept = contents(kernels).kernels
    assert kept > 0
    assert not list(kernels.rglob("*.tmp*"))
    time.sleep(1)
    assert contents(kernels).kernels == kept, "a process goes on after the command has ended"


def test_a_folder_that_cannot_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    stopped = warm(blocked, *SMALL)
    assert stopped.returncode == 3
    assert f"{blocked / 'kernels'} cannot be written" in stopped.stderr
    assert "TENSORLAB_CACHE_DIR" in stopped.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "nonsense"], "there is no kind of operations called 'nonsense'"),
        (["--dtypes", "float31"], "there is no dtype called 'float31'"),
        (["--jobs", "-1"], "--jobs must be a positive number"),
    ],
)
def test_what_is_not_there(tmp_path, arguments, sentence):
    stopped = warm(tmp_path, *arguments)
    assert stopped.returncode == 2
    assert sentence in stopped.stderr


def test_nothing_is_written_beside_the_source(tmp_path):
    """An installation may be read-only: `sort`, written by hand, is kept where the generated `gather` is."""
    program = (
        "import tensorlab as tl; x = tl.arange(4); print(x.sort().values.tolist());tl.zeros(40, 30)[:, x]"
    )
    before = set(Path(tensorlab.__file__).parent.rglob("*.nb?"))
    subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TENSORLAB_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"},
        check=True,
    )
    assert set(Path(tensorlab.__file__).parent.rglob("*.nb?")) == before
    kept = {path.name.split(".")[0] for path in tmp_path.rglob("*.nbc")}
    assert "sort" in kept
    assert any(name.startswith("gather_1_") for name in kept)
