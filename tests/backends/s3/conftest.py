"""An empty bucket on the real server for each test."""

from __future__ import annotations

import pytest

from quire.backends.s3 import S3Backend
from tests.servers.s3 import S3Server


@pytest.fixture
def storage(s3_server: S3Server, bucket: str) -> S3Backend:
    return S3Backend(f"s3://{bucket}", **s3_server.keys)


@pytest.fixture
def other(s3_server: S3Server, bucket: str) -> S3Backend:
    return S3Backend(f"s3://{bucket}", **s3_server.keys)
