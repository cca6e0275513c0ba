"""The first run, from a bare Python: make ``.venv``, install the project, hand over to ``tensorlab``.

``python3 book`` and ``python3 tests`` load this folder by its path, since importing tensorlab would need
NumPy. It needs the standard library only, and its syntax is that of Python 3.6, so that an old Python can
still read the sentence that turns it away.

    machine.py      what Python and system this runs on, and which ones are turned away
    environment.py  .venv: made once, filled once, remembered by a digest
    installer.py    pip, made visible, and its failures in one sentence
"""

import os
import platform
import subprocess
import sys

from .environment import is_installed, one_at_a_time, prepare, python_of, take_lock
from .machine import (
    NEWEST,
    OLDEST,
    Refusal,
    check_python,
    check_system,
    clean_environment,
    is_free_threaded,
    way_to_install,
)

__all__ = ["ENVIRONMENT", "NEWEST", "OLDEST", "ROOT", "main", "take_lock", "way_to_install"]

ENVIRONMENT, INTERRUPTED = 3, 130  # exit codes, as in tensorlab.cli.support.errors
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
USAGE = {
    "book": "python3 book [--port N] [--no-open] [--build-only] [--clean]\n\n"
    "Installs the project into .venv (the first time: some minutes and about 1 GB), builds the book,\n"
    "serves it on 127.0.0.1 and opens its first chapter.",
    "test": "python3 tests [pytest's arguments]\n\n"
    "Installs the project and its test tools into .venv (the first time: some minutes and about 1 GB)\n"
    "and runs every test.",
}


def main(command, arguments, root=ROOT):
    """Set up the project in `root` and run ``tensorlab COMMAND ARGUMENTS`` in its environment.

    Returns the exit code, or on POSIX does not return: the process becomes the command.
    """
    wants_tests = command == "test"
    try:
        check_python(sys.version_info[:2], sys.implementation.name, is_free_threaded())
        check_system(sys.platform, platform.machine())
        venv = os.path.join(root, ".venv")
        if {"-h", "--help"} & set(arguments) and not is_installed(root, venv, "run"):
            print(USAGE[command])
            return 0
        with one_at_a_time(root):
            prepare(root, venv, wants_tests)
    except Refusal as refusal:
        print("tensorlab: {}".format(refusal), file=sys.stderr)
        return ENVIRONMENT
    except KeyboardInterrupt:
        print("\ntensorlab: stopped; run the same command again to go on.", file=sys.stderr)
        return INTERRUPTED
    return hand_over(venv, command, arguments)


def hand_over(venv, command, arguments):
    """Run the command with the environment's Python; on POSIX this process becomes it."""
    # -P keeps the current folder off the import path: another checkout there must not be the one that runs.
    call = [python_of(venv), "-P", "-m", "tensorlab", command] + list(arguments)
    variables = clean_environment()
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(call[0], call, variables)
    try:
        return subprocess.call(call, env=variables)
    except KeyboardInterrupt:
        return INTERRUPTED
