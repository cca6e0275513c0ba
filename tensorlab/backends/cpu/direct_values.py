"""The values of functions that are written down directly (see `tensorlab.backends.cpu.direct`)."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numba.core import cgutils, types
from numba.core.funcdesc import ExternalFunctionDescriptor

__all__ = ["Slot", "Value", "Values"]


class Value(NamedTuple):
    """What an expression is: an instruction's value, of one of Numba's types; or known, if `kind` is None.

    What is known is a number, a truth value, a tuple of values, or any other object of Python's.
    """

    kind: types.Type | None
    value: Any


class Slot(NamedTuple):
    """The place of a name that is assigned to."""

    kind: types.Type
    place: Any


# What Python computes where both are known, and the instructions for integers and for floats.
_ARITHMETIC: dict[type, tuple[Callable, str, str]] = {
    ast.Add: (operator.add, "add", "fadd"),
    ast.Sub: (operator.sub, "sub", "fsub"),
    ast.Mult: (operator.mul, "mul", "fmul"),
    ast.Div: (operator.truediv, "", "fdiv"),
    ast.FloorDiv: (operator.floordiv, "sdiv", ""),
    ast.Mod: (operator.mod, "srem", ""),
    ast.BitAnd: (operator.and_, "and_", ""),
    ast.BitOr: (operator.or_, "or_", ""),
    ast.LShift: (operator.lshift, "shl", ""),
    ast.RShift: (operator.rshift, "ashr", ""),
}
_COMPARISONS: dict[type, tuple[Callable, str]] = {
    ast.Eq: (operator.eq, "=="),
    ast.NotEq: (operator.ne, "!="),
    ast.Lt: (operator.lt, "<"),
    ast.LtE: (operator.le, "<="),
    ast.Gt: (operator.gt, ">"),
    ast.GtE: (operator.ge, ">="),
}


class Values:
    """Writes the instructions that compute values.

    Attributes:
        context, builder: the compiler's.
    """

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder

    def refused(self, node: ast.AST) -> ValueError:
        """The error for what such functions do not have."""
        return ValueError(f"a direct function cannot have this: {ast.unparse(node)}")

    def kind_of(self, value: Value) -> types.Type:
        """The type that a value has, or would have as a machine's."""
        if value.kind is not None:
            return value.kind
        if isinstance(value.value, tuple):
            return types.BaseTuple.from_types(tuple(map(self.kind_of, value.value)))
        found = {bool: types.boolean, int: types.int64, float: types.float64}.get(type(value.value))
        if found is None:
            raise ValueError(f"no instruction makes {value.value!r}")
        return found

    def machine(self, value: Value) -> Value:
        """A value that instructions have made, also where it is known."""
        if value.kind is not None:
            return value
        kind = self.kind_of(value)
        if isinstance(value.value, tuple):
            items = [self.machine(item).value for item in value.value]
            return Value(kind, self.context.make_tuple(self.builder, kind, items))
        return Value(kind, self.context.get_constant(kind, value.value))

    def converted(self, value: Value, kind: types.Type | None) -> Value:
        """A value of another type."""
        if value.kind is None and isinstance(value.value, (int, float)) and isinstance(kind, types.Number):
            return Value(kind, self.context.get_constant(kind, value.value))
        value = self.machine(value)
        if value.kind == kind:
            return value
        return Value(kind, self.context.cast(self.builder, value.value, value.kind, kind))

    def truth(self, value: Value) -> Value:
        """Whether a value counts as true."""
        if value.kind is None:
            return Value(None, bool(value.value))
        if value.kind == types.boolean:
            return value
        if isinstance(value.kind, types.Float):  # NaN is not 0
            return Value(types.boolean, self.builder.fcmp_unordered("!=", value.value, value.value.type(0.0)))
        return Value(types.boolean, self.builder.icmp_signed("!=", value.value, value.value.type(0)))

    def opposite(self, value: Value) -> Value:
        """Whether a truth value is False."""
        if value.kind is None:
            return Value(None, not value.value)
        return Value(value.kind, self.builder.not_(value.value))

    def negated(self, value: Value) -> Value:
        """A number of the other sign."""
        if value.kind is None:
            return Value(None, -value.value)
        write = self.builder.fneg if isinstance(value.kind, types.Float) else self.builder.neg
        return Value(value.kind, write(value.value))

    def computed(self, node: ast.AST, sign: ast.operator, a: Value, b: Value) -> Value:
        """The result of an operation on two numbers."""
        known, of_integers, of_floats = _ARITHMETIC[type(sign)]
        if a.kind is None and b.kind is None:
            return Value(None, known(a.value, b.value))
        a, b = self.machine(a), self.machine(b)
        name = of_floats if isinstance(a.kind, types.Float) else of_integers
        if a.kind != b.kind or not name:
            raise self.refused(node)
        if name in ("sdiv", "srem"):
            return Value(a.kind, self._divided(name, a.value, b.value))
        flags = ["contract"] if name == of_floats else ["nsw"] if name in ("add", "sub", "mul") else []
        write = getattr(self.builder, name)
        return Value(a.kind, write(a.value, b.value, flags=flags) if flags else write(a.value, b.value))

    def _divided(self, name: str, a: Any, b: Any) -> Any:
        """The quotient, rounded down, or the remainder, which has the sign of `b`."""
        builder, zero = self.builder, a.type(0)
        rest = builder.srem(a, b)
        differ = builder.icmp_signed("<", builder.xor(rest, b), zero)
        is_below = builder.and_(builder.icmp_signed("!=", rest, zero), differ)
        if name == "srem":
            return builder.select(is_below, builder.add(rest, b), rest)
        return builder.sub(builder.sdiv(a, b), builder.zext(is_below, a.type))

    def compared(self, node: ast.AST, sign: ast.cmpop, a: Value, b: Value) -> Value:
        """Whether two numbers compare so."""
        if type(sign) not in _COMPARISONS:
            raise self.refused(node)
        known, name = _COMPARISONS[type(sign)]
        if a.kind is None and b.kind is None:
            return Value(None, known(a.value, b.value))
        if a.kind is None:
            a = self.converted(a, b.kind)
        if b.kind is None:
            b = self.converted(b, a.kind)
        if a.kind != b.kind:
            raise self.refused(node)
        if not isinstance(a.kind, types.Float):
            return Value(types.boolean, self.builder.icmp_signed(name, a.value, b.value))
        compare = self.builder.fcmp_unordered if name == "!=" else self.builder.fcmp_ordered
        return Value(types.boolean, compare(name, a.value, b.value))

    def called(self, function: Any, arguments: Sequence[Value]) -> Value:
        """What a function returns that Numba knows."""
        typing = self.context.typing_context
        kinds = [
            types.literal(each.value) if isinstance(each.value, int) else self.kind_of(each)
            for each in arguments
        ]
        kind = typing.resolve_value_type(function)
        signature = typing.resolve_function_type(kind, tuple(kinds), {})
        if signature is None:
            raise ValueError(f"{function} does not take {', '.join(map(str, kinds))}")
        wanted = zip(arguments, map(types.unliteral, signature.args), strict=True)
        given = [self.converted(*each).value for each in wanted]
        if isinstance(kind, types.ExternalFunction):
            named = ExternalFunctionDescriptor(kind.symbol, signature.return_type, signature.args)
            declared = self.context.declare_external_function(self.builder.module, named)
            found = self.context.call_external_function(self.builder, declared, named.argtypes, given)
        else:
            found = self.context.get_function(kind, signature)(self.builder, given)
        return (
            Value(None, None) if signature.return_type == types.none else Value(signature.return_type, found)
        )

    def items(self, value: Value) -> tuple[Value, ...]:
        """The items of a tuple."""
        if value.kind is None:
            known: tuple[Value, ...] = value.value
            return known
        values = cgutils.unpack_tuple(self.builder, value.value)
        return tuple(Value(*each) for each in zip(value.kind, values, strict=True))  # type: ignore[call-overload]

    def array(self, value: Value, node: ast.AST) -> Any:
        """The parts of an array."""
        if not isinstance(value.kind, types.Array):
            raise self.refused(node)
        return self.context.make_array(value.kind)(self.context, self.builder, value.value)

    def part(self, value: Value, node: ast.Attribute) -> Value:
        """The size or the shape of an array, or what has this name in an object that is known."""
        if value.kind is None:
            return Value(None, getattr(value.value, node.attr))
        array = self.array(value, node)
        if node.attr == "size":
            return Value(types.int64, array.nitems)
        if node.attr == "shape":
            sizes = cgutils.unpack_tuple(self.builder, array.shape)
            return Value(None, tuple(Value(types.int64, size) for size in sizes))
        raise self.refused(node)

    def cell(self, owner: Value, indices: Sequence[Value], node: ast.AST) -> tuple[types.Type, Any]:
        """The type and the place of a cell of a pointer or of an array."""
        places = [self.converted(index, types.int64).value for index in indices]
        if isinstance(owner.kind, types.CPointer):
            (place,) = places
            return owner.kind.dtype, self.builder.gep(owner.value, [place])
        array = self.array(owner, node)
        assert isinstance(owner.kind, types.Array)
        if owner.kind.layout != "C":
            steps = cgutils.unpack_tuple(self.builder, array.strides)
            parts = (array.data, None, steps, "A", places)
            return owner.kind.dtype, cgutils.get_item_pointer2(self.context, self.builder, *parts)
        place, *later = places
        sizes = cgutils.unpack_tuple(self.builder, array.shape)
        for size, index in zip(sizes[1:], later, strict=True):
            place = self.builder.add(self.builder.mul(place, size, flags=["nsw"]), index, flags=["nsw"])
        return owner.kind.dtype, self.builder.gep(array.data, [place])
