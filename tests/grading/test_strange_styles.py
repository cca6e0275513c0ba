"""Right answers in styles that no teacher would choose: none may lose a point.

Student k of a chapter answers each of its questions in the k-th style that stands here.
"""

from __future__ import annotations

import itertools

import pytest

from tensorlab.grading.session import Limits
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suites import exercises

from .conftest import code_cell, graded, notebook_text

#: Cells by exercise; ``# %%`` begins another cell.
STYLES = {
    "01.numel": [
        "from functools import reduce\nfrom operator import mul\nnumel = lambda shape: reduce(mul, shape, 1)",
        "def numel(shape): return 1 if not shape else shape[0] * numel(shape[1:])",
        "def numel(shape):\n    *rest, last = shape or (1,)\n    return last * numel(rest) if rest else last",
        """
class Counter:
    def __init__(self): self.count = 1
    def times(self, n): self.count *= n; return self
    def __call__(self, shape):
        self.count = 1
        for n in shape: self.times(n)
        return self.count
numel = Counter()
""",
        """
def numel(shape: tuple[int, ...], /, *, _start: int = 1) -> int:
    match shape:
        case (): return _start
        case (first, *rest): return first * numel(tuple(rest))
""",
        """
import numpy as np
def numel(shape): return int(np.prod(np.array(shape, dtype=object))) if len(shape) else 1
""",
        """
import functools
@functools.lru_cache(maxsize=None)
def numel(shape):
    print("numel of", shape)
    result = 1
    for n in shape: result = result * n
    return result
""",
        """
import itertools, operator
def numel(shape):
    *_, last = itertools.accumulate(shape, operator.mul, initial=1)
    return last
""",
    ],
    "01.nbytes": [
        "def nbytes(shape, dtype): return numel(shape) * dtype.itemsize",
        "import math\nnbytes = lambda shape, dtype: math.prod([*shape, dtype.itemsize])",
        """
def nbytes(shape, dtype):
    import math
    global SEEN
    SEEN = globals().get("SEEN", {})
    return SEEN.setdefault((shape, dtype), math.prod(shape) * dtype.itemsize)
""",
        """
SIZES = {1: ("bool", "uint8", "int8"), 2: ("int16", "float16", "bfloat16"), 4: ("int32", "float32"),
         8: ("int64", "float64")}
def nbytes(shape, dtype):
    (width,) = (w for w, names in SIZES.items() if dtype.name in names)
    total = width
    for n in shape: total *= n
    return total
""",
        "def nbytes(shape, dtype):\n    if (n := dtype.itemsize) and not shape: return n\n"
        "    return shape[-1] * nbytes(shape[:-1], dtype)",
    ],
    "01.flat_index": [
        "flat_index = lambda index, strides, offset=0: sum(i * s for i, s in zip(index, strides)) + offset",
        "import numpy as np\ndef flat_index(index, strides, offset=0):\n    if not index: return offset\n"
        "    return int(np.dot(np.array(index, object), np.array(strides, object))) + offset",
        "def flat_index(index, strides, offset=0):\n"
        "    return flat_index(index[1:], strides[1:], offset + index[0] * strides[0]) if index else offset",
        "import operator\ndef flat_index(index, strides, offset=0):\n"
        "    return sum(map(operator.mul, index, strides), start=offset)",
        """
def flat_index(index, strides, offset=0):
    def steps():
        yield offset
        for d in range(len(index)): yield index[d] * strides[d]
    return sum(steps())
""",
    ],
    "01.check_index": [
        """
def check_index(index, shape):
    if (difference := len(index) - len(shape)):
        which = "many" if difference > 0 else "few"
        raise IndexError(f"too {which} indices for tensor of dimension {len(shape)}")
    def one(d):
        i, n = index[d], shape[d]
        if i not in range(-n, n):
            raise IndexError(f"index {i} is out of bounds for dimension {d} with size {n}")
        return i if i >= 0 else n + i
    return tuple(map(one, range(len(shape))))
""",
        """
class OutOfBounds(IndexError):
    def __init__(self, i, d, n):
        super().__init__(f"index {i} is out of bounds for dimension {d} with size {n}")
def check_index(index, shape):
    try:
        if len(index) > len(shape): raise ValueError("many")
        if len(index) < len(shape): raise ValueError("few")
    except ValueError as error:
        raise IndexError(f"too {error} indices for tensor of dimension {len(shape)}") from error
    result = []
    for d, (i, n) in enumerate(zip(index, shape, strict=True)):
        if i < -n or i >= n: raise OutOfBounds(i, d, n)
        result += [i + n * (i < 0)]
    return *result,
""",
    ],
    "01.nested_repr": [
        """
def nested_repr(cells, shape, strides, offset=0):
    if not shape: return repr(cells[offset])
    (n, *ns), (s, *ss) = shape, strides
    return f"[{', '.join(nested_repr(cells, ns, ss, offset + i * s) for i in range(n))}]"
""",
        """
def nested(cells, shape, strides, offset):
    return [nested(cells, shape[1:], strides[1:], offset + i * strides[0]) for i in range(shape[0])] \\
        if shape else cells[offset]
# %%
def nested_repr(cells, shape, strides, offset=0): return str(nested(cells, shape, strides, offset))
""",
    ],
    "02.default_strides": [
        "import math\ndef default_strides(shape):\n"
        "    return tuple(math.prod(max(n, 1) for n in shape[d:]) for d in range(1, len(shape) + 1))",
        "def default_strides(shape):\n    if not shape: return ()\n    rest = default_strides(shape[1:])\n"
        "    return ((rest[0] * (shape[1] or 1) if rest else 1), *rest)",
        "from itertools import accumulate\nfrom operator import mul\ndef default_strides(shape):\n"
        "    sizes = (n or 1 for n in reversed(shape[1:]))\n"
        "    return tuple(accumulate(sizes, mul, initial=1))[::-1] if shape else ()",
    ],
    "02.unravel": [
        """
import math
def unravel(position, shape):
    out, left = [], position
    for n in reversed(shape if math.prod(shape) else ()):
        left, i = divmod(left, n)
        out.insert(0, i)
    if left or not math.prod(shape): raise IndexError(f"position {position} is out of range")
    return tuple(out)
""",
        """
import functools, math
def in_range(function):
    @functools.wraps(function)
    def checked(position, shape):
        if position in range(math.prod(shape)): return function(position, shape)
        raise IndexError("position %d is out of range for %s" % (position, shape))
    return checked
@in_range
def unravel(position, shape):
    return tuple(position // math.prod(shape[d + 1:]) % n for d, n in enumerate(shape))
""",
        """
def unravel(position, shape):
    def inner(left, shape):
        if not shape:
            if left: raise IndexError(f"Position {position} is out of range")
            return ()
        *rest, n = shape
        if n == 0: raise IndexError(f"POSITION {position} is  out of range")
        return (*inner(left // n, rest), left % n)
    return inner(position, shape)
""",
    ],
    "02.is_contiguous": [
        """
def is_contiguous(shape, strides):
    if 0 in shape: return True
    steps = [(n, s) for n, s in zip(shape, strides) if n != 1]
    want = 1
    while steps:
        n, s = steps.pop()
        if s != want: return False
        want *= n
    return True
""",
        """
import itertools
def is_contiguous(shape, strides):
    total = 1
    for n in shape: total *= n
    if total == 0: return True
    if total > 10**6:
        return all(n == 1 or s == w for n, s, w in zip(shape, strides, dense(shape)))
    cells = [sum(i * s for i, s in zip(index, strides)) for index in itertools.product(*map(range, shape))]
    return cells == list(range(total))
# %%
def dense(shape):
    out, step = [], 1
    for n in shape[::-1]:
        out.append(step)
        step *= n
    return tuple(out[::-1])
""",
    ],
    "02.address_range": [
        """
def address_range(shape, strides, offset=0):
    if 0 in shape: return None
    ends = [(n - 1) * s for n, s in zip(shape, strides)]
    return offset + sum(min(e, 0) for e in ends), offset + sum(max(e, 0) for e in ends)
""",
        """
def address_range(shape, strides, offset=0):
    low = high = offset
    for n, s in zip(shape, strides):
        if not n: return
        low, high = min(low, low + (n - 1) * s), max(high, high + (n - 1) * s)
    return (low, high) if all(shape) else None
""",
    ],
    "03.permuted": [
        """
from tensorlab.core import layout
def permuted(shape, strides, order):
    order = [layout.wrap_dim(d, len(shape)) for d in order]
    if set(order) != set(range(len(shape))) or len(order) > len(shape):
        raise RuntimeError(f"the order must name each of the {len(shape)} dimensions once")
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order)
""",
        """
def permuted(shape, strides, order):
    n = len(shape)
    for d in order:
        if not -n <= d < max(n, 1): raise IndexError(f"Dimension out of range: {d}")
    real = [d % n for d in order if n]
    if sorted(real) != [*range(n)] or len(order) != n:
        raise RuntimeError("must name each of the %d dimensions once" % n)
    pick = lambda of: tuple(map(of.__getitem__, real))
    return pick(shape), pick(strides)
""",
        """
import numpy as np
def permuted(shape, strides, order):
    n, take = len(shape), list(order)
    if any(d >= n and (n or d) or d < -max(n, 1) for d in take): raise IndexError("dimension out of range")
    if len({d % n if n else d for d in take}) != n or len(take) != n:
        raise RuntimeError(f"an order must name each of the {n} dimensions once")
    return tuple(np.array(shape, int)[take].tolist()), tuple(np.array(strides, int)[take].tolist())
""",
    ],
    "03.sliced": [
        """
def sliced(size, stride, bounds):
    start, _, step = bounds.indices(size)
    if step < 0: raise ValueError("step must be greater than zero")
    return len(range(size)[bounds]), stride * step, stride * start
""",
    ],
    "04.infer_size": [
        """
from math import prod
def infer_size(shape, count):
    if min(shape, default=0) < -1: raise RuntimeError("Invalid shape dimension %d" % min(shape))
    holes = list(shape).count(-1)
    if holes > 1: raise RuntimeError("only one dimension can be inferred, not " + str(holes))
    known = prod(n for n in shape if n != -1)
    if holes and not known and not count: raise RuntimeError("the -1 can be any value")
    wrong = RuntimeError(f"shape {list(shape)} is invalid for input of size {count}")
    if holes and (not known or count % known): raise wrong
    filled = tuple(count // known if n == -1 else n for n in shape)
    if prod(filled) != count: raise wrong
    return filled
""",
    ],
    "04.flatten": [
        """
import math
def flatten(input, start_dim=0, end_dim=-1):
    dims = max(input.dim(), 1)
    def real(d):
        if not -dims <= d < dims: raise IndexError(f"dimension out of range: {d}")
        return d % dims
    a, b = real(start_dim), real(end_dim)
    if a > b: raise RuntimeError("start_dim must not come after end_dim")
    if not input.dim(): return input.view(1)
    if a == b: return input
    return input.reshape(*input.shape[:a], math.prod(input.shape[a:b + 1]), *input.shape[b + 1:])
""",
    ],
    "05.can_cast": [
        "def can_cast(from_, to):\n    rank = lambda t: 2 if t.is_floating_point else int(t.name != 'bool')\n"
        "    return rank(from_) <= rank(to)",
        """
import tensorlab as tl
INTS = {tl.uint8, tl.int8, tl.int16, tl.int32, tl.int64}
KINDS = [{tl.bool}, INTS, {tl.float16, tl.bfloat16, tl.float32, tl.float64}]
def can_cast(from_, to):
    return any(from_ in kind and to in set().union(*KINDS[k:]) for k, kind in enumerate(KINDS))
""",
        """
def can_cast(from_, to):
    match (from_.is_floating_point, to.is_floating_point, from_.name, to.name):
        case (_, True, _, _): return True
        case (True, False, _, _): return False
        case (_, _, "bool", _): return True
        case (_, _, _, "bool"): return False
    return True
""",
    ],
    "06.broadcast_shapes": [
        """
from itertools import zip_longest
def broadcast_shapes(*shapes):
    out = []
    for sizes in zip_longest(*(s[::-1] for s in shapes), fillvalue=1):
        wide = set(sizes) - {1}
        if len(wide) > 1:
            raise RuntimeError(f"{wide} must match in dimension {max(map(len, shapes)) - 1 - len(out)}")
        out.append(wide.pop() if wide else 1)
    return tuple(out[::-1])
""",
    ],
    "06.squared_error": [
        """
def squared_error(prediction, target):
    if prediction.shape != target.shape:
        raise ValueError(f"the shapes differ: {tuple(prediction.shape)} and {tuple(target.shape)}")
    return ((prediction - target) ** 2).mean()
""",
        """
def squared_error(prediction, target):
    if not prediction.shape == target.shape:
        raise ValueError("prediction is %s and target %s" % (tuple(prediction.shape), tuple(target.shape)))
    d = prediction.sub(target)
    d = d.mul(d)
    return d.sum().div(d.numel())
""",
    ],
    "05.float32_fields": [
        """
import struct, math
def float32_fields(bits):
    (x,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    if math.isnan(x): raise ValueError("this is not a number")
    if math.isinf(x): raise ValueError("this is an infinity")
    e = bits >> 23 & 255
    return bits >> 31, (bits & 0x7FFFFF) + (e > 0) * 2**23, max(e, 1) - 150
""",
    ],
    "06.expand": [
        """
import tensorlab as tl
def expand(input, *sizes):
    lead = len(sizes) - input.dim()
    if lead < 0: raise RuntimeError("sizes must be greater or equal to the number of dimensions in number")
    def pairs():
        for d, n in enumerate(sizes):
            if d < lead:
                if n < 0: raise RuntimeError("-1 in a leading, non-existing dimension")
                yield n, 0
            else:
                m, s = input.shape[d - lead], input.stride(d - lead)
                if n in (-1, m): yield m, s
                elif m == 1: yield n, 0
                else: raise RuntimeError(f"size {n} must match the existing size {m}")
    both = [*pairs()]
    return tl.as_strided(input, [n for n, _ in both], [s for _, s in both], input.storage_offset())
""",
    ],
    "07.argmax": [
        """
import numpy as np, tensorlab as tl
def argmax(input, dim=None, keepdim=False):
    return tl.tensor(np.argmax(input.numpy(), axis=dim, keepdims=keepdim))
""",
    ],
    "07.gather": [
        """
import numpy as np, tensorlab as tl
def gather(input, dim, index):
    along = dim % max(input.dim(), 1)
    cut = tuple(slice(n) if d != along else slice(None) for d, n in enumerate(index.shape))
    if not input.dim(): return input.reshape(1)[index.reshape(-1)].reshape(index.shape)
    found = np.take_along_axis(input.numpy()[cut], index.numpy(), dim)
    return tl.tensor(np.ascontiguousarray(found), dtype=input.dtype)
""",
    ],
    "07.stream_words": [
        """
import itertools, tensorlab as tl
def stream_words(seed, start, count):
    def words(block=start // 4):
        for n in itertools.count(block):
            yield from tl.random.philox_block((n % 2**32, n >> 32, 0, 0), (seed % 2**32, seed >> 32))
    return list(itertools.islice(words(), start % 4, start % 4 + count))
""",
    ],
    "08.matmul_shape": [
        """
import numpy as np
def matmul_shape(a, b):
    if 0 in (len(a), len(b)): raise RuntimeError("both must be at least 1D")
    l, r = (1, *a)[-max(len(a), 2):], (*b, 1)[:max(len(b), 2)]
    if l[-1] != r[-2]: raise RuntimeError(f"{l[-1]} must equal {r[-2]}")
    try: batch = np.broadcast_shapes(l[:-2], r[:-2])
    except ValueError: raise RuntimeError("the batch sizes must match") from None
    return tuple(batch) + l[-2:-1] * (len(a) > 1) + r[-1:] * (len(b) > 1)
""",
    ],
    "08.matmul_cost": [
        """
import numpy as np
def matmul_cost(a, b, itemsize):
    m, k, n = ((1, *a)[-2], a[-1], (b[-1] if len(b) > 1 else 1))
    batch = 1
    for x in np.broadcast_shapes(a[:-2], b[:-2]): batch *= x
    size = lambda shape: 1 if not shape else shape[0] * size(shape[1:])
    return (2 * batch * m * k * n, (size(a) + size(b) + batch * m * n) * itemsize)
""",
    ],
    "09.topological_order": [
        """
def topological_order(roots):
    seen, order = {}, []
    def visit(start):
        stack = [(start, False)]
        while stack:
            node, done = stack.pop()
            if done: order.append(node)
            elif node is not None and seen.setdefault(id(node), node) and id(node) not in started:
                started.add(id(node))
                stack.append((node, True))
                stack.extend((after, False) for after, _ in node.next_functions)
    started = set()
    for root in roots: visit(root)
    return list(reversed(order))
""",
    ],
    "10.permute_backward": [
        "import numpy as np\ndef permute_backward(grad, dims):\n"
        "    return grad.permute(*np.argsort(np.array(dims) % max(len(dims), 1)).tolist())",
        "def permute_backward(grad, dims):\n    back = {d % len(dims): i for i, d in enumerate(dims)}\n"
        "    return grad.permute([back[d] for d in range(len(dims))])",
    ],
    "10.unbroadcast": [
        """
def unbroadcast(gradient, shape):
    lead = gradient.dim() - len(shape)
    pairs = list(zip(gradient.shape[max(lead, 0):], shape))
    if lead < 0 or any(n not in (1, m) for m, n in pairs): raise RuntimeError("this does not broadcast so")
    dims = [*range(lead), *(lead + d for d, (m, n) in enumerate(pairs) if n == 1 != m)]
    return gradient.sum(dims, keepdim=True).reshape(shape) if dims else gradient
""",
    ],
    "11.total_loss": [
        "def total_loss(losses): return float(sum(loss.item() for loss in losses))",
        "def total_loss(losses):\n    total = 0.0\n    for loss in iter(losses):\n"
        "        total += float(loss)\n        del loss\n    return total",
    ],
    "12.logsumexp": [
        """
import numpy as np, tensorlab as tl
def logsumexp(input, dim, keepdim=False):
    x = input.numpy()
    top = x.max(axis=dim, keepdims=True, initial=-np.inf)
    with np.errstate(all="ignore"):
        base = np.where(np.isfinite(top), top, 0).astype(x.dtype)
        out = base + np.log(np.exp(x - base).sum(axis=dim, keepdims=True))
    return tl.tensor(out if keepdim else out.squeeze(dim), dtype=input.dtype)
""",
    ],
    "13.linear": [
        """
def linear(input, weight, bias=None):
    y = input @ weight.mT
    match bias:
        case None: return y
    return y.add(bias)
""",
    ],
    "13.sgd_momentum": [
        """
def sgd_momentum(parameter, grad, velocity, lr, momentum):
    (velocity.mul_(momentum)).add_(grad)
    parameter.sub_(lr * velocity)
""",
    ],
    "13.get_total_norm": [
        """
import functools, tensorlab as tl
def get_total_norm(tensors, norm_type=2.0):
    each = [abs(x).flatten() for x in tensors]
    if not each: return tl.tensor(0.)
    if norm_type == float("inf"): return functools.reduce(tl.maximum, (x.max() for x in each))
    return functools.reduce(lambda a, b: a + b, ((x ** norm_type).sum() for x in each)) ** (1 / norm_type)
""",
    ],
    "14.places": [
        "def places(extent, kernel, step, dilation, before, after):\n"
        "    room = extent + before + after - dilation * (kernel - 1)\n    return -(-max(room, 0) // step)",
    ],
    "14.channels_last_strides": [
        """
def channels_last_strides(shape):
    n, c, *rest = shape
    out, step = {1: 1}, c
    for d in reversed(range(2, len(shape))): out[d], step = step, step * shape[d]
    return tuple({**out, 0: step}[d] for d in range(len(shape)))
""",
    ],
}


def notebooks():
    """The notebooks of all students: chapter, and a cell after the other."""
    for chapter, asked in itertools.groupby(exercises(), lambda each: each.chapter):
        ids = [each.id for each in asked if each.id in STYLES]
        for place in range(max((len(STYLES[each]) for each in ids), default=0)):
            answered = {each: STYLES[each][place] for each in ids if place < len(STYLES[each])}
            yield pytest.param(chapter, answered, id=f"{chapter}, style {place}")


def test_there_are_many():
    assert sum(map(len, STYLES.values())) >= 60


@pytest.mark.parametrize(("chapter", "answered"), list(notebooks()))
def test_a_right_answer_is_right_in_any_style(chapter, answered, tmp_path):
    cells = []
    for each in exercises(chapter):
        text = answered.get(each.id) or answer_source(each, each.right[0].function)
        cells += [code_cell(source.strip("\n")) for source in text.split("# %%\n")]
    path = tmp_path / "ada.ipynb"
    path.write_text(notebook_text(cells), encoding="utf-8")
    rows = graded(path, chapter, Limits())
    assert {each: rows[each].feedback for each in answered} == dict.fromkeys(answered, "All cases pass.")
