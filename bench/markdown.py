"""What reading notes costs, against a bare YAML parser on the same frontmatter in the same run. `make bench` runs it.

Each pair is measured alternately, in one process, and the ratio is of the medians: the machine's mood cancels out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time

import yaml

from measuring import alternately
from quire.markdown.document import Document
from quire.markdown.entries import Log

BODY = "\n# What happened\n\n" + "A sentence of some words, with `code` and a [[link]] in it. " * 12 + "\n"


def note(number: int, more: str = "") -> str:
    """About one kilobyte: eight keys, a list of tags, a date, a quoted title."""
    return f"""---
kind: fix
slug: locked-database-{number}
title: "Locked database: run the suites one after the other ({number})"
status: active
created: 2026-{number % 12 + 1:02}-{number % 28 + 1:02}T09:12:13+00:00
updated: '2026-06-01T09:12:13+00:00'
tags: [sqlite, testing, area/ci]
schema_version: 1
{more}---
{BODY}"""


LONG_WAY = """\
summary: >-
  Folded text, which the short way
  through the frontmatter leaves alone.
related: {supersedes: fix/old, weight: 0.5}
"""


def measure_parse(texts: list[str], rounds: int) -> tuple[float, float]:
    """Notes a second, fields and body read; and how many times as long a bare YAML parser takes for the blocks."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    blocks = [text[4 : text.index("\n---\n") + 1] for text in texts]
    read = []

    def ours(_: int) -> None:
        read.append(sum(len(document.fields) + bool(document.body) for document in map(Document.parse, texts)))

    def bare(_: int) -> None:
        for block in blocks:
            yaml.load(block, Loader=loader)

    ours_s, bare_s = alternately(rounds, ours, bare, clock=time.process_time)
    assert len(set(read)) == 1
    assert read[0] >= 9 * len(texts)
    return len(texts) / ours_s, bare_s / ours_s


def measure_change(texts: list[str], rounds: int) -> float:
    """Notes a second that are parsed, and two fields of each changed."""

    def change(_: int) -> None:
        for text in texts:
            Document.parse(text).update({"status": "superseded", "updated": "2026-07-01T00:00:00+00:00"})

    return len(texts) / alternately(rounds, change, clock=time.process_time)[0]


def measure_log(entries: int, rounds: int) -> tuple[float, float]:
    """Entries a second of a log that is read, and milliseconds for one more entry in it."""
    content = Document.parse(note(1))
    markers = ((f"<!-- {slash}entry:ep_20260601_{n:08} -->" for slash in ("", "/")) for n in range(entries))
    blocks = (f"{opening}\n{note(n)}{closing}\n" for n, (opening, closing) in enumerate(markers))
    text = "---\nid: log\nentry_count: 1\n---\n" + "".join(blocks)
    id = f"ep_20260601_{entries:08}"
    read_s, append_s = alternately(
        rounds,
        lambda _: [entry.document.fields for entry in Log.parse(text).entries],
        lambda _: Log.parse(text).append(id, content).with_header({"entry_count": entries}).text,
        clock=time.process_time,
    )
    return entries / read_s, append_s * 1e3


GOALS = {"notes a second": 5_000.0}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    short = [note(number) for number in range(words.notes)]
    long = [note(number, LONG_WAY) for number in range(words.notes)]
    short_rate, short_ratio = measure_parse(short, words.rounds)
    long_rate, long_ratio = measure_parse(long, words.rounds)
    log_rate, append_ms = measure_log(1_000, words.rounds)
    figures = {
        "bytes a note": statistics.mean(len(text) for text in short),
        "notes a second": short_rate,
        "bare YAML takes, times ours": short_ratio,
        "notes a second, the long way": long_rate,
        "bare YAML takes, times ours, the long way": long_ratio,
        "changed notes a second": measure_change(short, words.rounds),
        "entries a second of a 1 MB log": log_rate,
        "append to a 1 MB log, ms": append_ms,
    }
    if words.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, figure in figures.items():
            goal = f"   goal: at least {GOALS[name]:,.0f}" if name in GOALS else ""
            print(f"{name:<46} {figure:12,.2f}{goal}")
    return 0 if all(figures[name] >= goal for name, goal in GOALS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
