"""What is promised of reading and writing: every byte comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from quire.errors import (
    NotFound,
    NotText,
    StorageError,
)
from quire.locator import Locator
from quire.ports.storage import StorageBackend, version_of

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


class ContentTests:
    """Part of `StorageBackendTests`."""

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
