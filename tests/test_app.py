"""Selection: argument, environment, config file, default; and each refusal in its own words."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from quire.app import open_storage, registry, select
from quire.backends.local import DeviceLocalBackend
from quire.backends.ram import RamBackend
from quire.backends.vault import VaultBackend
from quire.errors import SelectionError
from quire.locator import Locator


@pytest.fixture
def config(home: Path) -> Path:
    path = home / ".config" / "quire" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def refusal(*arguments: Any, **options: Any) -> SelectionError:
    with pytest.raises(SelectionError) as caught:
        open_storage(*arguments, **options)
    error = caught.value
    assert error.what
    assert error.where
    return error


# Which one is taken


def test_without_any_setting_it_is_a_folder_in_the_home(home: Path) -> None:
    with open_storage() as storage:
        assert type(storage) is DeviceLocalBackend
        assert storage.root == str(home / ".quire")


def test_the_layers_go_over_each_other(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("from-file", "from-environment", "from-argument"):
        (tmp_path / name).mkdir()
    config.write_text(
        f'[storage]\nbackend = "vault"\n[storage.vault]\nroot = "{tmp_path}/from-file"\nlock_timeout = 2\n'
    )
    with open_storage() as storage:
        assert type(storage) is VaultBackend
        assert storage.root == str(tmp_path / "from-file")
        assert storage._guard.timeout == 2
    monkeypatch.setenv("QUIRE_STORAGE_ROOT", str(tmp_path / "from-environment"))
    with open_storage() as storage:
        assert getattr(storage, "root", "") == str(tmp_path / "from-environment")
    with open_storage(root=tmp_path / "from-argument") as storage:
        assert getattr(storage, "root", "") == str(tmp_path / "from-argument")
    monkeypatch.setenv("QUIRE_STORAGE", "device-local")
    with open_storage() as storage:
        assert type(storage) is DeviceLocalBackend
    monkeypatch.delenv("QUIRE_STORAGE_ROOT")
    with open_storage("ram") as storage:
        assert type(storage) is RamBackend


def test_the_options_of_another_backend_do_not_apply(config: Path, home: Path) -> None:
    config.write_text('[storage]\nbackend = "vault"\n[storage.vault]\nroot = "/nowhere"\n')
    with open_storage("device-local") as storage:
        assert getattr(storage, "root", "") == str(home / ".quire")


def test_says_who_chose(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert select().source == "default"
    config.write_text('[storage]\nbackend = "ram"\n')
    assert select().source == f"{config}, storage.backend"
    monkeypatch.setenv("QUIRE_STORAGE", "ram")
    assert select().source == "QUIRE_STORAGE"
    assert select("ram").source == "argument protocol"


def test_a_config_file_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.toml").write_text('[storage]\nbackend = "ram"\n')
    assert select(config=str(tmp_path / "one.toml")).protocol == "ram"
    monkeypatch.setenv("QUIRE_CONFIG", str(tmp_path / "one.toml"))
    assert select().protocol == "ram"


def test_options_from_the_environment_are_read_by_their_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_STORAGE_LOCK_TIMEOUT", "2.5")
    assert select().options == {"lock_timeout": 2.5}


# Refusals of the config file


def test_a_config_that_cannot_be_read(config: Path) -> None:
    config.mkdir()
    error = refusal()
    assert error.code == "CONFIG_UNREADABLE"
    assert str(config) in str(error)


def test_a_config_that_was_named_and_is_not_there(tmp_path: Path) -> None:
    error = refusal(config=str(tmp_path / "absent.toml"))
    assert error.code == "CONFIG_UNREADABLE"
    assert "does not exist" in str(error)


def test_a_config_that_is_not_utf8(config: Path) -> None:
    config.write_bytes(b'[storage]\nbackend = "\xff\xfe"\n')
    error = refusal()
    assert error.code == "CONFIG_NOT_UTF8"
    assert "byte 21" in str(error)


@pytest.mark.parametrize("text", ["[storage\n", "storage = = 1", 'backend = "vault', "[" * 100_000, "\0"])
def test_a_config_that_is_not_toml(config: Path, text: str) -> None:
    config.write_text(text)
    assert refusal().code == "CONFIG_NOT_TOML"


def test_a_config_where_the_storage_is_no_table(config: Path) -> None:
    config.write_text('storage = "vault"\n')
    error = refusal()
    assert error.code == "CONFIG_NOT_A_TABLE"
    assert "storage is text, not a table" in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "[storage]\nbackend = 7\n",
        '[storage]\nbackend = ["vault"]\n',
        '[storage]\nrequire = "sync"\n',
        "[storage]\nrequire = [1]\n",
        "[storage.device-local]\nroot = 7\n",
        '[storage.device-local]\nlock_timeout = "5"\n',
        "[storage.device-local]\nlock_timeout = true\n",
    ],
)
def test_a_key_of_the_wrong_type(config: Path, text: str) -> None:
    config.write_text(text)
    error = refusal()
    assert error.code == "WRONG_TYPE"
    assert str(config) in error.where


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[storge]\n", "CONFIG_UNKNOWN_KEY"),
        ('[storage]\nbackened = "vault"\n', "CONFIG_UNKNOWN_KEY"),
        ('[storage.device-local]\nrooot = "/x"\n', "UNKNOWN_OPTION"),
    ],
)
def test_a_key_nobody_knows(config: Path, text: str, code: str) -> None:
    config.write_text(text)
    error = refusal()
    assert error.code == code
    assert "known:" in str(error)


# Refusals of the choice


@pytest.mark.parametrize("name", ["valt", "sqlite", ""])
def test_an_unknown_protocol_lists_the_known_ones(name: str) -> None:
    error = refusal(name)
    assert error.code == "UNKNOWN_PROTOCOL"
    assert "device-local, postgres, ram, s3, vault" in str(error)
    if name == "valt":
        assert "Did you mean 'vault'?" in str(error)


@pytest.mark.parametrize(
    ("protocol", "options", "package", "extra"),
    [("s3", {"url": "s3://bucket"}, "obstore", "s3"), ("postgres", {"dsn": "postgresql://"}, "asyncpg", "postgres")],
)
def test_an_extra_that_is_not_installed_names_the_command(
    protocol: str, options: dict[str, str], package: str, extra: str
) -> None:
    # A process of its own, as an import that has happened cannot be taken back.
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from quire import open_storage, SelectionError\n"
        f"try: open_storage({protocol!r}, **{options!r})\n"
        "except SelectionError as error: print(error.code, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("EXTRA_MISSING ")
    assert f"Run: pip install 'quire[{extra}]'" in done.stdout


def test_an_option_that_is_needed_and_missing() -> None:
    error = refusal("vault")
    assert error.code == "OPTION_MISSING"
    assert "QUIRE_STORAGE_ROOT" in str(error)


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    error = refusal("vault", root=tmp_path / "absent")
    assert error.code == "FOLDER_MISSING"
    (tmp_path / "file").write_text("x")
    for protocol in ("vault", "device-local"):
        error = refusal(protocol, root=tmp_path / "file")
        assert error.code == "FOLDER_MISSING"
        assert "file" in str(error)
    assert refusal("device-local", root=tmp_path / "file" / "below").code == "FOLDER_MISSING"


@pytest.mark.parametrize("protocol", ["vault", "device-local"])
def test_a_folder_that_cannot_be_written_to(protocol: str) -> None:
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "read-only"
        folder.mkdir(mode=0o555)
        Path(base).chmod(0o755)
        # Root may write anywhere, so there the question is asked as nobody.
        script = (
            "import os, quire.backends.vault\nfrom quire import open_storage, SelectionError\n"
            "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
            f"try: open_storage({protocol!r}, root={str(folder)!r}, environment={{'XDG_CONFIG_HOME': '/nowhere'}})\n"
            "except SelectionError as error: print(error.code, error)\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert done.stdout.startswith("FOLDER_NOT_WRITABLE "), done.stderr
        assert str(folder) in done.stdout


def test_a_capability_that_is_not_met_is_named_each(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = refusal("device-local", require=["encryption", "sync", "concurrent_writers"])
    assert error.code == "CAPABILITY_UNMET"
    assert "encryption, sync" in str(error)
    assert "concurrent_writers" not in str(error)
    config.write_text('[storage]\nrequire = ["encryption"]\n')
    assert f"{config}, storage.require" in str(refusal())
    monkeypatch.setenv("QUIRE_STORAGE_REQUIRE", "encryption, sync")
    assert "QUIRE_STORAGE_REQUIRE" in str(refusal())


def test_a_capability_that_is_met_is_no_hindrance() -> None:
    with open_storage(require=["concurrent_writers"]) as storage:
        assert storage.capabilities.concurrent_writers


def test_a_capability_nobody_knows() -> None:
    error = refusal(require=["telepathy"])
    assert error.code == "UNKNOWN_CAPABILITY"
    assert "concurrent_writers" in str(error)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("QUIRE_STORAGE", ""),
        ("QUIRE_STORAGE_ROOT", "  "),
        ("QUIRE_STORAGE_LOCK_TIMEOUT", "soon"),
        ("QUIRE_STORAGE_COLOUR", "blue"),
        ("QUIRE_STORAGE_REQUIRE", ""),
    ],
)
def test_a_variable_that_is_set_but_broken(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    error = refusal()
    assert error.code == "ENVIRONMENT_BROKEN"
    assert variable in str(error)


def test_a_variable_that_names_an_unknown_backend_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_STORAGE", "dropbox")
    error = refusal()
    assert (error.code, error.where) == ("UNKNOWN_PROTOCOL", "QUIRE_STORAGE")


def test_a_server_nobody_answers_for() -> None:
    for protocol, options in (
        ("postgres", {"dsn": "postgresql://user:secret@127.0.0.1:9/none", "timeout": 1.0}),
        ("s3", {"url": "s3://bucket", "endpoint": "http://127.0.0.1:9", "access_key": "k", "secret_key": "secret",
                "region": "us-east-1", "timeout": 1.0}),
    ):  # fmt: skip
        error = refusal(protocol, **options)
        assert error.code == "UNREACHABLE"
        assert "secret" not in str(error)


# Strangers


class Stranger(RamBackend):
    """A backend some other package brings."""


def entry_points(value: str) -> Any:
    return lambda group: [importlib.metadata.EntryPoint("stranger", value, group)]


@pytest.fixture
def clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    monkeypatch.setattr(registry, "_lazy", dict(registry._lazy))


@pytest.mark.usefixtures("clean_registry")
def test_an_installed_package_may_bring_a_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points(f"{__name__}:Stranger"))
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or __import__(__name__))
    with open_storage("stranger") as storage:
        storage.write(Locator("a"), "x")
        assert type(storage).__name__ == "Stranger"
    assert "stranger" in str(refusal("unknown"))


@pytest.mark.usefixtures("clean_registry")
@pytest.mark.parametrize("value", ["no_such_module_here:X", "quire.backends.ram:Nothing", "quire.locator:Locator"])
def test_a_package_that_brings_a_broken_one_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points(value))
    error = refusal("stranger")
    assert error.code == "BACKEND_BROKEN"
    assert value in error.where
