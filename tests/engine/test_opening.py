"""Opening a memory: every setting from each layer, each refusal in its own words, and nothing in anybody's way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import quire
from quire import Locator, Owner, Scope, SelectionError, Status
from quire.engine.layout import RootLayout, VaultLayout
from tests.engine.conftest import Time
from tests.engine.looking import ids, put, tree


@pytest.fixture
def config(home: Path) -> Path:
    path = home / ".config" / "quire" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def refusal(*arguments: Any, **options: Any) -> SelectionError:
    with pytest.raises(SelectionError) as caught:
        quire.open(*arguments, **options)
    error = caught.value
    assert error.what
    assert error.where
    assert error.remedy
    return error


# What is taken


def test_without_any_setting_it_is_the_agent_in_the_home(home: Path) -> None:
    with quire.open() as memory:
        entry = memory.save("Be short.", slug="short")
        assert memory.core.scopes == (Scope(), Scope(owner=Owner.USER), Scope(owner=Owner.SHARED))
    file = home / ".quire/default_app/default_project/agents/default/memory/preference/short.md"
    assert file.read_text() == entry.document.text


def test_the_layers_go_over_each_other(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text(
        '[storage]\nbackend = "ram"\n'
        '[memory]\nlayout = "vault"\nproject = "of-file"\nuser = "of-file"\n'
        'agent = "of-file"\ntimezone = "Asia/Tokyo"\n'
    )
    monkeypatch.setenv("QUIRE_USER", "of-environment")
    monkeypatch.setenv("QUIRE_AGENT", "of-environment")
    with quire.open(agent="of-argument") as memory:
        assert list(map(str, memory.core.scopes)) == [
            "default/of-file/agent:of-argument", "default/of-file/user:of-environment", "default/of-file/shared",
        ]  # fmt: skip
        assert isinstance(memory.core.layout, VaultLayout)
        assert str(memory.core.clock.zone) == "Asia/Tokyo"
    with quire.open(layout="root", app="shop", timezone="UTC") as memory:
        assert isinstance(memory.core.layout, RootLayout)
        assert memory.core.scopes[0].app == "shop"


def test_a_vault_has_its_own_layout(tmp_path: Path) -> None:
    with quire.open(tmp_path, protocol="vault") as memory:
        assert isinstance(memory.core.layout, VaultLayout)
    with quire.open(tmp_path, protocol="vault", layout="root") as memory:
        assert isinstance(memory.core.layout, RootLayout)


def test_a_bare_owner_is_the_one_that_is_configured(time: Time) -> None:
    with quire.open(protocol="ram", user="ada", agent="coder", project="atlas", now=time) as memory:
        assert str(memory.save("Text.", scope="user").scope) == "default/atlas/user:ada"
        assert str(memory.save("Text.", scope="agent").scope) == "default/atlas/agent:coder"
        assert str(memory.append("Text.").scope) == "default/atlas/user:ada"


def test_who_asks_is_in_the_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_RUN", "run-1")
    monkeypatch.setenv("QUIRE_SESSION", "session-1")
    with quire.open(protocol="ram", actor="test") as memory:
        memory.save("Text.")
        [change] = memory.changes()
        assert (change.actor, change.run, change.session) == ("test", "run-1", "session-1")
    with quire.open(protocol="ram", run="run-2", session="session-2") as memory:
        memory.save("Text.")
        assert [(change.run, change.session) for change in memory.changes()] == [("run-2", "session-2")]


def test_it_may_be_opened_twice_and_both_see_all(tmp_path: Path, layout: str) -> None:
    with quire.open(tmp_path, layout=layout) as one, quire.open(tmp_path, layout=layout) as two:
        one.save("One.", slug="x")
        assert two.save("One.", slug="x").fields["occurrences"] == 2
        assert two.save("Two.", slug="x").id == "preference/x-2"
        assert set(ids(one.list())) == set(ids(two.list())) == {"preference/x", "preference/x-2"}


def test_opening_leaves_nothing(tmp_path: Path, home: Path) -> None:
    for protocol in ("device-local", "vault"):
        root = tmp_path / protocol
        root.mkdir()
        with quire.open(root, protocol=protocol) as memory:
            assert ids(memory.list(everywhere=True)) == []
            assert memory.session_context().text == ""
            assert memory.recovered == []
        assert list(root.iterdir()) == []


# Refusals


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({"layout": "valut"}, "UNKNOWN_LAYOUT", "there is no layout 'valut'; there are root, vault"),
        ({"timezone": "Mars/Olympus"}, "UNKNOWN_TIMEZONE", "no time zone is called 'Mars/Olympus'"),
        ({"app": "../x"}, "BAD_SCOPE", "the app cannot be a folder's name"),
        ({"project": "default_project"}, "BAD_SCOPE", "is how the project 'default' is spelled"),
        ({"user": ".hidden"}, "BAD_SCOPE", "cannot begin with '.'"),
        ({"agent": "a/b"}, "BAD_SCOPE", "must be one name"),
        ({"agent": " "}, "BAD_SCOPE", ""),
    ],
)
def test_a_word_that_cannot_be_says_where_it_was_set(
    config: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], code: str, said: str
) -> None:
    [(name, value)] = given.items()
    error = refusal(protocol="ram", **given)
    assert (error.code, error.where) == (code, f"argument {name}")
    assert said in str(error)
    config.write_text(f'[memory]\n{name} = "{value}"\n')
    error = refusal(protocol="ram")
    assert (error.code, error.where) == (code, f"{config}, memory.{name}")
    if value.strip():
        monkeypatch.setenv(f"QUIRE_{name.upper()}", value)
        error = refusal(protocol="ram")
        assert (error.code, error.where) == (code, f"QUIRE_{name.upper()}")


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("[memory]\nlayuot = 'vault'\n", "CONFIG_UNKNOWN_KEY", "unknown key memory.layuot; known: layout, app"),
        ("[memory]\nrun = 'x'\n", "CONFIG_UNKNOWN_KEY", "unknown key memory.run"),
        ("[memory]\napp = 5\n", "WRONG_TYPE", "text is wanted, not a number"),
        ("memory = 'vault'\n", "CONFIG_NOT_A_TABLE", "memory is text, not a table"),
        ("[kinds]\nrecipe = 'note'\n", "CONFIG_NOT_A_TABLE", "kinds.recipe is text, not a table"),
        ("kinds = ['recipe']\n", "CONFIG_NOT_A_TABLE", "kinds is a list, not a table"),
        ("[kinds.recipe]\nshape = 'blob'\n", "KIND_INVALID", "none of note, log, single, folder"),
        ("[personal]\nfolder = '~/Notes'\n", "CONFIG_UNKNOWN_KEY", "unknown key personal.folder; known: root"),
        ("[personal]\nroot = true\n", "WRONG_TYPE", "text is wanted, not true or false"),
        ("personal = '~/Notes'\n", "CONFIG_NOT_A_TABLE", "personal is text, not a table"),
        ("[personal]\nroot = '/nowhere/at/all'\n", "FOLDER_MISSING", "this vault does not exist"),
        ("[memry]\n", "CONFIG_UNKNOWN_KEY", "unknown key 'memry'; known: storage, memory, kinds, personal"),
    ],
)
def test_a_config_file_that_is_wrong_is_named(config: Path, text: str, code: str, said: str) -> None:
    config.write_text(text)
    error = refusal(protocol="ram")
    assert error.code == code
    assert said in str(error)
    assert str(config) in error.where


@pytest.mark.parametrize(
    "name", ["LAYOUT", "APP", "PROJECT", "USER", "AGENT", "TIMEZONE", "PERSONAL", "RUN", "SESSION"]
)
def test_a_variable_that_is_set_and_empty_is_no_setting(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"QUIRE_{name}", " ")
    error = refusal(protocol="ram")
    assert (error.code, error.where) == ("ENVIRONMENT_BROKEN", f"QUIRE_{name}")


def test_a_run_that_has_no_name_says_where_it_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(protocol="ram", run="a run").where == "argument run"
    monkeypatch.setenv("QUIRE_RUN", "../x")
    error = refusal(protocol="ram")
    assert (error.code, error.where) == ("BAD_RUN", "QUIRE_RUN")


def test_a_vault_holds_one_app_and_says_who_asked_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_APP", "shop")
    error = refusal(protocol="ram", layout="vault")
    assert (error.code, error.where) == ("BAD_SCOPE", "QUIRE_APP")


def test_an_argument_nobody_knows_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, layuot="vault").code == "UNKNOWN_OPTION"
    assert refusal(tmp_path, protocol="ram").code == "UNKNOWN_OPTION"


def test_a_folder_that_cannot_be_opened_is_no_empty_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("Text.")
    for protocol, root in (("device-local", "file"), ("vault", "nowhere"), ("vault", "file")):
        assert refusal(tmp_path / root, protocol=protocol).code == "FOLDER_MISSING"


# A root that was filled in the other layout


@pytest.mark.parametrize(("made", "opened"), [("root", "vault"), ("vault", "root")])
def test_a_root_of_the_other_layout_is_refused_and_not_shown_as_empty(tmp_path: Path, made: str, opened: str) -> None:
    with quire.open(tmp_path, layout=made) as memory:
        entry = memory.save("Text.", slug="x")
    error = refusal(tmp_path, layout=opened)
    assert error.code == "LAYOUT_MISMATCH"
    assert f"{entry.locator} is an entry in the layout '{made}'" in error.what
    assert f"layout='{made}'" in error.remedy
    assert error.where == str(tmp_path)
    with quire.open(tmp_path, layout=made) as memory:
        assert ids(memory.list()) == ["preference/x"]


def test_a_vault_that_is_opened_as_a_plain_folder_is_noticed(tmp_path: Path) -> None:
    with quire.open(tmp_path, protocol="vault") as memory:
        memory.save("Text.", slug="x")
    assert refusal(tmp_path).code == "LAYOUT_MISMATCH"


def test_who_wants_both_in_one_folder_says_so_by_making_it(tmp_path: Path) -> None:
    with quire.open(tmp_path, layout="vault") as memory:
        memory.save("One.", slug="x")
    (tmp_path / "default_app").mkdir()
    with quire.open(tmp_path, layout="root") as memory:
        memory.save("Two.", slug="y")
        assert ids(memory.list()) == ["preference/y"]


def test_folders_of_a_persons_own_are_no_other_layout(tmp_path: Path) -> None:
    (tmp_path / "Memory").mkdir()
    (tmp_path / "Memory" / "photo.md").write_text("Not an entry.")
    (tmp_path / "preferences").mkdir()
    (tmp_path / "preferences" / "x.md").write_text("Somebody's.")
    with quire.open(tmp_path, layout="root") as memory:
        assert ids(memory.list(everywhere=True)) == []


def test_another_app_of_the_same_layout_is_none_of_the_other(tmp_path: Path) -> None:
    with quire.open(tmp_path, app="shop") as memory:
        memory.save("Text.")
    with quire.open(tmp_path) as memory:
        assert ids(memory.list()) == []


# The folders of a person


def test_a_persons_folders_must_be_there_and_nothing_of_ours_is_placed_in_them(tmp_path: Path) -> None:
    notes, code = tmp_path / "notes", tmp_path / "code"
    error = refusal(tmp_path / "root", personal=notes)
    assert (error.code, error.where) == ("FOLDER_MISSING", "argument personal")
    assert refusal(tmp_path / "root", project_folder=code).where == "argument project_folder"
    notes.mkdir()
    code.mkdir()
    with quire.open(tmp_path / "root", personal=notes, project_folder=code) as memory:
        memory.write_personal("garden.md", "Roses.\n", request="Note the roses, please.")
        memory.harness().write("plan", "Begin.\n")
        assert [path.name for path in notes.iterdir()] == ["garden.md"]
        assert sorted(path.name for path in code.rglob("*")) == [".harness", "PLAN.md"]


def test_the_notes_of_a_person_are_another_folder_than_the_memory(tmp_path: Path, config: Path) -> None:
    error = refusal(tmp_path, personal=tmp_path)
    assert (error.code, error.where) == ("PERSONAL_IS_ROOT", "argument personal")
    config.write_text(f'[personal]\nroot = "{tmp_path}"\n')
    assert refusal(tmp_path).where == f"{config}, personal.root"
    with quire.open(tmp_path / "Agent") as memory:
        memory.save("Text.")


# What opening costs


def loaded(statement: str) -> set[str]:
    script = f"import sys, quire; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_storage_is_opened_without_the_engine() -> None:
    got = loaded("import tempfile; quire.open_storage(root=tempfile.mkdtemp()).close()")
    assert "quire.app" in got
    assert not [name for name in got if name.startswith(("quire.engine", "quire.markdown", "quire.clock"))]


def test_a_memory_is_opened_and_written_without_what_it_does_not_need() -> None:
    got = loaded("quire.open(protocol='ram').save('Text.')")
    assert not got & {"yaml", "difflib", "asyncio", "zoneinfo", "inspect.getsource", "quire.engine.lint"}


# Entries that a person dropped in


def test_a_person_can_write_without_knowing_anything(tmp_path: Path) -> None:
    with quire.open(tmp_path, layout="vault") as memory:
        put(memory, "Memory/fix/Locked database.md", "# Locked database\n\nRun them one by one.\n")
        put(memory, "Memory/_idea-incubator/thought.md", "A thought.\n")
        put(memory, "Memory/_archive/fix/old.md", "Old.\n")
        put(memory, "preferences/voice.md", "Be short.\n")
        assert {entry.id: entry.status for entry in memory.list(status="all")} == {
            "fix/Locked database": Status.ACTIVE,
            "idea/thought": Status.INBOX,
            "fix/old": Status.ARCHIVED,
            "preference/voice": Status.ACTIVE,
        }
        assert memory.get("preference/voice").scope.owner is Owner.SHARED
        assert memory.list().faults == ()
        before = tree(memory)
        memory.forget("fix/Locked database")
        memory.undo()
        assert tree(memory) == before
        assert memory.core.storage.exists(Locator("Memory/fix/Locked database.md"))
