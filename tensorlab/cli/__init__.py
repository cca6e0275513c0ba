"""The command line: ``tensorlab book``, ``tensorlab check`` and so on; ``tensorlab --help`` lists them.

Every command is one file of this folder; `tensorlab.cli.app` says how it is found.
"""

from tensorlab.cli.app import app

__all__ = ["app"]
