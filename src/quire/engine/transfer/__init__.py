"""Transfer: markdown from elsewhere comes in without loss, and goes out as plain files or lines of JSON."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from quire.engine.changes import Changes
from quire.engine.core import Core
from quire.engine.journal import Actor
from quire.engine.kinds import Shape
from quire.engine.scope import Scope
from quire.engine.transfer.bring import Bringer
from quire.engine.transfer.exporting import export_lines, export_to
from quire.engine.transfer.flavours import FLAVOURS, flavour_of
from quire.engine.transfer.ledger import Ledger, checked_name, name_for
from quire.engine.transfer.naming import name_all
from quire.engine.transfer.past import Past
from quire.engine.transfer.placing import place_all
from quire.engine.transfer.plan import Plan
from quire.engine.transfer.report import Exported, Imported, Item, Outcome, Progress
from quire.engine.transfer.source import folder, lines
from quire.errors import InvalidEntry
from quire.ports.storage import StorageBackend

__all__ = [
    "FLAVOURS",
    "Exported",
    "Imported",
    "Item",
    "Outcome",
    "Progress",
    "export_lines",
    "export_to",
    "import_from",
    "name_for",
]

_DEFAULT_KIND = "domain-reference"
_FEW = 4  # files of which nobody can say whether they are of another source


def import_from(
    core: Core,
    source: StorageBackend | Iterable[str],
    *,
    name: str,
    flavour: str | None = None,
    kind: str | None = None,
    scope: Scope | str | None = None,
    origin: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Bring in a storage, or the lines of an export. See `Memory.import_from`."""
    ledger = Ledger(core, checked_name(name), read_only=dry_run, origin=origin)
    given = core.kinds[kind or _DEFAULT_KIND]
    if given.shape is not Shape.NOTE:
        raise InvalidEntry(f"{given.one} is not a kind of note", where="kind", remedy="Give a kind such as insight")
    where = core.scope_for(given, scope)
    opened = folder(core, source) if isinstance(source, StorageBackend) else lines(core, source)
    row, layout = flavour_of(opened, flavour, core.kinds)
    if row.tree and (scope is not None or kind is not None):
        raise InvalidEntry(
            f"the paths of the flavour {row.name!r} say whose each entry is and of which kind",
            where=name,
            remedy="Leave scope and kind out, or say flavour='markdown'",
        )
    past = Past(core)
    ledger.withdraw(past.undone)
    _require_same_source(ledger, {file.path for file in opened.files}, name)
    plan = Plan(core, opened, row, layout, where, given, name, ledger)
    plan.make()
    name_all(plan)
    place_all(plan)
    run = ledger.unfinished or f"import-{secrets.token_hex(6)}"
    actor = core.changes.actor
    changes = Changes(core.storage, core.journal, Actor(actor.name, run, actor.session))
    bringer = Bringer(core, plan, past, changes, dry_run)
    try:
        items = [*plan.settled, *bringer.run(progress)]
    except BaseException:
        ledger.flush()
        raise
    ledger.end()
    items.sort(key=lambda item: item.path)
    return Imported(tuple(items), name, row.name, run, dry_run)


def _require_same_source(ledger: Ledger, paths: set[str], name: str) -> None:
    """Raises InvalidEntry where what came in under this name before was something else."""
    if ledger.origin and ledger.came_from not in ("", ledger.origin):
        raise InvalidEntry(
            f"the import {name!r} came from {ledger.came_from}, and this is {ledger.origin}",
            where=name,
            remedy="Give this import a name of its own; or that same name, if it is the folder that has moved",
        )
    before = {path.partition("#")[0] for path in ledger.known}
    here = len(before & paths)
    if len(before) > _FEW and here * 4 < len(before):
        raise InvalidEntry(
            f"of the {len(before):,} files that came in as {name!r} {here:,} are here, so this is another source",
            where=name,
            remedy="Give this import another name",
        )
