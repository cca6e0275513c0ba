"""The functions of `tensorlab.backends.cuda.intrinsics`, and conversions, as instructions of a GPU by LLVM.

Importing it takes numba-cuda.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda.extending import intrinsic

__all__ = ["INSTRUCTIONS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

FLOAT, DOUBLE, WORD, LONG = ir.FloatType(), ir.DoubleType(), ir.IntType(32), ir.IntType(64)
SHARED = 3  # the number of LLVM's address space


def _address(context: Any, builder: Any, kind: Any, cells: Any, index_kind: Any, index: Any) -> Any:
    """The address of a cell of an array, or behind a pointer."""
    first = (
        cells if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, cells).data
    )
    return builder.gep(first, [context.cast(builder, index, index_kind, types.intp)])


def _neighbours(
    context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any], count: int
) -> tuple[Any, int]:
    """The address of so many cells as one vector, and by how many bytes it is aligned.

    Of cells that are smaller than a word it is a vector of words: else it would not be one access.
    """
    address = _address(context, builder, kinds[0], values[0], kinds[1], values[1])
    size = count * kinds[0].dtype.bitwidth
    cell = context.get_data_type(kinds[0].dtype)
    vector = ir.VectorType(WORD, size // 32) if _in_a_word(cell) > 1 else ir.VectorType(cell, count)
    return builder.bitcast(address, vector.as_pointer(addrspace=address.type.addrspace)), min(size // 8, 16)


def _in_a_word(cell: Any) -> int:
    """How many cells a word holds."""
    return 32 // cell.width if isinstance(cell, ir.IntType) and cell.width < 32 else 1


def _load(count: int) -> Any:
    def load(typing, cells, first):
        def generate(context, builder, signature, values):
            address, alignment = _neighbours(context, builder, signature.args, values, count)
            vector = builder.load(address)
            vector.align = alignment
            cell = context.get_data_type(cells.dtype)
            many = _in_a_word(cell)
            each = [builder.extract_element(vector, WORD(i // many)) for i in range(count)]
            if many > 1:
                parts = (builder.lshr(each[i], WORD(i % many * cell.width)) for i in range(count))
                each = [builder.trunc(part, cell) for part in parts]
            return context.make_tuple(builder, signature.return_type, each)

        return types.UniTuple(cells.dtype, count)(cells, first), generate

    load.__name__ = f"load{count}"
    return intrinsic(load)


def _store(count: int) -> Any:
    def store(typing, cells, first, given):
        def generate(context, builder, signature, values):
            address, alignment = _neighbours(context, builder, signature.args, values, count)
            cell = context.get_data_type(cells.dtype)
            many = _in_a_word(cell)
            each = [builder.extract_value(values[2], i) for i in range(count)]
            if many > 1:
                parts = [
                    builder.shl(builder.zext(part, WORD), WORD(i % many * cell.width))
                    for i, part in enumerate(each)
                ]
                each = [functools.reduce(builder.or_, parts[i : i + many]) for i in range(0, count, many)]
            vector = ir.Constant(address.type.pointee, ir.Undefined)
            for i, part in enumerate(each):
                vector = builder.insert_element(vector, part, WORD(i))
            builder.store(vector, address).align = alignment
            return context.get_dummy_value()

        return types.void(cells, first, types.UniTuple(cells.dtype, count)), generate

    store.__name__ = f"store{count}"
    return intrinsic(store)


def _run(builder: Any, text: str, results: str, operands: Sequence[Any], has_effect: bool) -> Any:
    """Instructions of PTX. `results` has a letter for each result: f for a float, r for a word."""
    letters = {FLOAT: "f", DOUBLE: "d", WORD: "r", LONG: "l"}
    kinds = [FLOAT if letter == "f" else WORD for letter in results]
    result = ir.LiteralStructType(kinds) if len(kinds) > 1 else kinds[0] if kinds else ir.VoidType()
    constraints = [f"={letter}" for letter in results] + [letters[each.type] for each in operands]
    constraints += ["~{memory}"] * has_effect
    function = ir.FunctionType(result, [each.type for each in operands])
    asm = ir.InlineAsm(function, text, ",".join(constraints), side_effect=has_effect)
    return builder.call(asm, operands)


def _in_shared(builder: Any, address: Any) -> Any:
    """The address within shared memory, a word."""
    if address.type.addrspace != SHARED:
        address = builder.addrspacecast(address, ir.PointerType(address.type.pointee, addrspace=SHARED))
    return builder.ptrtoint(address, WORD)


@intrinsic
def async_copy(typing, to, to_first, cells, first, count):
    def generate(context, builder, signature, values):
        kinds = signature.args
        target = _in_shared(builder, _address(context, builder, kinds[0], values[0], kinds[1], values[1]))
        source = _address(context, builder, kinds[2], values[2], kinds[3], values[3])
        size = context.cast(builder, values[4], kinds[4], types.int32)
        size = builder.mul(size, WORD(kinds[2].dtype.bitwidth // 8))
        text = "{ .reg .u64 g; cvta.to.global.u64 g, $1; cp.async.cg.shared.global [$0], [g], 16, $2; }"
        _run(builder, text, "", [target, builder.ptrtoint(source, LONG), size], has_effect=True)
        return context.get_dummy_value()

    return types.void(to, to_first, cells, first, count), generate


@intrinsic
def async_commit(typing):
    def generate(context, builder, signature, values):
        _run(builder, "cp.async.commit_group;", "", [], has_effect=True)
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def async_wait(typing, groups):
    if not isinstance(groups, types.IntegerLiteral):
        return None

    def generate(context, builder, signature, values):
        _run(builder, f"cp.async.wait_group {groups.literal_value};", "", [], has_effect=True)
        return context.get_dummy_value()

    return types.void(groups), generate


def _atomic(name: str, operation: str) -> Any:
    def update(typing, cells, cell, value):
        kind = cells.dtype
        letter = {"f": "f", "i": "u" if operation == "add" else "s"}[str(kind)[0]]

        def generate(context, builder, signature, values):
            kinds = signature.args
            address = _address(context, builder, kinds[0], values[0], kinds[1], values[1])
            given = context.cast(builder, values[2], kinds[2], kind)
            text = f"red.{operation}.{letter}{kind.bitwidth} [$0], $1;"
            _run(builder, text, "", [builder.ptrtoint(address, LONG), given], has_effect=True)
            return context.get_dummy_value()

        return types.void(cells, cell, value), generate

    update.__name__ = name
    return intrinsic(update)


def _unsigned(name: str, instruction: str) -> Any:
    def divide(typing, a, b):
        def generate(context, builder, signature, values):
            kinds = signature.args
            a, b = (context.cast(builder, *each, types.uint32) for each in zip(values, kinds, strict=True))
            return builder.zext(getattr(builder, instruction)(a, b), LONG)

        return types.int64(a, b), generate

    divide.__name__ = name
    return intrinsic(divide)


def _matrices(name: str, suffix: str) -> Any:
    def load(typing, tile, cell):
        def generate(context, builder, signature, values):
            kinds = signature.args
            address = _address(context, builder, kinds[0], values[0], kinds[1], values[1])
            text = f"ldmatrix.sync.aligned.m8n8.x4{suffix}.shared.b16 {{$0, $1, $2, $3}}, [$4];"
            found = _run(builder, text, "rrrr", [_in_shared(builder, address)], has_effect=True)
            each = [builder.extract_value(found, i) for i in range(4)]
            return context.make_tuple(builder, signature.return_type, each)

        return types.UniTuple(types.uint32, 4)(tile, cell), generate

    load.__name__ = name
    return intrinsic(load)


def _multiply(name: str, shape: str, kind: str) -> Any:
    def multiply(typing, a, b, c):
        def generate(context, builder, signature, values):
            operands = [
                builder.extract_value(value, i)
                for value, count in zip(values, (4, 2, 4), strict=True)
                for i in range(count)
            ]
            text = (
                f"mma.sync.aligned.{shape}.row.col.f32.{kind}.{kind}.f32 "
                "{$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};"
            )
            found = _run(builder, text, "ffff", operands, has_effect=False)
            each = [builder.extract_value(found, i) for i in range(4)]
            return context.make_tuple(builder, signature.return_type, each)

        words, floats = types.UniTuple(types.uint32, 4), types.UniTuple(types.float32, 4)
        return floats(words, types.UniTuple(types.uint32, 2), floats), generate

    multiply.__name__ = name
    return intrinsic(multiply)


@intrinsic
def tf32(typing, x):
    def generate(context, builder, signature, values):
        return _run(builder, "cvt.rna.tf32.f32 $0, $1;", "r", values, has_effect=False)

    return types.uint32(types.float32), generate


@intrinsic
def word(typing, value):
    def generate(context, builder, signature, values):
        return context.cast(builder, values[0], signature.args[0], types.int32)

    return types.int32(value), generate


@intrinsic
def float16_to_float32(typing, half):
    def generate(context, builder, signature, values):
        cell = context.cast(builder, values[0], signature.args[0], types.uint16)
        return builder.fpext(builder.bitcast(cell, ir.HalfType()), FLOAT)

    return types.float32(half), generate


@intrinsic
def float32_to_float16(typing, single):
    def generate(context, builder, signature, values):
        number = context.cast(builder, values[0], signature.args[0], types.float32)
        return builder.bitcast(builder.fptrunc(number, ir.HalfType()), ir.IntType(16))

    return types.uint16(single), generate


@intrinsic
def swizzle(typing, cell, along_k):
    def generate(context, builder, signature, values):
        number = context.cast(builder, values[0], signature.args[0], types.int32)
        is_along_k = context.cast(builder, values[1], signature.args[1], types.boolean)
        bits = builder.select(is_along_k, WORD(24), WORD(56))
        return builder.xor(number, builder.and_(builder.ashr(number, WORD(3)), bits))

    return types.int32(cell, along_k), generate


@intrinsic
def share_with_tensor_cores(typing):
    def generate(context, builder, signature, values):
        _run(builder, "fence.proxy.async.shared::cta;", "", [], has_effect=True)
        return context.get_dummy_value()

    return types.void(), generate


def _descriptor(builder: Any, address: Any, along_k: bool) -> Any:
    """What tells tensor cores of a panel in shared memory: where it is, and how its lines follow each other.

    In units of 16 bytes: the address, from bit 16 how far the next 64 cells across are, from bit 32 how far
    the next eight lines are; from bit 62 the swizzle. The fields are those of CUDA's PTX manual, "matrix
    descriptor" of wgmma.
    """
    eights, swizzled = (512, 2) if along_k else (1024, 1)
    fields = swizzled << 62 | eights // 16 << 32 | 4096 // 16 << 16
    where = builder.zext(builder.lshr(_in_shared(builder, address), WORD(4)), LONG)
    return builder.or_(where, LONG(fields))


def _by_warpgroup(name: str, kind: str) -> Any:
    def multiply(typing, totals, a, a_first, a_along_k, b, b_first, b_along_k):
        if not (isinstance(a_along_k, types.Literal) and isinstance(b_along_k, types.Literal)):
            return None

        def generate(context, builder, signature, values):
            kinds = signature.args
            operands = []
            for i, along_k in ((1, a_along_k), (4, b_along_k)):
                address = _address(context, builder, kinds[i], values[i], kinds[i + 1], values[i + 1])
                operands.append(_descriptor(builder, address, along_k.literal_value))
            cells = [_address(context, builder, kinds[0], values[0], types.intp, LONG(i)) for i in range(64)]
            # The next sixteen along k: 32 bytes on in each line, or sixteen lines.
            a_next, b_next = (2 if each.literal_value else 128 for each in (a_along_k, b_along_k))
            turned = f"{int(not a_along_k.literal_value)}, {int(not b_along_k.literal_value)}"
            results = ", ".join(f"${i}" for i in range(64))
            shape = f"wgmma.mma_async.sync.aligned.m64n128k16.f32.{kind}.{kind} {{{results}}}"
            text = (
                "{ .reg .b64 x, y; .reg .pred p; setp.eq.b32 p, 0, 0; wgmma.fence.sync.aligned; "
                f"{shape}, $64, $65, p, 1, 1, {turned}; add.s64 x, $64, {a_next}; add.s64 y, $65, {b_next}; "
                f"{shape}, x, y, p, 1, 1, {turned}; wgmma.commit_group.sync.aligned; "
                "wgmma.wait_group.sync.aligned 0; }"
            )
            constraints = ["=f"] * 64 + ["l", "l", *map(str, range(64)), "~{memory}"]
            returned = ir.LiteralStructType([FLOAT] * 64)
            function = ir.FunctionType(returned, [LONG, LONG, *[FLOAT] * 64])
            asm = ir.InlineAsm(function, text, ",".join(constraints), side_effect=True)
            found = builder.call(asm, [*operands, *map(builder.load, cells)])
            for i, cell in enumerate(cells):
                builder.store(builder.extract_value(found, i), cell)
            return context.get_dummy_value()

        return types.void(totals, a, a_first, a_along_k, b, b_first, b_along_k), generate

    multiply.__name__ = name
    return intrinsic(multiply)


INSTRUCTIONS = {
    "async_commit": async_commit,
    "async_copy": async_copy,
    "async_wait": async_wait,
    "atomic_add": _atomic("atomic_add", "add"),
    "atomic_max": _atomic("atomic_max", "max"),
    "float16_to_float32": float16_to_float32,
    "float32_to_float16": float32_to_float16,
    "load4": _load(4),
    "load8": _load(8),
    "load_matrices": _matrices("load_matrices", ""),
    "load_matrices_turned": _matrices("load_matrices_turned", ".trans"),
    "multiply_bfloat16": _multiply("multiply_bfloat16", "m16n8k16", "bf16"),
    "multiply_float16": _multiply("multiply_float16", "m16n8k16", "f16"),
    "multiply_tf32": _multiply("multiply_tf32", "m16n8k8", "tf32"),
    "quotient": _unsigned("quotient", "udiv"),
    "remainder": _unsigned("remainder", "urem"),
    "share_with_tensor_cores": share_with_tensor_cores,
    "store4": _store(4),
    "store8": _store(8),
    "swizzle": swizzle,
    "tf32": tf32,
    "warpgroup_bfloat16": _by_warpgroup("warpgroup_bfloat16", "bf16"),
    "warpgroup_float16": _by_warpgroup("warpgroup_float16", "f16"),
    "word": word,
}
