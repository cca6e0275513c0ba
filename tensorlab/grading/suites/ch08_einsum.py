"""Chapter 8, *Matmul in all ranks*: the question about einsum, where the order of letters counts."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.inside.values import same
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch08_right, ch08_wrong_einsum, draw

INT = dtypes.int64


def shows_the_same(got: Any, want: Any) -> bool:
    """Whether a tensor is a view where a view is wanted, and otherwise a new one with the same elements.

    In which order a new tensor lies in memory is left to the answer.

    Example:
        >>> turned = strided((2, 2), (1, 2), cells=(1, 3, 2, 4), storage=-1)
        >>> shows_the_same(turned, strided((2, 2), cells=(1, 2, 3, 4), storage=-1))
        True
    """
    if not isinstance(got, Strided) or want.storage > 0:
        return same(got, want)
    return (
        (got.dtype, got.shape) == (want.dtype, want.shape)
        and got.storage < 0
        and all(map(same, got.elements, want.elements))
    )


def _case(equation: str, *shapes: Sequence[int]) -> Case:
    operands = (strided(shape, dtype=INT, storage=number) for number, shape in enumerate(shapes, 1))
    return Case((equation, *operands), same=shows_the_same)


def _turned(equation: str, *layouts: tuple[Sequence[int], Sequence[int], int]) -> Case:
    operands = (
        strided(shape, strides, offset, dtype=INT, storage=number)
        for number, (shape, strides, offset) in enumerate(layouts, 1)
    )
    return Case((equation, *operands), same=shows_the_same)


def _quarters(equation: str, *shapes: Sequence[int], dtype: dtypes.dtype) -> Case:
    """A call with floats whose products are no whole numbers."""
    operands = []
    for number, shape in enumerate(shapes, 1):
        cells = [(cell + number) / 4 for cell in range(layout.numel(shape))]
        operands.append(strided(shape, cells=cells, dtype=dtype, storage=number))
    return Case((equation, *operands), same=shows_the_same)


def _drawn(source: Random, equation: str) -> Case:
    """Random numbers in random layouts, for letters of random sizes that are all different."""
    dtype = source.choice((INT, INT, dtypes.float32, dtypes.float64))
    letters = sorted(set(equation) - set(",->"))
    terms = equation.partition("->")[0].split(",")
    largest = 6 if max(map(len, terms)) < 4 else 3
    sizes = dict(zip(letters, source.sample(range(2, largest + 1), len(letters)), strict=True))
    operands = []
    for number, term in enumerate(terms, 1):
        shape = tuple(sizes[letter] for letter in term)
        strides = draw.loose(source, shape, zeros=False)
        made = strided(shape, strides, source.randint(0, 2), dtype=dtype)
        cells = [source.randint(-4, 4) / (1 if dtype is INT else 2) for _ in made.cells]
        operands.append(strided(shape, strides, made.offset, cells=cells, dtype=dtype, storage=number))
    return Case((equation, *operands), same=shows_the_same)


def _renamed(source: Random, equation: str) -> str:
    """The same equation with other letters, in another alphabetical order."""
    letters = sorted(set(equation) - set(",->"))
    names = source.sample("abcdefgpqrstuvwxyz", len(letters))
    return equation.translate(str.maketrans("".join(letters), "".join(names)))


def _any_of(*equations: str) -> Any:
    return lambda source: _drawn(source, _renamed(source, source.choice(equations)))


EINSUM = Exercise(
    id="08.einsum",
    title="A name for every dimension",
    stars=4,
    signature="einsum(equation, *operands)",
    task="Return the sum of products that the equation describes.",
    part="tensorlab.ops.einsum:einsum",
    topics=(
        Topic(
            "two operands",
            2,
            "Dimensions with the same letter run together. The output has its letters in its own order, and "
            "what it lacks is summed over.",
            (
                _case("i,i->", (2,), (2,)),
                _case("i,j->ij", (2,), (3,)),
                _case("ij,j->i", (2, 3), (3,)),
                _case("ij,jk->ik", (2, 2), (2, 2)),
                _case("ij,jk->ik", (2, 3), (3, 4)),
                _case("ij,jk->ki", (2, 3), (3, 4)),
                _case("ij,kj->ik", (2, 3), (4, 3)),
                _case("ba,cb->ca", (3, 2), (4, 3)),
                _case("ij,ij->ij", (2, 3), (2, 3)),
                _quarters("i,i->", (2,), (2,), dtype=dtypes.float32),
                _quarters("ij,jk->ik", (2, 3), (3, 2), dtype=dtypes.float64),
            ),
            _any_of("ij,jk->ik", "ij,jk->ki", "ij,kj->ik", "ji,jk->ik", "ij,j->i", "i,j->ji"),
        ),
        Topic(
            "one operand, nothing summed",
            2,
            "Nothing is computed: the same elements in another order of dimensions, or their diagonal. That "
            "is a view.",
            (
                _case("i->i", (3,)),
                _case("ij->ij", (2, 3)),
                _case("ij->ji", (2, 3)),
                _case("ijk->kij", (2, 3, 4)),
                _case("ijk->jki", (2, 3, 4)),
                _turned("abc->bac", ((2, 3, 2), (1, 4, 2), 3)),
                _case("ii->i", (3, 3)),
                _case("iji->ij", (2, 3, 2)),
                _case("iji->ji", (2, 3, 2)),
            ),
            _any_of("ij->ji", "ijk->kij", "ijk->jki", "ijk->jik"),
        ),
        Topic(
            "letters that the output lacks",
            2,
            "They are summed over, whether one operand has them or several.",
            (
                _case("i->", (3,)),
                _case("ij->", (2, 3)),
                _case("ij->i", (2, 3)),
                _case("ij->j", (2, 3)),
                _case("ijk->ki", (2, 3, 4)),
                _case("ij,k->i", (2, 3), (4,)),
                _case("ij,jk->k", (2, 3), (3, 4)),
                _case("ij,jk->", (2, 3), (3, 4)),
            ),
            _any_of("ij->j", "ijk->ki", "ijk->j", "ij,k->i", "ij,jk->k", "ij,kj->k"),
        ),
        Topic(
            "a letter twice in one operand",
            1,
            "Both dimensions run together, so only the elements with equal indices count: the diagonal. So "
            "do three of them, or two pairs.",
            (
                _case("ii->", (2, 2)),
                _case("ii->", (3, 3)),
                _case("iij->j", (2, 2, 3)),
                _case("iji->j", (2, 3, 2)),
                _case("ii,i->i", (3, 3), (3,)),
                _case("ii,ij->j", (2, 2), (2, 3)),
                _case("jii,i->j", (2, 3, 3), (3,)),
                _case("iii->", (2, 2, 2)),
                _case("iijj->ij", (2, 2, 3, 3)),
            ),
            _any_of("ii->", "iij->j", "iji->j", "ii,ij->j", "jii,i->j", "iji,jk->ik", "iiji->j", "ijij->i"),
        ),
        Topic(
            "letters that both have and the output too",
            1,
            "Such a letter is a batch: it runs together, and nothing is summed over it.",
            (
                _case("bij,bjk->bik", (2, 1, 3), (2, 3, 1)),
                _case("bij,bjk->bik", (2, 2, 3), (2, 3, 4)),
                _case("bi,bi->b", (2, 3), (2, 3)),
                _case("bij,bkj->bik", (2, 2, 3), (2, 4, 3)),
                _case("ibj,bjk->kib", (2, 3, 2), (3, 2, 4)),
                _case("bij,jk->bik", (2, 2, 3), (3, 2)),
            ),
            _any_of("bij,bjk->bik", "bi,bi->b", "ibj,bjk->kib", "bij,bkj->ikb", "bij,jk->bik"),
        ),
        Topic(
            "more operands, and sizes that differ",
            1,
            "As many operands as the equation has. A letter stands for one size.",
            (
                _case("i,i,i->", (2,), (2,), (2,)),
                _case("i,j,k->kji", (2,), (3,), (4,)),
                _case("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
                _case("i,ij,j->", (2,), (2, 3), (3,)),
                Case(("i,i->", strided((2,), dtype=INT), strided((3,), dtype=INT, storage=2))),
                Case(("ij,jk->ik", strided((2, 3), dtype=INT), strided((2, 3), dtype=INT, storage=2))),
                Case(("ii->i", strided((2, 3), dtype=INT))),
            ),
            _any_of("ij,jk,kl->il", "i,ij,j->", "i,j,k->kji"),
        ),
    ),
    wrong=ch08_wrong_einsum.solutions.wrong_of("08.einsum"),
    right=ch08_right.solutions.right_of("08.einsum"),
)
