"""The config file as text: keys are set where they stand, and every other byte stays.

Only lines that are plain are touched. Whatever comes out is read again and compared with what was meant, so that a file
this cannot edit (tables on one line, dotted keys) is refused and never damaged.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from quire.errors import SelectionError

Value = str | int | float | bool

NEW = """\
# The configuration of Quire. Every key may be left out; a key nobody knows is refused.

[storage]
# backend = "device-local"  # or vault, s3, postgres, ram

[memory]
# layout = "root"           # or vault; a vault has its own
# app = "default"
# project = "default"
# user = "default"
# agent = "default"
# timezone = "Europe/Berlin"

# Your own notes: read freely, written only when you ask.
# [personal]
# root = "~/Notes"

# A kind of your own: a note, a log or a single, with fields that are text, number, integer, boolean or list.
# [kinds.recipe]
# shape = "note"
# fields = { servings = "integer" }
"""

_HEADER = re.compile(r"[ \t]*\[(?P<name>[^\[\]#]+)\][ \t]*(?:#.*)?$")
_ANY_HEADER = re.compile(r"[ \t]*\[")
_KEY = re.compile(r"(?P<sample># )?(?P<head>[ \t]*(?P<name>[\w-]+)[ \t]*=[ \t]*)(?P<value>.*)$")
_TAIL = re.compile(r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^#\"'])*?(?P<comment>[ \t]*(?:#.*)?)$")


def merged(text: str, changes: Mapping[tuple[str, str], Value], path: str, *, samples: bool = False) -> str:
    """`text` with these keys, each `(table, key)`, set. Raises SelectionError where it cannot be edited safely.

    With `samples`, a key takes the place of a comment that shows it: in a new file, where comments are ours.
    """
    meant = tomllib.loads(text)
    for (table, key), value in changes.items():
        _put(meant, [*table.split("."), key], value, path)
        text = _set(text, table, key, value, samples)
    try:
        right = tomllib.loads(text) == meant
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        words = "; ".join(f"{key} = {_spelled(value)} below [{table}]" for (table, key), value in changes.items())
        raise SelectionError(
            "the config file is written in a way that cannot be changed without risk",
            where=path,
            remedy=f"Write it yourself: {words}",
            code="CONFIG_NOT_MERGED",
        )
    return text


def _put(meant: dict[str, Any], keys: list[str], value: Value, path: str) -> None:
    *tables, key = keys
    for name in tables:
        meant = meant.setdefault(name, {})
        if not isinstance(meant, dict):
            raise SelectionError(f"{name} is no table", where=path, remedy=f"Write [{name}]", code="CONFIG_NOT_A_TABLE")
    meant[key] = value


def _set(text: str, table: str, key: str, value: Value, samples: bool) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    span = _span(lines, table)
    if span is None:
        gap = newline if text and not text.endswith(("\n\n", "\r\n\r\n")) else ""
        ended = text if not text or text.endswith("\n") else text + newline
        return f"{ended}{gap}[{table}]{newline}{key} = {_spelled(value)}{newline}"
    first, end = span
    last = first  # the last line of the table that says something
    for at in range(first + 1, end):
        found = _KEY.match(lines[at].rstrip("\r\n"))
        if found and found["name"] == key and (samples or not found["sample"]):
            tail = _TAIL.match(found["value"])
            comment = tail["comment"] if tail else ""
            lines[at] = f"{found['head']}{_spelled(value)}{comment}{newline}"
            return "".join(lines)
        if lines[at].strip() and not lines[at].lstrip().startswith("#"):
            last = at
    if not lines[last].endswith("\n"):
        lines[last] += newline
    lines.insert(last + 1, f"{key} = {_spelled(value)}{newline}")
    return "".join(lines)


def _span(lines: list[str], table: str) -> tuple[int, int] | None:
    """The line of a table's header, and the one behind the table."""
    for first, line in enumerate(lines):
        found = _HEADER.match(line.rstrip("\r\n"))
        if found and found["name"].replace(" ", "") == table:
            rest = (at for at in range(first + 1, len(lines)) if _ANY_HEADER.match(lines[at]))
            return first, next(rest, len(lines))
    return None


def _spelled(value: Value) -> str:
    """A value as TOML has it, which escapes what JSON escapes, and DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
