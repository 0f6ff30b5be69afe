"""Processes that add to one log, each record framed by newlines, and say which were acknowledged."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import IO, Any

from quire.locator import Locator
from quire.ports.storage import StorageBackend, version_of

AT = Locator("logs/journal.log")


def record(writer: str, number: int) -> bytes:
    """A record that shows by itself whether it is whole, and that begins anew after a torn one."""
    body = f"{writer}:{number}:{'x' * (number * 37 % 5000)}"
    return f"\n{version_of(body)[:16]} {body}\n".encode()


def whole(log: bytes) -> list[tuple[str, int]]:
    """The (writer, number) of each record that is whole, in the order of the log."""
    found = []
    for line in log.decode(errors="replace").splitlines():
        digest, _, body = line.partition(" ")
        if digest and version_of(body)[:16] == digest:
            writer, number, _ = body.split(":")
            found.append((writer, int(number)))
    return found


def start(storage: StorageBackend, options: dict[str, Any], writer: str, times: int) -> subprocess.Popen[str]:
    """A process that opens the storage anew, appends `times` records, and prints each number it was acknowledged."""
    kind = type(storage)
    words = [sys.executable, __file__, f"{kind.__module__}:{kind.__name__}", json.dumps(options), writer, str(times)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def append(storage: StorageBackend, writer: str, times: int, out: IO[str]) -> None:
    for number in range(times):
        storage.append_bytes(AT, record(writer, number))
        out.write(f"{number}\n")
        out.flush()


if __name__ == "__main__":
    module, _, name = sys.argv[1].partition(":")
    with getattr(importlib.import_module(module), name)(**json.loads(sys.argv[2])) as opened:
        append(opened, sys.argv[3], int(sys.argv[4]), sys.stdout)
