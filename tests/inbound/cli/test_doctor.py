"""The doctor: what it tries, what it finds, and that its words are those of the error at run time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import quire as library
from quire.app import open_memory, open_storage
from quire.errors import QuireError, SelectionError
from quire.inbound.cli import main
from quire.locator import Locator
from tests.inbound.cli.conftest import Quire


def test_the_doctor_tries_everything_and_leaves_nothing(quire: Quire, home: Path) -> None:
    code, out, err = quire("doctor")
    assert (code, err) == (0, "")
    for step in ("config", "selection", "open", "write", "read", "condition", "list", "delete", "all is well"):
        assert step in out
    assert os.listdir(home / ".quire") == []


def test_the_doctor_speaks_json(quire: Quire, home: Path) -> None:
    (home / "vault").mkdir()
    (home / "vault" / "note.md").write_text("x")
    (home / "vault" / "note (conflicted copy).md").write_text("y")
    (home / "vault" / "link.md").symlink_to(home)
    code, out, _ = quire("doctor", "--json", "--storage", "vault", "--option", "root=~/vault")
    report = json.loads(out)
    checks = {check["name"]: check for check in report["checks"]}
    assert (code, report["ok"]) == (0, True)
    assert set(checks["write"]) == {"name", "state", "detail", "code", "milliseconds"}
    assert checks["capabilities"]["detail"] == "concurrent_writers, conflict_files, sync"
    assert (checks["conflicts"]["state"], checks["names"]["state"]) == ("warning", "warning")
    assert "note (conflicted copy).md (of note.md, dropbox)" in checks["conflicts"]["detail"]
    assert "link.md (a symbolic link)" in checks["names"]["detail"]
    assert sorted(os.listdir(home / "vault")) == ["link.md", "note (conflicted copy).md", "note.md"]


DIES_IN_AN_EXCHANGE = """
import os, signal, sys
from pathlib import Path
from quire.backends.local import DeviceLocalBackend, rename
from quire.locator import Locator
from quire.ports.storage import version_of
root = Path(sys.argv[1])
storage = DeviceLocalBackend(root)
storage.write(Locator("notes/a.md"), "old")
exchange = rename.exchange
def beside_an_editor(*arguments):
    (root / "editor.tmp").write_text("from an editor")
    (root / "editor.tmp").replace(root / "notes" / "a.md")
    exchange(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
rename.exchange = beside_an_editor
storage.write(Locator("notes/a.md"), "new", if_version=version_of("old"))
"""


def test_the_doctor_names_what_recovery_could_not_put_right(quire: Quire, home: Path) -> None:
    root = home / ".quire"
    died = subprocess.run([sys.executable, "-c", DIES_IN_AN_EXCHANGE, str(root)], check=False)
    assert died.returncode == -signal.SIGKILL
    [left] = (root / "notes").glob(".quire-x-*")
    os.link(left, home / "backup")  # some tool keeps the leftover under a second name, so Quire will not touch it

    for _ in range(2):  # it is tried again each time
        code, out, _ = quire("doctor", "--json")
        check = next(check for check in json.loads(out)["checks"] if check["name"] == "leftovers")
        assert (code, check["state"]) == (0, "warning")
        assert f"notes/{left.name}" in check["detail"]
        assert "a hard link" in check["detail"]

    (home / "backup").unlink()
    code, out, _ = quire("doctor")
    assert (code, "leftovers" in out) == (0, False)
    assert "1 temporary files of a process that died were put right" in out
    assert (root / "notes/a.md").read_text() == "from an editor"
    assert "recovery" not in quire("doctor")[1]


MISCONFIGURED = {
    "unknown protocol": ({"QUIRE_STORAGE": "valt"}, None),
    "empty variable": ({"QUIRE_STORAGE": ""}, None),
    "broken number": ({"QUIRE_STORAGE_LOCK_TIMEOUT": "x"}, None),
    "missing folder": ({"QUIRE_STORAGE": "vault", "QUIRE_STORAGE_ROOT": "/nowhere/at/all"}, None),
    "missing option": ({"QUIRE_STORAGE": "vault"}, None),
    "unmet capability": ({"QUIRE_STORAGE_REQUIRE": "encryption"}, None),
    "config not toml": ({}, "[storage"),
    "config no table": ({}, "storage = 1"),
    "config wrong type": ({}, "[storage]\nbackend = 1"),
}


@pytest.mark.parametrize("case", MISCONFIGURED)
def test_the_doctor_says_the_words_of_the_runtime_error(
    quire: Quire, home: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    variables, config = MISCONFIGURED[case]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if config is not None:
        (home / ".config/quire").mkdir(parents=True)
        (home / ".config/quire/config.toml").write_text(config)
    with pytest.raises(SelectionError) as caught:
        open_storage()
    code, out, err = quire("doctor")
    assert (code, err) == (1, "")
    assert str(caught.value) in out
    code, out, _ = quire("doctor", "--json")
    [failed] = [check for check in json.loads(out)["checks"] if check["state"] == "failed"]
    assert (code, failed["detail"], failed["code"]) == (1, str(caught.value), caught.value.code)


def test_the_doctor_notices_a_storage_that_opens_but_does_not_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from quire.backends.ram import RamBackend

    class Forgetful(RamBackend):
        def read_bytes(self, locator: Locator) -> bytes:
            return super().read_bytes(locator).replace(b"\r\n", b"\n")

    monkeypatch.setattr(library.registry, "_classes", {**library.registry._classes})
    library.registry.register("forgetful", Forgetful)
    assert main(["doctor", "--storage", "forgetful"]) == 1
    assert "failed  read" in capsys.readouterr().out


def test_the_doctor_names_the_memory_and_everything_in_it(quire: Quire, home: Path) -> None:
    for slug in ("a", "b"):
        quire("save", slug, "--slug", slug)
    quire("forget", "preference/a")
    (home / "Notes").mkdir()
    (home / ".config/quire").mkdir(parents=True)
    (home / ".config/quire/config.toml").write_text(
        '[memory]\nuser = "ann"\ntimezone = "Asia/Tokyo"\n[kinds.recipe]\n[personal]\nroot = "~/Notes"\n'
    )
    details = {check["name"]: check["detail"] for check in quire("doctor", "--json").json["checks"]}
    assert details["memory"] == "default/default/agent:default, default/default/user:ann, default/default/shared"
    assert details["layout"] == "root"
    assert details["kinds"].endswith("and recipe")
    assert details["zone"].startswith("Asia/Tokyo")
    assert details["personal"] == str(home / "Notes")
    assert details["plans"] == "no change is half done"
    assert details["entries"] == "2 can be read"
    assert details["faults"] == "no file has a fault"


def test_the_doctor_takes_the_options_of_every_command(quire: Quire, home: Path) -> None:
    (home / "vault").mkdir()
    words = ["--storage", "vault", "--root", "~/vault", "--agent", "coder", "--layout", "root"]
    details = {check["name"]: check["detail"] for check in quire("doctor", "--json", *words).json["checks"]}
    assert details["open"] == f"VaultBackend {home / 'vault'}"
    assert details["layout"] == "root"
    assert details["memory"].startswith("default/default/agent:coder,")


HALF_DONE = """
import os, signal, sys
import quire
from quire.engine import {module}
memory = quire.open()
def dies(*arguments, **more):
    os.kill(os.getpid(), signal.SIGKILL)
{module}.{name} = dies
memory.evolve("fix/a", "Another text.")
"""


def test_the_doctor_says_what_became_of_a_change_that_was_half_done(quire: Quire, home: Path) -> None:
    quire("save", "One text.", "--kind", "fix", "--slug", "a")
    program = HALF_DONE.format(module="plans", name="put")
    died = subprocess.run([sys.executable, "-c", program], check=False)
    assert died.returncode == -signal.SIGKILL
    checks = quire("doctor", "--json").json["checks"]
    [recovery] = [check for check in checks if check["name"] == "recovery"]
    assert recovery["state"] == "warning"
    assert "evolve of" in recovery["detail"]
    assert "recovery" not in quire("doctor").out


WRONG_MEMORY = {
    "layout": '[memory]\nlayout = "tree"\n',
    "type": "[memory]\nuser = 1\n",
    "key": '[memory]\nusr = "ann"\n',
    "zone": '[memory]\ntimezone = "Mars"\n',
    "kind": "[kinds.Recipe]\n",
    "scope": '[memory]\nagent = "a/b"\n',
}


@pytest.mark.parametrize("case", WRONG_MEMORY)
def test_of_the_memory_too_the_doctor_says_the_words_of_the_runtime_error(quire: Quire, home: Path, case: str) -> None:
    (home / ".config/quire").mkdir(parents=True)
    (home / ".config/quire/config.toml").write_text(WRONG_MEMORY[case])
    with pytest.raises(QuireError) as caught:
        open_memory()
    answer = quire("doctor", "--json")
    [failed] = [check for check in json.loads(answer.out)["checks"] if check["state"] == "failed"]
    assert (answer.code, failed["name"]) == (1, "memory")
    assert (failed["detail"], failed["code"]) == (str(caught.value), caught.value.code)
    assert str(caught.value) in quire("list").err


def test_a_memory_is_not_looked_at_in_a_storage_that_does_not_work(quire: Quire, home: Path) -> None:
    (home / "file").write_text("x")
    answer = quire("doctor", "--root", str(home / "file"))
    assert answer.code == 1
    assert "memory" not in answer.out
