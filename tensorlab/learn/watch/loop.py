"""The loop of `tensorlab watch`: a save starts a round, a key shows something else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from tensorlab.grading.notebook import UnreadableNotebook
from tensorlab.grading.suite import Exercise
from tensorlab.learn import progress
from tensorlab.learn.hints import hints_of
from tensorlab.learn.watch.files import Watched
from tensorlab.learn.watch.keys import Keys
from tensorlab.learn.watch.rounds import Answer, Finished, Round, warm_boxes
from tensorlab.learn.watch.screen import Screen, card_lines, difference, exercise_list
from tensorlab.learn.watch.versions import Versions

#: Seconds between two looks at the file, and at the keys.
LOOK = 0.03
#: Seconds after which somebody wonders whether anything happens.
NOTICED = 0.4


class Loop:
    """One notebook, watched until `q` or Ctrl-C.

    Args:
        path: the notebook.
        questions: its exercises.
    """

    def __init__(self, path: Path, questions: Sequence[Exercise], screen: Screen, keys: Keys) -> None:
        self._questions = questions
        self._screen = screen
        self._keys = keys
        self._file = Watched(path)
        self._versions = Versions()
        self._last: Finished | None = None
        self._focus = questions[0].id
        self._round: Round | None = None
        self._said_busy = False
        self._on_hints = False  # whether the page shows hints

    def run(self) -> None:
        """Watch until `q`.

        Raises:
            KeyboardInterrupt: Ctrl-C. No process is left behind.
        """
        boxes = warm_boxes(self._questions)
        try:
            self._screen.line("Starting. Your answers are tried now, and after every save.")
            while self._turn_key(self._keys.pressed(LOOK)):
                news = self._file.news()
                if isinstance(news, UnreadableNotebook):
                    self._stop_round()
                    self._show_text(f"Waiting: {news}.")
                elif news is not None:
                    self._stop_round()
                    notebook, waited = news
                    self._said_busy = False
                    self._round = Round(self._questions, notebook, boxes, waited)
                self._look_at_round()
        finally:
            self._stop_round()
            boxes.close()

    def _look_at_round(self) -> None:
        """Show what came of a round that is over, or that it is not."""
        if self._round is None:
            return
        finished = self._round.finished()
        if finished is not None:
            self._round = None
            self._take(finished)
        elif self._round.seconds > NOTICED and not self._said_busy:
            self._said_busy = True
            self._screen.busy()

    def _stop_round(self) -> None:
        if self._round is not None:
            self._round.give_up()
            self._round = None

    def _take(self, finished: Finished) -> None:
        """Remember what came of a round, choose the exercise to look at, and show it."""
        note = self._remember(finished)
        changed = [answer for answer in finished.answers if self._is_new(answer)]
        # One that nobody wrote on has another result when what stands above it does not fail any more.
        written = [answer for answer in changed if self._is_rewritten(answer)] or changed
        self._last, self._on_hints = finished, False
        wanted = [answer for answer in written if not answer.is_right] or written
        if wanted and all(answer.exercise.id != self._focus for answer in wanted):
            self._focus = wanted[0].exercise.id
        self._screen.round(finished, self._focused(finished), changed)
        if note:
            self._screen.line(note)

    def _is_new(self, answer: Answer) -> bool:
        """Whether an answer, or what it is worth, is another one than in the round before."""
        before, status = self._before(answer), answer.judged.row.status
        if before is None:
            return status != "right"
        return self._is_rewritten(answer) or before.judged.row.status != status

    def _is_rewritten(self, answer: Answer) -> bool:
        """Whether the text of an answer is another one than in the round before."""
        before = self._before(answer)
        return before is None or before.source != answer.source

    def _before(self, answer: Answer) -> Answer | None:
        """The answer to the same question in the round before."""
        if self._last is None:
            return None
        return next(old for old in self._last.answers if old.exercise.id == answer.exercise.id)

    def _focused(self, finished: Finished) -> Answer:
        return next(answer for answer in finished.answers if answer.exercise.id == self._focus)

    def _remember(self, finished: Finished) -> str:
        """Note points and versions. Returns a sentence when that did not work, which never stops anything."""
        try:
            for answer in finished.answers:
                is_new = self._versions.of(answer.exercise.id).take(answer.source, answer.points)
                record = progress.load(answer.exercise.id)
                written = answer.judged.row.status != "unanswered"
                if written and (is_new or answer.points > record.points):
                    record.checks += is_new
                    record.points = max(record.points, answer.points)
                    progress.save(answer.exercise.id, record)
            self._versions.save()
        except progress.NotSaved as error:
            return f"Your progress is not saved: {error}."
        return ""

    def _turn_key(self, key: str) -> bool:
        """Do what a key asks for. Returns whether to go on."""
        if key == "q":
            return False
        if not key or self._last is None:
            return True
        focus = self._focused(self._last)
        on_hints, self._on_hints = self._on_hints, key == "h"
        if key == "h":
            # The first press shows those that are open, another one opens the next.
            is_closed = progress.load(self._focus).hints == 0
            card = hints_of(focus.exercise, int(on_hints or is_closed), "h")
            self._screen.page(card_lines(card, self._screen.width), self._last)
        elif key == "n":
            self._next(self._last)
        elif key == "l":
            self._screen.page(exercise_list(self._last.answers, self._focus), self._last)
        elif key == "d":
            against, lines = self._versions.of(self._focus).difference()
            title = f"{self._focus} · {focus.exercise.title}"
            self._screen.page(difference(title, against, lines), self._last)
        else:
            self._screen.round(self._last, focus, ())
        return True

    def _next(self, last: Finished) -> None:
        """Go to the next exercise that is not solved, and to the next one when all are."""
        here = next(n for n, answer in enumerate(last.answers) if answer.exercise.id == self._focus)
        others = [*last.answers[here + 1 :], *last.answers[:here]]
        open_ones = [answer for answer in others if not answer.is_right]
        if others:
            self._focus = (open_ones or others)[0].exercise.id
        self._screen.round(last, self._focused(last), ())

    def _show_text(self, text: str) -> None:
        if self._screen.is_page:
            self._screen.page([Text(text, style="yellow")], self._last)
        else:
            self._screen.line(text)
