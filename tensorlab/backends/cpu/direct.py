"""Functions of counters and pointers, written down as instructions without Numba's analysis.

Numba finds out the type of every name of a function, and where each is assigned, in many passes over it. That
takes longer than to make machine code of it. The loops around tiles need none of it: they count, move
pointers and call. What they are made of is known from the arguments on, statement by statement.

Such a function has

- names of one type each, which are assigned before they are read
- whole numbers of 64 bits, truth values, pointers, and floats of one type in each operation
- ``for`` over a range, ``while``, ``if``, ``break``, ``continue``; ``return`` at its end
- cells of pointers and of arrays, by indices that are not negative
- calls of whatever Numba knows, and of Python's functions, whose text takes the place of the call. So does
  that of Numba's functions with ``inline="always"``

Constants of the module stay constants: what lies behind an ``if`` that they decide is not looked at.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from tensorlab.backends.cpu.direct_values import Slot, Value, Values

__all__ = ["direct", "text"]


def direct(function: Callable, result: types.Type = types.none) -> Callable:
    """A function that kernels call, and that becomes part of them, instruction by instruction.

    Args:
        function: one of the kind that stands above.
        result: the type of what it returns.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba reads the environment
        return function

    def typed(typing, *given):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
            write = _Writer(context, builder)
            found = write.inlined(function, list(map(Value, signature.args, values)))
            return context.get_dummy_value() if result is types.none else write.converted(found, result).value

        return result(*given), generate

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["typing", *inspect.signature(function).parameters]
    typed.__name__ = function.__name__
    typed.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    found: Callable = intrinsic(typed)
    return found


def text(source: str, options: str) -> str:
    """A function that is written down directly, and its kernel with these options of Numba's."""
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    name, parameters = function.name, ", ".join(parameter.arg for parameter in function.args.args)
    written = source.replace(f"def {name}(", f"def {name}_directly(", 1)
    kernel = f"def {name}({parameters}):\n    {name}_directly({parameters})\n"
    return f"@direct\n{written}\n\n@njit({options})\n{kernel}"


@functools.cache
def _parsed(function: Callable) -> ast.FunctionDef:
    """The tree of a function."""
    (found,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(found, ast.FunctionDef)
    return found


class _Items(tuple[Value, ...]):
    """The items of a tuple, of which some are a tuple again."""

    __slots__ = ()

    def __getitem__(self, chosen: Any) -> Any:
        found = super().__getitem__(chosen)
        return Value(None, found) if isinstance(chosen, slice) else found


class _Writer(Values, ast.NodeVisitor):
    """Writes the instructions of one function, and of those whose text takes the places of their calls.

    Attributes:
        names: what the function's names are.
        module: what the names of its module are.
        loops: where ``continue`` and ``break`` lead to.
    """

    def __init__(self, context: Any, builder: Any) -> None:
        super().__init__(context, builder)
        self.names: dict[str, Value | Slot] = {}
        self.module: dict[str, Any] = {}
        self.loops: list[tuple[Any, Any]] = []

    def inlined(self, function: Callable, arguments: Sequence[Value]) -> Value:
        """What a function returns for these arguments."""
        tree = _parsed(function)
        outer = self.names, self.module, self.loops
        self.names, self.module, self.loops = {}, inspect.unwrap(function).__globals__, []
        names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        stored = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        for parameter, argument in zip(tree.args.args, arguments, strict=True):
            if parameter.arg in stored:
                self.assign(parameter.arg, argument)
            else:
                self.names[parameter.arg] = argument
        *body, last = tree.body
        self.block(body)
        result = Value(None, None)
        if not isinstance(last, ast.Return):
            self.block([last])
        elif last.value is not None:
            result = self.visit(last.value)
        self.names, self.module, self.loops = outer
        return result

    def generic_visit(self, node: ast.AST) -> None:
        """Refuse what has no method of its own."""
        raise self.refused(node)

    # Statements.

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """One statement after another, up to one that leads elsewhere."""
        for statement in statements:
            if not self.builder.block.is_terminated:
                self.visit(statement)

    def visit_Pass(self, statement: ast.Pass) -> None:
        pass

    def visit_Expr(self, statement: ast.Expr) -> None:
        self.visit(statement.value)

    def visit_Assign(self, statement: ast.Assign) -> None:
        (target,) = statement.targets
        value = self.visit(statement.value)
        if isinstance(target, ast.Tuple):
            for each, item in zip(target.elts, self.items(value), strict=True):
                self.store(each, item)
        else:
            self.store(target, value)

    def visit_AugAssign(self, statement: ast.AugAssign) -> None:
        target = ast.parse(ast.unparse(statement.target), mode="eval").body
        self.store(statement.target, self.visit(ast.BinOp(target, statement.op, statement.value)))

    def store(self, target: ast.expr, value: Value) -> None:
        """Assign to a name or to a cell."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Subscript):
            kind, place = self.cell(self.visit(target.value), self.indices(target), target)
            self.context.pack_value(self.builder, kind, self.converted(value, kind).value, place)
        else:
            raise self.refused(target)

    def assign(self, name: str, value: Value) -> None:
        """Assign to a name, which has the type of what is assigned first."""
        value = self.machine(value)
        assert value.kind is not None
        slot = self.names.get(name)
        if not isinstance(slot, Slot):
            with self.builder.goto_entry_block():
                place = self.builder.alloca(self.context.get_value_type(value.kind), name=name)
            slot = self.names[name] = Slot(value.kind, place)
        if slot.kind != value.kind:
            raise ValueError(f"{name} is {slot.kind}, and is assigned {value.kind}")
        self.builder.store(value.value, slot.place)

    def visit_If(self, statement: ast.If) -> None:
        test = self.truth(self.visit(statement.test))
        if test.kind is None:
            self.block(statement.body if test.value else statement.orelse)
        else:
            self.either(test, lambda: self.block(statement.body), lambda: self.block(statement.orelse))

    def either(self, test: Value, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Do the one thing or the other."""
        *begun, after = (self.builder.append_basic_block(name) for name in ("then", "else", "after"))
        self.builder.cbranch(test.value, *begun)
        for block, write in zip(begun, (then, otherwise), strict=True):
            self.builder.position_at_end(block)
            write()
            self.go_to(after)
        self.builder.position_at_end(after)

    def go_to(self, block: Any) -> None:
        """Go on in another block, unless the way leads elsewhere already."""
        if not self.builder.block.is_terminated:
            self.builder.branch(block)

    def visit_While(self, statement: ast.While) -> None:
        head, body, after = (self.builder.append_basic_block(name) for name in ("head", "body", "after"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.machine(self.truth(self.visit(statement.test))).value, body, after)
        self.repeated(statement, body, head, after)

    def visit_For(self, statement: ast.For) -> None:
        called = statement.iter
        if not isinstance(called, ast.Call) or ast.unparse(called.func) != "range":
            raise self.refused(called)
        limits = [self.visit(limit) for limit in called.args]
        first = limits[0] if len(limits) > 1 else Value(None, 0)
        step = limits[2] if len(limits) > 2 else Value(None, 1)
        is_down = step.kind is None and step.value < 0
        start, last, by = (self.machine(limit).value for limit in (first, limits[len(limits) > 1], step))
        names = ("head", "body", "next", "after")
        head, body, following, after = (self.builder.append_basic_block(name) for name in names)
        before = self.builder.block
        self.builder.branch(head)
        self.builder.position_at_end(head)
        counter = self.builder.phi(ir.IntType(64))
        counter.add_incoming(start, before)
        self.builder.cbranch(self.builder.icmp_signed(">" if is_down else "<", counter, last), body, after)
        self.builder.position_at_end(body)
        self.store(statement.target, Value(types.int64, counter))
        self.repeated(statement, body, following, after)
        self.builder.position_at_end(following)
        counter.add_incoming(self.builder.add(counter, by, flags=["nsw"]), following)
        self.builder.branch(head)
        self.builder.position_at_end(after)

    def repeated(self, statement: ast.While | ast.For, body: Any, following: Any, after: Any) -> None:
        """The statements of a loop, which lead on to `following`; what is behind it comes next."""
        self.builder.position_at_end(body)
        self.loops.append((following, after))
        self.block(statement.body)
        self.loops.pop()
        self.go_to(following)
        self.builder.position_at_end(after)

    def visit_Continue(self, statement: ast.Continue) -> None:
        self.builder.branch(self.loops[-1][0])

    def visit_Break(self, statement: ast.Break) -> None:
        self.builder.branch(self.loops[-1][1])

    # Expressions, each of which is a `Value`.

    def visit_Constant(self, node: ast.Constant) -> Value:
        return Value(None, node.value)

    def visit_Name(self, node: ast.Name) -> Value:
        found = self.names.get(node.id)
        if isinstance(found, Slot):
            return Value(found.kind, self.builder.load(found.place))
        return Value(None, self.module[node.id]) if found is None else found

    def visit_Attribute(self, node: ast.Attribute) -> Value:
        return self.part(self.visit(node.value), node)

    def visit_Tuple(self, node: ast.Tuple) -> Value:
        return Value(None, tuple(self.visit(each) for each in node.elts))

    def indices(self, node: ast.Subscript) -> list[Value]:
        """The place of a cell in each dimension."""
        return list(map(self.visit, node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]))

    def visit_Subscript(self, node: ast.Subscript) -> Value:
        owner = self.visit(node.value)
        if owner.kind is None or isinstance(owner.kind, types.BaseTuple):
            items = _Items(self.items(owner))
            chosen: Value = eval(f"items[{ast.unparse(node.slice)}]", {"items": items})
            return chosen
        kind, place = self.cell(owner, self.indices(node), node)
        return Value(kind, self.context.unpack_value(self.builder, kind, place))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Value:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return self.opposite(self.truth(operand))
        if not isinstance(node.op, ast.USub):
            raise self.refused(node)
        return self.negated(operand)

    def visit_BinOp(self, node: ast.BinOp) -> Value:
        return self.computed(node, node.op, self.visit(node.left), self.visit(node.right))

    def visit_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) > 1:  # x < y < z
            between = zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
            return self.visit(ast.BoolOp(ast.And(), [ast.Compare(x, [op], [y]) for x, op, y in between]))
        return self.compared(node, node.ops[0], self.visit(node.left), self.visit(node.comparators[0]))

    def visit_BoolOp(self, node: ast.BoolOp) -> Value:
        decides = isinstance(node.op, ast.Or)  # the value behind which no other matters
        first, *others = node.values
        found = self.truth(self.visit(first))
        if not others:
            return found
        rest = ast.BoolOp(node.op, others)
        if found.kind is None:
            return Value(None, decides) if found.value == decides else self.visit(rest)
        if any(self.is_constant(each, decides) for each in others):
            return Value(None, decides)
        if decides:
            return self.chosen(found, lambda: Value(None, True), lambda: self.visit(rest))
        return self.chosen(found, lambda: self.visit(rest), lambda: Value(None, False))

    def is_constant(self, node: ast.expr, value: bool) -> bool:
        """Whether an expression is a name of the module that means this truth value."""
        return isinstance(node, ast.Name) and node.id not in self.names and self.module.get(node.id) is value

    def visit_IfExp(self, node: ast.IfExp) -> Value:
        test = self.truth(self.visit(node.test))
        if test.kind is None:
            return self.visit(node.body if test.value else node.orelse)
        return self.chosen(test, lambda: self.visit(node.body), lambda: self.visit(node.orelse))

    def chosen(self, test: Value, then: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
        """The one value or the other, of which only one is computed."""
        found: list[tuple[Value, Any]] = []

        def write(value: Callable[[], Value]) -> None:
            found.append((self.machine(value()), self.builder.block))

        self.either(test, lambda: write(then), lambda: write(otherwise))
        (a, _), (b, _) = found
        if a.kind != b.kind:
            raise ValueError(f"one value is {a.kind}, the other {b.kind}")
        chosen = self.builder.phi(a.value.type)
        for value, block in found:
            chosen.add_incoming(value.value, block)
        return Value(a.kind, chosen)

    def visit_Call(self, node: ast.Call) -> Value:
        function = self.visit(node.func).value
        arguments = [self.visit(argument) for argument in node.args]
        if isinstance(function, type) and issubclass(function, np.generic):
            return self.converted(arguments[0], numba.from_dtype(np.dtype(function)))
        if isinstance(function, Dispatcher) and function.targetoptions.get("inline") == "always":
            function = function.py_func
        if isinstance(function, FunctionType):
            return self.inlined(function, arguments)
        return self.called(function, arguments)
