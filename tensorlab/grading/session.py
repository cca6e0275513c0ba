"""One submission in its boxes: run the cells, call the answers, start again without a cell that kills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tensorlab.grading.boxes import Box, BoxDied, BoxError, BoxFactory, BoxTimeout
from tensorlab.grading.inside import values
from tensorlab.grading.judge import Ask
from tensorlab.grading.notebook import Cell
from tensorlab.grading.outcomes import BadReply, Ended, Outcome, Raised, Returned, outcome, raised
from tensorlab.grading.sharing import is_proven, redrawn, tensors
from tensorlab.grading.suite import Exercise

_T = TypeVar("_T")

#: Starts of a box that may fail before the machine is blamed.
START_ATTEMPTS = 3

#: Lines that are kept of what a cell or a call prints.
HEARD_LINES = 12


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    The seconds are those that a box charges: of work, not of waiting for a busy machine (`boxes.meter`).

    Attributes:
        cell_seconds, call_seconds: of one cell, and of one call of an answer.
        cells_seconds: of all cells in one run of the notebook. Those that come later are skipped.
        question_seconds: of all calls of one question, and of running the notebook again after them. What
            one question uses up is missing in no other.
        large_seconds: of the one call of large tensors that some topics have, with a limit of its own.
        deadly_cells: how many cells may end the process before the notebook is given up.
    """

    cell_seconds: float = 6.0
    call_seconds: float = 4.0
    cells_seconds: float = 60.0
    question_seconds: float = 60.0
    large_seconds: float = 60.0
    deadly_cells: int = 8


class Missing(Exception):
    """The notebook, having run, defines no function of this name."""


class Exhausted(Exception):
    """Too many cells of the notebook ended its process."""


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
        self._skipped: set[int] = set()
        self._deadly = 0
        self._spent: dict[str, float] = {}
        self._ended_by = ""
        self._again = False
        self.reports: dict[int, CellReport] = {}
        self.heard: list[Heard] = []

    def ask(self, exercise: Exercise) -> Ask:
        """What `judge` asks for one exercise.

        The function that it returns raises `Missing`, `Exhausted` and `BoxError`.
        """
        self.heard = []

        def ask(args: tuple[Any, ...]) -> Outcome:
            most, seconds = self._limits.question_seconds, self._limits.call_seconds
            if self._spent.get(exercise.id, 0.0) >= most:
                return Ended("timeout", f"was not made: the calls before it took {most:g} s in all")
            request = {
                "op": "call",
                "name": exercise.name,
                "named": exercise.named,
                "part": exercise.part,
                "args": values.encode(args),
                "listen": self._listen,
            }
            box = self._running(exercise.id)
            before = box.charged
            try:
                reply = self._request(box, request, seconds)
                self._hear(args, reply.get("printed"))
                if not reply.get("missing"):
                    got = self._trusted(outcome, reply)
                    if self._again and not self._is_proven(box, args, got):
                        return Ended("died", "told of memory that its answer does not look into")
                    return got
            except (BoxDied, BoxTimeout) as error:
                self._hear(args, error.output)
                self._ended_by = exercise.id
                if isinstance(error, BoxTimeout):
                    return Ended("timeout", f"took longer than {seconds:g} s and was ended")
                return Ended("died", "ended the Python process")
            finally:
                self._spend(exercise.id, box.charged - before)
            if self._again:
                return Ended("died", "found no such function when the notebook ran again")
            raise Missing(exercise.name)

        return ask

    def ask_large(self, exercise: Exercise, program: str, places: Sequence[tuple[int, ...]]) -> Outcome:
        """What an answer to large arguments holds at some places, which it is told of after the call.

        Raises:
            Exhausted, BoxError: as in `ask`.
        """
        request = {
            "op": "call",
            "name": exercise.name,
            "named": exercise.name,
            "part": exercise.part,
            "args": values.encode((program,)),
        }
        box = self._running(exercise.id)
        seconds = self._limits.large_seconds
        try:
            reply = self._request(box, request, seconds)
            if reply.get("missing"):
                return Ended("died", "found no such function when the notebook ran again")
            got = self._trusted(outcome, reply)
            if isinstance(got, Raised):
                return got
            request = {"op": "look", "places": values.encode(places)}
            return self._trusted(outcome, self._request(box, request, self._limits.call_seconds))
        except BoxTimeout:
            return Ended("timeout", f"took longer than {seconds:g} s and was ended")
        except BoxDied:
            return Ended("died", "ended the Python process")

    def run_again(self) -> None:
        """Ask the rest in a fresh box. From here on `reports` says nothing new."""
        self.close()
        self._again = True

    def close(self) -> None:
        """End the box."""
        box, self._box = self._box, None  # in one step: `tensorlab watch` ends it from another thread
        if box is not None:
            box.close()

    def _running(self, question: str) -> Box:
        """The box, with every cell run that does not kill it.

        Another thread may close it meanwhile: a closed box answers with `BoxDied`.
        """
        while (box := self._box) is None:
            if self._deadly > self._limits.deadly_cells:
                raise Exhausted(f"{self._deadly} cells of the notebook ended its process or hung")
            box = self._box = self._start()
            self._run_cells(box)
            if self._ended_by == question:
                self._spend(question, box.charged)
        return box

    def _run_cells(self, box: Box) -> None:
        """Run the notebook, until a cell kills the box."""
        before = box.charged
        for cell in self._cells:
            if cell.number in self._skipped:
                continue
            if box.charged - before >= self._limits.cells_seconds:
                words = f"the cells before it took {self._limits.cells_seconds:g} s in all"
                self._skip(cell, CellReport(ended=words))
                continue
            try:
                self._report(cell, self._run(box, cell))
            except (BoxDied, BoxTimeout) as error:
                slow = f"it ran longer than {self._limits.cell_seconds:g} s"
                why = slow if isinstance(error, BoxTimeout) else "it ended the process"
                self._skip(cell, CellReport(ended=why, printed=self._beginning(error.output)))
                self._deadly += 1
                return

    def _skip(self, cell: Cell, report: CellReport) -> None:
        self._skipped.add(cell.number)
        self._report(cell, report)

    def _report(self, cell: Cell, report: CellReport) -> None:
        if not self._again:
            self.reports[cell.number] = report

    def _spend(self, question: str, seconds: float) -> None:
        self._spent[question] = self._spent.get(question, 0.0) + seconds

    def _start(self) -> Box:
        for attempt in range(1, START_ATTEMPTS + 1):
            try:
                return self._open_box()
            except BoxError:
                if attempt == START_ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def _run(self, box: Box, cell: Cell) -> CellReport:
        request = {"op": "cell", "number": cell.number, "source": cell.source, "listen": self._listen}
        reply = self._request(box, request, self._limits.cell_seconds)
        names = reply.get("defines")
        defines = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        return CellReport(
            self._trusted(raised, reply["raised"]) if "raised" in reply else None,
            defines=tuple(values.printable(name)[:80] for name in defines),
            printed=self._beginning(reply.get("printed")),
        )

    def _is_proven(self, box: Box, args: tuple[Any, ...], got: Outcome) -> bool:
        """Whether the tensors of an answer look into the memory that they are told to (see `sharing`)."""
        lines = redrawn(args)
        if not lines or not isinstance(got, Returned) or not any(tensors(got.value)):
            return True
        request = {"op": "write", "lines": values.encode(lines)}
        again = self._trusted(outcome, self._request(box, request, self._limits.call_seconds))
        return isinstance(again, Returned) and is_proven(got.value, again.value, lines)

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

    def _request(self, box: Box, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return box.ask(request, seconds)
        except (BoxDied, BoxTimeout):
            self.close()
            raise
