"""Kills writers at random moments and checks what they were promised. Run as a program, so that forking is safe.

Each round forks two writers on one root. They make random changes, and say on a pipe what they begin and what was
acknowledged; they are killed one after the other. After each kill the storage is opened anew: of the dead writer's
files all acknowledged changes must be there, whole, and at most the one in flight besides.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from quire.backends.local import DeviceLocalBackend
from quire.backends.vault import VaultBackend
from quire.locator import Locator
from quire.ports.storage import ABSENT, StorageBackend, version_of

NAMES = ["one.md", "two.md", "deep/three.md", "deep/er/four.md"]
Files = dict[str, str]
Change = tuple[str, str, str]  # (verb, key, text or target)


def text(chance: random.Random, number: int) -> str:
    """A text that shows by itself whether it is whole."""
    body = f"{number} " + "x" * chance.choice([0, 10, 1000, 60_000])
    return f"{version_of(body)}\n{body}"


def is_whole(content: str) -> bool:
    digest, _, body = content.partition("\n")
    return version_of(body) == digest


def apply(files: Files, change: Change) -> Files:
    verb, key, value = change
    after = dict(files)
    if verb == "move":
        after[value] = after.pop(key)
    elif verb == "delete":
        del after[key]
    else:
        after[key] = value
    return after


def make(storage: StorageBackend, files: Files, change: Change) -> None:
    verb, key, value = change
    at = Locator(key)
    match verb:
        case "write":
            storage.write(at, value)
        case "create":
            storage.write(at, value, if_version=ABSENT)
        case "replace":
            storage.write(at, value, if_version=version_of(files[key]))
        case "delete":
            storage.delete(at, if_version=version_of(files[key]))
        case "move":
            storage.move(at, Locator(value), if_version=version_of(files[key]))


def choose(chance: random.Random, prefix: str, files: Files, number: int) -> Change:
    key = prefix + chance.choice(NAMES)
    if key not in files:
        return (chance.choice(["write", "create"]), key, text(chance, number))
    free = [prefix + name for name in NAMES if prefix + name not in files]
    verb = chance.choice(["write", "replace", "replace", "delete", "move"])
    if verb == "move":
        return ("move", key, chance.choice(free)) if free else ("delete", key, "")
    return (verb, key, "" if verb == "delete" else text(chance, number))


def writer(backend: type[DeviceLocalBackend], root: str, prefix: str, files: Files, seed: int, pipe: int) -> None:
    """Change files until killed, saying each change before and after."""
    chance = random.Random(seed)
    storage = backend(root)
    with os.fdopen(pipe, "w", buffering=1) as out:
        for number in range(1_000_000):
            change = choose(chance, prefix, files, number)
            out.write(json.dumps(change) + "\n")
            make(storage, files, change)
            out.write("done\n")
            files = apply(files, change)


def told(lines: list[str], files: Files) -> tuple[Files, Change | None]:
    """What was acknowledged, and the change that was in flight."""
    flying: Change | None = None
    for line in lines:
        if line == "done\n" and flying:
            files, flying = apply(files, flying), None
        elif line.endswith("]\n"):
            verb, key, value = json.loads(line)
            flying = (verb, key, value)
    return files, flying


def check(storage: StorageBackend, prefix: str, files: Files, flying: Change | None) -> Files:
    found = {info.locator.key: storage.read(info.locator) for info in storage.walk(Locator(prefix.rstrip("/")))}
    torn = [key for key, content in found.items() if not is_whole(content)]
    assert not torn, f"torn: {torn}"
    allowed = [files] + ([apply(files, flying)] if flying else [])
    assert found in allowed, f"{flying=}: found {summary(found)}, promised {summary(files)}"
    return found


def summary(files: Files) -> dict[str, str]:
    return {key: content[65:75] for key, content in files.items()}


def kill(pid: int, pipe: int) -> list[str]:
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, f"the writer ended by itself: {status}"
    with os.fdopen(pipe) as read:
        return read.readlines()


def main(kind: str, root: str, kills: int, seed: int) -> dict[str, Any]:
    backend = VaultBackend if kind == "vault" else DeviceLocalBackend
    os.makedirs(root, exist_ok=True)
    chance = random.Random(seed)
    held: dict[str, Files] = {"a/": {}, "b/": {}}
    done = acknowledged = recovered = 0
    while done < kills:
        writers = {}
        for prefix, files in held.items():
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(read)
                # A writer that fails must not run on as a second examiner.
                try:
                    writer(backend, root, prefix, files, chance.getrandbits(32) ^ os.getpid(), write)
                finally:
                    traceback.print_exc()
                    os._exit(3)
            os.close(write)
            writers[prefix] = (pid, read)
        for prefix, (pid, pipe) in writers.items():
            select.select([pipe], [], [], 10)  # it has begun
            time.sleep(chance.uniform(0, 0.02))
            lines = kill(pid, pipe)
            done += 1
            promised, flying = told(lines, held[prefix])
            acknowledged += lines.count("done\n")
            with backend(root) as storage:
                recovered += storage.recovered
                held[prefix] = check(storage, prefix, promised, flying)
        litter = [str(path) for path in Path(root).rglob(".quire-*")]
        assert not litter, f"litter after the next open: {litter}"
    return {"kills": done, "acknowledged": acknowledged, "recovered": recovered, "seed": seed}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
