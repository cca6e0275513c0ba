"""Tests that ask nothing of machine code run where kernels are interpreted: their marker is `interpreted`.

Such a test meets ever new kernels with a few elements each: derivatives of every formula, operators in all
layouts. To compile a kernel takes the time of a thousand calls, so that a file of them needs ten seconds
instead of minutes. That kernels compute the same when they are compiled is what other tests ask.

The marked tests of a file run together, in a process with ``NUMBA_DISABLE_JIT=1``. What it reports is
reported here, test by test. With that variable set by hand they run in the process itself.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

REPORTS = "TENSORLAB_TEST_REPORTS"  # names the file that the process writes its reports to
_reports: list[dict[str, Any]] = []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Report what the process of the item's file found, instead of running the item here."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1" or item.get_closest_marker("interpreted") is None:
        return None
    found, said = _of_file(item.session, item.path)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for data in found.get(item.nodeid) or [_missing(item, said)]:
        report = item.config.hook.pytest_report_from_serializable(config=item.config, data=data)
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    # A test before this one left standing what this one shares with it; what comes next may not.
    item.session._setupstate.teardown_exact(nextitem)
    return True


@functools.cache
def _of_file(session: pytest.Session, path: Path) -> tuple[dict[str, list[dict[str, Any]]], str]:
    """The reports on the marked tests of a file, by their ids, and what the process printed."""
    # The process is no worker of this session's.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    marked = [item for item in session.items if item.path == path and item.get_closest_marker("interpreted")]
    with tempfile.TemporaryDirectory(prefix="tensorlab-reports-") as folder:
        wanted, reports = Path(folder, "wanted.txt"), Path(folder, "reports.json")
        wanted.write_text("\n".join(item.nodeid for item in marked), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", f"@{wanted}"],
            cwd=session.config.rootpath,
            env={**environment, "NUMBA_DISABLE_JIT": "1", REPORTS: str(reports)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        found: dict[str, list[dict[str, Any]]] = {}
        for data in json.loads(reports.read_text(encoding="utf-8")) if reports.exists() else ():
            if isinstance(data["longrepr"], list):  # why a test was skipped; JSON has no tuples
                data["longrepr"] = tuple(data["longrepr"])
            found.setdefault(data["nodeid"], []).append(data)
    return found, f"The process ended with {done.returncode}.\n{done.stdout[-4000:]}"


def _missing(item: pytest.Item, said: str) -> Any:
    """The report on a test that the process did not come to."""
    report = pytest.TestReport(
        item.nodeid, item.location, {}, "failed", f"It was not run. {said}", "call", duration=0
    )
    return item.config.hook.pytest_report_to_serializable(config=item.config, report=report)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep a report for the process that asked for it."""
    if REPORTS in os.environ:
        _reports.append(report._to_json() | {"$report_type": type(report).__name__})


def pytest_sessionfinish() -> None:
    """Write the reports where they are awaited."""
    if REPORTS in os.environ:
        Path(os.environ[REPORTS]).write_text(json.dumps(_reports), encoding="utf-8")
