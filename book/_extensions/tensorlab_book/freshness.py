"""Reuse a page's executed output only while the library that made it is unchanged.

Jupyter Book's cache knows a notebook by its code cells. Here the numbers on a page come from the library too,
so the cache lies in a folder named after the library's source: after a change every notebook runs again, and
without one a build takes seconds.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

# What no page's output can depend on.
APART = ("cli", "__pycache__")

# Each kernel of ipykernel 7 prints a warning about TCP on loopback; forty is logging.ERROR.
KERNEL_CONFIG = "c.IPKernelApp.log_level = 40\n"


def fingerprint(package: Path) -> str:
    """Return sixteen hex digits that change when a file of the library or the Python version changes."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {platform.machine()}".encode())
    for path in sorted(package.rglob("*")):
        relative = path.relative_to(package)
        if path.is_file() and not set(relative.parts) & set(APART):
            digest.update(relative.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def set_cache(app: Sphinx, config: Config) -> None:
    """Point the execution cache at this library's folder and drop the folders of older ones."""
    home = Path(app.outdir).parent / ".executed"
    mine = home / fingerprint(Path(app.srcdir) / "tensorlab")
    mine.mkdir(parents=True, exist_ok=True)
    for other in home.iterdir():
        if other != mine:
            shutil.rmtree(other)
    config.nb_execution_cache_path = str(mine)


def quiet_kernels(app: Sphinx, config: Config) -> None:
    """Give the kernels of this build a profile of their own, so that nobody's settings reach the book."""
    profile = Path(app.outdir).parent / ".ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(KERNEL_CONFIG, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(profile.parent)


def setup(app: Sphinx) -> None:
    # myst-nb reads its settings at the default priority, 500.
    app.connect("config-inited", set_cache, priority=400)
    app.connect("config-inited", quiet_kernels, priority=400)
