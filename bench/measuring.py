"""What the benches share: measuring in turn, and the least that a durable write can be."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable


def alternately(
    rounds: int, *runs: Callable[[int], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The median seconds of each of `runs`, called in turn, so that the machine's mood is the same for all."""
    taken: list[list[float]] = [[] for _ in runs]
    for number in range(rounds):
        for run, times in zip(runs, taken, strict=True):
            start = clock()
            run(number)
            times.append(clock() - start)
    return [statistics.median(times) for times in taken]


def bare_write(folder: str, content: bytes, *, names: int = 1_000_000) -> Callable[[int], object]:
    """Temporary file, fsync, rename, fsync of the folder: the least that keeps a promise. Of so many files in turn."""

    def write(number: int) -> None:
        temporary = os.path.join(folder, f".tmp{number}")
        fd = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        os.write(fd, content)
        os.fsync(fd)
        os.close(fd)
        os.rename(temporary, os.path.join(folder, f"note-{number % names}.md"))
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(fd)
        os.close(fd)

    return write
