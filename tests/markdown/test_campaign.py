"""Campaigns: many documents, each from a seed that is shown where one fails. `QUIRE_TORTURE=full` runs them in full."""

from __future__ import annotations

import pytest

from quire.errors import MarkdownError
from quire.markdown.document import Document
from quire.markdown.entries import Log
from quire.markdown.links import links
from quire.markdown.node import Value
from tests.budget import budget
from tests.markdown.documents import Writer

OTHERS: tuple[Value, ...] = (
    "changed", "a: b # c", "", None, True, 7, 1.5, "two\nlines\n", "no", ["x"], ["a", "b, c", None],
    [], {"a": {"b": ["c"]}}, "日本語", "- x", "x" * 200,
)  # fmt: skip


@pytest.mark.torture
def test_a_key_that_is_changed_and_changed_back_gives_the_same_bytes() -> None:
    changed = keys = 0
    for seed in range(budget(3_000, 100_000)):
        writer = Writer(f"there and back {seed}")
        note = Document.parse(writer.document())
        where = f"seed {seed}: {note.text!r}"
        assert note.text == Document.parse(note.text).text
        for key, value in writer.rng.sample(sorted(note.fields.items()), min(1, len(note.fields))):
            keys += 1
            try:
                other = note.set(key, writer.pick(OTHERS))
            except MarkdownError:
                assert note.problems, where
                continue
            changed += 1
            raw = note.raw(key)
            assert other.set(key, value).text == note.text, where
            assert raw is None or Document.parse(other.text).set_raw(key, raw).text == note.text, where
        try:
            added = note.set("brand new", writer.pick(OTHERS))
        except MarkdownError:
            continue
        assert added.remove("brand new").text == note.text, where
        assert not note.has_frontmatter or Document.parse(added.text).remove("brand new").text == note.text, where
    assert changed > keys * 0.95


@pytest.mark.torture
def test_a_damaged_text_is_read_without_an_exception_and_changed_without_harm() -> None:
    accepted = 0
    for seed in range(budget(20_000, 500_000)):
        writer = Writer(f"mutant {seed}")
        text = writer.mutated(writer.log() if writer.chance(0.2) else writer.document())
        try:
            accepted += document_survives(writer, text)
            log_survives(writer, text)
        except Exception as error:
            error.add_note(f"seed {seed}: {text!r}")
            raise
    assert accepted > seed / 4


def document_survives(writer: Writer, text: str) -> bool:
    """Read all of it and change one key. Whether the change was accepted."""
    note = Document.parse(text)
    lines = text.count("\n") + 1
    assert note.text == text
    assert text.endswith(note.body)
    assert all(1 <= problem.line <= lines and problem.what and problem.remedy for problem in note.problems)
    for link in links(note):
        assert 1 <= link.line <= lines
        assert 0 <= link.start < link.end <= len(text)
    key = writer.pick([*note.fields, "brand new"])
    raw = note.raw(key)
    try:
        other = note.set(key, writer.pick(OTHERS))
    except MarkdownError:
        return False
    assert Document.parse(other.text).fields == other.fields
    assert other.body == note.body
    if raw is not None:
        kept = other.raw(key)
        assert kept is not None
        assert any(other.text == text[:at] + kept + text[at + len(raw) :] for at in places(text, raw))
        assert Document.parse(other.text).set_raw(key, raw).text == text
    return True


def log_survives(writer: Writer, text: str) -> None:
    """Read all entries, replace one, append one and take it out."""
    log = Log.parse(text)
    lines = text.count("\n") + 1
    assert all(1 <= problem.line <= lines for problem in log.problems)
    for entry in log.entries:
        assert log.highest >= 0
        assert text.count("\n", 0, entry.start) + 1 == entry.line
        assert all(entry.line <= problem.line <= lines for problem in entry.document.problems)
    closed = [entry for entry in log.entries if entry.closed]
    if closed:
        entry = writer.pick(closed)
        content = writer.mutated(entry.document.text)
        try:
            other = log.replace(entry.id, Document.parse(content))
        except MarkdownError:
            assert log.problems
        else:
            same = other.get(entry.id)
            assert same
            assert same.document.text == content
            assert other.text.startswith(text[: entry.inside[0]])
            assert other.text.endswith(text[entry.inside[1] :])
            assert log.replace(entry.id, entry.document).text == text
    content = writer.mutated("<!-- entry:a -->\nText\n")
    try:
        longer = log.append("ep_20260601_99999999", Document.parse(content))
    except MarkdownError:
        assert log.problems
        return
    added = longer.get("ep_20260601_99999999")
    assert added
    assert added.document.text == content
    assert longer.remove(added.id).text == text


def places(text: str, part: str) -> list[int]:
    """Every offset at which `part` stands."""
    found = []
    at = text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found
