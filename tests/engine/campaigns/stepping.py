"""Kills a process in front of each file call that a verb makes, and looks at what the next open makes of it.

Run as a program, so that forking is safe: `python -m tests.engine.campaigns.stepping WORLD SEED SHARE FOLDER`. Prints
what was done as JSON. Of SHARE calls one is tried, and eight times as many of the verbs that matter most.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sys
from pathlib import Path

from tests.engine.campaigns.calls import signalling
from tests.engine.campaigns.scenes import ACTED_AGAIN, SCENES, SECRETS, WORLDS
from tests.engine.campaigns.staging import Stage, Tree, differing, journal, litter, require, tree

_NUMBER = re.compile(rb"(?<=_\d{8}_)\d{8}|(?<=entry_count: )\d+")
THOROUGH = ("evolve a note", "rename", "undo an evolve")
# A file that is new is written before its record: who dies in between leaves a memory that nobody was promised, and no
# record of it. A map of contents has none at all.
UNRECORDED = ("save", "save in a new folder", "save under a taken slug", "append to a new log", "map the contents")


def outcomes(stage: Stage, scene: str) -> tuple[list[str], Tree]:
    """The calls of a verb that nobody interrupts, and the tree it leaves."""
    stage.reset()
    calls: list[str] = []
    stage.act(scene, lambda call: calls.append(call.name))
    return calls, tree(stage.base)


def killed(stage: Stage, scene: str, after: Tree, at: int, *, half: bool) -> str:
    """Kill it in front of one call. Returns whether all is as before or as after; raises Failed for anything else."""
    stage.reset()
    code = stage.act_in_child(scene, signalling(at, signal.SIGKILL, half=half))
    require(code == -signal.SIGKILL, f"the child ended with {code}")
    stage.world.open(stage.base).close()
    found = tree(stage.base)
    require(found in (stage.before, after), f"neither as before nor as after: {differing(stage.before, after, found)}")
    require(not litter(stage.base), f"litter: {litter(stage.base)}")
    if found == stage.before:
        return "before"
    if secret := SECRETS.get(scene):
        require(secret.encode() not in journal(stage.base), "the journal keeps what was purged")
    return "after"


def undo_goes_on(stage: Stage, scene: str, after: Tree, state: str) -> None:
    """The last change can be taken back, and it is the one that was the last to happen."""
    found = tree(stage.base)
    with stage.world.open(stage.base) as memory:
        recorded = next(iter(memory.changes())).id != stage.known
        memory.undo()
    if state == "after":
        require(recorded or scene in UNRECORDED, "there is no record of it")
    if state == "before" or not recorded or scene.startswith(("undo", "purge")):
        expected = {key: content for key, content in found.items() if key != stage.last}
    else:
        expected = stage.before
    found = tree(stage.base)
    require(found == expected, f"undo, {state} it: {differing(stage.before, expected, found)}")


def done_again(stage: Stage, scene: str, after: Tree, state: str) -> None:
    """What did not happen is done once more, and leaves what it would have left; only ids of logs are used up."""
    if state == "before":
        with stage.world.open(stage.base, lambda: ACTED_AGAIN) as memory:
            SCENES[scene](memory, stage.notes)
        found, wanted = (
            {key: _NUMBER.sub(b"", text) for key, text in each.items()} for each in (tree(stage.base), after)
        )
        require(found == wanted, f"done once more: {differing(stage.before, wanted, found)}")


def without_numbers(of: Tree) -> Tree:
    """A tree but for the numbers of the entries of logs."""
    return {key: _NUMBER.sub(b"", text) for key, text in of.items()}


def main(world: str, seed: int, share: int, folder: str) -> dict[str, object]:
    chance = random.Random(seed)
    stage = Stage(WORLDS[world], Path(folder) / "base")
    states: dict[str, int] = {}
    failures = []
    for scene in SCENES:
        try:
            calls, after = outcomes(stage, scene)
        except Exception as error:
            failures.append(f"{scene}: {error!r}")
            continue
        trials = [(at, half) for at, name in enumerate(calls, 1) for half in {False, name == "write"}]
        rarely = max(1, share // 8) if scene in THOROUGH else share
        for at, half in chance.sample(trials, max(1, len(trials) // rarely)):
            try:
                state = killed(stage, scene, after, at, half=half)
                states[state] = states.get(state, 0) + 1
                chance.choice([undo_goes_on, done_again])(stage, scene, after, state)
            except Exception as error:
                kind = "in the middle of" if half else "in front of"
                failures.append(f"{scene}, killed {kind} call {at} of {len(calls)} ({calls[at - 1]}): {error!r}")
    return {"world": world, "seed": seed, "kills": sum(states.values()), **states, "failures": failures}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
