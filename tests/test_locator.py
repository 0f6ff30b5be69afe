from __future__ import annotations

import dataclasses
import pickle
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.errors import InvalidLocatorError
from quire.locator import Locator, addressable, normalize_key, plain
from quire.testing.storage.keys import KEPT_KEYS, REFUSED_KEYS

NASTY = st.text(alphabet=st.one_of(st.sampled_from("/.\\:~ \0\nCONcom1é\u0301\u202e"), st.characters()), max_size=40)


@pytest.mark.parametrize(("key", "normal"), KEPT_KEYS.items())
def test_there_is_one_spelling_of_each_key(key: str, normal: str) -> None:
    assert normalize_key(key) == normal
    assert Locator(key) == Locator(normal)
    assert hash(Locator(key)) == hash(Locator(normal))


@pytest.mark.parametrize("key", REFUSED_KEYS)
def test_a_refusal_says_what_is_wrong_with_which_segment(key: str) -> None:
    with pytest.raises(InvalidLocatorError) as caught:
        normalize_key(key)
    assert isinstance(caught.value, ValueError)
    assert caught.value.code == "INVALID_PATH"
    assert caught.value.remedy
    assert len(str(caught.value)) < 1200


def test_only_text_is_a_key() -> None:
    for wrong in (None, 1, b"a", ["a"]):
        with pytest.raises(InvalidLocatorError):
            normalize_key(wrong)  # type: ignore[arg-type]


@given(NASTY)
@settings(max_examples=2000)
def test_what_is_accepted_is_safe_and_stays_as_it_is(key: str) -> None:
    try:
        normal = normalize_key(key)
    except InvalidLocatorError:
        return
    assert normalize_key(normal) == normal
    assert unicodedata.is_normalized("NFC", normal)
    parts = normal.split("/") if normal else []
    assert not {"", ".", ".."} & set(parts)
    assert not normal.startswith("/")
    assert not set(normal) & set("\\\0\n\r")
    assert Locator(normal).parts == tuple(parts)
    assert all(addressable(part) for part in parts)


@given(st.text(max_size=30))
@settings(max_examples=2000)
def test_the_short_cut_for_plain_names_never_lets_a_bad_one_through(name: str) -> None:
    if plain(name):
        assert addressable(name)
        assert normalize_key(name) == name


@pytest.mark.parametrize("name", ["con.md", "aux.txt", "com1.md", "lpt1 .md", "CON.tar.gz", "conin$.md", "a.."])
def test_the_short_cut_knows_no_devices(name: str) -> None:
    assert not plain(name)
    assert not addressable(name)


def test_has_parts_a_name_and_a_parent() -> None:
    at = Locator("a/b/c.md")
    assert (at.parts, at.name, at.parent, str(at)) == (("a", "b", "c.md"), "c.md", Locator("a/b"), "a/b/c.md")
    root = Locator()
    assert (root.key, root.parts, root.name, root.parent, str(root)) == ("", (), "", root, "")


def test_children_never_climb() -> None:
    at = Locator("a")
    assert at.child() == at
    assert at.child("b", "c/d", "/e") == Locator("a/b/c/d/e")
    with pytest.raises(InvalidLocatorError):
        at.child("..")
    with pytest.raises(InvalidLocatorError):
        at.child("b", "../../c")


def test_is_a_frozen_value() -> None:
    at = Locator("a/b")
    with pytest.raises(dataclasses.FrozenInstanceError):
        at.key = "../etc"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(at)) == at
    assert {at: 1}[Locator("a//b")] == 1
    assert sorted([Locator("b"), Locator("a")]) == [Locator("a"), Locator("b")]
