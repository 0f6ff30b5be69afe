"""What is wrong with one entry by itself: its frontmatter, and how long it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

from quire.engine.changes import Edit
from quire.engine.checking import MAX_TEXT_BYTES, checked_tags
from quire.engine.context import tokens
from quire.engine.core import Core, Found
from quire.engine.entry import TIMES, Contents, Entry, Status, text_of, words
from quire.engine.kinds import Shape
from quire.engine.layout import Zone
from quire.engine.lint.survey import Noted, Plan, Subject, sure
from quire.errors import InvalidEntry, InvalidTime
from quire.markdown.document import Value

MAX_TOKENS = 2_000  # the default budget of a session: what is longer can never be put before an agent whole
_ZONED = (Status.INBOX, Status.ACTIVE, Status.ARCHIVED)  # what is superseded or deleted stays where it was


def check(core: Core, subject: Subject) -> Iterator[Noted]:
    """All that can be said of one entry without looking at another."""
    document = subject.entry.document
    if not document.has_frontmatter and not document.problems:
        yield subject.note(
            "FRONTMATTER_MISSING",
            "there is no frontmatter",
            "Begin with a block such as '---', 'kind: fix', 'created: 2026-06-01', '---'",
        )
    yield from _types(subject)
    yield from _kind(core, subject)
    yield from _slug(core, subject)
    yield from _status(core, subject)
    yield from _times(core, subject)
    yield from _tags(core, subject)
    yield from _text(subject)


def _types(subject: Subject) -> Iterator[Noted]:
    if subject.kind is not None:
        for name, value in subject.fields.items():
            if reason := subject.kind.schema.objection(name, value):
                yield subject.note("FIELD_TYPE", reason, "Correct the value", at=name)


def _kind(core: Core, subject: Subject) -> Iterator[Noted]:
    said, expected = text_of(subject.fields.get("kind")).lower(), subject.contents.place.kind
    if expected:
        if said and said != expected:
            yield subject.note(
                "KIND_CONTRADICTS",
                f"the kind is {said!r}, and the folder is that of {expected!r}",
                f"Write {expected}, or move the file",
                at="kind",
            )
    elif not said:
        yield subject.note(
            "KIND_MISSING", f"no kind is given, and the folder says none; it counts as {subject.entry.kind}", "Give one"
        )
    elif said not in core.kinds or core.kinds[said].shape is not Shape.NOTE:
        notes = ", ".join(kind.name for kind in core.kinds.of_shape(Shape.NOTE))
        yield subject.note("KIND_UNKNOWN", f"the kind {said!r} is none of {notes}", "Correct its spelling", at="kind")


def _slug(core: Core, subject: Subject) -> Iterator[Noted]:
    entry, said = subject.entry, text_of(subject.fields.get("slug"))
    if subject.kind is None or subject.kind.shape not in (Shape.NOTE, Shape.FOLDER):
        return
    if said and unicodedata.normalize("NFC", said) != entry.name:
        yield subject.note(
            "SLUG_CONTRADICTS",
            f"the slug is {said!r}, and the file is called {entry.name!r}",
            f"Write {entry.name}, or rename the file",
            at="slug",
            plan=_setting(core, subject, "slug", lambda now: now.name),
        )


def _status(core: Core, subject: Subject) -> Iterator[Noted]:
    said, meant = subject.fields.get("status"), subject.entry.status
    if said is not None and str(said).strip().lower() not in tuple(Status):
        yield subject.note(
            "STATUS_UNKNOWN",
            f"the status {said!r} is none of {', '.join(Status)}; it counts as {meant}",
            "Correct its spelling",
            at="status",
        )
        return
    if said is not None and said != meant.value:
        yield subject.note(
            "STATUS_SPELLING",
            f"the status is written {said!r}",
            f"Write {meant}",
            at="status",
            plan=_setting(core, subject, "status", lambda now: now.status.value),
        )
    if subject.kind is not None and meant in _ZONED:
        yield from _zone(core, subject)


def _zone(core: Core, subject: Subject) -> Iterator[Noted]:
    entry, place = subject.entry, subject.contents.place
    assert subject.kind is not None
    loaded = entry.status is Status.ACTIVE and place.zone is Zone.ALWAYS
    zone = core.layout.zone_of(subject.kind, entry.status.value, loaded)
    if zone is not place.zone:
        there = "the folder of its kind" if zone is Zone.ACTIVE else zone.value
        yield subject.note(
            "STATUS_CONTRADICTS",
            f"the status is {entry.status}, and such entries do not lie here",
            f"Move the file to {there}, or correct the status",
            at="status",
        )
    elif loaded and not entry.always_load:
        yield subject.note(
            "ALWAYS_LOAD_CONTRADICTS",
            f"it lies in {zone.value}, and its frontmatter says not to load it, which counts",
            "Remove the field, or move the file to the folder of its kind",
            at="always_load",
        )


def _times(core: Core, subject: Subject) -> Iterator[Noted]:
    moments = {}
    for name in TIMES:
        if not (text := text_of(subject.fields.get(name))):
            continue
        try:
            moments[name] = core.clock.read(text)
        except InvalidTime as error:
            yield subject.note("TIME_INVALID", f"{name}: {error.what}", error.remedy or "Correct it", at=name)
    begins, ends = moments.get("valid_from"), moments.get("valid_to")
    # What was superseded before it came true has such an interval, and means it.
    if begins and ends and begins > ends and subject.entry.status is not Status.SUPERSEDED:
        yield subject.note("TIME_ORDER", "valid_to is before valid_from", "Exchange or correct them", at="valid_to")


def _tags(core: Core, subject: Subject) -> Iterator[Noted]:
    said = subject.fields.get("tags")
    marked = [tag for tag in words(said) if tag.startswith("#")]
    if marked:
        yield subject.note(
            "TAG_HASH",
            f"the tag {marked[0]!r} is written with its '#', so that nothing finds it as {marked[0].lstrip('#')!r}",
            "Write it without",
            at="tags",
            plan=_setting(core, subject, "tags", lambda now: _without_hash(now.fields.get("tags"))),
        )


def _without_hash(said: Value) -> Value:
    """The tags as `retag` would write them; None where that is not sure."""
    plain: list[Value] = [tag.lstrip("#") for tag in words(said)]
    sure = all("#" not in str(tag) and " " not in str(tag) for tag in plain)
    try:
        checked_tags(map(str, plain))
    except InvalidEntry:
        return None
    if not sure or (isinstance(said, list) and not all(isinstance(tag, str) for tag in said)):
        return None
    return plain if isinstance(said, list) else ", ".join(map(str, plain))


def _text(subject: Subject) -> Iterator[Noted]:
    document = subject.entry.document
    body = document.body
    if (at := document.text.find("\0")) >= 0:
        line = document.first_line + document.text.count("\n", 0, at)
        yield subject.note("NUL_CHARACTER", "there is a NUL in the text", "Remove it", line=line)
    if len(body) > MAX_TEXT_BYTES // 4 and (size := len(body.encode())) > MAX_TEXT_BYTES:
        yield subject.note(
            "TOO_LARGE",
            f"{size:,} bytes are more than the {MAX_TEXT_BYTES:,} of one entry",
            "Split it, or keep the file elsewhere and link to it",
        )
    elif len(body) > MAX_TOKENS and _is_memory(subject) and (count := tokens(body)) > MAX_TOKENS:
        yield subject.note(
            "TOO_LONG",
            f"about {count:,} tokens are more than the {MAX_TOKENS:,} one memory should have",
            "Split it into entries that link to each other",
        )


def _is_memory(subject: Subject) -> bool:
    """Whether it is one among many: a profile is one file by nature, and of a skill the agent reads what it needs."""
    return subject.kind is None or subject.kind.shape in (Shape.NOTE, Shape.LOG)


def _setting(core: Core, subject: Subject, name: str, value_of: Callable[[Entry], Value]) -> Plan | None:
    """The plan that sets one field, to what `value_of` says of the entry as it is by then; None if it cannot be."""
    wanted = value_of(subject.entry)
    if not wanted:
        return None

    def make(core: Core, contents: Contents, raw: bytes) -> Edit | None:
        entry = next((each for each in contents.entries if each.id == subject.entry.id), None)
        value = value_of(entry) if entry and entry.fields.get(name) is not None else None
        return core.with_fields(Found(entry, contents, raw), {name: value}) if entry and value else None

    done = f"{name} is {', '.join(map(str, wanted)) if isinstance(wanted, list) else wanted} now"
    return sure(core, subject.contents, Plan(subject.entry.locator, subject.entry.id, done, make))
