"""Starts the programs of the campaigns and collects what they report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parents[3]


def environment(folder: Path) -> dict[str, str]:
    """The environment of a program: its state and its home lie in `folder`."""
    return {**os.environ, "QUIRE_STATE_DIR": str(folder / "state"), "HOME": str(folder), "TZ": "UTC"}


def start(module: str, *words: object, folder: Path) -> subprocess.Popen[str]:
    """Start a module of this package as a process of its own."""
    command = [sys.executable, "-m", f"tests.engine.campaigns.{module}", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=_HERE, env=environment(folder), text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def end(process: subprocess.Popen[str], timeout: float) -> str:
    """Wait for it, and return what it printed. An error of it fails the test."""
    out, errors = process.communicate(timeout=timeout)
    assert process.returncode == 0, errors[-3000:]
    return out


def report(module: str, *words: object, folder: Path) -> dict[str, Any]:
    """Run one to its end; it prints its report as JSON. What failed fails the test, with the seed."""
    folder.mkdir(exist_ok=True)
    found: dict[str, Any] = json.loads(end(start(module, *words, folder=folder), 3600))
    failures = found.pop("failures")
    print(module, found)
    assert not failures, f"{found}: {len(failures)} failures, the first of them: " + "\n".join(failures[:5])
    return found
