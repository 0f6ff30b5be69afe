"""What is wrong with links: those that lead nowhere or to several files, and notes that nothing leads to."""

from __future__ import annotations

from collections.abc import Iterator

from quire.engine.changes import Edit
from quire.engine.checking import MAX_TEXT_BYTES
from quire.engine.core import Core
from quire.engine.entry import Contents, Status
from quire.engine.kinds import Shape
from quire.engine.layout import Zone
from quire.engine.lint.renames import Renames
from quire.engine.lint.survey import Noted, Plan, Subject, Survey, is_log, sure
from quire.engine.listing import SHOWN
from quire.engine.resolving import Names
from quire.markdown.entries import Log
from quire.markdown.links import ID_FIELDS, Link, links, retarget

_SHOWN_CANDIDATES = 4


def check(survey: Survey) -> Iterator[Noted]:
    """All that can be said of links once every name is known. What is put away or forgotten may link where it likes."""
    names = _names(survey)
    renames = Renames(survey)
    linking: set[tuple[str, str]] = set()  # the entries that link somewhere, and those that are linked to
    for subject in survey.subjects:
        entry = subject.entry
        if entry.status not in SHOWN or len(entry.document.text) > MAX_TEXT_BYTES:
            continue
        itself = entry.locator.key, entry.id
        for link in links(entry.document):
            if not link.target:
                continue  # a heading of its own
            targets = names.resolve(link, entry.locator, entry.scope)
            found = {(target.locator.key, target.id) for target in targets} - {itself}
            if found or not targets:
                linking.add(itself)
                linking |= found
            if link.kind == "field" and link.relation in ID_FIELDS:
                continue  # what these say is looked at by itself
            if not targets:
                yield _broken(survey.core, subject, link, renames.new_target(names, subject, link))
            elif len(targets) > 1:
                candidates = sorted({target.locator.key for target in targets})
                more = f" and {len(candidates) - _SHOWN_CANDIDATES} more" * (len(candidates) > _SHOWN_CANDIDATES)
                yield subject.note(
                    "LINK_AMBIGUOUS",
                    f"{link.target!r} could be {', '.join(candidates[:_SHOWN_CANDIDATES])}{more}",
                    f"Write more of the path, such as {candidates[0].removesuffix('.md')}",
                    line=link.line,
                )
    for subject in survey.subjects:
        if _may_be_orphan(subject) and (subject.entry.locator.key, subject.entry.id) not in linking:
            yield subject.note(
                "ORPHAN", "nothing links to it, and it links to nothing", "Link it where it would be looked for"
            )


def _names(survey: Survey) -> Names:
    """Every name there is. What lies in a conflict copy has only its path, or each title would be there twice."""
    judged, others = [], [*survey.others, *(locator for locator, _ in survey.unread)]
    for contents in survey.contents:
        copy = survey.copies.get(contents.locator)
        if contents.entries and not (copy and copy.certain):
            judged.append(contents)
        else:
            others.append(contents.locator)
    return Names.of(judged, others)


def _may_be_orphan(subject: Subject) -> bool:
    """Whether it is a note that is to be found: what is loaded always, or waits in the inbox, needs no link."""
    entry = subject.entry
    is_note = subject.kind is not None and subject.kind.shape is Shape.NOTE
    found = subject.contents.place.zone is not Zone.ALWAYS and not entry.always_load
    return is_note and found and entry.status is Status.ACTIVE


def _broken(core: Core, subject: Subject, link: Link, new: str | None) -> Noted:
    remedy = f"Write {new}, as it was renamed" if new else "Correct it, or write what it should lead to"
    return subject.note(
        "LINK_BROKEN",
        f"{link.target!r} leads nowhere",
        remedy,
        line=link.line,
        plan=_retargeting(core, subject, link, new) if new else None,
    )


def _retargeting(core: Core, subject: Subject, link: Link, new: str) -> Plan | None:
    """The plan that writes the new name into every link of the entry that says the old one in that way."""

    def choose(other: Link) -> str | None:
        return new if (other.target, other.kind == "markdown") == (link.target, link.kind == "markdown") else None

    def make(core: Core, contents: Contents, raw: bytes) -> Edit | None:
        entry = next((each for each in contents.entries if each.id == subject.entry.id), None)
        if entry is None:
            return None
        document = retarget(entry.document, choose)
        if document.text == entry.document.text:
            return None
        text = document.text
        if is_log(core, contents):
            text = Log.parse(contents.text).replace(entry.id, document).text
        return Edit(contents.locator, raw, text.encode())

    plan = Plan(subject.entry.locator, subject.entry.id, f"{link.target} is {new} now", make)
    return sure(core, subject.contents, plan)
