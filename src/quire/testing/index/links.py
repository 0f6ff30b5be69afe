"""What is promised of the channels of links and of neighbours."""

from __future__ import annotations

import pytest

from quire.errors import InvalidRequest
from quire.ports.index import Index, Link, LinkHit, Record, Ref
from quire.testing.index.making import ELSEWHERE, HERE, entry, file, fill, within


def chain(index: Index) -> None:
    """a → b → c → d, and e → b by another relation."""
    fill(
        index,
        entry("a", links=[("see", "b")]),
        entry("b", links=[("see", "c")]),
        entry("c", links=[("see", "d")]),
        entry("d", status="deleted"),
        entry("e", links=[("derived_from", "b"), ("see", "not there")]),
    )


def seen(hits: list[LinkHit]) -> list[tuple[str, int, str, str, bool]]:
    return [(hit.ref.id, hit.hops, hit.source.id, hit.relation, hit.along) for hit in hits]


class LinkTests:
    """Part of `IndexTests`."""

    def test_links_are_walked_in_both_directions(self, index: Index) -> None:
        chain(index)
        assert seen(index.linked([Ref(HERE, "b")], within())) == [
            ("a", 1, "b", "see", False),
            ("c", 1, "b", "see", True),
            ("e", 1, "b", "derived_from", False),
        ]

    def test_farther_hops_come_later_and_nothing_twice(self, index: Index) -> None:
        chain(index)
        hits = index.linked([Ref(HERE, "a")], within(), hops=2)
        assert seen(hits) == [
            ("b", 1, "a", "see", True),
            ("c", 2, "b", "see", True),
            ("e", 2, "b", "derived_from", False),
        ]
        assert index.linked([Ref(HERE, "a")], within(), hops=2, limit=2) == hits[:2]
        assert [hit.ref.id for hit in index.linked([Ref(HERE, "a")], within(), hops=3)] == ["b", "c", "e", "d"]

    def test_only_the_relations_asked_for(self, index: Index) -> None:
        chain(index)
        hits = index.linked([Ref(HERE, "b")], within(), hops=3, relations=["derived_from"])
        assert [hit.ref.id for hit in hits] == ["e"]

    def test_what_is_filtered_out_is_no_bridge(self, index: Index) -> None:
        chain(index)
        only = within(statuses=("active",))
        assert [hit.ref.id for hit in index.linked([Ref(HERE, "d")], only, hops=1)] == ["c"]
        fill(index, entry("b", status="deleted", links=[("see", "c")]))
        assert index.linked([Ref(HERE, "a")], only, hops=3) == []

    def test_a_link_into_a_scope_that_is_not_asked_leads_nowhere(self, index: Index) -> None:
        out = Record(HERE, "a", "fix", links=(Link("see", Ref(ELSEWHERE, "b")),))
        back = Record(HERE, "c", "fix", links=(Link("see", Ref(ELSEWHERE, "b")),))
        fill(index, out, back, entry("b", scope=ELSEWHERE))
        assert index.linked([Ref(HERE, "a")], within(), hops=2) == []
        assert index.linked([Ref(ELSEWHERE, "b")], within()) == []
        hits = index.linked([Ref(HERE, "a")], within(HERE, ELSEWHERE), hops=2)
        assert [hit.ref for hit in hits] == [Ref(ELSEWHERE, "b"), Ref(HERE, "c")]

    def test_a_ring_and_a_link_to_itself_end(self, index: Index) -> None:
        fill(index, entry("a", links=[("see", "b"), ("see", "a")]), entry("b", links=[("see", "a"), ("see", "a")]))
        assert [hit.ref.id for hit in index.linked([Ref(HERE, "a")], within(), hops=3)] == ["b"]

    def test_links_go_with_their_entry(self, index: Index) -> None:
        index.apply([file("a.md", entry("a", links=[("see", "b")])), file("b.md", entry("b"))])
        index.apply([file("a.md", entry("a"), version="2")])
        assert index.linked([Ref(HERE, "b")], within()) == []

    def test_refuses_more_hops_than_three(self, index: Index) -> None:
        for hops in (0, 4):
            with pytest.raises(InvalidRequest):
                index.linked([Ref(HERE, "a")], within(), hops=hops)
        for distance in (0, 101):
            with pytest.raises(InvalidRequest):
                index.beside([Ref(HERE, "a")], within(), distance=distance)

    def test_neighbours_are_those_of_the_same_session(self, index: Index) -> None:
        fill(
            index,
            *(entry(f"n{i}", session="s", turn=i * 10) for i in range(5)),
            entry("other", session="t", turn=20),
            entry("theirs", scope=ELSEWHERE, session="s", turn=20),
            entry("alone", turn=20),
        )
        hits = index.beside([Ref(HERE, "n2"), Ref(HERE, "n4"), Ref(HERE, "alone")], within(HERE, ELSEWHERE))
        assert [(hit.ref.id, hit.of.id, hit.distance) for hit in hits] == [
            ("n1", "n2", -1), ("n3", "n2", 1), ("n3", "n4", -1),
        ]  # fmt: skip
        far = index.beside([Ref(HERE, "n2")], within(), distance=3)
        assert [(hit.ref.id, hit.distance) for hit in far] == [("n0", -2), ("n1", -1), ("n3", 1), ("n4", 2)]

    def test_turns_that_are_equal_are_in_the_order_of_their_ids(self, index: Index) -> None:
        fill(index, *(entry(name, session="s", turn=1) for name in "cab"))
        assert [hit.ref.id for hit in index.beside([Ref(HERE, "b")], within())] == ["a", "c"]
