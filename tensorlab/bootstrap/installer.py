"""pip, made visible: one line that says how far it is, and one sentence when it fails."""

import glob
import os
import re
import shutil
import subprocess
import sys
import threading
import time

from .machine import NEWEST, OLDEST, Refusal, clean_environment

#: What pip prints when it fails, and the sentence with the way out.
REASONS = (
    (
        r"Name or service not known|Temporary failure in name resolution|getaddrinfo failed"
        r"|nodename nor servname|NewConnectionError|ConnectTimeoutError"
        r"|ReadTimeoutError|Network is unreachable|ProxyError",
        "no network: the package index could not be reached; connect (or set HTTPS_PROXY) and run again.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLError",
        "the package index has a certificate that pip does not trust; set PIP_CERT to your network's own.",
    ),
    (
        r"No space left on device|not enough space on the disk",
        "the disk is full and the environment needs about 1.5 GB; make room and run the same command again.",
    ),
    (
        r"Permission denied|PermissionError|Read-only file system",
        "pip was not allowed to write; put the project into a folder of your own and run again.",
    ),
    (
        r"No matching distribution found for",
        "the package index has no build of one of the packages for this Python and system; "
        "try another Python from {}.{} to {}.{}.".format(*(OLDEST + NEWEST)),
    ),
)


def pip_install(root, venv, python, title, options):
    """Run ``pip install`` and show in one line how far it is; `Refusal` says why it failed."""
    call = [python, "-m", "pip", "install", "--no-input", "--progress-bar", "off"]
    call += ["--disable-pip-version-check", "--no-warn-script-location"] + options
    environment = dict(clean_environment(), PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8")
    said = []
    with Progress(title, venv) as progress:
        process = subprocess.Popen(
            call, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            for line in process.stdout:
                said.append(line.decode("utf-8", "replace").rstrip())
                progress.read(said[-1])
            process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
            process.stdout.close()
    if process.returncode:
        log = os.path.join(root, "_build", "install.log")
        with open(log, "w", encoding="utf-8") as file:
            file.write("\n".join(said) + "\n")
        raise Refusal("{}\nAll that pip said is in {}".format(explain("\n".join(said)), log))


def explain(said):
    """Turn what a failed pip printed into one sentence with the way out."""
    for pattern, sentence in REASONS:
        if re.search(pattern, said):
            return sentence
    errors = [line for line in said.splitlines() if line.lstrip().upper().startswith("ERROR")]
    return "pip could not install the packages: {}".format(" ".join(errors[-2:]) or said[-300:])


def site_packages(venv):
    """Return the folders of the environment `venv` into which pip installs; none before it is made."""
    inside = ("Lib", "site-packages") if os.name == "nt" else ("lib", "python*", "site-packages")
    return glob.glob(os.path.join(glob.escape(venv), *inside))


class Progress:
    """Turns pip's lines into one line that is rewritten on a terminal, and into a few plain lines elsewhere.

    Example of the line: ``Installing packages: 64 found, 60 fetched, 212 MB (31 s)``.
    """

    QUIET = 10.0  # seconds between two plain lines
    MEGABYTES = {"bytes": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3}

    def __init__(self, title, venv, out=None, clock=time.time):
        self.title, self.venv = title, venv
        self.out = out or sys.stdout
        self.clock = clock
        self.live = self.out.isatty()
        self.started = self.shown = clock()
        self.found, self.fetched, self.megabytes, self.note = 0, 0, 0.0, ""
        self.before = self.installing = None
        self.done = threading.Event()
        self.ticker = threading.Thread(target=self.tick, daemon=True)

    def __enter__(self):
        self.show(force=True)
        self.ticker.start()
        return self

    def __exit__(self, kind, error, trace):
        self.done.set()
        self.ticker.join()
        self.show(force=True)
        if self.live:
            self.out.write("\n")

    def tick(self):
        """Keep the seconds going while pip is silent."""
        while not self.done.wait(0.5):
            self.show()

    def read(self, line):
        """Take in one line of pip's."""
        size = re.search(r"(?:Downloading|Using cached) .*\(([\d.]+) (bytes|kB|MB|GB)\)", line)
        packages = re.match(r"Installing collected packages: (.*)", line)
        if line.startswith("Collecting "):
            self.found += 1
        elif size and ".metadata " not in line:
            self.fetched += 1
            self.megabytes += float(size.group(1)) * self.MEGABYTES[size.group(2)]
            self.note = ""
        elif "Retrying (" in line:
            self.note = ", the network does not answer, trying again"
        elif packages:
            self.before, self.installing = self.count(), len(packages.group(1).split(", "))

    def count(self):
        """Return how many packages lie in the environment."""
        return sum(
            name.endswith(".dist-info") for site in site_packages(self.venv) for name in os.listdir(site)
        )

    def text(self):
        """Return the line as it stands now."""
        seconds = self.clock() - self.started
        if self.installing:
            there = min(max(self.count() - self.before, 0), self.installing)
            state = "{:.0f} MB fetched, {} of {} unpacked".format(self.megabytes, there, self.installing)
        else:
            state = "{} found, {} fetched, {:.0f} MB".format(self.found, self.fetched, self.megabytes)
        return "Installing {}: {}{} ({:.0f} s)".format(self.title, state, self.note, seconds)

    def show(self, force=False):
        """Show the line: at once on a terminal, now and then elsewhere."""
        now = self.clock()
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            self.out.write("\r" + self.text()[:width].ljust(width))
        elif force or now - self.shown >= self.QUIET:
            self.shown = now
            self.out.write(self.text() + "\n")
        self.out.flush()
