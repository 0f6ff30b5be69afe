"""The names backends answer to."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping

from quire.errors import ProtocolError
from quire.ports.storage import StorageBackend


class BackendRegistry:
    """Backend classes by protocol name. Instances are independent of each other.

    A bad registration is a bug and raises at once; a name nobody registered is absence, reported as `None`, and the
    caller decides whether that is fatal.

    `lazy` names classes as `"module:Class"`; each module is imported when its protocol is first asked for, so that a
    process pays only for the storage it uses.
    """

    def __init__(self, lazy: Mapping[str, str] | None = None) -> None:
        self._classes: dict[str, type[StorageBackend]] = {}
        self._lazy = dict(lazy or {})

    def register(self, protocol: str, backend: type[StorageBackend], *, clobber: bool = False) -> None:
        """Let `backend`, a concrete class, answer to `protocol`.

        Raises TypeError for anything but a concrete StorageBackend subclass, ProtocolError for an empty name or, unless
        `clobber`, one that is taken.
        """
        if not isinstance(protocol, str) or not protocol.strip():
            raise ProtocolError("a backend needs a protocol name", remedy="Register it under a word such as 'git'")
        if not isinstance(backend, type) or not issubclass(backend, StorageBackend):
            raise TypeError(
                f"{protocol}: {backend!r} is not a StorageBackend class; register the class, not an instance"
            )
        if inspect.isabstract(backend):
            lacking = ", ".join(sorted(backend.__abstractmethods__))
            raise TypeError(f"{protocol}: {backend.__name__} is abstract; it still lacks {lacking}")
        if protocol in self and not clobber:
            raise ProtocolError(f"{protocol!r} is registered already", remedy="Take another name, or pass clobber=True")
        self._lazy.pop(protocol, None)
        self._classes[protocol] = backend

    def get(self, protocol: str) -> type[StorageBackend] | None:
        """The class registered under `protocol`, or None."""
        if protocol in self._lazy:
            module, _, name = self._lazy[protocol].partition(":")
            self.register(protocol, getattr(importlib.import_module(module), name), clobber=True)
        return self._classes.get(protocol)

    def __contains__(self, protocol: object) -> bool:
        return protocol in self._classes or protocol in self._lazy

    def protocols(self) -> tuple[str, ...]:
        """The names that are registered, sorted."""
        return tuple(sorted({*self._classes, *self._lazy}))
