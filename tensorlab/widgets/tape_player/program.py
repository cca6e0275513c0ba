"""A program of the Tape Player: lines of Python, read as a list of operations and run by the library.

Nothing of the text is evaluated. It is a small part of Python: assignments, ``+ - * / ** @``, numbers, names,
brackets, the methods of `METHODS`, and ``+= -= *= /=``, which write into a result. ``parse.js`` reads the
same texts into the same operations.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeGuard

from tensorlab.tensor import Tensor

__all__ = ["METHODS", "MOST_ELEMENTS", "Program", "Step", "parse", "run"]

MOST_STEPS = 24  # as in parse.js and engine.js: what the player draws
MOST_ELEMENTS = 64  # of each tensor
MOST_LETTERS = 600

_FOREIGN = re.compile(r"[#\\]|\d_|(?<![\w.])0\d")  # Python has them, the page's reader does not

Ref = dict[str, Any]  # {"leaf": name}, {"step": number} or {"number": value}

_PLAIN = (
    "exp",
    "log",
    "sqrt",
    "tanh",
    "sigmoid",
    "relu",
    "sin",
    "cos",
    "abs",
    "square",
    "t",
    "clone",
    "detach",
)
METHODS = (*_PLAIN, "pow", "sum", "mean", "view", "expand", "transpose", "unsqueeze", "squeeze")
_SIGNS: dict[type, tuple[str, str]] = {
    ast.Add: ("add", "+"),
    ast.Sub: ("sub", "-"),
    ast.Mult: ("mul", "*"),
    ast.Div: ("div", "/"),
    ast.MatMult: ("matmul", "@"),
    ast.Pow: ("pow", "**"),
}
WRITES = ("add_", "sub_", "mul_", "div_")  # `h += 1` and its like
_VIEWS = ("view", "expand", "transpose", "unsqueeze", "squeeze", "t", "T", "detach")


class Step(NamedTuple):
    """One operation.

    Attributes:
        op: its name; one that writes into its first operand ends with ``_``.
        inputs: its operands: ``{"leaf": "x"}``, ``{"step": 0}`` or ``{"number": 2.0}``.
        args: its other arguments, by name.
        label: as the source has it, with operands that have a name.
        name: what the source calls the result, or None.
    """

    op: str
    inputs: list[Ref]
    args: dict[str, Any]
    label: str
    name: str | None


class Program(NamedTuple):
    """What a source says: its operations in order, and the leaves that it uses."""

    steps: list[Step]
    leaves: list[str]


def parse(source: str, leaves: list[str]) -> Program:
    """Read a program.

    Args:
        source: assignments and expressions, one a line or with ``;`` between; the last one is the result.
        leaves: the names that have a value.

    Raises:
        ValueError: it is no such program. The message says what it may be.

    Example:
        >>> [step.label for step in parse("z = (x * w).sum()", ["x", "w"]).steps]
        ['x * w', 'z = .sum()']
    """
    return _Reader(source, leaves).program()


def run(program: Program, leaves: Mapping[str, Tensor]) -> list[Tensor]:
    """The results of the operations, by the library.

    Raises:
        ValueError: one is too large to be shown.
        IndexError, RuntimeError: what the library says of operands that do not fit.
    """
    results: list[Tensor] = []
    for step in program.steps:
        values = [
            leaves[ref["leaf"]] if "leaf" in ref else results[ref["step"]] if "step" in ref else ref["number"]
            for ref in step.inputs
        ]
        result = _RUN[step.op](*values, **step.args)
        if result.numel() > MOST_ELEMENTS:
            raise ValueError(
                f"tensors of up to {MOST_ELEMENTS} elements are shown; {step.label} has shape "
                f"{tuple(result.shape)}"
            )
        results.append(result)
    return results


def _folded(name: str) -> Callable[..., Tensor]:
    def fold(x: Tensor, dims: list[int] | None, keepdim: bool) -> Tensor:
        return getattr(x, name)() if dims is None else getattr(x, name)(dims, keepdim)

    return fold


def _product(a: Tensor, b: Tensor) -> Tensor:
    made = a @ b
    if a.dim() > 2 or b.dim() > 2 or a.dim() < b.dim():
        raise ValueError(
            f"the player multiplies a matrix with a matrix or a vector, and vectors; not {tuple(a.shape)} "
            f"with {tuple(b.shape)}"
        )
    return made


_RUN: dict[str, Callable[..., Tensor]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "matmul": _product,
    "add_": lambda x, y: x.add_(y),
    "sub_": lambda x, y: x.sub_(y),
    "mul_": lambda x, y: x.mul_(y),
    "div_": lambda x, y: x.div_(y),
    "neg": operator.neg,
    "reciprocal": lambda x: x.reciprocal(),
    "T": lambda x: x.T,
    "pow": lambda x, exponent: x**exponent,
    "sum": _folded("sum"),
    "mean": _folded("mean"),
    "view": lambda x, sizes: x.view(sizes),
    "expand": lambda x, sizes: x.expand(sizes),
    "transpose": lambda x, dims: x.transpose(*dims),
    "unsqueeze": lambda x, dim: x.unsqueeze(dim),
    "squeeze": lambda x, dim: x.squeeze() if dim is None else x.squeeze(dim),
    **{name: (lambda x, name=name: getattr(x, name)()) for name in _PLAIN},
}


class _Reader:
    """Turns the syntax tree of a source into steps; every refusal is a ValueError."""

    def __init__(self, source: str, leaves: list[str]) -> None:
        self.source = source.strip()
        self.leaves = leaves
        self.names: dict[str, Ref] = {name: {"leaf": name} for name in leaves}
        self.steps: list[Step] = []

    def program(self) -> Program:
        lines = [line.strip() for line in self.source.replace(";", "\n").split("\n")]
        if len(self.source) > MOST_LETTERS:
            raise ValueError(f"a program has up to {MOST_LETTERS} letters; this has {len(self.source)}")
        if _FOREIGN.search(self.source):
            raise self.unreadable()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what Python finds odd is refused below, in our words
                body = ast.parse("\n".join(line for line in lines if line)).body
        except (SyntaxError, ValueError):
            raise self.unreadable() from None
        if not body:
            raise ValueError("write an expression of the leaves, such as (x * w + b).tanh().sum()")
        for line in body:
            root = self.line(line)
        if len(self.steps) > MOST_STEPS:
            raise ValueError(f"up to {MOST_STEPS} operations are drawn; this has {len(self.steps)}")
        used = {ref["step"] for step in self.steps for ref in step.inputs if "step" in ref}
        if root != {"step": len(self.steps) - 1} or len(used) < len(self.steps) - 1:
            raise ValueError("every operation has to lead to the result of the last line")
        named = {ref["leaf"] for step in self.steps for ref in step.inputs if "leaf" in ref}
        return Program(self.steps, [name for name in self.leaves if name in named])

    def unreadable(self) -> ValueError:
        return ValueError(
            f"“{self.source}” cannot be read: use the leaves, numbers, + - * / ** @, brackets and methods"
        )

    def line(self, line: ast.stmt) -> Ref:
        """One assignment or expression; what it gives."""
        if isinstance(line, ast.Expr):
            return self.expression(line.value)
        if isinstance(line, ast.AugAssign):
            return self.write(line)
        if not isinstance(line, ast.Assign) or len(line.targets) != 1:
            raise self.unreadable()
        target = line.targets[0]
        if not isinstance(target, ast.Name):
            raise self.unreadable()
        before = len(self.steps)
        ref = self.expression(line.value)
        if "number" in ref:
            raise ValueError(f"{target.id} would be a number; only results of operations get a name")
        if len(self.steps) > before:
            last = self.steps[-1]
            self.steps[-1] = last._replace(name=target.id, label=f"{target.id} = {last.label}")
        self.names[target.id] = ref
        return ref

    def write(self, line: ast.AugAssign) -> Ref:
        """``h += …``: an operation that writes into h. All names of h name its result from here on."""
        op, sign = _SIGNS.get(type(line.op), ("", ""))
        if f"{op}_" not in WRITES or not isinstance(line.target, ast.Name):
            raise self.unreadable()
        name = line.target.id
        target = self.expression(ast.Name(name))
        right = self.expression(line.value)
        if "leaf" in target:
            raise ValueError(f"{name} is a leaf: the player writes only into results of operations")
        memory = self.memory(target)
        if any(step.op in _VIEWS and self.memory(step.inputs[0]) == memory for step in self.steps):
            raise ValueError(
                f"{name} shares its memory with a view: the player writes only into results that have none"
            )
        ref = self.step(f"{op}_", [target, right], {}, f"{name} {sign}= {self.shown(right) or '…'}")
        self.steps[-1] = self.steps[-1]._replace(name=name)
        self.names.update({own: ref for own, known in self.names.items() if known == target})
        return ref

    def memory(self, ref: Ref) -> Ref:
        """The leaf or the operation whose memory a tensor looks into."""
        while "step" in ref and self.steps[ref["step"]].op in (*_VIEWS, *WRITES):
            ref = self.steps[ref["step"]].inputs[0]
        return ref

    def expression(self, node: ast.expr) -> Ref:
        if isinstance(node, ast.Constant) and _is_number(node.value):
            return {"number": float(node.value)}
        if isinstance(node, ast.Name):
            if node.id not in self.names:
                raise ValueError(f"there is no leaf {node.id}; the leaves are {', '.join(self.leaves)}")
            return self.names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            operand = self.expression(node.operand)
            if "number" in operand:
                return {"number": -operand["number"]}
            return self.step("neg", [operand], {}, f"-{self.shown(operand)}")
        if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
            return self.binary(node, *_SIGNS[type(node.op)])
        if isinstance(node, ast.Attribute) and node.attr == "T":
            operand = self.tensor(node.value, ".T")
            return self.step("T", [operand], {}, f"{self.shown(operand)}.T")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self.method(node.func, node)
        raise self.unreadable()

    def binary(self, node: ast.BinOp, op: str, sign: str) -> Ref:
        left, right = self.expression(node.left), self.expression(node.right)
        if "number" in left and "number" in right:
            raise ValueError(f"one side of {sign} has to be a tensor: both are numbers")
        if op == "pow":
            if "number" not in right:
                raise ValueError("the exponent of ** is a number here")
            label = f"{self.shown(left) or '…'} ** {self.shown(right)}"
            return self.step("pow", [left], {"exponent": right["number"]}, label)
        if op == "matmul" and ("number" in left or "number" in right):
            raise ValueError("one side of @ is a number: to scale a tensor write *")
        if op == "div" and "number" in left:  # the library computes it in two steps
            turned = self.step("reciprocal", [right], {}, f"1 / {self.shown(right) or '…'}")
            return self.step("mul", [turned, left], {}, f"… * {self.shown(left)}")
        label = f"{self.shown(left) or '…'} {sign} {self.shown(right) or '…'}"
        return self.step(op, [left, right], {}, label)

    def tensor(self, node: ast.expr, what: str) -> Ref:
        ref = self.expression(node)
        if "number" in ref:
            raise ValueError(f"{what} belongs to a tensor, and {self.shown(ref)} is a number")
        return ref

    def method(self, function: ast.Attribute, call: ast.Call) -> Ref:
        name = function.attr
        if name not in METHODS:
            raise ValueError(f"the player has no .{name}(); it has {', '.join(METHODS)}")
        operand = self.tensor(function.value, f".{name}()")
        args, text = _arguments(name, [self.literal(a) for a in call.args], self.keywords(call))
        return self.step(name, [operand], args, f"{self.shown(operand)}.{name}({text})")

    def keywords(self, call: ast.Call) -> dict[str, Any]:
        named = {str(keyword.arg): self.literal(keyword.value) for keyword in call.keywords if keyword.arg}
        if len(named) < len(call.keywords):  # one is given twice, or with **
            raise self.unreadable()
        return named

    def literal(self, node: ast.expr) -> Any:
        """A number, True, False, or a list of numbers."""
        if isinstance(node, ast.Constant) and (_is_number(node.value) or isinstance(node.value, bool)):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.literal(node.operand)
            if _is_number(value):
                return -value
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self.literal(element) for element in node.elts]
        raise self.unreadable()

    def step(self, op: str, inputs: list[Ref], args: dict[str, Any], label: str) -> Ref:
        self.steps.append(Step(op, inputs, args, label, None))
        return {"step": len(self.steps) - 1}

    def shown(self, ref: Ref) -> str:
        """What a label calls an operand: nothing where it has no name."""
        if "leaf" in ref:
            return str(ref["leaf"])
        if "number" in ref:
            return f"{ref['number']:g}"
        return self.steps[ref["step"]].name or ""


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: object) -> bool:
    return type(value) is int


def _dims(value: Any) -> list[int] | None:
    """A dimension or several as a list; None if it is neither."""
    dims = value if isinstance(value, list) else [value]
    return dims if all(_whole(dim) for dim in dims) else None


def _arguments(name: str, given: list[Any], keywords: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The arguments of a method by name, and as text.

    Raises:
        ValueError: they are not what the method takes.
    """
    wrong = ValueError(f".{name}() takes {_TAKES.get(name, 'no argument')}")
    if name in ("sum", "mean"):
        keepdim = keywords.pop("keepdim", given[1] if len(given) == 2 else False)
        dim = keywords.pop("dim", given[0] if given else None)
        dims = None if dim is None else _dims(dim)
        if keywords or len(given) > 2 or type(keepdim) is not bool or (dim is not None and dims is None):
            raise wrong
        if dims is None and keepdim:
            raise wrong
        shown = "" if dims is None else _sizes(dims) if isinstance(dim, list) else str(dim)
        return {"dims": dims, "keepdim": keepdim}, shown + (", keepdim=True" if keepdim else "")
    if keywords:
        raise wrong
    if name in ("view", "expand"):
        sizes = _dims(given[0] if len(given) == 1 else given)
        if sizes is None or not given:
            raise wrong
        return {"sizes": sizes}, ", ".join(map(str, sizes)) if sizes else "()"
    if name == "transpose" and len(given) == 2 and all(map(_whole, given)):
        return {"dims": given}, ", ".join(map(str, given))
    if name in ("unsqueeze", "squeeze") and len(given) == 1 and _whole(given[0]):
        return {"dim": given[0]}, str(given[0])
    if name == "squeeze" and not given:
        return {"dim": None}, ""
    if name == "pow" and len(given) == 1 and _is_number(given[0]):
        return {"exponent": float(given[0])}, f"{given[0]:g}"
    if name in _PLAIN and not given:
        return {}, ""
    raise wrong


_TAKES = {
    "sum": "a dimension or several, and keepdim=True with them",
    "mean": "a dimension or several, and keepdim=True with them",
    "view": "the new sizes",
    "expand": "the new sizes",
    "transpose": "two dimensions",
    "unsqueeze": "a dimension",
    "squeeze": "a dimension or nothing",
    "pow": "a number",
}


def _sizes(sizes: list[int]) -> str:
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"
