"""Every verb that changes a root, on a root that has something for each of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import quire
from quire import Memory

Now = Callable[[], dt.datetime]
Notes = dict[str, str]  # what the building of the root leaves for the scenes: ids of changes and of entries
BUILT = dt.datetime(2026, 6, 1, 12, 0, 0, tzinfo=dt.UTC)
ACTED = BUILT + dt.timedelta(minutes=1)
ACTED_AGAIN = ACTED + dt.timedelta(milliseconds=1)  # later in the journal, and the same in the texts
WOKEN = BUILT + dt.timedelta(minutes=2)
SECRETS = {"purge": "the words of the note", "purge a log entry": "the words of the evening"}  # what must not remain


@dataclass(frozen=True, slots=True)
class World:
    """A kind of root: its protocol and its layout."""

    protocol: str
    layout: str

    def open(self, base: Path, now: Now = lambda: WOKEN, **more: Any) -> Memory:
        """The memory at `base`, by a clock of ours."""
        environment = {"HOME": str(base), "TZ": "UTC"}
        return quire.open(
            base / "root", protocol=self.protocol, layout=self.layout, environment=environment, now=now, **more
        )


WORLDS = {
    "root": World("device-local", "root"),
    "vault layout": World("device-local", "vault"),
    "vault": World("vault", "vault"),
}


def build(world: World, base: Path) -> Notes:
    """Something for every verb. The last change is one that no scene is about."""
    with world.open(base, lambda: BUILT) as memory:
        notes = _fill(memory)
        for name, act in _UNDONE.items():
            act(memory)
            notes[name] = next(iter(memory.changes())).id
    with world.open(base, lambda: BUILT + dt.timedelta(seconds=1), run="a-run") as memory:
        memory.save("One of a run.", kind="fix", slug="run-one")
        memory.save("Two of a run.", kind="workflow", slug="run-two", derived_from=["fix/run-one"])
        memory.retag("fix/run-one", add=["run"])
    with world.open(base, lambda: BUILT + dt.timedelta(seconds=2)) as memory:
        memory.save("The last word of all.", kind="fix", slug="last")
    return notes


def _fill(memory: Memory) -> Notes:
    save = memory.save
    save("The database was locked.", kind="fix", slug="locked", title="Locked", tags=["db"])
    save("See [[locked]] and [[fix/locked|that one]].", kind="workflow", slug="suites")
    save("Again [[locked#Why]], and\n\n    [[locked]] as code.\n", kind="insight", slug="again")
    save("From the fix.", kind="insight", slug="derived", derived_from=["fix/locked"])
    save("Three sentences.", kind="preference", slug="short", always_load=True)
    save("How the person is.", kind="profile")
    save("Build, then deploy.", kind="skill", slug="deploy")
    skill = memory.get("skill/deploy").locator.parent
    memory.core.storage.write_bytes(skill.child("scripts", "run.sh"), b"#!/bin/sh\nexit 0\n")
    memory.core.storage.write_bytes(skill.child("references", "raw.bin"), bytes(range(256)))
    save("Half done.", kind="fix", slug="half")
    half = memory.get("fix/half").locator
    text = memory.core.storage.read(half).replace("slug: half", "slug: rest\nsupersedes: fix/half")
    memory.core.storage.write(half.parent.child("rest.md"), text.replace("Half done.", "And the rest."))
    save("Thrown away.", kind="fix", slug="gone")
    memory.forget("fix/gone", reason="wrong")
    save("Put away.", kind="fix", slug="away")
    memory.archive("fix/away")
    save("Perhaps.", kind="idea", slug="perhaps", status="inbox")
    save(f"Here are {SECRETS['purge']}.", kind="fix", slug="secret")
    memory.retag("fix/secret", add=["x"])
    notes = {"morning": memory.append("In the morning.").id, "noon": memory.append("At noon.").id}
    return notes | {"evening": memory.append(f"Here are {SECRETS['purge a log entry']}.").id}


def _before_rename(memory: Memory) -> None:
    memory.save("To be named anew.", kind="fix", slug="misnamed")
    memory.save("See [[misnamed]].", kind="workflow", slug="points")
    memory.rename("fix/misnamed", "named")


def _before_evolve(memory: Memory) -> None:
    memory.save("First thought.", kind="fix", slug="thought")
    memory.evolve("fix/thought", "Second thought.", reason="better")


def _before_archive(memory: Memory) -> None:
    memory.save("Archived too early.", kind="fix", slug="early")
    memory.archive("fix/early")


def _before_retag(memory: Memory) -> None:
    memory.save("Tagged.", kind="fix", slug="tagged", tags=["one"])
    memory.retag("fix/tagged", add=["two"])


def _before_append(memory: Memory) -> None:
    memory.append("Not meant.")
    memory.append("Meant.")


# What is done while the root is built, and taken back in a scene.
_UNDONE: dict[str, Callable[[Memory], None]] = {
    "evolve": _before_evolve,
    "rename": _before_rename,
    "archive": _before_archive,
    "retag": _before_retag,
    "append": _before_append,
}

Scene = Callable[[Memory, Notes], object]


def _undo(what: str) -> Scene:
    return lambda memory, notes: memory.undo(notes[what])


def _edit(memory: Memory, _: Notes) -> object:
    return memory.edit("fix/locked", memory.get("fix/locked").document.text.replace("was locked", "was held"))


SCENES: dict[str, Scene] = {
    "save": lambda m, _: m.save("Something new.", kind="fix", slug="new"),
    "save in a new folder": lambda m, _: m.save("Something new.", kind="procedural", slug="new"),
    "save the same": lambda m, _: m.save("The database was locked.", kind="fix", slug="locked"),
    "save under a taken slug": lambda m, _: m.save("Another body.", kind="fix", slug="locked"),
    "save curated": lambda m, _: m.save("For all.", kind="fix", slug="all", scope="shared"),
    "save what supersedes": lambda m, _: m.save("Better.", kind="fix", slug="better", supersedes="fix/locked"),
    "save a single": lambda m, _: m.save("How the person is now.", kind="profile"),
    "append": lambda m, _: m.append("At night."),
    "append to a new log": lambda m, _: m.append("A fact.", kind="atomic_fact"),
    "evolve a note": lambda m, _: m.evolve("fix/locked", "It was the backup.", reason="found"),
    "evolve what is loaded always": lambda m, _: m.evolve("preference/short", "Two sentences."),
    "evolve a log entry": lambda m, n: m.evolve(n["morning"], "Early in the morning."),
    "evolve a folder": lambda m, _: m.evolve("skill/deploy", "Test, build, then deploy."),
    "evolve a single": lambda m, _: m.evolve("profile", "How the person is by now."),
    "rename": lambda m, _: m.rename("fix/locked", "backup"),
    "rename a folder": lambda m, _: m.rename("skill/deploy", "ship"),
    "retag": lambda m, _: m.retag("fix/locked", add=["sqlite"], remove=["db"]),
    "forget": lambda m, _: m.forget("fix/locked", reason="wrong"),
    "forget a log entry": lambda m, n: m.forget(n["noon"]),
    "restore": lambda m, _: m.restore("fix/gone"),
    "restore from the archive": lambda m, _: m.restore("fix/away"),
    "restore from the inbox": lambda m, _: m.restore("idea/perhaps"),
    "archive": lambda m, _: m.archive("fix/locked"),
    "archive a folder": lambda m, _: m.archive("skill/deploy"),
    "edit": _edit,
    "purge": lambda m, _: m.purge("fix/secret", yes=True),
    "purge a log entry": lambda m, n: m.purge(n["evening"], yes=True),
    "purge a folder": lambda m, _: m.purge("skill/deploy", yes=True),
    "lint": lambda m, _: m.lint(fix=True),
    "map the contents": lambda m, _: m.index(scope="agent"),
    "undo an evolve": _undo("evolve"),
    "undo a rename": _undo("rename"),
    "undo an archive": _undo("archive"),
    "undo a retag": _undo("retag"),
    "undo an append": lambda m, n: m.undo(next(c.id for c in m.changes() if c.id < n["append"] and c.verb == "append")),
    "undo a run": lambda m, _: m.undo(run="a-run"),
}
