"""What a process says it begins, and what it was told when it was done: the promises that a checker holds us to."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Told:
    """One call. `end` is infinite where nothing came back: it may have happened, or not."""

    who: str
    verb: str
    words: dict[str, Any]
    begin: float
    end: float = float("inf")
    outcome: str = "flying"  # or "done", or the code of the error
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        return self.outcome == "done"

    @property
    def may_have_happened(self) -> bool:
        return self.outcome in ("done", "flying", "OUTCOME_UNKNOWN")

    def overlaps(self, other: Told) -> bool:
        return self.begin <= other.end and other.begin <= self.end

    def before(self, other: Told) -> bool:
        return self.end < other.begin


class Teller:
    """One line before each call and one after it, each in one write, so that a kill leaves whole lines."""

    def __init__(self, folder: Path, who: str) -> None:
        folder.mkdir(exist_ok=True)
        self.who = who
        self._file = os.open(folder / f"{who}.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o666)

    def begin(self, verb: str, **words: Any) -> None:
        self._say({"verb": verb, "words": words, "begin": time.monotonic()})

    def end(self, outcome: str, **result: Any) -> None:
        self._say({"end": time.monotonic(), "outcome": outcome, "result": result})

    def _say(self, line: dict[str, Any]) -> None:
        os.write(self._file, json.dumps(line).encode() + b"\n")


def read_told(folder: Path) -> list[Told]:
    """All that was told, by everybody, in the order in which it began."""
    told: list[Told] = []
    for file in sorted(folder.glob("*.jsonl")):
        began: dict[str, Any] | None = None
        for line in file.read_text().splitlines(keepends=True):
            said = json.loads(line)
            if "verb" in said:
                began = {"who": file.stem, **said}
            elif began:
                told.append(Told(**began, **said))
                began = None
        if began:
            told.append(Told(**began))
    return sorted(told, key=lambda each: each.begin)
