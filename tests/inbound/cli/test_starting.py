"""`quire init`: what it makes, what it leaves alone, and what it leaves behind where it refuses."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.inbound.cli.conftest import Quire


@pytest.fixture
def config(home: Path) -> Path:
    return home / ".config/quire/config.toml"


def test_makes_what_is_missing_and_then_nothing(quire: Quire, home: Path, config: Path) -> None:
    first = quire("init", "--json").json["actions"]
    assert [action["done"] for action in first] == ["made"] * 3
    assert [action["path"] for action in first] == [f"{home}/.quire", f"{home}/.quire/.gitignore", str(config)]
    before = config.read_bytes()
    assert [action["done"] for action in quire("init", "--json").json["actions"]] == ["kept"] * 3
    assert config.read_bytes() == before
    assert os.listdir(config.parent) == ["config.toml"]


def test_what_is_there_is_not_overwritten(quire: Quire, home: Path, config: Path) -> None:
    (home / ".quire").mkdir()
    (home / ".quire/.gitignore").write_text("mine\n")
    config.parent.mkdir(parents=True)
    config.write_text("# mine\n")
    assert [action["done"] for action in quire("init", "--json").json["actions"]] == ["kept"] * 3
    assert (home / ".quire/.gitignore").read_text() == "mine\n"
    assert config.read_text() == "# mine\n"


def test_what_was_given_is_what_the_next_command_uses(quire: Quire, home: Path) -> None:
    words = ["--storage", "vault", "--root", str(home / "Agent"), "--option", "lock_timeout=2.5", "--agent", "coder"]
    (home / "Notes").mkdir()
    quire("init", *words, "--personal", str(home / "Notes"), "--timezone", "Asia/Tokyo", "--layout", "root")
    details = {check["name"]: check["detail"] for check in quire("doctor", "--json").json["checks"]}
    assert details["open"] == f"VaultBackend {home / 'Agent'}"
    assert details["memory"].startswith("default/default/agent:coder")
    assert (details["layout"], details["personal"]) == ("root", str(home / "Notes"))
    assert details["zone"].startswith("Asia/Tokyo")
    assert quire("append", "Late.", "--at", "2026-06-01T23:30:00+00:00").out.startswith("ep_20260602_")


def test_a_root_that_is_relative_is_the_one_of_this_folder_wherever_it_is_used(
    quire: Quire, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    quire("init", "--root", "here")
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    quire("save", "x")
    assert (home / "here/default_app").is_dir()


def test_a_new_config_is_for_nobody_else_to_read_and_an_old_one_keeps_its_mode(quire: Quire, config: Path) -> None:
    quire("init")
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    config.chmod(0o644)
    quire("init", "--user", "ann")
    assert stat.S_IMODE(config.stat().st_mode) == 0o644


def test_a_config_that_is_a_link_stays_one(quire: Quire, home: Path, config: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles/quire.toml").write_text("[memory]\n")
    config.parent.mkdir(parents=True)
    config.symlink_to(home / "dotfiles/quire.toml")
    assert quire("init", "--user", "ann").code == 0
    assert config.is_symlink()
    assert (home / "dotfiles/quire.toml").read_text() == '[memory]\nuser = "ann"\n'


REFUSED = {
    "protocol": (["--storage", "vautl"], 6),
    "layout": (["--layout", "tree"], 6),
    "zone": (["--timezone", "Mars"], 6),
    "scope": (["--agent", "a/b"], 6),
    "option": (["--option", "colour=red"], 6),
    "type": (["--option", "lock_timeout=soon"], 6),
    "no root": (["--storage", "vault"], 6),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_work_is_refused_and_leaves_nothing_behind(quire: Quire, home: Path, case: str) -> None:
    words, code = REFUSED[case]
    answer = quire("init", *words)
    assert (answer.code, answer.out) == (code, "")
    assert os.listdir(home) == []
    doctor = quire("doctor", *words)
    assert doctor.code == 1
    assert answer.err.removeprefix("quire: ").strip() in doctor.out


def test_a_variable_that_goes_before_the_file_is_named(quire: Quire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_USER", "bob")
    assert "QUIRE_USER is set, and goes before" in quire("init", "--user", "ann").err
    assert quire("init", "--agent", "coder").err == ""


def test_a_storage_without_a_folder_gets_a_config_only(quire: Quire, config: Path, home: Path) -> None:
    assert quire("init", "--storage", "ram").out == f"kept     ram\nmade     {config}\n"
    assert os.listdir(home) == [".config"]
