"""Chapter 7: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import numpy as np

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right(
    "07.fold_layout", idea="Collect the dimensions that go, then make both tuples in one loop each."
)
def collects_what_goes(shape, dims, keepdim=False):
    gone = []
    for dim in dims:
        dim = layout.wrap_dim(dim, len(shape))
        if dim in gone:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
        gone.append(dim)
    kept = tuple(size for dim, size in enumerate(shape) if dim not in gone)
    steps = list(layout.default_strides(kept))
    strides = tuple(0 if dim in gone else steps.pop(0) for dim in range(len(shape)))
    if keepdim:
        return tuple(1 if dim in gone else size for dim, size in enumerate(shape)), strides
    return kept, strides


@solutions.right(
    "07.fold_layout", idea="With sizes of 1 first: their strides are those of the result, but for zeros."
)
def makes_them_1_first(shape, dims, keepdim=False):
    left = list(shape)
    named = [dim + len(shape) if dim < 0 else dim for dim in dims]
    for dim in named:
        if not 0 <= dim < len(shape):
            raise IndexError(f"Dimension out of range: there is no dimension {dim}")
        if named.count(dim) > 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
        left[dim] = 1
    steps = layout.default_strides(tuple(left))
    strides = tuple(0 if dim in named else step for dim, step in enumerate(steps))
    if not keepdim:
        left = [size for dim, size in enumerate(left) if dim not in named]
    return tuple(left), strides


@solutions.right("07.fold_layout", idea="From the right, with one running product.")
def walks_from_the_right(shape, dims, keepdim=False):
    named = [layout.wrap_dim(dim, len(shape)) for dim in dims]
    if len(set(named)) < len(named):
        raise RuntimeError(f"a dimension appears multiple times in the list of dims {dims}")
    sizes, strides, step = [], [], 1
    for dim in reversed(range(len(shape))):
        if dim in named:
            strides.insert(0, 0)
            sizes[:0] = [1] if keepdim else []
        else:
            strides.insert(0, step)
            sizes.insert(0, shape[dim])
            step *= max(shape[dim], 1)
    return tuple(sizes), tuple(strides)


@solutions.right(
    "07.argmax",
    idea="One walk over all elements, with the best so far for each cell of the result.",
    same={
        "A flat tensor has one dimension, and every number modulo 1 is 0.": (
            "return argmax(input.reshape(-1), 0).reshape(shape) -> "
            "return argmax(input.reshape(-1), 1).reshape(shape)",
            "return argmax(input.reshape(-1), 0).reshape(shape) -> "
            "return argmax(input.reshape(-1), -1).reshape(shape)",
        ),
        "Index -1 of a dimension of size 1 is index 0.": (
            "value, rest = (input[index].item(), (*index[:dim], 0, *index[dim + 1:])) -> "
            "value, rest = (input[index].item(), (*index[:dim], -1, *index[dim + 1:]))",
        ),
    },
)
def keeps_the_best_of_each_cell(input, dim=None, keepdim=False):
    if dim is None:
        shape = (1,) * input.dim() if keepdim else ()
        return keeps_the_best_of_each_cell(input.reshape(-1), 0).reshape(shape)
    dim = dim % input.dim()
    sizes = [1 if d == dim else size for d, size in enumerate(input.shape)]
    places, best = tl.zeros(sizes, dtype=tl.int64), {}
    for index in itertools.product(*map(range, input.shape)):
        value, rest = input[index].item(), (*index[:dim], 0, *index[dim + 1 :])
        better = rest not in best or value > best[rest]
        if better or (value != value and best[rest] == best[rest]):
            best[rest] = value
            places[rest] = index[dim]
    return places if keepdim else places.squeeze(dim)


@solutions.right(
    "07.argmax", idea="A function for one list of numbers, applied to all elements or to each row."
)
def goes_row_by_row(input, dim=None, keepdim=False):
    def place_of_greatest(numbers):
        place = 0
        for i, number in enumerate(numbers):
            if numbers[place] != numbers[place]:
                break
            if number > numbers[place] or number != number:
                place = i
        return place

    if dim is None:
        place = tl.tensor(place_of_greatest(input.reshape(-1).tolist()))
        return place.reshape((1,) * input.dim()) if keepdim else place
    rows = input.transpose(dim, -1)
    places = [place_of_greatest(row.tolist()) for row in rows.reshape(-1, rows.shape[-1])]
    found = tl.tensor(places).reshape(*rows.shape[:-1], 1).transpose(dim, -1).contiguous()
    return found if keepdim else found.squeeze(dim)


@solutions.right("07.normalize", idea="The p-norms with keepdim, and the greater of them and eps.")
def keeps_the_dimension(input, p=2.0, dim=1, eps=1e-12):
    lengths = (input.abs() ** p).sum(dim, keepdim=True) ** (1 / p)
    return input / lengths.clamp(min=eps)


@solutions.right(
    "07.normalize",
    idea="Without keepdim, and then the dimension put back in by hand.",
    same={"A length of eps becomes eps.": ("lengths[lengths < eps] = eps -> lengths[lengths <= eps] = eps",)},
)
def puts_the_dimension_back(input, p=2.0, dim=1, eps=1e-12):
    lengths = (input.abs() ** p).sum(dim) ** (1 / p)
    lengths[lengths < eps] = eps
    return input / lengths.unsqueeze(dim)


@solutions.right(
    "07.normalize", idea="With the dimension turned to the front, where broadcasting aligns by itself."
)
def turns_the_dimension_to_the_front(input, p=2.0, dim=1, eps=1e-12):
    turned = input.transpose(0, dim)
    total = 0
    for part in turned:
        total = total + part.abs() ** p
    lengths = (total ** (1 / p)).clamp(min=eps)
    return (turned / lengths).transpose(0, dim)


@solutions.right("07.index_add_", idea="Slice by slice, each added in place.")
def adds_slice_by_slice(input, dim, index, source):
    for k, place in enumerate(index.tolist()):
        input.select(dim, place).add_(source.select(dim, k))
    return input


@solutions.right("07.index_add_", idea="Element by element.")
def adds_element_by_element(input, dim, index, source):
    for place in itertools.product(*map(range, source.shape)):
        target = list(place)
        target[dim] = index[place[dim]].item()
        input[tuple(target)] += source[place]
    return input


@solutions.right(
    "07.index_add_", idea="With the dimension turned to the front; a view is enough to write through."
)
def turns_and_adds(input, dim, index, source):
    rows, added = input.transpose(0, dim), source.transpose(0, dim)
    for k in range(len(index)):
        rows[index[k].item()] += added[k]
    return input


@solutions.right("07.gather", idea="For each place of the index, its own index with one int replaced.")
def replaces_one_int(input, dim, index):
    result = tl.empty(index.shape, dtype=input.dtype)
    for place in itertools.product(*map(range, index.shape)):
        source = list(place)
        source[dim] = index[place].item()
        result[place] = input[tuple(source)]
    return result


@solutions.right("07.gather", idea="By lists of places: those of the index for dim, a count for every other.")
def names_all_dimensions(input, dim, index):
    lists = []
    for d, size in enumerate(index.shape):
        ones = [1] * index.dim()
        ones[d] = size
        lists.append(tl.arange(size).view(ones))
    lists[dim] = index
    return input[tuple(lists)].contiguous()


@solutions.right("07.gather", idea="With cells computed by the address rule.")
def computes_the_cells(input, dim, index):
    dim = layout.wrap_dim(dim, input.dim())
    flat, strides = input.reshape(-1), layout.default_strides(input.shape)
    cells = []
    for place in itertools.product(*map(range, index.shape)):
        named = (*place[:dim], index[place].item(), *place[dim + 1 :])
        cells.append(flat[layout.flat_index(named, strides)].item())
    return tl.tensor(cells, dtype=input.dtype).view(index.shape)


@solutions.right("07.scatter_add", idea="A copy, and then for each place of the index one addition.")
def adds_into_a_clone(input, dim, index, src):
    result = input.clone()
    for place in itertools.product(*map(range, index.shape)):
        target = list(place)
        target[dim] = index[place].item()
        result[tuple(target)] += src[place]
    return result


@solutions.right(
    "07.scatter_add", idea="With Python's numbers: collect the sums, then write them into a new tensor."
)
def collects_the_sums(input, dim, index, src):
    dim = dim % input.dim()
    sums = {place: input[place].item() for place in itertools.product(*map(range, input.shape))}
    for place in itertools.product(*map(range, index.shape)):
        target = (*place[:dim], index[place].item(), *place[dim + 1 :])
        sums[target] += src[place].item()
    return tl.tensor(list(sums.values()), dtype=input.dtype).view(input.shape)


@solutions.right("07.scatter_add", idea="First the sum of the values for each place, then the input added.")
def adds_the_sums(input, dim, index, src):
    sums = tl.zeros(input.shape, dtype=input.dtype)
    for place in itertools.product(*map(range, index.shape)):
        target = list(place)
        target[dim] = index[place].item()
        sums[tuple(target)] += src[place]
    return input + sums


@solutions.right("07.scatter_add", idea="Place by place: the sum of the values for which the index names it.")
def compares_with_every_place(input, dim, index, src):
    dim = dim % input.dim()
    within = tuple(slice(size) for size in index.shape)
    result = input.clone()
    for place in range(input.shape[dim]):
        named = src[within].masked_fill(index != place, 0)
        result[(*within[:dim], place, *within[dim + 1 :])] += named.sum(dim, dtype=input.dtype)
    return result


@solutions.right("07.scatter_add", idea="With NumPy, whose add.at adds as often as a place is named.")
def adds_in_numpy(input, dim, index, src):
    result = input.clone()
    places = list(np.indices(tuple(index.shape)))
    within = tuple(slice(size) for size in index.shape)
    places[dim] = index.numpy()
    np.add.at(result.numpy(), tuple(places), src[within].numpy())
    return result


@solutions.right(
    "07.stream_words",
    idea="All the blocks that are touched, and then a slice of their words.",
    same={
        "The slice leaves out a block too many.": (
            "for block in range(start // 4, (start + count + 3) // 4): -> "
            "for block in range(start // 4, (start + count + 4) // 4):",
        )
    },
)
def slices_the_blocks(seed, start, count):
    key = (seed % 2**32, seed // 2**32)
    words = []
    for block in range(start // 4, (start + count + 3) // 4):
        words.extend(tl.random.philox_block((block % 2**32, block // 2**32, 0, 0), key))
    skipped = start % 4
    return words[skipped : skipped + count]


@solutions.right("07.stream_words", idea="Word by word, each from its own block.")
def takes_each_word_alone(seed, start, count):
    words = []
    for position in range(start, start + count):
        block, lane = divmod(position, 4)
        counter = (block & 0xFFFFFFFF, block >> 32, 0, 0)
        words.append(tl.random.philox_block(counter, (seed & 0xFFFFFFFF, seed >> 32))[lane])
    return words


@solutions.right(
    "07.stream_words",
    idea="By adding blocks until there are enough.",
    same={
        "The slice leaves out a block too many.": (
            "while len(words) < start % 4 + count: -> while len(words) <= start % 4 + count:",
        )
    },
)
def adds_blocks_until_enough(seed, start, count):
    block, words = start // 4, []
    while len(words) < start % 4 + count:
        high, low = divmod(block, 2**32)
        words += tl.random.philox_block((low, high, 0, 0), divmod(seed, 2**32)[::-1])
        block += 1
    return words[start % 4 :][:count]
