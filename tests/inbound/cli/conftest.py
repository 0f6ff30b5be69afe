"""The command line, called in this process; and as a process of its own, where that is what matters."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from quire.inbound.cli import main

QUIRE = str(Path(sys.executable).parent / "quire")


class Answer(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Quire = Callable[..., Answer]


def process(*words: str | bytes, stdin: bytes = b"", **more: Any) -> Answer:
    """A process of the real command."""
    done = subprocess.run([QUIRE, *words], input=stdin, capture_output=True, check=False, timeout=60, **more)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def quire(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Quire:
    """The command, called as a function: as good for what it prints, and fifty times as fast."""

    def run(*words: str, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        code = main(list(words))
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run
