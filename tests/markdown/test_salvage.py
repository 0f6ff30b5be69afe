"""What can still be read of frontmatter that is not YAML."""

from __future__ import annotations

import pytest

from quire.errors import MarkdownError
from quire.markdown.document import Document


def test_keys_beside_a_broken_one_are_read() -> None:
    note = Document.parse("---\nkind: fix\ntitle: Locked: again\ntags:\n  - a\nstatus: active\n---\nBody\n")
    assert note.fields == {"kind": "fix", "tags": ["a"], "status": "active"}
    assert [(problem.line, problem.code) for problem in note.problems] == [(3, "YAML_SYNTAX")]
    assert note.body == "Body\n"


def test_each_broken_key_is_reported() -> None:
    note = Document.parse("---\na: 'open\nb: 1\nc: [x\nd: *y\ne: 2\na: 3\n---\n")
    assert note.fields == {"b": 1, "e": 2, "a": 3}
    assert [problem.line for problem in note.problems] == [2, 4, 5]


def test_what_stands_above_the_first_key_is_reported_too() -> None:
    note = Document.parse("---\ngarbage\nmore of it\na: 1\nb: 'open\nc: 2\n---\n")
    assert note.fields == {"c": 2, "a": 1}
    assert [problem.line for problem in note.problems] == [2, 5]


def test_a_key_that_is_there_twice_is_reported() -> None:
    note = Document.parse("---\na: 1\nb: 'open\na: 2\n---\n")
    assert [(problem.line, problem.code) for problem in note.problems] == [
        (3, "YAML_SYNTAX"),
        (4, "YAML_DUPLICATE_KEY"),
    ]


def test_what_stopped_the_reader_is_reported_also_where_every_key_can_be_read() -> None:
    note = Document.parse("---\na: *x\n--- b\nc: 1\n---\n")
    assert ("a second YAML document begins here", 3) in [(problem.what, problem.line) for problem in note.problems]


def test_nothing_is_changed_in_frontmatter_that_is_not_yaml() -> None:
    note = Document.parse("---\na: 'open\nb: 1\n---\n")
    with pytest.raises(MarkdownError, match="line 2"):
        note.set("b", 2)
    assert note.raw("b") is None


def test_of_very_many_keys_only_the_fault_is_reported() -> None:
    note = Document.parse("---\n" + "".join(f"k{number}: 1\n" for number in range(300)) + "x: 'open\n---\n")
    assert (dict(note.fields), [problem.line for problem in note.problems]) == ({}, [302])
