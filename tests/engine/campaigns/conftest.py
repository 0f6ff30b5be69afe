"""Where the trials run that are about the order of file calls, and not about the disk."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def trials() -> Iterator[Path]:
    """A folder in memory where there is one: a trial costs a root, and a flush to disk would be most of it."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Path(folder) / "trials"
