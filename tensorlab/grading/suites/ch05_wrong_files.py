"""Chapter 5, what a file holds: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def content(x):
    return bytes(x.untyped_storage().tolist())


def taken_apart(tensors, key, order=list, first=content):
    """Storages told apart by `key`."""
    keys = [key(x) for x in tensors]
    known = order(dict.fromkeys(keys))
    storages = [first(tensors[keys.index(k)]) for k in known]
    records = [
        (known.index(k), x.dtype, tuple(x.shape), x.stride(), x.storage_offset())
        for k, x in zip(keys, tensors, strict=True)
    ]
    return storages, records


def address(x):
    return x.untyped_storage().data_ptr()


@solutions.wrong(
    "05.take_apart",
    belief="Each tensor has its numbers, so each is saved with its storage.",
    lesson="Two views of one storage would come back as strangers, and a write into one would not reach the "
    "other. Save "
    "a storage once.",
)
def a_storage_for_each(tensors):
    records = [
        (number, x.dtype, tuple(x.shape), x.stride(), x.storage_offset()) for number, x in enumerate(tensors)
    ]
    return [content(x) for x in tensors], records


@solutions.wrong(
    "05.take_apart",
    belief="Saving a slice saves the slice.",
    lesson="Strides and offset point into the whole storage. What this tensor does not reach, another one "
    "may need.",
)
def saves_what_is_reached(tensors):
    def reached(x):
        rows = x.contiguous()
        start = rows.storage_offset() * rows.element_size()
        return bytes(rows.untyped_storage().tolist()[start : start + x.numel() * x.element_size()])

    keys = [address(x) for x in tensors]
    known = list(dict.fromkeys(keys))
    storages = [reached(tensors[keys.index(k)]) for k in known]
    return storages, [
        (known.index(k), x.dtype, tuple(x.shape), layout.default_strides(x.shape), 0)
        for k, x in zip(keys, tensors, strict=True)
    ]


@solutions.wrong(
    "05.take_apart",
    belief="Tensors share memory when their data_ptr() is the same.",
    lesson="x[1:] begins one cell later than x, and looks into the same storage. Ask the storages: "
    "x.untyped_storage().data_ptr().",
)
def compares_first_elements(tensors):
    return taken_apart(tensors, lambda x: x.data_ptr())


@solutions.wrong(
    "05.take_apart",
    belief="A storage has a dtype, so tensors of different dtypes have different storages.",
    lesson="It holds bytes, and a dtype is how a tensor reads them: x.view(tl.int16) looks into the storage "
    "of x. The address alone tells storages apart.",
)
def a_storage_for_each_dtype(tensors):
    return taken_apart(tensors, lambda x: (address(x), x.dtype))


@solutions.wrong(
    "05.take_apart",
    belief="Equal bytes need not be saved twice.",
    lesson="Two storages with equal bytes are two storages. If they come back as one, a write into the first "
    "changes the "
    "second.",
)
def merges_equal_bytes(tensors):
    return taken_apart(tensors, content)


@solutions.wrong(
    "05.take_apart",
    belief="The storage begins where the tensor begins, so there is no offset to save.",
    lesson="The storage is saved whole, from its cell 0. Without the offset the tensor would come back from "
    "the wrong "
    "cells.",
)
def forgets_the_offset(tensors):
    storages, records = taken_apart(tensors, address)
    return storages, [(*record[:4], 0) for record in records]


@solutions.wrong(
    "05.take_apart",
    belief="Strides follow from the shape, so they need not be saved.",
    lesson="Those of a turned tensor do not. It would come back with its numbers in another order.",
)
def strides_from_the_shape(tensors):
    storages, records = taken_apart(tensors, address)
    return storages, [(*record[:3], layout.default_strides(record[2]), record[4]) for record in records]


@solutions.wrong(
    "05.take_apart",
    belief="Offsets in a file are counted in bytes.",
    lesson="Here they are counted in cells, like strides, and the dtype says how many bytes a cell has.",
)
def offsets_in_bytes(tensors):
    storages, records = taken_apart(tensors, address)
    return storages, [(*record[:4], record[4] * record[1].itemsize + 0) for record in records]


@solutions.wrong(
    "05.take_apart",
    belief="All tensors of a file lie in one storage.",
    lesson="They may, and they need not. Each storage that occurs has a number of its own.",
)
def one_storage_for_all(tensors):
    return taken_apart(tensors, lambda x: 0)


@solutions.wrong(
    "05.take_apart",
    belief="Storages are numbered from 1.",
    lesson="The number is a place in the list of storages, and a list begins with 0.",
)
def counts_from_one(tensors):
    storages, records = taken_apart(tensors, address)
    return storages, [(record[0] + 1, *record[1:]) for record in records]


@solutions.wrong(
    "05.take_apart",
    belief="A new storage is one that the tensor before did not have.",
    lesson="Views of one storage need not be neighbours in the list. Compare with all storages so far, not "
    "with the last.",
)
def compares_with_the_last(tensors):
    storages, records, last = [], [], None
    for x in tensors:
        if address(x) != last:
            storages.append(content(x))
            last = address(x)
        records.append((len(storages) - 1, x.dtype, tuple(x.shape), x.stride(), x.storage_offset()))
    return storages, records


def put(line, shape, strides, offset):
    try:
        return tl.as_strided(line, shape, strides, offset)
    except RuntimeError:
        raise RuntimeError("a record reaches outside its storage") from None


def line_of(storage, dtype):
    return tl.frombuffer(bytearray(storage), dtype=dtype)


@solutions.wrong(
    "05.put_together",
    belief="Each record becomes a tensor with memory of its own.",
    lesson="Then what was linked comes back as strangers. Make each storage once, and let all its records "
    "look into it.",
)
def a_storage_for_each_record(storages, records):
    return [put(line_of(storages[n], dtype), *facts) for n, dtype, *facts in records]


@solutions.wrong(
    "05.put_together",
    belief="Records that are equal share a storage; others cannot.",
    lesson="The number of the storage decides. Two records with that number share it, also where shape, "
    "strides and offset differ.",
)
def shares_equal_records_only(storages, records):
    made = {}
    tensors = []
    for n, dtype, *facts in records:
        key = (n, *facts)
        if key not in made:
            made[key] = line_of(storages[n], dtype)
        tensors.append(put(made[key], *facts))
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="A storage has a dtype, so records of different dtypes cannot share one.",
    lesson="It holds bytes, and a dtype is how a tensor reads them. Make each storage once, and let records "
    "of every dtype look into it.",
)
def a_line_for_each_dtype(storages, records):
    lines = {}
    for n, dtype, *_ in records:
        if (n, dtype) not in lines:
            lines[n, dtype] = line_of(storages[n], dtype)
    return [put(lines[n, dtype], *facts) for n, dtype, *facts in records]


@solutions.wrong(
    "05.put_together",
    belief="A single element always fits.",
    lesson="Its offset may lie past the storage. The last element that a record reaches has to be looked "
    "for in every record that has elements.",
)
def lets_single_elements_pass(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for n, dtype, *facts in records:
        line = tl.frombuffer(buffers[n], dtype=dtype)
        if layout.numel(facts[0]) == 1:
            tensors.append(tl.as_strided(line, *facts))
        else:
            tensors.append(put(line, *facts))
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="A tensor begins where its storage begins.",
    lesson="It begins at its offset. Without it a slice comes back with the numbers before it.",
)
def forgets_the_offset_again(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for n, dtype, shape, strides, offset in records:
        put(tl.frombuffer(buffers[n], dtype=dtype), shape, strides, offset)
        tensors.append(tl.as_strided(tl.frombuffer(buffers[n], dtype=dtype), shape, strides, 0))
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="The elements lie row after row in the file.",
    lesson="They lie as they lay in the storage, and the record's strides say how to step there.",
)
def ignores_the_strides(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for n, dtype, shape, strides, offset in records:
        line = tl.frombuffer(buffers[n], dtype=dtype)
        put(line, shape, strides, offset)
        try:
            tensors.append(tl.as_strided(line, shape, layout.default_strides(shape), offset))
        except RuntimeError:
            tensors.append(tl.as_strided(line, shape, strides, offset))
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="Offsets are counted in bytes.",
    lesson="Strides and offset count cells of the record's dtype. For one byte a cell it makes no "
    "difference, for two it "
    "does.",
)
def offset_in_bytes(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for n, dtype, shape, strides, offset in records:
        line = tl.frombuffer(buffers[n], dtype=dtype)
        put(line, shape, strides, offset)
        tensors.append(tl.as_strided(line, shape, strides, offset // dtype.itemsize))
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="The bytes are the numbers.",
    lesson="For uint8 they are. For float32 four bytes are one number: the dtype of the record says how to "
    "read them.",
)
def one_byte_a_number(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for n, dtype, shape, strides, offset in records:
        put(tl.frombuffer(buffers[n], dtype=dtype), shape, strides, offset)
        line = tl.frombuffer(buffers[n], dtype=tl.uint8)
        tensors.append(tl.as_strided(line, shape, strides, offset))
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="Storages and records belong together one by one.",
    lesson="A record names its storage by a number. There may be more records than storages, in any order.",
)
def pairs_them_up(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for place, (_, dtype, *facts) in enumerate(records):
        tensors.append(put(tl.frombuffer(buffers[min(place, len(buffers) - 1)], dtype=dtype), *facts))
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="Storages with equal bytes can be one.",
    lesson="A write into one would show in the other, which was not so when they were saved.",
)
def merges_equal_storages(storages, records):
    buffers = {storage: bytearray(storage) for storage in storages}
    return [put(tl.frombuffer(buffers[storages[n]], dtype=dtype), *facts) for n, dtype, *facts in records]


@solutions.wrong(
    "05.put_together",
    belief="A file that was written by the own program is right.",
    lesson="Files are cut off, mixed up and sent by strangers. Look whether the last element lies inside "
    "before you build "
    "the tensor.",
)
def trusts_the_file(storages, records):
    buffers = [bytearray(storage) + bytearray(256) for storage in storages]
    return [tl.as_strided(tl.frombuffer(buffers[n], dtype=dtype), *facts) for n, dtype, *facts in records]


@solutions.wrong(
    "05.put_together",
    belief="A file is whole if its first record is.",
    lesson="Damage may come anywhere. Check each record before you build its tensor.",
)
def checks_the_first_record(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for place, (n, dtype, *facts) in enumerate(records):
        try:
            tensors.append(tl.as_strided(tl.frombuffer(buffers[n], dtype=dtype), *facts))
        except RuntimeError:
            if place == 0:
                raise
    return tensors


@solutions.wrong(
    "05.put_together",
    belief="What cannot be read is left out.",
    lesson="Then the rest comes back, and nobody learns that something is missing. Raise an error.",
)
def leaves_out_what_is_damaged(storages, records):
    buffers = [bytearray(storage) for storage in storages]
    tensors = []
    for n, dtype, *facts in records:
        try:
            tensors.append(tl.as_strided(tl.frombuffer(buffers[n], dtype=dtype), *facts))
        except RuntimeError:
            continue
    return tensors
