"""What the default index costs, against the bare floor in the same run: FTS5 with bm25, and an exact product of numpy.

The notes are of 80 words, drawn as words are in a language: few very often, most hardly ever. Each pair is measured
alternately, in one process, and the ratio is of the medians. `--entries` may be given several times.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import apsw
import numpy as np

from quire.backends.sqlite import SqliteIndex
from quire.engine.words import Splitter
from quire.ports.index import Filter, IndexedFile, Piece, Record

WORDS, VOCABULARY, BATCH, DIMENSIONS, LIMIT = 80, 60_000, 1_000, 384, 50
HERE = Filter(("default/default/agent:default",), statuses=("active",))
COLD = """
import sys
from quire.backends.sqlite import SqliteIndex
from quire.ports.index import Filter
with SqliteIndex(sys.argv[1]) as index:
    assert index.words(dict.fromkeys(sys.argv[2].split(), 1.0), Filter(("default/default/agent:default",)), 10)
"""


class Language:
    """Texts and questions whose words are as frequent as those of a language."""

    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed)
        letters = np.array(list("bcdfghjklmnprstvz"))
        vowels = np.array(list("aeiou"))
        pick = self.chance.integers
        syllables = [f"{letters[pick(17)]}{vowels[pick(5)]}" for _ in range(200)]
        made = ["".join(syllables[pick(200)] for _ in range(2 + i % 3)) for i in range(VOCABULARY)]
        self.words = np.array(made)
        weights = 1.0 / np.arange(2, VOCABULARY + 2)
        self.sums = np.cumsum(weights / weights.sum())

    def texts(self, number: int, words: int = WORDS) -> list[str]:
        drawn = np.searchsorted(self.sums, self.chance.random((number, words))).clip(0, VOCABULARY - 1)
        return [" ".join(row) for row in self.words[drawn]]

    def vectors(self, number: int) -> Any:
        centre = self.chance.standard_normal((64, DIMENSIONS)).astype(np.float32)
        near = centre[self.chance.integers(64, size=number)]
        return near + self.chance.standard_normal((number, DIMENSIONS), dtype=np.float32) + 0.5


def batches(entries: int) -> Iterator[range]:
    for start in range(0, entries, BATCH):
        yield range(start, min(start + BATCH, entries))


def files(numbers: range, texts: Sequence[str], splitter: Splitter) -> list[IndexedFile]:
    """The work that any note needs: its words split, its record made."""
    return [
        IndexedFile(
            f"fix/{i}.md",
            f"{i:064x}",
            [
                Record(
                    HERE.scopes[0],
                    f"fix/{i}",
                    "fix",
                    title=text[:20],
                    created=float(i),
                    words={"body": splitter.words(text)},
                    pieces=(Piece(0, len(text), f"{i:064x}"),),
                )
            ],
        )
        for i, text in zip(numbers, texts, strict=True)
    ]


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def alternately(rounds: int, *runs: Callable[[int], object]) -> list[float]:
    """The median seconds of each of `runs`, called in turn."""
    taken: list[list[float]] = [[] for _ in runs]
    for number in range(rounds):
        for run, times in zip(runs, taken, strict=True):
            times.append(timed(lambda run=run, number=number: run(number)))  # type: ignore[misc]
    return [statistics.median(times) for times in taken]


def resident() -> float:
    """Megabytes that this process holds now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def measure(entries: int, base: str, rounds: int) -> dict[str, float]:
    language = Language(7)
    splitter = Splitter()
    fts = apsw.Connection(os.path.join(base, "fts.db"))
    fts.pragma("journal_mode", "wal")
    fts.execute("CREATE VIRTUAL TABLE notes USING fts5(body)")
    index = SqliteIndex(os.path.join(base, "index.db"))
    split = applied = 0.0
    for numbers in batches(entries):
        texts = language.texts(len(numbers))
        start = time.process_time()
        made = files(numbers, texts, splitter)
        split += time.process_time() - start
        start = time.process_time()
        index.apply(made)
        applied += time.process_time() - start
        with fts:
            fts.executemany("INSERT INTO notes VALUES (?)", ((text,) for text in texts))
    size = index.stats().bytes
    vectors = language.vectors(entries)
    stored = 0.0
    for numbers in batches(entries):
        given = [(f"{i:064x}", vectors[i]) for i in numbers]
        start = time.process_time()
        index.put_vectors("m", given)
        stored += time.process_time() - start
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    figures = {
        "split, notes/s of one core": entries / split,
        "words only, notes/s of one core": entries / (split + applied),
        "with vectors, notes/s of one core": entries / (split + applied + stored),
        "index bytes per byte of text": size / (entries * len(" ".join(language.texts(1)[0].split()))),
        **measure_questions(index, fts, language, vectors, rounds),
        **measure_changes(index, language, splitter, rounds),
        "cold search, CPU ms over bare": cold(index.path, language) * 1e3,
    }
    index.close()
    fts.close()
    return figures


def measure_questions(
    index: SqliteIndex, fts: apsw.Connection, language: Language, vectors: Any, rounds: int
) -> dict[str, float]:
    splitter = Splitter()
    questions = [list(dict.fromkeys(text.split())) for text in language.texts(rounds, 8)]
    terms = [dict.fromkeys(splitter.words(" ".join(question)), 1.0) for question in questions]
    asked = vectors[language.chance.integers(len(vectors), size=rounds)] + 0.01
    before = resident()
    first = timed(lambda: index.near("m", asked[0], HERE, LIMIT))
    index.words(terms[0], HERE, LIMIT)
    grown = resident() - before
    fts_s, exact_s, words_s, near_s = alternately(
        rounds,
        lambda i: list(
            fts.execute(
                "SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT ?",
                (" OR ".join(questions[i]), LIMIT),
            )
        ),
        lambda i: np.argpartition(-(vectors @ asked[i]), LIMIT)[:LIMIT],
        lambda i: index.words(terms[i], HERE, LIMIT),
        lambda i: index.near("m", asked[i], HERE, LIMIT),
    )
    met = 0
    for one in asked[:20]:
        best = {f"fix/{i}" for i in np.argpartition(-(vectors @ one), 10)[:10]}
        met += len(best & {hit.ref.id for hit in index.near("m", one, HERE, 10)})
    return {
        "floor: FTS5 ms": fts_s * 1e3,
        "floor: exact vectors ms": exact_s * 1e3,
        "words ms": words_s * 1e3,
        "near ms": near_s * 1e3,
        "both, ratio to the floor": (words_s + near_s) / (fts_s + exact_s),
        "both ms": (words_s + near_s) * 1e3,
        "near, recall of the nearest 10": met / (10 * len(asked[:20])),
        "first near of a process ms": first * 1e3,
        "resident for questions MB": grown,
    }


def measure_changes(index: SqliteIndex, language: Language, splitter: Splitter, rounds: int) -> dict[str, float]:
    texts = language.texts(rounds)
    own = [files(range(i, i + 1), [text], splitter) for i, text in enumerate(texts)]
    (save_s,) = alternately(rounds, lambda i: index.apply(own[i]))
    again = files(range(rounds), texts, splitter)
    unchanged = timed(lambda: index.apply(again)) / rounds
    return {
        "an edit ms": save_s * 1e3,
        "unchanged, files/s": 1 / unchanged,
        "versions of all ms": timed(index.versions) * 1e3,
    }


def cold(path: str, language: Language) -> float:
    """CPU seconds of a fresh process that asks one question, beyond those of a bare interpreter."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # a process of one question starts no threads for it
    words = " ".join(Splitter().words(" ".join(language.words[[100, 900, 5_000]])))

    def cpu(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    bare = statistics.median(cpu(sys.executable, "-c", "pass") for _ in range(9))
    ours = statistics.median(cpu(sys.executable, "-c", COLD, path, words) for _ in range(9))
    return ours - bare


def goals(entries: int) -> dict[str, tuple[str, float]]:
    """What is wanted at this size: at least, or at most."""
    found = {
        "split, notes/s of one core": (">=", 10_000.0),
        "words only, notes/s of one core": (">=", 5_000.0),
        "with vectors, notes/s of one core": (">=", 3_000.0),
        "near, recall of the nearest 10": (">=", 0.99),
        "cold search, CPU ms over bare": ("<=", 100.0),
        "both, ratio to the floor": ("<=", 1.0 if entries < 100_000 else 0.5),
    }
    return found | ({"both ms": ("<=", 50.0)} if entries >= 1_000_000 else {})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entries", type=int, action="append", help="how many notes (10,000 and 100,000)")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--folder", help="where to measure")
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    missed = False
    everything: dict[str, dict[str, float]] = {}
    for entries in words.entries or [10_000, 100_000]:
        with tempfile.TemporaryDirectory(dir=words.folder) as base:
            figures = everything[str(entries)] = measure(entries, base, words.rounds)
        wanted = goals(entries)
        for name, figure in figures.items():
            sign, goal = wanted.get(name, (">=", -1.0))
            missed |= figure < goal if sign == ">=" else figure > goal
            if not words.json:
                said = f"   goal: {'at least' if sign == '>=' else 'at most'} {goal:g}" if name in wanted else ""
                print(f"{entries:>9,}  {name:<40} {figure:12.2f}{said}", flush=True)
    if words.json:
        print(json.dumps(everything, indent=2))
    return missed


if __name__ == "__main__":
    sys.exit(main())
