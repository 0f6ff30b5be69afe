"""What is promised of showing and listing."""

from __future__ import annotations

import pytest

from quire.errors import InvalidRequest
from quire.ports.index import Filter, Index, Order, Page, Ref
from quire.testing.index.making import ELSEWHERE, HERE, entry, fill, within


def parts(index: Index, filter: Filter, order: Order, limit: int) -> list[str]:
    """All of a list, asked for in parts."""
    found: list[str] = []
    page = Page((), "")
    while True:
        page = index.browse(filter, order=order, limit=limit, after=page.after)
        found += [stored.record.id for stored in page.entries]
        if not page.after:
            return found


class ListTests:
    """Part of `IndexTests`."""

    def test_records_are_shown_in_the_order_they_are_asked(self, index: Index) -> None:
        fill(index, *(entry(name, name, pieces=[(f"h{name}", name)], links=[("see", "x")]) for name in "abc"))
        shown = index.records([Ref(HERE, "c"), Ref(HERE, "none"), Ref(ELSEWHERE, "a"), Ref(HERE, "a"), Ref(HERE, "c")])
        assert [stored.record.id for stored in shown] == ["c", "a"]
        assert shown[0].key == f"{HERE}/c.md"
        assert shown[0].version == f"version of {HERE}/c.md"
        assert [piece.hash for piece in shown[0].record.pieces] == ["hc"]
        assert shown[0].record.links[0].target == Ref(HERE, "x")
        assert not shown[0].record.words

    @pytest.mark.parametrize("limit", [1, 2, 3, 100])
    def test_each_order_is_the_same_in_parts_as_whole(self, index: Index, limit: int) -> None:
        fill(
            index,
            entry("a", created=5.0),
            entry("b", created=1.0, when=9.0),
            entry("c"),
            entry("d", created=5.0, updated=2.0),
            entry("e", created=-3.5, updated=8.25),
            entry("f"),
            entry("a", created=5.0, scope=ELSEWHERE),
        )
        both = within(HERE, ELSEWHERE)
        expected = {
            "newest": ["b", "a", "d", "a", "e", "c", "f"],
            "oldest": ["e", "a", "d", "a", "b", "c", "f"],
            "updated": ["e", "a", "a", "d", "b", "c", "f"],
            "id": ["a", "b", "c", "d", "e", "f", "a"],
        }
        for order, names in expected.items():
            assert parts(index, both, order, limit) == names, order  # type: ignore[arg-type]

    def test_refuses_a_place_that_no_page_ended_at(self, index: Index) -> None:
        for wrong in ("x", "[1]", '["a", "b", "c", "d"]', "[null, 1, 2, 3]"):
            with pytest.raises(InvalidRequest):
                index.browse(within(), after=wrong)
        with pytest.raises(InvalidRequest):
            index.browse(within(), order="sideways")  # type: ignore[arg-type]
