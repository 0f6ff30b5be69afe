"""What an index may be asked and given: the limits, and one refusal for each. Checked before anything is touched."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from quire.errors import InvalidRequest
from quire.ports.scoring import WEIGHTS

if TYPE_CHECKING:
    from quire.ports.index import Filter, IndexedFile, Record, Ref

MAX_LIMIT: Final = 10_000
MAX_TERMS: Final = 256
MAX_TERM: Final = 256  # characters
MAX_SCOPES: Final = 256
MAX_REFS: Final = 10_000
MAX_HOPS: Final = 3
MAX_DISTANCE: Final = 100
MAX_DIMENSIONS: Final = 4_096
MAX_WEIGHT: Final = 1e6
ORDERS: Final = ("newest", "oldest", "updated", "id")
MOMENTS: Final = ("created", "updated", "when")


def checked_limit(limit: int) -> int:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidRequest(f"the limit {limit} is not between 1 and {MAX_LIMIT:,}", remedy="Ask in parts")
    return limit


def check_terms(terms: Mapping[str, float]) -> None:
    if len(terms) > MAX_TERMS:
        raise InvalidRequest(f"{len(terms)} terms are more than {MAX_TERMS}", remedy="Keep the rarest")
    for term, weight in terms.items():
        if not (math.isfinite(weight) and 0 < weight <= MAX_WEIGHT):
            raise InvalidRequest(
                f"the weight {weight} of {term!r} is not above 0 and at most {MAX_WEIGHT:g}", remedy="Leave it out"
            )


def check_filter(filter: Filter) -> None:
    if not filter.scopes:
        raise InvalidRequest("the filter names no scope", remedy="Name the scopes that may be read")
    if len(filter.scopes) > MAX_SCOPES:
        raise InvalidRequest(f"{len(filter.scopes)} scopes are more than {MAX_SCOPES}", remedy="Ask in parts")
    if len(filter.excluded) > MAX_REFS:
        raise InvalidRequest(f"{len(filter.excluded)} excluded are more than {MAX_REFS:,}", remedy="Exclude fewer")
    for moment in filter.times:
        if moment not in MOMENTS:
            raise InvalidRequest(f"{moment!r} is no time of an entry", remedy=f"Use one of {', '.join(MOMENTS)}")


def check_model(model: str) -> None:
    if not model:
        raise InvalidRequest("the model has no name", remedy="Give the key that its vectors are stored by")


def check_vector(vector: Sequence[float]) -> None:
    if not 1 <= len(vector) <= MAX_DIMENSIONS:
        raise InvalidRequest(f"a vector of {len(vector)} numbers is not of 1 to {MAX_DIMENSIONS:,}")
    if not math.isfinite(math.fsum(vector) if isinstance(vector, list | tuple) else float(sum(vector))):
        raise InvalidRequest("a vector has a number that is not finite", remedy="Embed the text again")


def check_vectors(vectors: Sequence[tuple[str, Sequence[float]]]) -> None:
    for name, vector in vectors:
        if not name or not 1 <= len(vector) <= MAX_DIMENSIONS:
            raise InvalidRequest(f"the vector of {name!r} has {len(vector)} numbers, not 1 to {MAX_DIMENSIONS:,}")


def check_refs(refs: Sequence[Ref]) -> None:
    if len(refs) > MAX_REFS:
        raise InvalidRequest(f"{len(refs)} entries are more than {MAX_REFS:,}", remedy="Ask in parts")


def check_hops(hops: int) -> None:
    if not 1 <= hops <= MAX_HOPS:
        raise InvalidRequest(f"{hops} hops are not between 1 and {MAX_HOPS}", remedy="Ask again from what is found")


def check_distance(distance: int) -> None:
    if not 1 <= distance <= MAX_DISTANCE:
        raise InvalidRequest(f"the distance {distance} is not between 1 and {MAX_DISTANCE}")


def check_order(order: str) -> None:
    if order not in ORDERS:
        raise InvalidRequest(f"{order!r} is no order", remedy=f"Use one of {', '.join(ORDERS)}")


def checked_after(after: str) -> tuple[Any, ...] | None:
    """The place that a page ended at, or None for the beginning."""
    if not after:
        return None
    try:
        place = json.loads(after)
    except ValueError:
        place = None
    if not (isinstance(place, list) and len(place) == 4 and all(isinstance(part, str) for part in place[1:])):
        raise InvalidRequest("this is not where a page ended", remedy="Give the `after` of the page before")
    if not (place[0] is None or isinstance(place[0], int | float)):
        raise InvalidRequest("this is not where a page ended", remedy="Give the `after` of the page before")
    return tuple(place)


def check_files(changed: Sequence[IndexedFile], removed: Sequence[str]) -> None:
    keys = [file.key for file in changed]
    if len(set(keys)) != len(keys):
        raise InvalidRequest("a file is given twice", where=next(key for key in keys if keys.count(key) > 1))
    for file in changed:
        if not file.key:
            raise InvalidRequest("a file has no key")
        refs = set()
        for record in file.records:
            check_record(file.key, record)
            refs.add((record.scope, record.id))
        if len(refs) != len(file.records):
            raise InvalidRequest(
                "two records have one id", where=file.key, remedy="Give the first, and report the other"
            )


def check_record(key: str, record: Record) -> None:
    if not record.scope or not record.id or not record.kind:
        raise InvalidRequest("a record has no scope, no id or no kind", where=f"{key}:{record.line}")
    if not WEIGHTS.keys() >= record.words.keys():
        odd = sorted(record.words.keys() - WEIGHTS.keys())
        raise InvalidRequest(f"{odd[0]!r} is no field of words", where=f"{key}:{record.line}")
