"""How words are scored: one formula for every index, so that they return the same entries for the same question.

BM25 over weighted fields: a word counts as often as it is said, times the weight of the field that says it, and the
length of an entry is counted alike. The statistics (how many entries, how long, how many have the word) are those of
the scopes that are asked, so what other scopes hold moves no score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

K1: Final = 1.2  # how soon saying it again stops to matter
B: Final = 0.7  # how much of the length is held against an entry
WEIGHTS: Final[Mapping[str, int]] = {"title": 2, "names": 2, "body": 1, "tags": 1, "speaker": 1, "date": 1}


def weighed(words: Mapping[str, Sequence[str]]) -> tuple[dict[str, int], int]:
    """The weighted count of each word, and the weighted length, of words by field.

    >>> weighed({"title": ["fox"], "body": ["red", "fox"]})
    ({'fox': 3, 'red': 1}, 4)
    """
    counts: dict[str, int] = {}
    length = 0
    for name, said in words.items():
        weight = WEIGHTS[name]
        length += weight * len(said)
        for word in said:
            counts[word] = counts.get(word, 0) + weight
    return counts, length


def rarity(entries: int, having: int) -> float:
    """What meeting a word is worth that `having` of `entries` have: above zero, and the more the rarer it is."""
    return math.log(1.0 + (entries - having + 0.5) / (having + 0.5))


def share(count: float, length: float, average: float) -> float:
    """How much of a word's worth an entry gets that says it `count` times in `length` words."""
    return count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * (length / average)))


def mean(total: int, number: int) -> float:
    """The mean length of `number` texts of `total` words, never zero."""
    return total / number if total else 1.0


def coverage(worth: Mapping[str, float], met: Iterable[str]) -> float:
    """How much of what was asked is met: the worth of the terms met, of the worth of all, between 0 and 1."""
    asked = math.fsum(worth.values())
    return math.fsum(worth[term] for term in set(met)) / asked if asked else 0.0
