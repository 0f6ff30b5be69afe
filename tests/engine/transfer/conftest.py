"""A storage to import from."""

from __future__ import annotations

import pytest

from quire.backends.ram import RamBackend


@pytest.fixture
def source() -> RamBackend:
    return RamBackend()
