"""Settings to backends to engine: the only wiring.

It is long because it is all of it: what is configured can be followed here from the setting to the object.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import inspect
import os
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from typing import TYPE_CHECKING, Any

from quire.errors import AccessDenied, NotFound, ProtocolError, QuireError, SelectionError, StorageError
from quire.locator import Locator
from quire.ports.registry import BackendRegistry
from quire.ports.storage import Capabilities, StorageBackend, version_of
from quire.settings import (
    Layer,
    MemorySettings,
    Setting,
    embedding_settings,
    fitted,
    memory_settings,
    storage_settings,
)

if TYPE_CHECKING:  # who opens a storage and no memory does not wait for the engine
    from quire.backends.embedding.chain import Choice
    from quire.clock import Clock
    from quire.engine.journal import Actor
    from quire.engine.kinds import Kinds
    from quire.engine.layout import Layout
    from quire.engine.memory import Memory
    from quire.engine.scope import Scope
    from quire.ports.embedder import Meter

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
_JOURNAL = ".journal"
_LOOK_AT = 1000  # files, to tell in which layout a root was filled

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


def choose_embedder(
    *,
    once: bool = False,
    meter: Meter | None = None,
    config: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Choice:
    """Who embeds, or None with the reasons: the service that is configured, else the local model, else nobody.

    `once` is for a process that asks one question and ends; `meter` keeps what a service was paid. Raises
    SelectionError for a setting that cannot be. What is merely not there is a reason, not an error: words answer.
    """
    from quire.backends.embedding.chain import USES, choose

    environment = os.environ if environment is None else environment
    settings = embedding_settings(config=config, environment=environment)
    if settings.use.value not in USES:
        raise SelectionError(
            f"there is no use {settings.use.value!r}; there are {', '.join(USES)}",
            where=settings.use.source,
            remedy="Correct its spelling",
            code="UNKNOWN_EMBEDDING",
        )
    if settings.api is None:
        return choose(settings.use.value, None, once=once)
    options = _service_options(settings.api)
    variable = options.pop("key_variable", "")
    key = environment.get(variable, "").strip() if variable else ""
    missing = variable if variable and not key else ""
    return choose(settings.use.value, options | {"key": key}, missing_key=missing, once=once, meter=meter)


def _service_options(given: Mapping[str, Setting]) -> dict[str, Any]:
    """The options below [embedding.api]: those of the constructor, but for what only a program can give."""
    from quire.backends.embedding.api import ApiEmbedder

    hints = typing.get_type_hints(ApiEmbedder.__init__)
    parameters = inspect.signature(ApiEmbedder).parameters
    known = [name for name in parameters if name not in ("key", "meter", "clock", "sleep", "chance")]
    kinds = {name: _kinds(hints[name]) for name in known} | {"key_variable": frozenset({str})}
    for name, setting in given.items():
        if name not in kinds:
            what = f"the service has no option {name!r}; known: {', '.join(kinds)}"
            remedy = "Name the variable that holds it, as key_variable" if "key" in name else "Correct its spelling"
            raise SelectionError(what, where=setting.source, remedy=remedy, code="UNKNOWN_OPTION")
    for name in known:
        if parameters[name].default is inspect.Parameter.empty and name not in given:
            raise SelectionError(
                f"the service needs the option {name!r}",
                where="embedding.api",
                remedy=f"Set {name} below [embedding.api] in the config file",
                code="OPTION_MISSING",
            )
    return {name: fitted(name, setting, kinds[name]) for name, setting in given.items()}


def open_memory(
    root: str | os.PathLike[str] | None = None,
    *,
    protocol: str | None = None,
    layout: str | None = None,
    app: str | None = None,
    project: str | None = None,
    user: str | None = None,
    agent: str | None = None,
    timezone: str | None = None,
    personal: str | os.PathLike[str] | None = None,
    actor: str = "python",
    run: str | None = None,
    session: str | None = None,
    project_folder: str | os.PathLike[str] | None = None,
    config: str | None = None,
    environment: Mapping[str, str] | None = None,
    now: Callable[[], dt.datetime] | None = None,
    **options: object,
) -> Memory:
    """The memory that is configured: storage as `open_storage`, and on it the layout and the scopes that are meant.

    `root` is the folder, where the storage has one. `actor`, `run` and `session` say in the journal who asks; a run can
    be undone as a whole. `personal` is the folder of the person's own notes, read-only but for `write_personal`, and
    `project_folder` that of the project's code; both must exist, and nothing but text is ever placed in them. Work that
    a process began and did not live to finish is finished first; `.recovered` says what. Raises SelectionError, with
    the setting that is wrong, and what the storage raises.
    """
    from quire.engine.changes import Changes
    from quire.engine.core import Core
    from quire.engine.journal import Journal
    from quire.engine.memory import Memory

    environment = os.environ if environment is None else environment
    words = {"layout": layout, "app": app, "project": project, "user": user, "agent": agent, "timezone": timezone}
    given = words | {"run": run, "session": session, "personal": None if personal is None else os.fspath(personal)}
    settings = memory_settings(given, config=config, environment=environment)
    if root is not None:
        options["root"] = root
    selection = select(protocol, config=config, environment=environment, **options)  # type: ignore[arg-type]
    clock = _clock(settings, now)
    chosen = _layout(settings, selection)
    scopes = _scopes(settings, chosen)
    who = _actor(settings, actor)
    with contextlib.ExitStack() as opened:
        storage = opened.enter_context(produce(selection))
        _require_its_layout(storage, chosen, scopes[0], settings.words["layout"])
        journal = Journal(opened.enter_context(_beside(storage)), clock, Locator(_JOURNAL))
        changes = Changes(storage, journal, who)
        folder = opened.enter_context(_projects_folder(project_folder))
        notes = opened.enter_context(_notes(settings.personal, storage))
        # One root serves many projects, whose folders have files of the same names.
        its_name = f"project:{version_of(getattr(folder, 'root', ''))[:12]}"
        recovered = changes.recover({"personal": notes, its_name: folder})
        closing = opened.pop_all()
    core = Core(storage=storage, journal=journal, changes=changes, layout=chosen, scopes=scopes, clock=clock)
    return Memory(
        core,
        recovered=recovered,
        personal=notes,
        project_folder=folder,
        project_name=its_name,
        closing=[closing.close],
    )


def _projects_folder(path: str | os.PathLike[str] | None) -> contextlib.AbstractContextManager[StorageBackend | None]:
    if path is None:
        return contextlib.nullcontext()
    return _persons_folder(Setting(os.fspath(path), "argument project_folder", Layer.ARGUMENT))


def _notes(personal: Setting | None, root: StorageBackend) -> contextlib.AbstractContextManager[StorageBackend | None]:
    """The person's own notes, if there are any. Raises SelectionError where they are the root itself."""
    if personal is None:
        return contextlib.nullcontext()
    notes = _persons_folder(personal)
    try:
        _require_another_folder(root, notes, personal)
    except SelectionError:
        notes.close()
        raise
    return notes


def _beside(storage: StorageBackend) -> StorageBackend:
    """Where the journal lies: in the storage itself, but outside of it where something syncs it."""
    state = getattr(storage, "state", None)
    if not storage.capabilities.sync or state is None:
        return contextlib.nullcontext(storage)  # type: ignore[return-value]
    return _folder(state)


def _folder(path: str) -> StorageBackend:
    return produce(select("device-local", environment={}, config=os.devnull, root=path))


def open_folder(path: str | os.PathLike[str], *, make: bool = False) -> StorageBackend:
    """A folder to import from, or with `make` to export into, whatever is configured. Raises SelectionError.

    An import only reads it. One that does not exist is an error, unless it is to be made.
    """
    where = os.path.expanduser(os.fspath(path))
    if not make and not os.path.isdir(where):
        raise SelectionError(
            "this is a file, not a folder" if os.path.lexists(where) else "there is no such folder",
            where=where,
            remedy="Check the spelling",
            code="FOLDER_MISSING",
        )
    return _folder(where)


def _persons_folder(setting: Setting) -> StorageBackend:
    """A folder that is a person's: it is there already, and the locks and records of writers lie elsewhere."""
    try:
        return produce(select("vault", environment={}, config=os.devnull, root=setting.value))
    except SelectionError as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        raise SelectionError(what, where=setting.source, remedy=error.remedy, code=error.code) from error


def _require_another_folder(storage: StorageBackend, notes: StorageBackend, setting: Setting) -> None:
    """The person's notes are another storage than the root, or every save would write into them without being asked."""
    if (folder := getattr(storage, "root", None)) is not None and folder == getattr(notes, "root", ""):
        raise SelectionError(
            "the person's own notes and the memory are one folder",
            where=setting.source,
            remedy="Give the memory a folder of its own; it may lie within that of the notes",
            code="PERSONAL_IS_ROOT",
        )


@contextlib.contextmanager
def _from(setting: Setting, code: str) -> Iterator[None]:
    """A setting that the engine refuses is a SelectionError that says where it was set."""
    try:
        yield
    except SelectionError:
        raise
    except QuireError as error:
        raise SelectionError(error.what, where=setting.source, remedy=error.remedy, code=code) from error


def _clock(settings: MemorySettings, now: Callable[[], dt.datetime] | None) -> Clock:
    from quire.clock import Clock

    zone = settings.words["timezone"]
    with _from(zone, "UNKNOWN_TIMEZONE"):
        return Clock(zone.value or None, now=now)


def _scopes(settings: MemorySettings, layout: Layout) -> tuple[Scope, Scope, Scope]:
    """The agent's, the user's and what is shared, in the app and the project that are meant."""
    from quire.engine.scope import Owner, Scope, checked

    said = {name: settings.words[name] for name in ("app", "project", "user", "agent")}
    for name, setting in said.items():
        with _from(setting, "BAD_SCOPE"):
            checked(name, setting.value)
    agents = Scope(said["app"].value, said["project"].value, Owner.AGENT, said["agent"].value)
    with _from(said["app"], "BAD_SCOPE"):
        layout.base(agents)
    return agents, agents.owned_by(Owner.USER, said["user"].value), agents.owned_by(Owner.SHARED)


def _actor(settings: MemorySettings, name: str) -> Actor:
    from quire.engine.journal import Actor

    run, session = settings.words["run"], settings.words["session"]
    with _from(run, "BAD_RUN"):
        return Actor(name, run.value, session.value)


def kinds_of(settings: MemorySettings) -> Kinds:
    """The table of kinds, with those the user declared. Raises SelectionError for one that cannot be."""
    from quire.engine.kinds import Kinds
    from quire.errors import EntryError

    try:
        return Kinds(settings.kinds)
    except EntryError as error:
        raise SelectionError(
            error.what, where=f"{settings.kinds_source}: {error.where}", remedy=error.remedy, code="KIND_INVALID"
        ) from error


def _layout(settings: MemorySettings, selection: Selection) -> Layout:
    """The layout that is configured; where none is, a vault has its own and everything else the root's."""
    from quire.engine.layout import LAYOUTS

    setting = settings.words["layout"]
    name = setting.value or ("vault" if selection.protocol == "vault" else "root")
    if name not in LAYOUTS:
        raise SelectionError(
            f"there is no layout {name!r}; there are {', '.join(LAYOUTS)}",
            where=setting.source,
            remedy="Correct its spelling",
            code="UNKNOWN_LAYOUT",
        )
    return LAYOUTS[name](kinds_of(settings))


def _require_its_layout(storage: StorageBackend, layout: Layout, scope: Scope, setting: Setting) -> None:
    """Raises SelectionError for a root that was filled in another layout: to show nothing would not be the truth."""
    from quire.engine.layout import LAYOUTS

    names = {child.name for child in storage.list(Locator())}
    if layout.mark in names or layout.base(scope)[0] in names:
        return
    for other in (each(layout.kinds) for each in LAYOUTS.values() if each.mark in names and each is not type(layout)):
        below = islice(storage.walk(Locator(other.mark)), _LOOK_AT)
        if entry := next((info.locator for info in below if other.parse(info.locator)), None):
            raise SelectionError(
                f"{entry} is an entry in the layout {other.name!r}, and {layout.name!r} would not see it",
                where=getattr(storage, "root", "") or setting.source,
                remedy=f"Open it with layout={other.name!r}; to keep both here, make the folder {layout.mark} first",
                code="LAYOUT_MISMATCH",
            )
