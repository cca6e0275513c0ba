"""The plugin of pytest that ``tensorlab test --gpu`` runs with, for its report and its limit of time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tensorlab.backends import cuda
from tensorlab.backends.cuda.driver import AcceleratorError
from tensorlab.cli.support.gpu_report import UNTIL, append

OVER = "the time is over"

# The worker of pytest-xdist that this process is; the others name no worker.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Run the files in the order in which they were asked for."""
    places = {Path(name).absolute(): place for place, name in enumerate(config.args)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish(session):
    if WORKER in ("gw0", "") and session.items:
        append({"collected": [item.nodeid for item in session.items]})


def pytest_runtest_setup(item):
    if time.time() > float(os.environ[UNTIL]):
        pytest.skip(OVER)


def pytest_runtest_logreport(report):
    # Whoever ran a test writes of it; of a test that ended its worker, who began that worker.
    if hasattr(report, "node") and report.when != "???":
        return
    text = report.longreprtext
    if report.skipped and OVER in text:
        return
    if report.when == "call" or not report.passed:
        append({"test": report.nodeid, "outcome": report.outcome, "seconds": report.duration, "text": text})


def pytest_runtest_logfinish(nodeid):
    """End a worker whose GPU is lost: the test that lost it fails, and a new worker goes on."""
    if WORKER:
        try:
            cuda.gpu("tests").driver.synchronize()
        except AcceleratorError as error:
            append({"difference": str(error), "of": nodeid})
            os._exit(1)
