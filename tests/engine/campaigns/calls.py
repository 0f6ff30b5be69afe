"""The file calls that this process makes, one after the other, and what a campaign does in front of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from quire.backends.local import rename

# What can change a folder, or what a reader of it finds. Only an opening that creates is counted.
_OS = ["open", "write", "pwrite", "ftruncate", "rename", "unlink", "mkdir", "rmdir"]
_SYNCS = ["fsync", "fdatasync"]  # these change nothing that a process which lives on can see
_RENAME = ["noreplace", "exchange"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call that is about to be made: its number, counted from 1, and how to make it."""

    number: int
    name: str
    real: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]

    def needs_room(self) -> bool:
        """Whether a full disk refuses it: what makes a name that is not there yet, or writes."""
        if self.name != "open":
            return self.name in ("write", "mkdir")
        try:
            os.stat(self.arguments[0], dir_fd=self.keywords.get("dir_fd"), follow_symlinks=False)
        except FileNotFoundError:
            return True
        return False

    def half(self) -> None:
        """Write half of what shall be written; nothing of any other call."""
        if self.name == "write":
            fd, content = self.arguments
            self.real(fd, bytes(content)[: len(content) // 2])


@contextmanager
def listening(hear: Callable[[Call], None], *, syncs: bool = True) -> Iterator[None]:
    """Let `hear` know of each call before it is made. It may raise, stop this process, or end it."""
    number = 0
    kept = []

    def wrap(owner: Any, name: str) -> None:
        real = getattr(owner, name)
        kept.append((owner, name, real))

        def call(*arguments: Any, **keywords: Any) -> Any:
            nonlocal number
            if name != "open" or arguments[1] & os.O_CREAT:
                number += 1
                hear(Call(number, name, real, arguments, keywords))
            return real(*arguments, **keywords)

        setattr(owner, name, call)

    for name in _OS + (_SYNCS if syncs else []):
        wrap(os, name)
    for name in _RENAME:
        wrap(rename, name)
    try:
        yield
    finally:
        for owner, name, real in kept:
            setattr(owner, name, real)


def signalling(at: int, number: signal.Signals, *, half: bool = False) -> Callable[[Call], None]:
    """Send this process a signal in front of its call `at`, or in the middle of it."""

    def hear(call: Call) -> None:
        if call.number == at:
            if half:
                call.half()
            os.kill(os.getpid(), number)

    return hear
