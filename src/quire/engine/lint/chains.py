"""What is wrong with chains: what supersedes what, and what is made from what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.clock import stamp
from quire.engine.changes import Edit
from quire.engine.core import Core, Found
from quire.engine.entry import Contents, Entry, Status, linked, words
from quire.engine.lint.survey import Noted, Plan, Subject, Survey, sure
from quire.engine.saving import closed
from quire.engine.scope import Scope

_Key = tuple[Scope, str]
# A newer entry that was forgotten or put away since does not contend for the place of the older.
_CONTENDING = (Status.ACTIVE, Status.INBOX, Status.SUPERSEDED)


@dataclass
class _Chains:
    """The links of supersession between entries, as far as they lead somewhere."""

    subjects: dict[_Key, Subject] = field(default_factory=dict)
    older: dict[_Key, set[_Key]] = field(default_factory=dict)  # newer → what it supersedes, by either's word
    newer: dict[_Key, set[_Key]] = field(default_factory=dict)
    claims: dict[_Key, list[Subject]] = field(default_factory=dict)  # older → those that say they supersede it


def check(survey: Survey) -> Iterator[Noted]:
    """All that can be said of entries that name one another in `supersedes`, `superseded_by` and `derived_from`."""
    chains = _read(survey)
    cyclic = _cyclic(chains)
    yield from _broken(survey, chains)
    yield from _cycles(chains, cyclic)
    forked = {old for old, claims in chains.claims.items() if len(claims) > 1}
    yield from _forks(chains, forked - cyclic)
    for key, subject in chains.subjects.items():
        if key not in cyclic:
            yield from _half_done(survey.core, chains, subject)
            yield from _one_sided(chains, subject)
    yield from _two_active(chains, cyclic | forked)


def _read(survey: Survey) -> _Chains:
    chains = _Chains()
    for subject in survey.subjects:
        chains.subjects.setdefault(subject.key, subject)
    for key, subject in chains.subjects.items():
        if old := _target(subject, "supersedes", chains):
            _link(chains, key, old)
            if subject.entry.status in _CONTENDING:
                chains.claims.setdefault(old, []).append(subject)
        if new := _target(subject, "superseded_by", chains):
            _link(chains, new, key)
    return chains


def _target(subject: Subject, name: str, chains: _Chains) -> _Key | None:
    key = subject.entry.scope, linked(subject.fields.get(name))
    return key if key in chains.subjects else None


def _link(chains: _Chains, new: _Key, old: _Key) -> None:
    chains.older.setdefault(new, set()).add(old)
    chains.newer.setdefault(old, set()).add(new)


def _broken(survey: Survey, chains: _Chains) -> Iterator[Noted]:
    ids = {id for _, id in chains.subjects}
    for subject in chains.subjects.values():
        if subject.entry.status is Status.DELETED:
            continue
        for name in ("supersedes", "superseded_by"):
            said = linked(subject.fields.get(name))
            if said and (subject.entry.scope, said) not in chains.subjects:
                yield subject.note(
                    "SUPERSESSION_BROKEN",
                    f"{name} says {said!r}, which is the id of no entry in {subject.entry.scope}",
                    "Correct the id, such as fix/locked-database, or remove the field",
                    at=name,
                )
        for word in words(subject.fields.get("derived_from")):
            # A source may be of another scope, or none of ours at all.
            if (said := linked(word)) and said not in ids and "://" not in said:
                yield subject.note(
                    "SOURCE_MISSING",
                    f"derived_from says {said!r}, which is the id of no entry",
                    "Correct the id, or remove it",
                    at="derived_from",
                )


def _cyclic(chains: _Chains) -> set[_Key]:
    """The entries that are left when those with nothing older, and those with nothing newer, are taken away in turn."""
    left = set(chains.older) & set(chains.newer)
    for towards, away in ((chains.older, chains.newer), (chains.newer, chains.older)):
        ends = [key for key in left if not towards.get(key, set()) & left]
        while ends:
            gone = ends.pop()
            left.discard(gone)
            ends += [key for key in away.get(gone, ()) if key in left and not towards.get(key, set()) & left]
    return left


def _cycles(chains: _Chains, cyclic: set[_Key]) -> Iterator[Noted]:
    """One finding for each circle, at the entry of its first name."""
    for group in _groups(chains, cyclic):
        names = ", ".join(id for _, id in group)
        first = chains.subjects[group[0]]
        yield first.note(
            "SUPERSESSION_CYCLE",
            f"{names} supersede one another in a circle" if len(group) > 1 else f"{names} supersedes itself",
            "Remove supersedes from the oldest and superseded_by from the newest",
            at="supersedes" if "supersedes" in first.fields else "superseded_by",
        )


def _groups(chains: _Chains, keys: set[_Key]) -> Iterator[list[_Key]]:
    """`keys` in groups that hang together, each sorted."""
    left = set(keys)
    for key in sorted(keys, key=lambda key: (str(key[0]), key[1])):
        if key not in left:
            continue
        group, reached = [], [key]
        left.discard(key)
        while reached:
            at = reached.pop()
            group.append(at)
            around = (chains.older.get(at, set()) | chains.newer.get(at, set())) & left
            left -= around
            reached += around
        yield sorted(group, key=lambda key: key[1])


def _forks(chains: _Chains, forked: set[_Key]) -> Iterator[Noted]:
    for old in forked:
        claims = chains.claims[old]
        for subject in claims:
            others = ", ".join(sorted(other.entry.id for other in claims if other is not subject))
            yield subject.note(
                "SUPERSESSION_FORK",
                f"{others} also supersedes {old[1]}",
                "Keep one of them: evolve it with what the other has, and forget the other",
                at="supersedes",
            )


def _half_done(core: Core, chains: _Chains, new: Subject) -> Iterator[Noted]:
    """The newer says that it supersedes the older, and the older does not know."""
    old_key = _target(new, "supersedes", chains)
    if old_key is None or new.entry.status not in _CONTENDING:
        return
    old = chains.subjects[old_key]
    if not _unaware(old.entry, new.entry.id):
        return
    only = len(chains.claims[old_key]) == 1
    yield new.note(
        "SUPERSESSION_HALF_DONE",
        f"it supersedes {old.entry.id}, which is {old.entry.status}"
        + ("" if old.entry.status is Status.ACTIVE else " and does not say by what"),
        f"Give {old.entry.id} status: superseded and superseded_by: {new.entry.id}",
        at="supersedes",
        plan=_closing(core, old, new.entry.id) if only else None,
    )


def _unaware(old: Entry, by: str) -> bool:
    """Whether `old` is not yet closed, and nothing but `by` is to close it."""
    said = old.superseded_by
    return (old.status is Status.ACTIVE and said in ("", by)) or (old.status is Status.SUPERSEDED and not said)


def _closing(core: Core, old: Subject, by: str) -> Plan | None:
    """The plan that does to the older entry what `evolve` would have done."""

    def make(core: Core, contents: Contents, raw: bytes) -> Edit | None:
        entry = next((each for each in contents.entries if each.id == old.entry.id), None)
        if entry is None or not _unaware(entry, by):
            return None
        return core.with_fields(Found(entry, contents, raw), closed(entry, by, stamp(core.clock.now())))

    done = f"{old.entry.id} is superseded by {by} now"
    return sure(core, old.contents, Plan(old.entry.locator, old.entry.id, done, make))


def _one_sided(chains: _Chains, old: Subject) -> Iterator[Noted]:
    """The older says by what it is superseded, and that does not say so; or it does not say by what."""
    if old.entry.status is Status.DELETED:
        return
    new_key = _target(old, "superseded_by", chains)
    if new_key is not None:
        new = chains.subjects[new_key].entry
        if linked(chains.subjects[new_key].fields.get("supersedes")) != old.entry.id:
            yield old.note(
                "SUPERSESSION_ONE_SIDED",
                f"it is superseded by {new.id}, which does not say so",
                f"Give {new.id} supersedes: {old.entry.id}, or make this one active",
                at="superseded_by",
            )
    elif old.entry.status is Status.SUPERSEDED and not old.fields.get("superseded_by") and old.key not in chains.claims:
        yield old.note(
            "SUPERSESSION_NAMELESS",
            "it is superseded, and nothing says by what",
            "Give it superseded_by, or make it active",
            at="status",
        )


def _two_active(chains: _Chains, explained: set[_Key]) -> Iterator[Noted]:
    """Chains with several active entries, but for what a circle, a fork or a half done supersession explains."""
    for group in _groups(chains, set(chains.older) | set(chains.newer)):
        if explained & set(group):
            continue
        active = [chains.subjects[key] for key in group if chains.subjects[key].entry.status is Status.ACTIVE]
        standing = [subject for subject in active if not _claimed(chains, subject)]
        for subject in standing if len(standing) > 1 else ():
            others = ", ".join(other.entry.id for other in standing if other is not subject)
            yield subject.note(
                "TWO_ACTIVE",
                f"{others} is active too, in the same chain",
                "Keep one of them: evolve it with what the other has, and forget the other",
                at="status",
            )


def _claimed(chains: _Chains, subject: Subject) -> bool:
    """Whether it is reported as half done already."""
    claims = chains.claims.get(subject.key, [])
    return any(_unaware(subject.entry, claim.entry.id) for claim in claims)
