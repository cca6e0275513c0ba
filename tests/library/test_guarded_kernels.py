"""No kernel touches a cell outside of its operands, its result or its workspace: see `test_gemm_bounds`.

A process of its own gets all memory of NumPy's between two protected pages, against one of them. There
the calls of the catalogue are made, and the gradients, each in one of the settings: those of half the
settings, or, with `--whole`, all, and those of pointwise functions too, whose kernels differ in their
formula alone.
"""

from __future__ import annotations

import sys

import pytest

from tests.library.test_gemm_bounds import PROGRAM as GUARDS
from tests.library.test_kernels import run

PROGRAM = (
    GUARDS[: GUARDS.index("held = []")]
    + """
import faulthandler, math, numpy.ma
from tensorlab.catalogue import Operands, calls

faulthandler.enable()
whole = np.empty
"""
    + GUARDS[GUARDS.index("def guarded(") : GUARDS.index("def laid(")].replace("held.append(memory)", "")
    + """
def empty(shape, dtype=float, order="C", **more):
    "What `np.empty` gives, guarded."
    kind, sizes = np.dtype(dtype), shape if isinstance(shape, (tuple, list)) else (shape,)
    if kind.hasobject or order != "C" or more:
        return whole(shape, dtype, order, **more)
    global count
    count += 1
    cells = whole(math.prod(map(int, sizes)), kind)
    cells.view(np.uint8)[:] = 0xC8  # a number that shows where nothing is written
    return guarded(cells, AT_END).reshape(sizes)

def filled(value):
    def made(shape, dtype=float, order="C", **more):
        cells = empty(shape, dtype, order, **more)
        cells[...] = value
        return cells
    return made

def guard():
    "From here on NumPy's memory and every tensor's is guarded."
    np.empty, np.zeros, np.ones = empty, filled(0), filled(1)
    backend_of("cpu").allocate = empty
    from_numpy = tl.from_numpy
    tl.from_numpy = lambda array: from_numpy(guarded(array.ravel(), AT_END).reshape(array.shape))

count = 0
threads.WORTHWHILE = 500  # small operations take several threads, too
threads.set_num_threads(TEAM)
"""
)

RUN = """
def run_all():
    made = 0
    for name in KINDS:
        kind = dtypes.by_name(name)
        operands = Operands(kind, SIDE)
        for number, call in enumerate(calls()):
            if call.fits(kind) and (number % SETTINGS == TURN or WHOLE and call.kind != "pointwise"):
                print(name, call.text, flush=True, file=sys.stderr)
                call.run(operands)
                made += 1
                if kind.is_floating_point and call.is_differentiable:
                    call.differentiate(operands)
    return made

run_all()  # a kernel that allocates is compiled with NumPy's own functions
guard()
print(run_all(), count)
"""

SETTINGS = [
    (["float32"], 4, True, 1),
    (["float32"], 132, True, 3),
    (["float32"], 20, False, 2),
    (["float64", "int64"], 28, True, 2),
]


@pytest.mark.part(2)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows protects pages by another call than mprotect")
@pytest.mark.parametrize(
    "turn", range(len(SETTINGS)), ids=[f"{','.join(kinds)}-{side}" for kinds, side, *_ in SETTINGS]
)
def test_nothing_outside_is_touched(turn, every):
    kinds, side, at_end, team = SETTINGS[turn]
    settings = f"KINDS, SIDE, AT_END, TEAM = {kinds!r}, {side}, {at_end}, {team}"
    settings += f"\nTURN, SETTINGS, WHOLE = {turn}, {len(SETTINGS)}, {every(2) == 1}"
    made, allocations = map(int, run(f"{settings}\n{PROGRAM}{RUN}", NUMBA_DISABLE_JIT="0").split())
    assert made > 100
    assert allocations > made


@pytest.mark.skipif(sys.platform == "win32", reason="Windows protects pages by another call than mprotect")
def test_the_guard_guards():
    """A kernel that is told of one row too many is stopped."""
    program = (
        "from tensorlab.backends import IndexLayout\nguard()\nindex = IndexLayout((1, 0), 5, 4)\n"
        'rows = backend_of("cpu").indexed("gather", (1, 4), (4, 1), (0, 1), (index,))\n'
        "rows(tl.ones(1, 4)._buffer(), tl.ones(4, 4)._buffer(), tl.tensor([4])._buffer())\n"
    )
    with pytest.raises(AssertionError, match="Segmentation fault"):
        run(f"AT_END, TEAM = True, 1\n{PROGRAM}{program}", NUMBA_DISABLE_JIT="0")
