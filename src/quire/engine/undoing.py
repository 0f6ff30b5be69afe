"""Undoing: taking back changes, newest first, byte for byte, with everything that was made from what is withdrawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from quire.engine import logs
from quire.engine.changes import Changes, Intent
from quire.engine.core import Core
from quire.engine.journal import Change
from quire.engine.layout import Place
from quire.engine.records import scope_and_id
from quire.engine.saving import TRIES
from quire.engine.standing import Later, standing
from quire.engine.taking_back import Part, Reversal, log_at
from quire.errors import Busy, Conflict, InvalidEntry, InvalidEntryId, NothingToUndo, UndoRefused
from quire.markdown.entries import EntryId

_SHOWN = 5  # ids in a message


def undo(core: Core, change: str | None, run: str | None) -> list[Change]:
    """Take back one change (the last one, if none is named) or all of a run. Returns what was taken back, newest first.

    Raises NothingToUndo, or UndoRefused with the file and the reason; nothing is changed then. A run that changed
    several storages is taken back in one after the other; each happens whole, or not.
    """
    if change is not None and run is not None:
        raise InvalidEntry("a change and a run are two questions", where=change, remedy="Name one of them")
    done: list[Change] = []
    for _ in range(TRIES):
        try:
            wanted, later = _wanted(core, change, run)
            away = _carried_away(wanted, later)
            groups = list(_groups(wanted))
            for each in groups[1:]:
                _reversed(core, each, away)  # refused here, if at all, before anything is changed
            for each in groups:
                done += _take_back(core, each, away)
        except Conflict:
            continue  # somebody was faster: look again whether it can be taken back
        except NothingToUndo:
            if not done:
                raise
        return sorted(done, key=lambda each: each.id, reverse=True)
    raise Busy("others change these files again and again", where=change or run or "", remedy="Try again later")


def _groups(wanted: list[Part]) -> Iterator[list[Part]]:
    """What is taken back together. The root's come last: the files of others are more likely to have changed.

    A file that was but copied goes by itself, as all that goes together lies in one plan, and such files may be large.
    """
    for storage in sorted({part.change.storage for part in wanted}, reverse=True):
        parts = [part for part in wanted if part.change.storage == storage]
        if together := [part for part in parts if not _is_copy(part.change)]:
            yield together
        yield from ([part] for part in parts if _is_copy(part.change))


def _is_copy(change: Change) -> bool:
    """Whether it put a file here that is no entry, and that is still where it came from."""
    return change.verb == "import" and not change.entries and all(step.before is None for step in change.steps)


def _carried_away(wanted: list[Part], later: list[Change]) -> dict[tuple[str, str], Change]:
    """The files that a later change has put elsewhere, which is not taken back with the rest."""
    taken = {part.change.id: part.only for part in wanted}
    return {
        (step.storage, step.path): each
        for each in later
        if _is_change(each) and taken.get(each.id, ()) is not None  # None: all of it goes
        for step in each.steps
        if step.before is not None and step.after is None and step.path not in (taken.get(each.id) or ())
    }


def _reversed(core: Core, wanted: list[Part], away: dict[tuple[str, str], Change]) -> Reversal:
    wanted.sort(key=lambda part: part.change.id, reverse=True)
    state = Reversal(core, away)
    for part in wanted:
        state.take_back(part)
    return state


def _take_back(core: Core, wanted: list[Part], away: dict[tuple[str, str], Change]) -> list[Change]:
    state = _reversed(core, wanted, away)
    whole = [part.change for part in wanted if part.only is None]
    edits = [replace(edit, bare=_is_copy(whole[0])) for edit in state.edits()]
    if not edits:
        _refuse_purged(whole, state)
    _keep_ids(core, whole)
    storage = whole[0].storage
    intent = Intent(
        "undo",
        tuple(dict.fromkeys(name for each in whole for name in each.entries)),
        made=_made_again(core, whole),
        undoes=tuple(each.id for each in whole),
        tier=max((each.tier for each in whole if each.tier), default=""),
        storage=storage,
    )
    changes = Changes(core.storage_of(storage), core.journal, core.changes.actor) if storage else core.changes
    if not edits:
        changes.note(intent)  # it never happened, or is taken back already: it is not met again
    elif storage:
        changes.apply(intent, edits)
    else:
        core.change(intent, edits)
    return whole


def _is_change(change: Change) -> bool:
    """Whether it is one that can be the last: an undoing is taken back by its id, a purge never."""
    return bool(change.steps) and not change.undoes and change.verb != "purge"


def _wanted(core: Core, change: str | None, run: str | None) -> tuple[list[Part], list[Change]]:
    """What is taken back, and the changes among which it stands."""
    if change is not None:
        later, wanted = _of_id(core, change)
    elif run is not None:
        later, wanted = _of_run(core, run)
    else:
        later, wanted = _last(core)
    return [*map(Part, wanted), *_derived(core, wanted, later)], later


def _last(core: Core) -> tuple[list[Change], list[Change]]:
    later: list[Change] = []
    seen = Later(core)
    for each in standing(core, "", seen):
        if _is_change(each) and not all(step.purged for step in each.steps) and seen.saw(each):
            return later, [each]
        later.append(each)
    raise NothingToUndo("no change stands that could be taken back")


def _of_id(core: Core, prefix: str) -> tuple[list[Change], list[Change]]:
    found = core.journal.beginning_with(prefix) if prefix else []
    if not found:
        raise NothingToUndo("there is no such change", where=prefix, remedy="Look with history or digest")
    if len(found) > 1:
        ids = ", ".join(each.id for each in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise NothingToUndo(f"several changes begin so: {ids}{more}", where=prefix, remedy="Give more of the id")
    wanted = found[0]
    if wanted.verb == "purge":
        raise UndoRefused("purging erased it for good", where=wanted.id, remedy="It cannot be undone")
    later: list[Change] = []
    for each in standing(core, wanted.id):
        if each.id == wanted.id:
            return later, [wanted]
        later.append(each)
    raise NothingToUndo("this change is undone already", where=wanted.id, remedy="Undo its undoing to redo it")


def _of_run(core: Core, run: str) -> tuple[list[Change], list[Change]]:
    """Its changes, and its undoings of others' changes. What it made and took back itself is none any more."""
    first = core.journal.first_of(run)
    own = {each.id for each in core.journal.newest_first(first) if each.run == run} if first else set()
    stands = list(standing(core, first)) if first else []
    wanted = [
        each
        for each in stands
        if each.run == run and (_is_change(each) or (each.undoes and each.steps and not own.intersection(each.undoes)))
    ]
    if not wanted:
        raise NothingToUndo("no change of this run stands", where=run, remedy="Look with history or digest")
    return stands, wanted


def _derived(core: Core, wanted: list[Change], later: Iterable[Change]) -> list[Part]:
    """The later changes that made entries from what is withdrawn, and all that happened to those entries since."""
    withdrawn = {name for each in wanted for name in each.made}
    chosen = {each.id for each in wanted}
    oldest = min(chosen)
    if not withdrawn:
        return []
    theirs: set[str] = set()  # the entries that go with them
    paths: set[str] = set()
    parts = []
    for each in sorted(later, key=lambda each: each.id):
        if each.id in chosen or each.id < oldest or not _is_change(each) or each.storage:
            continue
        made = {name for name, sources in each.made.items() if _comes_from(withdrawn, name, sources)}
        if each.verb == "rename" and theirs.intersection(each.entries[:1]):
            made.update(each.entries)  # they have other names from here on
        theirs |= made
        withdrawn |= made
        touched = frozenset(step.path for step in each.steps if step.path in paths)
        about = theirs.intersection(each.entries)
        if not made and not touched and not about:
            continue
        if made or theirs.issuperset(each.entries):
            parts.append(Part(each))
            paths |= {step.path for step in each.steps if step.before is None and step.after and not log_at(core, step)}
        elif touched:
            parts.append(Part(each, touched))
    return parts


def _comes_from(withdrawn: set[str], name: str, sources: Iterable[str]) -> bool:
    scope, _ = scope_and_id(name)  # a source without a scope is of the same
    return any((source if source.count("/") > 1 else f"{scope} {source}") in withdrawn for source in sources)


def _made_again(core: Core, undone: list[Change]) -> dict[str, tuple[str, ...]]:
    """The entries that come back where what is undone was itself an undoing."""
    ids = {id for each in undone for id in each.undoes}
    if not ids:
        return {}
    first = (each for each in core.journal.newest_first(min(ids)) if each.id in ids)
    return {name: sources for each in first for name, sources in each.made.items()}


def _refuse_purged(wanted: list[Change], state: Reversal) -> None:
    if state.purged and all(step.purged for each in wanted for step in each.steps):
        raise UndoRefused(
            "what it was about has been purged", where=wanted[0].id, remedy="Purging is for good; it cannot be undone"
        )


def _keep_ids(core: Core, changes: list[Change]) -> None:
    """See to it that the ids of entries that are withdrawn stay taken: once for each log, the highest."""
    highest: dict[Place, int] = {}
    for change in changes:
        numbers = [number for name in change.made if (number := _number(name))]
        for step in change.steps if numbers else ():
            if place := log_at(core, step):
                highest[place] = max(highest.get(place, 0), *numbers)
    for place, number in highest.items():
        logs.keep_issued(core, core.kinds[place.kind], place.scope, place.name, number)


def _number(name: str) -> int:
    try:
        return EntryId.parse(name.rpartition(" ")[2]).sequence
    except InvalidEntryId:
        return 0
