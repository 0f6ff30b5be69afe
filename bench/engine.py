"""What the engine costs on a folder, against the bare system calls in the same run. `make bench` runs it.

Each pair is measured alternately, in one process, and the ratio is of the medians: the machine's mood cancels out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable

import quire
from measuring import alternately, bare_write
from quire import Memory
from quire.locator import Locator

BODY = "A memory of about one kilobyte. " * 30
LOGS = (1, 100, 1_000, 10_000)


def opened(base: str, name: str) -> Memory:
    return quire.open(os.path.join(base, name), timezone="UTC", config=os.devnull, environment={})


def measure_save(base: str, rounds: int) -> dict[str, float]:
    bare = os.path.join(base, "bare")
    os.makedirs(bare)
    with opened(base, "saving") as memory:
        content = memory.core.storage.read_bytes(memory.save(BODY, kind="fix", slug="first").locator)
        spent = [0.0]

        def save(number: int) -> None:
            start = time.thread_time()
            memory.save(f"{number} {BODY}", kind="fix", slug=f"note-{number}")
            spent[0] += time.thread_time() - start

        def evolve(number: int) -> None:
            memory.evolve(f"fix/note-{number}", f"{number} again. {BODY}", reason="more is known")

        def forget(number: int) -> None:
            memory.forget(f"fix/note-{number}")

        write = bare_write(bare, content)
        alternately(rounds // 10, lambda number: write(-1 - number), lambda number: save(-1 - number))
        spent[0] = 0.0
        bare_s, save_s = alternately(rounds, write, save)
        cpu = spent[0] / rounds
        again_s, evolve_s = alternately(rounds, write, evolve)
        once_more_s, forget_s = alternately(rounds, write, forget)
    return {
        "bare write ms": bare_s * 1e3,
        "save ms": save_s * 1e3,
        "save ratio": save_s / bare_s,
        "save, ms of processor": cpu * 1e3,
        "evolve ratio": evolve_s / again_s,
        "forget ratio": forget_s / once_more_s,
    }


def fill_log(memory: Memory, count: int) -> None:
    """Give the log of today `count` entries, in parts as the engine makes them."""
    first = memory.append("An episode of some hundred characters. " * 5)
    text = memory.core.storage.read(first.locator)
    head, mark, block = text.partition("<!-- entry:")
    day = memory.core.clock.now().date().isoformat()
    number, part = 1, 1
    while number <= count:
        blocks = []
        size = 0
        while number <= count and size <= 1024 * 1024:
            again = (mark + block).replace(first.id, f"{first.id[:-8]}{number:08d}")
            blocks.append(again if again.endswith("\n") else again + "\n")
            size += len(again)
            number += 1
        name = first.locator.name.replace(f"{day}.md", f"{day}.md" if part == 1 else f"{day}.{part}.md")
        counted = head.replace("entry_count: 1", f"entry_count: {number - 1}")
        memory.core.storage.write(first.locator.parent.child(name), counted + "\n".join(blocks))
        part += 1


def measure_append(base: str, rounds: int) -> dict[str, float]:
    folder = os.path.join(base, "bare-append")
    os.makedirs(folder)
    memories = [opened(base, f"log-{count}") for count in LOGS]
    runs: list[Callable[[int], object]] = []
    for memory, count in zip(memories, LOGS, strict=True):
        fill_log(memory, count)
        held = sum(len(entry.body) > 0 for entry in memory.list(kind="episode"))
        assert held == count, (held, count)
        runs.append(lambda _, memory=memory: memory.append("One more."))  # type: ignore[misc]
    bare_s, *taken = alternately(rounds, bare_write(folder, BODY.encode()), *runs)
    for memory in memories:
        memory.close()
    return {f"append to {count:,}, ratio": seconds / bare_s for count, seconds in zip(LOGS, taken, strict=True)}


def measure_many(base: str, entries: int, rounds: int) -> dict[str, float]:
    """A root with many entries, and a record in the journal for each."""
    with opened(base, "many") as memory:
        for number in range(entries):
            memory.save(f"{number} {BODY}", kind=("fix", "preference", "workflow")[number % 3], slug=f"note-{number}")
        bare = os.path.join(base, "bare-many")
        os.makedirs(bare)
        bare_s, save_s = alternately(
            100, bare_write(bare, BODY.encode()), lambda number: memory.save(f"last {number} {BODY}", slug=f"l{number}")
        )
        (list_s, page_s) = alternately(rounds, lambda _: memory.list(), lambda _: memory.list(limit=50))
        (last_s,) = alternately(rounds, lambda _: next(iter(memory.changes())))
        read_s = alternately(rounds, lambda _: _read_all(memory))[0]
    (open_s,) = alternately(rounds * 3, lambda _: opened(base, "many").close())
    (empty_s,) = alternately(rounds * 3, lambda number: opened(base, f"empty-{number % 2}").close())
    return {
        f"save beside {entries:,}, ratio": save_s / bare_s,
        f"list of {entries:,}, s": list_s,
        "list over reading them, ratio": list_s / read_s,
        "first page of it, ms": page_s * 1e3,
        f"last of {entries:,} records, ms": last_s * 1e3,
        "open it, ms": open_s * 1e3,
        "open an empty one, ms": empty_s * 1e3,
    }


def _read_all(memory: Memory) -> int:
    storage = memory.core.storage
    return sum(
        len(storage.read_bytes(info.locator)) for info in storage.walk(Locator()) if ".journal" not in info.locator.key
    )


GOALS = {"save ratio": 2.0}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, default=10_000, help="how many a large root has")
    parser.add_argument("--saves", type=int, default=500)
    parser.add_argument("--folder", help="where to measure; a disk, as fsync costs nothing in memory")
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=words.folder) as base:
        figures = {
            **measure_save(base, words.saves),
            **measure_append(base, 60),
            **measure_many(base, words.entries, 5),
        }
    if words.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, figure in figures.items():
            goal = f"   goal: at most {GOALS[name]:g}" if name in GOALS else ""
            print(f"{name:<46} {figure:8.2f}{goal}")
    return 0 if all(figures[name] <= goal for name, goal in GOALS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
