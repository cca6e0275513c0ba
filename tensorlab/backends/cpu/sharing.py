"""The tasks of one kernel, shared among threads.

Numba's own way is a second kernel, ``parallel=True``, with the first one inside, which is compiled and made
fast once more. Here one such kernel serves all others, and is compiled once: it knows a kernel by its address
alone, and its arguments by the address of the memory that they were put down in.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import prange
from numba.core import cgutils, config, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from tensorlab.backends.cpu import jit, threads, turns
from tensorlab.backends.cpu.borrowed import borrowed_type
from tensorlab.backends.cpu.linking import address_of, call_at, called

__all__ = ["prepare", "share"]


def share(kernel: Callable, team: int, tasks: int, *arguments: Any, workspaces: bool = False) -> None:
    """Call ``kernel(first, last, *arguments)`` for all tasks, in chunks that `team` threads take turns at.

    A team of one is a plain call of the kernel, if Python can call it. Operations that take little more than
    the call, on small tensors, make it themselves.

    Args:
        kernel: compiled by Numba; it returns nothing, raises nothing, and its tasks write apart from one
            another.
        team: how many threads, 1 or more.
        tasks: how many tasks.
        arguments: arrays, numbers and truth values, and tuples of numbers.
        workspaces: the last argument has a row for each thread, which gets it with each of its chunks.
    """
    if team == 1 and has_way_in(kernel):
        kernel(0, tasks, *(_first_of(arguments) if workspaces else arguments))
        return
    key = (kernel, workspaces, *map(_kind, arguments))
    launch = _launches.get(key)
    if launch is None:
        launch = _launches[key] = prepare(kernel, *arguments, workspaces=workspaces)
    launch(team, tasks, *arguments)


def prepare(kernel: Callable, *examples: Any, workspaces: bool = False) -> Callable[..., None]:
    """`share` of one kernel, as a function of (team, tasks, *arguments), which looks at no argument's type.

    Args:
        kernel, workspaces: those of `share`.
        examples: arguments of the types that all later ones have.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
        return lambda team, tasks, *given: share(kernel, team, tasks, *given, workspaces=workspaces)
    address = _address_of(kernel, 0, 0, *(_first_of(examples) if workspaces else examples))
    start: Any = _start_with_workspaces if workspaces else _start
    code = jit.entry(start, (0, 0), address, _NO_BOARD, 1, 1, examples)

    def launch(team: int, tasks: int, *arguments: Any) -> None:
        if team == 1:
            code((0, 0), address, _NO_BOARD, 1, tasks, arguments)
        else:
            common = _common_code()
            with threads.team(team):
                code(common, address, turns.board(team), team, tasks, arguments)

    return launch


def has_way_in(kernel: Any) -> bool:
    """Whether Python can call a kernel, as it can unless it is one of `tensorlab.backends.cpu.jit.INNER`."""
    options: dict[str, Any] = getattr(kernel, "targetoptions", {})
    return not options.get("no_cpython_wrapper")


_NO_BOARD = np.zeros(1, np.int64)


_launches: dict[tuple, Callable[..., None]] = {}


def _first_of(arguments: tuple) -> tuple:
    """The arguments of one thread: of the workspaces the first."""
    return (*arguments[:-1], arguments[-1][0])


def _kind(argument: Any) -> object:
    """What an argument's type depends on."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num
    return tuple(map(_kind, argument)) if isinstance(argument, tuple) else type(argument)


@functools.cache
def _common_code() -> tuple[int, int]:
    """The addresses of `_drive` and of `tensorlab.backends.cpu.turns.work`."""
    return _address_of(_drive, *[0] * 6), _address_of(turns.work, *[0] * 6)


def _address_of(kernel: Any, *arguments: Any) -> int:
    """Where the machine code of a kernel begins, compiled for these arguments."""
    kinds = tuple(map(borrowed_type, arguments))
    if kinds not in kernel.overloads:  # no entry has been made: as a plain call would have it compiled
        kinds = tuple(map(numba.typeof, arguments))
    return address_of(kernel, kinds)


@jit.kernel(parallel=True, no_cpython_wrapper=True)
def _drive(working, run, frame, board, team, tasks):
    """Have all tasks done by a team. The work is not in the loop itself, which is compiled several times."""
    for thread in prange(team):
        call_at(working, (run, frame, board, team, tasks, thread))


def _starting(workspaces: bool) -> Any:
    """A function that puts a kernel's arguments down in a frame, and has `_drive` call what reads them."""

    @intrinsic
    def start(typing, common, address, board, team, tasks, arguments):
        def generate(context, builder, signature, values):
            common, address, board, team, tasks, given = values
            driving, working = cgutils.unpack_tuple(builder, common)
            fields = [address, *cgutils.unpack_tuple(builder, given)]
            frame = cgutils.alloca_once_value(builder, cgutils.make_anonymous_struct(builder, fields))
            run = _reader(context, builder.module, frame.type, tuple(arguments), workspaces)
            board = context.make_array(signature.args[2])(context, builder, board).data
            word = context.get_value_type(types.intp)
            run, frame, board = (builder.ptrtoint(pointer, word) for pointer in (run, frame, board))
            is_alone = builder.icmp_signed("==", team, word(1))
            with builder.if_else(is_alone) as (alone, shared):
                with alone:
                    called(
                        context, builder, run, types.none, [types.intp] * 4, [frame, word(0), tasks, word(0)]
                    )
                with shared:
                    given = [working, run, frame, board, team, tasks]
                    called(context, builder, driving, types.none, [types.intp] * 6, given)
            return context.get_dummy_value()

        return types.none(common, types.intp, board, types.intp, types.intp, arguments), generate

    return start


def _reader(context: Any, module: Any, frame: Any, kinds: tuple, workspaces: bool) -> Any:
    """A function of (frame, first, last, thread) that calls the kernel with the arguments in the frame.

    Args:
        context: the compiler's.
        module: the one that the function becomes part of.
        frame: the type of a pointer to a frame: the kernel's address and its arguments.
        kinds: the arguments' types.
        workspaces: whether the last of them has a row for each thread.
    """
    convention, words = context.call_conv, (types.intp,) * 4
    function = ir.Function(
        module, convention.get_function_type(types.none, words), module.get_unique_name("read")
    )
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    place, first, last, thread = convention.get_arguments(function)
    fields = builder.load(builder.inttoptr(place, frame))
    address, *values = (builder.extract_value(fields, i) for i in range(1 + len(kinds)))
    if workspaces:
        kinds = (*kinds[:-1], kinds[-1].copy(ndim=1))
        values[-1] = _row(context, builder, kinds[-1], values[-1], thread)
    called(context, builder, address, types.none, [types.intp, types.intp, *kinds], [first, last, *values])
    convention.return_value(builder, context.get_dummy_value())
    return function


def _row(context: Any, builder: Any, kind: Any, workspaces: Any, number: Any) -> Any:
    """One row of a matrix, an array of this type."""
    found = context.make_array(kind)(context, builder)
    whole = context.make_array(kind.copy(ndim=2))(context, builder, workspaces)
    step, *strides = cgutils.unpack_tuple(builder, whole.strides)
    start = cgutils.pointer_add(builder, whole.data, builder.mul(number, step))
    shape = cgutils.unpack_tuple(builder, whole.shape)[1:]
    populate_array(found, start, shape, strides, whole.itemsize, meminfo=None)
    return found._getvalue()


_begin: Any = _starting(workspaces=False)
_begin_with_workspaces: Any = _starting(workspaces=True)


@jit.kernel()
def _start(common, address, board, team, tasks, arguments):
    """Have all tasks done by a team; see `_drive`. The board is an array here. One thread needs neither."""
    _begin(common, address, board, team, tasks, arguments)


@jit.kernel()
def _start_with_workspaces(common, address, board, team, tasks, arguments):
    """The same, where the last argument has a row for each thread."""
    _begin_with_workspaces(common, address, board, team, tasks, arguments)
