"""Quire: the memory an agent keeps, in markdown you own.

The public names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers know this name; importing it would cost more than the rest of this file

__version__ = "0.1.0"

# In the order of the arrows: a name is found before anything above its home is imported.
_HOMES = ("errors", "locator", "ports.storage", "ports.registry", "ports.tiers", "app")

__all__ = [
    "ABSENT",
    "ANY",
    "AccessDenied",
    "AlreadyExists",
    "BackendRegistry",
    "Busy",
    "Capabilities",
    "Conflict",
    "DerivedMaintenance",
    "DirectoryNotEmpty",
    "IfVersion",
    "Info",
    "InvalidLocatorError",
    "IsADirectory",
    "Locator",
    "NotADirectory",
    "NotFound",
    "NotText",
    "OutcomeUnknown",
    "ProtocolError",
    "QuireError",
    "SelectionError",
    "StorageBackend",
    "StorageError",
    "StorageFailed",
    "StorageFull",
    "Tier",
    "TierLayout",
    "TooLarge",
    "Unavailable",
    "__version__",
    "normalize_key",
    "open_storage",
    "registry",
    "version_of",
]

if TYPE_CHECKING:
    from quire.app import open_storage, registry
    from quire.errors import (
        AccessDenied,
        AlreadyExists,
        Busy,
        Conflict,
        DirectoryNotEmpty,
        InvalidLocatorError,
        IsADirectory,
        NotADirectory,
        NotFound,
        NotText,
        OutcomeUnknown,
        ProtocolError,
        QuireError,
        SelectionError,
        StorageError,
        StorageFailed,
        StorageFull,
        TooLarge,
        Unavailable,
    )
    from quire.locator import Locator, normalize_key
    from quire.ports.registry import BackendRegistry
    from quire.ports.storage import ABSENT, ANY, Capabilities, IfVersion, Info, StorageBackend, version_of
    from quire.ports.tiers import DerivedMaintenance, Tier, TierLayout


def __getattr__(name: str) -> object:
    if name in __all__:
        for home in _HOMES:
            module = importlib.import_module("quire." + home)
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module 'quire' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
