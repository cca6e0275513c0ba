"""Chapter 3, permute and squeeze: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def _front(order, dims):
    """Dimensions counted from the front: what most of the wrong solutions below get right."""
    for dim in order:
        if not -max(dims, 1) <= dim < max(dims, 1):
            raise IndexError(f"Dimension out of range: {dim}")
    return [dim + dims if dim < 0 else dim for dim in order]


def _whole(order, dims):
    """An order of all dimensions, or an error."""
    wanted = _front(order, dims)
    if sorted(wanted) != list(range(dims)):
        raise RuntimeError(f"dims must name each of the {dims} dimensions once")
    return wanted


@solutions.wrong(
    "03.permuted",
    belief="order says where each dimension goes.",
    lesson="order says where each dimension of the view comes from. For two dimensions that is the same; for "
    "(2, 0, 1) it is the way back.",
)
def goes_the_other_way(shape, strides, order):
    wanted = _whole(order, len(shape))
    back = sorted(range(len(shape)), key=lambda place: wanted[place])
    return tuple(shape[dim] for dim in back), tuple(strides[dim] for dim in back)


@solutions.wrong(
    "03.permuted",
    belief="To permute is to change the shape.",
    lesson="With the old strides the new shape reads other cells, and perhaps cells outside. Each stride "
    "moves with its size.",
)
def moves_sizes_only(shape, strides, order):
    wanted = _whole(order, len(shape))
    return tuple(shape[dim] for dim in wanted), tuple(strides)


@solutions.wrong(
    "03.permuted",
    belief="The strides are what changes; the shape belongs to the data.",
    lesson="The view has the sizes in the new order too: a turned (2, 3) table has shape (3, 2).",
)
def moves_strides_only(shape, strides, order):
    wanted = _whole(order, len(shape))
    return tuple(shape), tuple(strides[dim] for dim in wanted)


@solutions.wrong(
    "03.permuted",
    belief="The strides of the new shape follow from the new shape.",
    lesson="They would for a new tensor, whose numbers are written again. A view finds the numbers where "
    "they are: its strides are the old ones in the new order.",
)
def writes_new_strides(shape, strides, order):
    wanted = _whole(order, len(shape))
    sizes = tuple(shape[dim] for dim in wanted)
    return sizes, tuple(math.prod(sizes[dim + 1 :]) for dim in range(len(sizes)))


@solutions.wrong(
    "03.permuted",
    belief="To permute is to turn the tensor around: last dimension first.",
    lesson="That is one of the orders, the one of .T for tables. Do what order says.",
)
def reverses_always(shape, strides, order):
    _whole(order, len(shape))
    return tuple(shape[::-1]), tuple(strides[::-1])


@solutions.wrong(
    "03.permuted",
    belief="Two dimensions that are exchanged: those of the first place that differs.",
    lesson="transpose exchanges two. permute can move all of them at once.",
)
def exchanges_two(shape, strides, order):
    wanted = _whole(order, len(shape))
    sizes, steps = list(shape), list(strides)
    for place, dim in enumerate(wanted):
        if place != dim:
            sizes[place], sizes[dim] = sizes[dim], sizes[place]
            steps[place], steps[dim] = steps[dim], steps[place]
            break
    return tuple(sizes), tuple(steps)


@solutions.wrong(
    "03.permuted",
    belief="Dimensions are counted from 0, so a negative one is an error.",
    lesson="-1 is the last dimension, as everywhere: add the number of dimensions.",
)
def refuses_negative_dims(shape, strides, order):
    for dim in order:
        if not 0 <= dim < max(len(shape), 1):
            raise IndexError(f"Dimension out of range: {dim}")
    wanted = _whole(order, len(shape))
    return tuple(shape[dim] for dim in wanted), tuple(strides[dim] for dim in wanted)


@solutions.wrong(
    "03.permuted",
    belief="Whoever calls it knows what an order is.",
    lesson="With a dimension missing the view would lose elements, and with one twice it would invent some. "
    "Nobody would hear of it.",
)
def checks_no_order(shape, strides, order):
    wanted = _front(order, len(shape))
    return tuple(shape[dim] for dim in wanted if shape), tuple(strides[dim] for dim in wanted if shape)


@solutions.wrong(
    "03.permuted",
    belief="Dimensions that are not named stay at the end.",
    lesson="movedim works so. permute wants every dimension named once.",
)
def adds_what_is_missing(shape, strides, order):
    wanted = _front(order, len(shape))
    wanted += [dim for dim in range(len(shape)) if dim not in wanted]
    wanted = _whole(wanted, len(shape))
    return tuple(shape[dim] for dim in wanted), tuple(strides[dim] for dim in wanted)


@solutions.wrong(
    "03.permuted",
    belief="A wrong argument is a ValueError.",
    lesson="PyTorch raises RuntimeError where the dimensions do not fit together, and callers catch that.",
)
def raises_value_errors(shape, strides, order):
    wanted = _front(order, len(shape))
    if sorted(wanted) != list(range(len(shape))):
        raise ValueError(f"order must name each of the {len(shape)} dimensions once")
    return tuple(shape[dim] for dim in wanted), tuple(strides[dim] for dim in wanted)


@solutions.wrong(
    "03.permuted",
    belief="The remainder brings every dimension into range.",
    lesson="It turns dimension 3 of three into dimension 0, and a slip becomes another order. Refuse what "
    "does not exist.",
)
def wraps_dims_around(shape, strides, order):
    wanted = [dim % len(shape) if shape else dim for dim in order]
    if sorted(wanted) != list(range(len(shape))):
        raise RuntimeError(f"dims must name each of the {len(shape)} dimensions once")
    return tuple(shape[dim] for dim in wanted), tuple(strides[dim] for dim in wanted)


@solutions.wrong(
    "03.permuted",
    belief="Lists of sizes and strides will do.",
    lesson="x.shape and x.stride() are tuples, which cannot be changed by accident.",
)
def returns_lists_of_both(shape, strides, order):
    wanted = _whole(order, len(shape))
    return [shape[dim] for dim in wanted], [strides[dim] for dim in wanted]


@solutions.wrong(
    "03.permuted",
    belief="The dimensions 0, 1 and 2 add up to 3, so the sum says whether an order names them all.",
    lesson="1 + 1 + 1 is 3 as well. Sort the order, or make a set of it, and compare.",
)
def adds_the_order_up(shape, strides, order):
    order = _front(order, len(shape))
    if len(order) != len(shape) or sum(order) != sum(range(len(shape))):
        raise RuntimeError(f"the order must name each of the {len(shape)} dimensions once")
    return tuple(shape[dim] for dim in order), tuple(strides[dim] for dim in order)


def _named(shape, dims):
    """The dimensions that are named, each once: what most of the wrong solutions below get right."""
    named = list(range(len(shape))) if dims is None else _front(dims, len(shape))
    if len(set(named)) < len(named):
        raise RuntimeError("a dim appears multiple times in the list of dims")
    return named


def _without(shape, strides, gone):
    kept = [dim for dim in range(len(shape)) if dim not in gone]
    return tuple(shape[dim] for dim in kept), tuple(strides[dim] for dim in kept)


@solutions.wrong(
    "03.squeezed",
    belief="Squeezing removes all sizes of 1; dims is a detail.",
    lesson="The detail decides. A batch that happens to hold one image loses its batch dimension, and the "
    "next layer fails.",
)
def removes_every_one(shape, strides, dims):
    _named(shape, dims)
    return _without(shape, strides, [dim for dim, size in enumerate(shape) if size == 1])


@solutions.wrong(
    "03.squeezed",
    belief="A dimension that is named goes.",
    lesson="A dimension of size 3 holds three times as many elements as would be left. Only a size of 1 "
    "can go.",
)
def removes_whatever_is_named(shape, strides, dims):
    named = _named(shape, dims)
    if dims is None:
        named = [dim for dim, size in enumerate(shape) if size == 1]
    return _without(shape, strides, named)


@solutions.wrong(
    "03.squeezed",
    belief="To name a dimension that is not of size 1 is an error.",
    lesson="NumPy says so. PyTorch leaves the dimension where it is, so that code works for a batch of any "
    "size.",
)
def refuses_other_sizes(shape, strides, dims):
    named = _named(shape, dims)
    if dims is not None and any(shape[dim] != 1 for dim in named if shape):
        raise RuntimeError("cannot squeeze a dimension whose size is not 1")
    return _without(shape, strides, [dim for dim in named if shape and shape[dim] == 1])


@solutions.wrong(
    "03.squeezed",
    belief="The strides stay, because no number moves.",
    lesson="No number moves, and a tensor has one stride for each dimension. The stride of a dimension that "
    "goes has to go with it.",
)
def keeps_all_strides(shape, strides, dims):
    gone = [dim for dim in _named(shape, dims) if shape and shape[dim] == 1]
    return _without(shape, strides, gone)[0], tuple(strides)


@solutions.wrong(
    "03.squeezed",
    belief="The new shape says the new strides.",
    lesson="It would in a new tensor. In a view the dimensions that stay keep their strides, whatever they "
    "are.",
)
def computes_strides_anew(shape, strides, dims):
    gone = [dim for dim in _named(shape, dims) if shape and shape[dim] == 1]
    sizes, _ = _without(shape, strides, gone)
    return sizes, tuple(math.prod(max(size, 1) for size in sizes[dim + 1 :]) for dim in range(len(sizes)))


@solutions.wrong(
    "03.squeezed",
    belief="dims can be read as they are written.",
    lesson="dim -1 never equals a dimension counted from the front. Add the number of dimensions first.",
)
def overlooks_negative_dims(shape, strides, dims):
    _named(shape, dims)
    named = range(len(shape)) if dims is None else dims
    return _without(shape, strides, [dim for dim in named if shape and shape[dim] == 1])


@solutions.wrong(
    "03.squeezed",
    belief="No dims named means all of them: not dims.",
    lesson="None means all. An empty tuple names none, so nothing goes; both count as false, and only one of "
    "them is None.",
)
def empty_means_all(shape, strides, dims):
    named = _named(shape, dims or None)
    return _without(shape, strides, [dim for dim in named if shape and shape[dim] == 1])


@solutions.wrong(
    "03.squeezed",
    belief="Dimensions can be deleted one after the other, in the order given.",
    lesson="After the first deletion the others have moved to the left. Delete from the back, or choose what "
    "stays.",
)
def deletes_while_counting(shape, strides, dims):
    sizes, steps = list(shape), list(strides)
    for dim in sorted(_named(shape, dims)):
        if dim < len(sizes) and sizes[dim] == 1:
            del sizes[dim], steps[dim]
    return tuple(sizes), tuple(steps)


@solutions.wrong(
    "03.squeezed",
    belief="A tensor needs at least one dimension.",
    lesson="Shape () has none and holds one number. Squeezing (1, 1) leaves it.",
)
def keeps_one_dimension(shape, strides, dims):
    gone = [dim for dim in _named(shape, dims) if shape and shape[dim] == 1]
    if shape and len(gone) == len(shape):
        gone = gone[:-1]
    return _without(shape, strides, gone)


@solutions.wrong(
    "03.squeezed",
    belief="Sizes of 0 and 1 hold nothing worth a dimension.",
    lesson="A size of 0 says that there are no elements. Without it the view would have some.",
)
def removes_zeros_too(shape, strides, dims):
    return _without(shape, strides, [dim for dim in _named(shape, dims) if shape and shape[dim] <= 1])


@solutions.wrong(
    "03.squeezed",
    belief="Naming a dimension twice does no harm.",
    lesson="It is a slip, most often of a negative dimension that is one of the others. PyTorch says so.",
)
def allows_a_dim_twice(shape, strides, dims):
    named = range(len(shape)) if dims is None else _front(dims, len(shape))
    return _without(shape, strides, [dim for dim in named if shape and shape[dim] == 1])


@solutions.wrong(
    "03.squeezed",
    belief="A dimension that does not exist cannot be removed, so nothing has to be done.",
    lesson="Whoever names dimension 4 of three has miscounted, and should hear of it: IndexError.",
)
def ignores_missing_dims(shape, strides, dims):
    there = range(-max(len(shape), 1), max(len(shape), 1))
    named = _named(shape, None if dims is None else [dim for dim in dims if dim in there])
    return _without(shape, strides, [dim for dim in named if shape and shape[dim] == 1])


@solutions.wrong(
    "03.squeezed",
    belief="Every dimension that may be named has a size that can be looked at.",
    lesson="A tensor without dimensions takes the names 0 and -1, as in PyTorch, and has no size to look at. "
    "Nothing goes, and nothing is wrong.",
)
def looks_up_every_name(shape, strides, dims):
    dims = _named(shape, dims)
    return _without(shape, strides, [dim for dim in dims if shape[dim] == 1])
