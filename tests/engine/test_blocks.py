"""Logs in blocks: one entry changes, the bytes around it stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.engine.blocks import Blocks, blocks, cut, head_of
from quire.markdown.document import Document
from quire.markdown.entries import Log

HEADER = b"---\nentry_count: 3\n---\n"


def entry(number: int, text: str = "text") -> bytes:
    return f"<!-- entry:ep_20260601_{number:08} -->\n{text}\n<!-- /entry:ep_20260601_{number:08} -->\n".encode()


def id_of(number: int) -> str:
    return f"ep_20260601_{number:08}"


def test_a_log_is_cut_at_its_entries() -> None:
    assert cut(b"Words.\n" + entry(1) + b"\n" + entry(2)) == [
        ("", b"Words.\n"),
        (id_of(1), entry(1)),
        ("", b"\n"),
        (id_of(2), entry(2)),
    ]


def test_the_pieces_of_a_log_are_its_text() -> None:
    torn = entry(1) + b"<!-- entry:open -->\nno end\n" + entry(2) + b"<!-- /entry:stray -->\n" + entry(1, "twice")
    assert b"".join(text for _, text in cut(torn)) == torn
    assert [id for id, _ in cut(torn) if id] == [id_of(1), id_of(2)]


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (b"---\na: 1\n---\nBody", b"---\na: 1\n---\n"),
        (b"---\r\na: 1\r\n---\r\nBody", b"---\r\na: 1\r\n---\r\n"),
        (b"---\n---\n", b"---\n---\n"),
        (b"---\na: 1\n---", b"---\na: 1\n---"),
        (b"---\nnever closed\n", b""),
        (b"Body\n---\n---\n", b""),
    ],
)
def test_the_frontmatter_is_the_head(text: bytes, head: bytes) -> None:
    assert text[: head_of(text)] == head


def test_an_entry_is_replaced_and_nothing_else() -> None:
    log = Blocks(HEADER + entry(1) + b"between\n" + entry(2))
    log.put(id_of(1), entry(1, "other")[:-1])
    assert log.text == HEADER + entry(1, "other") + b"between\n" + entry(2)


def test_an_entry_is_taken_out_and_put_back_where_it_was() -> None:
    text = HEADER + entry(1) + entry(2) + entry(3)
    log = Blocks(text)
    block = log.get(id_of(2))
    log.put(id_of(2), None)
    assert log.get(id_of(2)) is None
    assert log.text == HEADER + entry(1) + entry(3)
    log.put(id_of(2), block)
    assert log.text == text


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("ended", [True, False])
def test_the_ends_of_lines_stay_as_they_are(newline: bytes, ended: bool) -> None:
    text = (HEADER + entry(1) + entry(2)).replace(b"\n", newline)
    text = text if ended else text.removesuffix(newline)
    log = Blocks(text)
    for number in (1, 2):
        block = log.get(id_of(number))
        log.put(id_of(number), b"x")
        log.put(id_of(number), block)
    assert log.text == text


def test_the_blocks_of_a_hunk_have_no_newline_at_their_end() -> None:
    assert blocks(entry(1) + entry(2)) == {id_of(1): entry(1)[:-1], id_of(2): entry(2)[:-1]}


@given(st.lists(st.text(alphabet="ab\n\r-<!> /entry:_01", max_size=30), min_size=1, max_size=5), st.data())
def test_the_engine_and_the_blocks_agree_on_what_an_entry_is(bodies: list[str], data: st.DataObject) -> None:
    log = Log.parse(HEADER.decode())
    for number, body in enumerate(bodies, 1):
        log = log.append(id_of(number), Document.new({"n": number}, body))
    held = Blocks(log.text.encode())
    number = data.draw(st.integers(1, len(bodies)))
    held.put(id_of(number), None)
    assert held.text.decode() == log.remove(id_of(number)).text
