"""`quire import` and `quire export`: folders of plain files, and JSON Lines."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from quire.app import open_folder
from quire.engine.entry import Fault
from quire.engine.listing import unseen
from quire.engine.memory import Memory
from quire.engine.transfer import Exported, Imported, Item, Outcome, Progress, name_for
from quire.errors import AlreadyExists
from quire.inbound.cli import shapes
from quire.inbound.cli.asking import decoded, from_file, opened, standard_input
from quire.inbound.cli.output import one_line, put, put_json, shortened, table, warn_of, width
from quire.locator import Locator
from quire.ports.storage import ABSENT

_QUIET = (Outcome.NEW, Outcome.UPDATED, Outcome.SAME)  # counted, and not listed unless nothing was done yet
_LEFT = (Outcome.REFUSED, Outcome.CONFLICT)


def import_(asked: Namespace) -> int:
    """Bring in a folder, or a file of JSON Lines; 1 if something of it could not be."""
    with opened(asked) as memory:
        result = _imported(memory, asked)
    if asked.json:
        put_json(shapes.imported(result))
    else:
        _tell(list(result.items), everything=result.dry_run)
        put(f"{_counted(result)}{f' ({result.run})' if result.changed and not result.dry_run else ''}\n")
    return 1 if result.of(*_LEFT) else 0


def _imported(memory: Memory, asked: Namespace) -> Imported:
    path = "" if asked.path == "-" else os.path.realpath(asked.path)

    def bring(source: object) -> Imported:
        return memory.import_from(
            source,  # type: ignore[arg-type]
            name=asked.name or name_for(path),
            origin="" if asked.name else path,  # who says the name says that it is the same source
            flavour=asked.flavour,
            kind=asked.kind,
            scope=asked.scope,
            dry_run=asked.dry_run,
            progress=_progress(),
        )

    if asked.path == "-" or os.path.isfile(asked.path):
        text = standard_input(limit=None) if asked.path == "-" else decoded(from_file(asked.path), asked.path)
        return bring(text.split("\n"))  # not splitlines, which would cut at characters that a text may hold
    with open_folder(asked.path) as source:
        return bring(source)


def export(asked: Namespace) -> int:
    """Write plain files, or lines of JSON; 1 if something is left out because it could not be, or is in the way."""
    if asked.path == "-":
        with opened(asked) as memory:
            warn_of(_unseen(memory, asked))
            for line in memory.export_lines(scope=asked.scope, everywhere=asked.everywhere, status=asked.status):
                put(line)
        return 0
    if asked.jsonl:
        return _export_file(asked)
    with opened(asked) as memory, open_folder(asked.path, make=True) as target:
        faults = _unseen(memory, asked)
        result = memory.export_to(
            target, scope=asked.scope, everywhere=asked.everywhere, status=asked.status, progress=_progress()
        )
    if asked.json:
        put_json(shapes.exported(asked.path, 0, faults, result))
    else:
        warn_of(faults)
        _tell(list(result.items))
        put(f"{_counted(result)}\n")
    return 1 if result.of(*_LEFT) else 0


def _export_file(asked: Namespace) -> int:
    folder, name = os.path.split(os.path.abspath(os.path.expanduser(asked.path)))
    with opened(asked) as memory:
        faults = _unseen(memory, asked)
        lines = list(memory.export_lines(scope=asked.scope, everywhere=asked.everywhere, status=asked.status))
    with open_folder(folder, make=True) as target:
        try:
            target.write(Locator(name), "".join(lines), if_version=ABSENT)
        except AlreadyExists as error:
            raise AlreadyExists(
                "this file is there already, and an export overwrites nothing", where=asked.path,
                remedy="Give another name, or remove it", current=error.current,
            ) from error  # fmt: skip
    if asked.json:
        put_json(shapes.exported(asked.path, len(lines), faults))
    else:
        warn_of(faults)
        put(f"{len(lines)} lines\n")
    return 0


def _unseen(memory: Memory, asked: Namespace) -> list[Fault]:
    return unseen(memory.core, scope=asked.scope, everywhere=asked.everywhere)


def _tell(items: list[Item], *, everything: bool = False) -> None:
    """What became of each that a person should know of; where nothing was done, of all."""
    shown = [item for item in items if everything or item.outcome not in _QUIET]
    rows = []
    for item in shown:
        now = item.entry or (item.at if item.at != item.path else "")
        rows.append((item.outcome.value, one_line(item.path), now, one_line(item.reason)))
    put(table(rows))


def _counted(result: Imported | Exported) -> str:
    said = ", ".join(f"{count} {outcome}" for outcome, count in result.counts.items()) or "nothing to do"
    return f"dry run: {said}" if getattr(result, "dry_run", False) else said


def _progress() -> Progress | None:
    """A line on the terminal that says how far it is; nothing where standard error is none."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, of: int, which: str) -> None:
        line = f"{done}/{of} {shortened(one_line(which))}" if done < of else ""
        sys.stderr.write(f"\r{line}{' ' * (79 - width(line))}\r")
        sys.stderr.flush()

    return show
