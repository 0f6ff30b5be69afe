"""The exam of the storage seam.

    class TestMine(StorageBackendTests):
        @pytest.fixture
        def storage(self, tmp_path):
            return MyBackend(tmp_path)

`storage` is an empty backend. Two more fixtures make the exam sharper where they can be given: `other`, a second handle
on the same storage, and `peek`, which reads the bytes of a key around the backend, so that a faulty read cannot vouch
for a faulty write.

The file is long because it is one specification, read from top to bottom.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest

from quire.errors import (
    AlreadyExists,
    Conflict,
    DirectoryNotEmpty,
    InvalidLocatorError,
    IsADirectory,
    NotADirectory,
    NotFound,
    NotText,
    StorageError,
)
from quire.locator import Locator, normalize_key
from quire.ports.storage import ABSENT, ANY, Capabilities, Info, StorageBackend, version_of
from quire.testing.storage_append import AppendTests
from quire.testing.storage_games import play

TEXTS = {
    "empty": "",
    "plain": "hello\n",
    "no final newline": "hello",
    "CRLF": "one\r\ntwo\r\n",
    "lone CR": "one\rtwo\r",
    "mixed newlines": "a\nb\r\nc\rd\n\r",
    "byte order mark": "\ufeffhello\n",
    "emoji": "👩‍👩‍👧‍👦 and 🇪🇺\n",
    "NUL": "a\0b\n",
    "line separators": "a\u2028b\u2029c\x85d\n",
    "decomposed": "e\u0301 stays as it is\n",
    "frontmatter": "---\ntags: [a]\n---\n\n# Head\n\n---\n",
}

REFUSED_KEYS = [
    "..",
    "../a",
    "a/..",
    "a/../b",
    "a/../../b",
    "/..",
    "a\\b",
    "..\\a",
    "a\0b",
    "a\nb",
    "a\rb",
    "a\tb",
    "a\x1bb",
    "a\x7fb",
    "a\u0085b",
    "a\u202eb",
    "C:",
    "C:/a",
    "c:a",
    "a/C:/b",
    "CON",
    "con.md",
    "a/nul",
    "aux.tar.gz",
    "COM1",
    "lpt9.txt",
    "com\u00b9",
    "conin$",
    "a.",
    "a ",
    "a./b",
    "a /b",
    "...",
    ".quire-anything",
    ".QUIRE-anything",
    "a/.quire-x/b",
    "a" * 256,
    "é" * 128,
    "/".join(["abcdefgh"] * 120),
    "a\ud800b",
]

KEPT_KEYS = {
    "": "",
    "/": "",
    ".": "",
    "./a": "a",
    "/a": "a",
    "//a///b//": "a/b",
    "a/./b/.": "a/b",
    "a/b.md": "a/b.md",
    ".hidden": ".hidden",
    "a b": "a b",
    "..a": "..a",
    "a..b": "a..b",
    "console.md": "console.md",
    "e\u0301.md": "\u00e9.md",
}

# Legal everywhere we write, and each special to some technology below: SQL wildcards, URL escapes, globs, shells.
AWKWARD_NAMES = [
    "a_b.md", "axb.md", "a%b.md", "%41.md", "A.md", "a*b", "a?b", "[a]", "{a}", "a+b", "a#b", "a&b=c", "a'b", 'a"b',
    "a;b", "a,b", "a|b", "<a>", "$HOME", "`a`", "~", "~a", "-rf", "--", "@a", "!a", "ab:c", "a = b", "(a)", "^a",
    "日本語.md", "한국어.md", "ไทย.md", "é.md", "🧵.md", ".hidden", "a.b.c", "x" * 255,
]  # fmt: skip


class StorageBackendTests(AppendTests):
    """What any backend promises. Give a `storage` fixture and it is all asked of yours."""

    games: ClassVar[int] = 20  # how many random games of 25 moves are played

    @pytest.fixture
    def storage(self) -> StorageBackend:
        """An empty backend. Override."""
        raise NotImplementedError("give this class a fixture named 'storage'")

    @pytest.fixture
    def other(self, storage: StorageBackend) -> StorageBackend:
        """A second handle on what `storage` holds."""
        return storage

    @pytest.fixture
    def peek(self, other: StorageBackend) -> Callable[[str], bytes]:
        """The bytes of a key, read around the backend."""
        return lambda key: other.read_bytes(Locator(key))

    # What it is

    def test_declares_what_it_promises(self, storage: StorageBackend) -> None:
        assert isinstance(storage.capabilities, Capabilities)
        assert isinstance(storage.conflict_strategy, str)
        assert storage.conflict_strategy

    def test_resolves_parts_to_a_locator(self, storage: StorageBackend) -> None:
        assert storage.resolve() == Locator("")
        assert storage.resolve("a", "b/c", "./d") == Locator("a/b/c/d")

    def test_an_empty_storage_has_a_root_and_nothing_else(self, storage: StorageBackend) -> None:
        assert storage.exists(storage.resolve())
        assert storage.info(storage.resolve()).is_dir
        assert storage.list(storage.resolve()) == []
        assert list(storage.walk(storage.resolve())) == []

    # Keys

    @pytest.mark.parametrize("key", REFUSED_KEYS)
    def test_refuses_a_key_that_is_not_safe(self, storage: StorageBackend, key: str) -> None:
        with pytest.raises(InvalidLocatorError):
            storage.resolve(key)
        with pytest.raises(ValueError):
            Locator("a").child(key)

    @pytest.mark.parametrize(("key", "normal"), KEPT_KEYS.items())
    def test_spells_a_key_in_one_way(self, storage: StorageBackend, key: str, normal: str) -> None:
        assert storage.resolve(key).key == normal == normalize_key(normal)

    def test_composed_and_decomposed_names_are_one_file(self, storage: StorageBackend) -> None:
        name = "caf\u00e9/\u1ec7.md"
        storage.write(Locator(name), "one")
        assert storage.read(Locator(unicodedata.normalize("NFD", name))) == "one"
        storage.write(Locator(unicodedata.normalize("NFD", name)), "two")
        assert storage.read(Locator(name)) == "two"
        assert [info.locator.key for info in storage.walk(Locator())] == [name]

    @pytest.mark.parametrize("name", AWKWARD_NAMES)
    def test_keeps_awkward_names(self, storage: StorageBackend, name: str) -> None:
        at = storage.write(Locator(f"folder/{name}"), name)
        assert storage.read(at) == name
        assert storage.list(Locator("folder")) == [at]
        assert [info.locator for info in storage.walk(Locator("folder"))] == [at]
        assert storage.info(at).size == len(name.encode())
        storage.delete(at)
        assert not storage.exists(at)

    def test_holds_a_key_of_full_length(self, storage: StorageBackend) -> None:
        key = "/".join(["d" * 200] * 5) + "/" + "f" * 19
        assert len(key) == 1024
        storage.write(Locator(key), "deep")
        assert storage.read(Locator(key)) == "deep"

    def test_does_not_mistake_a_prefix_for_a_folder(self, storage: StorageBackend) -> None:
        for key in ("a_b/1", "axb/2", "a/3", "ab/4", "a%/5"):
            storage.write(Locator(key), key)
        assert storage.list(Locator("a_b")) == [Locator("a_b/1")]
        assert storage.list(Locator("a")) == [Locator("a/3")]
        assert storage.list(Locator("a%")) == [Locator("a%/5")]
        assert [info.locator.key for info in storage.walk(Locator("a"))] == ["a/3"]
        assert not storage.exists(Locator("a_"))

    # Read and write

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
    def test_text_comes_back_byte_for_byte(
        self, storage: StorageBackend, peek: Callable[[str], bytes], text: str
    ) -> None:
        at = Locator("notes/a.md")
        assert storage.write(at, text) == at
        assert storage.read(at) == text
        assert storage.read_bytes(at) == text.encode()
        assert peek("notes/a.md") == text.encode()

    def test_any_bytes_come_back(self, storage: StorageBackend, peek: Callable[[str], bytes]) -> None:
        content = bytes(range(256)) * 3
        at = storage.write_bytes(Locator("a.bin"), content)
        assert storage.read_bytes(at) == content == peek("a.bin")

    def test_takes_any_bytes_like_content(self, storage: StorageBackend) -> None:
        at = storage.write_bytes(Locator("a"), bytearray(b"one"))  # type: ignore[arg-type]
        assert storage.read_bytes(at) == b"one"
        storage.write_bytes(at, memoryview(b"two!")[:3])  # type: ignore[arg-type]
        assert storage.read_bytes(at) == b"two"

    def test_ten_megabytes_come_back(self, storage: StorageBackend) -> None:
        content = bytes(range(251)) * (10 * 1024 * 1024 // 251 + 1)
        at = storage.write_bytes(Locator("big.bin"), content)
        assert storage.read_bytes(at) == content
        info = storage.info(at)
        assert (info.size, info.version) == (len(content), version_of(content))

    def test_overwriting_replaces_everything(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("a.md"), "a much longer text than the next\n" * 50)
        storage.write(at, "short")
        assert storage.read(at) == "short" == other.read(at)
        storage.write(at, "")
        assert storage.read(at) == "" == other.read(at)
        assert storage.info(at).size == 0

    def test_reading_what_is_not_text_says_so(self, storage: StorageBackend) -> None:
        at = storage.write_bytes(Locator("a.md"), b"ok \xff\xfe")
        with pytest.raises(NotText) as caught:
            storage.read(at)
        assert "a.md" in str(caught.value)

    def test_writing_what_is_not_text_changes_nothing(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a.md"), "old")
        wrong: Any = b"bytes"
        with pytest.raises(NotText):
            storage.write(at, "a\ud800b")
        with pytest.raises(NotText):
            storage.write(at, wrong)
        wrong = "text"
        with pytest.raises(StorageError):
            storage.write_bytes(at, wrong)
        assert storage.read(at) == "old"

    @pytest.mark.parametrize("key", ["absent.md", "absent/below.md", "folder/absent.md"])
    def test_asking_for_nothing_is_not_found(self, storage: StorageBackend, key: str) -> None:
        storage.write(Locator("folder/present.md"), "x")
        for verb in (storage.read, storage.read_bytes, storage.info, storage.delete):
            with pytest.raises(NotFound) as caught:
                verb(Locator(key))
            assert isinstance(caught.value, FileNotFoundError)
            assert caught.value.code == "FILE_NOT_FOUND"
            assert key in str(caught.value)
        with pytest.raises(NotFound):
            storage.move(Locator(key), Locator("elsewhere.md"))
        assert not storage.exists(Locator(key))
        assert not storage.exists(Locator("elsewhere.md"))

    def test_another_handle_sees_each_change(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("a/b.md"), "one")
        assert other.read(at) == "one"
        other.write(at, "two", if_version=storage.info(at).version)
        assert storage.read(at) == "two"
        other.move(at, Locator("c.md"))
        assert storage.read(Locator("c.md")) == "two"
        storage.delete(Locator("c.md"))
        assert not other.exists(Locator("c.md"))

    # Folders

    def test_lists_immediate_children_sorted_by_key(self, storage: StorageBackend) -> None:
        names = ["b.md", "a.md", "a-b.md", "a", "B.md", "\uff21.md", "😀.md", "é.md", "10", "9", "a0", "_x", "~y"]
        for name in names:
            storage.write(Locator("top").child(name, "deep.md") if name == "a" else Locator("top").child(name), name)
        assert storage.list(Locator("top")) == [Locator(f"top/{name}") for name in sorted(names)]
        assert storage.list(Locator("top/a")) == [Locator("top/a/deep.md")]
        assert storage.list(storage.resolve()) == [Locator("top")]

    def test_listing_nothing_is_empty(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("folder/file.md"), "x")
        for nothing in (at, Locator("absent"), Locator("absent/deeper"), at.child("below")):
            assert storage.list(nothing) == []
            assert list(storage.walk(nothing)) == []

    def test_lists_more_than_a_page(self, storage: StorageBackend) -> None:
        keys = [f"many/{number:04}.md" for number in range(1100)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda key: storage.write(Locator(key), key), keys))
        assert [at.key for at in storage.list(Locator("many"))] == keys
        assert [info.locator.key for info in storage.walk(Locator())] == keys

    def test_makes_folders(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = Locator("a/b/c")
        assert storage.mkdir(at) == at
        assert storage.mkdir(at) == at
        for folder in (at, at.parent, at.parent.parent):
            assert other.exists(folder)
            assert other.info(folder) == Info(folder, True, 0, other.info(folder).mtime)
        assert storage.list(at) == []
        assert storage.list(Locator("a")) == [Locator("a/b")]
        assert list(storage.walk(Locator())) == []
        storage.write(at.child("d.md"), "x")
        assert storage.list(at) == [at.child("d.md")]
        storage.mkdir(at)
        assert storage.read(at.child("d.md")) == "x"
        assert storage.mkdir(Locator()) == Locator()

    def test_a_folder_is_not_a_file(self, storage: StorageBackend) -> None:
        storage.mkdir(Locator("made"))
        storage.write(Locator("implied/file.md"), "x")
        for folder in (Locator("made"), Locator("implied"), Locator()):
            for attempt in (
                storage.read,
                storage.read_bytes,
                lambda at: storage.write(at, "x"),
                lambda at: storage.write(at, "x", if_version=ABSENT),
            ):
                with pytest.raises((IsADirectory, AlreadyExists)):
                    attempt(folder)
            with pytest.raises((IsADirectory, Conflict)):
                storage.write(folder, "x", if_version=version_of("y"))
            assert storage.info(folder).is_dir
        assert storage.read(Locator("implied/file.md")) == "x"

    def test_a_file_is_not_a_folder(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a.md"), "x")
        attempts: list[Callable[[], object]] = [
            lambda: storage.write(at.child("b.md"), "y"),
            lambda: storage.write(at.child("b/c/d.md"), "y"),
            lambda: storage.write(at.child("b.md"), "y", if_version=ABSENT),
            lambda: storage.mkdir(at),
            lambda: storage.mkdir(at.child("b")),
            lambda: storage.move(storage.write(Locator("other.md"), "o"), at.child("b.md")),
        ]
        for attempt in attempts:
            with pytest.raises(NotADirectory):
                attempt()
        assert not storage.exists(at.child("b.md"))
        with pytest.raises(NotFound):
            storage.read(at.child("b.md"))
        assert storage.read(at) == "x"
        assert storage.read(Locator("other.md")) == "o"

    def test_info_tells_what_is_there(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("folder/a.md"), "héllo")
        info = storage.info(at)
        assert info == Info(at, False, 6, info.mtime, version_of("héllo"))
        assert info.mtime > 1_500_000_000
        folder = storage.info(Locator("folder"))
        assert (folder.locator, folder.is_dir, folder.size, folder.version) == (Locator("folder"), True, 0, "")
        storage.write(at, "other")
        assert storage.info(at).version == version_of("other")

    def test_walks_every_file_in_order_of_the_keys(self, storage: StorageBackend) -> None:
        keys = sorted(["a.md", "a/b.md", "a/b/c.md", "a-b/c.md", "b/é.md", "z/y/x/w.md", "a0.md"])
        for key in reversed(keys):
            storage.write(Locator(key), key)
        storage.mkdir(Locator("empty"))
        infos = list(storage.walk(Locator()))
        assert [info.locator.key for info in infos] == keys
        assert [info.size for info in infos] == [len(key.encode()) for key in keys]
        assert not any(info.is_dir for info in infos)
        assert [info.locator.key for info in storage.walk(Locator("a"))] == ["a/b.md", "a/b/c.md"]

    def test_walk_shows_by_the_version_what_to_look_at_again(self, storage: StorageBackend) -> None:
        one, two = (storage.write(Locator(key), "before") for key in ("one", "two"))
        before = {info.locator: info.version for info in storage.walk(Locator())}
        storage.write(two, "after!")
        after = {info.locator: info.version for info in storage.walk(Locator())}
        assert after[one] == before[one]
        assert after[two] != before[two]

    # Preconditions

    def test_any_writes_over_whatever_is_there(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one", if_version=ANY)
        storage.write(at, "two", if_version=ANY)
        assert storage.read(at) == "two"

    def test_absent_creates_only(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("folder/a"), "one", if_version=ABSENT)
        with pytest.raises(AlreadyExists) as caught:
            storage.write(at, "two", if_version=ABSENT)
        assert isinstance(caught.value, Conflict)
        assert isinstance(caught.value, FileExistsError)
        assert caught.value.current == version_of("one")
        with pytest.raises(AlreadyExists):
            storage.write(at, "one", if_version=ABSENT)
        assert storage.read(at) == "one"
        storage.delete(at)
        storage.write(at, "three", if_version=ABSENT)
        assert storage.read(at) == "three"

    def test_a_version_replaces_only_what_was_seen(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        seen = storage.info(at).version
        storage.write(at, "two", if_version=seen)
        with pytest.raises(Conflict) as caught:
            other.write(at, "three", if_version=seen)
        assert caught.value.current == version_of("two")
        assert caught.value.code == "CONFLICT"
        assert storage.read(at) == "two"
        other.write(at, "two", if_version=version_of("two"))
        other.write(at, "", if_version=version_of("two"))
        assert storage.read(at) == ""

    def test_a_version_of_nothing_conflicts(self, storage: StorageBackend) -> None:
        with pytest.raises(Conflict) as caught:
            storage.write(Locator("absent"), "x", if_version=version_of("x"))
        assert caught.value.current is None
        with pytest.raises(Conflict):
            storage.write(Locator("absent/below"), "x", if_version=version_of("x"))
        assert not storage.exists(Locator("absent"))

    def test_a_precondition_of_another_kind_is_refused(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        for wrong in (None, 1, True, b"x"):
            with pytest.raises(StorageError):
                storage.write(at, "two", if_version=wrong)  # type: ignore[arg-type]
            with pytest.raises(StorageError):
                storage.write(Locator("absent"), "two", if_version=wrong)  # type: ignore[arg-type]
            with pytest.raises(StorageError):
                storage.delete(at, if_version=wrong)  # type: ignore[arg-type]
        assert storage.read(at) == "one"
        assert not storage.exists(Locator("absent"))

    def test_of_many_creators_one_wins(self, storage: StorageBackend, other: StorageBackend) -> None:
        for game in range(5):
            at = Locator(f"race/{game}")
            start = threading.Barrier(8)

            def create(number: int, at: Locator = at, start: threading.Barrier = start) -> bool:
                start.wait()
                try:
                    (storage, other)[number % 2].write(at, f"creator {number}", if_version=ABSENT)
                except Conflict:
                    return False
                return True

            with ThreadPoolExecutor(8) as pool:
                won = list(pool.map(create, range(8)))
            assert won.count(True) == 1
            assert storage.read(at) == f"creator {won.index(True)}"

    def test_a_file_and_one_below_it_are_never_both_acknowledged(
        self, storage: StorageBackend, other: StorageBackend
    ) -> None:
        for game in range(8):
            file = Locator(f"race/{game}/n")
            start = threading.Barrier(2)

            def create(number: int, file: Locator = file, start: threading.Barrier = start) -> bool:
                start.wait()
                try:
                    (storage, other)[number].write((file, file.child("x"))[number], "text", if_version=ABSENT)
                except (Conflict, IsADirectory, NotADirectory):
                    return False
                return True

            with ThreadPoolExecutor(2) as pool:
                won = list(pool.map(create, range(2)))
            assert won.count(True) <= 1
            for number, at in enumerate((file, file.child("x"))):
                if won[number]:
                    assert storage.read(at) == "text"

    def test_racing_increments_all_count(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("counter"), "0")
        start = threading.Barrier(4)

        def count(number: int) -> None:
            handle = (storage, other)[number % 2]
            start.wait()
            for _ in range(10):
                while True:
                    seen = handle.read(at)
                    try:
                        handle.write(at, str(int(seen) + 1), if_version=version_of(seen))
                        break
                    except Conflict:
                        continue

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(count, range(4)))
        assert storage.read(at) == "40"
        assert [at.key for at in storage.list(Locator())] == ["counter"]

    def test_parallel_writes_to_different_keys_all_land(self, storage: StorageBackend) -> None:
        keys = [f"p/{number % 4}/{number}" for number in range(64)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda key: storage.write(Locator(key), key, if_version=ABSENT), keys))
        assert {info.locator.key for info in storage.walk(Locator())} == set(keys)
        assert all(storage.read(Locator(key)) == key for key in keys)

    # Delete

    def test_deletes_a_file(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("folder/a"), "x")
        kept = storage.write(Locator("folder/b"), "y")
        storage.delete(at)
        assert not other.exists(at)
        assert other.list(Locator("folder")) == [kept]
        assert [info.locator for info in other.walk(Locator())] == [kept]
        with pytest.raises(NotFound):
            storage.delete(at)

    def test_deletes_only_the_version_that_was_seen(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        storage.write(at, "two")
        with pytest.raises(Conflict) as caught:
            storage.delete(at, if_version=version_of("one"))
        assert caught.value.current == version_of("two")
        with pytest.raises(Conflict):
            storage.delete(at, if_version=ABSENT)
        assert storage.read(at) == "two"
        storage.delete(at, if_version=version_of("two"))
        with pytest.raises(NotFound):
            storage.delete(at, if_version=version_of("two"))
        assert not storage.exists(at)

    def test_deletes_a_folder_only_when_it_is_empty(self, storage: StorageBackend) -> None:
        storage.mkdir(Locator("a/b"))
        at = storage.write(Locator("a/b/c.md"), "x")
        for folder in ("a", "a/b"):
            with pytest.raises(DirectoryNotEmpty):
                storage.delete(Locator(folder))
        assert storage.read(at) == "x"
        storage.delete(at)
        storage.delete(Locator("a/b"))
        assert not storage.exists(Locator("a/b"))
        with pytest.raises(IsADirectory):
            storage.delete(Locator())

    # Move

    def test_moves_a_file(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("a/one.md"), "text\r\n")
        to = Locator("new/folder/two.md")
        assert storage.move(at, to) == to
        assert other.read(to) == "text\r\n"
        assert not other.exists(at)
        assert [info.locator for info in other.walk(Locator())] == [to]

    def test_never_moves_over_anything(self, storage: StorageBackend) -> None:
        one = storage.write(Locator("one"), "1")
        storage.write(Locator("two"), "2")
        storage.write(Locator("folder/three"), "3")
        storage.mkdir(Locator("empty"))
        for taken in ("two", "folder", "folder/three", "empty", "one"):
            with pytest.raises(AlreadyExists):
                storage.move(one, Locator(taken))
        assert [storage.read(Locator(key)) for key in ("one", "two", "folder/three")] == ["1", "2", "3"]
        with pytest.raises(IsADirectory):
            storage.move(one, Locator())
        with pytest.raises(NotADirectory):
            storage.move(one, one.child("below"))
        assert storage.read(one) == "1"

    def test_moves_only_the_version_that_was_seen(self, storage: StorageBackend) -> None:
        at = storage.write(Locator("a"), "one")
        storage.write(at, "two")
        with pytest.raises(Conflict) as caught:
            storage.move(at, Locator("b"), if_version=version_of("one"))
        assert caught.value.current == version_of("two")
        with pytest.raises(Conflict):
            storage.move(at, Locator("b"), if_version=ABSENT)
        assert storage.read(at) == "two"
        assert not storage.exists(Locator("b"))
        storage.move(at, Locator("b"), if_version=version_of("two"))
        assert storage.read(Locator("b")) == "two"

    def test_moves_a_folder_with_all_that_is_in_it(self, storage: StorageBackend) -> None:
        for key in ("a/1", "a/b/2", "a/b/c/3", "ab/4"):
            storage.write(Locator(key), key)
        storage.move(Locator("a"), Locator("x/y"))
        assert {info.locator.key: storage.read(info.locator) for info in storage.walk(Locator())} == {
            "ab/4": "ab/4", "x/y/1": "a/1", "x/y/b/2": "a/b/2", "x/y/b/c/3": "a/b/c/3",
        }  # fmt: skip
        assert not storage.exists(Locator("a"))
        with pytest.raises(NotADirectory):
            storage.move(Locator("x"), Locator("x/y/z"))
        with pytest.raises(AlreadyExists):
            storage.move(Locator("x"), Locator("ab"))
        with pytest.raises(Conflict):
            storage.move(Locator("x"), Locator("z"), if_version=version_of(""))

    def test_of_many_movers_one_wins(self, storage: StorageBackend, other: StorageBackend) -> None:
        at = storage.write(Locator("source"), "text")
        start = threading.Barrier(6)

        def move(number: int) -> bool:
            start.wait()
            try:
                (storage, other)[number % 2].move(at, Locator(f"target/{number}"))
            except (NotFound, Conflict):
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            won = list(pool.map(move, range(6)))
        assert won.count(True) == 1
        assert [info.locator.key for info in storage.walk(Locator())] == [f"target/{won.index(True)}"]
        assert storage.read(Locator(f"target/{won.index(True)}")) == "text"

    def test_of_many_that_want_one_name_one_gets_it(self, storage: StorageBackend, other: StorageBackend) -> None:
        sources = [storage.write(Locator(f"source/{number}"), f"text {number}") for number in range(6)]
        start = threading.Barrier(6)

        def move(number: int) -> bool:
            start.wait()
            try:
                (storage, other)[number % 2].move(sources[number], Locator("target"))
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(6) as pool:
            won = list(pool.map(move, range(6)))
        assert won.count(True) == 1
        assert storage.read(Locator("target")) == f"text {won.index(True)}"
        losers = [number for number in range(6) if not won[number]]
        assert all(storage.read(sources[number]) == f"text {number}" for number in losers)

    # The end

    def test_closes_twice(self, storage: StorageBackend) -> None:
        storage.write(Locator("a"), "x")
        storage.close()
        storage.close()

    def test_plays_random_games_as_the_model_does(self, storage: StorageBackend) -> None:
        play(storage, self.games)
