"""Somebody's notes, there and back: each key of each file is changed and changed back, and the bytes must be equal.

    python bench/roundtrip.py VAULT.tar.gz FOLDER...

Nothing is written. A frontmatter that is too broken to be changed safely is a refusal, and its reason is shown.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.errors import MarkdownError
from quire.markdown.document import Document
from quire.markdown.node import Value

NEW_KEY = "quire round trip"
OTHERS: tuple[Value, ...] = ("changed", "a: b # c", None, ["x", "y, z"], {"a": 1}, "two\nlines\n")


@dataclass
class Tally:
    """What was seen, and the first file of each kind of refusal."""

    files: int = 0
    size: int = 0
    with_frontmatter: int = 0
    with_problems: int = 0
    keys: int = 0
    changes: int = 0
    not_text: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def refuse(self, name: str, error: MarkdownError) -> None:
        reason = re.sub(r"'[^']*'|[0-9]+", "…", error.what)  # without the names of this file
        self.refusals[reason] += 1
        self.examples.setdefault(reason, f"{name}: {error}")


def markdown_files(path: str) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each .md file in a folder or an archive."""
    if os.path.isdir(path):
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                if name.endswith(".md"):
                    at = os.path.join(folder, name)
                    with open(at, "rb") as file:
                        yield at, file.read()
        return
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() and member.name.endswith(".md") else None
            if content is not None:
                yield member.name, content.read()


def take(tally: Tally, name: str, raw: bytes) -> None:
    """One file: every key of it, and a new one."""
    tally.files += 1
    tally.size += len(raw)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        tally.not_text += 1
        return
    note = Document.parse(text)
    if note.text.encode() != raw:
        tally.failures.append(f"{name}: parsing alone changes it")
    tally.with_frontmatter += note.has_frontmatter
    tally.with_problems += bool(note.problems)
    for number, (key, value) in enumerate(note.fields.items()):
        tally.keys += 1
        for other in (OTHERS[number % len(OTHERS)], nearby(value)):
            try:
                failed = there_and_back(note, key, value, other)
            except MarkdownError as error:
                tally.refuse(name, error)
                continue
            tally.changes += 1
            if failed:
                tally.failures.append(f"{name}: {key!r} to {other!r}: {failed}")
    try:
        added = note.set(NEW_KEY, ["new"])
    except MarkdownError as error:
        tally.refuse(name, error)
        return
    tally.changes += 1
    if added.remove(NEW_KEY).text != text or added.body != note.body:
        tally.failures.append(f"{name}: a new key, and it removed")


def nearby(value: Value) -> Value:
    """A value that differs a little: as a person changes a list, a title, a number."""
    if isinstance(value, list):
        return [*value[1:], "added"] if value else ["added"]
    if isinstance(value, dict):
        return {**value, "added": "yes"}
    return f"{value} and more" if isinstance(value, str) else "words"


def there_and_back(note: Document, key: str, value: Value, other: Value) -> str:
    """What went wrong; empty if nothing did. Raises MarkdownError where the change is refused."""
    changed = note.set(key, other)
    again = Document.parse(changed.text)
    if again.get(key) != other or again.body != note.body:
        return "it does not read back"
    if changed.set(key, value).text != note.text:
        return "set back, the bytes differ"
    raw, lines = note.raw(key), again.raw(key)
    if raw is None or lines is None:
        return ""
    if again.set_raw(key, raw).text != note.text:
        return "with its own lines put back, the bytes differ"
    at = note.text.find(raw)
    while at >= 0:
        if changed.text == note.text[:at] + lines + note.text[at + len(raw) :]:
            return ""
        at = note.text.find(raw, at + 1)
    return "more than the lines of the key changed"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a folder of notes, or a .tar.gz of one")
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    figures = {}
    failed = False
    for path in words.paths:
        tally, start = Tally(), time.perf_counter()
        for name, raw in markdown_files(path):
            take(tally, name, raw)
        failed = failed or bool(tally.failures)
        figures[path] = {**vars(tally), "seconds": round(time.perf_counter() - start, 1)}
        if not words.json:
            show(os.path.basename(path), tally, time.perf_counter() - start)
    if words.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    return 1 if failed else 0


def show(name: str, tally: Tally, seconds: float) -> None:
    print(
        f"{name}: {tally.files:,} files ({tally.size / 1e6:.1f} MB, {tally.with_frontmatter:,} with frontmatter, "
        f"{tally.with_problems:,} with problems, {tally.not_text:,} not UTF-8), {tally.keys:,} keys, "
        f"{tally.changes:,} changes there and back, {sum(tally.refusals.values()):,} refused, "
        f"{len(tally.failures):,} failed, {seconds:.1f} s"
    )
    for reason, count in tally.refusals.most_common():
        print(f"  refused {count:,} times: {reason}\n    as in {tally.examples[reason]}")
    for failure in tally.failures[:20]:
        print(f"  FAILED {failure}")


if __name__ == "__main__":
    sys.exit(main())
