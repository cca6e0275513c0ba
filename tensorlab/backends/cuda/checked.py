"""The kernels whose figures are kept (see `tensorlab.backends.cuda.figures`), as operations run them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from tensorlab import folds
from tensorlab.backends.cuda import (
    attention,
    attention_gradient,
    columns,
    compiler,
    copy,
    elementwise,
    gemm,
    ladder,
    normalise,
    normalise_groups,
    pooling,
    products,
    reduce,
    scan,
    softmax,
    sort,
    tensor_cores,
    update,
    warpgroups,
)
from tensorlab.backends.cuda.constants import of_cells, specialised
from tensorlab.backends.cuda.figures import CAPABILITIES, DOUBLE, HALF, SINGLE, WHOLE, Checked
from tensorlab.backends.cuda.kernel_text import functions_of, kernel_of
from tensorlab.backends.operands import OperandLayout
from tensorlab.core import dtypes
from tensorlab.scalars import TABLE, updates

MATRIX = SINGLE, WHOLE, (WHOLE,), WHOLE, WHOLE
PRODUCT = WHOLE, WHOLE, WHOLE, WHOLE, WHOLE, (WHOLE,), *MATRIX * 5
RUNG = WHOLE, WHOLE, WHOLE, SINGLE, SINGLE, SINGLE


def _products() -> dict[str, Checked]:
    made = functions_of("gemm", gemm.product_text(dtypes.float32, False, None, False))
    names = {name: made[name] for name in ("widen", "finish", "number")}
    found = {}
    for a, b in itertools.product((True, False), repeat=2):
        for size in (products.MIDDLE, products.LARGEST):
            kernel = products.of_operands((a, b), (True,) * 3, size, **names)
            order = "nt"[not a] + "nt"[b]
            found[f"product {order} {size.TILE}x{size.KEPT}"] = Checked(kernel, PRODUCT)
    return found


def _of_columns() -> dict[str, Checked]:
    """Products whose `b` is found in an image: sums over a place's rows, and over places, of float32."""
    found, word = {}, np.dtype(np.int32)
    three, words = (WHOLE,) * 3, (word,) * 3
    windows = (WHOLE,), WHOLE, WHOLE, three, three, words, three, (WHOLE, WHOLE)
    for element, cells in (dtypes.float32, SINGLE), (dtypes.bfloat16, HALF), (dtypes.float16, HALF):
        for along_k, said in (True, "of columns"), (False, "of columns over places"):
            made = functions_of("gemm", gemm.product_text(element, False, None, False))
            names = {name: made[name] for name in ("widen", "finish", "number")}
            a = out = cells, *MATRIX[1:]
            if not along_k:
                kept = functions_of("gemm", gemm.product_text(dtypes.float32, False, None, False))
                out, names["finish"] = MATRIX, kept["finish"]
            b = cells, WHOLE, (WHOLE,), compiler.Address(word), windows
            kinds = *PRODUCT[:6], *out, *a, *b, *out, *out
            name, order = "tf32" if element is dtypes.float32 else element.name, (True, along_k)
            given = tensor_cores.LARGE, names["finish"], names["widen"]
            kernel = tensor_cores.of_type(name, order, True, *given, **columns.on_tensor_cores(element))
            found[f"{name} {said}"] = Checked(kernel, kinds, CAPABILITIES[1:])
            if element is dtypes.float32:
                for size in (products.MIDDLE, products.LARGEST):
                    kernel = products.of_operands(order, (True,) * 3, size, **names, **columns.FUNCTIONS)
                    found[f"product {said} {size.TILE}x{size.KEPT}"] = Checked(kernel, kinds)
    return found


def _rungs() -> dict[str, Checked]:
    return {f"rung {name}": Checked(ladder.sized(name)[0], RUNG) for name in ladder.LADDER}


def _on_tensor_cores() -> dict[str, Checked]:
    found = {}
    for element in (dtypes.bfloat16, dtypes.float16, dtypes.float32):
        name, cells = ("tf32", SINGLE) if element is dtypes.float32 else (element.name, HALF)
        made = functions_of("gemm", gemm.product_text(element, False, None, False))
        matrix = cells, WHOLE, (WHOLE,), WHOLE, WHOLE
        for a, b in itertools.product((True, False), repeat=2):
            functions = made["finish"], made["widen"]
            kernel = tensor_cores.of_type(name, (a, b), True, tensor_cores.LARGE, *functions)
            kinds, order = (*PRODUCT[:6], *matrix * 5), f"{'nt'[not a]}{'nt'[b]}"
            found[f"{name} {order}"] = Checked(kernel, kinds, CAPABILITIES[1:])
            if name != "tf32":
                kernel = warpgroups.of_type(name, (a, b), *functions)
                found[f"wgmma {name} {order}"] = Checked(kernel, kinds, ((9, 0),))
    return found


def _pointwise() -> dict[str, Checked]:
    line, row, found = OperandLayout(dtypes.float32, (1,)), OperandLayout(dtypes.float32, (0, 1)), {}
    square, half = OperandLayout(dtypes.float32, (64, 1)), OperandLayout(dtypes.bfloat16, (1,))
    for name, formula, shape, operands in (
        ("copy", "copy", (64,), [line] * 2),
        ("add", "add", (64,), [line] * 3),
        ("exp", "exp", (64,), [line] * 2),
        *((name, name, (64,), [line] * 2) for name in ("ceil", "floor", "round", "trunc")),
        *((name, name, (64,), [line] * 3) for name in ("copysign", "fmod", "remainder")),
        ("add of bfloat16", "add", (64,), [half] * 3),
        ("add of a row", "add", (64, 64), [square, square, row]),
    ):
        (walk, *_), _ = elementwise.walks(TABLE[formula], dtypes.float32, shape, operands)
        kinds = [*compiler.signature(walk.begin)]
        for each, steps in zip(operands, walk.strides, strict=True):
            kinds += [compiler.Address(each.dtype.cell), WHOLE, *([(WHOLE,) * len(steps)] if steps else [])]
        found[f"pointwise {name}"] = Checked(walk.kernel, tuple(kinds))
    return found


def _reductions() -> dict[str, Checked]:
    single, found = dtypes.float32, {}
    kinds = (
        WHOLE,
        WHOLE,
        DOUBLE,
        (WHOLE,),
        (WHOLE,),
        SINGLE,
        WHOLE,
        (WHOLE,),
        SINGLE,
        WHOLE,
        (WHOLE,),
        (WHOLE,),
    )
    for name, stage in itertools.product(("sum", "amax", "var"), ("whole", "parts", "last")):
        centers = (compiler.Address(DOUBLE),) if name == "var" and stage != "whole" else ()
        for in_columns in (False, True)[: 1 if stage == "last" else 2]:
            made = reduce.reduce_text(folds.TABLE[name], single, single, single, stage, in_columns, True)
            said = " in columns" * in_columns
            found[f"reduce {name} {stage}{said}"] = Checked(kernel_of(name, made), (*kinds, *centers))
    return found


def _places() -> dict[str, Checked]:
    kinds = (
        WHOLE,
        (WHOLE,),
        (WHOLE,),
        compiler.Address(WHOLE),
        WHOLE,
        (WHOLE,),
        SINGLE,
        WHOLE,
        (WHOLE,),
        (WHOLE,),
    )
    found = {}
    for stage in ("whole", "parts", "last"):
        given = kinds if stage == "whole" else (WHOLE, *kinds, SINGLE, compiler.Address(WHOLE))
        for in_columns in (False, True)[: 1 if stage == "last" else 2]:
            is_line = stage != "last"
            made = reduce.arg_reduce_text(True, dtypes.float32, dtypes.int64, stage, in_columns, is_line)
            said = " in columns" * in_columns
            found[f"reduce argmax {stage}{said}"] = Checked(kernel_of("arg_reduce", made), given)
    return found


def _scans() -> dict[str, Checked]:
    line, single, found = (WHOLE, (WHOLE,), WHOLE), dtypes.float32, {}
    for name, value in ("cumsum", dtypes.float64), ("cummax", single):
        numbers, has_places = compiler.Address(WHOLE), name == "cummax"
        kinds = WHOLE, (WHOLE,), SINGLE, *line, *(numbers, *line) * has_places, SINGLE, *line
        for stage in ("whole", "totals", "parts"):
            made = scan.shared_scan_text(name, value, single, single, has_places, stage)
            given = kinds
            if stage != "whole":
                told = compiler.Address(value.cell), *(numbers,) * has_places * (1 + (stage == "parts"))
                given = WHOLE, WHOLE, *kinds, *told
            found[f"scan {name} {stage}"] = Checked(kernel_of(name, made), given)
    return found


def _order() -> dict[str, Checked]:
    made = functions_of("sort", sort.sort_text(dtypes.float32, False, 2048))
    places, x = (compiler.Address(WHOLE), WHOLE), (SINGLE, WHOLE)
    return {
        "sort": Checked(made["sort"], (WHOLE,) * 4 + (*places, *x)),
        "sort merge": Checked(made["merge"], (WHOLE,) * 5 + (*places, compiler.Address(WHOLE), *x)),
    }


def _attention() -> dict[str, Checked]:
    sizes = attention.constants(64, 64, 4, 48 << 10, 256) or {}
    kernel = specialised(attention.attention, **sizes, CAUSAL=True, WIDE=True)
    vars(kernel)["bounds"] = 128, 2
    kinds = WHOLE, WHOLE, DOUBLE, (WHOLE,), *MATRIX * 5, SINGLE
    found = {"attention": Checked(kernel, kinds)}
    sizes = attention_gradient.constants(64, 64, 4, 48 << 10, 256) or {}
    for rows in ("queries", "keys"):
        names = {**sizes, "CAUSAL": True, "WIDE": True, "OF_KEYS": rows == "keys"}
        kernel = specialised(attention_gradient.attention_gradient, **names)
        vars(kernel)["bounds"] = 64, 2
        given = WHOLE, WHOLE, DOUBLE, (WHOLE,), *MATRIX * 6, *(SINGLE,) * 4
        found[f"attention gradient of {rows}"] = Checked(kernel, given)
    return found


def _normalised() -> dict[str, Checked]:
    pair, steps = (SINGLE, WHOLE), (WHOLE,) * 3
    statistics = (compiler.Address(DOUBLE), WHOLE), pair  # the means, and the scales
    of_weights, of_groups = pair * 2, (*steps, *steps, *steps[:1])
    kinds = {
        "group_statistics": (*steps, *steps, SINGLE, *pair),
        "normalise_groups": (
            *steps, WHOLE, DOUBLE, *of_groups[1:], SINGLE, *pair, *pair, *statistics[0] * 2, *pair * 3
        ),
        "group_products": (*steps, *steps, SINGLE, *pair * 2, *statistics[0], *pair),
        "normalise_groups_gradient": (
            *steps, *of_groups, SINGLE, *pair, *of_weights, *pair * 3, *statistics[0], *pair
        ),
        "join_parts": (WHOLE, WHOLE, WHOLE, WHOLE, SINGLE, *of_weights),
    }  # fmt: skip
    found = {}
    for name, given in kinds.items():
        for across in (1, 32) if name != "join_parts" else (32,):
            kernel = specialised(getattr(normalise_groups, name), ACROSS=across)
            said = name.replace("_", " ")
            found[f"grouped {said}{' in columns' * (across > 1)}"] = Checked(kernel, given)
    for kept in (4, 16):
        kernel = specialised(normalise.normalise_gradient, KEPT=kept, THREADS=256)
        given = WHOLE, WHOLE, SINGLE, *pair * 6
        found[f"row gradient of {kept} numbers"] = Checked(kernel, given)
    return found


def _pooled() -> dict[str, Checked]:
    kernel = of_cells(pooling.pool_greatest, dtypes.float32, dtypes.float32, PLACES=False)
    tables = (compiler.Address(WHOLE),) * 2
    kinds = (WHOLE,) * 7 + (*tables, *(SINGLE, *(WHOLE,) * 5) * 2, SINGLE, WHOLE)
    return {"greatest of windows": Checked(kernel, kinds)}


def _transposed() -> dict[str, Checked]:
    kernel = specialised(copy.transpose, **copy.LARGE)
    kinds = WHOLE, WHOLE, (WHOLE,), *(SINGLE, WHOLE, (WHOLE,), WHOLE) * 2
    return {"transpose": Checked(kernel, kinds)}


def _rows() -> dict[str, Checked]:
    of_softmax = WHOLE, (WHOLE,), *(SINGLE, WHOLE, (WHOLE,), WHOLE) * 2
    of_normalise = WHOLE, DOUBLE, *(SINGLE, WHOLE) * 6
    of_kept, kept = (WHOLE, (WHOLE,), *(SINGLE, WHOLE, (WHOLE,)) * 2), {"PIECES": 8, "KEPT": 32}
    return {
        "row softmax": Checked(softmax.softmax, of_softmax),
        "row log_softmax": Checked(softmax.log_softmax, of_softmax),
        "row normalise": Checked(normalise.normalise, of_normalise),
        "kept softmax": Checked(specialised(softmax.softmax_kept, **kept, BEYOND=-math.inf), of_kept),
        "kept normalise": Checked(specialised(normalise.normalise_kept, **kept), of_normalise),
    }


def _updates() -> dict[str, Checked]:
    def of_each(kind: Any) -> tuple[Any, ...]:
        return (kind,) * update.TOGETHER

    shared, found = (WHOLE, of_each(np.dtype(np.int32)), of_each(WHOLE)), {}
    for said, element, width, in_cells in (
        ("", dtypes.float32, 4, ()),
        (" of bfloat16", dtypes.bfloat16, 8, ()),
        (" of numbers in cells", dtypes.float32, 4, (True,) * updates.ADAM.numbers),
    ):
        text = update.update_text(updates.ADAM, element, width, in_cells=in_cells)
        numbers = (of_each(SINGLE),) * 9 if in_cells else (DOUBLE,) * 9
        kinds = *shared, *(of_each(compiler.Address(element.cell)),) * 4, *numbers
        found[f"update adam{said}"] = Checked(kernel_of("adam", text), kinds)
    for rule in (
        updates.ADAM_NUMBERS,
        updates.ADAMAX_NUMBERS,
        updates.ASGD_NUMBERS,
        updates.NADAM_MOMENTUM,
        updates.NADAM_NUMBERS,
        updates.RADAM_NUMBERS,
    ):
        text = update.update_text(rule, dtypes.float32, in_cells=(True,) * rule.numbers)
        kinds = *shared, *(of_each(SINGLE),) * (len(rule.arguments[0]) + rule.numbers)
        found[f"numbers {rule.name}"] = Checked(kernel_of(rule.name, text), kinds)
    return found


CHECKED = {
    **_rungs(),
    **_products(),
    **_of_columns(),
    **_on_tensor_cores(),
    **_pointwise(),
    **_reductions(),
    **_places(),
    **_scans(),
    **_order(),
    **_rows(),
    **_normalised(),
    **_attention(),
    **_pooled(),
    **_transposed(),
    **_updates(),
}
