"""Frames: a length of four bytes, then that many bytes of JSON. The only language spoken through the wall."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, NoReturn

#: The largest request, in bytes: a cell of half a million characters fits, each written as an escape.
MAX_REQUEST = 8 << 20

#: The largest reply that the grader accepts from the box, in bytes.
MAX_REPLY = 1 << 20

#: The deepest JSON that is parsed. Python's parser uses the C stack, so depth is checked before it runs.
MAX_DEPTH = 64

_HEADER = struct.Struct(">I")


class FrameError(ValueError):
    """The other side sent something that is not a frame."""


def pack(message: dict[str, Any]) -> bytes:
    r"""One frame that holds `message`.

    Example:
        >>> pack({"op": "stop"})
        b'\x00\x00\x00\x0e{"op": "stop"}'
    """
    payload = json.dumps(message, allow_nan=False).encode("ascii")
    return _HEADER.pack(len(payload)) + payload


def mark(name: str) -> bytes:
    """What the box writes to its output, where the work on a request begins whose output somebody wants."""
    return b"\0" + name.encode("ascii") + b"\n"


def read(read_bytes: Callable[[int], bytes], limit: int) -> dict[str, Any] | None:
    """The next message; None when the other side has closed its end.

    Args:
        read_bytes: returns at most that many bytes, and ``b""`` at the end.
        limit: bytes of the longest frame to accept.

    Raises:
        FrameError: too long, cut off, not JSON, too deep, or not an object.
    """
    header = _exactly(_HEADER.size, read_bytes)
    if not header:
        return None
    (length,) = _HEADER.unpack(header)
    if length > limit:
        raise FrameError(f"a frame of {length} bytes; the limit is {limit}")
    return unpack(_exactly(length, read_bytes, cut="in a frame"))


def unpack(payload: bytes) -> dict[str, Any]:
    """The message in a frame's payload.

    Raises:
        FrameError: see `read`.
    """
    if _depth(payload) > MAX_DEPTH:
        raise FrameError(f"JSON nested deeper than {MAX_DEPTH}")
    try:
        message = json.loads(payload, parse_constant=_refuse_constant)
    except ValueError as error:  # bad JSON, bad UTF-8, or an integer with too many digits
        raise FrameError(f"not JSON: {error}") from None
    if not isinstance(message, dict):
        raise FrameError("not a JSON object")
    return message


def _exactly(length: int, read_bytes: Callable[[int], bytes], cut: str = "") -> bytes:
    """`length` bytes, or none at all at the end between two frames."""
    received = bytearray()
    while len(received) < length:
        chunk = read_bytes(length - len(received))
        if not chunk:
            if received or cut:
                raise FrameError(f"the stream ended {cut or 'in a header'}")
            return b""
        received += chunk
    return bytes(received)


def _depth(payload: bytes) -> int:
    """An upper bound of the nesting: brackets inside strings count too, which only errs to the safe side."""
    depth = deepest = 0
    for byte in payload.translate(None, delete=_NOT_BRACKETS):
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
