"""Serve the built site on this machine only, and open it in the browser."""

from __future__ import annotations

import contextlib
import os
import sys
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any

from tensorlab.cli.support.errors import ENVIRONMENT, CommandError

HOST = "127.0.0.1"
FIRST_PORT = 8000
PORTS_TRIED = 100


class SiteHandler(SimpleHTTPRequestHandler):
    """Serves files, says nothing, and lets the browser keep nothing: the next build shows at once."""

    # Windows keeps types of files in its registry, where any program may have changed them.
    extensions_map = {  # noqa: RUF012 - an instance variable to the base class's type stubs
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".css": "text/css",
        ".svg": "image/svg+xml",
        ".woff": "font/woff",
        ".woff2": "font/woff2",
        ".ipynb": "application/x-ipynb+json",
    }

    def end_headers(self) -> None:
        """Add the header that makes the browser ask again."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Print nothing: the terminal shows the address and stays readable."""


class SiteServer(ThreadingHTTPServer):
    """A server whose port is its own."""

    daemon_threads = True
    # On Windows this would let two servers share a port; elsewhere it lets a port be used again at once.
    allow_reuse_address = os.name != "nt"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that closed its end: a page left half-way is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def server_bind(self) -> None:
        """Bind without asking the name service for this machine's name, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.socket.getsockname()[1]


def start_server(folder: Path, port: int | None) -> SiteServer:
    """Return a server for `folder`, bound: to `port` if given, else to the first free one from 8000 on.

    Raises `CommandError` when the port is taken, or no port could be had.
    """
    handler = partial(SiteHandler, directory=str(folder))
    if port is not None:
        try:
            return SiteServer((HOST, port), handler)
        except OSError as error:
            raise port_error(port, error) from error
    for candidate in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        try:
            return SiteServer((HOST, candidate), handler)
        except OSError:
            continue
    raise CommandError(
        f"all ports from {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED - 1} of {HOST} are taken; "
        "name a free one with --port.",
        ENVIRONMENT,
    )


def check_port(port: int) -> None:
    """Raise `CommandError` when a server could not be started on `port`."""
    try:
        SiteServer((HOST, port), SiteHandler).server_close()
    except OSError as error:
        raise port_error(port, error) from error


def port_error(port: int, error: OSError) -> CommandError:
    """Say why a port could not be had, and what to do."""
    if isinstance(error, PermissionError):
        why = f"port {port} needs an administrator's rights; choose one from 1024 up"
    else:
        why = f"port {port} of {HOST} is taken by another program; choose another one"
    return CommandError(f"{why} with --port, or leave --port out to get the next free one.", ENVIRONMENT)


def open_browser(address: str) -> bool:
    """Open `address` in the user's browser; tell whether there was one.

    A browser that draws in the terminal would hide this program, so without a screen none is tried.
    """
    screenless = sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER")
    )
    return not screenless and webbrowser.open(address)


def serve_until_stopped(server: SiteServer) -> None:
    """Answer requests until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
