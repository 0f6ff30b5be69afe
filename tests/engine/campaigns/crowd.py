"""One of many processes on one root: it saves, evolves, forgets and so on at random, and says what it was told.

`python -m tests.engine.campaigns.crowd WORLD FOLDER WHO SEED SECONDS`
"""

from __future__ import annotations

import datetime as dt
import random
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quire import Entry, Memory
from quire.errors import Busy, Conflict, EntryError, OutcomeUnknown, QuireError
from tests.engine.campaigns.scenes import WORLDS, World
from tests.engine.campaigns.telling import Teller

HOT = ("fix/hot-1", "fix/hot-2", "fix/hot-3")  # chains that everybody changes
SHARED = 5  # slugs that everybody saves other bodies under
SAME = 4  # bodies that everybody saves
TOLD = "told"


class Worker:
    """Its own entries, and how it picks what to do next."""

    def __init__(self, memory: Memory, teller: Teller, chance: random.Random) -> None:
        self.memory = memory
        self.teller = teller
        self.chance = chance
        self.own: list[str] = []
        self.named: list[str] = []
        self.number = 0
        self.verbs: dict[Callable[[], None], int] = {
            self.save_own: 10,
            self.save_shared: 6,
            self.save_same: 6,
            self.append: 8,
            self.evolve: 10,
            self.forget: 5,
            self.restore: 4,
            self.archive: 4,
            self.retag: 6,
            self.retag_and_undo: 2,
            self.rename: 2,
            self.look: 2,
        }

    def once(self) -> None:
        """Do something. Raises nothing that a caller has to expect."""
        self.number += 1
        self.chance.choices(list(self.verbs), list(self.verbs.values()))[0]()

    def word(self) -> str:
        """A word that occurs nowhere else."""
        return f"{self.teller.who}x{self.number}"

    def tell(self, verb: str, call: Callable[[], Entry | None], **words: Any) -> Entry | None:
        self.teller.begin(verb, **words)
        try:
            entry = call()
        except (Conflict, Busy, OutcomeUnknown, EntryError) as refused:
            self.teller.end(refused.code, said=str(refused))
            return None
        except QuireError as error:
            self.teller.end(error.code, said=traceback.format_exc(), broken=True)
            return None
        except BaseException:
            self.teller.end("NOT_OURS", said=traceback.format_exc(), broken=True)
            raise
        found = {"id": entry.id, "path": entry.locator.key, "status": str(entry.status)} if entry else {}
        self.teller.end("done", **found)
        return entry

    def save(self, verb: str, body: str, slug: str, kind: str) -> Entry | None:
        return self.tell(verb, lambda: self.memory.save(body, kind=kind, slug=slug), body=body, slug=slug, kind=kind)

    def save_own(self) -> None:
        kind = self.chance.choice(["fix", "preference", "workflow"])
        if entry := self.save("save", f"Own {self.word()}.", f"own-{self.word().lower()}", kind):
            self.own.append(entry.id)

    def save_shared(self) -> None:
        self.save("save", f"Shared {self.word()}.", f"shared-{self.chance.randrange(SHARED)}", "fix")

    def save_same(self) -> None:
        which = self.chance.randrange(SAME)
        self.save("save-same", f"Everybody says this, {which}.", f"same-{which}", "insight")

    def append(self) -> None:
        body = f"Appended {self.word()}."
        entry = self.tell("append", lambda: self.memory.append(body), body=body)
        if entry and self.chance.random() < 0.3:
            self.own.append(entry.id)

    def some(self) -> str:
        """One of its own, or the newest of a chain that everybody changes."""
        if self.own and self.chance.random() < 0.6:
            return self.chance.choice(self.own[-50:])
        return self.memory.history(self.chance.choice(HOT))[-1].id

    def evolve(self) -> None:
        id, body = self.some(), f"Evolved {self.word()}."
        entry = self.tell("evolve", lambda: self.memory.evolve(id, body, reason="more is known"), id=id, body=body)
        if entry and id in self.own:
            self.own.append(entry.id)

    def forget(self) -> None:
        id = self.some()
        self.tell("forget", lambda: self.memory.forget(id, reason="no use"), id=id)

    def restore(self) -> None:
        id = self.some()
        self.tell("restore", lambda: self.memory.restore(id), id=id)

    def archive(self) -> None:
        id = self.some()
        self.tell("archive", lambda: self.memory.archive(id), id=id)

    def retag(self) -> None:
        id, tag = self.some(), f"t{self.word()}"
        self.tell("retag", lambda: self.memory.retag(id, add=[tag]), id=id, tag=tag)

    def retag_and_undo(self) -> None:
        id, tag = self.some(), f"u{self.word()}"
        if not self.tell("retag", lambda: self.memory.retag(id, add=[tag]), id=id, tag=tag):
            return
        mine = (each.id for each in self.memory.changes(id) if each.verb == "retag" and each.actor == self.teller.who)
        change = next(mine, None)
        if change is None:
            self.teller.begin("undo", id=id, tag=tag)
            self.teller.end("NOT_OURS", said=f"the retag of {id} is not in the journal", broken=True)
            return
        self.tell("undo", lambda: self._undo(change), id=id, tag=tag)

    def _undo(self, change: str) -> None:
        self.memory.undo(change)

    def rename(self) -> None:
        """A note of its own with one that links to it; both have a name that nobody else can take."""
        if not self.named or self.chance.random() < 0.4:
            slug = f"named-{self.word().lower()}"
            if self.save("save", f"Named {self.word()}.", slug, "workflow"):
                self.save("save", f"See [[{slug}]], {self.word()}l.", f"link-{self.word().lower()}", "workflow")
                self.named.append(f"workflow/{slug}")
            return
        at = self.chance.randrange(len(self.named))
        id, slug = self.named[at], f"renamed-{self.word().lower()}"
        entry = self.tell("rename", lambda: self.memory.rename(id, slug), id=id, slug=slug)
        if entry:
            self.named[at] = entry.id

    def look(self) -> None:
        """Reading, whatever others do meanwhile."""

        def read() -> None:
            page = self.memory.list(status="all", limit=30)
            for entry in list(page)[:3]:
                self.memory.history(entry.id, scope=entry.scope)
            self.memory.session_context()

        self.tell("look", read)


def begin(world: World, folder: Path) -> None:
    """The chains that everybody changes."""
    with world.open(folder, now) as memory:
        for id in HOT:
            memory.save(f"The beginning of {id}.", kind="fix", slug=id.partition("/")[2])


def work(world: World, folder: Path, who: str, seed: int, seconds: float) -> None:
    """Work until the time is over, or this process is killed."""
    with world.open(folder, now, actor=who) as memory:
        worker = Worker(memory, Teller(folder / TOLD, who), random.Random(seed))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                worker.once()
            except EntryError:
                continue  # what it looked for has another name by now


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


if __name__ == "__main__":
    work(WORLDS[sys.argv[1]], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
