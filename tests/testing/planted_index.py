"""Indexes that each break one promise, sitting the exam. Collected only when named: each must fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from quire.backends import ram_index
from quire.backends.ram_index import RamIndex
from quire.ports import scoring
from quire.ports.index import BesideHit, Filter, IndexedFile, LinkHit, NearHit, Order, Page, Ref, Stored, WordHit
from quire.testing import IndexTests


class ReadsEveryScope(RamIndex):
    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
        every = tuple({one.record.scope for one in self._all()} | set(filter.scopes))
        return super()._words(terms, replace(filter, scopes=every), limit)


class CountsEveryScope(RamIndex):
    """Answers from the scopes that are asked, with the statistics of all: who asks can tell what others have."""

    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
        every = tuple({one.record.scope for one in self._all()} | set(filter.scopes))
        hits = super()._words(terms, replace(filter, scopes=every), 10_000)
        return [hit for hit in hits if hit.ref in self._own(filter)][:limit]

    def _own(self, filter: Filter) -> set[Ref]:
        return {one.record.ref for one in self._all() if ram_index.passes(one.record, filter)}


class FiltersAfterTheLimit(RamIndex):
    def _near(self, model: str, vector: Sequence[float], filter: Filter, limit: int) -> list[NearHit]:
        hits = super()._near(model, vector, Filter(filter.scopes), limit)
        own = {one.record.ref for one in self._all() if ram_index.passes(one.record, filter)}
        return [hit for hit in hits if hit.ref in own]


class ForgetsTheFilterOfLinks(RamIndex):
    def _linked(
        self, refs: Sequence[Ref], filter: Filter, hops: int, relations: Sequence[str], limit: int
    ) -> list[LinkHit]:
        return super()._linked(refs, Filter(filter.scopes), hops, relations, limit)


class WalksOneWay(RamIndex):
    def _linked(
        self, refs: Sequence[Ref], filter: Filter, hops: int, relations: Sequence[str], limit: int
    ) -> list[LinkHit]:
        return [hit for hit in super()._linked(refs, filter, hops, relations, limit) if hit.along]


class AddsToWhatAFileHeld(RamIndex):
    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        held = {key: [one.record for one in records] for key, (_, records) in self._files.items()}
        more = []
        for file in changed:
            new = {record.ref for record in file.records}
            old = [record for record in held.get(file.key, []) if record.ref not in new]
            more.append(replace(file, records=[*file.records, *old]))
        super()._apply(more, removed)


class KeepsWhatIsRemoved(RamIndex):
    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        super()._apply(changed, ())


class RemovesAfterAdding(RamIndex):
    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        super()._apply(changed, ())
        super()._apply((), removed)


class EmbedsAgain(RamIndex):
    """Drops the vectors of all that a changed file holds."""

    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        super()._apply((), [file.key for file in changed])
        super()._apply(changed, removed)


class KeepsVectorsOfTheDead(RamIndex):
    def _apply(self, changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        vectors = dict(self._vectors)
        super()._apply(changed, removed)
        self._vectors = vectors


class BreaksTiesAsTheyCome(RamIndex):
    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
        hits = super()._words(terms, filter, 10_000)
        return sorted(hits, key=lambda hit: (hit.score, hit.ref), reverse=True)[:limit]


class IgnoresTheLength(RamIndex):
    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scoring, "mean", lambda total, number: 1e9)
            return super()._words(terms, filter, limit)


class NamesTheFirstPiece(RamIndex):
    def _words(self, terms: Mapping[str, float], filter: Filter, limit: int) -> list[WordHit]:
        return [replace(hit, piece=0) for hit in super()._words(terms, filter, limit)]


class ComparesByLength(RamIndex):
    def _near(self, model: str, vector: Sequence[float], filter: Filter, limit: int) -> list[NearHit]:
        hits = super()._near(model, vector, filter, limit)
        return [replace(hit, cosine=hit.cosine * sum(map(abs, vector))) for hit in hits]


class NeighboursOfAnySession(RamIndex):
    def _beside(self, refs: Sequence[Ref], filter: Filter, distance: int) -> list[BesideHit]:
        for _, held in self._files.values():
            for one in held:
                one.record = replace(one.record, session="all")
        return super()._beside(refs, filter, distance)


class LosesTheLastPage(RamIndex):
    def _browse(self, filter: Filter, order: Order, limit: int, after: tuple[Any, ...] | None) -> Page:
        page = super()._browse(filter, order, limit, after)
        return Page(page.entries, "" if after else page.after)


class ForgetsALine(RamIndex):
    def _records(self, refs: Sequence[Ref]) -> list[Stored]:
        return [replace(one, record=replace(one.record, line=1)) for one in super()._records(refs)]


# Each with the test of the promise it breaks.
PLANTED: dict[type[RamIndex], str] = {
    ReadsEveryScope: "test_a_scope_is_not_the_beginning_of_another",
    CountsEveryScope: "test_no_score_is_moved_by_what_another_scope_holds",
    FiltersAfterTheLimit: "test_the_filter_is_asked_before_the_limit",
    ForgetsTheFilterOfLinks: "test_every_filter_holds_in_every_channel[linked]",
    WalksOneWay: "test_links_are_walked_in_both_directions",
    AddsToWhatAFileHeld: "test_a_file_replaces_all_it_held",
    KeepsWhatIsRemoved: "test_removing_leaves_nothing",
    RemovesAfterAdding: "test_what_is_removed_and_given_in_one_step_is_there",
    EmbedsAgain: "test_what_is_unchanged_keeps_its_vector_and_what_is_gone_loses_it",
    KeepsVectorsOfTheDead: "test_removing_leaves_nothing",
    BreaksTiesAsTheyCome: "test_ties_are_in_the_order_of_scope_and_id",
    IgnoresTheLength: "test_scores_are_those_of_the_formula",
    NamesTheFirstPiece: "test_the_best_piece_of_a_long_entry_is_named",
    ComparesByLength: "test_the_length_of_a_vector_means_nothing",
    NeighboursOfAnySession: "test_neighbours_are_those_of_the_same_session",
    LosesTheLastPage: "test_each_order_is_the_same_in_parts_as_whole[1]",
    ForgetsALine: "test_a_line_that_moved_is_seen",
}


def exam_of(planted: type[RamIndex]) -> type[IndexTests]:
    members: dict[str, Any] = {"index": pytest.fixture(lambda self: planted())}
    return type(f"Test{planted.__name__}", (IndexTests,), members)


for planted in PLANTED:
    globals()[f"Test{planted.__name__}"] = exam_of(planted)
del planted
