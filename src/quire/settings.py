"""What the user configured: defaults < config file < environment < arguments, each value with where it came from."""

from __future__ import annotations

import enum
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quire.errors import SelectionError

DEFAULT_PROTOCOL = "device-local"
ENVIRONMENT = "QUIRE_STORAGE"

# The tables of the config file, with a line of each for messages.
_TABLES = {
    "storage": 'backend = "vault"',
    "memory": 'layout = "vault"',
    "kinds": '[kinds.recipe] with shape = "note"',
    "personal": 'root = "~/Notes"',
    "embedding": 'use = "local"',
}

# The words of `[memory]`, and what each means where nobody says.
_MEMORY = {"layout": "", "app": "default", "project": "default", "user": "default", "agent": "default", "timezone": ""}
_OF_A_PROCESS = {"run": "", "session": ""}


class Layer(enum.Enum):
    """Where a value can be set, the weakest first."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    ARGUMENT = "argument"


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and, for messages, where it was set."""

    value: Any
    source: str
    layer: Layer


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """Which storage, with which options, and what it must be able to do."""

    protocol: Setting
    require: Setting
    options: dict[str, Setting] = field(default_factory=dict)


def storage_settings(
    protocol: str | None,
    options: Mapping[str, object],
    require: tuple[str, ...],
    *,
    config: str | None,
    environment: Mapping[str, str],
) -> StorageSettings:
    """The settings of the storage, the layers laid over each other. Raises SelectionError for what cannot be read."""
    path, parsed = config_table(config, environment)
    table = _table(path, parsed, "storage")
    for name, value in table.items():
        if name not in ("backend", "require") and not isinstance(value, dict):
            what = f"unknown key storage.{name}; known: backend, require, and a table for each backend"
            raise _refused(path, what, "CONFIG_UNKNOWN_KEY", f"An option goes below [storage.<backend>], as {name} = …")
    chosen = _protocol(protocol, path, table, environment)
    merged = {
        name: Setting(value, f"{path}, storage.{chosen.value}.{name}", Layer.FILE)
        for name, value in _options_table(path, table, chosen.value).items()
    }
    prefix = ENVIRONMENT + "_"
    for variable, text in environment.items():
        if variable.startswith(prefix) and variable not in (f"{prefix}REQUIRE",):
            merged[variable[len(prefix) :].lower()] = _variable(variable, text)
    merged |= {name: Setting(value, f"argument {name}", Layer.ARGUMENT) for name, value in options.items()}
    return StorageSettings(chosen, _require(require, path, table, environment), merged)


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """How the engine reads the root: its words by name, the kinds that were declared, the person's own notes.

    Among the words are `run` and `session`, which are of a process and never in a file.
    """

    words: dict[str, Setting]
    kinds: dict[str, dict[str, Any]]
    kinds_source: str
    personal: Setting | None


def memory_settings(
    given: Mapping[str, str | None], *, config: str | None, environment: Mapping[str, str]
) -> MemorySettings:
    """The settings of the engine, the layers laid over each other. Raises SelectionError for what cannot be read.

    A word is set by its argument, by `QUIRE_<WORD>`, or below `[memory]`.
    """
    path, parsed = config_table(config, environment)
    table = _table(path, parsed, "memory")
    if unknown := sorted(set(table) - set(_MEMORY)):
        what = f"unknown key memory.{unknown[0]}; known: {', '.join(_MEMORY)}"
        raise _refused(path, what, "CONFIG_UNKNOWN_KEY", "Correct its spelling")
    words = {}
    for name, default in {**_MEMORY, **_OF_A_PROCESS}.items():
        words[name] = Setting(default, "default", Layer.DEFAULT)
        if name in table:
            source = f"{path}, memory.{name}"
            if not isinstance(table[name], str):
                raise _refused(source, f"text is wanted, not {_kind(table[name])}", "WRONG_TYPE", "Put it in quotes")
            words[name] = Setting(table[name], source, Layer.FILE)
        if (variable := f"QUIRE_{name.upper()}") in environment:
            words[name] = _variable(variable, environment[variable])
        if (argument := given.get(name)) is not None:
            words[name] = Setting(argument, f"argument {name}", Layer.ARGUMENT)
    kinds = _table(path, parsed, "kinds")
    for name, row in kinds.items():
        if not isinstance(row, dict):
            what = f"kinds.{name} is {_kind(row)}, not a table"
            raise _refused(path, what, "CONFIG_NOT_A_TABLE", f"Write [kinds.{name}]")
    return MemorySettings(words, kinds, f"{path}, kinds", _personal(given, path, parsed, environment))


def _personal(
    given: Mapping[str, str | None], path: str, parsed: Mapping[str, Any], environment: Mapping[str, str]
) -> Setting | None:
    """The folder of the person's own notes, if there is one."""
    if (argument := given.get("personal")) is not None:
        return Setting(argument, "argument personal", Layer.ARGUMENT)
    if "QUIRE_PERSONAL" in environment:
        return _variable("QUIRE_PERSONAL", environment["QUIRE_PERSONAL"])
    table = _table(path, parsed, "personal")
    if unknown := sorted(set(table) - {"root"}):
        raise _refused(path, f"unknown key personal.{unknown[0]}; known: root", "CONFIG_UNKNOWN_KEY", "Correct it")
    if "root" not in table:
        return None
    if not isinstance(table["root"], str):
        what = f"text is wanted, not {_kind(table['root'])}"
        raise _refused(f"{path}, personal.root", what, "WRONG_TYPE", "Put it in quotes")
    return Setting(table["root"], f"{path}, personal.root", Layer.FILE)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Who embeds, and the options of the service; None where none is configured."""

    use: Setting
    api: dict[str, Setting] | None


def embedding_settings(*, config: str | None, environment: Mapping[str, str]) -> EmbeddingSettings:
    """What is below `[embedding]`, QUIRE_EMBEDDING over its `use`. Raises SelectionError for what cannot be read."""
    path, parsed = config_table(config, environment)
    table = _table(path, parsed, "embedding")
    if unknown := sorted(set(table) - {"use", "api"}):
        what = f"unknown key embedding.{unknown[0]}; known: use, and a table api"
        raise _refused(path, what, "CONFIG_UNKNOWN_KEY", "An option of the service goes below [embedding.api]")
    use = Setting("auto", "default", Layer.DEFAULT)
    if "use" in table:
        use = Setting(table["use"], f"{path}, embedding.use", Layer.FILE)
    if "QUIRE_EMBEDDING" in environment:
        use = _variable("QUIRE_EMBEDDING", environment["QUIRE_EMBEDDING"])
    if "api" not in table:
        return EmbeddingSettings(use, None)
    if not isinstance(table["api"], dict):
        what = f"embedding.api is {_kind(table['api'])}, not a table"
        raise _refused(path, what, "CONFIG_NOT_A_TABLE", "Write [embedding.api]")
    options = {
        name: Setting(value, f"{path}, embedding.api.{name}", Layer.FILE) for name, value in table["api"].items()
    }
    return EmbeddingSettings(use, options)


def config_path(config: str | None, environment: Mapping[str, str]) -> tuple[str, bool]:
    """Where the config file is, and whether somebody named it, so that its absence is an error."""
    named = config or environment.get("QUIRE_CONFIG")
    if named:
        return os.path.expanduser(named), True
    base = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "quire", "config.toml"), False


def config_table(config: str | None, environment: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The config file's path and its tables, none where there is no file. Raises SelectionError."""
    path, named = config_path(config, environment)
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except FileNotFoundError as error:
        if not named:
            return path, {}
        raise _refused(
            path, "the config file does not exist", "CONFIG_UNREADABLE", "Make it, or name another"
        ) from error
    except OSError as error:
        what = f"the config file cannot be read ({error.strerror})"
        raise _refused(path, what, "CONFIG_UNREADABLE", "Check that it is a file and that you may read it") from error
    try:
        parsed = tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        what = f"the config file is not UTF-8: byte {error.start} ({error.reason})"
        raise _refused(path, what, "CONFIG_NOT_UTF8", "Save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _refused(path, f"the config file is not TOML: {error}", "CONFIG_NOT_TOML", "Correct that line") from error
    unknown = sorted(set(parsed) - set(_TABLES))
    if unknown:
        what = f"unknown key {unknown[0]!r}; known: {', '.join(_TABLES)}"
        raise _refused(path, what, "CONFIG_UNKNOWN_KEY", "Correct its spelling")
    return path, parsed


def _table(path: str, parsed: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = parsed.get(name, {})
    if not isinstance(table, dict):
        what = f"{name} is {_kind(table)}, not a table"
        raise _refused(path, what, "CONFIG_NOT_A_TABLE", f"Write [{name}] and below it {_TABLES[name]}")
    return dict(table)


def _options_table(path: str, table: Mapping[str, Any], protocol: str) -> dict[str, Any]:
    options = table.get(protocol, {})
    return dict(options) if isinstance(options, dict) else {}


def _protocol(argument: str | None, path: str, table: Mapping[str, Any], environment: Mapping[str, str]) -> Setting:
    if argument is not None:
        return Setting(argument, "argument protocol", Layer.ARGUMENT)
    if ENVIRONMENT in environment:
        return _variable(ENVIRONMENT, environment[ENVIRONMENT])
    if "backend" in table:
        source = f"{path}, storage.backend"
        if not isinstance(table["backend"], str):
            what = f"the name of a backend is text, not {_kind(table['backend'])}"
            raise _refused(source, what, "WRONG_TYPE", 'Write backend = "vault"')
        return Setting(table["backend"], source, Layer.FILE)
    return Setting(DEFAULT_PROTOCOL, "default", Layer.DEFAULT)


def _require(argument: tuple[str, ...], path: str, table: Mapping[str, Any], environment: Mapping[str, str]) -> Setting:
    if argument:
        return Setting(tuple(argument), "argument require", Layer.ARGUMENT)
    variable = f"{ENVIRONMENT}_REQUIRE"
    if variable in environment:
        set_to = _variable(variable, environment[variable])
        return Setting(tuple(word.strip() for word in set_to.value.split(",")), variable, Layer.ENVIRONMENT)
    value = table.get("require", [])
    source = f"{path}, storage.require"
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise _refused(source, f"a list of words is wanted, not {_kind(value)}", "WRONG_TYPE", 'As in ["sync"]')
    return Setting(tuple(value), source, Layer.FILE)


def _variable(name: str, text: str) -> Setting:
    if not text.strip():
        raise _refused(name, "this variable is set, but empty", "ENVIRONMENT_BROKEN", "Give it a value, or unset it")
    return Setting(text.strip(), name, Layer.ENVIRONMENT)


def _kind(value: object) -> str:
    names = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(value), type(value).__name__)


def fitted(name: str, setting: Setting, kinds: frozenset[type]) -> Any:
    """The value of an option as one of `kinds`. Words of a shell are read; a wrong type is a SelectionError."""
    value = os.fspath(setting.value) if isinstance(setting.value, os.PathLike) else setting.value
    if isinstance(value, str) and setting.layer is not Layer.FILE:
        value = _read(value, kinds)
    if type(value) in kinds or (type(value) is int and float in kinds):
        return value
    wanted = " or ".join(sorted({_kind(kind()) for kind in kinds}))
    what = f"{name} is {_kind(value)} ({value!r}), and {wanted} is wanted"
    code = "ENVIRONMENT_BROKEN" if setting.layer is Layer.ENVIRONMENT else "WRONG_TYPE"
    raise _refused(setting.source, what, code, "Correct the value")


def _read(text: str, kinds: frozenset[type]) -> Any:
    if bool in kinds and text.lower() in ("true", "false", "1", "0", "yes", "no"):
        return text.lower() in ("true", "1", "yes")
    for kind in (int, float):
        if kind in kinds or (kind is int and float in kinds):
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def _refused(where: str, what: str, code: str, remedy: str) -> SelectionError:
    return SelectionError(what, where=where, remedy=remedy, code=code)
