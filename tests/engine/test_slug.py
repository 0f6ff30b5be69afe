"""Slugs: names of files, made from words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire import Locator
from quire.engine.slug import MAX_SLUG_BYTES, checked_slug, numbered, slug_of, slug_of_body
from quire.errors import InvalidEntry


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("E2BIG: the *argument* list", "e2big-the-argument-list"),
        ("Käse & Brot", "käse-brot"),
        ("日本語のメモ", "日本語のメモ"),
        ("บันทึกภาษาไทย", "บันทึกภาษาไทย"),
        ("snake_case name", "snake-case-name"),
        ("con", "note-con"),
        ("../../etc/passwd", "etc-passwd"),
    ],
)
def test_words_become_a_slug(text: str, slug: str) -> None:
    assert slug_of(text) == slug


def test_a_text_without_words_gets_a_name_that_says_nothing_and_stays_the_same() -> None:
    assert slug_of("🧵!") == slug_of("🧵!")
    assert slug_of("🧵!") != slug_of("🪡!")


def test_a_body_is_named_by_its_first_words() -> None:
    assert slug_of_body("\n\n# Run the suites one after the other, never at once\nmore") == (
        "run-the-suites-one-after-the-other-never"
    )


@given(st.text())
def test_any_text_gives_a_slug_that_is_accepted_and_is_one_name(text: str) -> None:
    slug = slug_of(text)
    assert checked_slug(slug) == slug
    assert Locator(f"{slug}.md").parts == (f"{slug}.md",)


@given(st.text(), st.integers(2, 10**6))
def test_a_number_keeps_the_limit_and_tells_apart(text: str, number: int) -> None:
    slug = slug_of(text)
    assert len(numbered(slug, number).encode()) <= MAX_SLUG_BYTES
    assert numbered(slug, number) != numbered(slug, number + 1)
    assert numbered(slug, 1) == slug


@pytest.mark.parametrize("slug", [None, 5, "", "Upper", "a b", "a/b", "..", "_a", "-a", "a.md", "con", "x" * 81, "a\n"])
def test_what_is_no_slug_is_refused_with_one_that_could_be(slug: object) -> None:
    with pytest.raises(InvalidEntry, match="Use "):
        checked_slug(slug)  # type: ignore[arg-type]
