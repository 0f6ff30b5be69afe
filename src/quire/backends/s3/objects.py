"""Requests to one bucket, by full key: each is made once or retried safely, and fails with an error of our tree."""

from __future__ import annotations

import hashlib
import http.client
import random
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from quire.backends.s3.failures import PASSING, Outcome, failure, outcome_of, outcome_of_status
from quire.backends.s3.place import Door
from quire.errors import TooLarge
from quire.ports.storage import MAX_CONTENT_BYTES

WRITE_ID = "quire-write"  # the name under which each PUT leaves its id in the metadata of the object

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Seen:
    """One object as it was seen. `write_id` is None where another tool put it there."""

    etag: str
    write_id: str | None
    size: int
    mtime: float


def same(one: Seen | None, other: Seen | None) -> bool:
    """Whether nobody wrote in between. The ETag alone does not tell: it comes back when the bytes do."""
    if one is None or other is None:
        return one is other
    return (one.etag, one.write_id) == (other.etag, other.write_id)


class Patience:
    """A deadline, and pauses that grow on the way to it."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._next = 0.02

    @property
    def left(self) -> bool:
        return time.monotonic() < self._deadline

    def pause(self) -> bool:
        """Wait before another try; False, without waiting, where no time is left for one."""
        wait = self._next * random.uniform(0.5, 1.0)  # noqa: S311 - it spreads retries, it hides nothing
        if time.monotonic() + wait >= self._deadline:
            return False
        time.sleep(wait)
        self._next = min(self._next * 2, 1.0)
        return True


class Objects:
    """The objects of one bucket. `timeout` bounds the retries of a call, half of it one request. Thread-safe."""

    def __init__(self, door: Door, timeout: float) -> None:
        import obstore
        from obstore.exceptions import BaseError

        self._api = obstore
        self._door = door
        self._place = door.place
        self._store = door.open()
        self._timeout = timeout
        self._errors = (BaseError, OSError, ValueError)
        self._opener = urllib.request.build_opener()

    def where(self, key: str) -> str:
        return f"s3://{self._place.bucket}/{key}"

    # Reading. Retried within `timeout`, then Unavailable.

    def check(self) -> None:
        """One request that fails where the endpoint, the keys or the bucket are wrong. It is not retried for long."""
        # Nothing is ever below this name, so the answer is small however full the bucket is.
        below = f"{self._place.prefix}/.quire-nothing".lstrip("/")
        self._read(
            str(self._place),
            lambda: next(iter(self._api.list(self._store, below, chunk_size=1)), None),
            Patience(min(2.0, self._timeout)),
        )

    def head(self, key: str, patience: Patience | None = None) -> Seen | None:
        """The object at `key`, or None; its content is not read."""
        return self._read(self.where(key), lambda: _seen(self._get(key, head=True)), patience)

    def fetch(self, key: str) -> bytes | None:
        """The content at `key`, or None. Raises TooLarge above MAX_CONTENT_BYTES."""

        def fetch() -> bytes:
            result = self._get(key)
            if result.meta["size"] > MAX_CONTENT_BYTES:
                raise TooLarge(
                    f"{result.meta['size']:,} bytes are more than the {MAX_CONTENT_BYTES:,} one file may have",
                    where=self.where(key),
                    remedy="Read it with the tool that put it there",
                )
            return bytes(result.bytes())

        return self._read(self.where(key), fetch)

    def digest(self, key: str) -> tuple[Seen, str] | None:
        """The object at `key` and the sha256 of its bytes, or None."""

        def digest() -> tuple[Seen, str]:
            result = self._get(key)
            sha = hashlib.sha256()
            for chunk in result.stream():
                sha.update(memoryview(chunk))
            return _seen(result), sha.hexdigest()

        return self._read(self.where(key), digest)

    def some_below(self, folder: str) -> list[str]:
        """The first keys below `folder`, a page at most; `[]` where nothing is."""
        page: Any = self._read(
            self.where(folder), lambda: next(iter(self._api.list(self._store, folder, chunk_size=1000)), [])
        )
        return [meta["path"] for meta in page or ()]

    def all_below(self, folder: str) -> list[tuple[str, Seen]]:
        """Every object below `folder`, in the order of the server, which need not be that of the keys."""
        metas = self._read(
            self.where(folder), lambda: self._api.list(self._store, folder or None, chunk_size=1000).collect()
        )
        return [(meta["path"], _seen_in_list(meta)) for meta in metas or ()]

    def names_in(self, folder: str) -> set[str]:
        """The keys immediately in `folder`: objects, and folders that have an object somewhere below."""
        start = folder + "/" if folder else ""
        page, complete = self._read(self.where(folder), lambda: self._first_page(folder)) or ([], True)
        found = {start + path[len(start) :].partition("/")[0] for path in page if path.startswith(start)}
        if complete:
            return found
        listing: Any = self._read(
            self.where(folder), lambda: self._api.list_with_delimiter(self._store, folder or None)
        ) or {"objects": (), "common_prefixes": ()}
        found |= {meta["path"] for meta in listing["objects"]}
        # A server on a file system names folders that have long been empty, so each is looked into.
        doubtful = [path for path in listing["common_prefixes"] if path not in found]
        with ThreadPoolExecutor(8) as pool:
            return found | {
                path for path, keys in zip(doubtful, pool.map(self.some_below, doubtful), strict=True) if keys
            }

    def _first_page(self, folder: str) -> tuple[list[str], bool]:
        """The first keys below `folder`, and whether they are all."""
        pages = iter(self._api.list(self._store, folder or None, chunk_size=1000))
        first: Any = next(pages, ())
        return [meta["path"] for meta in first], next(pages, None) is None

    # Changing. One request each, never retried here: only the caller knows what a lost reply means.

    def put(self, key: str, content: bytes, over: Seen | None, write_id: str) -> Outcome:
        """Write over what was seen, or create where nothing was: DONE, REFUSED, UNSENT or LOST; else it raises."""
        mode: Any = "create" if over is None else {"e_tag": over.etag}
        try:
            # In one part: an upload in several loses the condition.
            self._api.put(
                self._store, key, content, mode=mode, attributes={WRITE_ID: write_id}, use_multipart=False
            )  # fmt: skip
        except self._errors as error:
            return self._settled(outcome_of(error), key, str(error), error)
        return Outcome.DONE

    def delete(self, key: str, etag: str) -> Outcome:
        """Delete what has this ETag: DONE, REFUSED, UNSENT or LOST; else it raises.

        obstore cannot attach a condition to a DELETE, so it signs a link and the request is made here.
        """
        try:
            url = self._api.sign(self._store, "DELETE", key, timedelta(minutes=5))
            self._send_delete(url, {"If-Match": etag})
        except urllib.error.HTTPError as error:
            with error:
                text = _text(error)
            outcome = outcome_of_status(error.code, text)
            return self._settled(outcome, key, text or f"status {error.code}", error)
        except urllib.error.URLError as error:
            unsent = isinstance(error.reason, ConnectionRefusedError | socket.gaierror | ssl.SSLCertVerificationError)
            return Outcome.UNSENT if unsent else Outcome.LOST
        except (http.client.HTTPException, TimeoutError, ConnectionError):
            return Outcome.LOST
        except self._errors as error:
            return self._settled(outcome_of(error), key, str(error), error)
        return Outcome.DONE

    def sweep(self, folder: str) -> None:
        """Remove the empty folder that a server on a file system keeps where the last object below has gone.

        SeaweedFS refuses to create an object of that name until its own cleaner comes by. A DELETE of "name/" removes
        it there, and only while it is empty; elsewhere that is a key nobody has.
        """
        listing: Any = self._read(self.where(folder), lambda: self._api.list_with_delimiter(self._store, folder))
        for inner in (listing or {"common_prefixes": ()})["common_prefixes"]:
            self.sweep(inner)
        try:
            url = self._door.link_to_folder(folder)
            if url is not None:
                self._send_delete(url, {})
        except urllib.error.HTTPError as error:
            error.close()  # whoever asked tries again, and says so when it has not helped
        except (*self._errors, http.client.HTTPException):
            return

    def _settled(self, outcome: Outcome, key: str, text: str, error: Exception) -> Outcome:
        """The outcome where the caller has to decide what it means, else the error it stands for."""
        if outcome is Outcome.MISSING:
            return Outcome.REFUSED
        if outcome is Outcome.REFUSED or outcome in PASSING:
            return outcome
        raise failure(outcome, self.where(key), text) from error

    def _send_delete(self, url: str, headers: dict[str, str]) -> None:
        request = urllib.request.Request(url, method="DELETE", headers=headers)  # noqa: S310 - obstore made the link
        with self._opener.open(request, timeout=max(1.0, self._timeout / 2)) as reply:
            reply.read()

    def _get(self, key: str, *, head: bool = False) -> Any:
        options: Any = {"head": True} if head else None
        return self._api.get(self._store, key, options=options)

    def _read(self, where: str, request: Callable[[], _T], patience: Patience | None = None) -> _T | None:
        """What `request` gives, None where nothing is, an error of our tree where it cannot be had in time."""
        patience = patience or Patience(self._timeout)
        while True:
            try:
                return request()
            except TooLarge:
                raise
            except self._errors as error:
                outcome = outcome_of(error)
                if outcome is Outcome.MISSING:
                    return None
                if outcome not in PASSING or not patience.pause():
                    raise failure(outcome, where, str(error)) from error


def _seen(result: Any) -> Seen:
    meta = result.meta
    write_id = result.attributes.get(WRITE_ID)
    return Seen(meta["e_tag"] or "", write_id, meta["size"], meta["last_modified"].timestamp())


def _seen_in_list(meta: Any) -> Seen:
    return Seen(meta["e_tag"] or "", None, meta["size"], meta["last_modified"].timestamp())


def _text(error: urllib.error.HTTPError) -> str:
    """The server's words; nothing where they are cut off, as the status is known already."""
    try:
        return error.read(10_000).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return ""
