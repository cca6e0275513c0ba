"""Functions of machine code that Python calls directly, written with Numba's own tools.

A kernel's entry looks at a tuple of arguments and lets go of the interpreter's lock. Such a function is given
a pointer to its arguments, as the functions of Python's own modules are, and constants of its own.

What is written here relies on two things that compiled modules rely on too: CPython's C interface, and the
number that each function has in NumPy's. Where the fields of an object lie is asked of an object.
"""

from __future__ import annotations

import ctypes
import functools
import sysconfig
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, config, registry, types
from numpy._core._multiarray_umath import _ARRAY_API  # type: ignore[import-not-found]

from tensorlab.backends.cpu.borrowed import DATA, HEADER, SIZES, STRIDES

__all__ = [
    "DTYPE",
    "OBJECT",
    "WORD",
    "Code",
    "Method",
    "bound",
    "compiled",
    "entering",
    "kind_of",
    "places",
    "usable",
]

OBJECT = ir.IntType(8).as_pointer()
WORD = ir.IntType(64)

# The words at which an array's own fields begin (see `tensorlab.backends.cpu.borrowed`), in which an object
# has its class, and at which a tuple's items begin, after their number.
_FIELDS = HEADER // 8
_CLASS = _FIELDS - 1
_ITEMS = tuple.__basicsize__ // 8

# The field of an array's NumPy dtype, which comes after that of its base.
DTYPE = 5

# The number of Python's comparison `==`.
_EQUAL = 2

# Of NumPy's C interface: PyArray_NewFromDescr, which makes an array of a type.
_NEW_ARRAY = 94

# How Python calls the functions: METH_FASTCALL, with a pointer to the arguments and their number.
_FASTCALL = 0x0080

_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def usable() -> bool:
    """Whether functions can be made: Numba compiles, and this Python has the lock that they run under."""
    return not config.DISABLE_JIT and not _FREE_THREADED  # type: ignore[attr-defined]


class Method(ctypes.Structure):
    """CPython's ``PyMethodDef``, which describes a function of machine code."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


class Code:
    """The instructions of a function while they are written.

    Attributes:
        builder: where the next instruction goes.
        python: Python's C interface, as Numba has it.
    """

    def __init__(self, function: ir.Function) -> None:
        context = registry.cpu_target.target_context
        self.function = function
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.python = context.get_python_api(self.builder)

    def arguments(self, count: int, or_none: bool = False) -> list[Any]:
        """The arguments, borrowed from the caller; a call with another number of them raises TypeError.

        With `or_none` it returns None instead.
        """
        _, first, given = self.function.args
        with cgutils.if_unlikely(self.builder, self.builder.icmp_signed("!=", given, WORD(count))):
            if or_none:
                self.builder.ret(self.owned(self.constant(None)))
            else:
                self.python.err_set_string("PyExc_TypeError", f"this function takes {count} arguments")
                self.builder.ret(OBJECT(None))
        return [self.builder.load(self.builder.gep(first, [WORD(i)]), typ=OBJECT) for i in range(count)]

    def constants(self, count: int) -> list[Any]:
        """The items of the tuple that the function is bound to."""
        return [self.field(self.function.args[0], _ITEMS + i) for i in range(count)]

    def _place(self, instance: Any, word: int) -> Any:
        words = self.builder.bitcast(instance, OBJECT.as_pointer())
        return self.builder.gep(words, [WORD(word)])

    def field(self, instance: Any, word: int) -> Any:
        """What an object has in this word, borrowed."""
        return self.builder.load(self._place(instance, word), typ=OBJECT)

    def fill(self, instance: Any, fields: dict[int, Any]) -> None:
        """Put objects into words of a new object, which counts among their owners from now on."""
        for word, value in fields.items():
            self.python.incref(value)
            self.builder.store(value, self._place(instance, word))

    def replace(self, instance: Any, word: int, value: Any) -> None:
        """Put an object of which the code is an owner into a word of an object that is there."""
        before = self.field(instance, word)
        self.builder.store(value, self._place(instance, word))
        with self.builder.if_then(cgutils.is_not_null(self.builder, before)):
            self.python.decref(before)

    def is_exactly(self, item: Any, kind: type) -> Any:
        """Whether an object is of this class, and not of one that is made of it."""
        return self.builder.icmp_unsigned("==", self.field(item, _CLASS), self.constant(kind))

    def too_large(self) -> Any:
        """Whether the last `whole` met an int of more than 64 bits, which is forgotten then."""
        raised = cgutils.is_not_null(self.builder, self.python.err_occurred())
        with self.builder.if_then(raised, likely=False):
            self.python.err_clear()
        return raised

    def constant(self, item: object) -> Any:
        """An object that lives as long as the process."""
        return self.builder.inttoptr(WORD(id(item)), OBJECT)

    def owned(self, item: Any) -> Any:
        """An object of which the caller becomes one more owner."""
        self.python.incref(item)
        return item

    def other_than_none(self, item: Any, instead: Any) -> Any:
        """`item`, or `instead` where that is Python's None."""
        is_none = self.builder.icmp_unsigned("==", item, self.constant(None))
        return self.builder.select(is_none, instead, item)

    def equal(self, item: Any, other: Any) -> Any:
        """Whether two tuples of ints are one, or equal."""
        declared = ir.FunctionType(ir.IntType(32), [OBJECT, OBJECT, ir.IntType(32)])
        compare = cgutils.get_or_insert_function(self.builder.module, declared, "PyObject_RichCompareBool")
        found = self.builder.call(compare, [item, other, ir.IntType(32)(_EQUAL)])
        return self.builder.icmp_signed("==", found, ir.IntType(32)(1))

    def array_field(self, array: Any, number: int) -> Any:
        """One of an array's own fields (see `tensorlab.backends.cpu.borrowed`)."""
        return self.field(array, _FIELDS + number)

    def size(self, array: Any) -> Any:
        """The number of elements of an array of one dimension."""
        sizes = self.builder.bitcast(self.array_field(array, SIZES), WORD.as_pointer())
        return self.builder.load(sizes, typ=WORD)

    def need(self, made: Any, *owned: Any) -> Any:
        """`made`; where it is NULL, give up what is owned, and return to Python, which raises."""
        with cgutils.if_unlikely(self.builder, cgutils.is_null(self.builder, made)):
            for item in owned:
                self.python.decref(item)
            self.builder.ret(OBJECT(None))
        return made

    def whole(self, number: Any) -> Any:
        """A Python int of 64 bits as a machine's."""
        return self.python.long_as_longlong(number)

    def new_instance(self, kind: type) -> Any:
        """An object of a class with slots, none of them filled; NULL where memory is out."""
        return self._allocated(self.constant(kind), 0)

    def _allocated(self, kind: Any, count: int) -> Any:
        declared = ir.FunctionType(OBJECT, [OBJECT, WORD])
        make = cgutils.get_or_insert_function(self.builder.module, declared, "PyType_GenericAlloc")
        return self.builder.call(make, [kind, WORD(count)])

    def length(self, sequence: Any) -> Any:
        """The number of items of a tuple, which may be of a class of its own."""
        return self.builder.ptrtoint(self.field(sequence, _ITEMS - 1), WORD)

    def exchanged(self, pair: Any) -> Any:
        """A tuple of the same class with the two items of a tuple, exchanged; NULL where memory is out."""
        made = self._allocated(self.field(pair, _CLASS), 2)
        with cgutils.if_likely(self.builder, cgutils.is_not_null(self.builder, made)):
            first, second = (self.field(pair, _ITEMS + place) for place in range(2))
            self.fill(made, {_ITEMS: second, _ITEMS + 1: first})
        return made

    def new_array(self, array_class: type, count: Any, cell: Any) -> Any:
        """A NumPy array of so many cells of a NumPy dtype; NULL where memory is out."""
        self.python.incref(cell)  # the call counts it as given away
        size = cgutils.alloca_once_value(self.builder, count)
        kinds = [OBJECT, OBJECT, ir.IntType(32), WORD.as_pointer(), OBJECT, OBJECT, ir.IntType(32), OBJECT]
        make = self.builder.inttoptr(
            WORD(_numpy_function(_NEW_ARRAY)), ir.FunctionType(OBJECT, kinds).as_pointer()
        )
        one, zero, none = ir.IntType(32)(1), ir.IntType(32)(0), OBJECT(None)
        return self.builder.call(make, [self.constant(array_class), cell, one, size, none, none, zero, none])

    def passed(self, kinds: Sequence[str], items: Sequence[Any]) -> list[Any]:
        """What a kernel gets of Python's objects, arrays being borrowed; the kinds are those of `kind_of`."""
        found = [self._passed(kind, item) for kind, item in zip(kinds, items, strict=True)]
        return [value for values in found for value in values]

    def cells_from(self, array: Any, first: Any) -> list[Any]:
        """What a kernel gets of the cells of a vector from the first on, a machine's number."""
        none, _, count, step, data, _, _ = self._passed("1", array)
        left = self.builder.sub(count, first)
        begin = self.builder.gep(data, [self.builder.mul(first, step)])
        return [none, none, left, step, begin, left, step]

    def shortened(self, cells: Sequence[Any], count: Any) -> list[Any]:
        """What a kernel gets of the first so many of the cells of `cells_from`."""
        owner, parent, _, itemsize, begin, _, step = cells
        return [owner, parent, count, itemsize, begin, count, step]

    def call(self, address: Any, passed: Sequence[Any], *owned: Any, unlocked: bool = False) -> None:
        """Call a kernel that Numba compiled.

        Args:
            address: where the kernel begins, a Python int.
            passed: what it gets, from `passed` and `cells_from`.
            owned: what to give up where the kernel fails, for which there is one reason: memory is out.
            unlocked: let go of the interpreter's lock meanwhile, for a kernel that may take long.
        """
        # A kernel is also told where to write what it returns, and what it raises.
        places = [self.builder.alloca(OBJECT) for _ in range(2)]
        kinds_passed = [value.type for value in (*places, *passed)]
        signature = ir.FunctionType(ir.IntType(32), kinds_passed).as_pointer()
        kernel = self.builder.inttoptr(self.whole(address), signature)
        state = self.python.save_thread() if unlocked else None
        status = self.builder.call(kernel, [*places, *passed])
        if unlocked:
            self.python.restore_thread(state)
        with self.builder.if_then(self.builder.icmp_signed("==", status, status.type(-1)), likely=False):
            for item in owned:
                self.python.decref(item)
            self.python.err_set_none("PyExc_MemoryError")
            self.builder.ret(OBJECT(None))

    def _passed(self, kind: str, item: Any) -> list[Any]:
        """What a kernel gets of one argument. An array's owners are among it, and nobody asks for them."""
        if kind == FLOAT:
            return [self.python.float_as_double(item)]
        if kind == INT:
            return [self.whole(item)]
        dims = int(kind)
        sizes, strides = (
            self.builder.bitcast(self.array_field(item, place), WORD.as_pointer())
            for place in (SIZES, STRIDES)
        )
        shape, steps = (
            [self.builder.load(self.builder.gep(run, [WORD(dim)]), typ=WORD) for dim in range(dims)]
            for run in (sizes, strides)
        )
        count = functools.reduce(self.builder.mul, shape)
        none = OBJECT(None)
        return [none, none, count, steps[-1], self.array_field(item, DATA), *shape, *steps]


# What a kernel takes: a number, or an array, for which its number of dimensions stands.
FLOAT, INT = "float", "int"


def kind_of(argument: types.Type) -> str:
    """What an argument of this type is to `Code.call`.

    Example:
        >>> kind_of(types.float64), kind_of(types.intp), kind_of(types.float32[:, ::1])
        ('float', 'int', '2')
    """
    if isinstance(argument, types.Array):
        return str(argument.ndim)
    return FLOAT if isinstance(argument, types.Float) else INT


# Machine code is there as long as somebody has what made it, and Python reads the description at each call.
_kept: list[Any] = []


def compiled(name: str, write: Callable[[Code], None]) -> Method:
    """The machine code of a function, whose instructions `write` writes; it is kept for good."""
    module = ir.Module(name)
    function = ir.Function(module, ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), WORD]), name)
    write(Code(function))
    # Numba's own way from here on looks for loops and vectors. There are none, and it takes twice as long.
    target = llvm.Target.from_default_triple().create_target_machine(opt=0)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), target)
    engine.finalize_object()
    method = Method(name.encode(), engine.get_function_address(name), _FASTCALL, None)
    _kept.append((engine, method))
    return method


def bound(method: Method, constants: tuple = ()) -> Any:
    """The function that Python calls, with constants that its code finds at its first argument."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), constants, None)


def entering(kinds: tuple[str, ...], address: int) -> Any:
    """The function of Python's objects that calls a kernel; it lets go of the interpreter's lock meanwhile.

    Args:
        kinds: what the kernel takes, of each argument the `kind_of` its type.
        address: where it begins.
    """
    return bound(_entering(kinds), (address,))


@functools.cache
def _entering(kinds: tuple[str, ...]) -> Method:
    def write(code: Code) -> None:
        (address,) = code.constants(1)
        code.call(address, code.passed(kinds, code.arguments(len(kinds))), unlocked=True)
        code.builder.ret(code.owned(code.constant(None)))

    return compiled("entering", write)


def places(kind: type, *names: str) -> dict[str, int]:
    """The word of an object at which each of these fields lies, found by filling them in and looking.

    Example:
        >>> class Pair:
        ...     __slots__ = ("first", "second")
        >>> found = places(Pair, "second", "first")
        >>> found["second"] - found["first"]
        1
    """
    probe: Any = object.__new__(kind)
    marks = {name: object() for name in names}
    for name, mark in marks.items():
        setattr(probe, name, mark)
    words = list((ctypes.c_size_t * (kind.__basicsize__ // 8)).from_address(id(probe)))
    return {name: words.index(id(mark)) for name, mark in marks.items()}


@functools.cache
def _numpy_function(number: int) -> int:
    """The address of a function of NumPy's C interface, which is a table."""
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(read(_ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    address = table[number]
    assert address is not None
    return address
