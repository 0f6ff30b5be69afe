"""Quire: the memory an agent keeps, in markdown you own.

The public names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers know this name; importing it would cost more than the rest of this file

__version__ = "0.1.0"

# Where each public name lives.
_HOMES = {
    "app": (
        "open_storage",
        "registry",
    ),
    "clock": ("Clock",),
    "engine.context": ("SessionContext",),
    "engine.digest": ("Reported",),
    "engine.entry": (
        "Entry",
        "Fault",
        "Status",
    ),
    "engine.harness": ("HarnessState",),
    "engine.journal": ("Change",),
    "engine.lint": (
        "Finding",
        "Repair",
    ),
    "engine.listing": ("Listing",),
    "engine.memory": ("Memory",),
    "engine.plans": ("Recovered",),
    "engine.scope": (
        "Owner",
        "Scope",
    ),
    "engine.transfer": (
        "Exported",
        "Imported",
    ),
    "errors": (
        "AccessDenied",
        "AlreadyExists",
        "Busy",
        "Conflict",
        "DirectoryNotEmpty",
        "EmbedderRefused",
        "EmbedderUnavailable",
        "EmbeddingError",
        "EntryError",
        "EntryNotFound",
        "IndexDamaged",
        "IndexFailed",
        "IndexUnavailable",
        "InvalidEntry",
        "InvalidEntryId",
        "InvalidLocatorError",
        "InvalidRequest",
        "InvalidScope",
        "InvalidTime",
        "IsADirectory",
        "MarkdownError",
        "NotADirectory",
        "NotAllowed",
        "NotFound",
        "NotText",
        "NothingToUndo",
        "OutcomeUnknown",
        "OverBudget",
        "ProtocolError",
        "QuireError",
        "SelectionError",
        "StorageError",
        "StorageFailed",
        "StorageFull",
        "TooLarge",
        "Unavailable",
        "UndoRefused",
    ),
    "locator": (
        "Locator",
        "normalize_key",
    ),
    "markdown.document": ("Document",),
    "markdown.entries": ("EntryId",),
    "ports.embedder": ("Embedder",),
    "ports.index": ("Index",),
    "ports.registry": ("BackendRegistry",),
    "ports.storage": (
        "ABSENT",
        "ANY",
        "Capabilities",
        "IfVersion",
        "Info",
        "StorageBackend",
        "version_of",
    ),
    "ports.tiers": (
        "DerivedMaintenance",
        "Tier",
        "TierLayout",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ABSENT",
    "ANY",
    "AccessDenied",
    "AlreadyExists",
    "BackendRegistry",
    "Busy",
    "Capabilities",
    "Change",
    "Clock",
    "Conflict",
    "DerivedMaintenance",
    "DirectoryNotEmpty",
    "Document",
    "Embedder",
    "EmbedderRefused",
    "EmbedderUnavailable",
    "EmbeddingError",
    "Entry",
    "EntryError",
    "EntryId",
    "EntryNotFound",
    "Exported",
    "Fault",
    "Finding",
    "HarnessState",
    "IfVersion",
    "Imported",
    "Index",
    "IndexDamaged",
    "IndexFailed",
    "IndexUnavailable",
    "Info",
    "InvalidEntry",
    "InvalidEntryId",
    "InvalidLocatorError",
    "InvalidRequest",
    "InvalidScope",
    "InvalidTime",
    "IsADirectory",
    "Listing",
    "Locator",
    "MarkdownError",
    "Memory",
    "NotADirectory",
    "NotAllowed",
    "NotFound",
    "NotText",
    "NothingToUndo",
    "OutcomeUnknown",
    "OverBudget",
    "Owner",
    "ProtocolError",
    "QuireError",
    "Recovered",
    "Repair",
    "Reported",
    "Scope",
    "SelectionError",
    "SessionContext",
    "Status",
    "StorageBackend",
    "StorageError",
    "StorageFailed",
    "StorageFull",
    "Tier",
    "TierLayout",
    "TooLarge",
    "Unavailable",
    "UndoRefused",
    "__version__",
    "normalize_key",
    "open",
    "open_storage",
    "registry",
    "version_of",
]

if TYPE_CHECKING:
    from quire.app import open_memory as open
    from quire.app import open_storage, registry
    from quire.clock import Clock
    from quire.engine.context import SessionContext
    from quire.engine.digest import Reported
    from quire.engine.entry import Entry, Fault, Status
    from quire.engine.harness import HarnessState
    from quire.engine.journal import Change
    from quire.engine.lint import Finding, Repair
    from quire.engine.listing import Listing
    from quire.engine.memory import Memory
    from quire.engine.plans import Recovered
    from quire.engine.scope import Owner, Scope
    from quire.engine.transfer import Exported, Imported
    from quire.errors import (
        AccessDenied,
        AlreadyExists,
        Busy,
        Conflict,
        DirectoryNotEmpty,
        EmbedderRefused,
        EmbedderUnavailable,
        EmbeddingError,
        EntryError,
        EntryNotFound,
        IndexDamaged,
        IndexFailed,
        IndexUnavailable,
        InvalidEntry,
        InvalidEntryId,
        InvalidLocatorError,
        InvalidRequest,
        InvalidScope,
        InvalidTime,
        IsADirectory,
        MarkdownError,
        NotADirectory,
        NotAllowed,
        NotFound,
        NothingToUndo,
        NotText,
        OutcomeUnknown,
        OverBudget,
        ProtocolError,
        QuireError,
        SelectionError,
        StorageError,
        StorageFailed,
        StorageFull,
        TooLarge,
        Unavailable,
        UndoRefused,
    )
    from quire.locator import Locator, normalize_key
    from quire.markdown.document import Document
    from quire.markdown.entries import EntryId
    from quire.ports.embedder import Embedder
    from quire.ports.index import Index
    from quire.ports.registry import BackendRegistry
    from quire.ports.storage import ABSENT, ANY, Capabilities, IfVersion, Info, StorageBackend, version_of
    from quire.ports.tiers import DerivedMaintenance, Tier, TierLayout


def __getattr__(name: str) -> object:
    if name == "open":  # named for what it does, which in its own module would hide the built-in
        module, attribute = "app", "open_memory"
    elif name in _HOME:
        module, attribute = _HOME[name], name
    else:
        raise AttributeError(f"module 'quire' has no attribute {name!r}")
    globals()[name] = getattr(importlib.import_module(f"quire.{module}"), attribute)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
