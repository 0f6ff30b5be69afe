"""The ledger of an import: what came in from where, so that doing it again doubles nothing.

Lines of JSON beside the journal, appended to as the import goes on. It may be deleted: what came in is recognised by
its `source` and its text then, but what was removed here meanwhile is not known any more.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass

from quire.engine.core import Core
from quire.errors import InvalidEntry, InvalidLocatorError, NotFound
from quire.locator import Locator

_FOLDER = "imports"
_AT_ONCE = 64  # lines in one append: an import that is killed recognises the last few by their text
_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one path: the version of its text there, and the entry, or the file, it became here.

    `version` is that of the text here as the import left it. `change` is the id in the journal; empty where the text
    was here already.
    """

    source: str
    at: str
    version: str
    entry: str = ""
    scope: str = ""
    change: str = ""


class Ledger:
    """The ledger of the import called `name`. Reading raises nothing for a torn or foreign line."""

    def __init__(self, core: Core, name: str, *, read_only: bool, origin: str = "") -> None:
        self._storage = core.journal.storage
        self._at = core.journal.at.child(_FOLDER, f"{name}.jsonl")
        self.read_only = read_only
        self.origin = origin  # where the source is, in the words of whoever calls; empty where they do not say
        self.came_from = ""  # where it was the last time
        self._pending: list[str] = []
        self._is_torn = False  # a crash has left half a line, which the next one must not continue
        self._known: dict[str, Known] = {}
        self._before: dict[str, list[Known]] = {}  # what earlier lines say of a path
        self.withdrawn: dict[str, Known] = {}  # what came in and was taken back by an undo
        self.unfinished = ""  # the run of an import that did not come to its end
        self._begun = ""
        self._read()

    @property
    def known(self) -> Mapping[str, Known]:
        return self._known

    def withdraw(self, undone: Set[str]) -> None:
        """Forget what came in by changes that are undone, so that it may come in again; what was before them counts."""
        self.withdrawn = {path: known for path, known in self._known.items() if known.change in undone}
        for path in self.withdrawn:
            before = [known for known in self._before.get(path, ()) if known.change not in undone]
            if before:
                self._known[path] = before[-1]
            else:
                del self._known[path]

    def begin(self, run: str) -> None:
        """Say that what follows is part of `run`. Written before the first change is made."""
        if self._begun != run:
            self._begun = run
            self._add({"begin": run, **({"origin": self.origin} if self.origin else {})})
            self.flush()

    def put(self, path: str, known: Known) -> None:
        if self._known.get(path) != known:
            self._known[path] = known
            self._add({"path": path, **{name: value for name, value in asdict(known).items() if value}})

    def moved(self, old: str, new: str) -> None:
        """The file at `old` is at `new` now, in the source."""
        self.put(new, self._known[old])
        self.drop(old)

    def drop(self, path: str) -> None:
        del self._known[path]
        self._add({"path": path, "dropped": True})

    def end(self) -> None:
        """The import came to its end."""
        if self._begun:
            self._add({"end": self._begun})
        self.flush()

    def flush(self) -> None:
        if self._pending and not self.read_only:
            lines = "\n" * self._is_torn + "".join(self._pending)
            self._storage.append_bytes(self._at, lines.encode())
            self._is_torn = False
        self._pending.clear()

    def _add(self, line: Mapping[str, object]) -> None:
        self._pending.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        if len(self._pending) >= _AT_ONCE:
            self.flush()

    def _read(self) -> None:
        try:
            raw = self._storage.read_bytes(self._at)
        except NotFound:
            return
        for line in raw.split(b"\n"):
            try:
                record = json.loads(line)
                self._take(record)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue  # torn by a crash, or nobody's
        self._is_torn = bool(raw) and not raw.endswith(b"\n")

    def _take(self, record: dict[str, str]) -> None:
        if "begin" in record:
            self.unfinished = record["begin"]
            self.came_from = record.get("origin", self.came_from)
        elif "end" in record:
            self.unfinished = ""
        elif record.get("dropped"):
            self._known.pop(record["path"], None)
            self._before.pop(record["path"], None)
        else:
            path = record.pop("path")
            if path in self._known:
                self._before.setdefault(path, []).append(self._known[path])
            self._known[path] = Known(**record)


def checked_name(name: str) -> str:
    """`name` if an import can be called so: it is in paths and in the field `source`. Raises InvalidEntry."""
    if isinstance(name, str) and name and name == _plain(name):
        return name
    raise InvalidEntry(
        f"{str(name)[:100]!r} cannot name an import",
        remedy=f"Use up to {_NAME_LENGTH} letters, digits, spaces, dots, hyphens and underscores, such as "
        f"{name_for(str(name))!r}",
    )


def name_for(path: str) -> str:
    """What the import of the folder, or the file, at `path` is called if nobody says it.

    >>> name_for("/home/ada/My Notes/"), name_for("/home/ada/.claude/projects/-home-ada-atlas/memory")
    ('My Notes', 'home-ada-atlas-memory')
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    last = parts[-1].removesuffix(".jsonl") if parts else ""
    if last == "memory" and len(parts) > 1:  # a program's own word for the folder, of which it has one a project
        last = f"{parts[-2]}-memory"
    return _plain(last) or "import"


def _plain(text: str) -> str:
    """`text` with what a name cannot hold replaced; itself if it is one."""
    normal = unicodedata.normalize("NFC", text)
    kept = "".join(c if c.isalnum() or c in " ._-" or unicodedata.category(c)[0] == "M" else "-" for c in normal)
    short = kept.lstrip(" ._-").encode()[:_NAME_LENGTH].decode("utf-8", "ignore").rstrip(" .-")
    try:
        Locator(short)
    except InvalidLocatorError:
        return f"import-{short}"  # a name that some file systems reserve
    return short
