"""What is promised of applying files: one step, done again it changes nothing, and what went leaves no trace."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from quire.errors import InvalidRequest
from quire.ports.index import Index, IndexedFile, Record, Ref
from quire.testing.index.making import ELSEWHERE, HERE, asked, entry, file, fill, ids, within


class WriteTests:
    """Part of `IndexTests`."""

    def test_an_empty_index_is_empty(self, index: Index) -> None:
        assert index.versions() == {}
        stats = index.stats()
        assert (stats.files, stats.entries, stats.pieces, dict(stats.vectors)) == (0, 0, 0, {})
        assert index.browse(within()).entries == ()
        index.apply([], ["never there.md"])
        assert index.records([Ref(HERE, "a")]) == []

    def test_versions_are_sorted_by_key(self, index: Index) -> None:
        index.apply([file(key, version=key.upper()) for key in ("b.md", "a/z.md", "é.md", "a.md", "Z.md")])
        assert list(index.versions().items()) == [
            (key, key.upper()) for key in ("Z.md", "a.md", "a/z.md", "b.md", "é.md")
        ]

    def test_a_file_replaces_all_it_held(self, index: Index) -> None:
        index.apply([file("log.md", entry("a", "fox"), entry("b", "hen"), entry("c", "cow"))])
        index.apply([file("log.md", entry("b", "hen"), entry("c", "whale"), entry("d", "fox"), version="2")])
        assert ids(asked(index, "fox")) == ["d"]
        assert ids(asked(index, "cow whale")) == ["c"]
        assert index.versions() == {"log.md": "2"}
        assert index.stats().entries == 3

    def test_an_entry_may_move_to_another_scope(self, index: Index) -> None:
        index.apply([file("a.md", entry("a", "fox"))])
        index.apply([file("a.md", entry("a", "fox", scope=ELSEWHERE))])
        assert asked(index, "fox") == []
        assert ids(asked(index, "fox", within(ELSEWHERE))) == ["a"]

    def test_removing_leaves_nothing(self, index: Index) -> None:
        fill(
            index,
            entry("a", "fox", tags=("red",), session="s", links=[("see", "b")], pieces=[("h", "")]),
            entry("b", "hen"),
        )
        index.put_vectors("m", [("h", [1, 0])])
        index.apply([], [f"{HERE}/a.md"])
        assert asked(index, "fox") == []
        assert index.near("m", [1, 0], within()) == []
        assert index.linked([Ref(HERE, "b")], within()) == []
        assert index.browse(within(tags=("red",))).entries == ()
        assert index.records([Ref(HERE, "a")]) == []
        stats = index.stats()
        assert (stats.files, stats.entries, stats.pieces, sum(stats.vectors.values())) == (1, 1, 0, 0)

    def test_what_is_removed_and_given_in_one_step_is_there(self, index: Index) -> None:
        index.apply([file("a.md", entry("a", "fox"))])
        index.apply([file("a.md", entry("a", "hen"))], ["a.md", "a.md"])
        assert ids(asked(index, "hen fox")) == ["a"]

    def test_applying_again_changes_nothing(self, index: Index) -> None:
        files = [file(f"{i}.md", entry(f"n{i}", f"fox w{i}", pieces=[(f"h{i}", "")])) for i in range(20)]
        index.apply(files)
        index.put_vectors("m", [(f"h{i}", [1, i]) for i in range(20)])
        before = (asked(index, "fox w3"), index.near("m", [1, 0], within()), index.browse(within()), index.versions())
        index.apply(files)
        index.apply(files[3:9])
        assert before == (
            asked(index, "fox w3"),
            index.near("m", [1, 0], within()),
            index.browse(within()),
            index.versions(),
        )
        assert index.missing_vectors("m") == []

    def test_a_line_that_moved_is_seen(self, index: Index) -> None:
        record = entry("a", "fox")
        index.apply([file("log.md", record)])
        index.apply([file("log.md", replace(record, line=40), version="2")])
        assert index.records([record.ref])[0].record.line == 40

    @pytest.mark.parametrize(
        "change",
        [
            {"kind": "idea"}, {"status": "inbox"}, {"title": "t"}, {"tags": ("t",)}, {"flags": ("f",)},
            {"created": 1.0}, {"updated": 1.0}, {"when": 1.0}, {"valid_from": 1.0}, {"valid_to": 1.0},
            {"speaker": "s"}, {"session": "s"}, {"turn": 1}, {"scalars": {"x": 1}},
        ],
        ids=lambda change: next(iter(change)),
    )  # fmt: skip
    def test_every_field_that_changes_is_seen_and_shown(self, index: Index, change: dict[str, object]) -> None:
        record = entry("a", "fox")
        index.apply([file("a.md", record)])
        changed = Record(**{**{name: getattr(record, name) for name in Record.__slots__}, **change})
        index.apply([file("a.md", changed)])
        shown = index.records([record.ref])[0].record
        assert shown == replace(changed, words={}, pieces=())

    def test_history_leaves_no_trace_in_a_score(self, index: Index) -> None:
        chance = random.Random(3)
        for step in range(60):
            key = f"{chance.randrange(9)}.md"
            words = " ".join(chance.choices(["fox", "hen", "cow", "owl", "elk"], k=chance.randrange(1, 9)))
            index.apply([file(key, entry(f"n{key}", words), version=str(step))], [f"{chance.randrange(9)}.md"])
        hits = asked(index, "fox hen elk")
        index.apply([], [stored.key for stored in index.browse(within(), limit=100).entries])
        assert asked(index, "fox hen elk") == []
        index.apply([file("one.md", entry("one", "fox hen"))])
        fresh = asked(index, "fox hen elk")
        index.clear()
        index.apply([file("one.md", entry("one", "fox hen"))])
        assert asked(index, "fox hen elk") == fresh
        assert hits

    def test_two_files_may_hold_one_id(self, index: Index) -> None:
        index.apply([file("b.md", entry("a", "fox")), file("a.md", entry("a", "fox"))])
        assert [hit.key for hit in asked(index, "fox")] == ["a.md", "b.md"]
        assert [stored.key for stored in index.records([Ref(HERE, "a")])] == ["a.md", "b.md"]
        index.apply([], ["a.md"])
        assert [hit.key for hit in asked(index, "fox")] == ["b.md"]

    def test_a_refusal_changes_nothing(self, index: Index) -> None:
        fill(index, entry("a", "fox"))
        good = file("good.md", entry("good", "fox"))
        wrong = [
            [good, good],
            [good, file("")],
            [good, file("x.md", entry("x"), entry("x"))],
            [good, file("x.md", entry(""))],
            [good, file("x.md", entry("x", scope=""))],
            [good, file("x.md", entry("x", words={"no field": ["fox"]}))],
        ]
        for files in wrong:
            with pytest.raises(InvalidRequest):
                index.apply(files)
        assert ids(asked(index, "fox")) == ["a"]
        assert list(index.versions()) == [f"{HERE}/a.md"]

    def test_clear_forgets_everything(self, index: Index) -> None:
        fill(index, entry("a", "fox", pieces=[("h", "")]))
        index.put_vectors("m", [("h", [1, 0])])
        index.clear()
        assert asked(index, "fox") == []
        assert index.near("m", [1, 0, 0], within()) == []
        assert index.versions() == {}
        fill(index, entry("b", "fox"))
        assert ids(asked(index, "fox")) == ["b"]

    def test_another_handle_sees_each_change(self, index: Index, other: Index) -> None:
        for step, words in enumerate(("fox", "hen", "cow")):
            index.apply([file("a.md", entry("a", words, pieces=[(f"h{step}", "")]), version=str(step))])
            assert ids(asked(other, words)) == ["a"]
            index.put_vectors("m", [(f"h{step}", [1, step])])
            assert ids(other.near("m", [1, 0], within())) == ["a"]
        other.apply([], ["a.md"])
        assert asked(index, "cow") == []
        assert index.near("m", [1, 0], within()) == []
        other.clear()
        other.apply([file("b.md", entry("b", "cow", pieces=[("h9", "")]))])
        other.put_vectors("m", [("h9", [1, 0])])
        assert ids(asked(index, "cow")) == ["b"] == ids(index.near("m", [1, 0], within()))

    def test_closes_twice(self, index: Index) -> None:
        index.apply([IndexedFile("a.md", "1")])
        index.close()
        index.close()
