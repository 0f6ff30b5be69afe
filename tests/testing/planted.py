"""Backends that each break one promise, sitting the exam. Collected only when named: each must fail."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from quire.backends.ram import RamBackend
from quire.errors import Conflict, NotFound, QuireError
from quire.locator import Locator, trusted
from quire.ports.storage import ABSENT, ANY, IfVersion, Info, check_version, version_of
from quire.testing import StorageBackendTests


class TranslatesNewlines(RamBackend):
    def read_bytes(self, locator: Locator) -> bytes:
        return super().read_bytes(locator).replace(b"\r\n", b"\n")


class DropsTheByteOrderMark(RamBackend):
    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        return super().write_bytes(locator, bytes(content).removeprefix(b"\xef\xbb\xbf"), if_version=if_version)


class AddsAFinalNewline(RamBackend):
    def write(self, locator: Locator, content: str, *, if_version: IfVersion = ANY) -> Locator:
        return super().write(locator, content if content.endswith("\n") else content + "\n", if_version=if_version)


class Appends(RamBackend):
    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        held = self._files.get(locator.key)
        return super().write_bytes(locator, (held[0] if held else b"") + bytes(content), if_version=if_version)


class AppendsOverWhatIsThere(RamBackend):
    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        return self.write_bytes(locator, content)


class AppendsOnlyToWhatIsThere(RamBackend):
    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        return self.write_bytes(locator, self.read_bytes(locator) + bytes(content))


class AppendsLines(RamBackend):
    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        return super().append_bytes(
            locator, bytes(content) if bytes(content).endswith(b"\n") else bytes(content) + b"\n"
        )


class LosesRacingAppends(RamBackend):
    """Reads, then writes: what another added in between is gone."""

    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        held = self.read_bytes(locator) if self.exists(locator) else b""
        import time

        time.sleep(0.001)
        return self.write_bytes(locator, held + bytes(content))


class AppendsInPieces(RamBackend):
    """Each byte lands, but another's may land in between."""

    def append_bytes(self, locator: Locator, content: bytes) -> Locator:
        half = len(content) // 2
        super().append_bytes(locator, content[:half])
        import time

        time.sleep(0.001)
        return super().append_bytes(locator, content[half:])


class ListsUnsorted(RamBackend):
    def list(self, locator: Locator) -> list[Locator]:
        return super().list(locator)[::-1]


class ListsAPage(RamBackend):
    def list(self, locator: Locator) -> list[Locator]:
        return super().list(locator)[:1000]


class ListsDescendants(RamBackend):
    def list(self, locator: Locator) -> list[Locator]:
        return [info.locator for info in super().walk(locator)]


class RaisesOnListingNothing(RamBackend):
    def list(self, locator: Locator) -> list[Locator]:
        if not self.exists(locator):
            raise NotFound("nothing is here", where=locator.key)
        return super().list(locator)


class FindsEmptyWhereNothingIs(RamBackend):
    def read_bytes(self, locator: Locator) -> bytes:
        try:
            return super().read_bytes(locator)
        except NotFound:
            return b""


class IgnoresPreconditions(RamBackend):
    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        return super().write_bytes(locator, content)


class ChecksThenWrites(RamBackend):
    """The check and the write are two steps, with a window between them."""

    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        check_version(locator, if_version, self._version(locator))
        import time

        time.sleep(0.001)
        return super().write_bytes(locator, content)


class ForgetsTheCurrentVersion(RamBackend):
    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        try:
            return super().write_bytes(locator, content, if_version=if_version)
        except Conflict as error:
            error.current = None
            raise


class DeletesWhateverIsThere(RamBackend):
    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        super().delete(locator)


class DeletesSilently(RamBackend):
    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        try:
            super().delete(locator, if_version=if_version)
        except NotFound:
            pass


class DeletesFullFolders(RamBackend):
    def delete(self, locator: Locator, *, if_version: IfVersion = ANY) -> None:
        if locator.key and self.exists(locator) and self.info(locator).is_dir:
            for info in list(self.walk(locator)):
                super().delete(info.locator)
            return
        super().delete(locator, if_version=if_version)


class MovesOver(RamBackend):
    def move(self, source: Locator, target: Locator, *, if_version: IfVersion = ANY) -> Locator:
        if source != target and self.exists(target) and not self.info(target).is_dir and self.exists(source):
            super().delete(target)
        return super().move(source, target, if_version=if_version)


class CopiesInsteadOfMoving(RamBackend):
    def move(self, source: Locator, target: Locator, *, if_version: IfVersion = ANY) -> Locator:
        return self.write_bytes(target, self.read_bytes(source), if_version=ABSENT)


class WalksFolders(RamBackend):
    def walk(self, locator: Locator) -> Iterator[Info]:
        for child in self.list(locator):
            info = self.info(child)
            yield info
            if info.is_dir:
                yield from self.walk(child)


class WalksByFolder(RamBackend):
    """Depth first by name: "a/b" before "a-b", which is not the order of the keys."""

    def walk(self, locator: Locator) -> Iterator[Info]:
        for child in self.list(locator):
            info = self.info(child)
            if info.is_dir:
                yield from self.walk(child)
            else:
                yield info


class StampsNothing(RamBackend):
    def walk(self, locator: Locator) -> Iterator[Info]:
        for info in super().walk(locator):
            yield Info(info.locator, False, info.size, info.mtime, "same")


class CountsCharacters(RamBackend):
    def info(self, locator: Locator) -> Info:
        info = super().info(locator)
        if info.is_dir:
            return info
        text = self._files[locator.key][0].decode(errors="replace")
        return Info(info.locator, False, len(text), info.mtime, info.version)


class KeepsDecomposedNamesApart(RamBackend):
    """Addresses by the spelling that was given, as a file system without normalisation does."""

    def resolve(self, *parts: str) -> Locator:
        return trusted(unicodedata.normalize("NFD", super().resolve(*parts).key))


class TakesAnyKey(RamBackend):
    def resolve(self, *parts: str) -> Locator:
        return trusted("/".join(parts).strip("/"))


class ListsSiblingsByPrefix(RamBackend):
    def walk(self, locator: Locator) -> Iterator[Info]:
        for info in super().walk(Locator()):
            if info.locator.key.startswith(locator.key):
                yield info


class LetsFilesBeFolders(RamBackend):
    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        with self._lock:
            check_version(locator, if_version, self._version(locator))
            self._put(locator.key, bytes(content))
        return locator


class TruncatesLargeContent(RamBackend):
    def write_bytes(self, locator: Locator, content: bytes, *, if_version: IfVersion = ANY) -> Locator:
        return super().write_bytes(locator, content[: 1 << 20], if_version=if_version)


class SharesNothing(RamBackend):
    """A second handle that sees its own copy."""


class HidesErrors(RamBackend):
    def exists(self, locator: Locator) -> bool:
        try:
            return bool(self.read_bytes(locator))
        except QuireError:
            return False


class VersionsByTime(RamBackend):
    def info(self, locator: Locator) -> Info:
        info = super().info(locator)
        return info if info.is_dir else Info(info.locator, False, info.size, info.mtime, version_of(str(info.mtime)))


# Each with the promise it breaks: a test of the exam that must fail.
PLANTED: dict[type[RamBackend], str] = {
    TranslatesNewlines: "test_text_comes_back_byte_for_byte[CRLF]",
    DropsTheByteOrderMark: "test_text_comes_back_byte_for_byte[byte order mark]",
    AddsAFinalNewline: "test_text_comes_back_byte_for_byte[no final newline]",
    Appends: "test_overwriting_replaces_everything",
    AppendsOverWhatIsThere: "test_appending_adds_to_the_end",
    AppendsOnlyToWhatIsThere: "test_appending_to_nothing_makes_the_file_and_its_folders",
    AppendsLines: "test_appending_changes_no_byte",
    LosesRacingAppends: "test_racing_appends_all_land_whole",
    AppendsInPieces: "test_racing_appends_all_land_whole",
    ListsUnsorted: "test_lists_immediate_children_sorted_by_key",
    ListsAPage: "test_lists_more_than_a_page",
    ListsDescendants: "test_lists_immediate_children_sorted_by_key",
    RaisesOnListingNothing: "test_listing_nothing_is_empty",
    FindsEmptyWhereNothingIs: "test_asking_for_nothing_is_not_found[absent.md]",
    IgnoresPreconditions: "test_absent_creates_only",
    ChecksThenWrites: "test_racing_increments_all_count",
    ForgetsTheCurrentVersion: "test_a_version_replaces_only_what_was_seen",
    DeletesWhateverIsThere: "test_deletes_only_the_version_that_was_seen",
    DeletesSilently: "test_deletes_a_file",
    DeletesFullFolders: "test_deletes_a_folder_only_when_it_is_empty",
    MovesOver: "test_never_moves_over_anything",
    CopiesInsteadOfMoving: "test_moves_a_file",
    WalksFolders: "test_walks_every_file_in_order_of_the_keys",
    WalksByFolder: "test_walks_every_file_in_order_of_the_keys",
    StampsNothing: "test_walk_shows_by_the_version_what_to_look_at_again",
    CountsCharacters: "test_info_tells_what_is_there",
    KeepsDecomposedNamesApart: r"test_spells_a_key_in_one_way[e\u0301.md-\xe9.md]",
    TakesAnyKey: "test_refuses_a_key_that_is_not_safe[..]",
    ListsSiblingsByPrefix: "test_does_not_mistake_a_prefix_for_a_folder",
    LetsFilesBeFolders: "test_a_file_is_not_a_folder",
    TruncatesLargeContent: "test_ten_megabytes_come_back",
    SharesNothing: "test_another_handle_sees_each_change",
    HidesErrors: "test_makes_folders",
    VersionsByTime: "test_info_tells_what_is_there",
}


def exam_of(backend: type[RamBackend]) -> type[StorageBackendTests]:
    def storage(self: Any) -> RamBackend:
        return backend()

    members: dict[str, Any] = {"storage": pytest.fixture(storage)}
    if backend is SharesNothing:
        members["other"] = pytest.fixture(lambda self: backend())
    return type(f"Test{backend.__name__}", (StorageBackendTests,), members)


for planted in PLANTED:
    globals()[f"Test{planted.__name__}"] = exam_of(planted)
del planted
