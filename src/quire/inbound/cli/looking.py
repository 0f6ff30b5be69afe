"""The verbs that look, and change nothing of what they look at."""

from __future__ import annotations

from argparse import Namespace
from itertools import islice

from quire.engine.journal import Change
from quire.errors import InvalidEntry
from quire.inbound.cli import shapes
from quire.inbound.cli.asking import opened
from quire.inbound.cli.output import about, entries, one_line, put, put_json, table, visible, warn, warn_of


def show(asked: Namespace) -> int:
    """An entry, byte for byte."""
    with opened(asked) as memory:
        entry = memory.get(asked.id, scope=asked.scope)
    if asked.json:
        put_json(shapes.entry(entry))
    else:
        put(entry.body if asked.body else entry.document.text)
    return 0


def list_(asked: Namespace) -> int:
    """Entries, one a line."""
    with opened(asked) as memory:
        page = memory.list(
            kind=asked.kind,
            status=asked.status,
            tag=asked.tag,
            scope=asked.scope,
            everywhere=asked.everywhere,
            since=asked.since,
            until=asked.until,
            limit=asked.limit,
            after=asked.after,
        )
    if asked.json:
        put_json(shapes.listed(page.entries, page.next, page.faults))
        return 0
    put(entries(page.entries, scopes=asked.everywhere))
    warn_of(page.faults)
    if page.next is not None:
        warn(f"there is more: --after {page.next!r}")
    return 0


def history(asked: Namespace) -> int:
    """The chain of an entry, and what the journal knows."""
    if asked.limit is not None and asked.limit < 1:
        raise InvalidEntry(f"a page of {asked.limit} changes is none", remedy="Give a limit of 1 or more")
    with opened(asked) as memory:
        chain = memory.history(asked.id, scope=asked.scope) if asked.id else []
        known = memory.changes(asked.id, scope=asked.scope) if asked.changes or not asked.id else iter(())
        changes = list(islice(known, asked.limit))
    if asked.json:
        put_json(shapes.listed(chain) | {"changes": [shapes.change(change) for change in changes]})
    else:
        put(entries(chain))
        put(table([_row(change) for change in changes]))
    return 0


def digest(asked: Namespace) -> int:
    """What was changed in space that is not the agent's alone."""
    with opened(asked) as memory:
        reported = memory.digest(since=asked.since)
    if asked.json:
        shape = [shapes.change(it.change) | {"diff": it.diff, "undone": it.undone} for it in reported]
        put_json({"changes": shape})
        return 0
    for it in reported:
        put("  ".join(filter(None, _row(it.change))) + ("  (undone)" if it.undone else "") + "\n")
        put("".join(f"    {visible(line)}\n" for line in it.diff.removesuffix("\n").split("\n")))
    return 0


def context(asked: Namespace) -> int:
    """What is loaded always."""
    with opened(asked) as memory:
        given = memory.session_context(**({} if asked.budget is None else {"budget": asked.budget}))
    if asked.json:
        shape = {
            "text": given.text,
            "tokens": given.tokens,
            "entries": [shapes.entry(entry) for entry in given.entries],
            "left_out": [shapes.entry(entry) for entry in given.left_out],
        }
        put_json(shape)
    else:
        put(given.text)
    return 0


def index(asked: Namespace) -> int:
    """The map of contents, written."""
    with opened(asked) as memory:
        written = memory.index(scope=asked.scope)
    if asked.json:
        put_json({"written": written})
    else:
        put("".join(f"{key}\n" for key in written))
    return 0


def _row(change: Change) -> tuple[str, ...]:
    """A change on one line: its id, what it did to what, by whom, in which run, and why."""
    why = one_line(change.reason or change.request)
    return change.id, change.verb, about(change), change.actor, f"run {change.run}", f'"{why}"' if why else ""
