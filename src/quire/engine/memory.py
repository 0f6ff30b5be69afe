"""Memory: the verbs. Each says what it does and how it fails; the work is in the module of its name."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from quire.clock import stamp
from quire.engine import checking, evolving, listing, logs, purging, revising, saving, undoing
from quire.engine.changes import Recovered
from quire.engine.core import Core
from quire.engine.entry import Entry, Status
from quire.engine.journal import Change
from quire.engine.kinds import Shape
from quire.engine.listing import Listing
from quire.engine.scope import Scope
from quire.errors import InvalidEntry
from quire.markdown.document import Document, Value

if TYPE_CHECKING:
    from quire.engine.context import SessionContext
    from quire.engine.digest import Reported
    from quire.engine.harness import HarnessState
    from quire.engine.lint import Finding, Repair
    from quire.engine.transfer import Exported, Imported, Progress
    from quire.ports.storage import StorageBackend

ScopeLike = Scope | str | None


class Memory:
    """What an agent remembers, in markdown that a person owns. Made by `quire.open`.

    Where a verb takes `scope`, none means this memory's own: the agent's, the user's and what is shared, in a project.
    Ids are unique within a scope. Every verb raises errors of `quire.errors` only, and either happens whole or not.

    >>> import quire
    >>> with quire.open(protocol="ram") as memory:
    ...     entry = memory.save("Run the suites one after the other.", kind="fix", title="Locked database")
    ...     memory.get("fix/locked-database").text
    'Run the suites one after the other.'
    """

    def __init__(
        self,
        core: Core,
        *,
        recovered: builtins.list[Recovered] | None = None,
        personal: StorageBackend | None = None,
        project_folder: StorageBackend | None = None,
        project_name: str = "project",
        closing: Iterable[Callable[[], None]] = (),
    ) -> None:
        self.core = core
        self.recovered = recovered or []
        self._personal = personal
        self._project_folder = project_folder
        if personal is not None:
            core.others["personal"] = personal
        if project_folder is not None:
            core.others[project_name] = project_folder
        self._closing = builtins.list(closing)

    # Saving

    def save(
        self,
        text: str,
        *,
        kind: str = "preference",
        slug: str | None = None,
        title: str | None = None,
        tags: Iterable[str] = (),
        scope: ScopeLike = None,
        always_load: bool = False,
        supersedes: str | None = None,
        derived_from: Iterable[str] = (),
        source: str | None = None,
        status: str = "active",
        valid_from: str | None = None,
        valid_to: str | None = None,
        at: dt.datetime | str | None = None,
        fields: Mapping[str, Value] | None = None,
    ) -> Entry:
        """Remember `text`; durable when it returns.

        The same body under the same slug is reinforced (`occurrences`, `updated`), not doubled: tags and sources that
        are new are added, other fields have what was given last, and what waited in the inbox is active, unless it is
        saved to wait. What was forgotten, archived or superseded is not the same any more. Another body under the slug
        is another entry, `-2`, `-3`. A kind that is a log is appended to, under the day of `at`, which is when it
        happened; a single, such as the profile, is rewritten. With `supersedes`, the old entry is superseded in the
        same change. Raises InvalidEntry, InvalidScope, InvalidTime, EntryNotFound (of `supersedes` or `derived_from`),
        TooLarge, or what the storage raises; nothing was saved then.
        """
        row = self.core.kinds[kind]
        target = self.core.scope_for(row, scope)
        sources = checking.checked_sources(self.core, derived_from, scope)
        checked = checking.checked_fields(
            row,
            title=title,
            tags=tags,
            fields=fields,
            always_load=always_load,
            source=source or self.core.changes.actor.name,
            session=self.core.changes.actor.session,
            derived_from=sources,
            valid_from=self._moment(valid_from),
            valid_to=self._moment(valid_to),
        )
        wanted = checking.checked_status(status)
        when = self._when(at)
        if row.shape is Shape.LOG:
            if slug is not None or always_load or supersedes:
                raise InvalidEntry(
                    "an entry of a log has no slug, is not loaded always, and supersedes by evolve",
                    where=kind,
                    remedy="Leave these out, or save another kind",
                )
            return logs.append(self.core, text, row, target, at=when, fields=checked, status=wanted)
        if at is not None:
            checked["timestamp"] = stamp(when)
        return saving.save(
            self.core, text, row, target, slug=slug, fields=checked, status=wanted, supersedes=supersedes
        )

    def append(
        self, text: str, *, kind: str = "episode", at: dt.datetime | str | None = None, scope: ScopeLike = None,
        tags: Iterable[str] = (), title: str | None = None, derived_from: Iterable[str] = (),
        source: str | None = None, fields: Mapping[str, Value] | None = None,
    ) -> Entry:  # fmt: skip
        """Add an entry to the log of the day of `at` (now, if not given). Raises what `save` raises."""
        if (row := self.core.kinds[kind]).shape is not Shape.LOG:
            raise InvalidEntry(f"{row.one} is no log", remedy="Use save, or a kind such as episode")
        return self.save(
            text, kind=kind, at=at, scope=scope, tags=tags, title=title, derived_from=derived_from, source=source,
            fields=fields,
        )  # fmt: skip

    # Looking

    def get(self, id: str, *, scope: ScopeLike = None) -> Entry:
        """The entry with this id, whatever its status. Raises EntryNotFound, naming ids that look like it."""
        return self.core.find(id, scope).entry

    def list(
        self,
        *,
        kind: str | None = None,
        status: str | Iterable[str] | None = None,
        tag: str | None = None,
        scope: ScopeLike = None,
        everywhere: bool = False,
        since: dt.datetime | str | None = None,
        until: dt.datetime | str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> Listing:
        """Entries by their place, a page of `limit` at a time: pass `.next` as `after` for the one that follows.

        Without `status` those that are active or in the inbox; `"all"` for every one. `since` and `until` are about
        when it happened, else was recorded. A file that cannot be read is in `.faults`, and hides nothing but itself;
        so is a symbolic link, which is not followed.
        """
        return listing.page(
            self.core,
            kind=kind,
            status=status,
            tag=tag,
            scope=scope,
            everywhere=everywhere,
            since=None if since is None else self._when(since),
            until=None if until is None else self._when(until),
            limit=limit,
            after=after,
        )

    def history(self, id: str, *, scope: ScopeLike = None) -> builtins.list[Entry]:
        """The chain of supersession that `id` is in, the oldest first. Raises EntryNotFound."""
        return listing.history(self.core, self.core.find(id, scope).entry)

    def changes(self, id: str | None = None, *, scope: ScopeLike = None) -> Iterator[Change]:
        """What the journal knows, the newest first: of one entry, or of all."""
        name = None if id is None else self.core.name_of(self.core.find(id, scope).entry)
        return (change for change in self.core.journal.newest_first() if name is None or name in change.entries)

    # Revising

    def evolve(
        self,
        id: str,
        text: str,
        *,
        reason: str = "",
        scope: ScopeLike = None,
        fields: Mapping[str, Value] | None = None,
    ) -> Entry:
        """A new entry in place of an old one, which is superseded: both, or neither. Fields not changed are kept.

        `fields` are further ones that change; None takes one away. With `valid_from`, the old one was true until then.
        Raises EntryNotFound, or InvalidEntry where the entry is not active, naming the one that took its place.
        """
        return evolving.evolve(self.core, id, text, reason=reason, scope=scope, fields=fields or {})

    def forget(self, id: str, *, reason: str = "", scope: ScopeLike = None) -> Entry:
        """Mark it deleted: never recalled again, and still there. Forgetting twice is fine."""
        fields: dict[str, object] = {"deleted_at": stamp(self.core.clock.now())}
        if reason:
            fields["deleted_reason"] = reason
        return revising.mark(self.core, "forget", id, scope, status=Status.DELETED, fields=fields, reason=reason)

    def restore(self, id: str, *, reason: str = "", scope: ScopeLike = None) -> Entry:
        """Give it back the life it had: active, and where it lay; superseded where another has its place.

        What was deleted, archived, or still in the inbox; and what was superseded by an entry that is deleted now.
        Raises InvalidEntry where two would be active.
        """
        return revising.restore(self.core, id, scope, reason=reason)

    def archive(self, id: str, *, reason: str = "", scope: ScopeLike = None) -> Entry:
        """Put it away: kept and not recalled. A note moves to `_archive/`."""
        fields: dict[str, object] = {"updated": stamp(self.core.clock.now())}
        return revising.mark(
            self.core,
            "archive",
            id,
            scope,
            status=Status.ARCHIVED,
            fields=fields,
            reason=reason,
            refuse=(Status.DELETED,),
        )

    def rename(self, id: str, slug: str, *, scope: ScopeLike = None) -> Entry:
        """Give a note another slug; links to it, in every file of the root, follow in the same change."""
        from quire.engine import renaming

        return renaming.rename(self.core, id, slug, scope)

    def retag(
        self, id: str, *, tags: Iterable[str] | None = None, add: Iterable[str] = (), remove: Iterable[str] = (),
        scope: ScopeLike = None,
    ) -> Entry:  # fmt: skip
        """Give it other tags: these, or its own with some added and removed."""
        given = None if tags is None else checking.checked_tags(tags)
        more, less = checking.checked_tags(add), checking.checked_tags(remove)

        def make(entry: Entry) -> Document:
            base = entry.tags if given is None else given
            result = [tag for tag in dict.fromkeys((*base, *more)) if tag not in less]
            if result == builtins.list(entry.tags):
                return entry.document
            return entry.document.set("tags", builtins.list[Value](result)) if result else entry.document.remove("tags")

        return revising.amend(self.core, id, scope, "retag", make)

    def edit(self, id: str, text: str, *, if_version: str | None = None, scope: ScopeLike = None) -> Entry:
        """Give an entry this whole text, frontmatter and body, as an editor left it.

        Raises InvalidEntry, with the line, for frontmatter that cannot be read, with the field for a value that cannot
        be, and where two would be active; and Conflict if the file is not at `if_version`. Nothing is replaced then.
        """
        return revising.edit(self.core, id, text, if_version=if_version, scope=scope)

    def purge(self, id: str, *, yes: bool = False, scope: ScopeLike = None) -> None:
        """Erase it and what the journal keeps of it, whether or not it is there now. The only verb that erases.

        What lives on under another name is not meant. Raises NotAllowed without `yes`, EntryNotFound where there is
        neither an entry nor a trace of it.
        """
        purging.purge(self.core, id, yes=yes, scope=scope)

    def undo(self, change: str | None = None, *, run: str | None = None) -> builtins.list[Change]:
        """Take back the last change, the one named, or all of a run, byte for byte, and say which those were.

        What was made from an entry that is withdrawn is withdrawn with it. An undo can be undone, by its id. Raises
        NothingToUndo, or UndoRefused where a text has changed since; nothing is changed then.
        """
        return undoing.undo(self.core, change, run)

    # The rest of the house

    def session_context(self, *, budget: int = 2000) -> SessionContext:
        """What is loaded always, within `budget` tokens: whole entries by priority; what was left out is named."""
        from quire.engine import context

        return context.session_context(self.core, budget)

    def digest(self, *, since: dt.datetime | str | None = None) -> builtins.list[Reported]:
        """The changes of curated and personal space, each with its diff; `undo` takes one back by its id."""
        from quire.engine import digest

        return digest.digest(self.core, None if since is None else self._when(since))

    def index(self, *, scope: ScopeLike = None) -> builtins.list[str]:
        """Write the map of contents, `_index.md`, of each scope. Returns the keys of those that changed."""
        from quire.engine import contents

        return contents.write(self.core, scope)

    def lint(
        self, *, fix: bool = False, scope: ScopeLike = None, everywhere: bool = False
    ) -> tuple[builtins.list[Finding], builtins.list[Repair]]:
        """What is wrong, and with `fix` what of it was repaired: only what has one right answer.

        The findings are those that stand at the end. Each repair is a change that `undo` takes back; one that was
        skipped, as somebody changed the file meanwhile, says so. Without `fix` nothing is ever written.
        """
        from quire.engine import lint

        return lint.lint(self.core, fix=fix, scope=scope, everywhere=everywhere)

    def harness(self, project: str | None = None) -> HarnessState:
        """Plans, progress and features of a project."""
        from quire.engine import harness

        return harness.state(self.core, project or self.core.scopes[0].project, self._project_folder)

    def write_personal(self, path: str, text: str, *, request: str, if_version: str | None = None) -> Change:
        """Write one of the person's own notes. `request` are their words that allow it; both are journaled.

        Raises NotAllowed without a request, or where no personal storage is configured.
        """
        from quire.engine import personal

        return personal.write(self.core, self._personal, path, text, request=request, if_version=if_version)

    def import_from(
        self,
        source: StorageBackend | Iterable[str],
        *,
        name: str,
        flavour: str | None = None,
        kind: str | None = None,
        scope: ScopeLike = None,
        origin: str = "",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Bring in a folder of markdown, or the lines of an export. Nothing of it is lost, and nothing comes in twice.

        `name` is how the import is known when it is done again: a file that has changed updates its entry unless that
        was edited, too; a file that is gone is reported. `flavour` says who made the folder, where it does not look
        like it (`quire.engine.transfer.FLAVOURS`). `kind` is for notes that do not say theirs. `origin` says where the
        source is: another one under a name that is known is refused. One bad file never stops the rest: `items` of the
        result say what became of each. It is one run, which `undo` takes back. Raises InvalidEntry, InvalidScope, or
        what the storages raise; then what came in is there, and doing it again goes on.
        """
        from quire.engine import transfer

        return transfer.import_from(
            self.core,
            source,
            name=name,
            flavour=flavour,
            kind=kind,
            scope=scope,
            origin=origin,
            dry_run=dry_run,
            progress=progress,
        )

    def export_to(
        self,
        target: StorageBackend,
        *,
        scope: ScopeLike = None,
        everywhere: bool = False,
        status: str | Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> Exported:
        """Write the files of these scopes to `target`, at the paths they have here. What is there is not overwritten.

        With `status` only the entries that have it, and no other files. Raises InvalidEntry, InvalidScope, or what the
        storages raise.
        """
        from quire.engine import transfer

        return transfer.export_to(
            self.core, target, scope=scope, everywhere=everywhere, status=status, progress=progress
        )

    def export_lines(
        self, *, scope: ScopeLike = None, everywhere: bool = False, status: str | Iterable[str] | None = None
    ) -> Iterator[str]:
        """The entries of these scopes as lines of JSON, each with its newline; `docs/reference/export.md` has the form.

        Raises as `export_to` does.
        """
        from quire.engine import transfer

        return transfer.export_lines(self.core, scope=scope, everywhere=everywhere, status=status)

    def close(self) -> None:
        """Let go of the storages."""
        for close in self._closing:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _when(self, at: dt.datetime | str | None) -> dt.datetime:
        return self.core.clock.now() if at is None else self.core.clock.moment(at)

    def _moment(self, text: str | None) -> str | None:
        return None if text is None else stamp(self.core.clock.read(text))
