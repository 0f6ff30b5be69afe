"""Many processes count in one file under a condition; the sum must be exact."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import Any

from quire.errors import Conflict
from quire.locator import Locator
from quire.ports.storage import StorageBackend, version_of

AT = Locator("counters/one.md")


def count(storage: StorageBackend, times: int) -> None:
    for _ in range(times):
        while True:
            seen = storage.read(AT)
            try:
                storage.write(AT, str(int(seen) + 1), if_version=version_of(seen))
                break
            except Conflict:
                continue


def count_in_processes(
    storage: StorageBackend, options: dict[str, Any], *, processes: int = 8, times: int = 200
) -> int:
    """Let `processes` open the storage anew by `options` and count `times` each. Returns what the file says."""
    storage.write(AT, "0")
    kind = type(storage)
    words = [sys.executable, __file__, f"{kind.__module__}:{kind.__name__}", json.dumps(options), str(times)]
    running = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(processes)]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors[-2000:]
    return int(storage.read(AT))


if __name__ == "__main__":
    module, _, name = sys.argv[1].partition(":")
    with getattr(importlib.import_module(module), name)(**json.loads(sys.argv[2])) as opened:
        count(opened, int(sys.argv[3]))
