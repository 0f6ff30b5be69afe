"""Whether a server honours conditions. Some take the header and write all the same: of two creators both win."""

from __future__ import annotations

import secrets
import threading
from dataclasses import replace

from quire.backends.s3.failures import PASSING, Outcome
from quire.backends.s3.objects import Objects, Patience
from quire.errors import StorageFailed, Unavailable

_WRONG = '"00000000000000000000000000000000"'


class Probe:
    """Asked before the first change; a pass is remembered, a failure is not. Thread-safe."""

    def __init__(self, objects: Objects, prefix: str, timeout: float) -> None:
        self._objects = objects
        self._prefix = prefix
        self._timeout = timeout
        self._passed = False
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raises StorageFailed, naming the conditions that are ignored, and Unavailable where no answer comes."""
        if self._passed:
            return
        with self._lock:
            patience = Patience(self._timeout)
            while not self._passed:
                try:
                    self._ask(f"{self._prefix}/.quire-probe-{secrets.token_hex(8)}".lstrip("/"))
                except Unavailable:
                    if not patience.pause():
                        raise
                else:
                    self._passed = True

    def _ask(self, key: str) -> None:
        """Four requests on a key of its own that must go one way only."""
        objects = self._objects
        made = self._settled(key, objects.put(key, b"probe", None, "probe"))
        seen = objects.head(key)
        if not made or seen is None:
            raise self._useless(key, "does not let a new object be created with If-None-Match")
        wrong = replace(seen, etag=_WRONG)
        ignored = []
        if self._settled(key, objects.put(key, b"again", None, "probe")):
            ignored.append("If-None-Match on PUT")
        if self._settled(key, objects.put(key, b"wrong", wrong, "probe")):
            ignored.append("If-Match on PUT")
        if self._settled(key, objects.delete(key, _WRONG)):
            ignored.append("If-Match on DELETE")
        left = objects.head(key)
        gone = left is None or self._settled(key, objects.delete(key, left.etag))
        if ignored:
            raise self._useless(key, f"ignores {', '.join(ignored)}")
        if not gone:
            raise self._useless(key, "refuses If-Match on DELETE even with the right ETag")

    def _settled(self, key: str, outcome: Outcome) -> bool:
        """Whether the request was carried out. Raises Unavailable where that is open."""
        if outcome in PASSING:
            raise Unavailable(
                "the server did not answer when asked whether it honours conditions",
                where=self._objects.where(key),
                remedy="Check the endpoint and the network, then retry",
            )
        return outcome is Outcome.DONE

    def _useless(self, key: str, what: str) -> StorageFailed:
        return StorageFailed(
            f"this server {what}, so two writers would silently overwrite each other; nothing was written",
            where=self._objects.where(key),
            remedy="Use an S3 server with conditional writes and deletes (AWS S3, SeaweedFS), or another backend",
        )
