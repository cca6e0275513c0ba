"""Signals in processes that tests start."""

from __future__ import annotations

import signal

__all__ = ["heed_ctrl_c"]


def heed_ctrl_c() -> None:
    """For a process that begins: whoever runs the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
