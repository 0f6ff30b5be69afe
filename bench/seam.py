"""What the seam costs on a folder, against the bare system calls in the same run. `make bench` runs it.

Each pair is measured alternately, in one process, and the ratio is of the medians: the machine's mood cancels out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

from measuring import alternately, bare_write
from quire.backends.local import DeviceLocalBackend
from quire.locator import Locator
from quire.ports.storage import version_of

TEXT = "---\nkind: fix\n---\n\n" + "A memory of about one kilobyte. " * 30


def measure_write(base: str, rounds: int) -> dict[str, float]:
    bare, ours = os.path.join(base, "bare"), os.path.join(base, "ours")
    os.makedirs(bare)
    with DeviceLocalBackend(ours) as storage:
        seen = {"version": ""}

        def conditional(number: int) -> None:
            text = f"{number}{TEXT}"
            storage.write(Locator("one.md"), text, if_version=seen["version"])
            seen["version"] = version_of(text)

        storage.write(Locator("one.md"), TEXT)
        seen["version"] = version_of(TEXT)
        runs = (
            bare_write(bare, TEXT.encode(), names=100),
            lambda number: storage.write(Locator(f"note-{number % 100}.md"), TEXT),
            conditional,
            lambda number: storage.append_bytes(Locator("journal.log"), TEXT.encode()),
        )
        alternately(rounds // 10, *runs)
        bare_s, ours_s, conditional_s, append_s = alternately(rounds, *runs)
    return {
        "bare write ms": bare_s * 1e3,
        "write ratio": ours_s / bare_s,
        "conditional write ratio": conditional_s / bare_s,
        "append ratio": append_s / bare_s,
    }


def bare_walk(folder: str) -> int:
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                count += bare_walk(entry.path)
            else:
                count += entry.stat(follow_symlinks=False).st_size >= 0
    return count


def measure_walk(base: str, files: int, rounds: int) -> dict[str, float]:
    root = os.path.join(base, "many")
    for number in range(files):
        folder = os.path.join(root, f"folder-{number // 500:03}")
        if number % 500 == 0:
            os.makedirs(folder)
        with open(os.path.join(folder, f"a-note-about-{number}.md"), "w", encoding="utf-8") as file:
            file.write("x")
    with DeviceLocalBackend(root) as storage:
        counts = []
        bare_s, ours_s = alternately(
            rounds,
            lambda _: counts.append(bare_walk(root)),
            lambda _: counts.append(sum(1 for _ in storage.walk(Locator()))),
        )
    assert set(counts) == {files}, counts
    return {"bare walk s": bare_s, "walk ratio": ours_s / bare_s}


def measure_start(rounds: int) -> dict[str, float]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

    def process(*words: str) -> Callable[[int], object]:
        return lambda _: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment)

    opened = "import tempfile, quire; quire.open_storage(root=tempfile.mkdtemp()).close()"
    commands = {
        "import quire": process(sys.executable, "-c", "import quire"),
        "quire --version": process(os.path.join(os.path.dirname(sys.executable), "quire"), "--version"),
        "open a folder": process(sys.executable, "-c", opened),
        "import obstore": process(sys.executable, "-c", "import obstore"),
        "import asyncpg": process(sys.executable, "-c", "import asyncpg"),
    }
    runs = [process(sys.executable, "-c", "pass"), *commands.values()]
    alternately(3, *runs)
    bare, *taken = alternately(rounds, *runs)
    over = {f"{name}, ms over bare": (seconds - bare) * 1e3 for name, seconds in zip(commands, taken, strict=True)}
    return {"bare interpreter ms": bare * 1e3, **over}


GOALS = {
    "write ratio": 1.3,
    "walk ratio": 2.0,
    "import quire, ms over bare": 30.0,
    "quire --version, ms over bare": 60.0,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=100_000, help="how many files to walk")
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--folder", help="where to measure; a disk, as fsync costs nothing in memory")
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=words.folder) as base:
        figures = {
            **measure_write(base, words.writes),
            **measure_walk(base, words.files, 7),
            **measure_start(25),
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
