"""What the journal knows of entries that have another name now."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from quire.engine.journal import Change
from quire.engine.kinds import Shape
from quire.engine.layout import Place
from quire.engine.lint.survey import Subject, Survey
from quire.engine.records import scope_and_id
from quire.engine.resolving import Names
from quire.locator import Locator
from quire.markdown.links import Link

_Named = tuple[str, str]  # a scope and an id


class Renames:
    """The notes that were renamed, by the slug they had. The journal is read when the first link is broken."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey

    def new_target(self, names: Names, subject: Subject, link: Link) -> str | None:
        """What a broken link must say to lead to what was renamed; None unless there is one such answer.

        The answer is proved by following it: only its last word is another, and it leads to that entry alone.
        """
        path, slash, last = link.target.rpartition("/")
        slug, ending = (last[: -len(".md")], ".md") if last.endswith(".md") else (last, "")
        answers = set()
        for named in self._by_slug.get(slug, ()):
            new = f"{path}{slash}{named[1].rpartition('/')[2]}{ending}"
            targets = names.resolve(replace(link, target=new), subject.entry.locator, subject.entry.scope)
            if [(str(target.scope), target.id) for target in targets] == [named]:
                answers.add(new)
        return answers.pop() if len(answers) == 1 else None

    @cached_property
    def _by_slug(self) -> dict[str, set[_Named]]:
        """From the slugs that were to the entries that are."""
        there = {(str(subject.entry.scope), subject.entry.id) for subject in self._survey.subjects}
        now: dict[_Named, set[_Named]] = {}
        undone: set[str] = set()
        for change in self._survey.core.journal.newest_first():
            if change.id not in undone:
                undone.update(change.undoes)
            if change.verb == "rename" and change.id not in undone and (names := self._renamed(change)):
                old, new = names
                # The newest comes first, so that what became of the new name is known already.
                now.setdefault(old, set()).update(now.get(new, {new}))
        by_slug: dict[str, set[_Named]] = {}
        for old, news in now.items():
            by_slug.setdefault(old[1].rpartition("/")[2], set()).update(news & there)
        return by_slug

    def _renamed(self, change: Change) -> tuple[_Named, _Named] | None:
        """The old and the new name of a note, read off the files that went and came."""
        gone = [place for step in change.steps if step.after is None and (place := self._place(step.path))]
        come = [place for step in change.steps if step.before is None and (place := self._place(step.path))]
        if len(gone) != 1 or len(come) != 1 or not change.entries:
            return None
        scope, old_id = scope_and_id(change.entries[0])
        kind, _, _ = old_id.partition("/")
        return (scope, f"{kind}/{gone[0].name}"), (scope, f"{kind}/{come[0].name}")

    def _place(self, path: str) -> Place | None:
        place = self._survey.core.layout.parse(Locator(path))
        if place is None or (place.kind and self._survey.core.kinds[place.kind].shape is not Shape.NOTE):
            return None
        return place
