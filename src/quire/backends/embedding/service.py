"""One request to a service that speaks OpenAI's embeddings protocol, with the client of the standard library.

It knows addresses, keys, time and size; what an answer means is for `api`.
"""

from __future__ import annotations

import email.utils
import http.client
import ipaddress
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from quire.errors import SelectionError

_CHUNK = 1 << 16
_HUNG_UP = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `retry_after` is in seconds, 0 where the service did not say."""

    status: int
    retry_after: float
    body: bytes


class NoReply(Exception):
    """Nothing came back, or not all of it. `sent` says whether the service may have done, and charged, the work."""

    def __init__(self, what: str, *, sent: bool) -> None:
        super().__init__(what)
        self.sent = sent


class Service:
    """`url` with `/embeddings` below it. The connection is kept between requests, which go one after the other.

    Raises SelectionError for an address that would send text or key in the open, or a key that is none.
    """

    def __init__(self, url: str, key: str, timeout: float) -> None:
        self.name, self._path, self._connection = _door(url, timeout)
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise SelectionError("the key has a blank, a line break, or a letter beyond ASCII",
                                 where=self.name, remedy="Copy it again", code="BAD_EMBEDDING_KEY")  # fmt: skip
        self._key = key
        self._timeout = timeout
        self._kept = False  # whether the last request went over a connection that had one before
        self._lock = threading.Lock()

    def post(self, body: bytes, most: int) -> Reply:
        """Send this JSON. Raises NoReply where no reply of at most `most` bytes comes within about `timeout`."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "quire"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        with self._lock:
            while True:
                try:
                    return self._posted(body, headers, most)
                except _HUNG_UP as error:
                    # A service may hang up between two requests, and that is seen only at the second.
                    if not self._kept:
                        raise NoReply(str(error) or type(error).__name__, sent=True) from error

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def without_key(self, text: str) -> str:
        """What a service says may quote the key that it was sent."""
        return text.replace(self._key, "…") if self._key else text

    def _posted(self, body: bytes, headers: dict[str, str], most: int) -> Reply:
        """One request on the connection that is kept, or on a new one. Raises what is in _HUNG_UP as it comes."""
        self._kept, sent = self._connection.sock is not None, False
        try:
            if not self._kept:
                self._connection.connect()
            sent = True
            self._connection.request("POST", self._path, body, headers)
            with self._connection.getresponse() as response:
                content = self._content(response, most)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()  # the next request gets a new one
            if sent and isinstance(error, _HUNG_UP):
                raise
            raise NoReply(str(error) or type(error).__name__, sent=sent) from error
        except BaseException:
            self._connection.close()
            raise
        return Reply(response.status, _seconds(response.headers.get("Retry-After", "")), content)

    def _content(self, response: http.client.HTTPResponse, most: int) -> bytes:
        deadline = time.monotonic() + self._timeout
        content = bytearray()
        while chunk := response.read1(_CHUNK):
            content += chunk
            if len(content) > most:
                raise http.client.HTTPException(f"the reply is longer than {most} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError(f"the reply was not whole after {self._timeout:g} s")
        if response.length:
            raise http.client.HTTPException("the connection was cut within the reply")
        return bytes(content)


def _door(url: str, timeout: float) -> tuple[str, str, http.client.HTTPConnection]:
    """The address for messages, the path, and the connection, not yet open."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _bad(url, f"this is not an address ({error})") from error
    if parts.scheme not in ("http", "https") or not host:
        raise _bad(url, "an address begins with https:// and the name of a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise _bad(f"{parts.scheme}://{host}", "an address has no key, question or fragment in it")
    path = parts.path.rstrip("/") + "/embeddings"
    if parts.scheme == "https":
        return f"https://{parts.netloc}{path}", path, http.client.HTTPSConnection(host, port, timeout=timeout)
    if not _is_here(host):
        raise _bad(url, "text and key would cross the network in the open; http is for this machine alone")
    return f"http://{parts.netloc}{path}", path, http.client.HTTPConnection(host, port, timeout=timeout)


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bad(url: str, what: str) -> SelectionError:
    return SelectionError(what, where=url, remedy="As in https://api.example.com/v1", code="BAD_EMBEDDING_URL")


def _seconds(header: str) -> float:
    """`Retry-After`, which is a number of seconds or a date; what is neither says nothing."""
    try:
        return max(0.0, min(float(header), 86_400.0)) if header else 0.0
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0
