"""The command line: ``tensorlab book``, ``lab``, ``check``, ``release``, ``grade``, ``test``, ``doctor``.

Every command is one file of this folder; `tensorlab.cli.app` says how it is found.
"""

from tensorlab.cli.app import app

__all__ = ["app"]
