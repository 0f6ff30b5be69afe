"""Logs: entries between markers, whatever they contain."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import MarkdownError
from quire.markdown.document import Document
from quire.markdown.entries import Log
from tests.markdown.documents import Writer

FIRST, SECOND, THIRD = (f"ep_20260601_{number:08}" for number in (1, 2, 3))
HEADER = "---\nid: log\nentry_count: 2  # counted\n---\n"


def block(id: str, content: str) -> str:
    return f"<!-- entry:{id} -->\n{content}<!-- /entry:{id} -->\n"


LOG = HEADER + block(FIRST, "---\nuser: ada\n---\nOne\n") + "between\n" + block(SECOND, "Two\n") + "after\n"

CONTENTS = [
    "", "\n", "\n\n", "text", "text\n", "text\r\n", "text\r", "\r", "\ufefftext", "---\n", "---", "---\na: 1\n---\n",
    "# Heading\n\n## More", f"<!-- entry:{FIRST} -->\n<!-- /entry:{FIRST} -->\n", f"<!-- entry:{FIRST} -->",
    f"<!-- /entry:{FIRST} -->\r\n", f"<!-- \\entry:{FIRST} -->\n<!-- \\\\/entry:x -->\n", "<!-- entry:", "<!-- entry:x",
    "<!-- /entry:x --> and more", " <!-- entry:x -->", "```\n<!-- entry:x -->\n```\n", "<!-- \\", "<!-- \\n -->",
    "a\u2028<!-- entry:x -->", "a\r<!-- entry:x -->\rb", "\x00", "<!-- \\\\\\entry:x -->", "---\nopen: 'quote\n---\n",
    "---\nnever closed\n",
]  # fmt: skip


# What survives


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    "before", ["", HEADER, LOG, LOG[:-1], LOG.replace("\n", "\r\n"), "\ufeff" + HEADER, "text", "text\r"]
)
def test_an_entry_reads_back_as_it_was_appended_and_goes_without_a_trace(before: str, content: str) -> None:
    log = Log.parse(before).append(THIRD, Document.parse(content))
    entry = Log.parse(log.text).get(THIRD)
    assert entry and entry.closed
    assert entry.document.text == content
    assert [each.id for each in log.entries][:-1] == [each.id for each in Log.parse(before).entries]
    assert log.problems == Log.parse(before).problems
    assert log.text.startswith(before)
    assert log.text.endswith("\n") == (before.endswith("\n") or not before)
    assert log.remove(THIRD).text == before


@given(
    st.lists(
        st.sampled_from(["<!-- ", "\\", "/", "entry:", "a", " -->", "\n", "\r\n", "\r", "---\n", " "]), max_size=30
    )
)
def test_escapes_of_escapes_read_back(pieces: list[str]) -> None:
    content = "".join(pieces)
    log = Log.parse(HEADER).append(FIRST, Document.parse("x")).append(SECOND, Document.parse(content))
    assert [entry.document.text for entry in Log.parse(log.text).entries] == ["x", content]
    other = log.replace(FIRST, Document.parse(content)).append(THIRD, Document.parse("y"))
    assert [entry.document.text for entry in Log.parse(other.text).entries] == [content, content, "y"]


def test_what_is_escaped_does_not_count_as_an_id() -> None:
    log = Log.parse("").append(
        FIRST, Document.parse("<!-- entry:ep_20260601_00000099 -->\n<!-- entry:ep_20260601_00000098")
    )
    assert log.highest == 1


def test_the_fields_of_an_entry_are_read() -> None:
    entry = Log.parse(LOG).entries[0]
    assert (entry.document.fields, entry.document.body) == ({"user": "ada"}, "One")
    assert LOG[entry.start : entry.end] == block(FIRST, "---\nuser: ada\n---\nOne\n")
    assert LOG[slice(*entry.inside)] == "---\nuser: ada\n---\nOne\n"
    assert LOG.count("\n", 0, entry.start) + 1 == entry.line


# What a change touches


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_replacing_an_entry_touches_its_content_only(newline: str) -> None:
    text = LOG.replace("\n", newline)
    log = Log.parse(text)
    entry = log.entries[0]
    changed = log.replace(FIRST, entry.document.set("user", "bob"))
    assert changed.text == text.replace("user: ada", "user: bob")
    assert changed.replace(FIRST, entry.document).text == text


def test_replacing_with_the_same_changes_nothing_however_it_was_written() -> None:
    damaged = "<!-- entry:broken -\n<!-- \\entry:y -->\n<!-- /entry:stray -->\nx\r\n"
    odd = f"{HEADER}<!-- entry:{FIRST} -->  \r\n{damaged}<!-- /entry:{FIRST} -->\t\n" + block(SECOND, "")[:-1]
    log = Log.parse(odd)
    for entry in log.entries:
        assert log.replace(entry.id, entry.document).text == odd
    grown = log.replace(FIRST, log.entries[0].document.with_body(log.entries[0].document.body + "\ny"))
    assert grown.text == odd.replace("x\r\n", "x\ny\r\n")
    assert grown.entries[0].document.text.endswith("x\ny")


@given(st.integers())
def test_a_field_of_an_entry_set_and_set_back_gives_the_same_bytes(seed: int) -> None:
    log = Log.parse(Writer(seed).log())
    for entry in log.entries:
        for key, value in entry.document.fields.items():
            try:
                document = entry.document.set(key, ["other"])
            except MarkdownError:
                continue
            changed = log.replace(entry.id, document)
            assert changed.text.startswith(log.text[: entry.inside[0]])
            assert changed.text.endswith(log.text[entry.inside[1] :])
            assert changed.replace(entry.id, document.set(key, value)).text == log.text


def test_removing_an_entry_leaves_the_text_around_it() -> None:
    assert Log.parse(LOG).remove(FIRST).text == LOG.replace(block(FIRST, "---\nuser: ada\n---\nOne\n"), "")
    assert Log.parse(LOG).remove(SECOND).text == LOG.replace(block(SECOND, "Two\n"), "")


def test_the_header_changes_in_its_own_lines() -> None:
    changed = Log.parse(LOG).with_header({"entry_count": 3, "at": "now"})
    assert changed.text == LOG.replace("entry_count: 2  # counted\n", "entry_count: 3  # counted\nat: now\n")
    assert Log.parse(block(FIRST, "x\n")).with_header({"count": 1}).text == "---\ncount: 1\n---\n" + block(FIRST, "x\n")


# What is wrong


def lines_of(log: Log) -> list[tuple[int, str]]:
    return [(problem.line, problem.code) for problem in log.problems]


def test_a_missing_closing_marker_costs_one_entry_its_end_and_no_other() -> None:
    log = Log.parse(LOG.replace(f"<!-- /entry:{FIRST} -->\n", ""))
    assert lines_of(log) == [(5, "MARKER_NOT_CLOSED")]
    assert [(entry.id, entry.closed) for entry in log.entries] == [(FIRST, False), (SECOND, True)]
    assert log.entries[0].document.body == "One\nbetween"
    assert log.entries[1].document.text == "Two"
    assert f"<!-- /entry:{FIRST} -->" in log.problems[0].remedy
    with pytest.raises(MarkdownError, match="no closing marker") as caught:
        log.replace(FIRST, Document.parse("x"))
    assert caught.value.where == "line 5"
    assert log.replace(SECOND, Document.parse("x")).entries[1].document.text == "x"
    assert log.append(THIRD, Document.parse("x")).entries[2].document.text == "x"


def test_the_last_entry_without_its_closing_marker_has_the_rest_of_the_text() -> None:
    log = Log.parse(LOG.replace(f"<!-- /entry:{SECOND} -->\n", ""))
    assert lines_of(log) == [(12, "MARKER_NOT_CLOSED")]
    assert log.entries[1].document.text == "Two\nafter"


def test_a_stray_closing_marker_is_reported_and_harms_nothing() -> None:
    log = Log.parse(
        LOG.replace("between\n", f"<!-- /entry:{THIRD} -->\n").replace("Two\n", f"Two\n<!-- /entry:{FIRST} -->\n")
    )
    assert lines_of(log) == [(11, "MARKER_STRAY"), (14, "MARKER_STRAY")]
    assert [entry.closed for entry in log.entries] == [True, True]


def test_of_two_entries_with_one_id_the_first_counts_and_neither_is_changed() -> None:
    log = Log.parse(LOG + block(FIRST, "again\n"))
    assert lines_of(log) == [(16, "MARKER_DUPLICATE")]
    assert [entry.id for entry in log.entries] == [FIRST, SECOND]
    for attempt in (log.remove, lambda known: log.replace(known, Document.parse("x"))):
        with pytest.raises(MarkdownError, match="more than once"):
            attempt(FIRST)
    assert log.remove(SECOND).entries[0].document.body == "One"


def test_entries_that_cross_are_told_apart() -> None:
    log = Log.parse("<!-- entry:a -->\none\n<!-- entry:b -->\ntwo\n<!-- /entry:a -->\n<!-- /entry:b -->\n")
    assert lines_of(log) == [(1, "MARKER_NOT_CLOSED"), (5, "MARKER_STRAY")]
    assert [(entry.id, entry.document.text) for entry in log.entries] == [("a", "one"), ("b", "two\n<!-- /entry:a -->")]


def test_broken_frontmatter_of_one_entry_is_reported_with_its_line_in_the_file() -> None:
    log = Log.parse(
        HEADER + block(FIRST, "---\nuser: 'open\nkind: x\n---\nOne\n") + block(SECOND, "---\na: 1\na: 2\n---\n")
    )
    problems = [(problem.line, problem.code) for entry in log.entries for problem in entry.document.problems]
    assert problems == [(7, "YAML_SYNTAX"), (15, "YAML_DUPLICATE_KEY")]
    assert log.entries[0].document.fields == {"kind": "x"}
    assert lines_of(log) == []


def test_an_entry_without_frontmatter_is_an_entry() -> None:
    assert Log.parse(LOG).entries[1].document.has_frontmatter is False


def test_an_entry_whose_frontmatter_never_ends_is_reported_where_it_begins() -> None:
    log = Log.parse(HEADER + block(FIRST, "---\nuser: ada\n") + block(SECOND, "---\nuser: bob\n---\n"))
    assert [problem.line for problem in log.entries[0].document.problems] == [6]
    assert log.entries[1].document.fields == {"user": "bob"}


def test_a_header_that_is_not_closed_swallows_no_entry() -> None:
    text = "---\nid: log\n" + block(FIRST, "---\nuser: ada\n---\nOne\n") + block(SECOND, "Two\n")
    log = Log.parse(text)
    assert lines_of(log) == [(1, "FRONTMATTER_NOT_CLOSED")]
    assert [(entry.id, entry.document.fields) for entry in log.entries] == [(FIRST, {"user": "ada"}), (SECOND, {})]
    assert log.highest == 2
    for attempt in (partial(log.append, THIRD, Document.parse("x")), partial(log.with_header, {"a": 1})):
        with pytest.raises(MarkdownError, match="nothing closes"):
            attempt()
    assert log.replace(FIRST, log.entries[0].document.set("user", "bob")).text == text.replace("ada", "bob")


def test_a_broken_header_hides_no_entry_and_is_reported() -> None:
    log = Log.parse("---\nid: 'open\n---\n" + block(FIRST, "One\n"))
    assert (lines_of(log), [entry.id for entry in log.entries]) == ([(2, "YAML_SYNTAX")], [FIRST])


@pytest.mark.parametrize("id", ["", "a b", "-a", "a--b", "a\n", "é", "x" * 201, "a-->", "<!--"])
def test_what_cannot_be_an_id_is_refused(id: str) -> None:
    with pytest.raises(MarkdownError, match="cannot be the id"):
        Log.parse(LOG).append(id, Document.parse("x"))


def test_an_id_is_appended_once() -> None:
    with pytest.raises(MarkdownError, match="has an entry"):
        Log.parse(LOG).append(FIRST, Document.parse("x"))


def test_what_is_not_there_cannot_be_changed() -> None:
    for attempt in (Log.parse(LOG).remove, lambda unknown: Log.parse(LOG).replace(unknown, Document.parse("x"))):
        with pytest.raises(MarkdownError, match="has no entry"):
            attempt(THIRD)


# Numbers


def test_the_highest_number_counts_damaged_markers_too() -> None:
    assert Log.parse(LOG).highest == 2
    assert Log.parse(f"{LOG}<!-- entry:ep_20260601_00000007\n").highest == 7
    assert Log.parse(f"{LOG}<!-- /entry:ep_20260601_00000008 -->\n").highest == 8
    assert Log.parse(f"{LOG}text <!-- entry:ep_20260601_00000009 -->\n").highest == 2
    assert Log.parse("").highest == 0


def test_a_marker_in_the_header_is_counted_as_well() -> None:
    assert Log.parse(f"---\nid: log\n{block(THIRD, 'x')}---\n{block(SECOND, 'y')}").highest == 3
    assert Log.parse(f"---\nid: log\n<!-- entry:{THIRD}\n---\n{block(SECOND, 'y')}").highest == 3
    assert Log.parse(f"\ufeff<!-- entry:{THIRD} -->\n").highest == 3


@given(st.text(), st.text())
def test_any_text_is_a_log_of_some_kind(before: str, content: str) -> None:
    log = Log.parse(before)
    assert isinstance(log.problems, tuple)
    try:
        longer = log.append(THIRD, Document.parse(content))
    except MarkdownError:
        return
    entry = longer.get(THIRD)
    assert entry and entry.document.text == content
    assert longer.remove(THIRD).text == before
