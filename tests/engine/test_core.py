"""Core: an id leads to its entry, wherever the layout put it, and to nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import quire
from quire import (
    ANY,
    BackendRegistry,
    EntryNotFound,
    IfVersion,
    Info,
    InvalidEntry,
    InvalidScope,
    Locator,
    Memory,
    Scope,
)
from quire.backends.ram import RamBackend
from quire.engine.entry import MAX_FILE_BYTES
from quire.errors import NotText, TooLarge
from tests.engine.looking import put, where


def test_an_entry_is_found_in_every_zone(memory: Memory) -> None:
    for zone in memory.core.layout.zones:
        name = f"in-{zone.name.lower()}"
        put(memory, where(memory, "fix", name, zone), "---\nkind: fix\n---\nText\n")
        assert memory.get(f"fix/{name}").locator.key == where(memory, "fix", name, zone)


def test_the_first_of_our_scopes_that_has_it_answers(memory: Memory) -> None:
    memory.save("The agent's.", slug="x", scope="agent")
    memory.save("The user's.", slug="x", scope="user")
    memory.save("Everybody's.", slug="x", scope="shared")
    assert memory.get("preference/x").text == "The agent's."
    assert memory.get("preference/x", scope="user").text == "The user's."
    assert memory.get(" preference/x ", scope=Scope.parse("shared")).text == "Everybody's."


def test_an_id_is_the_same_in_both_forms_of_its_letters(memory: Memory) -> None:
    memory.save("Brot.", slug="käse")
    assert memory.get("preference/ka\u0308se").id == "preference/käse"


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("fix/locked-databse", "fix/locked-database"),
        ("fix/locked-database.md", "fix/locked-database"),
        ("locked-database", "fix/locked-database"),
        ("idea/locked-database", "fix/locked-database"),
        ("fx/locked-database", "fix/locked-database"),
        ("skill/deploi", "skill/deploy"),
        ("preference/alway", "preference/always"),
    ],
)
def test_an_id_that_is_not_there_names_those_that_look_like_it(memory: Memory, asked: str, meant: str) -> None:
    memory.save("One.", kind="fix", slug="locked-database")
    memory.save("Two.", kind="skill", slug="deploy")
    memory.save("Three.", kind="preference", slug="always")
    with pytest.raises(EntryNotFound, match=f"there is {meant}"):
        memory.get(asked)


@pytest.mark.parametrize(
    "id",
    [
        "fix/nothing", "fix/", "/x", "fix/a/b", "fix/../fix/x", "fix/con", "fix/a\\b", "fix/a\0b", "fix/_index",
        "nothing", "ep_20260601_00000001", "ep_20261301_00000001", "xx_20260601_00000001", "profile", "episode/x",
        "fix/" + "x" * 300,
    ],
)  # fmt: skip
def test_an_id_of_nothing_is_not_found(memory: Memory, id: str) -> None:
    put(memory, where(memory, "fix", "x").replace("x.md", "a/b.md"), "Below a folder, where no entry is.\n")
    with pytest.raises(EntryNotFound):
        memory.get(id)


@pytest.mark.parametrize("id", ["", "  ", None, 5])
def test_what_is_no_id_is_refused(memory: Memory, id: object) -> None:
    with pytest.raises(InvalidEntry, match="is not an id"):
        memory.get(id)  # type: ignore[arg-type]


def test_a_file_that_cannot_be_read_is_not_the_same_as_nothing(memory: Memory) -> None:
    memory.core.storage.write_bytes(Locator(where(memory, "fix", "bad")), b"one\ntwo \xff\n")
    memory.core.storage.write_bytes(Locator(where(memory, "fix", "huge")), b"x" * (MAX_FILE_BYTES + 1))
    memory.core.storage.write_bytes(Locator(where(memory, "episode", "2026-06-01")), b"\xff")
    with pytest.raises(NotText, match=r"fix/bad in .*bad\.md: byte 8 is not UTF-8"):
        memory.get("fix/bad")
    with pytest.raises(TooLarge, match="more than the 16,777,216"):
        memory.get("fix/huge")
    with pytest.raises(NotText):
        memory.get("ep_20260601_00000001")


def test_a_scope_that_a_layout_has_no_room_for_says_so() -> None:
    with quire.open(protocol="ram", layout="vault") as memory, pytest.raises(InvalidScope, match="holds one app"):
        memory.get("fix/x", scope="shop/atlas/agent")


def test_what_is_no_scope_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidScope):
        memory.get("fix/x", scope=5)  # type: ignore[arg-type]


def test_every_file_of_the_root_is_looked_at_but_for_folders_that_begin_with_a_dot(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="x")
    for key in ("README.md", "notes/deep/x.txt", ".obsidian/app.json", ".hidden.md"):
        put(memory, key, "Text.\n")
    assert {locator.key for locator in memory.core.files()} == {
        "README.md",
        "notes/deep/x.txt",
        where(memory, "fix", "x"),
    }


# A file system that cannot tell `Alice` from `alice`


class Folding(RamBackend):
    """Finds a name in whatever case it is asked for, and keeps the spelling it was made with."""

    def _real(self, locator: Locator) -> Locator:
        real = Locator()
        for part in locator.parts:
            spelled = {child.name.casefold(): child.name for child in super().list(real)}
            real = real.child(spelled.get(part.casefold(), part))
        return real

    def read_bytes(self, locator: Locator) -> bytes:
        return super().read_bytes(self._real(locator))

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        super().write_bytes(self._real(locator), content, if_version=if_version)
        return locator

    def info(self, locator: Locator) -> Info:
        return super().info(self._real(locator))

    def exists(self, locator: Locator) -> bool:
        return super().exists(self._real(locator))

    def walk(self, locator: Locator) -> Iterator[Info]:
        real = self._real(locator)
        for info in super().walk(real):
            asked = Locator(locator.key + info.locator.key[len(real.key) :])
            yield Info(asked, info.is_dir, info.size, info.mtime, info.version)


@pytest.fixture
def folding(monkeypatch: pytest.MonkeyPatch, layout: str) -> Iterator[Memory]:
    registry = BackendRegistry()
    registry.register("folding", Folding)
    monkeypatch.setattr("quire.app.registry", registry)
    with quire.open(protocol="folding", layout=layout, timezone="UTC") as opened:
        yield opened


def test_two_people_whose_folders_would_be_one_are_kept_apart(folding: Memory) -> None:
    assert list(folding.list(scope="user:Alice")) == []  # nobody has that folder yet
    folding.save("Alice's.", slug="x", scope="user:alice")
    for attempt in (
        lambda: folding.get("preference/x", scope="user:Alice"),
        lambda: folding.list(scope="user:Alice"),
        lambda: folding.save("Another's.", slug="y", scope="user:Alice"),
        lambda: folding.append("Another's.", scope="user:ALICE"),
    ):
        with pytest.raises(InvalidScope, match=r"'alice' and 'A.*' are one folder"):
            attempt()
    assert folding.get("preference/x", scope="user:alice").text == "Alice's."
    with pytest.raises(InvalidScope, match="'Atlas' and 'atlas'"):
        folding.save("Mine.", scope="Atlas/user:alice")
        folding.save("Mine.", scope="atlas/user:alice")


def test_a_folder_of_the_layout_may_be_spelled_in_any_case(folding: Memory) -> None:
    base = folding.core.layout.base(folding.core.scopes[0])
    put(folding, f"{base[0].upper()}/readme.txt", "Of the person.\n")
    folding.save("Text.", slug="x")
    assert folding.get("preference/x").text == "Text."


def test_where_case_counts_they_are_two_people(memory: Memory) -> None:
    memory.save("Alice's.", slug="x", scope="user:alice")
    memory.save("Another's.", slug="x", scope="user:Alice")
    assert memory.get("preference/x", scope="user:alice").text == "Alice's."
    assert memory.get("preference/x", scope="user:Alice").text == "Another's."
