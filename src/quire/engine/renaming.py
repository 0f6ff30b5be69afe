"""Renaming: another slug for an entry, and every link to it rewritten in the same change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from quire.clock import stamp
from quire.engine.changes import Edit
from quire.engine.core import Core, Found
from quire.engine.entry import Entry
from quire.engine.kinds import Shape
from quire.engine.layout import Place
from quire.engine.resolving import Target
from quire.engine.respelling import Move, Respelling
from quire.engine.revising import attachments, retried
from quire.engine.saving import reread
from quire.engine.scope import Scope
from quire.engine.slug import checked_slug
from quire.errors import AlreadyExists, InvalidEntry, MarkdownError, NotFound, TooLarge
from quire.locator import Locator
from quire.markdown.document import Document
from quire.markdown.entries import Log
from quire.markdown.links import Link, retarget

_GENERATED = "_index.md"
_UNUSED = "\ue000"  # a character that Unicode gives no meaning

Choice = Callable[[Link], str | None]


def rename(core: Core, id: str, slug: str, scope: Scope | str | None) -> Entry:
    """Give an entry another slug. See `Memory.rename`."""
    name = checked_slug(slug)

    def attempt(found: Found) -> Entry:
        entry = found.entry
        shape = core.kinds[entry.kind].shape
        if shape not in (Shape.NOTE, Shape.FOLDER):
            raise InvalidEntry(f"{core.kinds[entry.kind].one} has no slug to change", where=entry.id)
        if name == entry.name:
            return entry
        new_id = f"{entry.kind}/{name}"
        if core.exists(new_id, entry.scope):
            raise AlreadyTaken(
                f"{new_id} is another entry", where=entry.id, remedy="Choose another slug, or rename that one first"
            )
        edits = list(_edits(core, found, name))
        intent = core.intent("rename", entry, reason=f"to {new_id}")
        intent = replace(intent, entries=(*intent.entries, f"{entry.scope} {new_id}"))
        try:
            core.change(intent, edits)
        except AlreadyExists as error:
            raise AlreadyTaken(f"{new_id} is another entry", where=entry.id, remedy="Choose another slug") from error
        return reread(core, edits[0], entry)

    return retried(core, id, scope, attempt)


class AlreadyTaken(InvalidEntry):
    """The name an entry should get is that of another."""

    code = "ENTRY_EXISTS"


def _edits(core: Core, found: Found, name: str) -> Iterator[Edit]:
    """The new file, with what lies in its folder; the files that link to it; and last what goes."""
    entry, place, source = found.entry, found.contents.place, found.contents.locator
    target = core.layout.place(Place(entry.scope, place.kind, name, place.zone))
    copies = {
        source.parent.child(copy.locator.key[len(target.parent.key) + 1 :]): copy
        for copy in attachments(core, found, target)
    }
    here = Target(source, entry.id, entry.scope)
    moves = {source: Move(here, Target(target, f"{entry.kind}/{name}", entry.scope), name)}
    moves |= {old: Move(Target(old, "", None), Target(copy.locator, "", None)) for old, copy in copies.items()}
    names = Respelling(moves, entry.name)
    texts = dict(_survey(core, names))
    yield Edit(target, None, _renamed(core, found, name, names).text.encode())
    for old, copy in copies.items():
        yield Edit(copy.locator, None, _relinked(core, names, old, texts[old]) if old in texts else copy.after)
    for locator, raw in texts.items():
        if locator not in moves:
            yield Edit(locator, raw, _relinked(core, names, locator, raw))
    for old, copy in copies.items():
        yield Edit(old, copy.after, None)
    yield Edit(source, found.raw, None)


def _renamed(core: Core, found: Found, name: str, names: Respelling) -> Document:
    """The entry as it is under its new name: its links to itself, and the fields that repeat the name."""
    entry = found.entry
    document = retarget(entry.document, partial(names.target, holder=found.contents.locator, scope=entry.scope))
    if "slug" in document.fields:
        document = document.set("slug", name)
    if core.kinds[entry.kind].shape is Shape.FOLDER and document.get("name") == entry.name:
        document = document.set("name", name)
    return document.set("updated", stamp(core.clock.now()))


def _survey(core: Core, names: Respelling) -> Iterator[tuple[Locator, bytes]]:
    """Tell `names` of every file there is. Yields the texts that may have a link to rewrite; the others are let go."""
    for locator in core.files():
        place = core.layout.parse(locator)
        try:
            raw = core.storage.read_bytes(locator) if locator.name[-3:].lower() == ".md" else None
        except NotFound:
            continue  # gone meanwhile
        except TooLarge:
            raw = None  # too large for anything to be read from it
        mentioned = raw is not None and names.may_mention(raw)
        if place is None:
            names.know(locator, "", None, "")
        elif place.kind and core.kinds[place.kind].shape is Shape.LOG:
            if raw is not None and mentioned:
                names.know_log(core.parsed(locator, place, raw))
            else:
                names.know(locator, "", place.scope, "")
        elif place.kind:
            single = core.kinds[place.kind].shape is Shape.SINGLE
            names.know(locator, place.kind if single else f"{place.kind}/{place.name}", place.scope, place.name)
        else:  # the kind is in the frontmatter
            entries = core.parsed(locator, place, raw).entries if raw is not None else ()
            names.know(locator, entries[0].id if entries else "", place.scope, place.name)
        if raw is not None and mentioned and not _is_generated(locator, raw):
            yield locator, raw


def _is_generated(locator: Locator, raw: bytes) -> bool:
    """Whether it is a map of contents, which is made anew and not kept."""
    if locator.name != _GENERATED:
        return False
    return Document.parse(raw.decode("utf-8", "replace")).get("generated") is True


def _relinked(core: Core, names: Respelling, locator: Locator, raw: bytes) -> bytes:
    """The file with its links rewritten. Raises InvalidEntry, naming the line, where one of them cannot be."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw  # no text, which lint reports
    place = core.layout.parse(locator)
    choose = partial(names.target, holder=locator, scope=place.scope if place else None)
    is_log = place is not None and place.kind and core.kinds[place.kind].shape is Shape.LOG
    try:
        return (_log_relinked(text, choose) if is_log else retarget(Document.parse(text), choose).text).encode()
    except MarkdownError as error:
        raise InvalidEntry(error.what, where=f"{locator}, {error.where}", remedy=error.remedy) from error


def _log_relinked(text: str, choose: Choice) -> str:
    """A log with the links of its entries rewritten, whose frontmatter stands between the markers, and those around."""
    cut = _UNUSED * (1 + max((len(run) for run in re.findall(f"{_UNUSED}+", text)), default=0))  # stands for an entry
    around, within = [], []
    at = 0
    for entry in Log.parse(text).entries:
        start = text.index("\n", entry.start) + 1 if "\n" in text[entry.start : entry.end] else entry.end
        end = text.rindex(f"<!-- /entry:{entry.id}", start, entry.end) if entry.closed else entry.end
        around.append(text[at:start])
        within.append(retarget(Document.parse(text[start:end], first_line=entry.line + 1), choose).text)
        at = end
    rest = retarget(Document.parse(cut.join([*around, text[at:]])), choose).text.split(cut)
    return rest[0] + "".join(piece + between for piece, between in zip(within, rest[1:], strict=True))
