"""Several scalar functions of the same operands in one loop: the gradients of one small operation.

The kernel writes, or adds to, one output a function. An output may be one of the operands: all cells of a
position are read before the first is written. An output of one cell, as a broadcast operand has it, gets the
sum, which is gathered in float64.

Sums have a loop of their own, which writes nothing. Beside writes the compiler would regroup the additions
only where it finds, at run time, that no memory is shared: the last bits would depend on where memory lies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.pointwise_text import NAMES, VARIABLES
from tensorlab.backends.operands import CELL, ONE, RUN
from tensorlab.dtypes import dtype
from tensorlab.scalars.source import formula_text

__all__ = ["joint_kernel", "joint_source"]

Part = tuple[Callable | None, tuple[int, ...]]

# Only these additions may be regrouped, so that several are done at once.
_PLUS = f"""
@njit(error_model="numpy", fastmath={{"reassoc", "nsz", "contract"}}, forceinline=True, {jit.HELPER})
def plus(a, b):
    return a + b
"""

_kernels: dict[tuple, Callable] = {}


def joint_kernel(
    parts: Sequence[Part], element_type: dtype, kinds: Sequence[str], folded: Sequence[bool]
) -> Callable:
    """See `tensorlab.backends.protocol.Backend.joint_kernel`."""
    key = (tuple(parts), element_type, tuple(kinds), tuple(folded))
    found = _kernels.get(key)
    if found is None:
        names = "_".join("itself" if formula is None else formula.__name__ for formula, _ in parts)
        module = jit.load(f"joint_{names}_{element_type.name}", joint_source(*key))
        operands = [0.0 if kind == ONE else element_type.cell for kind in kinds]
        outputs = [element_type.cell, 0] * len(parts)
        found = _kernels[key] = jit.entry(jit.quiet(module.kernel), *operands, *outputs)
    return found


def joint_source(
    parts: Sequence[Part], element_type: dtype, kinds: Sequence[str], folded: Sequence[bool]
) -> str:
    """The text of a kernel.

    Example:
        >>> from tensorlab import dtypes
        >>> from tensorlab.scalars.arithmetic import mul
        >>> text = joint_source([(mul, (0, 2)), (mul, (0, 1))], dtypes.float32, ["run", "run", "cell"],
        ...                     [False, True])
        >>> print(text[text.index("def kernel"):])
        def kernel(a, b, c, out0, add0, out1, add1):
            if a.size != b.size or a.size != out0.size or c.size != 1 or out1.size != 1:
                return False
            z = c[0]
            total1 = 0.0
            for i in range(a.size):
                x, y = a[i], b[i]
                r1 = f1(x, y)
                total1 = plus(total1, np.float64(r1))
            for i in range(a.size):
                x, y = a[i], b[i]
                r0 = f0(x, z)
                out0[i] = out0[i] + r0 if add0 else r0
            out1[0] = out1[0] + np.float32(total1) if add1 else np.float32(total1)
            return True
        <BLANKLINE>
    """
    decorator = f'@njit(error_model="numpy", fastmath={{"contract"}}, forceinline=True, {jit.HELPER})'
    functions = []
    for number, (formula, _) in enumerate(parts):
        if formula is not None:
            functions.append(
                f"{formula_text(formula, element_type, decorator)}\nf{number} = {formula.__name__}\n"
            )
    names, values = NAMES[: len(kinds)], VARIABLES[: len(kinds)]
    outs = [f"out{number}, add{number}" for number in range(len(parts))]
    runs = [(n, v) for n, v, kind in zip(names, values, kinds, strict=True) if kind == RUN]
    lines = [f"def kernel({', '.join([*names, *outs])}):"]
    first = runs[0][0]
    refused = [f"{first}.size != {name}.size" for name, _ in runs[1:]]
    refused += [f"{first}.size != out{number}.size" for number, fold in enumerate(folded) if not fold]
    refused += [f"{name}.size != 1" for name, kind in zip(names, kinds, strict=True) if kind == CELL]
    refused += [f"out{number}.size != 1" for number, fold in enumerate(folded) if fold]
    lines += [f"    if {' or '.join(refused)}:", "        return False"]
    for name, value, kind in zip(names, values, kinds, strict=True):
        if kind == ONE:
            lines.append(f"    {value} = np.{element_type.name}({name})")
        elif kind == CELL:
            lines.append(f"    {value} = {name}[0]")
    lines += [f"    total{number} = 0.0" for number, fold in enumerate(folded) if fold]
    for folds in sorted(set(folded), reverse=True):
        numbers = [number for number, fold in enumerate(folded) if fold is folds]
        lines.append(f"    for i in range({first}.size):")
        lines.append(f"        {', '.join(v for _, v in runs)} = {', '.join(f'{n}[i]' for n, _ in runs)}")
        for number in numbers:
            formula, places = parts[number]
            arguments = ", ".join(values[place] for place in places)
            lines.append(f"        r{number} = {'x' if formula is None else f'f{number}({arguments})'}")
        for number in numbers:
            if folds:
                lines.append(f"        total{number} = plus(total{number}, np.float64(r{number}))")
            else:
                lines.append(
                    f"        out{number}[i] = out{number}[i] + r{number} if add{number} else r{number}"
                )
    for number, fold in enumerate(folded):
        if fold:
            total = f"np.{element_type.name}(total{number})"
            lines.append(f"    out{number}[0] = out{number}[0] + {total} if add{number} else {total}")
    lines.append("    return True")
    plus = f"\n{_PLUS}" if any(folded) else "\n"
    return (
        '"""Generated by tensorlab: the gradients of one operation."""\n'
        "import math\n\nimport numpy as np\nfrom numba import njit\n\n"
        f"number = np.{element_type.name}\n\n"
        + "\n\n".join(functions)
        + plus
        + f'\n@njit({jit.KERNEL}, error_model="numpy", fastmath={{"contract"}})\n'
        + "\n".join(lines)
        + "\n"
    )
