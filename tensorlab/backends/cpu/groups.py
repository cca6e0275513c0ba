"""Functions of elements that are computed by whole vectors, where the processor has those of 64 bytes.

Pointwise kernels apply a formula of `tensorlab.scalars` to each element, and the compiler makes vectors of
it. Some functions gain by instructions that no formula has: they are written here, for one vector after
another of elements that are neighbours.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numba.core import config, types
from numba.extending import intrinsic

from tensorlab import dtypes
from tensorlab.backends.cpu import segments, vector_exp, vector_writer
from tensorlab.backends.cpu.vector_writer import VectorWriter, lanes_of, whole_registers
from tensorlab.backends.operands import RUN
from tensorlab.dtypes import dtype

__all__ = [
    "exp_group",
    "exp_rest",
    "gelu_group",
    "gelu_rest",
    "has_groups",
    "has_strays",
    "imports",
    "of_numba",
]


class _Function(NamedTuple):
    """A function of a vector.

    Attributes:
        kinds: the dtypes that it is for.
        result: writes the instructions.
        inside: writes the question whether it holds for all elements of a vector; None: it holds for all.
    """

    kinds: tuple[dtype, ...]
    result: Callable[[VectorWriter, Any], Any]
    inside: Callable[[VectorWriter, Any], Any] | None = None


_FUNCTIONS = {
    "exp": _Function((dtypes.float32, dtypes.float64), vector_exp.exp),
    "gelu": _Function((dtypes.float32,), segments.gelu, segments.is_inside),
}

# What a text that uses them imports: Numba's cache does not see a change in these modules, so the text does.
_DIGEST = hashlib.sha256(
    "".join(map(inspect.getsource, (segments, vector_exp, vector_writer))).encode()
).hexdigest()[:16]


def of_numba(kind: types.Type) -> dtype:
    """The dtype of cells that Numba names so."""
    return {types.float32: dtypes.float32, types.float64: dtypes.float64}[kind]


def has_groups(name: str, element_types: Sequence[dtype], ways: Sequence[str]) -> bool:
    """Whether a scalar function of such operands is computed vector by vector.

    Args:
        name: the function's.
        element_types: of the output and the inputs.
        ways: how each of them is walked along the innermost dimension; an input may be the output itself.
    """
    found = _FUNCTIONS.get(name)
    if found is None or len(set(element_types)) != 1 or not set(ways) <= {RUN, "self"}:
        return False
    here: bool = element_types[0] in found.kinds and not config.DISABLE_JIT  # type: ignore[attr-defined]
    return here and whole_registers()


def has_strays(name: str) -> bool:
    """Whether some elements are left to the formula."""
    return _FUNCTIONS[name].inside is not None


def imports(name: str, kind: dtype) -> str:
    """The lines of a kernel's text that import a function's vectors."""
    return (
        "from tensorlab.backends.cpu.pointers import advance, at\n"
        f"from tensorlab.backends.cpu.groups import {name}_group, {name}_rest  # {_DIGEST}\n\n"
        f"GROUP = {lanes_of(kind)}\n"
    )


def _both(name: str) -> tuple[Any, Any]:
    """The intrinsics for a whole vector, and for the end of a run."""
    function = _FUNCTIONS[name]

    def generated(context: Any, builder: Any, kind: Any, places: Any, count: Any = None) -> Any:
        write = VectorWriter(builder, of_numba(kind))
        mask = None if count is None else write.first_lanes(count)
        x = write.load(places[0], mask)
        if function.inside is None:
            write.store(function.result(write, x), places[1], mask)
            return context.get_constant(types.boolean, True)
        inside = function.inside(write, x)
        with builder.if_then(inside, likely=True):
            write.store(function.result(write, x), places[1], mask)
        return inside

    def group(typing, source, to):  # type: ignore[no-untyped-def]
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return generated(context, builder, source.dtype, arguments)

        return types.boolean(source, to), generate

    def rest(typing, source, to, count):  # type: ignore[no-untyped-def]
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return generated(context, builder, source.dtype, arguments[:2], arguments[2])

        return types.boolean(source, to, types.int64), generate

    for made, ending in ((group, "group"), (rest, "rest")):
        made.__name__ = f"{name}_{ending}"
    return intrinsic(group), intrinsic(rest)


# NAME_group(source, to): the results of one vector of elements, from one place to another. Where the function
# does not hold for all of them, nothing is written. Returns whether it was done.
# NAME_rest(source, to, count): the same for fewer, the end of a run.
exp_group, exp_rest = _both("exp")
gelu_group, gelu_rest = _both("gelu")
