"""An S3 server that keeps objects and ignores conditions: a stand-in for servers that must not be trusted."""

from __future__ import annotations

import http.server
import threading
from types import TracebackType
from typing import Self

from quire.ports.storage import version_of

ALL_HONOURED = {("PUT", "if-none-match"), ("PUT", "if-match"), ("DELETE", "if-match")}


class CarelessS3:
    """On loopback, in this process. Only the conditions in `honoured`, method and header, are honoured.

    `objects` is what it holds, by path; `names` is what each of its listings names.
    """

    def __init__(self, honoured: set[tuple[str, str]]) -> None:
        self.objects: dict[str, bytes] = {}
        self.names: list[str] = []
        handler = type("Bound", (Handler,), {"objects": self.objects, "names": self.names, "honoured": honoured})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    """As much of S3 as the backend asks for."""

    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]
    honoured: set[tuple[str, str]]
    names: list[str]

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        path = self.path.partition("?")[0]
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        held = self.objects.get(path)
        tag = f'"{version_of(held)}"' if held is not None else ""
        for header, wrong in (
            ("if-none-match", held is not None),
            ("if-match", self.headers.get("if-match") != tag),
        ):
            if header in self.headers and wrong and (self.command, header) in self.honoured:
                self.reply(412)
                return
        if "list-type" in self.path:
            keys = "".join(
                f"<Contents><Key>{name}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified>"
                f"<ETag>x</ETag><Size>1</Size></Contents>"
                for name in self.names
            )
            listing = f"<ListBucketResult><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>"
            self.reply(200, listing.encode())
        elif self.command == "PUT":
            self.objects[path] = sent
            self.reply(200, tag=f'"{version_of(sent)}"')
        elif held is None:
            self.reply(404)
        elif self.command == "DELETE":
            del self.objects[path]
            self.reply(204)
        else:
            self.reply(200, held, tag)

    def reply(self, status: int, body: bytes = b"", tag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_PUT = do_DELETE = answer  # noqa: N815
