"""Plays a person on a root: an editor that saves, half-written files, deletions, names. Takes no lock, asks nobody.

`python -m tests.engine.campaigns.person WORLD FOLDER WHO SEED SECONDS`
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.engine.campaigns.crowd import TOLD
from tests.engine.campaigns.telling import Teller

PAUSE = 0.03  # seconds between two acts, on average
HALF = 0.3  # seconds, at most, between the halves of a file


class Person:
    """What a person does to the files of a root."""

    def __init__(self, folder: Path, who: str, seed: int) -> None:
        self.root = folder / "root"
        self.teller = Teller(folder / TOLD, who)
        self.chance = random.Random(seed)
        self.number = 0
        self.acts: dict[Callable[[Path], None], int] = {
            self.save: 10,
            self.half: 3,
            self.touch: 3,
            self.rename: 1,
            self.delete: 1,
        }

    def once(self) -> None:
        notes = [
            path for path in self.root.rglob("*.md") if ".journal" not in path.parts and path.parent.name != "episodes"
        ]
        self.number += 1
        try:
            self.chance.choices(list(self.acts), list(self.acts.values()))[0](self.chance.choice(notes))
        except FileNotFoundError:
            self.teller.end("gone")  # the engine has moved it since it was seen

    def begin(self, verb: str, path: Path, **words: object) -> str:
        """Say what comes, and return what the file says before."""
        text = path.read_bytes().decode()
        self.teller.begin(f"person-{verb}", path=str(path.relative_to(self.root)), text=text, **words)
        return text

    def line(self) -> str:
        return f"Person {self.teller.who}x{self.number}."

    def save(self, path: Path) -> None:
        """As an editor does: a new file, then its name."""
        line = self.line()
        text = self.begin("save", path, line=line)
        temporary = path.with_name(f"{path.name}~")
        temporary.write_bytes(f"{text}{line}\n".encode())
        if not path.exists():  # it would come back from the dead
            temporary.unlink()
            raise FileNotFoundError
        temporary.replace(path)
        self.teller.end("done")

    def half(self, path: Path) -> None:
        """As a careless program does: in place, half of it, and the rest later."""
        line = self.line()
        text = self.begin("half", path, line=line)
        content = f"{text}{line}\n".encode()
        with path.open("r+b", buffering=0) as file:
            file.truncate(0)
            file.write(content[: len(content) // 2])
            time.sleep(self.chance.uniform(0, HALF))
            file.write(content[len(content) // 2 :])
            try:
                whole = os.path.samestat(os.fstat(file.fileno()), path.stat())
            except FileNotFoundError:
                whole = False
        self.teller.end("done" if whole else "swept away")

    def touch(self, path: Path) -> None:
        self.begin("touch", path)
        os.utime(path)
        self.teller.end("done")

    def rename(self, path: Path) -> None:
        target = path.with_name(f"person-{self.teller.who}x{self.number}.md")
        self.begin("rename", path, target=target.name)
        path.rename(target)
        self.teller.end("done")

    def delete(self, path: Path) -> None:
        self.begin("delete", path)
        path.unlink()
        self.teller.end("done")


def live(folder: Path, who: str, seed: int, seconds: float) -> None:
    """Act until the time is over."""
    person = Person(folder, who, seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        person.once()
        time.sleep(person.chance.uniform(0, 2 * PAUSE))


if __name__ == "__main__":
    live(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
