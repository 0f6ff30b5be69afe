"""Core: what every verb needs. Where entries are, how they are read, and how they are changed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from quire.clock import Clock
from quire.engine.changes import Changes, Edit, Intent
from quire.engine.entry import MAX_FILE_BYTES, Contents, Entry, Fault, Ownership, read_contents, too_large
from quire.engine.issued import Issued
from quire.engine.journal import Change, Journal
from quire.engine.kinds import Kind, Kinds, Shape
from quire.engine.layout import Layout, Place, Zone
from quire.engine.scope import Owner, Scope
from quire.errors import (
    EntryNotFound,
    InvalidEntry,
    InvalidEntryId,
    InvalidScope,
    IsADirectory,
    NotADirectory,
    NotAllowed,
    NotFound,
    NotText,
    StorageError,
    TooLarge,
)
from quire.locator import Locator
from quire.markdown.document import Document
from quire.markdown.entries import EntryId, Log
from quire.ports.storage import StorageBackend

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_OTHER_CASE = str.maketrans(_LETTERS + _LETTERS.upper(), _LETTERS.upper() + _LETTERS)


@dataclass(frozen=True, slots=True)
class Found:
    """An entry, and the whole file it was read from."""

    entry: Entry
    contents: Contents
    raw: bytes


class Core:
    """One root, as seen by one actor. `scopes` are those that are meant where none is named, the first preferred."""

    def __init__(
        self,
        *,
        storage: StorageBackend,
        journal: Journal,
        changes: Changes,
        layout: Layout,
        scopes: tuple[Scope, ...],
        clock: Clock,
    ) -> None:
        self.storage = storage
        self.journal = journal
        self.changes = changes
        self.layout = layout
        self.scopes = scopes
        self.clock = clock
        self.issued = Issued(journal, clock)
        self.others: dict[str, StorageBackend] = {}  # what is not this root: the person's notes, a project's folder
        self._rooms: set[Locator] = set()  # folders of scopes that are known to be nobody else's
        self._tells_case = False  # whether the storage is known to tell `a` from `A`

    def storage_of(self, name: str) -> StorageBackend:
        """The storage a step of the journal names; empty for the root. Raises NotAllowed if it is not open here."""
        if not name:
            return self.storage
        if name not in self.others:
            kind = name.partition(":")[0]
            which = {"personal": "the personal notes", "project": "the folder of the project in which this was changed"}
            others = [getattr(it, "root", "") for other, it in self.others.items() if other.startswith(f"{kind}:")]
            what = "this is not" if others else "this memory was opened without"
            raise NotAllowed(
                f"{what} {which.get(kind, name)}",
                where=", ".join(others),
                remedy=f"Open with {'project_folder' if kind == 'project' else kind}=",
            )
        return self.others[name]

    def name_of_storage(self, storage: StorageBackend) -> str:
        """What the journal calls a storage; empty for the root."""
        return next((name for name, other in self.others.items() if other is storage), "")

    @property
    def kinds(self) -> Kinds:
        return self.layout.kinds

    # Where

    def scope_for(self, kind: Kind, scope: Scope | str | None) -> Scope:
        """The scope that is meant for an entry of `kind`. Raises InvalidScope, and InvalidEntry for a wrong owner."""
        if scope is None:
            own = (known for known in self.scopes if known.owner in kind.schema.OWNERS)
            meant = next(own, None) or self.scopes[0].owned_by(kind.schema.OWNERS[0])
        else:
            meant = self.scope(scope)
            if meant.owner not in kind.schema.OWNERS:
                owners = " or ".join(owner.value for owner in kind.schema.OWNERS)
                raise InvalidEntry(
                    f"{kind.one} belongs to {owners}, and {meant} is neither",
                    where=kind.name,
                    remedy=f"Give a scope such as {kind.schema.OWNERS[0].value}, or none",
                )
        self.room_for(meant)
        return meant

    def scope(self, scope: Scope | str) -> Scope:
        """`scope`, read where it is text; a bare owner is the one of this root's scopes."""
        if isinstance(scope, Scope):
            return scope
        own = next((known for known in self.scopes if known.owner.value == scope), None)
        return own or Scope.parse(scope, self.scopes[0])

    def room_for(self, scope: Scope) -> Locator:
        """The folder of `scope`. Raises InvalidScope where this layout has none, or where it would be another's.

        A file system that ignores case would give the memory of `alice` to `Alice`.
        """
        base = Locator("/".join(self.layout.base(scope)))
        if self._tells_case or base in self._rooms:
            return base
        folded = self.storage.exists(Locator(base.key.translate(_OTHER_CASE)))
        if folded:
            self._require_spelled(base, scope)
        if self.storage.exists(base):
            self._rooms.add(base)
            self._tells_case = not folded
        return base

    def _require_spelled(self, base: Locator, scope: Scope) -> None:
        at = Locator()
        for part in base.parts:
            names = [child.name for child in self.storage.list(at)]
            there = [name for name in names if name.casefold() == part.casefold()]
            if part in (scope.app, scope.project, scope.id) and there and part not in there:
                raise InvalidScope(
                    f"{there[0]!r} and {part!r} are one folder on this file system, and {there[0]!r} is there",
                    where=str(scope),
                    remedy=f"Write it {there[0]!r} if that is meant, else choose another name",
                )
            at = at.child(there[0] if there and part not in there else part)

    # Reading

    def contents(self, locator: Locator, place: Place | None = None, *, size: int = 0) -> tuple[Contents, bytes] | None:
        """What the file at `locator` holds, and its bytes; None where no entry's file is.

        A file whose `size` is known to be beyond the limit is not read.
        """
        place = place or self.layout.parse(locator)
        if place is None:
            return None
        if size > MAX_FILE_BYTES:
            return too_large(locator, place, size), b""
        try:
            raw = self.storage.read_bytes(locator)
        except (NotFound, IsADirectory, NotADirectory):
            return None
        return self.parsed(locator, place, raw), raw

    def parsed(self, locator: Locator, place: Place, raw: bytes, document: Document | None = None) -> Contents:
        """What these bytes are, as the file at `locator`. Never raises for what is in them."""
        kind = self.kinds[place.kind] if place.kind else None
        return read_contents(locator, place, kind, raw, kinds=self.kinds, document=document)

    def find(self, id: str, scope: Scope | str | None = None) -> Found:
        """The entry with this id, in `scope` or else in the first of our scopes that has one.

        Raises EntryNotFound, naming ids that look like it; NotText or TooLarge where its file is there and cannot be
        read, as that is not the same as nothing.
        """
        if not isinstance(id, str) or not id.strip():
            raise InvalidEntry(f"{id!r} is not an id", remedy="Give one such as fix/locked-database")
        id = unicodedata.normalize("NFC", id.strip())
        scopes = (self.scope(scope),) if scope is not None else self.scopes
        faults: list[Fault] = []
        for each in scopes:
            for found in self.at(id, each, faults):
                return found
        if faults:
            error = TooLarge if faults[0].code == "TOO_LARGE" else NotText
            raise error(faults[0].what, where=f"{id} in {faults[0].locator}", remedy=faults[0].remedy)
        near = self._near(id, scopes)
        raise EntryNotFound(
            "there is no such entry" + (f"; there is {', '.join(near)}" if near else ""),
            where=f"{id} in {', '.join(map(str, scopes))}",
            remedy="Look with list, or name another scope",
        )

    def has(self, id: str, scope: Scope | str) -> bool:
        """Whether `scope` has an entry of this id."""
        return self.exists(id, self.scope(scope))

    def exists(self, id: str, scope: Scope) -> bool:
        """Whether an entry of this id is there, in whatever state."""
        return any(True for _ in self.at(id, scope))

    def at(self, id: str, scope: Scope, faults: list[Fault] | None = None) -> Iterator[Found]:
        """The entries of this id; more than one only where a person has made another. Files that hold none add to
        `faults` why not."""
        for place in self._places(id, scope):
            read = self.contents(self.layout.place(place), place)
            for entry in read[0].entries if read else ():
                if read and entry.id == id:
                    yield Found(entry, *read)
            if read and faults is not None and not read[0].entries:
                faults += read[0].faults

    def _places(self, id: str, scope: Scope) -> Iterator[Place]:
        """Where an entry of this id can be. Raises InvalidScope where this layout has no room for `scope`."""
        self.room_for(scope)
        kind_name, slash, slug = id.partition("/")
        if slash:
            if kind_name in self.kinds and self.kinds[kind_name].shape in (Shape.NOTE, Shape.FOLDER) and slug:
                for zone in self.layout.zones:
                    place = Place(scope, "" if zone is Zone.ALWAYS else kind_name, slug, zone)
                    if self._is_one(place):
                        yield place
            return
        if id in self.kinds and self.kinds[id].shape is Shape.SINGLE:
            yield Place(scope, id, "")
            return
        try:
            parsed = EntryId.parse(id)
        except InvalidEntryId:
            return
        for kind in self.kinds.of_shape(Shape.LOG):
            if parsed.prefix == kind.schema.ENTRY_ID_PREFIX:
                for locator in self.parts_of(scope, kind, parsed.date.isoformat()):
                    if found := self.layout.parse(locator):
                        yield found

    def _is_one(self, place: Place) -> bool:
        """Whether an entry can be there: not where the slug of a made-up id would lead elsewhere, or nowhere."""
        try:
            return self.layout.parse(self.layout.place(place)) == place
        except InvalidScope:
            return False

    def parts_of(self, scope: Scope, kind: Kind, day: str) -> list[Locator]:
        """The files of one day of a log."""
        first = self.layout.place(Place(scope, kind.name, day))
        stem = first.name.removesuffix(".md")
        return [
            found
            for found in self.storage.list(first.parent)
            if found.name == first.name or found.name.startswith(f"{stem}.")
        ]

    def places(self, scope: Scope) -> Iterator[Place]:
        """The places of the files of one scope. Nothing is read."""
        for folder in self.layout.folders(scope, None):
            for info in self.storage.walk(folder):
                place = self.layout.parse(info.locator)
                if place is not None and place.scope == scope:
                    yield place

    def files(self) -> Iterator[Locator]:
        """Every file of the root, entry's or not, but for folders whose name begins with a dot."""
        for child in self.all_folders():
            below = False
            for info in self.storage.walk(child):
                below = True
                yield info.locator
            if not below and self._is_file(child):
                yield child

    def _is_file(self, locator: Locator) -> bool:
        try:
            return not self.storage.info(locator).is_dir
        except NotFound:
            return False

    def all_folders(self) -> list[Locator]:
        """The folders, and files, right below the root. What begins with a dot holds no memory."""
        return [child for child in self.storage.list(Locator()) if not child.name.startswith(".")]

    def _near(self, id: str, scopes: tuple[Scope, ...]) -> list[str]:
        """Ids that may have been meant: of the same slug, else of a similar spelling."""
        import difflib

        slug = id.rpartition("/")[2].removesuffix(".md")
        known: dict[str, str] = {}
        for each in scopes:
            for place in self.places(each):
                if place.name and place.kind and self.kinds[place.kind].shape is not Shape.LOG:
                    known.setdefault(f"{place.kind}/{place.name}", place.name)
        same = [near for near, name in known.items() if name == slug]
        return same[:3] or difflib.get_close_matches(id, known, 3, 0.75)

    # Changing

    def change(self, intent: Intent, edits: list[Edit]) -> Change | None:
        """Make a change and record it; see `Changes.apply`. One that touches what is curated is reported as such."""
        if not intent.tier and any(self._is_curated(edit.locator) for edit in edits):
            intent = replace(intent, tier=Ownership.CURATED.value)
        change = self.changes.apply(intent, edits)
        self._tidy(edits)
        return change

    def erase(self, intent: Intent, edits: list[Edit]) -> None:
        """Make a change of which the journal keeps no text."""
        self.change(replace(intent, erase=True), edits)

    def _is_curated(self, locator: Locator) -> bool:
        """Whether it is not the agent's or the user's alone; a file that is no entry's is somebody's, too."""
        place = self._place_around(locator)
        return place is None or place.scope.owner is Owner.SHARED

    def _place_around(self, locator: Locator) -> Place | None:
        """The place of the entry whose file this is, or in whose folder it lies."""
        place: Place | None = self.layout.parse(locator)
        folder = locator.parent
        while place is None and folder.key:
            for kind in self.kinds.of_shape(Shape.FOLDER):
                place = place or self.layout.parse(folder.child(kind.schema.FILE_NAME))
            folder = folder.parent
        return place

    def _tidy(self, edits: list[Edit]) -> None:
        """Remove the folder of an entry that is a folder, once nothing is in it any more."""
        for edit in edits:
            place = self._place_around(edit.locator) if edit.after is None else None
            if place is None or not place.kind or self.kinds[place.kind].shape is not Shape.FOLDER:
                continue
            folder, last = edit.locator.parent, self.layout.place(place).parent
            while folder.key and len(folder.key) >= len(last.key):
                try:
                    self.storage.delete(folder)
                except StorageError:
                    break  # there is something in it, or it is gone; an empty folder harms nobody
                folder = folder.parent

    def rewritten(self, found: Found, document_text: str) -> Edit:
        """The edit that gives the entry's own file, or its block in a log, this text."""
        return Edit(found.contents.locator, found.raw, document_text.encode())

    def with_fields(self, found: Found, changes: dict[str, object]) -> Edit:
        """The edit that sets these fields of one entry (None removes) and leaves every other byte."""
        document = found.entry.document
        for name, value in changes.items():
            document = document.remove(name) if value is None else document.set(name, value)  # type: ignore[arg-type]
        if found.contents.place.kind and self.kinds[found.contents.place.kind].shape is Shape.LOG:
            return self.rewritten(found, Log.parse(found.contents.text).replace(found.entry.id, document).text)
        return self.rewritten(found, document.text)

    def name_of(self, entry: Entry) -> str:
        """How the journal names an entry: an id alone is not enough where scopes are many."""
        return f"{entry.scope} {entry.id}"

    def intent(
        self,
        verb: str,
        *entries: Entry,
        reason: str = "",
        made: Mapping[str, tuple[str, ...]] | None = None,
        **more: object,
    ) -> Intent:
        """What a change of these entries is about. `made` are the names of new ones, and the ids each derives from."""
        scopes = {self.name_of(entry): entry.scope for entry in entries}
        sources = {name: tuple(self._meant(id, scopes.get(name)) for id in ids) for name, ids in (made or {}).items()}
        curated = any(entry.scope.owner is Owner.SHARED for entry in entries)
        return Intent(
            verb,
            tuple(self.name_of(entry) for entry in entries),
            reason=reason,
            tier=Ownership.CURATED.value if curated else "",
            made=sources,
            **more,  # type: ignore[arg-type]
        )

    def _meant(self, id: str, scope: Scope | None) -> str:
        """The name of the entry that an id means in an entry of `scope`; the id alone where there is none."""
        for each in dict.fromkeys((*([scope] if scope else []), *self.scopes)):
            if self.exists(id, each):
                return f"{each} {id}"
        return id
