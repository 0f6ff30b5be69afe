"""Fills the disk in front of each file call of a verb, and looks at what it says, leaves, and does once there is room.

Run as a program: `python -m tests.engine.campaigns.filling WORLD SEED SHARE FOLDER`. Prints what was done as JSON. Of
SHARE calls one is tried. The disk is full from that call on: nothing can be made and nothing be written any more; what
needs no room (a rename, a deletion) still works.
"""

from __future__ import annotations

import errno
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from quire.errors import OutcomeUnknown, QuireError, StorageFull
from tests.engine.campaigns.calls import Call, listening
from tests.engine.campaigns.scenes import ACTED, ACTED_AGAIN, SCENES, WORLDS
from tests.engine.campaigns.staging import Stage, Tree, differing, litter, require, tree
from tests.engine.campaigns.stepping import outcomes, without_numbers


def full_from(at: int) -> Callable[[Call], None]:
    """Refuse whatever needs room, from that call on."""

    def hear(call: Call) -> None:
        if call.number >= at and call.needs_room():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return hear


def filled(stage: Stage, scene: str, after: Tree, at: int) -> str:
    """Fill the disk in front of one call. Returns what the caller was told; raises Failed."""
    stage.reset()
    told = "done"
    with stage.world.open(stage.base, lambda: ACTED) as memory:
        known = {change.id for change in memory.changes()}
        with listening(full_from(at)):
            try:
                SCENES[scene](memory, stage.notes)
            except QuireError as error:
                told = error.code
                require(isinstance(error, StorageFull | OutcomeUnknown), f"it said {error!r}")
        found = tree(stage.base)
        if told == StorageFull.code:
            require(found == stage.before, f"told that nothing changed: {differing(stage.before, after, found)}")
        if told == "done" and scene != "lint":  # which says of each repair what became of it
            require(found == after, f"told that it is done: {differing(stage.before, after, found)}")
        if told != "done" and not scene.startswith("purge"):
            _once_there_is_room(stage, scene, after)
    stage.world.open(stage.base).close()
    require(not litter(stage.base), f"litter: {litter(stage.base)}")
    with stage.world.open(stage.base) as memory:
        require(bool(known) and bool(memory.undo()), "nothing can be undone")
    return told


def _once_there_is_room(stage: Stage, scene: str, after: Tree) -> None:
    """The next to open the root finds all as before or all as after, and what was refused can be done."""
    with stage.world.open(stage.base, lambda: ACTED_AGAIN) as memory:
        found = tree(stage.base)
        require(found in (stage.before, after), f"half of it: {differing(stage.before, after, found)}")
        if found == stage.before:
            SCENES[scene](memory, stage.notes)
            found, wanted = without_numbers(tree(stage.base)), without_numbers(after)
            require(found == wanted, f"with room again: {differing(stage.before, wanted, found)}")


def main(world: str, seed: int, share: int, folder: str) -> dict[str, object]:
    chance = random.Random(seed)
    stage = Stage(WORLDS[world], Path(folder) / "base")
    told: dict[str, int] = {}
    failures = []
    for scene in SCENES:
        calls, after = outcomes(stage, scene)
        trials = [at for at, name in enumerate(calls, 1) if name in ("open", "write", "mkdir")]
        for at in chance.sample(trials, max(1, len(trials) // share)):
            try:
                what = filled(stage, scene, after, at)
                told[what] = told.get(what, 0) + 1
            except Exception as error:
                failures.append(f"{scene}, full from call {at} of {len(calls)} ({calls[at - 1]}): {error!r}")
    return {"world": world, "seed": seed, "fillings": sum(told.values()), **told, "failures": failures}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
