"""Chapter 6, pairs: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def refuse(one, other):
    raise ValueError(f"shapes {tuple(one.shape)} and {tuple(other.shape)} differ")


def same_shapes(one, other):
    if one.shape != other.shape:
        refuse(one, other)


@solutions.wrong(
    "06.squared_error",
    belief="If the shapes did not fit, the subtraction would raise an error.",
    lesson="(4, 1) and (4,) do fit: they broadcast to a table of 16 differences. The subtraction can't know "
    "that you meant 4.",
)
def trusts_the_subtraction(prediction, target):
    return ((prediction - target) ** 2).mean()


@solutions.wrong(
    "06.squared_error",
    belief="As many predictions as targets: then they belong together.",
    lesson="(4, 1) and (4,) hold the same number of elements, and still make 16 pairs. Compare the shapes.",
)
def compares_the_counts(prediction, target):
    if prediction.numel() != target.numel():
        refuse(prediction, target)
    return ((prediction - target) ** 2).mean()


@solutions.wrong(
    "06.squared_error",
    belief="Two tensors with as many dimensions are not broadcast.",
    lesson="(1, 4) and (4, 1) have two each and broadcast to (4, 4). Compare the sizes, not only "
    "their number.",
)
def compares_the_dimensions(prediction, target):
    if prediction.dim() != target.dim():
        refuse(prediction, target)
    try:
        return ((prediction - target) ** 2).mean()
    except RuntimeError:
        refuse(prediction, target)


@solutions.wrong(
    "06.squared_error",
    belief="It is enough that there is a target for each row.",
    lesson="(4, 1) and (4,) have four rows each, and (2, 4) and (2, 1) two. All sizes have to agree.",
)
def compares_the_rows(prediction, target):
    if prediction.shape[:1] != target.shape[:1]:
        refuse(prediction, target)
    try:
        return ((prediction - target) ** 2).mean()
    except RuntimeError:
        refuse(prediction, target)


@solutions.wrong(
    "06.squared_error",
    belief="All is well as long as the difference has the shape of the predictions.",
    lesson="Then one target may serve a whole row of predictions: (2, 4) and (4,) pass. An error that means "
    "it says so in its shapes.",
)
def allows_a_smaller_target(prediction, target):
    try:
        difference = prediction - target
    except RuntimeError:
        refuse(prediction, target)
    if difference.shape != prediction.shape:
        refuse(prediction, target)
    return (difference**2).mean()


@solutions.wrong(
    "06.squared_error",
    belief="A function should repair what it can: give the target the shape of the prediction.",
    lesson="(1, 4) and (4, 1) hold as many numbers, and nobody knows whether their order is the same. "
    "Refuse, and let the caller decide.",
)
def reshapes_the_target(prediction, target):
    if prediction.numel() != target.numel():
        refuse(prediction, target)
    return ((prediction - target.reshape(prediction.shape)) ** 2).mean()


@solutions.wrong(
    "06.squared_error",
    belief="The squared error is the sum of the squares.",
    lesson="The mean is asked for. With the sum, more data would look like a larger error.",
)
def adds_up(prediction, target):
    same_shapes(prediction, target)
    return ((prediction - target) ** 2).sum()


@solutions.wrong(
    "06.squared_error",
    belief="An error is the distance from the target, so the sign is dropped.",
    lesson="That is the mean of the absolute differences. Here they are squared, so that large ones count "
    "more.",
)
def drops_the_sign(prediction, target):
    same_shapes(prediction, target)
    return (prediction - target).abs().mean()


@solutions.wrong(
    "06.squared_error",
    belief="An error is one number, so a Python float comes back.",
    lesson="It stays a tensor, of shape (). Only a tensor can be differentiated later.",
)
def returns_a_float(prediction, target):
    same_shapes(prediction, target)
    return ((prediction - target) ** 2).mean().item()


@solutions.wrong(
    "06.squared_error",
    belief="Shapes that do not fit raise RuntimeError, as everywhere.",
    lesson="They may even fit. Raise an error all the same: the task says ValueError.",
)
def raises_a_runtime_error(prediction, target):
    if prediction.shape != target.shape:
        raise RuntimeError(f"shapes {tuple(prediction.shape)} and {tuple(target.shape)} differ")
    return ((prediction - target) ** 2).mean()


@solutions.wrong(
    "06.squared_error",
    belief="The error says that the shapes differ. That is enough.",
    lesson="Otherwise the reader has to print both shapes first. Put them into the text.",
)
def names_no_shapes(prediction, target):
    if prediction.shape != target.shape:
        raise ValueError("prediction and target have different shapes")
    return ((prediction - target) ** 2).mean()


@solutions.wrong(
    "06.squared_error",
    belief="The predictions are not needed afterwards, so the difference may go there.",
    lesson="The caller's tensor would hold differences after the call. What is given is read, and not "
    "written.",
)
def writes_into_the_predictions(prediction, target):
    same_shapes(prediction, target)
    prediction -= target
    return (prediction**2).mean()


def same_coordinates(x, y):
    if x.shape[1] != y.shape[1]:
        raise ValueError("the points have different numbers of coordinates")


@solutions.wrong(
    "06.squared_distances",
    belief="Broadcasting costs no memory, so all differences can be taken at once.",
    lesson="The operands cost none. The differences are a new tensor with one table for each coordinate, "
    "and their squares are another.",
)
def all_at_once(x, y):
    same_coordinates(x, y)
    return ((x[:, None] - y) ** 2).sum(2)


@solutions.wrong(
    "06.squared_distances",
    belief="A list of tables can wait until they are added.",
    lesson="Every table in the list lives until then. Add each to the total as soon as it is there.",
)
def keeps_all_tables(x, y):
    same_coordinates(x, y)
    squares = [(x[:, k, None] - y[:, k]) ** 2 for k in range(x.shape[1])]
    return sum(squares, tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype))


@solutions.wrong(
    "06.squared_distances",
    belief="(a - b)² is a² - 2ab + b², so the squares can be taken once for each point.",
    lesson="A float32 counts to 16,777,216. Larger squares are rounded, and when they are subtracted the "
    "error stays. Subtract while the numbers are exact, then square.",
)
def squares_first(x, y):
    same_coordinates(x, y)
    total = tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        total += (x[:, k] ** 2)[:, None]
        total += y[:, k] ** 2
        total -= 2 * x[:, k, None] * y[:, k]
    return total


@solutions.wrong(
    "06.squared_distances",
    belief="The points of y are the rows of the table.",
    lesson="The element [i, j] belongs to point i of x and point j of y: x gives the rows.",
)
def turns_the_table(x, y):
    same_coordinates(x, y)
    total = tl.zeros(y.shape[0], x.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        difference = x[:, k] - y[:, k, None]
        total += difference * difference
    return total


@solutions.wrong(
    "06.squared_distances",
    belief="The distance is the sum of the differences.",
    lesson="Without their signs, that is another distance. Here each difference is squared before it is "
    "added.",
)
def adds_differences(x, y):
    same_coordinates(x, y)
    total = tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        total += (x[:, k, None] - y[:, k]).abs()
    return total


@solutions.wrong(
    "06.squared_distances",
    belief="A distance has a square root.",
    lesson="The squared distance is asked for. To find the nearest point, no root is needed.",
)
def takes_the_root(x, y):
    same_coordinates(x, y)
    total = tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        difference = x[:, k, None] - y[:, k]
        total += difference * difference
    return total**0.5


@solutions.wrong(
    "06.squared_distances",
    belief="tl.zeros makes what is needed.",
    lesson="It makes float32. Adding float64 into float32 loses half of the digits, and no message says so.",
)
def always_float32(x, y):
    same_coordinates(x, y)
    total = tl.zeros(x.shape[0], y.shape[0])
    for k in range(x.shape[1]):
        difference = x[:, k, None] - y[:, k]
        total += difference * difference
    return total


@solutions.wrong(
    "06.squared_distances",
    belief="Broadcasting looks after the sizes.",
    lesson="It makes them fit: a point with one coordinate is stretched to three. Compare the numbers of "
    "coordinates yourself.",
)
def trusts_broadcasting(x, y):
    if x.shape[1] != y.shape[1] and 1 not in (x.shape[1], y.shape[1]):
        raise ValueError("the points have different numbers of coordinates")
    total = tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(max(x.shape[1], y.shape[1])):
        difference = x[:, k % x.shape[1], None] - y[:, k % y.shape[1]]
        total += difference * difference
    return total


@solutions.wrong(
    "06.squared_distances",
    belief="The coordinates of x say how many there are.",
    lesson="y may have more, which would be ignored, or fewer, which ends in an IndexError. Compare first.",
)
def asks_only_x(x, y):
    total = tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        difference = x[:, k, None] - y[:, k]
        total += difference * difference
    return total


@solutions.wrong(
    "06.squared_distances",
    belief="Point i of x is compared with point i of y.",
    lesson="Every point of x is compared with every point of y. A column against a row makes the table.",
)
def pairs_them_up(x, y):
    same_coordinates(x, y)
    return ((x - y) ** 2).sum(1)


@solutions.wrong(
    "06.squared_distances",
    belief="There is at least one coordinate to begin with.",
    lesson="Points without coordinates are an edge case, but x[:, 0] fails there. Begin with a table of "
    "zeros.",
)
def begins_with_the_first(x, y):
    same_coordinates(x, y)
    total = (x[:, 0, None] - y[:, 0]) ** 2
    for k in range(1, x.shape[1]):
        total += (x[:, k, None] - y[:, k]) ** 2
    return total


@solutions.wrong(
    "06.squared_distances",
    belief="The points may be used as scratch paper.",
    lesson="They belong to the caller, and other tensors may look into the same cells. Write only into what "
    "you made.",
)
def writes_into_y(x, y):
    same_coordinates(x, y)
    total = tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        for i in range(x.shape[0]):
            y[:, k] -= x[i, k].item()
            total[i] += y[:, k] * y[:, k]
            y[:, k] += x[i, k].item()
        y[:, k] = 0
    return total
