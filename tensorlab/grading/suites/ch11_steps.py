"""Chapter 11, steps of a training: the questions about checkpoints, small batches and sums of losses."""

from __future__ import annotations

from random import Random

from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import (
    ch11_right,
    ch11_wrong_accumulate,
    ch11_wrong_checkpoint,
    ch11_wrong_losses,
)
from tensorlab.grading.suites.draw import lines


def _programs(*texts: str) -> tuple[Case, ...]:
    return tuple(Case((lines(text),)) for text in texts)


#: Three steps that keep three tensors, and what counts how often they are computed.
_STEPS = """
calls = []


def steps(x):
    calls.append(1)
    return (x * 2).sin().exp().square()


"""


def _counted(text: str) -> str:
    return _STEPS + lines(text)


CHECKPOINT = Exercise(
    id="11.checkpoint",
    title="Compute it again",
    stars=4,
    signature="checkpoint(function, *args)",
    task="Return function(*args), with the same gradients, and keep none of the tensors that its "
    "operations keep: the backward pass runs the function once more.",
    part="tensorlab.utils.checkpoint:checkpoint",
    programs=True,
    topics=(
        Topic(
            "the same value, the same gradients",
            2,
            "A checkpoint changes what is kept, and no number.",
            _programs(
                """
                x = tl.tensor([1.0, 2.0], requires_grad=True)
                y = checkpoint(lambda x: x * x, x)
                y.sum().backward()
                y.tolist(), x.grad.tolist()
                """,
                """
                x = tl.tensor([1.0, 2.0], requires_grad=True)
                w = tl.tensor([3.0, 5.0], requires_grad=True)
                y = checkpoint(lambda x, w: x * w, x, w)
                y.sum().backward()
                y.tolist(), x.grad.tolist(), w.grad.tolist()
                """,
                """
                x = tl.tensor([1.0, 2.0], requires_grad=True)
                w = tl.tensor([3.0, 5.0], requires_grad=True)
                y = checkpoint(lambda x: x * w * w, x)
                (y * y).sum().backward()
                x.grad.tolist(), w.grad.tolist()
                """,
                """
                x = tl.tensor([1.0, 2.0, 4.0], requires_grad=True)
                y = checkpoint(lambda x, n, k: x[:n] * x[:n] * k, x, 2, 3)
                y.sum().backward()
                y.tolist(), x.grad.tolist()
                """,
            ),
            lambda source: _drawn(
                source,
                """
                x = tl.arange({n}.0).requires_grad_()
                w = (tl.arange({n}.0) + {k}).requires_grad_()
                y = checkpoint(lambda x, w: x * w * x, x, w)
                (y * {k}).sum().backward()
                y.tolist(), x.grad.tolist(), w.grad.tolist()
                """,
            ),
        ),
        Topic(
            "nothing is kept",
            3,
            "Until the backward pass only the result and the arguments are alive, and the function runs once "
            "then: one run gives all that is needed.",
            _programs(
                _counted(
                    """
                    x = tl.ones(5, requires_grad=True)
                    with tl.autograd.profile() as memory:
                        y = checkpoint(steps, x)
                    sum(moment.change for moment in memory.timeline if abs(moment.change) == 20), len(calls)
                    """
                ),
                _counted(
                    """
                    x = tl.ones(5, requires_grad=True)
                    checkpoint(steps, x).sum().backward()
                    len(calls)
                    """
                ),
                _counted(
                    """
                    x = tl.ones(5, requires_grad=True)
                    y = checkpoint(lambda x: checkpoint(steps, x), x)
                    z = checkpoint(steps, x)
                    (y + z).sum().backward()
                    g, x.grad = x.grad, None
                    (2 * steps(x)).sum().backward()
                    tl.allclose(g, x.grad)
                    """
                ),
            ),
            lambda source: _drawn(
                source,
                """
                calls = []


                def steps(x):
                    calls.append(1)
                    for _ in range({k}):
                        x = x.sin()
                    return x


                x = tl.ones(10 + {n}, requires_grad=True)
                with tl.autograd.profile() as memory:
                    y = checkpoint(steps, x)
                alive = sum(moment.change for moment in memory.timeline if abs(moment.change) == x.nbytes)
                before = len(calls)
                y.sum().backward()
                alive // x.nbytes, before, len(calls)
                """,
            ),
        ),
        Topic(
            "an input without gradient",
            2,
            "What the function uses beside its arguments, such as weights, may need a gradient when no "
            "argument does.",
            _programs(
                """
                x = tl.tensor([1.0, 2.0])
                w = tl.tensor([3.0, 5.0], requires_grad=True)
                y = checkpoint(lambda x: (x * w).exp().log(), x)
                y.requires_grad
                """,
                """
                x = tl.tensor([1.0, 2.0])
                w = tl.tensor([3.0, 5.0], requires_grad=True)
                y = checkpoint(lambda x: x * w * w, x)
                y.sum().backward()
                w.grad.tolist(), x.grad
                """,
                """
                w = tl.tensor([3.0, 5.0], requires_grad=True)
                places = tl.tensor([1, 1, 0])
                y = checkpoint(lambda places: w[places] * w[places], places)
                y.sum().backward()
                w.grad.tolist()
                """,
            ),
            lambda source: _drawn(
                source,
                """
                x = tl.arange({n}.0)
                w = (tl.arange({n}.0) + {k}).requires_grad_()
                checkpoint(lambda x: x * w * w, x).sum().backward()
                w.grad.tolist()
                """,
            ),
        ),
        Topic(
            "the same random numbers",
            3,
            "The second run draws what the first one drew. After it the stream goes on as if there had "
            "been no second run.",
            _programs(
                """
                x = tl.ones(9, requires_grad=True)
                y = checkpoint(lambda x: x * tl.rand(9) * x, x)
                y.sum().backward()
                tl.allclose(x.grad, 2 * y)
                """,
                """
                tl.manual_seed(8)
                x = tl.ones(9, requires_grad=True)
                y = checkpoint(lambda x: x * tl.rand(9) * x, x)
                y.sum().backward()
                drawn = tl.rand(1).item()
                tl.manual_seed(8)
                drawn == tl.rand(10)[9].item()
                """,
                """
                tl.manual_seed(8)
                x = tl.ones(3, requires_grad=True)
                y = checkpoint(lambda x: x * tl.rand(3), x)
                tl.manual_seed(8)
                tl.equal(y, tl.rand(3))
                """,
                """
                x = tl.ones(9, requires_grad=True)
                y = checkpoint(lambda x: x * tl.rand(9) * x, x)
                z = checkpoint(lambda x: x * tl.rand(9) * x, x)
                tl.rand(7)
                (y + z).sum().backward()
                tl.allclose(x.grad, 2 * (y + z))
                """,
            ),
            lambda source: _drawn(
                source,
                """
                tl.manual_seed({k})
                x = tl.ones({n}, requires_grad=True)
                y = checkpoint(lambda x: x * tl.rand({n}) * x, x)
                between = tl.rand({k})
                y.sum().backward()
                after = tl.rand(1).item()
                tl.manual_seed({k})
                whole = tl.rand({n}), tl.rand({k}), tl.rand(1).item()
                tl.allclose(x.grad, 2 * y), tl.equal(between, whole[1]), after == whole[2]
                """,
            ),
        ),
        Topic(
            "an input with a history",
            1,
            "The second run belongs to the checkpoint alone: the history of an argument is walked once.",
            _programs(
                """
                x = tl.tensor([1.0, 2.0], requires_grad=True)
                h = x * x
                y = checkpoint(lambda h: h * h, h)
                y.sum().backward()
                x.grad.tolist()
                """,
                """
                x = tl.tensor([1.0, 2.0], requires_grad=True)
                h = x * x
                for _ in range(2):
                    h = checkpoint(lambda h: h * h, h)
                h.sum().backward()
                x.grad.tolist()
                """,
            ),
            lambda source: _drawn(
                source,
                """
                x = (tl.arange({n}.0) / 4).requires_grad_()
                h = x * x + {k}
                (checkpoint(lambda h: h * h, h) + h).sum().backward()
                x.grad.tolist()
                """,
            ),
        ),
        Topic(
            "no gradient is wanted",
            1,
            "Without a graph there is nothing to keep and no second run.",
            _programs(
                _counted(
                    """
                    with tl.no_grad():
                        y = checkpoint(steps, tl.ones(2, requires_grad=True))
                    y.requires_grad, len(calls)
                    """
                ),
            ),
            lambda source: _drawn(
                source,
                """
                with tl.no_grad():
                    y = checkpoint(lambda x: x * {k}, tl.ones({n}, requires_grad=True))
                y.tolist(), y.requires_grad
                """,
            ),
        ),
    ),
    wrong=ch11_wrong_checkpoint.solutions.wrong_of("11.checkpoint"),
    right=ch11_right.solutions.right_of("11.checkpoint"),
)


def _drawn(source: Random, text: str) -> Case:
    n, k = source.randint(2, 6), source.randint(2, 9)
    return Case((lines(text.format(n=n, k=k)),), rounding=1e-5)


#: What every program about small batches begins with. Its numbers are exact in binary.
_LOSS = """
w = tl.tensor([1.0, 2.0], requires_grad=True)


def loss(x, y):
    return ((x * w).sum(1) - y).square().mean()


def rows(first, count):
    x = tl.arange(first, first + 2.0 * count).view(count, 2)
    return x, x[:, 0] - 3


"""


def _losses(*texts: str) -> tuple[Case, ...]:
    return tuple(Case((_LOSS + lines(text),), rounding=1e-5) for text in texts)


def _some_batches(source: Random, tail: str) -> Case:
    counts = [source.randint(1, 5) for _ in range(source.randint(2, 4))]
    counts.append(counts[0] + source.randint(1, 3))
    batches = ", ".join(f"rows({source.randint(0, 4)}, {count})" for count in counts)
    return Case((f"{_LOSS}batches = [{batches}]\n{lines(tail)}",), rounding=1e-5)


ACCUMULATE = Exercise(
    id="11.accumulate",
    title="A large batch in pieces",
    stars=3,
    signature="accumulate(loss, batches)",
    task="Add to the leaves the gradients of the mean loss over all rows of all batches, with one graph "
    "alive at a time. Return that mean as a float.",
    part="tensorlab.utils.accumulation:accumulate",
    programs=True,
    topics=(
        Topic(
            "one batch, and batches of one size",
            2,
            "Each batch counts by its share of the rows. Gradients are added to what is in grad.",
            _losses(
                """
                mean = accumulate(loss, [rows(0, 2)])
                mean, w.grad.tolist()
                """,
                """
                mean = accumulate(loss, [rows(0, 2), rows(1, 2)])
                mean, w.grad.tolist()
                """,
                """
                mean = accumulate(loss, [rows(0, 1), rows(3, 1), rows(2, 1), rows(7, 1)])
                mean, w.grad.tolist()
                """,
            ),
            lambda source: _one_size(source),
        ),
        Topic(
            "batches of different sizes",
            3,
            "The last batch of an epoch is often small. The mean of the means would count its rows for "
            "more than the others.",
            _losses(
                """
                mean = accumulate(loss, [rows(0, 3), rows(6, 1)])
                mean, w.grad.tolist()
                """,
                """
                mean = accumulate(loss, [rows(0, 1), rows(2, 3)])
                mean, w.grad.tolist()
                """,
                """
                mean = accumulate(loss, [rows(0, 4), rows(1, 2), rows(5, 1)])
                large = tuple(map(tl.cat, zip(rows(0, 4), rows(1, 2), rows(5, 1))))
                pieces, w.grad = w.grad, None
                loss(*large).backward()
                mean, tl.allclose(pieces, w.grad), abs(mean - loss(*large).item()) < 1e-3
                """,
            ),
            lambda source: _some_batches(source, "accumulate(loss, batches), w.grad.tolist()"),
        ),
        Topic(
            "gradients that were there before",
            1,
            "The gradients are added. Whoever wants to begin with zeros does so before the call.",
            _losses(
                """
                w.grad = tl.tensor([100.0, 200.0])
                accumulate(loss, [rows(0, 3), rows(6, 1)])
                w.grad.tolist()
                """,
                """
                accumulate(loss, [rows(0, 3), rows(6, 1)])
                accumulate(loss, [rows(0, 3), rows(6, 1)])
                w.grad.tolist()
                """,
            ),
            lambda source: _some_batches(
                source, "w.grad = tl.tensor([8.0, 16.0])\naccumulate(loss, batches)\nw.grad.tolist()"
            ),
        ),
        Topic(
            "one graph at a time",
            2,
            "Each backward pass frees its graph before the next loss is computed. That is what the pieces "
            "are for.",
            _programs(
                """
                w = tl.ones(5, requires_grad=True)
                batches = [(tl.ones(k, 5),) for k in (3, 4, 4, 4, 4, 4, 4, 4, 2)]
                with tl.autograd.profile() as memory:
                    accumulate(lambda x: (x * w).exp().mean(), batches)
                memory.peak < 400
                """,
                """
                w = tl.ones(5, requires_grad=True)
                batches = [(tl.ones(k, 5),) for k in (3, 4, 4, 2)]
                with tl.autograd.profile() as memory:
                    mean = accumulate(lambda x: (x * w).exp().mean(), batches)
                    w.grad = None
                memory.live, type(mean).__name__
                """,
            ),
            lambda source: Case(
                (
                    lines(
                        f"""
                        import weakref

                        w = tl.ones(3, requires_grad=True)
                        nodes, alive = [], []


                        def loss(x):
                            alive.append(sum(bool(node() and node().kept) for node in nodes))
                            y = (x * w).exp()
                            nodes.append(weakref.ref(y.grad_fn))
                            return y.mean()


                        accumulate(loss, [(tl.ones(k, 3),) for k in range(1, {source.randint(4, 9)})])
                        max(alive)
                        """
                    ),
                )
            ),
        ),
        Topic(
            "batches without rows",
            1,
            "A batch without rows has no mean, and adds nothing. With no row at all there is no answer.",
            (
                *_losses(
                    """
                    mean = accumulate(loss, [rows(0, 2), rows(0, 0), rows(4, 1)])
                    mean, w.grad.tolist()
                    """
                ),
                Case((_LOSS + "accumulate(loss, [])",), ("row",)),
                Case((_LOSS + "accumulate(loss, [rows(0, 0)])",), ("row",)),
            ),
            lambda source: _some_batches(source, "accumulate(loss, [rows(0, 0), *batches]), w.grad.tolist()"),
        ),
    ),
    wrong=ch11_wrong_accumulate.solutions.wrong_of("11.accumulate"),
    right=ch11_right.solutions.right_of("11.accumulate"),
)


def _one_size(source: Random) -> Case:
    count = source.randint(1, 4)
    batches = ", ".join(f"rows({source.randint(0, 6)}, {count})" for _ in range(source.randint(2, 5)))
    return Case((f"{_LOSS}mean = accumulate(loss, [{batches}])\nmean, w.grad.tolist()",), rounding=1e-5)


#: A stream of losses that notes how many graphs of earlier ones are alive when it makes the next.
_STREAM = """
import weakref

w = tl.ones(3, requires_grad=True)
nodes, alive = [], []


def losses(numbers):
    for number in numbers:
        alive.append(sum(node() is not None for node in nodes))
        loss = (w * number).exp().log().mean()
        nodes.append(weakref.ref(loss.grad_fn))
        yield loss
        del loss


"""


def _streams(*texts: str) -> tuple[Case, ...]:
    return tuple(Case((_STREAM + lines(text),), rounding=1e-5) for text in texts)


def _stream(source: Random, tail: str) -> Case:
    numbers = [source.randint(1, 8) / 4 for _ in range(source.randint(4, 9))]
    return Case((f"{_STREAM}numbers = {numbers}\n{lines(tail)}",), rounding=1e-5)


TOTAL_LOSS = Exercise(
    id="11.total_loss",
    title="Find the leak",
    stars=2,
    signature="total_loss(losses)",
    task="Return the sum of losses that come one by one, as a float, with at most one of their graphs alive.",
    part="tensorlab.utils.accumulation:total_loss",
    programs=True,
    topics=(
        Topic(
            "the sum",
            2,
            "It is one number, a float of Python.",
            _programs(
                "total_loss([tl.tensor(2.5)])",
                "total_loss([tl.tensor(1.5), tl.tensor(2.25), tl.tensor(-4.0)])",
                "total_loss([tl.tensor(1.5), tl.tensor(3.0)] * 4)",
                """
                w = tl.ones(2, requires_grad=True)
                total_loss([(w * k).sum() for k in (1, 2, 4)])
                """,
            ),
            lambda source: Case(
                (
                    f"total_loss([tl.tensor(n / 4) for n in "
                    f"{[source.randint(-9, 99) for _ in range(source.randint(3, 8))]}])",
                )
            ),
        ),
        Topic(
            "losses that come one by one",
            1,
            "They may come from a generator, which can be walked once and has no length.",
            _programs(
                "total_loss(tl.tensor(k / 2) for k in range(1, 2))",
                "total_loss(tl.tensor(k / 2) for k in range(5))",
            ),
            lambda source: Case((f"total_loss(tl.tensor(k / 4) for k in range({source.randint(3, 30)}))",)),
        ),
        Topic(
            "one graph at a time",
            3,
            "A tensor holds its graph, and a graph what it saved. A sum that is a tensor holds the graphs "
            "of all that were added.",
            _streams(
                "total_loss(losses([1, 2])), max(1, min(max(alive), 3))",
                "total_loss(losses([1, 2, 0.5, 1])), max(1, min(max(alive), 3))",
                "total_loss(losses([1] * 20)), max(1, min(max(alive), 3)), len(alive)",
            ),
            lambda source: _stream(source, "total_loss(losses(numbers)), max(1, min(max(alive), 3))"),
        ),
        Topic(
            "nothing is left behind",
            1,
            "After the call nothing is alive that the call has made, and no gradient was computed.",
            _streams(
                """
                with tl.autograd.profile() as memory:
                    total = total_loss(losses([1, 2, 0.5]))
                memory.live, w.grad, sum(node() is not None for node in nodes)
                """,
            ),
            lambda source: _stream(
                source,
                """
                with tl.autograd.profile() as memory:
                    total = total_loss(losses(numbers))
                memory.live, w.grad, sum(node() is not None for node in nodes)
                """,
            ),
        ),
        Topic(
            "the losses stay what they are",
            1,
            "Whoever made a loss may still run backward from it.",
            _programs(
                """
                w = tl.ones(2, requires_grad=True)
                loss = (w * w).sum()
                total_loss([loss])
                loss.backward()
                w.grad.tolist(), loss.item()
                """,
                """
                w = tl.ones(2, requires_grad=True)
                first, second = (w * 2).sum(), (w * w).sum()
                total_loss([first, second])
                (first + second).backward()
                w.grad.tolist(), first.item(), second.item()
                """,
            ),
            lambda source: Case(
                (
                    lines(
                        f"""
                        w = tl.ones({source.randint(2, 5)}, requires_grad=True)
                        first, second = (w * {source.randint(2, 9)}).sum(), (w * w).sum()
                        total_loss([first, second])
                        (first + second).backward()
                        w.grad.tolist(), first.item(), second.item()
                        """
                    ),
                )
            ),
        ),
    ),
    wrong=ch11_wrong_losses.solutions.wrong_of("11.total_loss"),
    right=ch11_right.solutions.right_of("11.total_loss"),
)
