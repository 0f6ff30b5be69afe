"""Which items of a list went, came and stayed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.markdown.node import Value
from quire.markdown.opcodes import Opcode, opcodes

ITEMS: st.SearchStrategy[Value] = st.sampled_from(["a", "b", "c", 1, True, 1.0, None, "1"])


@given(st.lists(ITEMS, max_size=9), st.lists(ITEMS, max_size=9))
def test_opcodes_turn_one_list_into_the_other(old: list[Value], new: list[Value]) -> None:
    made: list[Value] = []
    at = 0
    for code in opcodes(old, new):
        assert code.first >= at
        assert code.first < code.last or code.start < code.end
        made += [*old[at : code.first], *new[code.start : code.end]]
        at = code.last
    assert repr([*made, *old[at:]]) == repr(new)


@given(st.lists(st.integers(), unique=True, max_size=20), st.sets(st.integers(0, 19)))
def test_only_what_is_gone_goes(old: list[Value], gone: set[int]) -> None:
    new = [item for index, item in enumerate(old) if index not in gone]
    codes = opcodes(old, new)
    assert sum(code.last - code.first for code in codes) == len(old) - len(new)
    assert sum(code.end - code.start for code in codes) == 0


def test_an_item_that_moves_is_one_that_goes_and_one_that_comes() -> None:
    assert opcodes(["a", "b", "c"], ["c", "a", "b"]) == [Opcode(0, 0, 0, 1), Opcode(2, 3, 3, 3)]
