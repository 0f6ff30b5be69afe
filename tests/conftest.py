"""Every test runs in a home of its own, with nothing configured."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.servers.postgres import postgres_server
from tests.servers.s3 import boto, bucket, s3_server

# The quick budget plays the same games each time, so that a change is judged by what it changed; the full one plays
# others.
settings.register_profile("quick", derandomize=True)
if os.environ.get("QUIRE_TORTURE") != "full":
    settings.load_profile("quick")

__all__ = ["boto", "bucket", "postgres_server", "s3_server"]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    for variable in list(os.environ):
        if variable.startswith(("QUIRE_", "XDG_", "AWS_")) and variable != "QUIRE_TORTURE":
            monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(folder))
    return folder
