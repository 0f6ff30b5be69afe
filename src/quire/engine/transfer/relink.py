"""Relinking: links that would mean something else here, or nothing, say where the same file is now."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from quire.engine.entry import Contents, Entry, Status, text_of
from quire.engine.layout import Place
from quire.engine.listing import files
from quire.engine.resolving import By, Names, folded
from quire.engine.transfer.merging import Merge
from quire.engine.transfer.pieces import Piece, Role
from quire.engine.transfer.plan import Plan
from quire.errors import MarkdownError, StorageError
from quire.locator import Locator
from quire.markdown import destination
from quire.markdown.document import Document
from quire.markdown.hidden import masked
from quire.markdown.links import ID_FIELDS, Link, retarget

_Place = tuple[str, str]  # a key here, and the id of an entry in it; empty for a file that is none
_OTHER = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//|[#?]")  # a destination that is no path
_UNSPELLED = re.compile(r"[\[\]|#^\n]")  # what double brackets cannot hold in a name
_FILE_NAMES = (By.SLUG, By.SUFFIX)  # of several titles, nobody can say which is meant


class Relinker:
    """Says what each link of a piece must say. `look` comes first, before anything is written."""

    def __init__(self, plan: Plan, merges: Mapping[str, Merge]) -> None:
        self._plan = plan
        self._core = plan.core
        self._merges = merges
        self._pieces = {piece.path: piece for piece in plan.pieces}
        self._there = Names()
        self._here = Names()
        self._said: dict[str, list[str]] = {}  # what else names a note in the words of its flavour
        self._places: dict[tuple[str, str], _Place | None] = {}

    def look(self) -> None:
        """Learn the names of the source, and those of this root as they will be when all has come in."""
        for piece in self._plan.pieces:
            self._add_source(piece)
        self._here = Names.of(files(self._core, everywhere=True), self._other_files())
        for piece in self._plan.pieces:
            self._add_new(piece)

    def relinked(self, document: Document, piece: Piece) -> tuple[Document, str]:
        """`document`, of `piece`, with its links; or as it is, and why one cannot be spelled as it must be."""
        at = self._at(piece)
        if at is None:
            return document, ""
        lost: list[str] = []
        try:
            changed = retarget(document, lambda link: self._new_target(link, piece, at, lost))
        except MarkdownError as error:
            return document, f"its links say what they did: {error}"
        why = f"no link can say where {', '.join(map(repr, dict.fromkeys(lost)))} is now" if lost else ""
        return self._with_files(changed, piece, at), why

    # Links to notes

    def _new_target(self, link: Link, piece: Piece, at: Locator, lost: list[str]) -> str | None:
        """What a link must say; None where it says that already, or where nothing can: then it is put into `lost`."""
        if not link.target:
            return None
        meant = self._meant(link, piece)
        if meant is None:
            return None
        scope = piece.scope
        if self._means(link, at, scope, meant):
            return None
        for target in self._spellings(link, at, meant):
            spelled = link.kind == "markdown" or not _UNSPELLED.search(target)
            if spelled and self._means(replace(link, target=target), at, scope, meant):
                return target
        lost.append(link.target)
        return None

    def _meant(self, link: Link, piece: Piece) -> _Place | None:
        """What a link of the source means, where it is here; None where it means nothing."""
        around = Locator(piece.path)
        place = self._plan.layout.parse(around) if self._plan.layout else None
        by, targets = self._there.meaning(link, around, place.scope if place else self._plan.scope)
        if len(targets) == 1 or by in _FILE_NAMES:
            chosen = min(targets, key=lambda target: _distance(target.locator, around))
            return self._now(chosen.locator.key, chosen.id)
        said = [] if targets else self._said.get(folded(link.target), [])
        return self._now(said[0], "") if len(said) == 1 else None

    def _means(self, link: Link, at: Locator, scope: object, meant: _Place) -> bool:
        found = self._here.resolve(link, at, scope)  # type: ignore[arg-type]
        return [(target.locator.key, target.id) for target in found] == [meant]

    def _spellings(self, link: Link, at: Locator, meant: _Place) -> Iterator[str]:
        """What a link to `meant` could say, the shortest first, in the manner of the one that is there."""
        key, id = meant
        path = key.removesuffix(".md")
        ending = ".md" if path != key and link.target.endswith(".md") else ""
        if link.kind == "markdown":
            yield posixpath.relpath(path, at.parent.key or ".") + ending
            return
        if id and link.kind == "field" and link.relation in ID_FIELDS:
            yield id
        if "/" in id or not id:
            yield path.rpartition("/")[2] + ending
        if id:
            yield id
        yield path + ending

    # Where things are

    def _now(self, path: str, id: str) -> _Place | None:
        """Where the file at `path` of the source is here, or the entry `id` of that log."""
        if (path, id) not in self._places:
            self._places[path, id] = self._looked_up(path, id)
        return self._places[path, id]

    def _looked_up(self, path: str, id: str) -> _Place | None:
        piece = self._pieces.get(path)
        at = self._at(piece) if piece else None
        if piece is None or at is None:
            return None
        if piece.role is Role.ENTRY:
            return at.key, piece.id
        if piece.role is Role.LOG and id:
            merge = self._merges.get(path)
            decisions = merge.decisions if merge else ()
            return next(((at.key, each.id) for each in decisions if each.entry.id == id), None)
        return at.key, ""

    def _at(self, piece: Piece) -> Locator | None:
        """The file that `piece` is here, or will be; None where it went away."""
        if piece.role is Role.FILE:
            known = self._plan.ledger.known.get(piece.path)
            return Locator(known.at) if known and not known.entry else piece.at
        assert piece.place is not None
        if piece.known is not None:
            return next((found.contents.locator for found in self._core.at(piece.id, piece.scope)), None)
        return self._core.layout.place(piece.place)

    # Names

    def _add_source(self, piece: Piece) -> None:
        names, at = self._there, Locator(piece.path)
        layout = self._plan.layout
        place = layout.parse(at) if layout else Place(piece.scope, "", piece.file.stem)
        document = self._document(piece) if piece.role is not Role.FILE else None
        if document is None or place is None:
            names.add_file(at, "", None)
        elif layout is not None:
            names.add(self._core.parsed(at, place, document.text.encode()))
        else:
            assert piece.kind is not None
            id = f"{piece.kind.name}/{piece.file.stem}"
            names.add(_contents(at, place, id, piece.kind.name, document))
            for field in self._plan.flavour.names:
                if said := text_of(document.get(field)):
                    self._said.setdefault(folded(said), []).append(piece.path)

    def _other_files(self) -> Iterator[Locator]:
        return (locator for locator in self._core.files() if self._core.layout.parse(locator) is None)

    def _add_new(self, piece: Piece) -> None:
        names = self._here
        if piece.role is Role.FILE:
            if piece.at is not None and piece.path not in self._plan.ledger.known:
                names.add_file(piece.at, "", None)
            return
        if piece.is_here or piece.known is not None or piece.place is None:
            return
        at = self._core.layout.place(piece.place)
        document = self._document(piece)
        if document is None:
            return
        if piece.role is Role.LOG:
            merge = self._merges.get(piece.path)
            for each in merge.decisions if merge else ():
                if each.outcome == "new":
                    kind = piece.kind.name if piece.kind else ""
                    names.add(_contents(at, piece.place, each.id, kind, each.entry.document))
            return
        assert piece.kind is not None
        try:
            document = self._plan.named(document, piece)
        except MarkdownError:
            pass  # then it comes in as it is
        names.add(_contents(at, piece.place, piece.id, piece.kind.name, document))

    def _document(self, piece: Piece) -> Document | None:
        try:
            return Document.parse(self._plan.source.read(piece.path).decode("utf-8"))
        except (StorageError, UnicodeDecodeError):
            return None  # reported where it is brought in

    # Links to files that are no notes, which a note shows or offers

    def _with_files(self, document: Document, piece: Piece, at: Locator) -> Document:
        text = document.text
        if "](" not in text and "]:" not in text:
            return document
        plain = masked(text, document.body_start, len(text))
        matches = sorted(
            (
                match
                for pattern in (destination.INLINE, destination.DEFINITION)
                for match in pattern.finditer(plain, document.body_start)
            ),
            key=lambda match: match.start(),
        )
        pieces, end = [], 0
        for match in matches:
            group = 1 if match[1] is not None else 2
            start, stop = match.span(group)
            raw, mark, _ = text[start:stop].partition("#")[0].partition("?")
            if destination.note(raw) is not None and not mark:
                continue  # a link to a note, which says already what it must; with a question it was taken for none
            new = self._file_at(raw, piece, at)
            if new is not None and start >= end:
                pieces += [text[end:start], destination.respelled(raw, new, angles=group == 1)]
                end = start + len(raw)
        if not pieces:
            return document
        return Document.parse("".join([*pieces, text[end:]]), first_line=document.first_line)

    def _file_at(self, raw: str, piece: Piece, at: Locator) -> str | None:
        """The path from `at` to the file that a destination names by its path in the source; None for anything else."""
        if not raw or _OTHER.match(raw):
            return None
        path = destination.decoded(raw)
        around = "" if path.startswith("/") else piece.path.rpartition("/")[0]
        named = self._pieces.get(posixpath.normpath(posixpath.join(around, path.lstrip("/"))))
        if named is None:
            return None
        now = self._at(named)
        if now is None or posixpath.normpath(posixpath.join(at.parent.key, path)) == now.key:
            return None
        return posixpath.relpath(now.key, at.parent.key or ".")


def _distance(target: Locator, holder: Locator) -> tuple[bool, int, str]:
    """Of several files of one name, editors take the one beside the link, else the one of the shortest path."""
    return target.parent != holder.parent, len(target.key), target.key


def _contents(at: Locator, place: Place, id: str, kind: str, document: Document) -> Contents:
    entry = Entry(id, place.scope, kind, Status.ACTIVE, at, "", document, place.name)
    return Contents(at, place, document.text, "", (entry,), ())
