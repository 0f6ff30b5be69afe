"""A TCP proxy on loopback that loses replies and cuts connections when told to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Judge = Callable[[bytes], str]


class Proxy:
    """Between a client and the server at `port`. What happens to a request is asked of `judge`, by its first bytes.

    `"pass"` lets it through; `"drop"` lets the server carry it out and closes the connection in place of the reply;
    `"cut"` closes the connection before the server sees it. `drop_next` and `cut_next` do so once.
    """

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._once: tuple[bytes, str] | None = None
        self._closed = False
        self.judge: Judge = lambda start: "pass"
        self.spoiled = 0
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def drop_next(self, method: bytes) -> None:
        """The reply to the next request of this method is lost."""
        self._once = (method, "drop")

    def cut_next(self, method: bytes) -> None:
        """The next request of this method does not arrive."""
        self._once = (method, "cut")

    def close(self) -> None:
        """Close every connection, and take no more."""
        self._closed = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for held in self._open:
                with suppress(OSError):
                    held.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        """One connection, from the first byte to the end of either side."""
        try:
            server = socket.create_connection(self._target, timeout=10)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        dropping = threading.Event()
        with self._lock:
            self._open |= {client, server}
        answers = threading.Thread(target=self._answers, args=(server, client, dropping), daemon=True)
        answers.start()
        with suppress(OSError):
            while data := client.recv(65536):
                verdict = self._verdict(data)
                if verdict == "cut":
                    break
                if verdict == "drop":
                    dropping.set()
                server.sendall(data)
        for end in (server, client):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        answers.join(10)
        with self._lock:
            self._open -= {client, server}
        client.close()
        server.close()

    def _answers(self, server: socket.socket, client: socket.socket, dropping: threading.Event) -> None:
        """Replies on their way back. One that is to be lost ends the connection: the server has done its part."""
        with suppress(OSError):
            while (data := server.recv(65536)) and not dropping.is_set():
                client.sendall(data)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _verdict(self, data: bytes) -> str:
        """What is to happen to these bytes; those that begin no request go where their request went."""
        method = data.split(b" ", 1)[0]
        if method not in (b"GET", b"HEAD", b"PUT", b"POST", b"DELETE"):
            return "pass"
        with self._lock:
            verdict = self.judge(data)
            if self._once is not None and self._once[0] == method:
                verdict, self._once = self._once[1], None
            self.spoiled += verdict != "pass"
        return verdict


@contextmanager
def proxy_to(port: int) -> Iterator[Proxy]:
    """A proxy that runs until the end of the block."""
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
