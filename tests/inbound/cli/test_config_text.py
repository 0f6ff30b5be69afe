"""The config file as text: what is set is set, and every other byte stays, or it is refused."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import SelectionError
from quire.inbound.cli.config_text import NEW, Value, merged
from quire.settings import memory_settings, storage_settings

BACKEND = {("storage", "backend"): "vault"}


def test_an_empty_file_gets_the_table() -> None:
    assert merged("", BACKEND, "c") == '[storage]\nbackend = "vault"\n'


def test_a_key_is_set_where_it_stands() -> None:
    text = "# mine\n[storage]  # where\n  backend   = 'ram'   # for now\nrequire = []\n\n[memory]\nuser = \"ann\"\n"
    assert merged(text, BACKEND, "c") == text.replace("'ram'", '"vault"')


def test_a_new_key_goes_to_the_end_of_its_table() -> None:
    text = "[storage]\nrequire = []  # none\n# a remark\n\n[memory]\nuser = 'ann'\n"
    assert merged(text, BACKEND, "c") == text.replace("# none\n", '# none\nbackend = "vault"\n')


def test_a_new_table_goes_to_the_end_of_the_file() -> None:
    text = "[memory]\nuser = 'ann'"
    changes: dict[tuple[str, str], Value] = {
        ("storage.vault", "root"): "~/Notes",
        ("storage.vault", "lock_timeout"): 2.5,
    }
    assert merged(text, changes, "c") == f'{text}\n\n[storage.vault]\nroot = "~/Notes"\nlock_timeout = 2.5\n'


def test_lines_keep_their_ends() -> None:
    text = "[storage]\r\nbackend = 'ram'\r\n"
    assert merged(text, {**BACKEND, ("memory", "user"): "ann"}, "c") == (
        '[storage]\r\nbackend = "vault"\r\n\r\n[memory]\r\nuser = "ann"\r\n'
    )


def test_the_same_again_changes_nothing() -> None:
    changes: dict[tuple[str, str], Value] = {**BACKEND, ("memory", "user"): "ann", ("personal", "root"): "~/Notes"}
    once = merged(NEW, changes, "c", samples=True)
    assert merged(once, changes, "c") == once


def test_a_comment_that_shows_a_key_stays_in_a_file_of_the_persons_own() -> None:
    text = '[storage]\n# backend = "ram"\n'
    assert merged(text, BACKEND, "c") == '[storage]\nbackend = "vault"\n# backend = "ram"\n'
    assert merged(text, BACKEND, "c", samples=True) == '[storage]\nbackend = "vault"\n'


def test_a_hash_in_a_value_is_no_comment() -> None:
    for value in ('"a # b"', "'a # b'", r'"a \" # b"'):
        assert merged(f"[storage]\nbackend = {value} # c\n", BACKEND, "c") == '[storage]\nbackend = "vault" # c\n'


@pytest.mark.parametrize(
    "text",
    [
        "storage.backend = 'ram'\n",
        "storage = { backend = 'ram' }\n",
        "[storage]\n'backend' = 'ram'\n",
        "['storage']\nbackend = 'ram'\n",
        "[storage]\nbackend = '''\nram'''\n",
        "note = '''\n[storage]\n'''\n[storage]\n",
        "[[storage]]\nbackend = 'ram'\n",
        "storage = 1\n",
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(SelectionError) as caught:
        merged(text, BACKEND, "config.toml")
    assert caught.value.code in ("CONFIG_NOT_MERGED", "CONFIG_NOT_A_TABLE")
    assert "config.toml" in str(caught.value)
    assert "storage" in str(caught.value)


def test_the_sample_is_a_config_that_works_and_shows_every_word() -> None:
    tomllib.loads(NEW)
    lines = [line.removeprefix("# ") if "=" in line or line.startswith("# [") else line for line in NEW.splitlines()]
    shown = tomllib.loads("\n".join(lines))
    assert set(shown) == {"storage", "memory", "personal", "kinds"}
    settings = memory_settings({}, config="/dev/null", environment={})
    assert set(shown["memory"]) == set(settings.words) - {"run", "session"}  # another each time
    assert (
        storage_settings(None, {}, (), config="/dev/null", environment={}).protocol.value == shown["storage"]["backend"]
    )


NAMES = st.sampled_from(["storage", "memory", "storage.vault", "kinds.recipe", "personal", "other"])
KEYS = st.sampled_from(["backend", "root", "user", "layout", "a", "b-c"])
SCALARS = st.one_of(
    st.booleans(), st.integers(-(2**40), 2**40), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
LINES = st.one_of(
    st.builds(lambda name: f"[{name}]", NAMES),
    st.builds(lambda key, value, tail: f"{key} = {value}{tail}", KEYS,
              st.sampled_from(['"x"', "'y # z'", "3", "[1, 2]", "{ p = 1 }", '"""', "'''", "[", "true"]),
              st.sampled_from(["", "  # why", " #"])),
    st.sampled_from(["", "# remark", "# backend = 1", '"""', "]", "  ", "[[kinds]]", "storage.backend = 1"]),
)  # fmt: skip


@given(
    lines=st.lists(LINES, max_size=12),
    key=st.tuples(NAMES, KEYS),
    value=SCALARS,
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_whatever_the_file_is_only_the_key_changes_or_nothing(
    lines: list[str], key: tuple[str, str], value: Any, newline: str
) -> None:
    text = newline.join(lines)
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    try:
        after = merged(text, {key: value}, "c")
    except SelectionError:
        return
    expected: dict[str, Any] = before
    for name in key[0].split("."):
        expected = expected.setdefault(name, {})
    expected[key[1]] = value
    assert tomllib.loads(after) == before
    kept = after.splitlines()
    gone = [line for line in text.splitlines() if line not in kept]
    assert len(gone) <= 1, "no line but that of the key is another"
