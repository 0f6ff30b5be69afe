"""Flavours: who made a folder of markdown, and what its fields mean. A row in the table for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from quire.engine.kinds import Kinds, Shape
from quire.engine.layout import LAYOUTS, Layout
from quire.engine.transfer.source import Source
from quire.errors import InvalidEntry, StorageError
from quire.locator import Locator
from quire.markdown.document import Document

_LOOKED_AT = 40  # notes that are read to tell a flavour; those of one program look alike

# What a word in the field `type` means, whoever wrote it.
_TYPES = {
    "decision": "insight",
    "fix": "fix",
    "bug": "fix",
    "troubleshooting": "fix",
    "guide": "workflow",
    "how-to": "workflow",
    "howto": "workflow",
    "workflow": "workflow",
    "process": "workflow",
    "idea": "idea",
    "preference": "preference",
    "reference": "domain-reference",
}


@dataclass(frozen=True, slots=True)
class Flavour:
    """How to read a source. A `tree` says by its paths whose each entry is, and of which kind, as a root of ours."""

    name: str
    types: Mapping[str, str] = field(default_factory=lambda: _TYPES)
    title: str = "title"  # the field that says the title
    names: tuple[str, ...] = ()  # fields by which links of this flavour name a note, besides its title and its file
    tree: bool = False
    fields: bool = True  # whether its notes get the fields that an entry of ours has


FLAVOURS: Mapping[str, Flavour] = {
    row.name: row
    for row in (
        Flavour("markdown"),
        Flavour("basic-memory", names=("permalink",)),
        Flavour(
            "claude-code",
            types={
                "user": "preference",
                "feedback": "feedback",
                "project": "domain-reference",
                "reference": "domain-reference",
            },
            title="name",
            names=("name",),
        ),
        Flavour("everos", tree=True),
        Flavour("quire", tree=True, fields=False),
    )
}


def flavour_of(source: Source, given: str | None, kinds: Kinds) -> tuple[Flavour, Layout | None]:
    """The flavour that is given, else the one that the files look like; and the layout of a tree.

    Raises InvalidEntry for a flavour nobody knows.
    """
    if given is not None and given not in FLAVOURS:
        raise InvalidEntry(
            f"there is no flavour {given!r}; there are {', '.join(FLAVOURS)}", remedy="Correct its spelling"
        )
    layout = source.layout or _layout_of(source, kinds)
    name = given or _looks_like(source, layout)
    flavour = FLAVOURS[name]
    if not flavour.tree:
        return flavour, None
    return flavour, layout or LAYOUTS["root"](kinds)


def _looks_like(source: Source, layout: Layout | None) -> str:
    paths = [file.path for file in source.files]
    if source.layout is not None:
        return "quire"
    if layout is not None:
        if _has_our_fields(source, layout):
            return "quire"
        if _has_shapes_of_a_root(paths, layout):
            return "everos" if layout.name == "root" else "quire"
    if "MEMORY.md" in paths:
        return "claude-code"
    notes = list(_some(source))
    marked = sum({"permalink", "title", "type"} <= set(document.fields) for document in notes)
    return "basic-memory" if marked and marked * 2 >= len(notes) else "markdown"  # Obsidian, too, has permalinks


def _layout_of(source: Source, kinds: Kinds) -> Layout | None:
    """The layout in which most of the files are entries; None where none are."""
    layouts = [layout(kinds) for layout in LAYOUTS.values()]
    paths = [file.path for file in source.files]
    found = [(sum(layout.parse(Locator(path)) is not None for path in paths), layout) for layout in layouts]
    count, best = max(found, key=lambda pair: pair[0])
    return best if count else None


def _has_shapes_of_a_root(paths: list[str], layout: Layout) -> bool:
    """Whether there is a log, a profile or a skill where only the root of a memory has one."""
    places = (layout.parse(Locator(path)) for path in paths)
    return any(place.kind and layout.kinds[place.kind].shape is not Shape.NOTE for place in places if place)


def _has_our_fields(source: Source, layout: Layout) -> bool:
    """Whether its notes are entries: most of those that lie where entries do say of themselves what their path says."""
    looked = found = 0
    for file in source.files:
        place = layout.parse(Locator(file.path))
        if place is None or (place.kind and layout.kinds[place.kind].shape is not Shape.NOTE):
            continue
        document = _read(source, file.path)
        looked += 1
        said = document.get("kind") if document else None
        found += bool(said) and said == (place.kind or said) and "created" in document.fields  # type: ignore[union-attr]
        if looked == _LOOKED_AT:
            break
    visible = sum(not file.hidden and file.is_markdown for file in source.files)
    entries = sum(layout.parse(Locator(file.path)) is not None for file in source.files)
    return found > 0 and found * 2 >= looked and entries * 2 >= visible


def _some(source: Source) -> Iterator[Document]:
    notes = (file.path for file in source.files if file.is_markdown and not file.hidden)
    for path in islice(notes, _LOOKED_AT):
        if document := _read(source, path):
            yield document


def _read(source: Source, path: str) -> Document | None:
    try:
        return Document.parse(source.read(path).decode("utf-8"))
    except (StorageError, UnicodeDecodeError):
        return None  # reported where it is brought in
