"""The names of log entries."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import InvalidEntryId
from quire.markdown.entry_id import MOST_ENTRIES, EntryId

IDS = st.builds(
    EntryId,
    st.from_regex(r"[a-z][a-z0-9_]{0,99}", fullmatch=True),
    st.dates(),
    st.integers(1, MOST_ENTRIES),
)


@given(IDS)
def test_an_id_is_read_back_as_it_was_written(id: EntryId) -> None:
    assert EntryId.parse(id.format()) == EntryId.parse(str(id)) == id


def test_an_id_has_a_fixed_width_so_that_ids_sort_as_they_were_issued() -> None:
    day = datetime.date(2026, 6, 1)
    assert str(EntryId("agent_case", day, 12)) == "agent_case_20260601_00000012"
    assert sorted(map(str, (EntryId("ep", day, number) for number in (100, 9, 11)))) == [
        "ep_20260601_00000009",
        "ep_20260601_00000011",
        "ep_20260601_00000100",
    ]


def test_the_next_id_is_one_more_than_were_issued() -> None:
    day = datetime.date(2026, 6, 1)
    assert EntryId.next_for("ep", day, 0) == EntryId("ep", day, 1)
    assert EntryId.next_for("ep", day, 41).sequence == 42
    with pytest.raises(InvalidEntryId, match="cannot have the number 100000000"):
        EntryId.next_for("ep", day, MOST_ENTRIES)


@pytest.mark.parametrize(
    "text",
    [
        "", "ep", "ep_20260601", "ep_20260601_1", "ep_20260601_000000001", "ep_20260601_00000000",
        "ep_20260230_00000001", "ep_20261301_00000001", "ep_00000101_00000001", "EP_20260601_00000001",
        "1_20260601_00000001", "_20260601_00000001", " ep_20260601_00000001", "ep_20260601_00000001\n",
        "ep_20260601_0000000\u0661", "ep-20260601-00000001", "e" * 101 + "_20260601_00000001",
        "ep_20260601_00000001" * 1000,
    ],
)  # fmt: skip
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidEntryId) as caught:
        EntryId.parse(text)
    assert "ep_20260601_00000001" in caught.value.remedy or "99,999,999" in caught.value.remedy
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("prefix", ["", "Ep", "1", "e p", "e/p", "é", "e\n", "e" * 101])
def test_what_is_no_prefix_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidEntryId, match="prefix"):
        EntryId.next_for(prefix, datetime.date(2026, 6, 1), 0)
