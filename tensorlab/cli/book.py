"""``tensorlab book``: build, serve and open the book."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tensorlab.cli.support.build import build, first_page, site_of
from tensorlab.cli.support.errors import ENVIRONMENT
from tensorlab.cli.support.project import find_root
from tensorlab.cli.support.serve import HOST, open_browser, serve_until_stopped, start_server


def run(
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Serve on this port. Default: the first free one from 8000."),
    ] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address and open no browser.")
    ] = False,
    build_only: Annotated[bool, typer.Option("--build-only", help="Build, and do not serve.")] = False,
    clean: Annotated[bool, typer.Option("--clean", help="Run every notebook anew.")] = False,
) -> None:
    """Build the book if anything changed, serve it on 127.0.0.1 and open its first chapter.

    The site is in `_build/html`; any web server can serve it. A warning stops the build, and the site that
    was there before stays as it was.
    """
    console = Console(highlight=False, soft_wrap=True)
    root = find_root()
    if build_only:
        make_current(root, console, clean)
        console.print(f"It is in {site_of(root)}", markup=False)
        return
    # The port is taken before the build: who asked for one that is not free should not wait to hear so.
    with start_server(site_of(root), port) as server:
        make_current(root, console, clean)
        address = f"http://{HOST}:{server.server_port}/{first_page(root)}"
        opened = no_open or open_browser(address)
        console.print(f"The book is at {address}", markup=False)
        if not opened:
            console.print(
                "No browser could be started here: open the address by hand. (--no-open expects that.)"
            )
        console.print("Ctrl-C stops it.")
        serve_until_stopped(server)
    if not opened:
        raise typer.Exit(ENVIRONMENT)


def make_current(root: Path, console: Console, clean: bool) -> None:
    """Build the book unless it is up to date."""
    if not build(root, console, clean):
        console.print("The book is up to date.")
