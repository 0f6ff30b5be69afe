"""A vault with every fault there is to find, each planted where the table says."""

from __future__ import annotations

import os
from pathlib import Path

from quire.engine.entry import MAX_FILE_BYTES
from quire.markdown.node import MAX_NODES

HUB = "Memory/insight/hub.md"
LONG = "word " * 2000
LARGE = "word " * 220_000
COPY = "Memory/fix/base.sync-conflict-20260102-030405-ABCDEFG.md"
LINKED = "Memory/fix/linked.md"
HUGE = "Memory/fix/huge.md"
REFUSED = "Memory/fix/refused.md"


def note(*lines: str, body: str = "Text", kind: str = "fix") -> str:
    """A note with these lines of frontmatter, which begin on its third line."""
    return "\n".join(["---", f"kind: {kind}", *lines, "---", body, ""])


def entry(id: str, *lines: str, body: str = "Text") -> str:
    return "\n".join([f"<!-- entry:{id} -->", "---", *lines, "---", body, f"<!-- /entry:{id} -->", ""])


def log(*entries: str, count: int = 9) -> str:
    """A log whose first entry begins on its fourth line."""
    return "\n".join(["---", f"entry_count: {count}", "---", "".join(entries)])


EPISODES = "Memory/_users/default/episodes/episode-2026-06-"

# The path, the text, and what is to be found in it: line and code.
PLANTED: list[tuple[str, str | bytes, list[tuple[int, str]]]] = [
    ("Memory/fix/base.md", note(), []),
    ("Memory/fix/latin.md", b"---\nkind: fix\n---\nna\xefve\n", [(4, "NOT_UTF8")]),
    ("Memory/Fix/lost.md", note(), [(1, "STRAY_FILE")]),
    ("Memory/loose.md", "Text\n", [(1, "STRAY_FILE")]),
    (COPY, note("slug: base", body="Text of the other device"), [(1, "CONFLICT_COPY")]),
    ("Memory/fix/Readme.md", note(), []),
    ("Memory/fix/readme.md", note(), [(1, "NAME_COLLISION")]),
    ("Memory/fix/twice.md", note(), []),
    ("Memory/_archive/fix/twice.md", note("status: archived"), [(1, "DUPLICATE_ID")]),
    ("Memory/fix/plain.md", "Text\n", [(1, "FRONTMATTER_MISSING")]),
    ("Memory/fix/open.md", "---\nkind: fix\n", [(1, "FRONTMATTER_NOT_CLOSED")]),
    ("Memory/fix/words.md", "---\nonly words\n---\nText\n", [(2, "FRONTMATTER_NOT_A_MAPPING")]),
    ("Memory/fix/syntax.md", note("title: 'open"), [(3, "YAML_SYNTAX")]),
    ("Memory/fix/double.md", note("title: a", "title: b"), [(4, "YAML_DUPLICATE_KEY")]),
    ("Memory/fix/bell.md", note('title: "a\a"'), [(3, "YAML_CHARACTER")]),
    ("Memory/fix/key.md", note("? [a]", ": b"), [(3, "YAML_KEY")]),
    ("Memory/fix/alias.md", note("title: &a b"), [(3, "YAML_ALIAS")]),
    ("Memory/fix/tag.md", note("title: !important b"), [(3, "YAML_TAG")]),
    ("Memory/fix/many.md", note(f"a: [{'b, ' * MAX_NODES}c]"), [(3, "TOO_MANY_VALUES")]),
    ("Memory/fix/deep.md", note(f"a: {'[' * 40}{']' * 40}"), [(3, "TOO_DEEP")]),
    ("Memory/fix/typed.md", note("title: b", "always_load: perhaps"), [(4, "FIELD_TYPE")]),
    ("Memory/_always-load/kindless.md", "---\nalways_load: true\n---\nText\n", [(1, "KIND_MISSING")]),
    ("Memory/_always-load/odd.md", note("always_load: true", kind="rule"), [(2, "KIND_UNKNOWN")]),
    ("Memory/_always-load/asleep.md", note("always_load: false"), [(3, "ALWAYS_LOAD_CONTRADICTS")]),
    ("Memory/fix/idea.md", note(kind="idea"), [(2, "KIND_CONTRADICTS")]),
    ("Memory/fix/slug.md", note("title: b", "slug: other"), [(4, "SLUG_CONTRADICTS")]),
    ("Memory/fix/status.md", note("status: forgotten"), [(3, "STATUS_UNKNOWN")]),
    ("Memory/fix/spelled.md", note("status: Active"), [(3, "STATUS_SPELLING")]),
    ("Memory/fix/away.md", note("title: b", "status: archived"), [(4, "STATUS_CONTRADICTS")]),
    ("Memory/_archive/fix/back.md", note("status: active"), [(3, "STATUS_CONTRADICTS")]),
    ("Memory/_inbox/fix/seen.md", note("status: active"), [(3, "STATUS_CONTRADICTS")]),
    ("Memory/fix/when.md", note("created: last summer"), [(3, "TIME_INVALID")]),
    (
        "Memory/fix/order.md",
        note("valid_from: 2026-02-01", "valid_to: 2026-01-01"),
        [(4, "TIME_ORDER")],
    ),
    ("Memory/fix/hash.md", note("tags: ['#python', testing]"), [(3, "TAG_HASH")]),
    ("Memory/fix/zero.md", note(body="One\nTwo\0"), [(5, "NUL_CHARACTER")]),
    ("Memory/fix/long.md", note(body=LONG), [(1, "TOO_LONG")]),
    ("Memory/fix/large.md", note(body=LARGE), [(1, "TOO_LARGE")]),
    (
        f"{EPISODES}01.md",
        log(
            entry("ep_20260601_00000001", "status: active"),
            entry("ep_20260601_00000002", "created: soon"),
            entry("ep_20260601_00000003", "status: active", body=LONG),
            entry("ep_20260601_00000001", "status: active"),
            entry("ep_20260601_00000004", "status: odd"),
            "<!-- /entry:ep_20260601_00000005 -->\n",
            entry("ep_20260530_00000006", "status: active"),
            "<!-- entry:ep_20260601_00000007 -->\nText\n",
            count=6,
        ),
        [
            (2, "LOG_COUNT_LOW"),
            (12, "TIME_INVALID"),
            (16, "TOO_LONG"),
            (22, "MARKER_DUPLICATE"),
            (30, "STATUS_UNKNOWN"),
            (34, "MARKER_STRAY"),
            (35, "LOG_ID_MISPLACED"),
            (41, "FRONTMATTER_MISSING"),
            (41, "MARKER_NOT_CLOSED"),
        ],
    ),
    (f"{EPISODES}02.md", log(entry("ep_20260602_00000001", "status: active")), [(4, "DUPLICATE_ID")]),
    (f"{EPISODES}02.2.md", log(entry("ep_20260602_00000001", "status: active")), []),
    ("Memory/fix/newer.md", note("status: active", "supersedes: fix/gone"), [(4, "SUPERSESSION_BROKEN")]),
    ("Memory/fix/older.md", note("status: superseded", "superseded_by: gone"), [(4, "SUPERSESSION_BROKEN")]),
    ("Memory/fix/egg.md", note("status: superseded", "supersedes: fix/hen"), [(4, "SUPERSESSION_CYCLE")]),
    ("Memory/fix/hen.md", note("status: superseded", "supersedes: fix/egg"), []),
    ("Memory/fix/root.md", note("status: superseded", "superseded_by: fix/left"), []),
    ("Memory/fix/left.md", note("supersedes: fix/root"), [(3, "SUPERSESSION_FORK")]),
    ("Memory/fix/right.md", note("title: b", "supersedes: fix/root"), [(4, "SUPERSESSION_FORK")]),
    ("Memory/fix/half.md", note("status: active"), []),
    ("Memory/fix/half-2.md", note("supersedes: fix/half"), [(3, "SUPERSESSION_HALF_DONE")]),
    ("Memory/fix/deaf.md", note("status: superseded", "superseded_by: fix/base"), [(4, "SUPERSESSION_ONE_SIDED")]),
    ("Memory/fix/nameless.md", note("status: superseded"), [(3, "SUPERSESSION_NAMELESS")]),
    (
        "Memory/fix/first.md",
        note("status: active", "superseded_by: fix/second"),
        [(3, "TWO_ACTIVE"), (4, "SUPERSESSION_ONE_SIDED")],
    ),
    ("Memory/fix/second.md", note("status: active"), [(3, "TWO_ACTIVE")]),
    ("Memory/fix/made.md", note("derived_from: [fix/base, fix/nothing]"), [(3, "SOURCE_MISSING")]),
    ("Memory/fix/links.md", note(body="One [[fix/base]]\n\nand [[nowhere-at-all]]"), [(6, "LINK_BROKEN")]),
    ("Memory/fix/vague.md", note(body="See [[same]]."), [(4, "LINK_AMBIGUOUS")]),
    ("Memory/idea/same.md", note(kind="idea"), []),
    ("Memory/workflow/same.md", note(kind="workflow"), []),
    ("Memory/fix/alone.md", note(), [(1, "ORPHAN")]),
]


def plant(root: Path) -> list[tuple[str, int, str]]:
    """Write the vault, and return what is to be found in it, in order."""
    expected = [(HUGE, 1, "TOO_LARGE"), (REFUSED, 1, "UNREADABLE"), ("Memory/fix", 1, "UNREACHABLE_NAME")]
    for key, text, found in PLANTED:
        put(root, key, text)
        expected += [(key, line, code) for line, code in found]
    os.truncate(put(root, HUGE, ""), MAX_FILE_BYTES + 1)
    put(root, REFUSED, note())
    (root / LINKED).symlink_to(put(root, "elsewhere.txt", "Text"))
    keys = [REFUSED, *(key for key, *_ in PLANTED)]
    links = [f"[[{key.removesuffix('.md')}]]" for key in keys if key != "Memory/fix/alone.md"]
    put(root, HUB, note(body="\n".join(links), kind="insight"))
    return sorted(expected)


def put(root: Path, key: str, text: str | bytes) -> Path:
    path = root / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
