"""``tensorlab lab``: JupyterLab on the exercises."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from tensorlab.cli.support.project import find_root, require, run_module
from tensorlab.cli.support.serve import check_port


def run(
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Serve on this port. Default: the first free one from 8888."),
    ] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address and open no browser.")
    ] = False,
) -> None:
    """Open the exercises in JupyterLab.

    Your answers are saved in `exercises/`. Ctrl-C, then `y`, stops JupyterLab.
    """
    root = find_root()
    require("jupyterlab", "opens the exercises")
    arguments = [f"--ServerApp.root_dir={root / 'exercises'}"]
    if port is not None:
        check_port(port)
        arguments += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")  # in a container there is often nobody else
    if no_open:
        arguments.append("--no-browser")
    raise typer.Exit(run_module("jupyterlab", arguments, cwd=root))
