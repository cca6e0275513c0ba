"""How a command ends: one sentence on standard error, and an exit code that a script can use."""

from __future__ import annotations

import textwrap

from rich.console import Console

#: It ran to the end and the answer is bad: a test failed, the book did not build, something is missing.
FAILED = 1
#: It was asked for something that cannot be done: an unknown option, a file that is not there.
USAGE = 2
#: This machine lacks something that the command needs: a package, a free port, a browser, a writable folder.
ENVIRONMENT = 3
#: Ctrl-C: 128 and the number of the signal, as shells have it.
INTERRUPTED = 130

EXIT_CODES = {
    0: "done",
    FAILED: "it ran and the answer is bad",
    USAGE: "it was asked for something that it cannot do",
    ENVIRONMENT: "this machine lacks something that it needs",
    INTERRUPTED: "interrupted",
}


class CommandError(Exception):
    """A command stops: what was asked, why it cannot be done, and the way out, in one plain sentence or two.

    Example: ``raise CommandError(f"{path} is not JSON; save it again from JupyterLab.", USAGE)``
    """

    def __init__(self, message: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def report(error: CommandError) -> None:
    """Print the sentence on standard error, wrapped at words and never cut inside a path or an address."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    text = f"tensorlab: {error}"
    if console.is_terminal:
        wrap = textwrap.TextWrapper(console.width, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(wrap.fill(line) for line in text.splitlines())
    console.print(text, style="red", markup=False)
