"""The command line, as a person or a program meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import quire
from quire.app import open_storage
from quire.errors import SelectionError
from quire.inbound.cli import main
from quire.locator import Locator

QUIRE = str(Path(sys.executable).parent / "quire")


def run(*words: str) -> tuple[int, str, str]:
    done = subprocess.run([QUIRE, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_tells_its_version() -> None:
    assert run("--version") == (0, f"quire {quire.__version__}\n", "")
    assert run("-V") == run("--version")
    done = subprocess.run([sys.executable, "-m", "quire", "-V"], capture_output=True, text=True, check=True)
    assert done.stdout == f"quire {quire.__version__}\n"


def test_helps() -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert "exit codes:" in out
    assert run() == (0, out, "")
    code, out, _ = run("doctor", "--help")
    assert code == 0
    assert "example:" in out


@pytest.mark.parametrize("words", [["frobnicate"], ["doctor", "--no-such-option"], ["doctor", "extra"]])
def test_a_command_that_is_not_understood_exits_with_2(words: list[str]) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert "usage:" in err


def test_the_doctor_tries_everything_and_leaves_nothing(home: Path) -> None:
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    for step in ("config", "selection", "open", "write", "read", "condition", "list", "delete", "all is well"):
        assert step in out
    assert os.listdir(home / ".quire") == []


def test_the_doctor_speaks_json(home: Path) -> None:
    (home / "vault").mkdir()
    (home / "vault" / "note.md").write_text("x")
    (home / "vault" / "note (conflicted copy).md").write_text("y")
    (home / "vault" / "link.md").symlink_to(home)
    code, out, _ = run("doctor", "--json", "--storage", "vault", "--option", "root=~/vault")
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


def test_the_doctor_names_what_recovery_could_not_put_right(home: Path) -> None:
    root = home / ".quire"
    died = subprocess.run([sys.executable, "-c", DIES_IN_AN_EXCHANGE, str(root)], check=False)
    assert died.returncode == -signal.SIGKILL
    [left] = (root / "notes").glob(".quire-x-*")
    os.link(left, home / "backup")  # some tool keeps the leftover under a second name, so Quire will not touch it

    for _ in range(2):  # it is tried again each time
        code, out, _ = run("doctor", "--json")
        check = next(check for check in json.loads(out)["checks"] if check["name"] == "leftovers")
        assert (code, check["state"]) == (0, "warning")
        assert f"notes/{left.name}" in check["detail"]
        assert "a hard link" in check["detail"]

    (home / "backup").unlink()
    code, out, _ = run("doctor")
    assert (code, "leftovers" in out) == (0, False)
    assert "1 temporary files of a process that died were put right" in out
    assert (root / "notes/a.md").read_text() == "from an editor"
    assert "recovery" not in run("doctor")[1]


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
def test_the_doctor_says_the_words_of_the_runtime_error(home: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    variables, config = MISCONFIGURED[case]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if config is not None:
        (home / ".config/quire").mkdir(parents=True)
        (home / ".config/quire/config.toml").write_text(config)
    with pytest.raises(SelectionError) as caught:
        open_storage()
    code, out, err = run("doctor")
    assert (code, err) == (1, "")
    assert str(caught.value) in out
    code, out, _ = run("doctor", "--json")
    [failed] = [check for check in json.loads(out)["checks"] if check["state"] == "failed"]
    assert (code, failed["detail"], failed["code"]) == (1, str(caught.value), caught.value.code)


def test_the_doctor_notices_a_storage_that_opens_but_does_not_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from quire.backends.ram import RamBackend

    class Forgetful(RamBackend):
        def read_bytes(self, locator: Locator) -> bytes:
            return super().read_bytes(locator).replace(b"\r\n", b"\n")

    monkeypatch.setattr(quire.registry, "_classes", {**quire.registry._classes})
    quire.registry.register("forgetful", Forgetful)
    assert main(["doctor", "--storage", "forgetful"]) == 1
    assert "failed  read" in capsys.readouterr().out


def test_a_wrong_option_is_explained() -> None:
    code, _, err = run("doctor", "--option", "root")
    assert code == 1
    assert "NAME=VALUE" in err
