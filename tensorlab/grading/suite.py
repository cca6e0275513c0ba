"""What an exercise is: a library function to write, cases in topics, points, and known solutions.

The graded cases and the self-checks are the same questions. Public cases are fixed and shown to the student;
hidden ones are drawn fresh for each student and question from a secret, so no file needs hiding.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tensorlab.core.dtypes import dtype

#: Draws for one hidden case until it is a new one. A topic about two dtypes may have no more than a few.
MOST_DRAWS = 50


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes:
        args: plain values, dtypes, and tensors told by `inside.strided.strided`, which the call gets as real
            tensors. Of a tensor that comes back the layout and the storage count, and a call that was given
            tensors is also judged by what it has done to them.
        says: what the text of the exception must contain, when the right answer is an exception.
        denies: what that text must not contain, because it is not so here. A text that lists all that could
            be wrong says nothing.
        same: whether an answer is as good as the library's, where more than one is right.
        rounding: by how much floats may differ from the library's, in the answer and in what the call has
            written, relative to the larger of 1 and the number.
        room: the most bytes of new storages that may live at one moment; None where they do not count.
        any_bytes: whether the bytes that are allocated in all do not count here, although they count in the
            exercise (`Exercise.lean`).
    """

    args: tuple[Any, ...]
    says: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()
    same: Callable[[Any, Any], bool] | None = None
    rounding: float = 0.0
    room: int | None = None
    any_bytes: bool = False


@dataclass(frozen=True)
class Large:
    """A call in which what a topic forbids takes more memory than the process has (`grading.room`).

    Attributes:
        program: makes the arguments, and calls the answer under its name (see `inside.programs`).
        dtype, shape: of the right answer.
        element: what the right answer holds at an index.
    """

    program: str
    dtype: dtype
    shape: tuple[int, ...]
    element: Callable[..., float]


@dataclass(frozen=True)
class Topic:
    """One thing that an answer can get right or wrong, and the points for it.

    Attributes:
        title: a few words, such as "an offset that is not 0".
        points: given when every case passes, public and hidden.
        rule: the sentence that explains what goes wrong here, shown when no known belief explains it.
        public: fixed cases, the smallest first.
        draw: makes one hidden case.
        large: makes the call that proves how much memory an answer takes, where that is what the topic is
            about.
    """

    title: str
    points: int
    rule: str
    public: tuple[Case, ...]
    draw: Callable[[random.Random], Case]
    large: Callable[[random.Random], Large] | None = None

    def hidden(self, source: random.Random, count: int) -> list[Case]:
        """`count` fresh cases: no public one, and none twice, where the topic has so many."""
        met = {repr(case.args) for case in self.public}
        fresh = []
        for _ in range(count):
            drawn = (self.draw(source) for _ in range(MOST_DRAWS))
            case = next((case for case in drawn if repr(case.args) not in met), None) or self.draw(source)
            met.add(repr(case.args))
            fresh.append(case)
        return fresh


@dataclass(frozen=True)
class WrongSolution:
    """A solution that somebody would hand in, and the belief behind it.

    Attributes:
        belief: what its author holds to be true, in the author's words.
        lesson: one or two sentences that break the belief.
    """

    function: Callable[..., Any]
    belief: str
    lesson: str

    @property
    def name(self) -> str:
        """The function's name, which is unique within an exercise."""
        return self.function.__name__


@dataclass(frozen=True)
class RightSolution:
    """A correct solution that goes another way than the library, and what that way is.

    Attributes:
        same: changes of one thing that leave it right, such as ``"x > 0 -> x >= 0"``, each under the reason
            why. A machine that changes solutions (`grading.mutants`) cannot know that; a reason is a proof.
    """

    function: Callable[..., Any]
    idea: str
    same: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The function's name, which is unique within an exercise."""
        return self.function.__name__


@dataclass(frozen=True)
class Exercise:
    """One exercise: write the library function or class `part`.

    The first topic is the foundation: it holds the ordinary cases, and without it no other topic gives
    points. Otherwise ``return 0`` would earn whatever 0 answers.

    Attributes:
        id: chapter and name, ``"01.numel"``.
        stars: 1 (a minute) to 4 (half an hour).
        signature: as it stands in the notebook; of a class, the call that makes an object of it.
        task: one sentence that says what the function returns.
        part: ``"module:name"`` of the library's function or class, which is the reference.
        lean: whether an answer may allocate no more bytes than the library does.
        bits: how many bits the ints of a call have, where it is bits that they stand for; 0 elsewhere.
        as_the_part_takes: the arguments of a case as the library's function takes them, where that one
            refuses the form in which the exercise asks; None where it takes them as they are.
        programs: whether each case is a small program, its only argument, that uses the answer under its
            name: how a class is asked, an engine, or a function of functions (see `inside.programs`).
    """

    id: str
    title: str
    stars: int
    signature: str
    task: str
    part: str
    topics: tuple[Topic, ...]
    wrong: Sequence[WrongSolution] = field(repr=False)
    right: Sequence[RightSolution] = field(repr=False)
    lean: bool = False
    bits: int = 0
    programs: bool = False
    as_the_part_takes: Callable[..., tuple[Any, ...]] | None = None

    @property
    def chapter(self) -> str:
        """``"01"``."""
        return self.id.partition(".")[0]

    @property
    def name(self) -> str:
        """The function's name."""
        return self.part.partition(":")[2]

    @property
    def named(self) -> str:
        """The name under which programs use the answer; empty where it is called with arguments."""
        return self.name if self.programs else ""

    @property
    def opening(self) -> str:
        """The line that an answer begins with: ``"def numel(shape):"``; of a class, ``"class Linear"``."""
        return f"class {self.name}" if self.is_class else f"def {self.signature}:"

    @property
    def is_class(self) -> bool:
        """Whether the answer is a class."""
        return isinstance(self.reference, type)

    @property
    def answer_cell(self) -> str:
        """The id of the released cell that holds the answer: ``"01-numel-answer"``."""
        return f"{self.id.replace('.', '-')}-answer"

    @property
    def points(self) -> int:
        """The most that it gives."""
        return sum(topic.points for topic in self.topics)

    @cached_property
    def reference(self) -> Callable[..., Any]:
        """The library's own function."""
        module, _, name = self.part.partition(":")
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        form = self.as_the_part_takes
        return (lambda *args: function(*form(*args))) if form else function


class Solutions:
    """Collects known solutions of one chapter where they are written, as decorators.

    Example:
        >>> solutions = Solutions()
        >>> @solutions.wrong("01.numel", belief="Sizes add up.", lesson="Each row has all the columns.")
        ... def adds_the_sizes(shape):
        ...     return sum(shape)
        >>> [solution.name for solution in solutions.wrong_of("01.numel")]
        ['adds_the_sizes']
    """

    def __init__(self) -> None:
        self._wrong: dict[str, list[WrongSolution]] = {}
        self._right: dict[str, list[RightSolution]] = {}

    def wrong(self, exercise_id: str, *, belief: str, lesson: str) -> Callable[[Callable], Callable]:
        """Register the decorated function as a wrong solution."""

        def register(function: Callable) -> Callable:
            solution = WrongSolution(function, belief, lesson)
            self._wrong.setdefault(exercise_id, []).append(solution)
            return function

        return register

    def right(
        self, exercise_id: str, *, idea: str, same: Mapping[str, Sequence[str]] | None = None
    ) -> Callable[[Callable], Callable]:
        """Register the decorated function as a right solution; `RightSolution` tells of `same`."""

        def register(function: Callable) -> Callable:
            solution = RightSolution(function, idea, same or {})
            self._right.setdefault(exercise_id, []).append(solution)
            return function

        return register

    def wrong_of(self, exercise_id: str) -> Sequence[WrongSolution]:
        """The wrong solutions of one exercise, in the order in which they were written."""
        return tuple(self._wrong.get(exercise_id, ()))

    def right_of(self, exercise_id: str) -> Sequence[RightSolution]:
        """The right solutions of one exercise, in the order in which they were written."""
        return tuple(self._right.get(exercise_id, ()))


@dataclass(frozen=True)
class Secret:
    """The key from which hidden cases are drawn: the same key, student and question give the same cases."""

    key: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """Names the key in results without giving it away."""
        return hashlib.sha256(b"tensorlab secret id\0" + self.key).hexdigest()[:12]

    def source(self, student: str, exercise_id: str) -> random.Random:
        """The random numbers of one student and question."""
        digest = hmac.new(self.key, f"{student}|{exercise_id}".encode(), hashlib.sha256).digest()
        return random.Random(int.from_bytes(digest, "big"))
