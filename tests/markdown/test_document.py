"""Documents: frontmatter and body, and that what is not changed comes back byte for byte."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import MarkdownError
from quire.markdown.document import Document
from quire.markdown.node import MAX_DEPTH, MAX_FRONTMATTER, MAX_NODES, Value
from tests.markdown.documents import Writer

NOTE = "---\nkind: fix  # of a bug\n# a comment\n\ntags:\n  - a\n  - b\ntitle: 'It''s locked'\n---\n# Heading\n"

OTHERS: tuple[Value, ...] = ("x", "a: b", "", None, 7, True, ["x"], {"k": "v"}, "two\nlines")


# What a text is


def test_a_text_without_fences_is_all_body() -> None:
    note = Document.parse("# Heading\n---\nkey: value\n---\n")
    assert (note.body, note.has_frontmatter, dict(note.fields), note.problems) == (note.text, False, {}, ())


@pytest.mark.parametrize(
    "text", ["", "\n", "\n---\na: 1\n---\n", " ---\na: 1\n---\n", "----\na: 1\n---\n", "--- a\n---\n"]
)
def test_frontmatter_begins_in_the_first_line_or_not_at_all(text: str) -> None:
    note = Document.parse(text)
    assert (note.body, note.has_frontmatter, note.problems) == (text, False, ())


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nbody\n", "body\n"),
        ("---\na: 1\n---", ""),
        ("---\na: 1\n...\nbody", "body"),
        ("---  \na: 1\n--- \t\nbody", "body"),
        ("\ufeff---\r\na: 1\r\n---\r\nbody\r\n", "body\r\n"),
        ("---\r\na: 1\n---\n\ufeffbody", "\ufeffbody"),
        ("---\na: 1\n---\n---\nb: 2\n---\n", "---\nb: 2\n---\n"),
    ],
)
def test_frontmatter_ends_at_the_next_fence(text: str, body: str) -> None:
    note = Document.parse(text)
    assert (note.fields, note.body, note.text[note.body_start :]) == ({"a": 1}, body, body)


def test_an_empty_block_is_frontmatter_without_fields() -> None:
    note = Document.parse("---\n---\nbody")
    assert (note.has_frontmatter, dict(note.fields), note.body) == (True, {}, "body")


def test_a_byte_order_mark_is_no_part_of_the_body() -> None:
    assert Document.parse("\ufeffbody").body == "body"


@pytest.mark.parametrize(("text", "newline"), [("", "\n"), ("a\r\nb\n", "\r\n"), ("a\nb\r\n", "\n"), ("\n", "\n")])
def test_lines_end_as_the_first_one_does(text: str, newline: str) -> None:
    assert Document.parse(text).newline == newline


def test_fields_are_a_copy() -> None:
    note = Document.parse(NOTE)
    tags = note.get("tags")
    assert isinstance(tags, list)
    tags.append("c")
    assert note.fields["tags"] == note.get("tags") == ["a", "b"]


def test_documents_with_the_same_text_are_equal() -> None:
    assert Document.parse(NOTE) == Document.parse(NOTE).set("kind", "x").set("kind", "fix")
    assert len({Document.parse(NOTE), Document.parse(NOTE)}) == 1


# Setting


def test_setting_a_field_changes_its_line_and_no_other() -> None:
    assert Document.parse(NOTE).set("kind", "idea").text == NOTE.replace("kind: fix", "kind: idea")


def test_setting_what_is_there_already_gives_the_same_document() -> None:
    note = Document.parse(NOTE)
    assert note.set("tags", ["a", "b"]) is note


def test_a_new_key_goes_to_the_end_of_the_block_with_its_kind_of_newline() -> None:
    note = Document.parse("\ufeff---\r\na: 1\r\n# end\r\n---")
    assert note.set("b", ["x"]).text == "\ufeff---\r\na: 1\r\n# end\r\nb: [x]\r\n---"


def test_a_new_key_is_indented_as_the_others_are() -> None:
    assert Document.parse("---\n  a: 1\n---\n").set("b", 2).text == "---\n  a: 1\n  b: 2\n---\n"


def test_a_text_without_frontmatter_gets_a_block() -> None:
    assert Document.parse("\ufeffbody\r\n").set("a", 1).text == "\ufeff---\r\na: 1\r\n---\r\nbody\r\n"


def test_several_fields_are_set_at_once_or_none() -> None:
    note = Document.parse(NOTE)
    assert note.update({"kind": "idea", "new": True}).fields["new"] is True
    with pytest.raises(MarkdownError):
        note.update({"kind": "idea", "new": {1, 2}})  # type: ignore[dict-item]


@given(st.integers())
def test_a_field_set_to_anything_and_back_gives_the_same_bytes(seed: int) -> None:
    writer = Writer(seed)
    note = Document.parse(writer.document())
    for key, value in note.fields.items():
        try:
            changed = note.set(key, writer.pick(OTHERS))
        except MarkdownError:
            continue
        assert changed.set(key, value).text == note.text


def test_what_a_field_said_when_it_was_read_comes_back_in_its_own_style() -> None:
    text = "---\nn: 0x1F # hex\nt: >-\n  folded\n  text\nl:\n  # why\n  - a\n\n  - b # last\n---\n"
    note = Document.parse(text)
    other = note.update({"n": 2, "t": "other", "l": [], "new": 1})
    assert other.update({"l": ["a", "b"], "t": "folded text", "n": 31}).remove("new").text == text


def test_a_field_that_cannot_be_read_may_be_replaced() -> None:
    note = Document.parse("---\na: !!str 5\nb: [*x, 1]\n---\n")
    assert note.set("a", 5).set("b", [1]).text == "---\na: 5\nb: [1]\n---\n"


# Removing


def test_removing_a_key_takes_its_lines_and_leaves_the_rest() -> None:
    assert Document.parse(NOTE).remove("tags").text == NOTE.replace("tags:\n  - a\n  - b\n", "")


def test_removing_what_is_not_there_gives_the_same_document() -> None:
    for text in (NOTE, "no frontmatter"):
        note = Document.parse(text)
        assert note.remove("absent") is note


def test_removing_a_key_keeps_what_a_text_before_it_says() -> None:
    text = "---\na: |+\n  kept\n\nb: |\n  gone\n\nc: 1\n---\n"
    assert Document.parse(text).remove("b").text == "---\na: |+\n  kept\n\nc: 1\n---\n"


def test_a_block_that_was_made_for_a_key_goes_with_it() -> None:
    for text in ("body\n", "\ufeffbody", ""):
        assert Document.parse(text).set("a", 1).set("b", 2).remove("a").remove("b").text == text


def test_an_empty_block_that_was_there_stays() -> None:
    assert Document.parse("---\n---\nbody").set("a", 1).remove("a").text == "---\n---\nbody"


def test_a_block_that_keeps_the_body_apart_stays() -> None:
    note = Document.parse("x").with_body("---\na: 1\n---\n")
    assert note.text == "---\n---\n---\na: 1\n---\n"
    assert note.set("k", 1).remove("k").body == "---\na: 1\n---\n"


# Raw lines


def test_the_raw_lines_of_a_key_are_all_of_them() -> None:
    note = Document.parse(NOTE)
    assert note.raw("kind") == "kind: fix  # of a bug\n"
    assert note.raw("tags") == "tags:\n  - a\n  - b\n"
    assert note.raw("absent") is None


def test_raw_lines_can_be_put_back() -> None:
    note = Document.parse(NOTE)
    for key, value in note.fields.items():
        raw = note.raw(key)
        assert raw
        fresh = Document.parse(note.set(key, {"other": value}).text)
        assert fresh.set_raw(key, raw).text == NOTE


def test_raw_lines_of_a_key_that_is_absent_go_to_the_end() -> None:
    assert Document.parse("---\na: 1\n---\n").set_raw("b", "b: 0x1F # hex").text == "---\na: 1\nb: 0x1F # hex\n---\n"


def test_no_raw_lines_take_the_key_out() -> None:
    assert Document.parse(NOTE).set_raw("tags", "") == Document.parse(NOTE).remove("tags")


@pytest.mark.parametrize(
    "raw",
    [
        "kind: a\ntitle: other",
        "kind: a\nnew: 1",
        "kind: a\nnew: *x",
        "kind: 'open",
        "kind: a\n---",
        "kind: |\n  x\n y: 1",
    ],
)
def test_raw_lines_that_change_anything_else_are_refused(raw: str) -> None:
    with pytest.raises(MarkdownError, match="'kind' cannot be changed"):
        Document.parse(NOTE).set_raw("kind", raw)


def test_raw_lines_that_change_the_body_are_refused() -> None:
    with pytest.raises(MarkdownError, match="'title' cannot be changed"):
        Document.parse(NOTE).set_raw("title", "title: 'It''s locked'\n---\nmore")


# The body


@pytest.mark.parametrize("body", ["", "x", "---\n", "---\na: 1\n---\n", "\ufeffx", "\r\n", "<!-- entry:a -->\n"])
@pytest.mark.parametrize(
    "text", [NOTE, "plain", "", "\ufeffplain", "---\na: 1\n---", "---\r\na: 1\r\n---\r\nx", "---\nopen"]
)
def test_another_body_reads_back_exactly_so(text: str, body: str) -> None:
    note = Document.parse(text)
    changed = note.with_body(body)
    assert (changed.body, changed.fields) == (body, note.fields)
    assert Document.parse(changed.text).body == body


def test_the_old_body_gives_the_old_bytes() -> None:
    for text in (NOTE, "plain", "\ufeffplain", "---\na: 1\n---\nx"):
        note = Document.parse(text)
        assert note.with_body("---\na: 1\n---\n").with_body(note.body).text == text


# A new one


def test_a_new_document_reads_back_as_it_was_given() -> None:
    fields: dict[str, Value] = {
        "title": "on: the # way", "tags": ["a", "b, c"], "n": 1, "none": None, "when": "2026-06-01",
        "long": [f"a rather long item, number {number}" for number in range(9)], "deep": {"a": {"b": ["c", {}]}},
    }  # fmt: skip
    for newline in ("\n", "\r\n"):
        note = Document.new(fields, "---\nbody", newline=newline)
        assert (dict(note.fields), note.body, note.problems, note.newline) == (fields, "---\nbody", (), newline)
        assert newline == "\n" or "\n" not in note.text.removesuffix("\nbody").replace("\r\n", "")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({1, 2}, "a value of type set"),
        ({1: 2}, "a key of type int"),
        ("\ud800", "a lone surrogate"),
        ("x" * (MAX_FRONTMATTER + 1), "more than 65,536 characters"),
        (10**200, "a number of 200 digits or more"),
        ([0] * MAX_NODES, "more than 10,000 parts"),
        ({"k" * 257: 1}, "a key of more than 256 characters"),
    ],
)
def test_a_value_that_frontmatter_cannot_hold_is_refused(value: Any, what: str) -> None:
    for attempt in (partial(Document.new, {"key": value}, ""), partial(Document.parse(NOTE).set, "key", value)):
        with pytest.raises(MarkdownError, match=what):
            attempt()


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Value] = []
    endless.append(endless)
    with pytest.raises(MarkdownError, match="deep"):
        Document.new({"key": endless}, "")


def test_what_is_as_deep_as_allowed_can_be_written_and_read() -> None:
    deepest: Value = ["x"]
    for _ in range(MAX_DEPTH - 2):
        deepest = [deepest]
    assert Document.new({"key": deepest}, "").fields["key"] == deepest
    with pytest.raises(MarkdownError, match=f"more than {MAX_DEPTH} deep"):
        Document.new({"key": [deepest]}, "")


def test_fields_that_are_too_much_together_are_refused_with_the_reason() -> None:
    with pytest.raises(MarkdownError, match=f"more than {MAX_FRONTMATTER:,} characters"):
        Document.new({f"k{number}": "x" * 1000 for number in range(100)}, "")
    with pytest.raises(MarkdownError, match=f"more than {MAX_NODES:,} values"):
        Document.new({"one": [0] * (MAX_NODES // 2), "other": [0] * (MAX_NODES // 2)}, "")


def test_only_two_kinds_of_newline_can_be_chosen() -> None:
    with pytest.raises(MarkdownError, match="cannot end with"):
        Document.new({}, "", newline="\r")


# Refusals


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("---\na: 1\n", 1, "nothing closes"),
        ("---\na: *x\nb: 'open\n---\n", 3, "not YAML"),
        ("---\nb: 1\nb: 2\na: 1\n---\n", 2, "the key 'b' is there twice"),
        ("---\n- a\n- b\n---\n", 2, "not made of 'key: value' lines"),
        ("---\na: &x 1\nb: &y 1\nc: *y\n---\n", 3, "refers to the anchor in 'b'"),
    ],
)
def test_frontmatter_that_cannot_be_changed_safely_is_refused_with_line_and_reason(
    text: str, line: int, what: str
) -> None:
    note = Document.parse(text)
    for attempt in (partial(note.set, "b", "x"), partial(note.remove, "b"), partial(note.set_raw, "b", "b: x")):
        with pytest.raises(MarkdownError, match=what) as caught:
            attempt()
        assert caught.value.where == f"line {line}"
        assert caught.value.remedy


def test_a_new_key_in_braces_is_refused() -> None:
    with pytest.raises(MarkdownError, match="written in braces"):
        Document.parse("---\n{a: 1}\n---\n").set("b", 2)


def test_a_block_that_would_grow_beyond_its_limit_is_refused() -> None:
    note = Document.parse(f"---\na: {'x' * (MAX_FRONTMATTER - 50)}\n---\n")
    with pytest.raises(MarkdownError, match=f"more than {MAX_FRONTMATTER:,} characters"):
        note.set("b", "y" * 100)


def test_a_key_beside_an_unreadable_one_can_be_changed() -> None:
    note = Document.parse("---\na: *x # no anchor\nb: 1\n---\n")
    assert note.set("b", 2).text == "---\na: *x # no anchor\nb: 2\n---\n"


@given(st.integers(), st.text(max_size=20), st.text(max_size=40))
def test_any_text_under_any_key_reads_back(seed: int, key: str, value: str) -> None:
    note = Document.parse(Writer(seed).document())
    try:
        changed = note.set(key, value)
    except MarkdownError:
        return
    again = Document.parse(changed.text)
    assert again.get(key) == value
    assert again.body == note.body
    assert {name: again.get(name) for name in note.fields if name != key} == {
        name: value for name, value in note.fields.items() if name != key
    }
