"""The JSON shapes, one for each thing; docs/reference/cli.md shows them, and a test compares."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.engine.entry import Entry, Fault
    from quire.engine.journal import Change
    from quire.engine.lint import Finding, Repair
    from quire.engine.transfer import Exported, Imported, Item
    from quire.errors import QuireError

Shape = dict[str, Any]


def entry(it: Entry) -> Shape:
    """One entry."""
    return {
        "id": it.id,
        "scope": str(it.scope),
        "kind": it.kind,
        "status": it.status.value,
        "title": it.title,
        "tags": list(it.tags),
        "path": it.locator.key,
        "version": it.version,
        "created": it.created,
        "updated": it.updated,
        "fields": {name: plain(value) for name, value in it.fields.items()},
        "body": it.body,
    }


def listed(entries: Iterable[Entry], next: str | None = None, faults: Iterable[Fault] = ()) -> Shape:
    """Several entries; `next` is the mark that continues them."""
    return {"entries": [entry(it) for it in entries], "next": next, "faults": [fault(it) for it in faults]}


def fault(it: Fault) -> Shape:
    """What is wrong in a file."""
    return {"path": it.locator.key, "line": it.line, "what": it.what, "remedy": it.remedy, "code": it.code}


def change(it: Change) -> Shape:
    """A record of the journal, without the text it keeps."""
    return {
        "id": it.id,
        "at": it.at,
        "verb": it.verb,
        "run": it.run,
        "actor": it.actor,
        "session": it.session,
        "reason": it.reason,
        "request": it.request,
        "entries": list(it.entries),
        "tier": it.tier,
        "undoes": list(it.undoes),
        "steps": [
            {"path": step.path, "storage": step.storage, "before": step.before, "after": step.after}
            for step in it.steps
        ],
    }


def finding(it: Finding) -> Shape:
    """What lint found."""
    return {
        "path": it.locator.key,
        "line": it.line,
        "severity": it.severity.value,
        "code": it.code,
        "what": it.what,
        "remedy": it.remedy,
        "id": it.id,
        "scope": str(it.scope or ""),
        "fixable": it.fixable,
    }


def repair(it: Repair) -> Shape:
    """What became of a finding; `change` is what undo takes."""
    return {"finding": finding(it.finding), "done": it.done, "change": it.change, "what": it.what}


def imported(it: Imported) -> Shape:
    """What an import did, or would do."""
    said = {"name": it.name, "flavour": it.flavour, "run": it.run, "dry_run": it.dry_run}
    return {**said, "counts": dict(it.counts), "items": [_item(each) for each in it.items]}


def exported(path: str, lines: int, faults: Iterable[Fault], it: Exported | None = None) -> Shape:
    """What an export wrote: files, or the lines of one; and what it could not see."""
    items = [_item(each) for each in it.items] if it else []
    return {"path": path, "lines": lines, "counts": dict(it.counts) if it else {}, "items": items} | {
        "faults": [fault(each) for each in faults]
    }


def _item(it: Item) -> Shape:
    return {
        "path": it.path,
        "outcome": it.outcome.value,
        "reason": it.reason,
        "entry": it.entry,
        "scope": str(it.scope or ""),
        "at": it.at,
    }


def error(it: QuireError) -> Shape:
    """What went wrong."""
    return {"code": it.code, "what": it.what, "where": it.where, "remedy": it.remedy}


def plain(value: Any) -> Any:
    """A value of the frontmatter as JSON has it, which knows no infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    return value
