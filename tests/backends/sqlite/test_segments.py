"""Segments say what was put into them, in whatever order and however often they are merged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quire.backends.sqlite import SqliteIndex
from quire.backends.sqlite.index.segment import Held, Segment, build, hashed, merge, written
from quire.testing.index.making import asked, entry, file

COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 70_000), max_size=6)


def content(segment: Segment) -> dict[int, dict[int, int]]:
    """Each entry's words, read back out of the arrays."""
    found: dict[int, dict[int, int]] = {int(id): {} for id in segment.ids}
    start = 0
    for term, end in zip(segment.terms, segment.ends, strict=True):
        for doc, count in zip(segment.docs[start:end], segment.counts[start:end], strict=True):
            found[int(segment.ids[doc])][int(term)] = int(count)
        start = int(end)
    return found


def expected(said: dict[int, dict[str, int]]) -> dict[int, dict[int, int]]:
    return {id: {hashed(word): min(count, 65_535) for word, count in counts.items()} for id, counts in said.items()}


@given(st.lists(st.dictionaries(st.integers(1, 60), COUNTS, min_size=1, max_size=5), min_size=1, max_size=4), st.data())
def test_a_merge_holds_what_lives_of_all(parts: list[dict[int, dict[str, int]]], data: st.DataObject) -> None:
    segments = []
    living: dict[int, dict[str, int]] = {}
    for number, part in enumerate(parts):
        said = {id * 10 + number: counts for id, counts in sorted(part.items())}  # no id is in two segments
        gone = data.draw(st.sets(st.sampled_from(sorted(said))))
        one = build(list(said), [sum(counts.values()) for counts in said.values()], list(said.values()))
        assert content(one) == expected(said)
        segments.append((one, np.flatnonzero(np.isin(one.ids, list(gone))).astype(np.int32)))
        living |= {id: counts for id, counts in said.items() if id not in gone}
    merged = merge(segments)
    assert content(merged) == expected(living)
    assert list(merged.ids) == sorted(living)
    assert list(merged.lengths) == [sum(living[id].values()) for id in sorted(living)]


def test_what_is_written_is_read_part_by_part() -> None:
    said = [{f"w{i % 3}": 1, f"u{i}": i + 1} for i in range(10_000)]
    one = build(list(range(100, 10_100)), [2] * 10_000, said)
    head, parts = written(7, one)
    kept = dict(parts)
    held = Held(7, head, lambda first, last: [kept[number] for number in sorted(kept) if first <= number <= last])
    assert len(held) == 10_000
    docs, counts = held.postings(hashed("w1"))
    assert list(docs) == list(range(1, 10_000, 3))
    assert set(counts.tolist()) == {1}
    assert [array.tolist() for array in held.postings(hashed("u9999"))] == [[9_999], [10_000]]
    assert [len(array) for array in held.postings(hashed("none"))] == [0, 0]
    for name in Segment.__slots__:
        assert getattr(held.loaded(), name).tolist() == getattr(one, name).tolist(), name


def test_many_small_changes_leave_few_segments_and_no_litter(tmp_path: Path) -> None:
    with SqliteIndex(str(tmp_path / "index.db")) as index:
        for i in range(300):
            index.apply([file(f"{i % 200}.md", entry(f"n{i % 200}", f"fox u{i}"), version=str(i))])
        count = index._connection.get
        assert count("SELECT count(*) FROM segments") < 25
        assert count("SELECT sum(entries) FROM segments") == 200
        assert len(asked(index, "fox", limit=500)) == 200
        index.apply([], list(index.versions()))
        for table in ("segments", "parts", "records", "pieces", "labels", "links", "vectors", "files"):
            assert count(f"SELECT count(*) FROM {table}") == 0, table


def test_a_small_change_does_not_wait_for_a_large_merge(tmp_path: Path) -> None:
    with SqliteIndex(str(tmp_path / "index.db")) as index:
        for part in range(7):
            index.apply([file(f"{part}-{i}.md", entry(f"n{part}-{i}", f"fox u{i}")) for i in range(1_000)])
        for i in range(1_000, 1_010):
            index.apply([file(f"{i}.md", entry(f"n{i}", f"fox u{i}"))])
        sizes = [row[0] for row in index._connection.rows("SELECT entries FROM segments")]
        assert sizes.count(1_000) == 7
        assert len(asked(index, "fox", limit=10_000)) == 7_010


def test_an_append_to_a_long_log_writes_only_what_is_new(tmp_path: Path) -> None:
    with SqliteIndex(str(tmp_path / "index.db")) as index:
        records = [entry(f"n{i}", f"fox u{i}", pieces=[(f"h{i}", "")]) for i in range(2_000)]
        index.apply([file("log.md", *records[:-1], version="1")])
        before = index._connection.get("SELECT value FROM meta WHERE name = 'next'")
        index.apply([file("log.md", *records, version="2")])
        after = index._connection.get("SELECT value FROM meta WHERE name = 'next'")
        assert after - before == 2  # one record, one piece
        assert index.missing_vectors("m", 10, after=before - 1)[0].hash == "h1999"
