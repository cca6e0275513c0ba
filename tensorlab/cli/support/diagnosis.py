"""Look at this machine: Python, packages, processor, threads, CUDA, browser, folders.

Every look is a function that returns a `Finding`. A look that goes wrong becomes a finding that says so.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
import tempfile
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tensorlab.backends import HOST
from tensorlab.backends import cuda as gpus
from tensorlab.backends.cache import contents, wanted_directory
from tensorlab.backends.choice import VARIABLE
from tensorlab.backends.numpy import NumPy
from tensorlab.bootstrap import NEWEST, OLDEST
from tensorlab.bootstrap.machine import is_free_threaded
from tensorlab.cli.support.errors import CommandError
from tensorlab.cli.support.project import find_root

#: Extensions of the instruction set that the kernels make use of, by the name that LLVM has for them.
VECTOR_FEATURES = ("sse4.2", "avx", "avx2", "fma", "avx512f", "avx512bf16", "amx-bf16", "neon", "sve")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    `state` is "ok", "note" (something is not there that only some uses need) or "missing" (necessary).
    `remedy` is how to get it; empty where nothing is to be done.
    """

    part: str
    state: Literal["ok", "note", "missing"]
    found: str
    remedy: str = ""


def examine() -> list[Finding]:
    """Return every finding, the necessary things first."""
    looks: tuple[Callable[[], Finding], ...] = (
        python,
        packages,
        backend,
        processor,
        threading_layer,
        cuda,
        browser,
        test_browser,
        cache_folder,
        project_folder,
    )
    return [look() for look in looks]


def python() -> Finding:
    """Look at the interpreter."""
    found = f"{platform.python_implementation()} {platform.python_version()} at {sys.executable}"
    if is_free_threaded():
        without = "Take the build of Python that has the interpreter's lock: its name has no t at the end."
        return Finding("Python", "missing", f"{found}, a free-threaded build", without)
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return Finding("Python", "ok", found)
    span = "{}.{} to {}.{}".format(*OLDEST, *NEWEST)
    return Finding(
        "Python", "missing", found, f"Install a Python from {span} and run `python3 book` with it."
    )


def packages() -> Finding:
    """Compare the installed versions with the pins of requirements.txt, or with the package's own needs."""
    wrong = []
    right = 0
    for name, wanted in wanted_versions():
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{name} is not installed")
            continue
        if wanted and version != wanted:
            wrong.append(f"{name} is {version}, tested with {wanted}")
        else:
            right += 1
    absent = any("not installed" in line for line in wrong)
    found = "; ".join([f"{right} as they should be", *wrong])
    remedy = (
        "Run `python3 book` in the project's folder: it installs what requirements.txt names."
        if wrong
        else ""
    )
    return Finding("packages", "missing" if absent else "note" if wrong else "ok", found, remedy)


def wanted_versions() -> list[tuple[str, str]]:
    """Return (package, version) for all that should be here; the version is empty where a range will do."""
    try:
        lines = (find_root() / "requirements.txt").read_text(encoding="utf-8").splitlines()
    except (CommandError, FileNotFoundError):
        lines = [line for line in importlib.metadata.requires("tensorlab") or () if "extra ==" not in line]
    wanted = []
    for line in lines:
        requirement = line.partition("#")[0].strip()
        if not requirement or requirement.startswith("-"):
            continue
        requirement, _, marker = requirement.partition(";")
        if "platform_machine" in marker and not tbb_has_a_wheel():
            continue
        name = re.split(r"[<>=!~\[ ]", requirement.strip(), maxsplit=1)[0]
        exact = re.search(r"==([\w.]+)$", requirement.strip())
        wanted.append((name, exact[1] if exact else ""))
    return wanted


def tbb_has_a_wheel() -> bool:
    """Tell whether Intel's TBB is published for this system."""
    return (sys.platform, platform.machine()) in {("linux", "x86_64"), ("win32", "AMD64")}


def backend() -> Finding:
    """Look at what computes: compiled kernels, or NumPy alone."""
    if type(HOST) is not NumPy:
        return Finding("backend", "ok", "kernels compiled by Numba")
    if os.environ.get(VARIABLE):
        return Finding("backend", "ok", f"NumPy alone, as {VARIABLE} says")
    return Finding("backend", "note", "NumPy alone, which is slower: no Numba", "Run `python3 book`.")


def processor() -> Finding:
    """Look at the processor as the compiler sees it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        from llvmlite import binding
    except ImportError as error:
        return Finding("processor", "note", f"{cores} cores; no compiler: {error}", "Run `python3 book`.")
    features = binding.get_host_cpu_features()
    there = [name for name in VECTOR_FEATURES if features.get(name)]
    found = (
        f"{binding.get_host_cpu_name()}, {cores} cores usable, {', '.join(there) or 'no vector extension'}"
    )
    return Finding("processor", "ok", found)


def threading_layer() -> Finding:
    """Look for a library that Numba can run its threads on; with TBB, parallel kernels may nest."""
    folders = [Path(sys.prefix, "lib"), Path(sys.prefix, "Library", "bin")]
    names = {"win32": "tbb12.dll", "darwin": "libtbb.12.dylib"}
    name = names.get(sys.platform, "libtbb.so.12")
    for candidate in (*(str(folder / name) for folder in folders if (folder / name).exists()), name):
        try:
            ctypes.CDLL(candidate)
        except OSError:
            continue
        return Finding("threads", "ok", f"TBB, {candidate}")
    if tbb_has_a_wheel():
        return Finding(
            "threads", "note", "no TBB; Numba uses OpenMP or its own threads", "Run `python3 book`."
        )
    return Finding("threads", "ok", "Numba's own threads: TBB is not published for this system")


def cuda() -> Finding:
    """Look for a GPU that kernels can run on. Without one, they run in the simulator."""
    names = {"win32": "nvcuda.dll", "darwin": None}
    driver = names.get(sys.platform, "libcuda.so.1")
    if driver is None:
        return Finding("CUDA", "ok", "not on macOS; CUDA kernels run in the simulator")
    try:
        library = ctypes.CDLL(driver)
    except OSError:
        return Finding("CUDA", "ok", "no NVIDIA driver; CUDA kernels run in the simulator")
    version = ctypes.c_int()
    library.cuDriverGetVersion(ctypes.byref(version))
    major, minor = version.value // 1000, version.value % 1000 // 10
    extra = "cuda" if major >= 13 else "cuda12"
    if importlib.util.find_spec("numba_cuda") is None:
        remedy = f"`.venv/bin/python -m pip install -e '.[{extra}]'` in the project's folder (about 500 MB)."
        return Finding("CUDA", "note", f"driver for CUDA {major}.{minor}, no compiler for it", remedy)
    if missing := gpus.missing():
        return Finding("CUDA", "note", f"driver for CUDA {major}.{minor}: {missing}")
    from numba import cuda as numba_cuda

    gpu = numba_cuda.get_current_device()
    capability = ".".join(map(str, gpu.compute_capability))
    return Finding(
        "CUDA", "ok", f"{gpu.name.decode()}, compute capability {capability}, CUDA {major}.{minor}"
    )


def browser() -> Finding:
    """Look for a browser in which the book can be opened."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER")
    ):
        return Finding(
            "browser", "note", "no screen", "Use `python3 book --no-open` and open the printed address."
        )
    try:
        return Finding("browser", "ok", getattr(webbrowser.get(), "name", "the system's own"))
    except webbrowser.Error:
        return Finding("browser", "note", "none found", "Install one, or use `python3 book --no-open`.")


def test_browser() -> Finding:
    """Look for the Chromium in which the tests open the book."""
    named = os.environ.get("TENSORLAB_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if named:
        return Finding("Chromium", "ok", f"{named}, for the tests of the site")
    remedy = "Only the tests of the site need it: `apt install chromium`, or TENSORLAB_CHROMIUM=/path/to/one."
    return Finding("Chromium", "note", "none; the tests of the site are skipped", remedy)


def cache_folder() -> Finding:
    """See whether compiled kernels can be kept for the next start, and what is there."""
    folder = wanted_directory()
    there = contents(folder)
    parent = next(place for place in (folder, *folder.parents) if place.exists())
    finding = writable(
        "kernel cache",
        parent,
        "Set TENSORLAB_CACHE_DIR to a folder of your own; until then kernels compile anew in every process.",
    )
    if finding.state != "ok":
        return finding
    gpus = f" and {there.gpu_kernels} of GPUs" if there.gpu_kernels else ""
    held = f"{there.kernels} kernels{gpus}, {there.bytes / 1e6:.0f} MB" if there.kernels or gpus else "empty"
    remedy = "" if there.kernels else "`tensorlab warm` compiles what programs need; without it they do."
    free = shutil.disk_usage(parent).free / 1e9
    return Finding("kernel cache", "ok", f"{folder}: {held}; {free:.0f} GB free", remedy)


def project_folder() -> Finding:
    """See whether the project can be written, which building the book needs."""
    try:
        root = find_root()
    except CommandError as error:
        return Finding("project", "note", "no copy of the project around here", str(error))
    return writable("project", root, "Put the project into a folder of your own.")


def writable(part: str, folder: Path, remedy: str) -> Finding:
    """Try to write a file into `folder`."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free / 1e9
    except OSError as error:
        return Finding(part, "note", f"{folder} cannot be written ({error.strerror})", remedy)
    return Finding(part, "ok", f"{folder}, {free:.0f} GB free")
