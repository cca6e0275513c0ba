"""The project's environment, ``.venv``: made once, filled once, and remembered.

What was installed is noted in ``.venv/tensorlab.json`` as a digest of everything that decides it. The entry
is taken out before pip starts and written when pip is done: an interrupted install is never taken for a
finished one, and a second run with nothing changed starts pip not at all. Beside it stand the names that
the install left in ``site-packages``: pip takes a package for installed when its note is there, so only
these names tell that somebody deleted a part of the environment.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

from .installer import pip_install, site_packages
from .machine import NEWEST, OLDEST, Refusal, clean_environment, no_venv_module

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt
else:
    msvcrt = None


def python_of(venv):
    """Return the path of the environment's Python."""
    if os.name == "nt":
        return os.path.join(venv, "Scripts", "python.exe")
    return os.path.join(venv, "bin", "python")


@contextlib.contextmanager
def one_at_a_time(root):
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


def contents(venv):
    """Return the names in the environment's ``site-packages``, without those that carry a version."""
    names = {name for folder in site_packages(venv) for name in os.listdir(folder)}
    return {name for name in names if not name.endswith((".dist-info", ".egg-info", "__pycache__"))}


def check_whole(venv):
    """Refuse an environment that lacks what an install left in it."""
    lost = sorted(set(read_record(venv).get("names", ())) - contents(venv))
    if lost and os.path.exists(python_of(venv)):
        more = " and {} more".format(len(lost) - 1) if len(lost) > 1 else ""
        raise Refusal(
            "{} lacks {}{}, which was installed there; delete that folder and run again.".format(
                venv, lost[0], more
            )
        )


def prepare(root, venv, wants_tests):
    """Make the environment and install what is missing; nothing is run when nothing is missing."""
    check_whole(venv)
    parts = ["run", "dev"] if wants_tests else ["run"]
    if all(is_installed(root, venv, part) for part in parts):
        return
    started = time.time()
    version = version_of(venv)
    if version is None:
        make_environment(venv)
    elif not OLDEST <= version <= NEWEST:
        raise Refusal(
            "{} holds Python {}.{}, and this needs {}.{} to {}.{}; move that folder away or delete it, "
            "and run again.".format(venv, *(version + OLDEST + NEWEST))
        )
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
            pip_install(root, venv, python_of(venv), title, options)
        record[part] = digest(root, venv)
        record["names"] = sorted(contents(venv))
        write_record(venv, record)
    print("Installed in {:.0f} s into {}".format(time.time() - started, venv), flush=True)


def version_of(venv):
    """Return the version of the environment's Python, such as (3, 12); None when it or its pip is broken.

    Without its ``pyvenv.cfg`` that program is the system's own Python, into which nothing may be installed.
    """
    if not os.path.exists(python_of(venv)):
        return None
    program = (
        "import sys, pip; print(*sys.version_info[:2]) if sys.prefix != sys.base_prefix else sys.exit(1)"
    )
    probe = [python_of(venv), "-c", program]
    found = subprocess.run(probe, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=clean_environment())
    return tuple(map(int, found.stdout.split())) if found.returncode == 0 else None


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
