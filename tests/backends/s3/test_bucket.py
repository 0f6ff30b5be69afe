"""What a bucket is like: keys, folders that are none, other tools, refusals."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from quire.backends.s3 import S3Backend
from quire.errors import (
    AccessDenied,
    AlreadyExists,
    Conflict,
    DirectoryNotEmpty,
    NotFound,
    SelectionError,
    StorageError,
    StorageFailed,
    TooLarge,
    Unavailable,
)
from quire.locator import Locator
from quire.ports.storage import ABSENT, version_of
from quire.testing.storage.keys import AWKWARD_NAMES
from tests.servers.careless import ALL_HONOURED, CarelessS3
from tests.servers.proxy import proxy_to
from tests.servers.s3 import S3Server

# Keys


def test_stores_each_name_under_exactly_that_key(s3_server: S3Server, bucket: str, boto: Any) -> None:
    storage = S3Backend(f"s3://{bucket}/some/prefix", **s3_server.keys)
    for name in AWKWARD_NAMES:
        storage.write(Locator(f"folder/{name}"), name)
    held = boto.list_objects_v2(Bucket=bucket)["Contents"]
    assert {found["Key"] for found in held} == {f"some/prefix/folder/{name}" for name in AWKWARD_NAMES}
    assert [at.name for at in storage.list(Locator("folder"))] == sorted(AWKWARD_NAMES)
    assert [info.locator.name for info in storage.walk(Locator())] == sorted(AWKWARD_NAMES)
    for name in AWKWARD_NAMES:
        assert boto.get_object(Bucket=bucket, Key=f"some/prefix/folder/{name}")["Body"].read() == name.encode()


def test_a_prefix_is_a_root_of_its_own(s3_server: S3Server, storage: S3Backend, bucket: str) -> None:
    inner = S3Backend(f"s3://{bucket}/a/", **s3_server.keys)
    storage.write(Locator("ab/c"), "beside")
    storage.write(Locator("a/b"), "inside")
    assert inner.list(Locator()) == [Locator("b")] == [info.locator for info in inner.walk(Locator())]
    assert inner.read(Locator("b")) == "inside"
    inner.move(Locator("b"), Locator("c/d"))
    assert storage.read(Locator("a/c/d")) == "inside"


def test_a_key_too_long_with_its_prefix_is_refused_before_the_call(s3_server: S3Server, bucket: str) -> None:
    storage = S3Backend(f"s3://{bucket}/some/prefix", **s3_server.keys)
    long = Locator("/".join(["d" * 200] * 5) + "/" + "f" * 10)
    with pytest.raises(TooLarge, match="prefix"):
        storage.write(long, "x")
    storage.write(Locator("a"), "x")
    with pytest.raises(TooLarge):
        storage.move(Locator("a"), long)
    assert storage.read(Locator("a")) == "x"
    assert not storage.exists(long)
    assert storage.list(long) == [] == list(storage.walk(long))
    with pytest.raises(NotFound):
        storage.delete(long)
    with pytest.raises(TooLarge):
        S3Backend(f"s3://{bucket}", **s3_server.keys).mkdir(long)  # its mark would not fit


def test_passes_over_what_no_locator_can_address(storage: S3Backend, bucket: str, boto: Any) -> None:
    storage.write(Locator("folder/ours"), "x")
    storage.write(Locator("folder/empty"), "")
    storage.mkdir(Locator("folder/made"))
    foreign = [
        "folder/trailing. ", "folder/nul", "folder/.quire-other", "folder/e\u0301", "folder/c:x",
        "folder/bad./deep", "folder/console/", "folder/\u202ex",
    ]  # fmt: skip
    for key in foreign:
        boto.put_object(Bucket=bucket, Key=key, Body=b"")
    names = [at.name for at in storage.list(Locator("folder"))]
    assert names == ["console", "empty", "made", "ours"]
    assert [info.locator.name for info in storage.walk(Locator())] == ["empty", "ours"]
    assert storage.info(Locator("folder/console")).is_dir
    with pytest.raises(DirectoryNotEmpty):
        storage.delete(Locator("folder/console"))
    for key in foreign:
        boto.delete_object(Bucket=bucket, Key=key)


def test_lists_more_than_a_page_across_folders(storage: S3Backend, boto: Any, bucket: str) -> None:
    keys = [f"{letter}{sign}{number:03}" for letter in "ab" for sign in "-/." for number in range(180)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: boto.put_object(Bucket=bucket, Key=key, Body=b"x"), keys))
    assert [info.locator.key for info in storage.walk(Locator())] == sorted(keys)
    assert [info.locator.key for info in storage.walk(Locator("a"))] == [f"a/{number:03}" for number in range(180)]
    assert len(storage.list(Locator())) == 2 * (1 + 2 * 180)


# Versions


def test_a_foreign_overwrite_makes_what_was_seen_stale(storage: S3Backend, bucket: str, boto: Any) -> None:
    at = storage.write(Locator("a"), "ours")
    stamp = next(storage.walk(Locator())).version
    boto.put_object(Bucket=bucket, Key="a", Body=b"theirs", Metadata={"quire-version": version_of("ours")})
    attempts: list[Callable[[], object]] = [
        lambda: storage.write(at, "again", if_version=version_of("ours")),
        lambda: storage.delete(at, if_version=version_of("ours")),
        lambda: storage.move(at, Locator("b"), if_version=version_of("ours")),
    ]
    for attempt in attempts:
        with pytest.raises(Conflict) as caught:
            attempt()
        assert caught.value.current == version_of("theirs") == storage.info(at).version
    assert next(storage.walk(Locator())).version != stamp
    storage.write(at, "after", if_version=version_of("theirs"))
    assert storage.read(at) == "after"


def test_a_stamp_of_walk_never_passes_for_a_version(storage: S3Backend) -> None:
    at = storage.write(Locator("a"), "x")
    stamp = next(storage.walk(Locator())).version
    assert stamp.startswith("etag:")
    with pytest.raises(Conflict, match="stamp"):
        storage.write(at, "y", if_version=stamp)


def test_a_precondition_of_another_kind_creates_nothing(storage: S3Backend) -> None:
    for wrong in (None, 1, b"x"):
        with pytest.raises(StorageError, match="if_version"):
            storage.write(Locator("new"), "x", if_version=wrong)  # type: ignore[arg-type]
    assert not storage.exists(Locator("new"))


def test_of_many_deleters_one_wins(storage: S3Backend, other: S3Backend) -> None:
    for _ in range(5):
        at = storage.write(Locator("a"), "x")
        start = threading.Barrier(8)

        def delete(number: int, at: Locator = at, start: threading.Barrier = start) -> bool:
            start.wait()
            try:
                (storage, other)[number % 2].delete(at)
            except NotFound:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(delete, range(8))).count(True) == 1


# What cannot be opened


@pytest.mark.parametrize(
    "url",
    ["", "bucket", "http://bucket", "s3://", "s3:///a", "s3://key:hunter2@bucket", "s3://bucket/../x", "s3://b/a"],
)
def test_a_bad_url_is_refused(url: str) -> None:
    with pytest.raises(SelectionError, match="s3://bucket/prefix") as caught:
        S3Backend(url)
    assert "hunter2" not in str(caught.value)


def test_half_a_pair_of_keys_is_refused() -> None:
    with pytest.raises(SelectionError, match="secret_key"):
        S3Backend("s3://bucket", access_key="a")


def test_a_wrong_secret_is_loud_at_once(s3_server: S3Server, bucket: str) -> None:
    with pytest.raises(AccessDenied, match="SignatureDoesNotMatch") as caught:
        S3Backend(f"s3://{bucket}", **{**s3_server.keys, "secret_key": "wrong"})
    assert caught.value.remedy


def test_a_missing_bucket_is_loud_at_once(s3_server: S3Server) -> None:
    with pytest.raises(NotFound, match="s3://no-such-bucket"):
        S3Backend("s3://no-such-bucket/a", **s3_server.keys)


def test_an_unreachable_endpoint_is_loud_at_once() -> None:
    began = time.monotonic()
    with proxy_to(1) as proxy:
        endpoint = proxy.endpoint
    with pytest.raises(Unavailable, match="s3://bucket"):
        S3Backend("s3://bucket", endpoint=endpoint, access_key="a", secret_key="b")
    assert time.monotonic() - began < 10


def test_keys_come_from_the_environment(s3_server: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", s3_server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", s3_server.secret_key)
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server.endpoint)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    storage = S3Backend(f"s3://{bucket}")
    assert storage.read(storage.write(Locator("a"), "x")) == "x"
    storage.delete(Locator("a"))


# Servers that cannot be trusted


@contextmanager
def careless(honoured: set[tuple[str, str]]) -> Iterator[tuple[S3Backend, CarelessS3]]:
    with CarelessS3(honoured) as server:
        yield S3Backend("s3://bucket", endpoint=server.endpoint, access_key="a", secret_key="b", timeout=5), server


@pytest.mark.parametrize("ignored", sorted(ALL_HONOURED))
def test_a_server_that_ignores_a_condition_is_refused(ignored: tuple[str, str]) -> None:
    method, header = ignored
    name = f"{header.replace('-', ' ').title().replace(' ', '-')} on {method}"
    with careless(ALL_HONOURED - {ignored}) as (storage, server):
        for attempt in (lambda: storage.write(Locator("a"), "x"), lambda: storage.delete(Locator("a"))):
            with pytest.raises(StorageFailed, match=name):
                attempt()
        assert server.objects == {}


def test_a_server_that_honours_them_all_is_trusted_and_left_clean() -> None:
    with careless(ALL_HONOURED) as (storage, server):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: storage.write(Locator(f"a{number}"), "x"), range(8)))
        assert sorted(server.objects) == [f"/bucket/a{number}" for number in range(8)]


def test_a_key_that_no_path_can_spell_is_named_not_left_out() -> None:
    """obstore refuses the whole page that holds it, so what else is on the page could only be lost silently."""
    with careless(ALL_HONOURED) as (storage, server):
        storage.write(Locator("a/b"), "x")
        server.names.extend(["a/b", "a//c"])
        for look in (lambda: storage.list(Locator("a")), lambda: list(storage.walk(Locator()))):
            with pytest.raises(StorageFailed, match="a//c") as caught:
                look()
            assert "Rename or remove" in caught.value.remedy
        assert storage.read(Locator("a/b")) == "x"


# Folders that are no more


def test_a_name_is_free_again_when_all_below_it_has_gone(storage: S3Backend) -> None:
    """SeaweedFS keeps the emptied folder for minutes, names it in listings, and refuses to create over it."""
    deep = storage.write(Locator("name/in/deep/file"), "x")
    storage.write(Locator("kept"), "x")
    storage.delete(deep)
    assert storage.list(Locator()) == [Locator("kept")]
    assert not storage.exists(Locator("name"))
    storage.write(Locator("name"), "a file now", if_version=ABSENT)
    assert storage.read(Locator("name")) == "a file now"
    with pytest.raises(AlreadyExists):
        storage.write(Locator("name"), "again", if_version=ABSENT)


def test_of_many_creators_where_a_folder_was_one_wins(storage: S3Backend, other: S3Backend) -> None:
    for game in range(2):
        at = Locator(f"name{game}")
        storage.delete(storage.write(at.child("file"), "x"))
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
