"""Chapter 11, small batches: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def with_rows(batches):
    """The batches that have rows, each with its number of them, and how many there are in all."""
    counted = [(batch, len(batch[0])) for batch in batches if len(batch[0])]
    whole = sum(count for _, count in counted)
    if not whole:
        raise ValueError("there are no rows")
    return counted, whole


@solutions.wrong(
    "11.accumulate",
    belief="K batches, so divide each mean by K: that is the large batch.",
    lesson="It is, if all batches have the same size. A last batch of 1 row beside one of 3 would count "
    "as much as the three. Weight each mean with its share of the rows.",
)
def divides_by_the_number_of_batches(loss, batches):
    counted, _ = with_rows(batches)
    mean = 0.0
    for batch, _ in counted:
        part = loss(*batch) / len(counted)
        part.backward()
        mean += part.item()
    return mean


@solutions.wrong(
    "11.accumulate",
    belief="Gradients add up by themselves, so I call backward for each batch.",
    lesson="They add up: K batches give K times the gradient, and the step is K times as long.",
)
def adds_the_means_up(loss, batches):
    counted, whole = with_rows(batches)
    mean = 0.0
    for batch, count in counted:
        value = loss(*batch)
        value.backward()
        mean += value.item() * count / whole
    return mean


@solutions.wrong(
    "11.accumulate",
    belief="Add all losses first, and run backward once: that is simpler and the same.",
    lesson="The numbers are the same. But the sum holds the graphs of all batches, so the memory is that "
    "of the large batch.",
)
def goes_back_once(loss, batches):
    counted, whole = with_rows(batches)
    total = sum(loss(*batch) * (count / whole) for batch, count in counted)
    total.backward()
    return total.item()


@solutions.wrong(
    "11.accumulate",
    belief="A graph should be retained while more is to come.",
    lesson="Each batch has a graph of its own. Retained, its tensors stay alive for as long as its loss "
    "does: with a list of losses that is all of them.",
)
def retains_the_graphs(loss, batches):
    counted, whole = with_rows(batches)
    parts = []
    for batch, count in counted:
        parts.append(loss(*batch) * (count / whole))
        parts[-1].backward(retain_graph=True)
    return sum(part.item() for part in parts)


@solutions.wrong(
    "11.accumulate",
    belief="The sizes of the batches are known by the first one.",
    lesson="The last batch of an epoch is often smaller. Count the rows of each.",
)
def counts_the_first_only(loss, batches):
    counted, _ = with_rows(batches)
    count = counted[0][1]
    mean = 0.0
    for batch, rows in counted:
        part = loss(*batch) * (rows / (count * len(counted)))
        part.backward()
        mean += part.item()
    return mean


@solutions.wrong(
    "11.accumulate",
    belief="A batch counts by its numbers.",
    lesson="The mean is one over rows. Here a row has two numbers in x and one in y, so counting x counts "
    "double.",
)
def counts_numbers(loss, batches):
    counted, whole = with_rows(batches)
    mean = 0.0
    for batch, _ in counted:
        part = loss(*batch) * (batch[0].numel() / whole)
        part.backward()
        mean += part.item()
    return mean


@solutions.wrong(
    "11.accumulate",
    belief="The gradient has the right weights, and the mean of the means is the loss.",
    lesson="The number that is returned has to be weighted in the same way, or the curve shows another "
    "loss than the one that is minimised.",
)
def returns_the_mean_of_the_means(loss, batches):
    counted, whole = with_rows(batches)
    means = []
    for batch, count in counted:
        value = loss(*batch)
        (value * (count / whole)).backward()
        means.append(value.item())
    return sum(means) / len(means)


@solutions.wrong(
    "11.accumulate",
    belief="The sum of the losses is a number.",
    lesson="It is a tensor with a history. Here it is returned, and keeps the nodes of all batches alive.",
)
def returns_a_tensor(loss, batches):
    counted, whole = with_rows(batches)
    total = 0.0
    for batch, count in counted:
        part = loss(*batch) * (count / whole)
        part.backward()
        total = total + part
    return total


@solutions.wrong(
    "11.accumulate",
    belief="Gradients are cleared between two backward passes.",
    lesson="Between two steps. Here the passes belong together: whoever clears in between keeps the last "
    "batch only.",
)
def clears_in_between(loss, batches):
    counted, whole = with_rows(batches)
    mean = 0.0
    for batch, count in counted:
        part = loss(*batch) * (count / whole)
        for leaf in leaves_of(part):
            leaf.grad = None
        part.backward()
        mean += part.item()
    return mean


@solutions.wrong(
    "11.accumulate",
    belief="Begin with clean gradients: clear them once, before the first batch.",
    lesson="What is in grad belongs to the caller, who may have added a penalty there. He clears when he "
    "wants to.",
)
def clears_at_the_start(loss, batches):
    counted, whole = with_rows(batches)
    mean = 0.0
    for place, (batch, count) in enumerate(counted):
        part = loss(*batch) * (count / whole)
        if place == 0:
            for leaf in leaves_of(part):
                leaf.grad = None
        part.backward()
        mean += part.item()
    return mean


def leaves_of(result):
    """The leaves that gradients of a result go to."""
    found, nodes = [], [result.grad_fn]
    for node in nodes:
        if hasattr(node, "variable"):
            found.append(node.variable)
        nodes += [other for other, _ in node.next_functions if other is not None]
    return found


@solutions.wrong(
    "11.accumulate",
    belief="The rows are divided by the number of rows so far.",
    lesson="Then the first batch counts in full, and each later one by another measure. The number of all "
    "rows is needed before the first backward pass.",
)
def divides_by_the_rows_so_far(loss, batches):
    counted, _ = with_rows(batches)
    mean, seen = 0.0, 0
    for batch, count in counted:
        seen += count
        part = loss(*batch) * (count / seen)
        part.backward()
        mean += part.item()
    return mean


@solutions.wrong(
    "11.accumulate",
    belief="A batch without rows is a batch like all others, with the weight 0.",
    lesson="Its mean is 0 / 0, a nan, and nan times 0 is a nan: every gradient is lost. Leave it out.",
)
def weights_an_empty_batch(loss, batches):
    whole = sum(len(batch[0]) for batch in batches)
    if not whole:
        raise ValueError("there are no rows")
    mean = 0.0
    for batch in batches:
        part = loss(*batch) * (len(batch[0]) / whole)
        part.backward()
        mean += part.item()
    return mean
