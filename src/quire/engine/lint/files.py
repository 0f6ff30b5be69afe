"""What is wrong with files: those that cannot be read or seen, and names that stand for two."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from quire.engine.kinds import Kind, Shape
from quire.engine.layout import Place, VaultLayout, Zone
from quire.engine.lint.finding import CHECKS, Severity
from quire.engine.lint.survey import Noted, Subject, Survey, fault_id, is_log, noted
from quire.engine.scope import Owner, Scope
from quire.errors import InvalidLocatorError, InvalidScope
from quire.locator import Locator

_BY_FIELD = ("FIELD_TYPE", "KIND_UNKNOWN", "STATUS_UNKNOWN")  # found again with the line of the field


def check(survey: Survey) -> Iterator[Noted]:
    """All that can be said of files before anything is known of what links them."""
    yield from _unread(survey)
    yield from _faults(survey)
    yield from _copies(survey)
    yield from _unreachable(survey)
    yield from _collisions(survey)
    yield from _strays(survey)
    yield from _duplicates(survey)


def _unread(survey: Survey) -> Iterator[Noted]:
    for locator, error in survey.unread:
        scope = _scope(survey, locator)
        yield noted(locator, 1, "UNREADABLE", error.what, error.remedy or "Look at it with other means", scope=scope)


def _faults(survey: Survey) -> Iterator[Noted]:
    for contents in survey.contents:
        copy = survey.copies.get(contents.locator)
        if copy and copy.certain:
            continue  # what is wrong in the original is reported there
        in_log = bool(contents.faults) and is_log(survey.core, contents)
        for fault in contents.faults:
            if fault.code not in _BY_FIELD:
                yield noted(
                    fault.locator,
                    fault.line,
                    fault.code,
                    fault.what,
                    fault.remedy,
                    id=fault_id(contents, fault, in_log),
                    scope=contents.place.scope,
                    severity=None if fault.code in CHECKS else Severity.ERROR,
                )


def _copies(survey: Survey) -> Iterator[Noted]:
    for locator, copy in survey.copies.items():
        may = "is" if copy.certain else "may be"
        yield noted(
            locator,
            1,
            "CONFLICT_COPY",
            f"this {may} a copy of {copy.original.name} that {copy.service} has left",
            "Carry over what is missing there, then delete the copy",
            scope=_scope(survey, locator),
            severity=None if copy.certain else Severity.ADVICE,
        )


def _unreachable(survey: Survey) -> Iterator[Noted]:
    """Names that no locator reaches, in the folders of entries; elsewhere they are not ours to judge."""
    unreachable = getattr(survey.core.storage, "unreachable", None)
    refused = {locator.key for locator, _ in survey.unread}
    for path, reason in unreachable() if unreachable else ():
        if path.rstrip("/") in refused:
            continue  # it can be named, and is reported as what cannot be read
        folder, _, name = path.rstrip("/").rpartition("/")
        try:
            at = Locator(folder)
        except InvalidLocatorError:
            continue  # it lies in a folder that is reported itself
        scope = _scope(survey, at.child("x"))
        if scope is not None:
            yield noted(
                at,
                1,
                "UNREACHABLE_NAME",
                f"{name!r} is not seen: it is {reason}",
                "Put a plain file of another name in its place",
                scope=scope,
            )


def _collisions(survey: Survey) -> Iterator[Noted]:
    groups: dict[str, list[Locator]] = {}
    for locator in _all(survey):
        key = locator.key
        folded = key.lower() if key.isascii() else unicodedata.normalize("NFC", key.casefold())
        groups.setdefault(folded, []).append(locator)
    for group in groups.values():
        for locator in group[1:]:
            yield noted(
                locator,
                1,
                "NAME_COLLISION",
                f"on some systems this is the same name as {group[0]}",
                "Give one of them another name",
                scope=_scope(survey, locator),
            )


def _all(survey: Survey) -> list[Locator]:
    return sorted([*(contents.locator for contents in survey.contents), *survey.others])


def _duplicates(survey: Survey) -> Iterator[Noted]:
    """Entries of one id, in the order in which they are looked for: the first counts."""
    groups: dict[tuple[Scope, str], list[Subject]] = {}
    for subject in survey.subjects:
        groups.setdefault(subject.key, []).append(subject)
    zones = survey.core.layout.zones
    for group in groups.values():
        group.sort(key=lambda each: (zones.index(each.contents.place.zone), each.entry.locator.key))
        for subject in group[1:]:
            yield subject.note(
                "DUPLICATE_ID",
                f"{subject.entry.id} is also in {group[0].entry.locator}, which counts",
                "Rename one of the files" if "/" in subject.entry.id else "Give one of them an id of its own",
            )


def _strays(survey: Survey) -> Iterator[Noted]:
    """Notes in the folders of entries which are none. What begins with `_` or `.` is somebody's own, or Quire's."""
    with_files = {
        subject.entry.locator.parent
        for subject in survey.subjects
        if subject.kind is not None and subject.kind.shape is Shape.FOLDER
    }
    folders, taken = _Folders(survey), {contents.locator for contents in survey.contents}
    for locator in survey.others:
        if not locator.name.lower().endswith(".md") or locator in survey.copies:
            continue
        found = survey.scope_of(locator)
        if found is None or any(folder in with_files for folder in _parents(locator)):
            continue
        scope, base = found
        rest = locator.parts[len(base.parts) :]
        if folders.is_own(rest, scope, base):
            continue
        there = folders.suggestion(rest, scope)
        remedy = f"Move it to {there}" if there else "Move it into the folder of its kind, such as fix"
        remedy += ", under another name, as that one is taken" if there in taken else ""
        yield noted(locator, 1, "STRAY_FILE", "no entry can lie here, so that it is not seen", remedy, scope=scope)


class _Folders:
    """What the names of folders mean in this layout."""

    def __init__(self, survey: Survey) -> None:
        layout = survey.core.layout
        self.layout = layout
        self.kinds: dict[str, Kind] = {}
        for kind in survey.core.kinds.of_shape(Shape.NOTE, Shape.LOG, Shape.FOLDER):
            for name in (kind.directory, layout.directory(kind), kind.schema.SPACE):
                if name:
                    self.kinds.setdefault(name.casefold(), kind)
        self.special = {zone.value for zone in layout.zones} | {layout.directory(kind) for kind in survey.core.kinds}

    def is_own(self, parts: Sequence[str], scope: Scope, base: Locator) -> bool:
        """Whether a file of this path is meant to be no entry."""
        if any(part[0] in "._" and part not in self.special for part in parts):
            return True
        # The folder of a project in a vault has designs, a roadmap and more of the person's own beside the entries.
        projects = isinstance(self.layout, VaultLayout) and scope.owner is Owner.SHARED and len(base.parts) > 1
        return projects and parts[0].casefold() not in self.kinds and parts[0] not in self.special

    def suggestion(self, parts: Sequence[str], scope: Scope) -> Locator | None:
        """Where the file would be an entry; None where its path does not say of which kind."""
        stem = parts[-1][: -len(".md")]
        kind = next((self.kinds[part.casefold()] for part in parts[:-1] if part.casefold() in self.kinds), None)
        if kind is None or kind.shape is not Shape.NOTE or stem[:1] in "._":
            return None
        zone = next((zone for zone in self.layout.zones if zone.value and zone.value in parts), Zone.ACTIVE)
        try:
            return self.layout.place(Place(scope, "" if zone is Zone.ALWAYS else kind.name, stem, zone))
        except InvalidScope:
            return None


def _parents(locator: Locator) -> Iterable[Locator]:
    while locator.key:
        locator = locator.parent
        yield locator


def _scope(survey: Survey, locator: Locator) -> Scope | None:
    found = survey.scope_of(locator)
    return found[0] if found else None
