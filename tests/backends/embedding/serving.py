"""A real HTTP server on this machine that speaks the embeddings protocol, and misbehaves when it is told to."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 8

Answer = Callable[["Asked"], None]


class Asked(BaseHTTPRequestHandler):
    """One request, and what can be done to it."""

    protocol_version = "HTTP/1.1"
    server: EmbeddingServer
    body: dict[str, Any]

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.connections.add(self.client_address[1])
        self.server.asked.append({"path": self.path, "headers": dict(self.headers), **self.body})
        (self.server.answers.pop(0) if self.server.answers else well)(self)

    def log_message(self, format: str, *_: Any) -> None:
        """Nothing is printed."""

    def reply(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def embeddings(self, vector: Callable[[str], list[float]] | None = None, *, turned: bool = False) -> bytes:
        data = [{"index": at, "embedding": (vector or vector_of)(text)} for at, text in enumerate(self.body["input"])]
        return json.dumps({"data": data[::-1] if turned else data, "usage": {"total_tokens": 10}}).encode()


class EmbeddingServer(ThreadingHTTPServer):
    """`answers` are given first, one to each request, then good ones. `asked` is what came, over `connections`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.answers: list[Answer] = []
        self.asked: list[dict[str, Any]] = []
        self.connections: set[int] = set()
        self.hold = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about."""


def vector_of(text: str) -> list[float]:
    return [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSION]]


def well(asked: Asked) -> None:
    asked.reply(200, asked.embeddings(turned=True))


def status(code: int, message: str = "no", **headers: str) -> Answer:
    return lambda asked: asked.reply(code, json.dumps({"error": {"message": message}}).encode(), **headers)


def content(raw: bytes) -> Answer:
    return lambda asked: asked.reply(200, raw)


def vectors(vector: Callable[[str], list[float]]) -> Answer:
    return lambda asked: asked.reply(200, asked.embeddings(vector))


def cut(asked: Asked) -> None:
    """Half of a reply, and then the line is dead."""
    raw = asked.embeddings()
    asked.send_response(200)
    asked.send_header("Content-Length", str(len(raw)))
    asked.end_headers()
    asked.wfile.write(raw[: len(raw) // 2])
    asked.close_connection = True


def hang_up(asked: Asked) -> None:
    """No word at all."""
    asked.close_connection = True


def never(asked: Asked) -> None:
    """It takes the request and says nothing until the test is over."""
    asked.server.hold.wait()
    asked.close_connection = True


@contextlib.contextmanager
def serving() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
