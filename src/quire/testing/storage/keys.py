"""What is promised of names: which are refused, how one is spelled, and that awkward ones are kept."""

from __future__ import annotations

import unicodedata

import pytest

from quire.errors import (
    InvalidLocatorError,
)
from quire.locator import Locator, normalize_key
from quire.ports.storage import StorageBackend

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


class KeyTests:
    """Part of `StorageBackendTests`."""

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
