"""The first run, from a bare Python: make ``.venv``, install the project, hand over to ``tensorlab``.

``python3 book`` and ``python3 tests`` load this file by its path. It needs the standard library only, and
its syntax is that of Python 3.6, so that an old Python can still read the sentence that turns it away.

What was installed is remembered in ``.venv/tensorlab.json`` as a digest of everything that decides it. The
entry is taken out before pip starts and written when pip is done: an interrupted install is never taken
for a finished one, and a second run with nothing changed starts pip not at all.
"""

import contextlib
import glob
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt
else:
    msvcrt = None

OLDEST, NEWEST = (3, 11), (3, 14)
ENVIRONMENT, INTERRUPTED = 3, 130  # exit codes, as in tensorlab.cli.support.errors

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
USAGE = {
    "book": "python3 book [--port N] [--no-open] [--build-only] [--clean]\n\n"
    "Installs the project into .venv (the first time: some minutes and about 1 GB), builds the book,\n"
    "serves it on 127.0.0.1 and opens its first chapter.",
    "test": "python3 tests [pytest's arguments]\n\n"
    "Installs the project and its test tools into .venv (the first time: some minutes and about 1 GB)\n"
    "and runs every test.",
}
#: Settings of the user's that would lead pip or the new Python out of the environment.
UNWANTED = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "PIP_USER", "PIP_TARGET", "PIP_PREFIX")


class Refusal(Exception):
    """The set-up cannot go on; the text says why and what to do about it."""


def main(command, arguments, root=ROOT):
    """Set up the project in `root` and run ``tensorlab COMMAND ARGUMENTS`` in its environment.

    Returns the exit code, or on POSIX does not return: the process becomes the command.
    """
    wants_tests = command == "test"
    try:
        check_python(sys.version_info[:2], sys.implementation.name)
        check_system(sys.platform, platform.machine())
        venv = os.path.join(root, ".venv")
        if {"-h", "--help"} & set(arguments) and not is_installed(root, venv, "run"):
            print(USAGE[command])
            return 0
        with only_one_at_a_time(root):
            prepare(root, venv, wants_tests)
    except Refusal as refusal:
        print("tensorlab: {}".format(refusal), file=sys.stderr)
        return ENVIRONMENT
    except KeyboardInterrupt:
        print("\ntensorlab: stopped; run the same command again to go on.", file=sys.stderr)
        return INTERRUPTED
    return hand_over(venv, command, arguments)


def check_python(version, implementation):
    """Refuse a Python that the pinned packages do not support."""
    span = "Python {}.{} to {}.{}".format(*(OLDEST + NEWEST))
    found = "{}.{}".format(*version)
    if implementation != "cpython":
        raise Refusal("this needs CPython, {}; {} was used.".format(span, implementation))
    if version < OLDEST:
        raise Refusal(
            "this needs {}, and {} is older; install a newer one from https://www.python.org/downloads/ "
            "and give the same command to it: python3.13 instead of python3.".format(span, found)
        )
    if version > NEWEST:
        raise Refusal(
            "this needs {}; the compiler that the library uses has no build for {} yet. Give the same "
            "command to an older Python: python3.13 instead of python3.".format(span, found)
        )


def check_system(system, machine):
    """Refuse a system for which the compiler behind the library is not built."""
    if system == "darwin" and machine == "x86_64":
        raise Refusal(
            "numba, the compiler that the library uses, has no build for Intel Macs. On Apple "
            "silicon install the arm64 Python from https://www.python.org/downloads/; on an Intel Mac, use a "
            "Linux container."
        )


def hand_over(venv, command, arguments):
    """Run the command with the environment's Python; on POSIX this process becomes it."""
    # -P keeps the current folder off the import path: another checkout there must not be the one that runs.
    call = [python_of(venv), "-P", "-m", "tensorlab", command] + list(arguments)
    environment = clean_environment()
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(call[0], call, environment)
    try:
        return subprocess.call(call, env=environment)
    except KeyboardInterrupt:
        return INTERRUPTED


# ---------------------------------------------------------------------------- the environment


def python_of(venv):
    """Return the path of the environment's Python."""
    if os.name == "nt":
        return os.path.join(venv, "Scripts", "python.exe")
    return os.path.join(venv, "bin", "python")


def clean_environment():
    """Return a copy of the environment variables without those that lead out of the project."""
    return {name: value for name, value in os.environ.items() if name not in UNWANTED}


@contextlib.contextmanager
def only_one_at_a_time(root):
    """Hold the project's install lock; the system lets go of it even when this process is killed."""
    folder = os.path.join(root, "_build")
    try:
        os.makedirs(folder, exist_ok=True)
        lock = open(os.path.join(folder, "install.lock"), "a+")  # noqa: SIM115 - closed by `with` below
    except OSError as error:
        raise Refusal(
            "the folder {} cannot be written ({}); put the project into a folder of your own.".format(
                root, error.strerror
            )
        )
    with lock:
        if not take_lock(lock):
            print("Another run is installing this project; waiting for it.", flush=True)
            while not take_lock(lock):
                time.sleep(1)
        yield


def take_lock(file):
    """Try to lock an open file for this process; tell whether that went well."""
    try:
        if msvcrt:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def digest(root, venv):
    """Return what decides an install: the pins, the project file, the Python, and where the project lies."""
    seal = hashlib.sha256(root.encode())
    paths = [os.path.join(root, *name) for name in (("requirements.txt",), (".ci", "constraints.txt"))]
    paths += [os.path.join(root, "pyproject.toml"), os.path.join(venv, "pyvenv.cfg")]
    for path in paths:
        try:
            with open(path, "rb") as file:
                seal.update(hashlib.sha256(file.read()).digest())
        except FileNotFoundError:
            seal.update(b"absent")
    return seal.hexdigest()


def read_record(venv):
    """Return what was installed, ``{part: digest}``; empty when nothing was, or the file is damaged."""
    try:
        with open(os.path.join(venv, "tensorlab.json")) as file:
            record = json.load(file)
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(venv, record):
    """Replace the record in one step, so that no reader ever finds half of one."""
    handle, temporary = tempfile.mkstemp(dir=venv)
    with os.fdopen(handle, "w") as file:
        json.dump(record, file)
    os.replace(temporary, os.path.join(venv, "tensorlab.json"))


def is_installed(root, venv, part):
    """Tell whether `part` ("run" or "dev") was installed to the end and nothing has changed since."""
    return os.path.exists(python_of(venv)) and read_record(venv).get(part) == digest(root, venv)


def prepare(root, venv, wants_tests):
    """Make the environment and install what is missing; nothing is run when nothing is missing."""
    parts = ["run", "dev"] if wants_tests else ["run"]
    if all(is_installed(root, venv, part) for part in parts):
        return
    started = time.time()
    if not is_usable(venv):
        make_environment(venv)
    constraints = os.path.join(".ci", "constraints.txt")
    calls = {
        "run": [("packages", ["-r", "requirements.txt"]), ("tensorlab", ["--no-deps", "--editable", "."])],
        "dev": [("test tools", ["--constraint", constraints, "--editable", ".[dev]"])],
    }
    for part in parts:
        if is_installed(root, venv, part):
            continue
        record = read_record(venv)
        record.pop(part, None)
        write_record(venv, record)
        for title, options in calls[part]:
            pip_install(root, venv, title, options)
        record[part] = digest(root, venv)
        write_record(venv, record)
    print("Installed in {:.0f} s into {}".format(time.time() - started, venv), flush=True)


def is_usable(venv):
    """Tell whether there is an environment whose Python runs and has pip."""
    if not os.path.exists(python_of(venv)):
        return False
    probe = [python_of(venv), "-c", "import sys, pip; print(sys.version_info[:2] >= {})".format(OLDEST)]
    found = subprocess.run(probe, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=clean_environment())
    return found.returncode == 0 and found.stdout.strip() == b"True"


def make_environment(venv):
    """Create the virtual environment, or make a broken one anew."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise Refusal(no_venv_module())
    if os.path.isdir(venv) and os.listdir(venv) and not os.path.exists(os.path.join(venv, "pyvenv.cfg")):
        raise Refusal("{} is there and is no virtual environment; move it away and run again.".format(venv))
    print("Making a Python environment in {}".format(venv), flush=True)
    call = [sys.executable, "-m", "venv", "--clear", venv]
    made = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_environment())
    if made.returncode:
        said = made.stdout.decode(errors="replace").strip()
        if "ensurepip" in said:
            raise Refusal(no_venv_module())
        raise Refusal("Python could not make the environment {}:\n{}".format(venv, said))


def no_venv_module():
    """Return the sentence for a Python that came without ``venv`` or ``ensurepip``."""
    if os.path.exists("/etc/debian_version"):
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        return "this Python has no venv module; install it with: sudo apt install {}".format(package)
    return (
        "this Python came without the modules venv and ensurepip; install a complete one from "
        "https://www.python.org/downloads/ or from your system's package manager."
    )


# ---------------------------------------------------------------------------- pip, made visible


def pip_install(root, venv, title, options):
    """Run ``pip install`` and show in one line how far it is; `Refusal` says why it failed."""
    call = [python_of(venv), "-m", "pip", "install", "--no-input", "--progress-bar", "off"]
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


def explain(said):
    """Turn what a failed pip printed into one sentence with the way out."""
    for pattern, sentence in REASONS:
        if re.search(pattern, said):
            return sentence
    errors = [line for line in said.splitlines() if line.lstrip().upper().startswith("ERROR")]
    return "pip could not install the packages: {}".format(" ".join(errors[-2:]) or said[-300:])


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
        pattern = os.path.join("[Ll]ib", "*", "*.dist-info") if os.name == "nt" else "lib/*/*/*.dist-info"
        return len(glob.glob(os.path.join(glob.escape(self.venv), pattern)))

    def text(self):
        """Return the line as it stands now."""
        seconds = self.clock() - self.started
        if self.installing:
            there = min(max(self.count() - self.before, 0), self.installing)
            state = "{} of {} unpacked".format(there, self.installing)
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
