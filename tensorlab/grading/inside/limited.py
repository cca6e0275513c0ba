"""The program in a limited box: the runner, behind the walls that a process can put up around itself."""

from __future__ import annotations

import importlib
import json
import os
import resource

from . import runner
from .system import WALLS, filter_calls, keep_to


def main() -> None:
    """Load the library, give up rights, and serve requests."""
    walls = json.loads(os.environ.pop(WALLS))
    importlib.import_module("tensorlab")
    resource.setrlimit(resource.RLIMIT_NPROC, (walls["processes"], walls["processes"]))
    keep_to(walls["read"], walls["write"])
    filter_calls(bytes.fromhex(walls["filter"]))
    runner.main()
