"""Settings to backends to engine: the only wiring."""

from __future__ import annotations

import inspect
import os
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from quire.errors import AccessDenied, NotFound, ProtocolError, SelectionError, StorageError
from quire.ports.registry import BackendRegistry
from quire.ports.storage import Capabilities, StorageBackend
from quire.settings import Layer, Setting, fitted, storage_settings

# A row for each backend of ours: its protocol and its class. A stranger's comes through the entry point group.
registry = BackendRegistry(
    {
        "device-local": "quire.backends.local:DeviceLocalBackend",
        "postgres": "quire.backends.postgres:PostgresBackend",
        "ram": "quire.backends.ram:RamBackend",
        "s3": "quire.backends.s3:S3Backend",
        "vault": "quire.backends.vault:VaultBackend",
    }
)
ENTRY_POINTS = "quire.backends"

# What a backend imports beyond the base install, and the extra that brings it.
_EXTRAS = {"obstore": "s3", "asyncpg": "postgres"}


@dataclass(frozen=True, slots=True)
class Selection:
    """The storage that was chosen and who chose it, before anything is opened."""

    protocol: str
    source: str
    backend: type[StorageBackend]
    options: dict[str, Any]
    require: tuple[str, ...]
    require_source: str


def open_storage(
    protocol: str | None = None,
    *,
    config: str | None = None,
    environment: Mapping[str, str] | None = None,
    require: Iterable[str] = (),
    **options: object,
) -> StorageBackend:
    """The storage that is configured: argument, then environment, then config file, then `device-local`.

    `options` go to the backend (`root=` for folders, `url=` for s3, `dsn=` for postgres); `require` names capabilities
    it must have. Raises SelectionError, with the cause and the remedy, if it cannot be produced; it never falls back to
    another storage.
    """
    return produce(select(protocol, config=config, environment=environment, require=require, **options))


def select(
    protocol: str | None = None,
    *,
    config: str | None = None,
    environment: Mapping[str, str] | None = None,
    require: Iterable[str] = (),
    **options: object,
) -> Selection:
    """Decide which storage is meant and check what can be checked without opening it. Raises SelectionError."""
    settings = storage_settings(
        protocol,
        options,
        tuple(require),
        config=config,
        environment=os.environ if environment is None else environment,
    )
    backend = _backend(settings.protocol)
    checked = _options(settings.protocol.value, backend, settings.options)
    known = [field.name for field in fields(Capabilities)]
    for name in settings.require.value:
        if name not in known:
            raise SelectionError(
                f"unknown capability {name!r}; known: {', '.join(known)}",
                where=settings.require.source,
                remedy="Correct its spelling",
                code="UNKNOWN_CAPABILITY",
            )
    return Selection(
        settings.protocol.value,
        settings.protocol.source,
        backend,
        checked,
        settings.require.value,
        settings.require.source,
    )


def produce(selection: Selection) -> StorageBackend:
    """Open the storage that was selected. Raises SelectionError."""
    where = f"{selection.protocol} (from {selection.source})"
    try:
        storage = selection.backend(**selection.options)
    except SelectionError:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        extra = _EXTRAS.get(package)
        install = f"pip install 'quire[{extra}]'" if extra else f"pip install {package}"
        raise SelectionError(
            f"{package} is not installed, and this backend needs it", where=where, remedy=f"Run: {install}",
            code="EXTRA_MISSING",
        ) from error  # fmt: skip
    except StorageError as error:
        code = {NotFound: "NOT_FOUND", AccessDenied: "ACCESS_DENIED"}.get(type(error), "UNREACHABLE")
        raise SelectionError(f"it cannot be opened: {error}", where=where, code=code) from error
    lacking = [name for name in selection.require if not getattr(storage.capabilities, name)]
    if lacking:
        storage.close()
        raise SelectionError(
            f"this backend does not promise {', '.join(lacking)}, which {selection.require_source} requires",
            where=where,
            remedy="Choose another backend, or require less",
            code="CAPABILITY_UNMET",
        )
    return storage


def _backend(protocol: Setting) -> type[StorageBackend]:
    name = protocol.value
    if name not in registry:
        _discover()
    try:
        found = registry.get(name)
    except ImportError as error:
        raise SelectionError(
            f"the backend {name!r} cannot be imported: {error}", where=protocol.source, code="BACKEND_BROKEN",
            remedy="Install it again, or choose another",
        ) from error  # fmt: skip
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(str(name), registry.protocols(), 1)
        raise SelectionError(
            f"no backend answers to {name!r}; known: {', '.join(registry.protocols())}",
            where=protocol.source,
            remedy=f"Did you mean {near[0]!r}?"
            if near
            else "Choose one of these, or install the package that brings it",
            code="UNKNOWN_PROTOCOL",
        )
    return found


def _discover() -> None:
    """Let strangers' backends register. Only on a miss, as asking every installed package takes its time."""
    import importlib.metadata

    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        if point.name in registry:
            continue
        try:
            registry.register(point.name, point.load())
        except (ImportError, AttributeError, TypeError, ProtocolError) as error:
            raise SelectionError(
                f"the backend {point.name!r} of an installed package cannot be used: {error}",
                where=point.value,
                remedy="Correct or remove that package",
                code="BACKEND_BROKEN",
            ) from error


def _options(protocol: str, backend: type[StorageBackend], given: Mapping[str, Setting]) -> dict[str, Any]:
    """The options as the constructor wants them: its signature is the table of what there is."""
    parameters = inspect.signature(backend).parameters
    hints = typing.get_type_hints(backend.__init__)
    checked = {}
    for name, setting in given.items():
        if name not in parameters:
            known = ", ".join(parameters) or "it takes none"
            raise SelectionError(
                f"{protocol} has no option {name!r}; known: {known}",
                where=setting.source,
                remedy="Correct its spelling, or remove it",
                code="ENVIRONMENT_BROKEN" if setting.layer is Layer.ENVIRONMENT else "UNKNOWN_OPTION",
            )
        checked[name] = fitted(name, setting, _kinds(hints.get(name, str)))
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in checked:
            raise SelectionError(
                f"{protocol} needs the option {name!r}",
                where=f"storage.{protocol}",
                remedy=f"Set QUIRE_STORAGE_{name.upper()}, or {name} below [storage.{protocol}] in the config file",
                code="OPTION_MISSING",
            )
    return checked


def _kinds(hint: Any) -> frozenset[type]:
    parts = typing.get_args(hint) or (hint,)
    return frozenset(part for part in parts if part in (str, int, float, bool)) or frozenset({str})
