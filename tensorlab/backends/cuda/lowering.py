"""The functions of `tensorlab.backends.cuda.intrinsics` as instructions of a GPU, by way of LLVM.

Importing it takes numba-cuda.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda.extending import intrinsic

__all__ = ["INSTRUCTIONS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

FLOAT, WORD, LONG = ir.FloatType(), ir.IntType(32), ir.IntType(64)
SHARED = 3  # the number of LLVM's address space


def _address(context: Any, builder: Any, kind: Any, cells: Any, index_kind: Any, index: Any) -> Any:
    """The address of a cell of an array, or behind a pointer."""
    first = (
        cells if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, cells).data
    )
    return builder.gep(first, [context.cast(builder, index, index_kind, types.intp)])


def _four(context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any]) -> Any:
    """The address of four cells as one vector, and by how many bytes it is aligned."""
    address = _address(context, builder, kinds[0], values[0], kinds[1], values[1])
    vector = ir.VectorType(context.get_data_type(kinds[0].dtype), 4)
    alignment = min(4 * kinds[0].dtype.bitwidth // 8, 16)
    return builder.bitcast(address, vector.as_pointer(addrspace=address.type.addrspace)), alignment


@intrinsic
def load4(typing, cells, first):
    def generate(context, builder, signature, values):
        address, alignment = _four(context, builder, signature.args, values)
        vector = builder.load(address)
        vector.align = alignment
        each = [builder.extract_element(vector, WORD(i)) for i in range(4)]
        return context.make_tuple(builder, signature.return_type, each)

    return types.UniTuple(cells.dtype, 4)(cells, first), generate


@intrinsic
def store4(typing, cells, first, given):
    def generate(context, builder, signature, values):
        address, alignment = _four(context, builder, signature.args, values)
        vector = ir.Constant(address.type.pointee, ir.Undefined)
        for i in range(4):
            vector = builder.insert_element(vector, builder.extract_value(values[2], i), WORD(i))
        builder.store(vector, address).align = alignment
        return context.get_dummy_value()

    return types.void(cells, first, types.UniTuple(cells.dtype, 4)), generate


def _run(builder: Any, text: str, results: str, operands: Sequence[Any], has_effect: bool) -> Any:
    """Instructions of PTX. `results` has a letter for each result: f for a float, r for a word."""
    letters = {FLOAT: "f", WORD: "r", LONG: "l"}
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


INSTRUCTIONS = {
    "async_commit": async_commit,
    "async_copy": async_copy,
    "async_wait": async_wait,
    "load4": load4,
    "load_matrices": _matrices("load_matrices", ""),
    "load_matrices_turned": _matrices("load_matrices_turned", ".trans"),
    "multiply_bfloat16": _multiply("multiply_bfloat16", "m16n8k16", "bf16"),
    "multiply_float16": _multiply("multiply_float16", "m16n8k16", "f16"),
    "multiply_tf32": _multiply("multiply_tf32", "m16n8k8", "tf32"),
    "store4": store4,
    "tf32": tf32,
    "word": word,
}
