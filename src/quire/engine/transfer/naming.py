"""Naming: what each note of an import is called, so that links to it by its file's name still mean it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from quire.engine.core import Core, Found
from quire.engine.entry import text_of
from quire.engine.kinds import Kind, Shape
from quire.engine.layout import Place
from quire.engine.saving import MAX_SAME_SLUG
from quire.engine.scope import Scope
from quire.engine.slug import slug_of
from quire.engine.transfer.ledger import Known
from quire.engine.transfer.pieces import Piece, Role
from quire.engine.transfer.plan import Plan
from quire.engine.transfer.report import FATAL
from quire.errors import InvalidEntry, InvalidScope, MarkdownError, QuireError, StorageError
from quire.locator import MAX_SEGMENT_BYTES, normalize_key
from quire.markdown.document import Document
from quire.markdown.links import links, retarget
from quire.ports.storage import version_of

_ENDING = len(".md")
_NAMED = (Shape.NOTE, Shape.FOLDER)


def name_all(plan: Plan) -> None:
    """Give each entry of the plan its name: the one it has already, else one in the order of their paths."""
    _follow_moves(plan)
    namer = _Namer(plan)
    known = plan.ledger.known
    new = []
    for piece in plan.pieces:
        if piece.role is Role.ENTRY:
            before = known.get(piece.path)
            if before is None or not before.entry or not namer.take_known(piece, before):
                new.append(piece)
    refused = set()
    for piece in new:
        try:
            namer.find(piece)
        except FATAL:
            raise
        except QuireError as error:
            plan.refuse(piece.path, str(error))
            refused.add(piece.path)
    plan.pieces = [piece for piece in plan.pieces if piece.path not in refused]


def _follow_moves(plan: Plan) -> None:
    """A file that the ledger has under another path, which is gone, and with the same bytes, has moved."""
    known = plan.ledger.known
    here = {piece.path for piece in plan.pieces}
    gone: dict[tuple[str, bool], list[str]] = {}
    for path, record in known.items():
        if "#" not in path and path not in here:
            gone.setdefault((record.source, bool(record.entry)), []).append(path)
    for piece in plan.pieces if gone else ():
        if piece.path in known or piece.role is Role.LOG:
            continue
        try:
            version = plan.versions.get(piece.path) or version_of(plan.source.read(piece.path))
        except StorageError:
            continue  # reported where it is brought in
        if moved := gone.get((version, piece.role is Role.ENTRY)):
            plan.ledger.moved(moved.pop(0), piece.path)


class _Namer:
    """Gives the pieces of a plan their names: those that the ledger knows first, as these have theirs already.

    In a folder a name is given to one note only, so that a link by it means that one. In a tree it is given to one of
    each kind, as its ids are.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._core = plan.core
        self._is_tree = plan.flavour.tree
        self._there: dict[Scope, dict[str, list[Place]]] = {}
        self._given: set[tuple[Scope, str, str]] = set()

    def take_known(self, piece: Piece, known: Known) -> bool:
        """Give `piece` the name of the entry that the ledger has of it; False if there is no such kind any more."""
        kind_name, _, name = known.entry.partition("/")
        if kind_name not in self._core.kinds:
            return False
        assert piece.place is not None
        piece.known, piece.kind, piece.scope = known, self._core.kinds[kind_name], Scope.parse(known.scope)
        piece.place = Place(piece.scope, piece.place.kind and kind_name, name, piece.place.zone)
        self._give(piece, name)
        return True

    def find(self, piece: Piece) -> None:
        """Give `piece` the best name that is free, or that of the entry here which it has become before.

        Raises InvalidEntry where none of thousands is free.
        """
        assert piece.kind is not None and piece.place is not None
        if piece.kind.shape is Shape.SINGLE:
            piece.is_here = self._core.exists(piece.kind.name, piece.scope)
            return
        for name in candidates(self._core, piece.scope, piece.kind, piece.place.name or piece.file.stem):
            if (piece.scope, self._group(piece), folded(name)) in self._given:
                continue
            there = [place for place in self._places(piece.scope, name) if self._is_in_the_way(piece, place)]
            found = next((found for place in there for found in self._at(place) if self._is_it(piece, found)), None)
            if there and found is None:
                continue
            self._give(piece, name)
            piece.place = Place(piece.scope, piece.place.kind, name, piece.place.zone)
            if found is not None:
                piece.is_here, piece.kind = True, self._core.kinds[found.entry.kind]
                piece.place = found.contents.place
            return

    def _group(self, piece: Piece) -> str:
        return piece.kind.name if piece.kind and self._is_tree else ""

    def _give(self, piece: Piece, name: str) -> None:
        self._given.add((piece.scope, self._group(piece), folded(name)))

    def _places(self, scope: Scope, name: str) -> list[Place]:
        """Where entries of this name are in `scope`."""
        if scope not in self._there:
            places = self._there[scope] = {}
            for place in self._core.places(scope):
                if not place.kind or self._core.kinds[place.kind].shape in _NAMED:
                    places.setdefault(folded(place.name), []).append(place)
        return self._there[scope].get(folded(name), [])

    def _is_in_the_way(self, piece: Piece, place: Place) -> bool:
        """Whether an entry at `place` has a name that `piece` then cannot have. In a tree another kind's has not."""
        assert piece.kind is not None and piece.place is not None
        if not self._is_tree or place.kind == piece.kind.name:
            return True
        if place.kind:
            return False
        return not piece.place.kind or any(found.entry.kind == piece.kind.name for found in self._at(place))

    def _at(self, place: Place) -> Iterator[Found]:
        read = self._core.contents(self._core.layout.place(place), place)
        for entry in read[0].entries if read else ():
            if read:
                yield Found(entry, *read)

    def _is_it(self, piece: Piece, found: Found) -> bool:
        """Whether an entry that the ledger does not know is the one that `piece` has become."""
        entry = found.entry
        if text_of(entry.fields.get("source")) == self._plan.said_source(piece):
            return True
        try:
            document = Document.parse(self._plan.source.read(piece.path).decode("utf-8"))
        except (StorageError, UnicodeDecodeError):
            return False
        if self._is_tree and piece.kind and entry.kind == piece.kind.name:
            made = text_of(document.get("created"))
            if made and made == entry.created:
                return True  # the same memory, whatever became of its text
        return is_same_text(document, entry.document)


def folded(name: str) -> str:
    """How a name is compared: as the file systems and editors do that know no case and no two forms of a letter."""
    return unicodedata.normalize("NFC", name).casefold()


def is_same_text(source: Document, here: Document) -> bool:
    """Whether `here` is what an import makes of `source`: its body and all of its fields, links aside."""
    try:
        mine, theirs = _without_targets(source), _without_targets(here)
    except MarkdownError:
        mine, theirs = source, here
    return mine.body == theirs.body and all(theirs.get(name) == value for name, value in mine.fields.items())


def _without_targets(document: Document) -> Document:
    """The document with nothing said by its links, as an import may have had to rewrite them."""
    targets = {link.target for link in links(document) if link.target}
    return retarget(document, dict.fromkeys(targets, "link")) if targets else document


def candidates(core: Core, scope: Scope, kind: Kind, stem: str) -> Iterator[str]:
    """The names that a note of this stem may have, the best first: its own if it can be one, then `-2`, `-3`."""
    own = stem if _is_legal(core, Place(scope, kind.name, stem)) else slug_of(stem)
    room = MAX_SEGMENT_BYTES - (len(kind.schema.FILE_PREFIX) if kind.shape is Shape.FOLDER else _ENDING)
    for number in range(1, MAX_SAME_SLUG + 1):
        name = _numbered(own, number, room)
        if number == 1 or _is_legal(core, Place(scope, kind.name, name)):
            yield name
    raise InvalidEntry(
        f"{MAX_SAME_SLUG:,} entries have this name", where=stem, remedy="Give the file a name that says more"
    )


def _is_legal(core: Core, place: Place) -> bool:
    """Whether the layout reads the name back from the file it would be."""
    try:
        locator = core.layout.place(place)
        return core.layout.parse(locator) == place and normalize_key(place.name) == place.name
    except (InvalidScope, ValueError):
        return False


def _numbered(name: str, number: int, room: int) -> str:
    if number == 1:
        return name
    suffix = f"-{number}"
    raw = name.encode()
    if len(raw) + len(suffix) <= room:
        return name + suffix
    return raw[: room - len(suffix)].decode("utf-8", "ignore").rstrip(" .-") + suffix
