"""One submission in its boxes: run the cells, call the answers, start again without a cell that kills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tensorlab.grading.boxes import Box, BoxDied, BoxError, BoxFactory, BoxTimeout
from tensorlab.grading.inside import values
from tensorlab.grading.judge import Ask
from tensorlab.grading.notebook import Cell
from tensorlab.grading.outcomes import BadReply, Outcome, Raised, outcome, raised
from tensorlab.grading.suite import Exercise

_T = TypeVar("_T")

#: Starts of a box that may fail before the machine is blamed.
START_ATTEMPTS = 3

#: Lines that are kept of what a cell or a call prints.
HEARD_LINES = 12


@dataclass(frozen=True)
class Limits:
    """Seconds and restarts that one submission may use.

    The seconds are those that a box charges: of work, not of waiting for a busy machine (`boxes.meter`).
    """

    cell_seconds: float = 6.0
    call_seconds: float = 4.0
    notebook_seconds: float = 60.0
    restarts: int = 8


class Missing(Exception):
    """The notebook, having run, defines no function of this name."""


class Exhausted(Exception):
    """The notebook has used up its time or its restarts."""


@dataclass(frozen=True)
class CellReport:
    """What came of one cell.

    Attributes:
        raised: the exception that stopped it, if one did.
        ended: "" when it ran to its end or to an exception; else what ended the box.
        defines: the functions that it defined.
        printed: the beginning of what it printed, in a session that listens.
    """

    raised: Raised | None = None
    ended: str = ""
    defines: tuple[str, ...] = ()
    printed: str = ""


@dataclass(frozen=True)
class Heard:
    """The beginning of what one call of an answer printed."""

    args: tuple[Any, ...]
    printed: str


class Session:
    """A notebook that has run, or will when it is first asked.

    Args:
        cells: code cells, in order.
        open_box: starts a box.
        listen: how many characters of what a cell or a call prints are kept. Only where nothing hidden is
            asked, since an answer can print its question.

    Attributes:
        reports: what came of the cells that ran, by their numbers.
        heard: the calls of the latest exercise that printed anything.
    """

    def __init__(self, cells: list[Cell], open_box: BoxFactory, limits: Limits, listen: int = 0) -> None:
        self._listen = listen
        self._cells = cells
        self._open_box = open_box
        self._limits = limits
        self._box: Box | None = None
        self._starts = 0
        self._left = limits.notebook_seconds
        self.reports: dict[int, CellReport] = {}
        self.heard: list[Heard] = []

    def ask(self, exercise: Exercise) -> Ask:
        """What `judge` asks for one exercise.

        The function that it returns raises `Missing`, `BoxDied`, `BoxTimeout`, `Exhausted` and `BoxError`.
        """
        self.heard = []

        def ask(args: tuple[Any, ...]) -> Outcome:
            request = {
                "op": "call",
                "name": exercise.name,
                "named": exercise.named,
                "part": exercise.part,
                "args": values.encode(args),
                "listen": self._listen,
            }
            box = self._running()
            try:
                reply = self._ask(box, request, self._limits.call_seconds)
            except (BoxDied, BoxTimeout) as error:
                self._hear(args, error.output)
                raise
            self._hear(args, reply.get("printed"))
            if reply.get("missing"):
                raise Missing(exercise.name)
            return self._trusted(outcome, reply)

        return ask

    def close(self) -> None:
        """End the box."""
        box, self._box = self._box, None  # in one step: `tensorlab watch` ends it from another thread
        if box is not None:
            box.close()

    def _running(self) -> Box:
        """The box, with every cell run that does not kill it.

        Another thread may close it meanwhile: a closed box answers with `BoxDied`.
        """
        while (box := self._box) is None:
            if self._starts > self._limits.restarts:
                raise Exhausted(f"the notebook ended its process {self._starts} times")
            self._starts += 1
            box = self._box = self._start()
            for cell in self._cells:
                if self.reports.get(cell.number, CellReport()).ended:
                    continue
                try:
                    self._run(box, cell)
                except (BoxDied, BoxTimeout) as error:
                    slow = isinstance(error, BoxTimeout)
                    why = (
                        f"it ran longer than {self._limits.cell_seconds:g} s"
                        if slow
                        else "it ended the process"
                    )
                    self.reports[cell.number] = CellReport(ended=why, printed=self._beginning(error.output))
                    break
        return box

    def _start(self) -> Box:
        for attempt in range(1, START_ATTEMPTS + 1):
            try:
                return self._open_box()
            except BoxError:
                if attempt == START_ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def _run(self, box: Box, cell: Cell) -> None:
        request = {"op": "cell", "number": cell.number, "source": cell.source, "listen": self._listen}
        reply = self._ask(box, request, self._limits.cell_seconds)
        names = reply.get("defines")
        defines = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        error = self._trusted(raised, reply["raised"]) if "raised" in reply else None
        self.reports[cell.number] = CellReport(
            error,
            defines=tuple(values.printable(name)[:80] for name in defines),
            printed=self._beginning(reply.get("printed")),
        )

    def _hear(self, args: tuple[Any, ...], printed: Any) -> None:
        if text := self._beginning(printed):
            self.heard.append(Heard(args, text))

    def _beginning(self, printed: Any) -> str:
        """What was printed, made safe to show, with a mark where it was cut."""
        text = printed.rstrip() if isinstance(printed, str) and self._listen else ""
        shown = "\n".join(text[: self._listen].split("\n")[:HEARD_LINES])
        return values.printable(shown) + (" …" if len(shown) < len(text) else "")

    def _trusted(self, read: Callable[[Any], _T], reply: Any) -> _T:
        """What `read` makes of a reply. A process that answers nonsense counts as one that died."""
        try:
            return read(reply)
        except BadReply as error:
            self.close()
            raise BoxDied(f"the process broke the protocol: {error}") from None

    def _ask(self, box: Box, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        if self._left <= 0:
            raise self._exhausted()
        granted, before = min(seconds, self._left), box.charged
        try:
            return box.ask(request, granted)
        except BoxTimeout:
            self.close()
            if granted < seconds:
                raise self._exhausted() from None
            raise
        except BoxDied:
            self.close()
            raise
        finally:
            self._left -= box.charged - before

    def _exhausted(self) -> Exhausted:
        self.close()
        return Exhausted(f"the notebook ran longer than {self._limits.notebook_seconds:g} s in all")
