"""Hunks: what changed, in whole lines, and back."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.engine.hunks import DoesNotFit, Hunk, hunks, reverse
from tests.engine.test_blocks import HEADER, entry

NOTE = b"---\nkind: fix\nstatus: active\n---\nOne.\nTwo.\nThree.\n"


def test_one_field_is_one_line() -> None:
    changed = NOTE.replace(b"active", b"deleted")
    assert hunks(NOTE, changed) == [Hunk(14, b"status: active\n", b"status: deleted\n", 2)]


def test_the_frontmatter_and_the_body_are_apart() -> None:
    changed = NOTE.replace(b"active", b"deleted").replace(b"Three", b"Four")
    assert [(hunk.line, hunk.old, hunk.new) for hunk in hunks(NOTE, changed)] == [
        (2, b"status: active\n", b"status: deleted\n"),
        (6, b"Three.\n", b"Four.\n"),
    ]


def test_lines_that_are_taken_from_the_beginning_are_all_that_is_kept() -> None:
    assert hunks(b"One.\nTwo.\nThree.\n", b"Two.\nThree.\n") == [Hunk(0, b"One.\n", b"")]


def test_a_line_is_kept_whole_where_only_its_beginning_goes() -> None:
    assert hunks(b"xxTwo.\nThree.\n", b"Two.\nThree.\n") == [Hunk(0, b"xxTwo.\n", b"Two.\n")]


def test_an_appended_entry_is_all_that_is_kept() -> None:
    before, after = HEADER + entry(1), HEADER.replace(b"3", b"4") + entry(1) + entry(2)
    assert [(hunk.old, hunk.new) for hunk in hunks(before, after)] == [
        (b"entry_count: 3\n", b"entry_count: 4\n"),
        (b"", entry(2)),
    ]


def test_a_changed_entry_of_a_log_is_kept_whole() -> None:
    before = HEADER + entry(1) + entry(2, "a\nb\nc") + entry(3)
    after = HEADER + entry(1) + entry(2, "a\nB\nc") + entry(3)
    assert [(hunk.old, hunk.new) for hunk in hunks(before, after)] == [(entry(2, "a\nb\nc"), entry(2, "a\nB\nc"))]


def test_a_changed_entry_and_an_appended_one_are_two_hunks() -> None:
    before = HEADER + entry(1) + entry(2) + entry(3)
    after = HEADER + entry(1, "superseded") + entry(2) + entry(3) + entry(4)
    assert [(hunk.old, hunk.new) for hunk in hunks(before, after)] == [
        (entry(1), entry(1, "superseded")),
        (b"", entry(4)),
    ]


def test_an_entry_that_is_taken_out_of_the_middle_is_all_that_is_kept() -> None:
    before, after = HEADER + entry(1) + entry(2) + entry(3), HEADER + entry(1) + entry(3)
    assert [(hunk.old, hunk.new) for hunk in hunks(before, after)] == [(entry(2), b"")]


def test_another_text_does_not_fit() -> None:
    changes = hunks(NOTE, NOTE.replace(b"active", b"deleted"))
    with pytest.raises(DoesNotFit):
        reverse(NOTE.replace(b"active", b"archived"), changes)


_PIECES = st.sampled_from(
    [b"---\n", b"a: 1\n", b"b: [x]\n", b"\n", b"\r\n", b"One.", b"Two.\n", b"\xef\xbb\xbf", b"\xff\n", entry(1),
     entry(2), entry(2, "x"), entry(3)]
)  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=8).map(b"".join)


@given(_TEXTS, _TEXTS)
def test_what_was_before_comes_back(before: bytes, after: bytes) -> None:
    changes = hunks(before, after)
    assert reverse(after, changes) == before
    assert bool(changes) == (before != after)


@given(_TEXTS, _TEXTS)
def test_hunks_are_whole_lines_in_their_order(before: bytes, after: bytes) -> None:
    end = 0
    for hunk in hunks(before, after):
        assert hunk.at >= end
        assert after[hunk.at : hunk.at + len(hunk.new)] == hunk.new
        assert hunk.at == 0 or after[hunk.at - 1 : hunk.at] == b"\n"
        assert hunk.line == after.count(b"\n", 0, hunk.at)
        end = hunk.at + len(hunk.new)


def test_a_long_text_is_compared_quickly() -> None:
    before = b"".join(b"line %d of many\n" % number for number in range(200_000))
    after = before.replace(b"line 100000 ", b"line 100001 ")
    start = time.perf_counter()
    assert [hunk.line for hunk in hunks(before, after)] == [100_000]
    assert time.perf_counter() - start < 1
