"""The server: this machine only, the next free port, the browser, a clean end."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing

import pytest
from typer.testing import CliRunner

from tensorlab.cli import app
from tensorlab.cli.support import serve
from tensorlab.cli.support.errors import CommandError
from tensorlab.cli.support.serve import HOST, check_port, open_browser, start_server
from tests.signals import heed_ctrl_c

SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens on."""
    with closing(socket.create_server((HOST, 0))) as other:
        yield other.getsockname()[1]


def test_the_next_free_port(tmp_path, taken, monkeypatch):
    monkeypatch.setattr(serve, "FIRST_PORT", taken)
    with start_server(tmp_path, None) as server:
        assert taken < server.server_port < taken + serve.PORTS_TRIED


def test_no_port_at_all(tmp_path, taken, monkeypatch):
    monkeypatch.setattr(serve, "FIRST_PORT", taken)
    monkeypatch.setattr(serve, "PORTS_TRIED", 1)
    with pytest.raises(CommandError, match=f"all ports from {taken} to {taken}"):
        start_server(tmp_path, None)


@pytest.mark.parametrize("command", ["book", "lab"])
def test_a_port_that_is_taken(project, taken, command):
    stopped = CliRunner().invoke(app, [command, "--port", str(taken)])
    assert stopped.exit_code == 3
    assert (
        f"port {taken} of 127.0.0.1 is taken by another program; choose another one with --port"
        in stopped.output
    )
    assert not (project / "_build").exists()


def test_a_port_that_needs_rights(monkeypatch):
    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(serve, "SiteServer", refuse)
    with pytest.raises(
        CommandError, match="port 80 needs an administrator's rights; choose one from 1024 up"
    ):
        check_port(80)


def test_files_come_with_their_type_and_are_not_kept(tmp_path):
    (tmp_path / "engine.js").write_text("export const x = 1")
    with start_server(tmp_path, None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        connection = http.client.HTTPConnection(HOST, server.server_port, timeout=10)
        connection.request("GET", "/engine.js")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"export const x = 1")
        assert answer.headers["Content-Type"] == "text/javascript"
        assert answer.headers["Cache-Control"] == "no-cache"
        connection.request("GET", "/../../etc/hostname")
        assert connection.getresponse().status == 404
        connection.close()
        server.shutdown()
        thread.join()
        assert server.socket.getsockname()[0] == HOST


def test_no_browser_is_tried_without_a_screen(monkeypatch):
    opened = []
    monkeypatch.setattr(serve.webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setattr(serve.sys, "platform", "linux")
    for name in SCREEN:
        monkeypatch.delenv(name, raising=False)
    assert not open_browser("http://127.0.0.1/")
    monkeypatch.setenv("DISPLAY", ":0")
    assert open_browser("http://127.0.0.1/")
    assert opened == ["http://127.0.0.1/"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal like Ctrl-C for one process alone")
@pytest.mark.parametrize(("options", "code"), [(["--no-open"], 0), ([], 3)], ids=["no-open", "no browser"])
def test_from_the_command_to_the_page_and_to_ctrl_c(project, options, code):
    environment = {name: value for name, value in os.environ.items() if name not in SCREEN}
    if sys.platform == "darwin":
        environment["BROWSER"] = "no-such-browser"
    call = [sys.executable, "-P", "-m", "tensorlab", "book", *options]

    with subprocess.Popen(
        call, cwd=project, env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=heed_ctrl_c
    ) as process:
        assert process.stdout is not None
        said = ""
        while "Ctrl-C stops it" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        address = re.search(r"http://127\.0\.0\.1:\d+/book/one\.html", said)
        assert address, said
        with urllib.request.urlopen(address[0], timeout=10) as page:
            assert b"first words" in page.read()
        process.send_signal(signal.SIGINT)
        try:
            rest, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == code
    assert ("No browser could be started" in rest + said) is (code == 3)


@pytest.mark.parametrize(("error", "said"), [(BrokenPipeError, False), (ValueError, True)])
def test_a_browser_that_leaves_half_way_is_no_error(tmp_path, capsys, error, said):
    with start_server(tmp_path, None) as server:
        try:
            raise error("while a page was sent")
        except error:
            server.handle_error(None, (HOST, 1))
    assert ("while a page was sent" in capsys.readouterr().err) == said


def test_a_reader_who_goes_away_leaves_the_terminal_quiet(tmp_path, capfd):
    (tmp_path / "page.html").write_bytes(b"x" * 50_000_000)
    with start_server(tmp_path, None) as server:
        server.daemon_threads = False  # closing the server then waits for what is being sent
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection((HOST, server.server_port)) as reader:
            reader.sendall(b"GET /page.html HTTP/1.0\r\n\r\n")
            reader.recv(1000)
        server.shutdown()
    assert capfd.readouterr().err == ""
