"""Kills processes at random moments while they and others work on one root, and checks what they were told.

Run as a program, so that forking is safe: `python -m tests.engine.campaigns.killing WORLD SEED KILLS FOLDER`. Prints
what was done as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.engine.campaigns import crowd
from tests.engine.campaigns.checker import Checker
from tests.engine.campaigns.scenes import WORLDS, World
from tests.engine.campaigns.staging import litter
from tests.engine.campaigns.telling import read_told

WORKERS = 3
LIFE = 0.25  # seconds, at most, from its first words to its end


def begin(world: World, folder: Path, who: str, seed: int) -> int:
    """A worker, in a child."""
    pid = os.fork()
    if pid == 0:
        try:
            crowd.work(world, folder, who, seed, 3600)
        finally:
            traceback.print_exc()
            os._exit(3)
    return pid


def main(name: str, seed: int, kills: int, folder: Path) -> dict[str, object]:
    chance, world = random.Random(seed), WORLDS[name]
    (folder / "root").mkdir(parents=True)
    os.environ["QUIRE_STATE_DIR"] = str(folder / "state")
    crowd.begin(world, folder)
    living: dict[str, int] = {}
    failures: list[str] = []
    for number in range(kills + WORKERS):
        if number < kills:
            living[f"w{number}"] = begin(world, folder, f"w{number}", chance.getrandbits(32))
        if number >= WORKERS:
            who = chance.choice(list(living))
            _wait_for_words(folder / crowd.TOLD / f"{who}.jsonl")
            time.sleep(chance.uniform(0, LIFE))
            pid = living.pop(who)
            os.kill(pid, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            if code != -signal.SIGKILL:
                failures.append(f"{who} ended by itself with {code}")
    with world.open(folder, crowd.now) as memory:
        finished = Counter(found.outcome for found in memory.recovered)
    failures += [f"litter: {each}" for each in litter(folder)]
    told = read_told(folder / crowd.TOLD)
    failures += Checker(folder, told).check()
    with world.open(folder, crowd.now) as memory:
        memory.undo()
    outcomes = Counter(call.outcome for call in told)
    return {
        "world": name,
        "seed": seed,
        "kills": kills,
        **outcomes,
        "recovered at last": finished,
        "failures": failures,
    }


def _wait_for_words(file: Path) -> None:
    end = time.monotonic() + 60
    while not (file.exists() and file.stat().st_size) and time.monotonic() < end:
        time.sleep(0.002)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))))
