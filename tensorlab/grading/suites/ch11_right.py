"""Chapter 11: right solutions that go other ways than the library."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined, func-returns-value"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions
from tensorlab.tensor import make_tensor

solutions = Solutions()


@solutions.right("11.written_since", idea="The counts as a list, compared place by place.")
def compares_the_counts(tensors):
    before = [x._version for x in tensors]

    def written():
        found = []
        for place in range(len(tensors)):
            writes = tensors[place]._version - before[place]
            if writes > 0:
                found.append((place, writes))
        return found

    return written


@solutions.right(
    "11.written_since", idea="With the storages themselves, each beside its place and its count."
)
def looks_at_the_storages(tensors):
    noted = [(place, x, x._version) for place, x in enumerate(tensors)]
    return lambda: [(place, x._version - count) for place, x, count in noted if x._version != count]


@solutions.right("11.written_since", idea="As an object that can be called.")
def makes_an_object(tensors):
    class Written:
        def __init__(self):
            self.counts = {place: x._version for place, x in enumerate(tensors)}

        def __call__(self):
            new = {place: tensors[place]._version - count for place, count in self.counts.items()}
            return [(place, writes) for place, writes in new.items() if writes]

    return Written()


@solutions.right("11.detach", idea="A new tensor over the storage, with the layout of the old one.")
def makes_one_over_the_storage(input):
    return make_tensor(
        input.untyped_storage(), input.dtype, input.shape, input.stride(), input.storage_offset()
    )


@solutions.right(
    "11.detach",
    idea="Any tensor over the storage first, and the layout as a view of that.",
    same={
        "as_strided() looks at the storage alone, whatever the first tensor shows of it.": (
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 0) -> "
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([1]), (1,), 0)",
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 0) -> "
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([-1]), (1,), 0)",
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 0) -> "
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (2,), 0)",
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 0) -> "
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (0,), 0)",
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 0) -> "
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 1)",
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 0) -> "
            "line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), -1)",
        )
    },
)
def lays_a_view_over_it(input):
    line = make_tensor(input.untyped_storage(), input.dtype, tl.Size([0]), (1,), 0)
    return line.as_strided(input.shape, input.stride(), input.storage_offset())


@solutions.right("11.release", idea="Ask each value whether it is a tensor.")
def asks_for_tensors(node):
    for value in node.kept or ():
        if isinstance(value, tl.Tensor):
            node.kept = None
            return


@solutions.right("11.release", idea="Only a tensor has a version.")
def asks_for_versions(node):
    if any(version is not None for version in node.versions):
        node.kept = None


@solutions.right(
    "11.checkpoint",
    idea="Hooks that keep a number in place of each tensor, and compute all of them again for the first.",
    same={
        "A list of one element has it at 0 and at -1.": (
            "count[0] += 1 -> count[-1] += 1",
            "return count[0] -> return count[-1]",
        ),
        "Nobody runs backward through the second graph, so its arguments need not be cut off.": (
            "cut = [x.detach().requires_grad_(x.requires_grad) if isinstance(x, tl.Tensor) else x for x "
            "in args] -> cut = [x.detach().requires_grad_(x.requires_grad) if False else x for x in args]",
        ),
    },
)
def keeps_numbers(function, *args):
    state, again, count = tl.get_rng_state(), {}, [0]

    def pack(tensor):
        count[0] += 1
        return count[0]

    def pack_again(tensor):
        again[len(again) + 1] = tensor.detach()
        return tensor

    def unpack(number):
        if not again:
            now = tl.get_rng_state()
            tl.set_rng_state(state)
            cut = [
                x.detach().requires_grad_(x.requires_grad) if isinstance(x, tl.Tensor) else x for x in args
            ]
            hooks = tl.autograd.graph.saved_tensors_hooks(pack_again, lambda tensor: tensor)
            with tl.enable_grad(), hooks:
                function(*cut)
            tl.set_rng_state(now)
        return again[number]

    with tl.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args)


@solutions.right(
    "11.checkpoint",
    idea="A function with a backward of its own, and one more input that requires a gradient.",
    same={
        "Nobody reads the numbers of that input.": (
            "return Again.apply(tl.empty(0, requires_grad=True), *args) -> "
            "return Again.apply(tl.empty(1, requires_grad=True), *args)",
        )
    },
)
def brings_an_input_of_its_own(function, *args):
    state = tl.get_rng_state()

    class Again(tl.autograd.Function):
        @staticmethod
        def forward(ctx, own, *args):
            return function(*args)

        @staticmethod
        def backward(ctx, gradient):
            now = tl.get_rng_state()
            tl.set_rng_state(state)
            cut = [
                x.detach().requires_grad_(x.requires_grad) if isinstance(x, tl.Tensor) else x for x in args
            ]
            with tl.enable_grad():
                function(*cut).backward(gradient)
            tl.set_rng_state(now)
            return None, *[x.grad if isinstance(x, tl.Tensor) else None for x in cut]

    return Again.apply(tl.empty(0, requires_grad=True), *args)


#: Why the last tensor of a batch may be asked for its rows as well as the first.
ROWS = "All tensors of a batch have the same number of rows."


@solutions.right(
    "11.accumulate",
    idea="Weight each mean with its share of the rows, then go back.",
    same={
        ROWS: (
            "counts = [len(batch[0]) for batch in batches] -> counts = [len(batch[-1]) for batch in batches]",
        )
    },
)
def weights_the_means(loss, batches):
    counts = [len(batch[0]) for batch in batches]
    if sum(counts) == 0:
        raise ValueError("there are no rows")
    mean = 0.0
    for batch, count in zip(batches, counts, strict=True):
        if count > 0:
            part = loss(*batch) * count / sum(counts)
            part.backward()
            mean += part.item()
            del part
    return mean


@solutions.right(
    "11.accumulate",
    idea="Hand the share to backward as the gradient.",
    same={
        ROWS: (
            "rows = len(batch[0]) -> rows = len(batch[-1])",
            "whole = sum((len(batch[0]) for batch in batches)) -> "
            "whole = sum((len(batch[-1]) for batch in batches))",
        )
    },
)
def hands_the_share_to_backward(loss, batches):
    whole = sum(len(batch[0]) for batch in batches)
    if not whole:
        raise ValueError("there are no rows")
    total = 0.0
    for batch in batches:
        rows = len(batch[0])
        if rows:
            value = loss(*batch)
            value.backward(tl.tensor(rows / whole))
            total += rows * value.item()
    return total / whole


@solutions.right("11.total_loss", idea="A number of Python from each loss, in one line.")
def adds_numbers(losses):
    return sum(loss.item() for loss in losses)


@solutions.right("11.total_loss", idea="A tensor that is cut off at every step.")
def adds_detached_tensors(losses):
    total = tl.tensor(0.0)
    for loss in losses:
        total += loss.detach()
    return total.item()


@solutions.right("11.total_loss", idea="A sum that is not recorded.")
def adds_without_recording(losses):
    total = tl.zeros(())
    for loss in losses:
        with tl.no_grad():
            total += loss
    return float(total)
