"""Random verbs on a memory, for tests of what holds whatever was done."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from quire import EntryError, Memory

Act = tuple[str, int, int]
VERBS = (
    "save", "skill", "profile", "append", "derive", "supersede", "always", "inbox", "shared", "evolve", "forget",
    "restore", "archive", "retag", "edit", "rename",
)  # fmt: skip
ACTS = st.tuples(st.sampled_from(VERBS), st.integers(0, 5), st.integers(0, 3))


def play(memory: Memory, act: Act) -> bool:
    """Do it; False where it was refused. `which` chooses among what is there."""
    verb, which, word = act
    text = f"Text {word}, see [[x{which}]].\n"
    try:
        if verb in _NEW:
            _NEW[verb](memory, text, which)
            return True
        known = sorted(entry.id for entry in memory.list(status="all", everywhere=True))
        if not known:
            return False
        id = known[(which * 7 + word) % len(known)]
        _OLD[verb](memory, id, text, word)
    except EntryError:
        return False
    return True


_NEW: dict[str, Callable[[Memory, str, int], object]] = {
    "save": lambda memory, text, which: memory.save(text, kind="fix", slug=f"x{which}"),
    "skill": lambda memory, text, which: memory.save(text, kind="skill", slug=f"x{which}"),
    "profile": lambda memory, text, which: memory.save(text, kind="profile"),
    "append": lambda memory, text, which: memory.append(text, at=f"2026-05-0{1 + which % 2}"),
    "derive": lambda memory, text, which: memory.save(text, kind="insight", slug="d", derived_from=[f"fix/x{which}"]),
    "supersede": lambda memory, text, which: memory.save(text, kind="fix", slug="s", supersedes=f"fix/x{which}"),
    "always": lambda memory, text, which: memory.save(text, kind="preference", slug=f"x{which}", always_load=True),
    "inbox": lambda memory, text, which: memory.save(text, kind="idea", slug=f"x{which}", status="inbox"),
    "shared": lambda memory, text, which: memory.save(text, kind="workflow", slug=f"x{which}", scope="shared"),
}
_OLD: dict[str, Callable[[Memory, str, str, int], object]] = {
    "evolve": lambda memory, at, text, word: memory.evolve(at, text),
    "forget": lambda memory, at, text, word: memory.forget(at, reason="it was wrong"),
    "restore": lambda memory, at, text, word: memory.restore(at),
    "archive": lambda memory, at, text, word: memory.archive(at),
    "retag": lambda memory, at, text, word: memory.retag(at, tags=[f"t{word}"]),
    "edit": lambda memory, at, text, word: memory.edit(at, f"---\nkind: {memory.get(at).kind}\n---\n{text}"),
    "rename": lambda memory, at, text, word: memory.rename(at, f"r{word}"),
}
