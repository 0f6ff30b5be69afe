"""Stops a process in front of each file call of a verb, lets another change what it is about, and lets it go on.

Run as a program, so that forking is safe: `python -m tests.engine.campaigns.suspending WORLD SEED SHARE FOLDER`. Prints
what was done as JSON. Of SHARE calls one is tried.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quire import Memory
from quire.backends.local import DeviceLocalBackend
from quire.errors import QuireError
from tests.engine.campaigns.calls import Call, signalling
from tests.engine.campaigns.scenes import ACTED, WOKEN, WORLDS
from tests.engine.campaigns.staging import DONE, REFUSED, Stage, ended, litter, require, tree

WAIT = 0.05  # seconds for a lock whose holder may be the one that was stopped

Other = Callable[[Memory], object]


@dataclass(frozen=True)
class Case:
    """A scene, what others do meanwhile, and the slugs of the one chain or name that it is about."""

    scene: str
    others: dict[str, Other]
    chain: str


def _retag(id: str) -> Other:
    return lambda memory: memory.retag(id, add=["meanwhile"])


def _evolve(id: str) -> Other:
    return lambda memory: memory.evolve(id, "By the other.")


def _append_line(id: str) -> Other:
    """As an editor does: a temporary file, then its name."""

    def write(memory: Memory) -> None:
        path = Path(memory.core.storage.root) / memory.get(id).locator.key  # type: ignore[attr-defined]
        temporary = path.with_name("editor.tmp")
        temporary.write_bytes(path.read_bytes() + b"By the person.\n")
        temporary.replace(path)

    return write


CASES = [
    Case(
        "evolve a note",
        {
            "nothing": lambda memory: None,
            "retag the old": _retag("fix/locked"),
            "retag the new": _retag("fix/locked-2"),
            "evolve the old": _evolve("fix/locked"),
            "evolve the new": _evolve("fix/locked-2"),
            "edit the old": _append_line("fix/locked"),
            "edit the new": _append_line("fix/locked-2"),
            "forget the old": lambda memory: memory.forget("fix/locked"),
            "undo": lambda memory: memory.undo(),
        },
        "locked",
    ),
    Case(
        "undo an evolve",
        {
            "nothing": lambda memory: None,
            "retag the old": _retag("fix/thought"),
            "retag the new": _retag("fix/thought-2"),
            "evolve the new": _evolve("fix/thought-2"),
            "evolve the old": _evolve("fix/thought"),
        },
        "thought",
    ),
    Case(
        "rename",
        {
            "nothing": lambda memory: None,
            "undo": lambda memory: memory.undo(),
            "retag what links": _retag("workflow/suites"),
            "edit what links": _append_line("workflow/suites"),
            "retag the old": _retag("fix/locked"),
            "retag the new": _retag("fix/backup"),
            "save under the old name": lambda memory: memory.save("By the other.", kind="fix", slug="locked"),
        },
        "locked|backup",
    ),
    Case(
        "archive",
        {
            "nothing": lambda memory: None,
            "retag": _retag("fix/locked"),
            "restore": lambda memory: memory.restore("fix/locked"),
            "undo": lambda memory: memory.undo(),
            "save under its name": lambda memory: memory.save("By the other.", kind="fix", slug="locked"),
        },
        "locked",
    ),
]


def suspended(stage: Stage, case: Case, other: str, at: int) -> str:
    """Stop the scene in front of one call, let the other act, and go on. Raises Failed. Returns who was told "done"."""
    stage.reset()
    stop, moment = signalling(at, signal.SIGSTOP), [ACTED]

    def hear(call: Call) -> None:
        stop(call)
        if call.number == at:
            moment[0] = WOKEN + dt.timedelta(minutes=1)

    pid = stage.begin(case.scene, hear, lambda: moment[0])
    _, status = os.waitpid(pid, os.WUNTRACED)
    require(os.WIFSTOPPED(status), "the child did not come to that call")
    try:
        told = _meanwhile(stage, case.others[other])
    finally:
        os.kill(pid, signal.SIGCONT)
        code = ended(pid)
    require(code in (DONE, REFUSED), f"the one that was stopped ended with {code}")
    stage.world.open(stage.base).close()
    require(not litter(stage.base), f"litter: {litter(stage.base)}")
    with stage.world.open(stage.base) as memory:
        _judge(stage, memory, case, other if told else "", done=code == DONE)
        if not other.startswith("edit"):  # that a person has changed a text is a reason to refuse
            memory.undo()
    return ("both" if code == DONE else "other") if told else "first" if code == DONE else "none"


@contextmanager
def _impatient() -> Iterator[None]:
    """Wait for no lock longer than WAIT; for that of the journal beside a vault, neither."""
    defaults = DeviceLocalBackend.__init__.__kwdefaults__ or {}
    kept = dict(defaults)
    defaults["lock_timeout"] = WAIT
    try:
        yield
    finally:
        defaults.update(kept)


def _meanwhile(stage: Stage, act: Other) -> bool:
    """What the other does, in this process; whether it was told that it is done."""
    try:
        with _impatient(), stage.world.open(stage.base, lock_timeout=WAIT) as memory:
            act(memory)
    except (QuireError, OSError) as error:
        require(isinstance(error, QuireError), f"the other: {error!r}")
        return False
    return True


def _judge(stage: Stage, memory: Memory, case: Case, other: str, *, done: bool) -> None:
    listed = memory.list(kind="fix", status="all")
    require(not listed.faults, f"faults: {listed.faults}")
    chain = {entry.id: entry for entry in listed if re.fullmatch(rf"fix/({case.chain})(-\d+)?", entry.id)}
    states = {id: str(entry.status) for id, entry in chain.items()}
    active = [id for id, state in states.items() if state == "active"]
    texts = tree(stage.base)
    if case.scene == "archive":
        require(
            len(chain) == len([key for key in texts if re.search(r"/locked(-\d+)?\.md$", key)]), f"two places: {states}"
        )
    elif other == "save under the old name":
        require(len(active) == 2, f"the renamed and the saved: {states}")
    else:
        require(len(active) == 1 or (other.startswith("forget") and not active), f"active: {states}")
    if done and case.scene == "evolve a note" and other != "undo":
        require(
            any("It was the backup." in entry.body for entry in chain.values()), f"the evolved text is lost: {states}"
        )
    if done and case.scene == "rename" and other != "undo":
        require("fix/backup" in chain, f"it was renamed, and is not there: {states}")
    if other.startswith("retag"):
        require(any(b"meanwhile" in text for text in texts.values()), "the tag is lost")
    if other.startswith(("evolve", "save")):
        require(any(b"By the other." in text for text in texts.values()), "the other's text is lost")
    if other.startswith("edit"):
        require(any(b"By the person." in text for text in texts.values()), "the person's line is lost")


def main(world: str, seed: int, share: int, folder: str) -> dict[str, object]:
    chance = random.Random(seed)
    stage = Stage(WORLDS[world], Path(folder) / "base")
    told: dict[str, int] = {}
    failures = []
    for case in CASES:
        stage.reset()
        calls: list[str] = []
        stage.act(case.scene, lambda call: calls.append(call.name))  # noqa: B023 - it is used up at once
        trials = [(other, at) for other in case.others for at in range(1, len(calls) + 1)]
        for other, at in chance.sample(trials, len(trials) // share):
            try:
                who = suspended(stage, case, other, at)
                told[who] = told.get(who, 0) + 1
            except Exception as error:
                failures.append(f"{case.scene}, stopped in front of call {at} ({calls[at - 1]}), {other}: {error!r}")
    return {"world": world, "seed": seed, "stops": sum(told.values()), **told, "failures": failures}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
