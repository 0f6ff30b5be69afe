"""What embedding costs with the local model, against bare onnxruntime in the same run. `make bench` runs it.

Each pair is measured alternately and the ratio is of the medians, so that the machine's mood cancels out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from measuring import alternately
from quire.backends.embedding.local import LocalEmbedder, padded
from quire.backends.embedding.quick import QuickEmbedder
from quire.backends.embedding.weights import PREFIXES, installed
from quire.backends.embedding.wordpiece import WordPiece

TEXT = """the build of this project fails when its cache is cold and nobody knows why so we write down what was tried
first then what helped and last what it was that made the difference between a good day and a bad one for all of us"""
BATCH_TOKENS = 2048  # what the bare runs have, too: larger batches are no faster here


def text_of(tokens: int, number: int) -> str:
    """A text of so many tokens with its prefix and both marks: each of these words is one token."""
    words = TEXT.split()
    return " ".join(words[(number + at * (1 + number % 7)) % len(words)] for at in range(tokens - 4))


def measure_passages(embedder: LocalEmbedder, tokens: int, rounds: int) -> dict[str, float]:
    """Texts to vectors, against the bare session on tables that are ready, in as many threads."""
    count = 2 * os.cpu_count() * BATCH_TOKENS // tokens  # type: ignore[operator]
    texts = [text_of(tokens, number) for number in range(count)]
    words = WordPiece(installed().vocabulary)
    encoded = [words.encode(PREFIXES["passage"] + text, 512) for text in texts]
    assert {len(numbers) for numbers in encoded} == {tokens}
    size = BATCH_TOKENS // tokens
    tables = [padded(encoded[at : at + size]) for at in range(0, count, size)]
    session: Any = embedder._session
    with ThreadPoolExecutor(embedder._threads) as pool:

        def bare(_: int) -> None:
            list(pool.map(lambda table: session.run(None, {"ids": table[0], "mask": table[1]}), tables))

        def ours(_: int) -> None:
            embedder.embed(texts, role="passage")

        alternately(1, bare, ours)
        bare_s, ours_s = alternately(rounds, bare, ours)
    return {
        f"passages/s at {tokens} tokens": count / ours_s,
        f"share of bare throughput at {tokens} tokens": bare_s / ours_s,
    }


def measure_questions(rounds: int) -> dict[str, float]:
    with LocalEmbedder() as local, QuickEmbedder() as quick:
        question = [text_of(16, 3)]
        runs = [lambda _: local.embed(question, role="query"), lambda _: quick.embed(question, role="query")]
        alternately(3, *runs)
        local_s, quick_s = alternately(rounds, *runs)
    return {"warm question, onnxruntime ms": local_s * 1e3, "warm question, numpy ms": quick_s * 1e3}


def measure_cold(rounds: int) -> dict[str, float]:
    """Processor time of a whole process that embeds one question, and of one that does nothing."""
    asking = "import quire.backends.embedding.{0} as m; m.{1}().embed(['where was it'], role='query')"
    programs = {
        "bare interpreter": "pass",
        "numpy imported": "import numpy",
        "cold question, numpy": asking.format("quick", "QuickEmbedder"),
        "cold question, onnxruntime": asking.format("local", "LocalEmbedder"),
    }
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds + 1):
        for name, program in programs.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", program], check=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {f"{name}, CPU ms": statistics.median(times[1:]) * 1e3 for name, times in taken.items()}


GOALS = {"share of bare throughput at 64 tokens": 0.9, "share of bare throughput at 256 tokens": 0.9}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    figures: dict[str, float] = {}
    with LocalEmbedder() as embedder:
        for tokens in (64, 256):
            figures |= measure_passages(embedder, tokens, words.rounds)
        figures["resident MB after it"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        near = (
            embedder.embed([text_of(64, 1)], role="passage") @ QuickEmbedder().embed([text_of(64, 1)], role="passage").T
        )
    figures["cosine, numpy to onnxruntime"] = float(np.min(near))
    figures |= measure_questions(words.rounds * 5) | measure_cold(words.rounds)
    missed = [name for name, goal in GOALS.items() if figures[name] < goal]
    if words.json:
        print(json.dumps({"figures": figures, "goals": GOALS, "missed": missed}))
    else:
        for name, figure in figures.items():
            goal = f"   goal: at least {GOALS[name]:g}" if name in GOALS else ""
            print(f"{figure:10.3f}  {name}{goal}{'   MISSED' if name in missed else ''}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
