"""Listing: entries by their place, filtered in one place, a page at a time; and the chain an entry is in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quire.engine.core import Core
from quire.engine.entry import Contents, Entry, Fault, Status, unreadable
from quire.engine.kinds import Shape
from quire.engine.layout import Place
from quire.engine.scope import Scope
from quire.errors import (
    AccessDenied,
    EntryNotFound,
    InvalidEntry,
    InvalidLocatorError,
    InvalidTime,
    StorageFailed,
    TooLarge,
)
from quire.locator import Locator
from quire.ports.storage import Info

SHOWN = (Status.ACTIVE, Status.INBOX)
OF_ONE_FILE = (AccessDenied, TooLarge, StorageFailed)  # other errors are of the storage, and are never an empty list


@dataclass(frozen=True, slots=True)
class Listing:
    """A page. `next` continues it, and is None at the end."""

    entries: tuple[Entry, ...]
    next: str | None = None
    faults: tuple[Fault, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def page(
    core: Core,
    *,
    kind: str | None,
    status: str | Iterable[str] | None,
    tag: str | None,
    scope: Scope | str | None,
    everywhere: bool,
    since: dt.datetime | None,
    until: dt.datetime | None,
    limit: int | None,
    after: str | None,
) -> Listing:
    """One page of what `Memory.list` describes. Raises InvalidEntry for a filter that means nothing."""
    if limit is not None and limit < 1:
        raise InvalidEntry(f"a page of {limit} entries is none", remedy="Give a limit of 1 or more")
    if scope is not None and everywhere:
        raise InvalidEntry("everywhere is every scope, and one was named", remedy="Give one of the two")
    if kind is not None:
        _ = core.kinds[kind]
    wanted = statuses(status)
    key, id = ("", "") if after is None else _read_mark(core, after)
    links: list[str] = []
    entries: list[Entry] = []
    faults: list[Fault] = []
    passed: list[Fault] = []  # of files after the last entry that is shown: they belong to the page of the next one
    for contents in files(core, scope=scope, everywhere=everywhere, kind=kind, after=key, links=links):
        begun = contents.locator.key == key
        passed += _unseen(core, links, after=key, before=contents.locator.key)
        if not begun:
            passed += contents.faults
        # By their ids, as lines move while a person edits.
        for entry in sorted(contents.entries, key=lambda entry: entry.id):
            if begun and (not id or entry.id <= id):
                continue
            if (kind and entry.kind != kind) or entry.status not in wanted or (tag and not _is_tagged(entry, tag)):
                continue
            if not _within(core, entry, since, until):
                continue
            if limit is not None and len(entries) == limit:
                return Listing(tuple(entries), mark(core, entries[-1]), tuple(faults))
            entries.append(entry)
            faults += passed
            passed.clear()
    return Listing(tuple(entries), None, (*faults, *passed, *_unseen(core, links, after=key)))


def unseen(core: Core, *, scope: Scope | str | None = None, everywhere: bool = False) -> list[Fault]:
    """What the scopes that are meant may have behind symbolic links, which are not followed. No file is read."""
    links: list[str] = []
    for _ in places(core, scope=scope, everywhere=everywhere, links=links):
        pass
    return _unseen(core, links)


def _unseen(core: Core, links: list[str], *, after: str = "", before: str = "") -> list[Fault]:
    """The faults of links between two keys, which are taken from `links`. One to a file that is no entry's has none."""
    if not links:
        return []
    due = sorted(link for link in links if not before or link < before)
    links[:] = [link for link in links if before and link >= before]
    faults = []
    for link in due:
        at = Locator(link.rstrip("/"))
        if link >= after and (link.endswith("/") or core.layout.parse(at)):
            what = "this is a symbolic link, which is not followed, so that nothing behind it is seen"
            faults.append(Fault(at, 1, what, "Put here what it leads to", "LINK_NOT_FOLLOWED"))
    return faults


def files(
    core: Core,
    *,
    scope: Scope | str | None = None,
    everywhere: bool = False,
    kind: str | None = None,
    after: str = "",
    links: list[str] | None = None,
) -> Iterator[Contents]:
    """What the files of the scopes that are meant hold, in the order of their keys, from the key `after` on.

    One that the storage refuses to give, or that is too large, is there with its fault and without entries. For `links`
    see `places`.
    """
    for info, place in places(core, scope=scope, everywhere=everywhere, kind=kind, after=after, links=links):
        try:
            read = core.contents(info.locator, place, size=info.size)
        except OF_ONE_FILE as error:
            yield unreadable(info.locator, place, error)
            continue
        if read:
            yield read[0]


def places(
    core: Core,
    *,
    scope: Scope | str | None = None,
    everywhere: bool = False,
    kind: str | None = None,
    after: str = "",
    links: list[str] | None = None,
) -> Iterator[tuple[Info, Place]]:
    """The files of entries in the order of their keys, unread. With `kind` only those that may hold one of it.

    The paths of symbolic links, where the storage has such things, are added to `links` as they are passed.
    """
    # What is behind a link is not there for the seam: only a storage that has them can tell.
    noting = None if links is None else getattr(core.storage, "walk_noting", None)
    if noting and links is not None and everywhere:
        links += [link for link in core.storage.links(Locator()) if not link.startswith(".")]  # type: ignore[attr-defined]
    scopes = None if everywhere else {*core.scopes} if scope is None else {core.scope(scope)}
    for folder in _folders(core, scopes, kind):
        for info in noting(folder, links) if noting else core.storage.walk(folder):
            if info.locator.key < after:
                continue
            place = core.layout.parse(info.locator)
            if place is None or (scopes is not None and place.scope not in scopes):
                continue
            if not kind or place.kind in ("", kind):
                yield info, place


def _folders(core: Core, scopes: set[Scope] | None, kind: str | None) -> list[Locator]:
    """The folders to walk, none below another, in the order in which whole keys are sorted."""
    if scopes is None:
        found = {folder.key for folder in core.all_folders()}
    else:
        row = core.kinds[kind] if kind else None
        for scope in scopes:
            core.room_for(scope)
        found = {folder.key for scope in scopes for folder in core.layout.folders(scope, row)}
    tops = [key for key in found if not any(key.startswith(f"{other}/") for other in found)]
    return [Locator(key) for key in sorted(tops, key=lambda key: f"{key}/")]


def statuses(status: str | Iterable[str] | None) -> tuple[Status, ...]:
    """The statuses that are asked for. Raises InvalidEntry. This is the one filter of what is shown."""
    if status is None:
        return SHOWN
    names = [str(name).strip().lower() for name in (status.split(",") if isinstance(status, str) else status)]
    if names == ["all"]:
        return tuple(Status)
    unknown = [name for name in names if name not in tuple(Status)]
    if unknown or not names:
        what = f"{unknown[0]!r} is no status" if unknown else "no status is asked for"
        raise InvalidEntry(what, where="status", remedy=f"Use {', '.join(Status)}, or all")
    return tuple(Status(name) for name in names)


def history(core: Core, entry: Entry) -> list[Entry]:
    """The entries before and after this one in its chain. A chain that bites its tail is cut where it does."""
    seen = {entry.id}
    before: list[Entry] = []
    after: list[Entry] = []
    for chain, link in ((before, "supersedes"), (after, "superseded_by")):
        at = entry
        while (next_id := getattr(at, link)) and next_id not in seen:
            seen.add(next_id)
            try:
                at = core.find(next_id, entry.scope).entry
            except EntryNotFound:
                break  # lint reports a link that leads nowhere
            chain.append(at)
    return [*reversed(before), entry, *after]


def mark(core: Core, entry: Entry) -> str:
    """Where a listing stands after this entry: its file, and in a log its id. Neither moves when text is edited."""
    within = entry.id if core.kinds[entry.kind].shape is Shape.LOG else ""
    return f"{entry.locator.key}#{within}"


def _read_mark(core: Core, after: str) -> tuple[str, str]:
    """The key and the id of a mark, whose file may be gone by now. Raises InvalidEntry for what none could be."""
    key, hash, id = after.rpartition("#")
    try:
        place = core.layout.parse(Locator(key)) if hash and key else None
    except InvalidLocatorError:
        place = None
    if place is None:
        raise InvalidEntry(
            f"{after!r} is not the mark of a page", where="after", remedy="Give the one that the page before ended with"
        )
    return key, id


def _is_tagged(entry: Entry, tag: str) -> bool:
    """Whether an entry has a tag, in whatever case, or one below it: `area` finds `area/testing`."""
    wanted = tag.strip().lstrip("#").casefold()
    tags = [known.casefold() for known in entry.tags]
    return any(known == wanted or known.startswith(f"{wanted}/") for known in tags)


def _within(core: Core, entry: Entry, since: dt.datetime | None, until: dt.datetime | None) -> bool:
    if since is None and until is None:
        return True
    try:
        when = core.clock.read(entry.when)
    except InvalidTime:
        return False  # an entry without a time is in no interval
    return (since is None or when >= since) and (until is None or when < until)
