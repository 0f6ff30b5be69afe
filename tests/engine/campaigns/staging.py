"""A root that is built once and put back before each trial, and children that change it and come to grief."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from quire.engine import plans
from quire.errors import QuireError
from tests.engine.campaigns.calls import Call, listening
from tests.engine.campaigns.scenes import ACTED, SCENES, Notes, World, build

Tree = dict[str, bytes]
DONE, REFUSED, BROKEN = 0, 4, 3  # how a child ends by itself


@dataclass
class Stage:
    """A root built once, and put back before each trial."""

    world: World
    base: Path
    notes: Notes = field(default_factory=dict)
    before: Tree = field(default_factory=dict)
    last: str = ""  # the file of the last change before the scene
    known: str = ""  # the id of that change

    def __post_init__(self) -> None:
        self.base.mkdir(parents=True)
        (self.base / "root").mkdir()
        os.environ["QUIRE_STATE_DIR"] = str(self.base / "state")
        plans._OWNER_MAY_LIVE = 0.0  # here they are dead, or sleep
        self.notes = build(self.world, self.base)
        self.before = tree(self.base)
        shutil.copytree(self.base, self._template)
        with self.world.open(self.base) as memory:
            self.last = memory.get("fix/last").locator.key
            self.known = next(iter(memory.changes())).id

    @property
    def _template(self) -> Path:
        return self.base.with_name("template")

    def reset(self) -> None:
        shutil.rmtree(self.base)
        shutil.copytree(self._template, self.base)

    def act(self, scene: str, hear: Callable[[Call], None], now: Callable[[], dt.datetime] = lambda: ACTED) -> None:
        """Do it, in this process."""
        with self.world.open(self.base, now) as memory, listening(hear):
            SCENES[scene](memory, self.notes)

    def begin(self, scene: str, hear: Callable[[Call], None], now: Callable[[], dt.datetime] = lambda: ACTED) -> int:
        """Do it in a child; `ended` says how that went."""
        pid = os.fork()
        if pid == 0:
            code = BROKEN
            try:
                self.act(scene, hear, now)
                code = DONE
            except QuireError as error:
                print(error, file=sys.stderr)
                code = REFUSED
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        return pid

    def act_in_child(self, scene: str, hear: Callable[[Call], None]) -> int:
        """Do it in a child to the end, whichever that is."""
        return ended(self.begin(scene, hear))


def ended(pid: int) -> int:
    """Wait for a child: 0, the number it ended with, or the negative one of a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def tree(base: Path) -> dict[str, bytes]:
    """Every file of the root, read around the engine, but for its journal and the records of writers."""
    root = base / "root"
    return {
        key: (root / key).read_bytes()
        for folder, folders, names in os.walk(root)
        for key in (os.path.relpath(os.path.join(folder, name), root) for name in names)
        if not key.startswith((".journal/", ".quire-writers/"))
    }


def journal(base: Path) -> bytes:
    """All that the journal says, plans included."""
    return b"".join(
        path.read_bytes() for path in sorted(base.rglob("*")) if path.is_file() and ".journal" in path.parts
    )


def litter(base: Path) -> list[str]:
    """What a change leaves only while it is under way."""
    found = [path for path in base.rglob("*") if path.name.startswith((".quire-", ".tmp"))]
    found += [path for path in base.rglob("open/*") if ".journal" in path.parts]
    found += [path for path in base.rglob("writers/*") if "vaults" in path.parts]
    return [str(path.relative_to(base)) for path in found]


def differing(before: Tree, after: Tree, found: Tree) -> str:
    """The files in which the three differ, and as what each was found."""
    names = []
    for key in sorted({*before, *after, *found}):
        texts = before.get(key), after.get(key), found.get(key)
        if len(set(texts)) > 1:
            state = "old" if texts[2] == texts[0] else "new" if texts[2] == texts[1] else "OTHER"
            names.append(f"{key} {state}")
    return ", ".join(names)


class Failed(AssertionError):
    """What does not hold, in words."""


def require(holds: bool, otherwise: str) -> None:
    """Raises Failed unless it holds."""
    if not holds:
        raise Failed(otherwise)
