"""Planning: what each file of a source is, and where it goes. Reads everything once, and writes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from quire.engine.checking import MAX_TEXT_BYTES
from quire.engine.core import Core
from quire.engine.entry import MAX_FILE_BYTES, Entry, text_of
from quire.engine.kinds import Kind, Shape
from quire.engine.layout import Layout, Place, Zone
from quire.engine.scope import Scope
from quire.engine.transfer.dress import dressed, kind_of
from quire.engine.transfer.flavours import Flavour
from quire.engine.transfer.ledger import Ledger
from quire.engine.transfer.pieces import Piece, Role
from quire.engine.transfer.report import FATAL, Item, Outcome
from quire.engine.transfer.source import Source, SourceFile
from quire.errors import QuireError
from quire.locator import Locator
from quire.markdown.document import Document
from quire.ports.storage import version_of

MAX_NOTE_BYTES = MAX_TEXT_BYTES + 256 * 1024  # an entry, and the frontmatter that it may have


@dataclass(slots=True)
class Plan:
    """What to do with a source, in the order of its paths, and what is settled already."""

    core: Core
    source: Source
    flavour: Flavour
    layout: Layout | None  # of a tree
    scope: Scope
    kind: Kind
    name: str
    ledger: Ledger
    pieces: list[Piece] = field(default_factory=list)
    settled: list[Item] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)  # of the files that were read

    def make(self) -> None:
        """Fill in `pieces` and `settled`. What the pieces are called, and where files go, is said later."""
        hidden: Counter[str] = Counter()
        for file in self.source.files:
            try:
                piece = self._piece(file)
            except FATAL:
                raise
            except QuireError as error:
                self.refuse(file.path, str(error))
                continue
            if piece is not None:
                self.pieces.append(piece)
            elif file.hidden:
                hidden[_dotted(file.path)] += 1
            else:
                self.settled.append(Item(file.path, Outcome.LEFT_OUT, "a map of contents, which is made anew"))
        for path, count in sorted(hidden.items()):
            files = "1 file" if count == 1 else f"{count:,} files"
            self.settled.append(Item(path, Outcome.LEFT_OUT, f"{files} whose path has a name that begins with a dot"))
        self.settled += [Item(path, Outcome.LEFT_OUT, reason) for path, reason in self.source.left_out]
        for path, reason in self.source.refused:
            self.refuse(path, reason)

    def refuse(self, path: str, reason: str) -> None:
        """Settle that this cannot come in."""
        self.settled.append(Item(path, Outcome.REFUSED, reason))

    # What each file is

    def _piece(self, file: SourceFile) -> Piece | None:
        if self.layout is not None and (place := self.layout.parse(Locator(file.path))):
            return self._of_tree(file, place)
        if file.hidden or self._is_map(file):
            return None
        if self.layout is None and file.is_markdown:
            return self._note(file)
        return Piece(file, Role.FILE, self.scope)

    def _note(self, file: SourceFile) -> Piece:
        piece = Piece(file, Role.FILE, self.scope)
        document = self._read(piece, MAX_NOTE_BYTES)
        if document is not None:
            piece.role = Role.ENTRY
            piece.kind = kind_of(document, self.flavour, self.core.kinds, self.scope, self.kind)
            piece.place = Place(self.scope, piece.kind.name, "")
        return piece

    def _of_tree(self, file: SourceFile, place: Place) -> Piece:
        self.core.layout.base(place.scope)  # it is refused here if there is no room for its scope
        said = self.core.kinds[place.kind] if place.kind else None
        piece = Piece(file, Role.FILE, place.scope)
        document = self._read(piece, MAX_FILE_BYTES)
        if document is None:
            return piece
        if said is not None and said.shape is Shape.LOG:
            piece.role, piece.kind, piece.place = Role.LOG, said, place
            return piece
        entry = self.core.parsed(Locator(file.path), place, document.text.encode()).entries[0]
        piece.role, piece.kind, piece.place = Role.ENTRY, self.core.kinds[entry.kind], place
        if self.crosses:
            piece.place, piece.was = self._adapted(piece.kind, entry), (entry.status, entry.always_load)
        return piece

    @property
    def crosses(self) -> bool:
        """Whether entries come from a tree of another layout than ours."""
        return self.layout is not None and self.layout.name != self.core.layout.name

    def _adapted(self, kind: Kind, entry: Entry) -> Place:
        """The place in our layout of an entry that was read in another."""
        if kind.shape is Shape.SINGLE:
            return Place(entry.scope, kind.name, "")
        always = entry.always_load and text_of(entry.document.get("kind")) == kind.name
        zone = self.core.layout.zone_of(kind, entry.status, always)
        return Place(entry.scope, "" if zone is Zone.ALWAYS else kind.name, entry.name, zone)

    def _read(self, piece: Piece, limit: int) -> Document | None:
        """The document of a note; None where it can only be kept as a file, with the reason in `piece`."""
        raw = self.source.read(piece.path)
        self.versions[piece.path] = version_of(raw)
        if len(raw) > limit:
            why = f"{len(raw):,} bytes are more than the {limit:,} of one entry"
        else:
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                why = f"byte {error.start} is not UTF-8"
            else:
                if "\0" not in text:
                    return Document.parse(text)
                why = f"byte {raw.index(0)} is NUL"
        piece.reason = f"{why}; it is kept as a file"
        return None

    def _is_map(self, file: SourceFile) -> bool:
        """Whether this is a map of contents that Quire has made."""
        if file.path.rpartition("/")[2] != "_index.md":
            return False
        text = self.source.read(file.path).decode("utf-8", "replace")
        return Document.parse(text).get("generated") is True

    # What it becomes

    def said_source(self, piece: Piece) -> str:
        """What the field `source` of an entry says that this import made from `piece`."""
        return f"import:{self.name}/{piece.path}"

    def named(self, document: Document, piece: Piece, created: str = "") -> Document:
        """`document` with the fields that it lacks to be the entry that `piece` becomes.

        Raises MarkdownError where its frontmatter cannot be changed safely.
        """
        assert piece.kind is not None and piece.place is not None
        if not self.flavour.fields:
            return document
        return dressed(
            document,
            clock=self.core.clock,
            flavour=self.flavour,
            kind=piece.kind,
            stem=piece.file.stem,
            name=piece.place.name,
            mtime=piece.file.mtime,
            source=self.said_source(piece),
            created=created,
        )


def _dotted(path: str) -> str:
    """The part of a path up to the first name that begins with a dot."""
    parts = path.split("/")
    at = next(number for number, part in enumerate(parts) if part.startswith("."))
    return "/".join(parts[: at + 1]) + ("/" if at + 1 < len(parts) else "")
