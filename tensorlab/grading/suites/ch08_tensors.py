"""Chapter 8, *Matmul in all ranks*: the questions about products of tensors, where bytes count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Large, Topic
from tensorlab.grading.suites import ch08_draw, ch08_right, ch08_wrong_products, ch08_wrong_scores, draw
from tensorlab.grading.suites.ch08_draw import Pair, Shape
from tensorlab.grading.suites.draw import Counted

INT, WIDE = dtypes.int64, dtypes.float64


def _cases(*calls: tuple[Any, ...], any_bytes: bool = True) -> tuple[Case, ...]:
    return tuple(Case(call, any_bytes=any_bytes) for call in calls)


def _pair(a: Strided, b: Strided) -> tuple[Strided, Strided]:
    """Two arguments, each with a storage of its own. No two cells at one place hold the same number."""
    return _with_storage(a, 1), _with_storage(b, 2)


def _with_storage(x: Strided, number: int) -> Strided:
    cells = [cell + number for cell in x.cells]
    return strided(x.shape, x.strides, x.offset, cells=cells, dtype=x.dtype, storage=number)


def _dense(pair: Pair, dtype: dtypes.dtype = dtypes.float32) -> tuple[Strided, Strided]:
    return _pair(strided(pair[0], dtype=dtype), strided(pair[1], dtype=dtype))


def _random(source: Random, shape: Shape, dtype: dtypes.dtype) -> Strided:
    """A tensor of small whole numbers. Its matrices have any layout, and their batch is one run."""
    batch, matrix = shape[:-2], shape[-2:]
    inner = draw.loose(source, matrix, zeros=False)
    block = 1 + sum((size - 1) * stride for size, stride in zip(matrix, inner, strict=True))
    outer = [stride * block for stride in layout.default_strides(batch)]
    made = strided(shape, (*outer, *inner), source.randint(0, 2), dtype=dtype)
    numbers = [source.randint(-4, 4) for _ in made.cells]
    return strided(shape, made.strides, made.offset, cells=numbers, dtype=dtype)


def _drawn(source: Random, pair: Pair, any_bytes: bool = True) -> Case:
    kind = source.choice((dtypes.float32, dtypes.float32, INT))
    return Case(_pair(*(_random(source, shape, kind) for shape in pair)), any_bytes=any_bytes)


def _twice_stretched(source: Random) -> Case:
    """Batches of which each stretches where the other does not, or an operand that comes expanded."""
    m, k, n = ch08_draw.sizes(source)
    one, other = source.randint(2, 3), source.randint(2, 3)
    if source.random() < 0.5:
        return _drawn(source, ((one, 1, m, k), (other, k, n)), any_bytes=False)
    expanded = strided((one, m, k), (0, k, 1))
    return Case(_pair(expanded, strided((one, k, n))))


def _stretched(source: Random) -> Case:
    if source.random() < 0.5:
        return _twice_stretched(source)
    return _drawn(source, ch08_draw.stretched(source), any_bytes=False)


def _unfit(source: Random) -> Case:
    if source.random() < 0.5:
        return Case(_dense(ch08_draw.inner_sizes_differ(source)), ("must equal",))
    a, b = ch08_draw.matrices(source)
    kinds = source.sample((dtypes.float32, WIDE, INT), 2)
    return Case(_pair(strided(a, dtype=kinds[0]), strided(b, dtype=kinds[1])), ("dtype",))


def _large_batches(source: Random) -> Large:
    """Two batches of which each stretches: with the matrices written out, 768 MiB."""
    one, other, k = 48, 2, 1024
    x, y = Counted(source), Counted(source)
    rows, matrices = x.line((one, 1, 1, k), dtypes.float64), y.line((other, k, k), dtypes.float64)

    def product(b: int, c: int, _: int, j: int) -> float:
        return sum(x[b * k + i] * y[(c * k + i) * k + j] for i in range(k))

    return Large(f"matmul({rows}, {matrices})", dtypes.float64, (one, other, 1, k), product)


MATMUL = Exercise(
    id="08.matmul",
    title="One function for all ranks",
    stars=3,
    signature="matmul(input, other)",
    task="Return input @ other for tensors of any number of dimensions, built on products of two matrices.",
    part="tensorlab.ops.matmul:matmul",
    topics=(
        Topic(
            "two matrices",
            2,
            "Each element is a sum of k products: a row of the first with a column of the second. The answer "
            "is a new tensor, row after row.",
            _cases(
                _dense(((1, 1), (1, 1))),
                _dense(((1, 2), (2, 1))),
                _dense(((2, 2), (2, 2))),
                _dense(((2, 3), (3, 4))),
                _pair(strided((2, 3)), strided((3, 2), (1, 3))),
                _pair(strided((3, 2), (1, 3), 2), strided((2, 2), (4, 2), 1)),
                _dense(((2, 3), (3, 2)), INT),
            ),
            lambda source: _drawn(source, ch08_draw.matrices(source)),
        ),
        Topic(
            "vectors",
            2,
            "A vector on the left takes part as one row, a vector on the right as one column. The result "
            "does not have that dimension.",
            _cases(
                _dense(((2,), (2,))),
                _dense(((3,), (3, 2))),
                _dense(((2, 3), (3,))),
                _pair(strided((3,), (2,), 1), strided((3, 2), (1, 3))),
                _dense(((3,), (2, 3, 4))),
                _dense(((2, 2, 3), (3,))),
                _dense(((2,), (2,)), INT),
            ),
            lambda source: _drawn(source, ch08_draw.with_vector(source)),
        ),
        Topic(
            "batches of one shape",
            1,
            "One product for each index of the batch.",
            _cases(
                _dense(((2, 1, 2), (2, 2, 1))),
                _dense(((2, 2, 2), (2, 2, 2))),
                _dense(((3, 2, 3), (3, 3, 1))),
                _dense(((2, 3, 2, 1), (2, 3, 1, 2))),
                _pair(strided((2, 2, 3), (3, 6, 1)), strided((2, 3, 2), (1, 2, 6))),
            ),
            lambda source: _drawn(source, ch08_draw.same_batch(source)),
        ),
        Topic(
            "batches that are stretched",
            3,
            "A batch is stretched by a stride of 0. Nothing is copied for it, not even where both operands "
            "stretch and no single batch dimension could hold the two. Only the result takes memory.",
            _cases(
                _dense(((2, 2, 3), (3, 2))),
                _dense(((2, 3), (2, 3, 2))),
                _dense(((1, 2, 3), (3, 3, 1))),
                _pair(strided((3, 2, 3), (0, 3, 1)), strided((3, 3, 2))),
                _dense(((2, 1, 2, 3), (3, 3, 2))),
                _dense(((3, 2, 2), (2, 1, 2, 2))),
                _dense(((2, 2, 2, 1), (2, 1, 2))),
                _dense(((0, 2, 3), (0, 3, 4))),
                _dense(((2, 2, 0), (2, 0, 3))),
                any_bytes=False,
            ),
            _stretched,
            _large_batches,
        ),
        Topic(
            "what does not fit",
            1,
            "The inner sizes must equal each other, and so must the dtypes: a product converts nothing.",
            (
                Case(_dense(((2, 3), (2, 3))), ("must equal",)),
                Case(_dense(((3,), (2, 3))), ("must equal",)),
                Case(_dense(((2, 1), (3, 2))), ("must equal",)),
                Case(_pair(strided((2, 2)), strided((2, 2), dtype=WIDE)), ("dtype",)),
                Case(_pair(strided((2, 2), dtype=INT), strided((2, 2))), ("dtype",)),
            ),
            _unfit,
        ),
    ),
    wrong=ch08_wrong_products.solutions.wrong_of("08.matmul"),
    right=ch08_right.solutions.right_of("08.matmul"),
    lean=True,
)


def close(got: Any, want: Any) -> bool:
    """Whether two new tensors are the same up to rounding. In which order they lie in memory is left open.

    Example:
        >>> one, other = (strided((2,), cells=(1.0, x), storage=-1) for x in (3.0, 3.0000001))
        >>> close(one, other), close(one, strided((2,), cells=(1.0, 3.1), storage=-1))
        (True, False)
    """
    return (
        isinstance(got, Strided)
        and (got.dtype, got.shape, got.storage) == (want.dtype, want.shape, want.storage)
        and all(map(_close, got.elements, want.elements))
    )


def _close(got: float, want: float) -> bool:
    return math.isclose(got, want, rel_tol=1e-5, abs_tol=1e-6) or (math.isnan(got) and math.isnan(want))


def _scores(query: Strided, key: Strided, any_bytes: bool = True) -> Case:
    return Case(_pair(query, key), same=close, any_bytes=any_bytes)


def _vectors(source: Random, batch: Pair, counts: Sequence[int], d: int, any_bytes: bool = True) -> Case:
    """As many queries and keys as `counts` says, of d numbers each."""
    shapes = [(*lead, count, d) for lead, count in zip(batch, counts, strict=True)]
    query, key = (_random(source, shape, dtypes.float32) for shape in shapes)
    return _scores(query, key, any_bytes)


def _large_keys(source: Random) -> Large:
    """Sequences that share their keys: with those written out for each, 768 MiB."""
    count, s, d = 96, 1024, 1024
    query, key = Counted(source), Counted(source)
    queries, keys = query.line((count, 1, d), dtypes.float64), key.line((s, d), dtypes.float64)

    def score(b: int, _: int, j: int) -> float:
        return sum(query[b * d + i] * key[j * d + i] for i in range(d)) / math.sqrt(d)

    program = f"attention_scores({queries}, {keys}.expand({count}, {s}, {d}))"
    return Large(program, dtypes.float64, (count, 1, s), score)


ATTENTION_SCORES = Exercise(
    id="08.attention_scores",
    title="Attention scores",
    stars=2,
    signature="attention_scores(query, key)",
    task="Return the dot product of each query with each key, divided by the square root of their length.",
    part="tensorlab.ops.pairs:attention_scores",
    topics=(
        Topic(
            "one sequence",
            2,
            "Queries of shape (t, d) and keys of shape (s, d) give scores of shape (t, s). For that the keys "
            "are turned: a view.",
            (
                _scores(strided((1, 1)), strided((1, 1), cells=(3,))),
                _scores(strided((2, 1)), strided((3, 1))),
                _scores(strided((2, 4)), strided((2, 4))),
                _scores(strided((2, 4)), strided((3, 4))),
                _scores(strided((3, 4), (1, 3)), strided((4, 4), (1, 4), 2)),
                _scores(strided((1, 4), dtype=WIDE), strided((2, 4), dtype=WIDE)),
            ),
            lambda source: _vectors(source, ((), ()), source.sample((2, 3, 5), 2), 4),
        ),
        Topic(
            "the scale",
            2,
            "The length of the vectors decides, d: not how many there are.",
            (
                _scores(strided((2, 2)), strided((3, 2))),
                _scores(strided((4, 2)), strided((4, 2))),
                _scores(strided((2, 9)), strided((4, 9))),
                _scores(strided((1, 16)), strided((1, 16))),
                _scores(strided((3, 3), dtype=WIDE), strided((2, 3), dtype=WIDE)),
            ),
            lambda source: _vectors(source, ((), ()), source.sample((2, 3, 4), 2), source.choice((5, 7, 9))),
        ),
        Topic(
            "a batch",
            2,
            "The leading dimensions are sequences and heads. They stay, and are broadcast.",
            (
                _scores(strided((2, 1, 2)), strided((2, 1, 2))),
                _scores(strided((2, 2, 2)), strided((2, 3, 2))),
                _scores(strided((2, 3, 2, 4)), strided((2, 3, 5, 4))),
                _scores(strided((2, 3, 2, 4)), strided((2, 1, 3, 4))),
                _scores(strided((2, 3, 2), (3, 1, 6)), strided((3, 2))),
            ),
            lambda source: _vectors(
                source, ch08_draw.batches(source), source.sample((2, 3, 4), 2), source.choice((1, 4))
            ),
        ),
        Topic(
            "no copy of the keys",
            1,
            "One query is compared with many keys, so the keys are the large operand. "
            "Transposing them is a view, and so is "
            "stretching them.",
            (
                _scores(strided((1, 16)), strided((5, 16)), any_bytes=False),
                _scores(strided((2, 1, 8)), strided((4, 8)), any_bytes=False),
                _scores(strided((3, 1, 8)), strided((3, 6, 8), (0, 8, 1)), any_bytes=False),
            ),
            lambda source: _vectors(
                source, ((), ()), (1, source.randint(4, 6)), source.choice((9, 16, 25)), any_bytes=False
            ),
            _large_keys,
        ),
        Topic(
            "vectors that do not fit",
            1,
            "Queries and keys have the same length, or there is no dot product.",
            (
                Case(_pair(strided((2, 3)), strided((2, 4)))),
                Case(_pair(strided((3, 2)), strided((2, 3)))),
                Case(_pair(strided((2, 2, 4)), strided((3, 2, 4)))),
            ),
            lambda source: Case(_pair(strided((2, d := source.randint(2, 5))), strided((d, d + 1)))),
        ),
    ),
    wrong=ch08_wrong_scores.solutions.wrong_of("08.attention_scores"),
    right=ch08_right.solutions.right_of("08.attention_scores"),
    lean=True,
)
