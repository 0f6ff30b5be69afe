"""The S3 backend sits the exam on a real server, with another client at the side door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from quire.backends.s3 import S3Backend
from quire.testing import StorageBackendTests
from tests.servers.s3 import BUCKET, S3Server


class TestS3(StorageBackendTests):
    @pytest.fixture
    def storage(self, s3_server: S3Server, bucket: str) -> S3Backend:
        return S3Backend(f"s3://{bucket}", **s3_server.keys)

    @pytest.fixture
    def other(self, s3_server: S3Server, bucket: str) -> S3Backend:
        return S3Backend(f"s3://{bucket}", **s3_server.keys)

    @pytest.fixture
    def peek(self, boto: Any) -> Callable[[str], bytes]:
        return lambda key: boto.get_object(Bucket=BUCKET, Key=key)["Body"].read()
