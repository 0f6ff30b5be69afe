"""Completion: a script for each shell, made from the table of verbs, and the ids that the scripts ask for."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from itertools import islice

from quire.app import kinds_of, registry
from quire.engine.core import Core
from quire.engine.entry import Status
from quire.engine.kinds import Shape
from quire.engine.layout import LAYOUTS, Place
from quire.engine.scope import Owner
from quire.engine.transfer import FLAVOURS
from quire.inbound.cli.asking import opened
from quire.inbound.cli.output import put
from quire.inbound.cli.parsing import everywhere
from quire.inbound.cli.shells import SCRIPTS
from quire.settings import memory_settings

_CHANGES = 50  # of which an id is offered


def completion(asked: Namespace) -> int:
    """Print the script of a shell. The kinds in it are those of the configuration."""
    kinds = kinds_of(memory_settings({}, config=asked.config, environment=os.environ))
    known = {
        "kinds": [kind.name for kind in kinds],
        "statuses": [*Status, "all"],
        "layouts": list(LAYOUTS),
        "scopes": [owner.value for owner in Owner],
        "storages": registry.protocols(),
        "flavours": list(FLAVOURS),
    }
    put(SCRIPTS[asked.shell](known))
    return 0


def candidates(asked: Namespace) -> int:
    """Print the ids that continue the last word of a command line. The first word says of what."""
    what, *words = asked.words
    begun = words[-1] if words else ""
    said = everywhere(words)
    said.verb, said.json = asked.verb, True  # nothing but ids
    with opened(said) as memory:
        if what == "changes":
            found: Iterator[str] = (change.id for change in islice(memory.changes(), _CHANGES))
        else:
            found = _ids(memory.core, said.scope, begun)
        put("".join(f"{id}\n" for id in found if id.startswith(begun) and id.isprintable()))
    return 0


def _ids(core: Core, scope: str | None, begun: str) -> Iterator[str]:
    """The ids of entries. A file is read only where its name does not say them: a log, if the word begins like one."""
    for each in core.scopes if scope is None else (core.scope(scope),):
        for folder in core.layout.folders(each, None):
            for info in core.storage.walk(folder):
                place = core.layout.parse(info.locator)
                if place is None or place.scope != each:
                    continue
                if _says_its_id(core, place):
                    yield f"{place.kind}/{place.name}" if place.name else place.kind
                elif _may_hold(core, place, begun) and (read := core.contents(info.locator, place)):
                    yield from (entry.id for entry in read[0].entries)


def _says_its_id(core: Core, place: Place) -> bool:
    return bool(place.kind) and core.kinds[place.kind].shape is not Shape.LOG


def _may_hold(core: Core, place: Place, begun: str) -> bool:
    if not place.kind:
        return True
    prefix = core.kinds[place.kind].schema.ENTRY_ID_PREFIX + "_"
    return bool(begun) and (begun.startswith(prefix) or prefix.startswith(begun))
