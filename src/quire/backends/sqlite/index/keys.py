"""How hashes and labels are spelled in the tables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from quire.errors import IndexDamaged
from quire.ports.index import scalar_key

_HEX = re.compile("[0-9a-f]+")


def hash_key(name: str) -> str | bytes:
    """A hash as it is stored: one in hexadecimal takes half the room."""
    if len(name) % 2 == 0 and _HEX.fullmatch(name):
        return bytes.fromhex(name)
    return name


def hash_name(key: str | bytes) -> str:
    """The hash that is stored so."""
    return key if isinstance(key, str) else key.hex()


def read_extra(held: str) -> dict[str, Any]:
    """What a row has as JSON. Raises IndexDamaged if it is not what was written."""
    try:
        found: dict[str, Any] = json.loads(held)
    except (TypeError, ValueError) as error:
        raise IndexDamaged("a row of the index is not as it was written", remedy="Index again") from error
    return found


def labels(extra: Mapping[str, Any]) -> list[str]:
    """What a record may be filtered by that it has several of: tags, flags and declared values."""
    found = [f"t:{tag}" for tag in extra.get("tags", ())] + [f"f:{flag}" for flag in extra.get("flags", ())]
    return found + [scalar_label(name, scalar_key(value)) for name, value in extra.get("scalars", {}).items()]


def scalar_label(name: str, key: str) -> str:
    """The label of a declared value. A NUL parts it, which no name of a field has."""
    return f"s:{name}\0{key}"
