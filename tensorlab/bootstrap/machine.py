"""What this runs on: the Pythons and systems that are turned away, and what is kept from the environment."""

import os
import sys
import sysconfig

OLDEST, NEWEST = (3, 11), (3, 14)
#: Settings of the user's that would lead pip or the new Python out of the environment.
UNWANTED = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "PIP_USER", "PIP_TARGET", "PIP_PREFIX")


class Refusal(Exception):
    """The set-up cannot go on; the text says why and what to do about it."""


def is_free_threaded():
    """Whether this Python was built to run without the interpreter's lock: python3.14t, for one."""
    return bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def check_python(version, implementation, free_threaded=False):
    """Refuse a Python that the pinned packages do not support, or that the library is not made for."""
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
    if free_threaded:
        raise Refusal(
            "this needs a Python with the interpreter's lock, which the free-threaded build of {0} has not. "
            "Give the same command to the other build: python{0} instead of python{0}t.".format(found)
        )


def check_system(system, machine):
    """Refuse a system for which the compiler behind the library is not built."""
    if system == "darwin" and machine == "x86_64":
        raise Refusal(
            "numba, the compiler that the library uses, has no build for Intel Macs. On Apple "
            "silicon install the arm64 Python from https://www.python.org/downloads/; on an Intel Mac, use a "
            "Linux container."
        )


def no_venv_module():
    """Return the sentence for a Python that came without ``venv`` or ``ensurepip``."""
    if os.path.exists("/etc/debian_version"):
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        return "this Python has no venv module; install it with: sudo apt install {}".format(package)
    return (
        "this Python came without the modules venv and ensurepip; install a complete one from "
        "https://www.python.org/downloads/ or from your system's package manager."
    )


def way_to_install(root, command="python3 book"):
    """Return what to do about a package that this Python lacks; `command` is what installs it in `root`."""
    own = os.path.join(root, ".venv")
    if sys.prefix == own and command == "python3 book":  # which has installed it once
        return "delete the folder {} and run `{}` again, which makes it anew.".format(own, command)
    return "run `{}` in the project's folder, which installs it into .venv.".format(command)


def clean_environment():
    """Return a copy of the environment variables without those that lead out of the project."""
    return {name: value for name, value in os.environ.items() if name not in UNWANTED}
