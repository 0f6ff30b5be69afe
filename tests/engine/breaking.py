"""Breaking a change in the middle: a call that fails, a process that dies, or stands still, and is opened again."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import quire
from quire import Memory
from quire.engine.changes import OPEN, Changes
from quire.engine.core import Core
from quire.engine.journal import Actor, Journal
from tests.engine.conftest import Time
from tests.engine.looking import tree

CALLS = ("write_bytes", "append_bytes", "delete", "move")


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Watched:
    """The calls that change a storage, counted; at one of them something happens."""

    storage: quire.StorageBackend
    monkeypatch: pytest.MonkeyPatch
    count: int = 0
    names: list[str] = field(default_factory=list)

    def at(self, number: int, act: Callable[[], None], *, done: bool = False) -> None:
        """Let `act` happen at the call of this number, or when it is done."""
        self.count = 0

        def wrap(name: str) -> None:
            real = getattr(type(self.storage), name)

            def call(*arguments: Any, **keywords: Any) -> Any:
                self.count += 1
                mine = self.count == number
                self.names.append(name)
                if mine and not done:
                    act()
                result = real(self.storage, *arguments, **keywords)
                if mine and done:
                    act()
                return result

            self.monkeypatch.setattr(self.storage, name, call, raising=False)

        for name in CALLS:
            wrap(name)

    def calm(self) -> None:
        for name in CALLS:
            self.monkeypatch.delattr(self.storage, name, raising=False)


def reopened(memory: Memory, **others: quire.StorageBackend) -> Memory:
    """The same root, as the next process opens it a second later."""
    core = memory.core
    later = core.clock.now() + dt.timedelta(seconds=1)
    clock = quire.Clock("UTC", now=lambda: later)
    journal = Journal(core.storage, clock)
    changes = Changes(core.storage, journal, Actor())
    recovered = changes.recover(others)
    again = Core(
        storage=core.storage, journal=journal, changes=changes, layout=core.layout, scopes=core.scopes, clock=clock
    )
    return Memory(again, recovered=recovered)


def plans(memory: Memory) -> list[str]:
    journal = memory.core.journal
    return [at.name for at in journal.storage.list(journal.at.child(OPEN))]


def raises(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def evolve(memory: Memory) -> None:
    memory.evolve("fix/x", "More.")


def rename(memory: Memory) -> None:
    memory.rename("fix/x", "y")


def save(memory: Memory) -> None:
    memory.save("New.", kind="fix", slug="new")


def curate(memory: Memory) -> None:
    memory.save("New.", kind="fix", slug="new", scope="shared")


def forget(memory: Memory) -> None:
    memory.forget("fix/x")


def archive(memory: Memory) -> None:
    memory.archive("skill/s")


def append(memory: Memory) -> None:
    memory.append("Two.", at="2026-05-03")


def undo(memory: Memory) -> None:
    memory.undo(run="first")


def redo(memory: Memory) -> None:
    memory.undo()


ACTS = [evolve, rename, save, curate, forget, archive, append, undo, redo]
NAMES = [act.__name__ for act in ACTS]
MOST = 60  # calls one act makes


def filled(memory: Memory) -> Memory:
    """Something for every act, by a run called `first`, and a change after it that is not of that run."""
    memory.core.changes.actor = Actor(run="first")
    memory.save("Text.", kind="fix", slug="x")
    memory.save("See [[x]].", kind="workflow", slug="w")
    folder = memory.save("Skill.", kind="skill", slug="s").locator.parent
    memory.append("One.", at="2026-05-03")
    memory.core.changes.actor = Actor(run="second")
    memory.save("Other.", kind="idea", slug="o")
    memory.retag("idea/o", add=["a"])
    memory.core.storage.write_bytes(folder.child("scripts", "run.sh"), b"true\n")
    memory.core.storage.delete(folder.child("scripts", "run.sh"))
    return memory


def after_of(act: Callable[[Memory], None], layout: str, time: Time) -> dict[str, bytes]:
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as another:
        act(filled(another))
        return tree(another)


def works(memory: Memory) -> None:
    """A change and its undoing, on whatever is there now."""
    before = tree(memory)
    memory.save("It goes on.", kind="insight", slug="next")
    memory.append("It goes on.", at="2026-05-03")
    memory.undo()
    memory.undo()
    assert tree(memory) == before
