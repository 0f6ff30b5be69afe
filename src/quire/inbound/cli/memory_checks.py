"""What the doctor looks at beyond the storage: the settings of the memory, what a dead process left, each entry."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator

from quire.app import choose_embedder
from quire.engine.changes import OPEN
from quire.engine.kinds import KINDS
from quire.engine.memory import Memory
from quire.errors import QuireError
from quire.inbound.cli.asking import opened
from quire.inbound.cli.doctor import Check, several, since


def examine(asked: Namespace) -> Iterator[Check]:
    """Open the memory as every verb does, and read all of it."""
    start = time.perf_counter()
    quiet = Namespace(**{**vars(asked), "json": True})  # what was recovered is among the checks
    try:
        with opened(quiet, project_folder=None) as memory:
            yield Check("memory", "ok", ", ".join(map(str, memory.core.scopes)), milliseconds=since(start))
            yield from _settings(memory)
            yield _embedding(asked)
            yield from _left_behind(memory)
            yield from _entries(memory)
    except QuireError as error:
        yield Check("memory", "failed", str(error), error.code, since(start))


def _settings(memory: Memory) -> Iterator[Check]:
    core = memory.core
    yield Check("layout", "ok", core.layout.name)
    declared = [kind.name for kind in core.kinds if kind.name not in KINDS]
    yield Check("kinds", "ok", f"{len(KINDS)} of Quire's own" + (f", and {', '.join(declared)}" if declared else ""))
    here = core.clock.now().astimezone(core.clock.zone)
    yield Check("zone", "ok", f"{getattr(core.clock.zone, 'key', None) or 'of the system'}, where it is {here:%H:%M}")
    notes = core.others.get("personal")
    yield Check("personal", "ok", getattr(notes, "root", "") or "no notes of your own are configured")


def _embedding(asked: Namespace) -> Check:
    """Who embeds. The local model is tried; a service is not, as it would have to be paid."""
    start = time.perf_counter()
    try:
        choice = choose_embedder(once=True, config=asked.config)
        if choice.embedder is not None:
            with choice.embedder as embedder:
                if not choice.costs:
                    embedder.embed(["Is anybody there?"], role="query")
    except QuireError as error:
        return Check("embedding", "failed", str(error), error.code, since(start))
    return Check("embedding", "warning" if choice.broken else "ok", str(choice), milliseconds=since(start))


def _left_behind(memory: Memory) -> Iterator[Check]:
    """Changes that a process began and did not live to finish."""
    for found in memory.recovered:
        yield Check("recovery", "warning", found.said)
    journal = memory.core.journal
    for unreadable in journal.unreadable():
        yield Check("journal", "warning", str(unreadable))
    open_plans = [plan.key for plan in journal.storage.list(journal.at.child(OPEN))]
    yield several("plans", "no change is half done", "changes are half done, or under way", open_plans)


def _entries(memory: Memory) -> Iterator[Check]:
    """Every entry of the root, read."""
    start = time.perf_counter()
    page = memory.list(status="all", everywhere=True)
    yield Check("entries", "ok", f"{len(page.entries)} can be read", milliseconds=since(start))
    yield several("faults", "no file has a fault", "faults", [str(fault) for fault in page.faults])
