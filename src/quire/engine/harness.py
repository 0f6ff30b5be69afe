"""Harness state: the plan, the progress and the features of a project, where the agent and the person both look.

They lie in the synced root where there is one, so that they follow the person; else in the project's own folder. A file
`.harness/.no-sync` in the project's folder says no to the first. What lies in one is never looked for in the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from quire.engine.changes import Changes, Edit, Intent
from quire.engine.core import Core
from quire.engine.entry import Ownership
from quire.engine.saving import TRIES, newline_of
from quire.engine.scope import checked
from quire.errors import Busy, Conflict, EntryNotFound, InvalidEntry, NotAllowed, NotFound, NotText
from quire.locator import Locator
from quire.ports.storage import StorageBackend

OPT_OUT = ".no-sync"
LOCAL_FOLDER = Locator(".harness")
FILES = {"progress": "progress.md", "features": "features.json"}
_PLAN = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class HarnessState:
    """The state of one project. `where` is "synced" or "project". A plan is found by its exact name, or not at all."""

    core: Core
    storage: StorageBackend
    folder: Locator
    where: str

    def plans(self) -> list[str]:
        """The names of the plans; the unnamed one is `""`."""
        names = []
        for found in self.storage.list(self.folder):
            if found.name == "PLAN.md":
                names.append("")
            elif found.name.startswith("PLAN-") and found.name.endswith(".md"):
                names.append(found.name[5:-3])
        return names

    def read(self, what: str, name: str = "") -> str:
        """The text of the `plan` (of that name), the `progress` or the `features`. Raises EntryNotFound."""
        at = self.at(what, name)
        try:
            return self.storage.read(at)
        except NotFound as error:
            others = ", ".join(name or "the unnamed one" for name in self.plans()) if what == "plan" else ""
            raise EntryNotFound(
                f"there is no {what}{f' called {name!r}' if name else ''}" + (f"; there is {others}" if others else ""),
                where=at.key,
                remedy="Name one that is there, or write it first",
            ) from error

    def write(self, what: str, text: str, name: str = "") -> Locator:
        """Replace the whole text, journaled. Raises InvalidEntry for features that are no JSON."""
        return self._change(what, name, lambda _: text)

    def append(self, what: str, line: str, name: str = "") -> Locator:
        """Add a line at the end, whoever else adds theirs: how progress is kept."""
        if not isinstance(line, str) or not line.strip():
            raise InvalidEntry("there is nothing to add: the line is empty", where=what, remedy="Give some text")

        def make(old: bytes) -> str:
            before = _decoded(old, self.at(what, name))
            newline = newline_of(before or line)
            missing = newline if before and not before.endswith("\n") else ""
            return before + missing + (line if line.endswith("\n") else line + newline)

        return self._change(what, name, make)

    def _change(self, what: str, name: str, make: Callable[[bytes], str]) -> Locator:
        at = self.at(what, name)
        changes = Changes(self.storage, self.core.journal, self.core.changes.actor)
        tier = Ownership.CURATED.value if self.where == "synced" else ""
        intent = Intent(f"write-{what}", (at.key,), tier=tier, storage=self.core.name_of_storage(self.storage))
        for _ in range(TRIES):
            try:
                old: bytes | None = self.storage.read_bytes(at)
            except NotFound:
                old = None
            text = make(old or b"")
            if what == "features":
                _check_json(at, text)
            try:
                changes.apply(intent, [Edit(at, old, _encoded(text, at))])
            except Conflict:
                continue
            return at
        raise Busy("others write this again and again", where=at.key, remedy="Try again later")

    def at(self, what: str, name: str = "") -> Locator:
        """Where the `plan` (of that name), the `progress` or the `features` are. Raises InvalidEntry."""
        if what == "plan":
            if name and not _PLAN.fullmatch(name) and name not in self.plans():  # a person may have named one
                raise InvalidEntry(f"{name!r} cannot name a plan", remedy="Use lower case words joined by hyphens")
            return self.folder.child(f"PLAN-{name}.md" if name else "PLAN.md")
        if name:
            raise InvalidEntry(f"only plans have names, not {what}", where=name)
        if what not in FILES:
            raise InvalidEntry(f"there is no {what!r}; there are plan, {', '.join(FILES)}")
        return self.folder.child(FILES[what])


def _decoded(text: bytes, at: Locator) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(f"byte {error.start} is not UTF-8", where=at.key, remedy="Save the file as UTF-8") from error


def _encoded(text: str, at: Locator) -> bytes:
    if not isinstance(text, str):
        raise NotText(f"the text is {type(text).__name__}, not text", where=at.key, remedy="Give text")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise NotText(f"character {error.start} of the text is half a character", where=at.key) from error


def _check_json(at: Locator, text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidEntry(
            f"the features are no JSON: {error.msg}",
            where=f"{at}, line {error.lineno}, column {error.colno}",
            remedy="Correct it; nothing was changed",
        ) from error
    except (TypeError, RecursionError) as error:
        raise InvalidEntry("the features are no JSON", where=at.key, remedy="Give text of JSON") from error


def state(core: Core, project: str, folder: StorageBackend | None) -> HarnessState:
    """The state of `project`: in the synced root, unless its folder opts out; else in its folder.

    The folder is that of the memory's own project; another project's state is in the synced root only. Raises
    NotAllowed where neither is there.
    """
    checked("project", project)
    own = core.scopes[0].project
    folder = folder if project == own else None
    opted_out = folder is not None and folder.exists(LOCAL_FOLDER.child(OPT_OUT))
    if core.storage.capabilities.sync and not opted_out:
        return HarnessState(core, core.storage, core.layout.harness(project), "synced")
    if folder is None:
        raise NotAllowed(
            "this root is not synced, and no folder of this project was given",
            where=project,
            remedy="Open with project_folder=" + ("" if project == own else f" and project={project!r}"),
        )
    return HarnessState(core, folder, LOCAL_FOLDER, "project")
