"""What is promised of the channel of words."""

from __future__ import annotations

import math

import pytest

from quire.errors import InvalidRequest
from quire.ports import scoring
from quire.ports.index import Index, Record
from quire.ports.request import MAX_LIMIT, MAX_TERMS
from quire.testing.index.making import ELSEWHERE, HERE, asked, entry, file, fill, ids, within


class WordTests:
    """Part of `IndexTests`."""

    def test_an_empty_index_finds_nothing(self, index: Index) -> None:
        assert asked(index, "fox") == []
        assert asked(index, "") == []

    def test_finds_what_has_any_of_the_words_and_nothing_else(self, index: Index) -> None:
        fill(index, entry("a", "red fox"), entry("b", "blue whale"), entry("c", "grey wolf"))
        assert sorted(ids(asked(index, "fox whale"))) == ["a", "b"]
        assert asked(index, "cat") == []

    def test_what_meets_more_and_rarer_words_comes_first(self, index: Index) -> None:
        fill(index, *(entry(f"n{i}", "common ground") for i in range(8)), entry("both", "common rare"))
        hits = asked(index, "common rare")
        assert ids(hits) == ["both", *(f"n{i}" for i in range(8))]
        assert (hits[0].rarest, hits[0].terms) == ("rare", ("common", "rare"))
        assert hits[0].coverage == 1.0 > hits[1].coverage > 0

    def test_scores_are_those_of_the_formula(self, index: Index) -> None:
        fill(index, entry("a", "fox fox den", title="fox"), entry("b", "den"), entry("c", "hen hen hen hen"))
        hit = asked(index, "fox")[0]
        average = (5 + 1 + 4) / 3
        worth = math.log(1 + (3 - 1 + 0.5) / 1.5)
        length = scoring.K1 * (1 - scoring.B + scoring.B * 5 / average)
        assert hit.score == pytest.approx(worth * 4 * (scoring.K1 + 1) / (4 + length), rel=1e-12)
        assert (hit.piece_score, hit.piece) == (hit.score, 0)
        assert hit.rarity == pytest.approx(worth)

    def test_the_weight_of_a_term_multiplies_its_worth(self, index: Index) -> None:
        fill(index, entry("a", "fox"), entry("b", "hen"))
        plain, heavy = (index.words({"fox": weight}, within())[0] for weight in (1.0, 2.5))
        assert heavy.score == pytest.approx(2.5 * plain.score)
        assert (heavy.rarity, heavy.coverage) == (plain.rarity, 1.0)
        assert ids(index.words({"fox": 1.0, "hen": 2.0}, within())) == ["b", "a"]

    def test_the_best_piece_of_a_long_entry_is_named(self, index: Index) -> None:
        pieces = (("h0", "hay hay hay"), ("h1", "hay needle needle"), ("h2", "hay needle hay"))
        long = entry("long", "hay hay hay hay needle needle hay needle hay", pieces=pieces)
        fill(index, long, entry("short", "needle hay hay hay hay hay"), entry("other", "straw"))
        by_id = {hit.ref.id: hit for hit in asked(index, "needle")}
        assert by_id["long"].piece == 1
        assert by_id["long"].piece_score > by_id["short"].piece_score
        assert by_id["short"].piece == 0

    def test_ties_are_in_the_order_of_scope_and_id(self, index: Index) -> None:
        names = ["z", "a", "ä", "B", "m", "😀", "中"]
        fill(index, *(entry(name, "same words", scope=scope) for name in names for scope in (HERE, ELSEWHERE)))
        hits = asked(index, "same", within(ELSEWHERE, HERE))
        assert [hit.ref for hit in hits] == sorted(hit.ref for hit in hits)
        assert len({hit.score for hit in hits}) == 1
        for limit in (1, 3, 8):
            assert asked(index, "same", within(ELSEWHERE, HERE), limit) == hits[:limit]

    def test_a_longer_list_begins_with_the_shorter(self, index: Index) -> None:
        fill(index, *(entry(f"n{i:03}", "fox " * (i % 7 + 1) + "hen " * (i % 5)) for i in range(300)))
        whole = asked(index, "fox hen", limit=MAX_LIMIT)
        assert len(whole) == 300
        for limit in (1, 10, 77):
            assert asked(index, "fox hen", limit=limit) == whole[:limit]

    def test_any_script_is_found(self, index: Index) -> None:
        words = ["naïve", "東京", "ภาษา", "한국", "ß", "e\u0301", "😀", "a\0b", "x" * 200, "\ud800"]
        fill(index, *(entry(f"n{place}", word) for place, word in enumerate(words)))
        for place, word in enumerate(words):
            assert ids(index.words({word: 1.0}, within())) == [f"n{place}"], word

    def test_every_field_is_searched(self, index: Index) -> None:
        fields = sorted(scoring.WEIGHTS)
        fill(index, *(Record(HERE, name, "fix", words={"body": ["hen"] * 3, name: ["fox"]}) for name in fields))
        assert sorted(ids(asked(index, "fox"))) == fields

    def test_words_that_are_said_very_often_count_and_do_not_overflow(self, index: Index) -> None:
        fill(index, entry("much", "fox " * 60_000), entry("once", "fox hen"))
        assert sorted(ids(asked(index, "fox"))) == ["much", "once"]

    def test_an_entry_without_words_is_kept_and_not_found(self, index: Index) -> None:
        fill(index, entry("empty"), entry("a", "fox"))
        assert ids(asked(index, "fox")) == ["a"]
        assert index.stats().entries == 2

    def test_ten_thousand_entries_answer_as_ten_do(self, index: Index) -> None:
        numbers = range(10_000)
        for start in range(0, 10_000, 2_500):
            index.apply(
                [
                    file(f"n/{i}.md", entry(f"n/{i:05}", f"w{i % 100} v{i % 7} u{i}"))
                    for i in numbers[start : start + 2_500]
                ]
            )
        assert ids(asked(index, "u7777")) == ["n/07777"]
        hits = asked(index, "w5 v3", limit=200)
        both = {f"n/{i:05}" for i in numbers if i % 100 == 5 and i % 7 == 3}
        rare = {f"n/{i:05}" for i in numbers if i % 100 == 5 and i % 7 != 3}
        assert (set(ids(hits[: len(both)])), set(ids(hits[len(both) : 100]))) == (both, rare)
        assert hits[0].coverage == 1.0
        index.apply([], [f"n/{i}.md" for i in numbers if i != 7777])
        only = asked(index, "u7777 w5")
        assert (ids(only), only[0].rarity) == (["n/07777"], scoring.rarity(1, 1))

    def test_refuses_what_is_outside_of_the_limits(self, index: Index) -> None:
        for limit in (0, -1, MAX_LIMIT + 1):
            with pytest.raises(InvalidRequest):
                asked(index, "fox", limit=limit)
        with pytest.raises(InvalidRequest):
            index.words({f"t{i}": 1.0 for i in range(MAX_TERMS + 1)}, within())
        for weight in (0.0, -1.0, math.nan, math.inf):
            with pytest.raises(InvalidRequest):
                index.words({"fox": weight}, within())
