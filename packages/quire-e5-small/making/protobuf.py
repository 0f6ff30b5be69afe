"""As much of the protobuf encoding as an ONNX file needs: numbers, and what has a length."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_VARINT, _EIGHT, _LENGTH, _FOUR = 0, 1, 2, 5


def read(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Each field of a message: its number, and a number or bytes. Raises ValueError for what is not a message."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        if wire == _LENGTH:
            size, at = _varint(message, at)
        elif wire in (_EIGHT, _FOUR):
            size = 8 if wire == _EIGHT else 4
        else:
            raise ValueError(f"byte {at}: the wire type {wire} has no place in an ONNX file")
        if at + size > len(message):
            raise ValueError(f"byte {at}: a field of {size} bytes ends after the message")
        yield number, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError(f"byte {at}: a number is cut off")


def varint(value: int) -> bytes:
    """A whole number; a negative one as its 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value)


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | _FOUR) + struct.pack("<f", value)


def block(field: int, content: bytes | str) -> bytes:
    """A text, bytes, or a message within a message."""
    raw = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | _LENGTH) + varint(len(raw)) + raw
