"""What people see: aligned in every script, on one line, and nothing that a terminal would obey."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.inbound.cli.output import one_line, shortened, table, visible, width
from tests.inbound.cli.conftest import Quire


def test_columns_are_aligned_by_the_cells_a_terminal_gives_them() -> None:
    rows = [("設定", "x"), ("größe", "y"), ("e\u0301a", "z")]
    assert table(rows) == "設定   x\ngröße  y\ne\u0301a     z\n"
    assert [width(text) for text, _ in rows] == [4, 5, 2]


def test_a_column_that_is_empty_throughout_takes_no_room() -> None:
    assert table([("a", "", "b"), ("c", "", "")]) == "a  b\nc\n"
    assert table([]) == ""


def test_a_long_title_is_cut_where_it_is_too_wide() -> None:
    assert shortened("x" * 60) == "x" * 60
    assert shortened("x" * 61) == "x" * 59 + "…"
    assert shortened("設" * 40) == "設" * 29 + "…"


@given(text=st.text())
def test_no_text_makes_two_lines_or_moves_the_cursor(text: str) -> None:
    shown = one_line(text)
    assert shown.isprintable()
    assert visible(shown) == shown
    assert len(shown) == len(text.strip())


@given(text=st.text())
def test_what_is_visible_differs_only_where_it_has_to(text: str) -> None:
    for before, after in zip(text, visible(text), strict=True):
        assert before == after or (not before.isprintable() and after == "�")


@pytest.mark.parametrize("escape", ["\x1b[2J", "\x9b31m", "\u202e", "\x07", "\u2066"])
def test_no_memory_can_give_orders_to_a_terminal(quire: Quire, escape: str) -> None:
    """Not by its title, not by its tags, not by its text in the digest, not in what an error repeats of it."""
    written = "".join(f"\\U{ord(char):08x}" for char in escape)
    quire("save", "Text.", "--slug", "x", "--scope", "shared")
    text = f'---\nkind: preference\ntitle: "a {written}"\ntags: ["{written}"]\n---\nText {escape}.\n'
    assert quire("edit", "preference/x", "--scope", "shared", "--from", "-", stdin=text.encode()).code == 0
    for words in (["list"], ["digest"], ["history"], ["show", f"fix/{escape}"], ["undo", escape], ["lint"], ["doctor"]):
        answer = quire(*words)
        assert escape not in answer.out + answer.err, words


def test_a_scope_is_named_where_an_id_alone_would_not_say_which(quire: Quire) -> None:
    quire("save", "One.", "--slug", "same")
    assert quire("list").out.startswith("preference/same")
    quire("save", "Two.", "--slug", "same", "--scope", "shared")
    assert [line.split()[0] for line in quire("list").out.splitlines()] == [
        "default/default/agent:default",
        "default/default/shared",
    ]


def test_nothing_to_list_is_nothing_printed(quire: Quire) -> None:
    assert quire("list") == (0, "", "")
