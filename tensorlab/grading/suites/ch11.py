"""Chapter 11, *Saved tensors and lifetimes*: the questions about versions, aliases and what is let go.

Those about whole steps of a training are in `ch11_steps`. Every question is a small program.
"""

from __future__ import annotations

from random import Random

from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch11_right, ch11_wrong_detach, ch11_wrong_release, ch11_wrong_writes
from tensorlab.grading.suites.ch11_steps import ACCUMULATE, CHECKPOINT, TOTAL_LOSS
from tensorlab.grading.suites.draw import lines


def _programs(*texts: str) -> tuple[Case, ...]:
    return tuple(Case((lines(text),)) for text in texts)


def _made(source: Random, text: str, **names: object) -> Case:
    """A program with some sizes and numbers drawn."""
    n, k = source.randint(3, 7), source.randint(2, 9)
    return Case((lines(text.format(n=n, k=k, i=source.randrange(n - 2), **names)),))


WRITTEN_SINCE = Exercise(
    id="11.written_since",
    title="Who was written since?",
    stars=2,
    signature="written_since(tensors)",
    task="Note how often each tensor was written, and return a function without arguments that lists those "
    "written since: pairs of a position and a number of writes.",
    part="tensorlab.autograd.saved_tensors:written_since",
    programs=True,
    topics=(
        Topic(
            "a write through the tensor itself",
            2,
            "The count when the function is made and the count when it is asked differ by the writes "
            "between.",
            _programs(
                """
                x = tl.zeros(3)
                written = written_since([x])
                written()
                """,
                """
                x = tl.zeros(3)
                written = written_since([x])
                x.add_(1)
                written()
                """,
                """
                x, y = tl.zeros(3), tl.zeros(3)
                written = written_since([x, y])
                y[0] = 7
                written()
                """,
                """
                x, y, z = tl.zeros(3), tl.zeros(2), tl.zeros(1)
                written = written_since([x, y, z])
                z.fill_(2)
                x.add_(1)
                written()
                """,
            ),
            lambda source: _made(
                source,
                """
                x, y = tl.zeros({n}), tl.ones({k})
                written = written_since([y, x])
                x[{i}] = {k}
                written()
                """,
            ),
        ),
        Topic(
            "several writes",
            1,
            "Each write counts, and asking changes nothing.",
            _programs(
                """
                x = tl.zeros(3)
                written = written_since([x])
                x.add_(1)
                x.mul_(2)
                written()
                """,
                """
                x = tl.zeros(3)
                written = written_since([x])
                x.add_(1)
                first = written()
                x.add_(1)
                first, written(), written()
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.zeros({n})
                written = written_since([x])
                for _ in range({k}):
                    x.add_(1)
                written()
                """,
            ),
        ),
        Topic(
            "writes before the noting",
            1,
            "A count that is not 0 is no news. Only what comes after the noting counts.",
            _programs(
                """
                x = tl.zeros(3)
                x.add_(1)
                written = written_since([x])
                written()
                """,
                """
                x = tl.zeros(3)
                x.add_(1)
                written = written_since([x])
                x.add_(1)
                written()
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.zeros({n})
                for _ in range({k}):
                    x.add_(1)
                written = written_since([x])
                x[{i}] = 0
                written()
                """,
            ),
        ),
        Topic(
            "a write through another tensor",
            3,
            "The storage counts, not the tensor. A view, and what the view was taken of, see one count.",
            _programs(
                """
                x = tl.zeros(4)
                written = written_since([x])
                x[1:].add_(1)
                written()
                """,
                """
                x = tl.zeros(4)
                view = x[2:]
                written = written_since([view])
                x.add_(1)
                written()
                """,
                """
                x = tl.zeros(4)
                written = written_since([x[:2], x[2:]])
                x[3] = 1
                written()
                """,
                """
                x = tl.zeros(4)
                written = written_since([x])
                x.detach().add_(1)
                written()
                """,
                """
                x = tl.zeros(2, 2)
                written = written_since([x, x.clone(), x.t()])
                x.view(4)[0] = 1
                written()
                """,
                """
                x = tl.zeros(4)
                other = x.clone()
                written = written_since([x])
                other.add_(1)
                written()
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.zeros({n})
                written = written_since([x[{i}:], tl.zeros({k}), x])
                x[:1].add_({k})
                written()
                """,
            ),
        ),
        Topic(
            "a write that changes no number",
            1,
            "A count does not look at the numbers, and so it needs no copy of them.",
            _programs(
                """
                x = tl.zeros(3)
                written = written_since([x])
                x.zero_()
                written()
                """,
                """
                x = tl.zeros(3)
                written = written_since([x])
                x.add_(1)
                x.sub_(1)
                written()
                """,
                """
                x = tl.zeros(1000)
                with tl.autograd.profile() as memory:
                    written = written_since([x])
                x.zero_()
                written(), memory.live
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.ones({n})
                with tl.autograd.profile() as memory:
                    written = written_since([x])
                x.fill_(1)
                written(), memory.live
                """,
            ),
        ),
    ),
    wrong=ch11_wrong_writes.solutions.wrong_of("11.written_since"),
    right=ch11_right.solutions.right_of("11.written_since"),
)


DETACH = Exercise(
    id="11.detach",
    title="The same cells without a history",
    stars=2,
    signature="detach(input)",
    task="Return another tensor with the same layout over the same storage, which requires no gradient.",
    part="tensorlab.ops.aliases:detach",
    programs=True,
    topics=(
        Topic(
            "the same numbers in the same cells",
            2,
            "Nothing is copied: a write through one tensor is seen through the other. The answer is an "
            "object of its own.",
            _programs(
                """
                x = tl.tensor([1.0, 2.0])
                d = detach(x)
                d.tolist(), d is x
                """,
                """
                x = tl.tensor([1.0, 2.0])
                d = detach(x)
                d[0] = 9
                x.tolist(), d.tolist()
                """,
                """
                x = tl.arange(4)
                with tl.autograd.profile() as memory:
                    d = detach(x)
                d.dtype, memory.peak
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.arange({n})
                d = detach(x)
                d[{i}] = {k}
                x[{i} + 1] = -{k}
                x.tolist(), d.tolist(), d is x
                """,
            ),
        ),
        Topic(
            "no gradient",
            2,
            "For the operations that use it, a detached tensor is a constant.",
            _programs(
                """
                x = tl.ones(2, requires_grad=True)
                d = detach(x)
                d.requires_grad, d.grad_fn, x.requires_grad
                """,
                """
                x = tl.ones(2, requires_grad=True)
                u = x * 3
                d = detach(u)
                d.requires_grad, d.is_leaf, u.requires_grad, u.is_leaf
                """,
                """
                x = tl.tensor([1.0, 2.0], requires_grad=True)
                u = x * 3
                (detach(u) * x).sum().backward()
                x.grad.tolist()
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.arange({n}.0).requires_grad_()
                u = x * {k}
                (detach(u) * x + u).sum().backward()
                x.grad.tolist()
                """,
            ),
        ),
        Topic(
            "any layout",
            1,
            "Shape, strides and offset are those of the input.",
            _programs(
                """
                x = tl.arange(6).view(2, 3).t()
                d = detach(x)
                d.tolist(), d.stride(), d.storage_offset()
                """,
                """
                x = tl.arange(6)[2:]
                d = detach(x)
                d.tolist(), d.stride(), d.storage_offset()
                """,
                """
                x = tl.arange(3).expand(2, 3)
                d = detach(x)
                d.tolist(), d.stride(), d.storage_offset()
                """,
                """
                x = tl.tensor(5.0)
                d = detach(x)
                d.tolist(), d.stride(), tuple(d.shape)
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.arange({n} * {k}).view({n}, {k}).t()[1:, {i}:]
                d = detach(x)
                d.tolist(), d.stride(), d.storage_offset()
                """,
            ),
        ),
        Topic(
            "a gradient of its own",
            1,
            "What is done to the new object, such as requires_grad_(), does not reach the old one.",
            _programs(
                """
                x = tl.ones(2, requires_grad=True)
                d = detach(x * 2)
                d.requires_grad_()
                (d * d).sum().backward()
                d.grad.tolist(), x.grad
                """,
                """
                x = tl.ones(2)
                d = detach(x)
                d.requires_grad_()
                d.is_leaf, x.requires_grad
                """,
            ),
            lambda source: _made(
                source,
                """
                x = tl.ones({n}, requires_grad=True)
                d = detach(x * {k}).requires_grad_()
                (d * {k}).sum().backward()
                d.grad.tolist(), x.grad
                """,
            ),
        ),
        Topic(
            "writes are counted",
            2,
            "Both tensors see one count. If the backward pass needs what was overwritten, it says so.",
            (
                *_programs(
                    """
                x = tl.ones(2)
                d = detach(x)
                d.add_(1)
                x._version, d._version
                """,
                    """
                x = tl.ones(2)
                x.add_(1)
                detach(x)._version
                """,
                ),
                Case(
                    (
                        lines(
                            """
                            x = tl.ones(2, requires_grad=True)
                            y = x.exp()
                            detach(y).zero_()
                            y.sum().backward()
                            x.grad.tolist()
                            """
                        ),
                    ),
                    ("modified by an inplace operation",),
                ),
            ),
            lambda source: _made(
                source,
                """
                x = tl.ones({n})
                for _ in range({k}):
                    x.add_(1)
                d = detach(x)
                d[{i}] = 0
                x._version, d._version
                """,
            ),
        ),
        Topic(
            "the graph can go",
            1,
            "The new tensor keeps the cells alive and nothing else.",
            _programs(
                """
                import weakref

                x = tl.ones(2, requires_grad=True)
                y = x.exp()
                node = weakref.ref(y.grad_fn)
                d = detach(y)
                del y
                node() is None
                """,
                """
                x = tl.ones(1000, requires_grad=True)
                with tl.autograd.profile() as memory:
                    y = x.exp()
                    d = detach((y * y).sum())
                    del y
                memory.live <= 8
                """,
            ),
            lambda source: _made(
                source,
                """
                import weakref

                x = tl.ones({n}, requires_grad=True)
                y = x.exp() * {k}
                node = weakref.ref(y.grad_fn)
                d = detach(y)
                del y
                node() is None
                """,
            ),
        ),
    ),
    wrong=ch11_wrong_detach.solutions.wrong_of("11.detach"),
    right=ch11_right.solutions.right_of("11.detach"),
)


#: What most programs about `release` begin with: a node by hand, and whether its first value is alive.
_NODE = """
import weakref
from types import SimpleNamespace

x = tl.ones({n}) * {k}
alive = weakref.ref(x)
node = SimpleNamespace(kept=({kept}), versions=({versions}))
del x
release(node)
{shown}
"""


def _node(kept: str, versions: str, shown: str = "node.kept, alive() is None") -> str:
    return _NODE.format(n="{n}", k="{k}", kept=kept, versions=versions, shown=shown)


def _released(*asked: tuple[str, str]) -> tuple[Case, ...]:
    return _programs(*[_node(*pair).format(n=2, k=1) for pair in asked])


RELEASE = Exercise(
    id="11.release",
    title="Let go",
    stars=2,
    signature="release(node)",
    task="Let go of what a node kept for the backward pass if there is a tensor among it. Return nothing.",
    part="tensorlab.autograd.saved_tensors:release",
    programs=True,
    topics=(
        Topic(
            "one tensor",
            2,
            "node.kept becomes None. Nothing else may hold the tensor, or its memory stays.",
            _programs(
                _node("x,", "0,").format(n=2, k=1),
                """
                x = tl.ones(2, requires_grad=True)
                y = x.exp()
                release(y.grad_fn)
                y.grad_fn.kept, y.tolist() == x.exp().tolist()
                """,
            ),
            lambda source: _made(source, _node("x,", "0,")),
        ),
        Topic(
            "no tensor",
            2,
            "A node that keeps no tensor holds no memory worth freeing, and can run again: it stays as it "
            "is.",
            _released((" ", " "), ("2.5,", "None,"), ("(1, 2), None, 3", "None, None, None"))
            + _programs(
                """
                x = tl.ones(2, requires_grad=True)
                node = (x + 1).grad_fn
                release(node)
                node(tl.ones(2))[0].tolist()
                """,
            ),
            lambda source: _made(source, _node("{k}, ({n}, {k})", "None, None")),
        ),
        Topic(
            "a tensor among other values",
            2,
            "One tensor is enough, wherever it stands. Then all that is kept goes.",
            _released(
                ("x, 2.5", "0, None"),
                ("2.5, x", "None, 0"),
                ("x, x.t()", "0, 0"),
                ("(1, 2), x, None", "None, 0, None"),
                ("x, 1, x[:1]", "3, None, 3"),
            ),
            lambda source: _made(
                source,
                _node(
                    *source.choice(
                        [("{k}, x", "None, 0"), ("x, {k}", "0, None"), ("x, {k}, x", "0, None, 0")]
                    )
                ),
            ),
        ),
        Topic(
            "once more",
            1,
            "A node may be told twice. The versions stay.",
            _programs(
                (_node("x,", "4,", "release(node)\nnode.kept, node.versions")).format(n=2, k=1),
                (_node("1,", "None,", "release(node)\nnode.kept, node.versions")).format(n=2, k=1),
            ),
            lambda source: _made(
                source,
                _node("x, {k}", "{k}, None", "release(node)\nnode.kept, node.versions, alive() is None"),
            ),
        ),
        Topic(
            "a second backward pass",
            2,
            "Where a tensor was let go, the next pass must notice. Nobody's numbers change: other tensors "
            "look at the same cells.",
            (
                Case(
                    (
                        lines(
                            """
                            x = tl.ones(2, requires_grad=True)
                            node = (x * x).grad_fn
                            release(node)
                            node(tl.ones(2))[0].tolist()
                            """
                        ),
                    ),
                    ("a second time",),
                ),
                *_programs(
                    """
                    x = tl.ones(2, requires_grad=True)
                    w = tl.tensor([3.0, 5.0])
                    y = x * w
                    release(y.grad_fn)
                    x.tolist(), w.tolist()
                    """
                ),
            ),
            lambda source: _made(
                source,
                """
                x = tl.ones({n}, requires_grad=True)
                w = tl.arange({n}.0) + {k}
                y = x * w
                release(y.grad_fn)
                x.tolist(), w.tolist(), y.grad_fn.kept
                """,
            ),
        ),
    ),
    wrong=ch11_wrong_release.solutions.wrong_of("11.release"),
    right=ch11_right.solutions.right_of("11.release"),
)

EXERCISES = (WRITTEN_SINCE, DETACH, RELEASE, CHECKPOINT, ACCUMULATE, TOTAL_LOSS)
