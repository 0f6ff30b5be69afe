"""What is printed: text for people, one thing a line and without escape codes; JSON for programs."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from quire.errors import QuireError
from quire.inbound.cli import shapes

if TYPE_CHECKING:
    from argparse import Namespace

    from quire.engine.entry import Entry, Fault
    from quire.engine.journal import Change
    from quire.locator import Locator

_ARGUMENT = re.compile(r"Open with (\w+)=")
_FAULTS = 5  # of one file
_LONGEST = 60  # cells of a title; a table stays a table


def put(text: str) -> None:
    """Print text as it is."""
    _written(lambda: sys.stdout.write(text))


def flush() -> None:
    """Have everything printed. Raises QuireError where that cannot be."""
    _written(sys.stdout.flush)


def put_json(shape: object) -> None:
    """Print what a program reads."""
    put(json.dumps(shape, indent=2, ensure_ascii=False) + "\n")


def tell(asked: Namespace, entry: Entry) -> int:
    """Print the entry that a verb has made or changed: its id, or all of it as JSON."""
    if asked.json:
        put_json(shapes.entry(entry))
    else:
        put(f"{entry.id}\n")
    return 0


def complain(error: QuireError, *, as_json: bool, code: str = "") -> None:
    """Say what went wrong, on standard error. An argument of the library that would help is an option here."""
    error.remedy = _ARGUMENT.sub(lambda found: f"Give --{found[1].replace('_', '-')}", error.remedy)
    if as_json:
        shape = shapes.error(error) | ({"code": code} if code else {})
        print(json.dumps({"error": shape}, ensure_ascii=False), file=sys.stderr)
    else:
        warn(str(error))


def warn(text: str) -> None:
    """Say something beside the output."""
    print(f"quire: {one_line(text)}", file=sys.stderr)


def warn_of(faults: Iterable[Fault]) -> None:
    """Name what could not be read: of each file the first few, as one block can have thousands."""
    of_file: dict[Locator, list[Fault]] = {}
    for fault in faults:
        of_file.setdefault(fault.locator, []).append(fault)
    for locator, found in of_file.items():
        for fault in found[:_FAULTS]:
            warn(f"warning: {fault}")
        if len(found) > _FAULTS:
            warn(f"warning: {locator}: and {len(found) - _FAULTS} more in this file; see quire lint")


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows with their columns aligned, by the cells of a terminal; a column that is empty in all of them is none."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [max(map(width, column)) for column in columns]
    lines = []
    for row in zip(*columns, strict=True):
        cells = [text + " " * (wide - width(text)) for text, wide in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def entries(listed: Iterable[Entry], *, scopes: bool = False) -> str:
    """Entries, one a line. The scope is named where it is asked for, and where an id alone would not say which."""
    every = list(listed)
    scopes = scopes or len({entry.id for entry in every}) < len(every)
    return table(
        [
            (
                str(entry.scope) if scopes else "",
                entry.id,
                "" if entry.status.value == "active" else entry.status.value,
                shortened(one_line(entry.title)),
                " ".join(f"#{one_line(tag)}" for tag in entry.tags),
                one_line(entry.when)[:10],
            )
            for entry in every
        ]
    )


def about(change: Change) -> str:
    """What a change was about: the ids of entries, and the paths of files that are none."""
    from quire.engine.records import scope_and_id

    names = []
    for name in change.entries:
        scope, id = scope_and_id(name)
        names.append(id if f"{scope} {id}" == name else name)
    return one_line(", ".join(names))


def visible(text: str) -> str:
    """`text` with nothing in it that a terminal would obey: memory is data, whoever wrote it."""
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in text)


def one_line(text: str) -> str:
    """`text` on one line, and visible."""
    return visible("".join(" " if c.isspace() else c for c in text.strip()))


def shortened(text: str) -> str:
    """`text`, cut where it is too wide for a table."""
    if width(text) <= _LONGEST:
        return text
    cells, kept = 0, []
    for char in text:
        cells += width(char)
        if cells >= _LONGEST:
            break
        kept.append(char)
    return "".join(kept) + "…"


def width(text: str) -> int:
    """How many cells of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _written(write: Callable[[], Any]) -> None:
    try:
        write()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise QuireError(
            f"standard output cannot be written ({os.strerror(error.errno or 0)})",
            remedy="What was asked may have been done; look before you do it again",
        ) from error
