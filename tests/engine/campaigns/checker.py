"""Holds a root against what its callers were told. It reads the files around the engine."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.engine.campaigns.crowd import HOT
from tests.engine.campaigns.telling import Told

_BLOCK = re.compile(r"^<!-- entry:(\S+) -->\n(.*?)^<!-- /entry:\1 -->", re.DOTALL | re.MULTILINE)
_SETS = {
    "save": ["active"],
    "save-same": ["active"],
    "append": ["active"],
    "evolve": ["active"],
    "restore": ["active", "superseded"],
    "forget": ["deleted"],
    "archive": ["archived"],
}
_SAVING = ("save", "append", "evolve")
# Why a call may be refused when others are at work, by what the message says.
REASONS = re.compile(
    r"only an active entry evolves|it is deleted, and cannot be|took its place|others (write|change|append)"
    r"|there is no such entry|someone wrote first|has held the lock|something is here already|has changed since"
    r"|nothing is here any more|another entry has its name there|is another entry|was taken back while"
    r"|this change is undone already|it is gone since|, and two cannot be|another file has that name"
)


@dataclass(frozen=True)
class Lying:
    """An entry as it lies there."""

    id: str
    path: str
    fields: dict[str, Any]
    body: str

    @property
    def status(self) -> str:
        return str(self.fields.get("status", ""))

    @property
    def is_copy(self) -> bool:
        return "(quire conflict" in self.path


def read_root(root: Path) -> tuple[list[Lying], list[str]]:
    """Every entry, and what is wrong with the files."""
    found, wrong = [], []
    for path in sorted(root.rglob("*.md")):
        key = str(path.relative_to(root))
        if key.startswith(".journal/") or path.name == "_index.md":
            continue
        text = path.read_bytes().decode()
        blocks = list(_BLOCK.finditer(text))
        if {text.count("<!-- entry:"), text.count("<!-- /entry:")} != {len(blocks)}:
            wrong.append(f"{key}: torn markers")
        for id, part in [(block[1], block[2]) for block in blocks] or [(f"{path.parent.name}/{path.stem}", text)]:
            try:
                _, head, body = part.split("---\n", 2)
                found.append(Lying(id, key, yaml.load(head, yaml.BaseLoader), body.strip()))
            except ValueError:
                wrong.append(f"{key}: no frontmatter in {part[:60]!r}")
    return found, wrong


def read_records(folder: Path) -> list[dict[str, Any]]:
    """The records of the journal that stand."""
    records, void = [], set()
    for path in sorted(folder.rglob("*.jsonl")):
        if ".journal" in path.parts:
            for line in path.read_text().split("\n"):
                try:
                    said = json.loads(line)
                except ValueError:
                    continue  # torn by a kill
                if "void" in said:
                    void.add(said["void"])
                else:
                    records.append(said)
    return [record for record in records if record["id"] not in void]


def plain(body: str) -> str:
    """A body, whatever its links are called by now, without what a person has added."""
    return re.sub(r"\[\[[^\]]*\]\]", "[[…]]", re.sub(r"(?m)^Person \S+\.$\n?", "", body)).strip()


class Checker:
    """Each check adds what it finds wrong to `wrong`.

    What a person did to a file is not held against the engine: a text they deleted, or wrote over without having seen
    what was written while they edited. What they wrote is: it may be changed, and not lost.
    """

    def __init__(self, folder: Path, told: list[Told]) -> None:
        self.folder = folder
        self.told = [call for call in told if not call.verb.startswith("person-")]
        self.acts = [call for call in told if call.verb.startswith("person-") and call.outcome != "gone"]
        self.touched = {
            Path(name).stem
            for act in self.acts
            if act.verb != "person-touch"
            for name in (act.words["path"], act.words.get("target", ""))
        }
        self.lying, self.wrong = read_root(folder / "root")
        self.records = read_records(folder)
        self.by_body: dict[str, list[Lying]] = defaultdict(list)
        self.by_id: dict[str, list[Lying]] = defaultdict(list)
        self.lying = [each for each in self.lying if not each.is_copy]
        for each in self.lying:
            self.by_body[plain(each.body)].append(each)
            self.by_id[each.id].append(each)

    def check(self) -> list[str]:
        """All that is wrong."""
        self.errors()
        self.bodies()
        self.ids()
        self.reinforced()
        self.chains()
        self.statuses()
        self.tags()
        self.names()
        self.journal()
        self.person()
        return self.wrong

    def say(self, what: str, call: Told | None = None) -> None:
        self.wrong.append(f"{what} ({call})" if call else what)

    def errors(self) -> None:
        """Nobody was refused without a reason that others give, and nothing broke."""
        for call in self.told:
            said = str(call.result.get("said", ""))
            half_written = self.acts and call.outcome == "INVALID_ENTRY" and re.search(r", line \d+: ", said)
            if call.result.get("broken") or (said and not half_written and not REASONS.search(said)):
                self.say("an error that others' work does not explain", call)

    def bodies(self) -> None:
        """What was acknowledged is in one place, what was refused in none, and nothing is there that nobody said."""
        said = {f"The beginning of {id}." for id in HOT}
        for call in self.told:
            if call.verb == "save-same":
                said.add(call.words["body"])
            if call.verb not in _SAVING:
                continue
            said.add(plain(call.words["body"]))
            places = self.by_body[plain(call.words["body"])]
            if call.done and len(places) != 1 and not self.excused(call, len(places)):
                self.say(f"a text that was saved is in {len(places)} places", call)
            if len(places) > (1 if call.may_have_happened else 0):
                self.say(f"a text that was refused is in {len(places)} places", call)
        for body in self.by_body.keys() - said:
            if self.by_body[body]:
                self.say(f"nobody said {body[:80]!r}: {self.by_body[body][0].path}")

    def excused(self, call: Told, places: int) -> bool:
        """Whether a text is not there since a person deleted it, or wrote over it unseen."""
        if places:
            return False
        name, body = Path(call.result["path"]).name, plain(call.words["body"])
        for act in self.acts:
            unseen = Path(act.words["path"]).name == name and act.overlaps(call)
            held = body in plain(act.words["text"])
            if (act.verb == "person-delete" or act.outcome == "swept away") and (held or unseen):
                return True
            if act.verb in ("person-save", "person-half") and unseen:
                return True
        return False

    def is_touched(self, *ids: str) -> bool:
        return any(id.rpartition("/")[2] in self.touched for id in ids)

    def person(self) -> None:
        """What a person wrote is in a file or in the journal, unless they have deleted it themselves."""
        everything = "\n".join(
            path.read_bytes().decode("utf-8", "replace")
            for path in self.folder.rglob("*")
            if path.suffix in (".md", ".jsonl")
        )
        for act in self.acts:
            if act.verb not in ("person-save", "person-half") or not act.done or act.words["line"] in everything:
                continue
            later = [
                other for other in self.acts if other.begin > act.begin and act.words["line"] in other.words["text"]
            ]
            if not any(other.verb == "person-delete" or other.outcome == "swept away" for other in later):
                self.say("what a person wrote is lost", act)

    def ids(self) -> None:
        """No id is that of two, and nobody was given one that is another's."""
        for id, places in self.by_id.items():
            if len(places) > 1 and not self.is_touched(id):  # an editor may bring back what was moved away
                self.say(f"{id} is in {[place.path for place in places]}")
        given: dict[str, str] = {}
        for call in self.told:
            if call.done and call.verb in _SAVING and not self.is_touched(call.result["id"]):
                body = call.words["body"]
                if given.setdefault(call.result["id"], body) != body:
                    self.say(f"the id was given to {given[call.result['id']]!r}, too", call)

    def reinforced(self) -> None:
        """The same body was counted as often as it was saved."""
        saved = Counter(call.words["body"] for call in self.told if call.verb == "save-same" and call.done)
        flying = Counter(
            call.words["body"] for call in self.told if call.verb == "save-same" and call.may_have_happened
        )
        for body, times in saved.items():
            counted = sum(int(each.fields.get("occurrences", 1)) for each in self.by_body[body])
            if not times <= counted <= flying[body] and not self.is_touched(*(each.id for each in self.by_body[body])):
                self.say(f"{body!r} was saved {times} times and counts {counted}")

    def the(self, id: str) -> Lying | None:
        places = self.by_id.get(id, [])
        return places[0] if places else None

    def chains(self) -> None:
        """Each evolving has both its links, and each chain one end that is active, unless somebody put that away."""
        put_away, restored = (
            {call.words["id"] for call in self.told if call.verb in verbs and call.may_have_happened}
            for verbs in (("forget", "archive"), ("restore",))
        )
        for call in self.told:
            if call.verb == "evolve" and call.done and not self.is_touched(call.words["id"], call.result["id"]):
                old, new = self.the(call.words["id"]), self.the(call.result["id"])
                if not old or not new:
                    self.say("a link of a chain is gone", call)
                elif new.fields.get("supersedes") != old.id:
                    self.say(f"{new.id} supersedes {new.fields.get('supersedes')}", call)
                elif old.fields.get("superseded_by") != new.id and old.id not in restored:
                    self.say(f"{old.id} is superseded by {old.fields.get('superseded_by')}", call)
        after = defaultdict(list)
        for each in self.lying:
            after[each.fields.get("supersedes", "")].append(each)
        for first in after[""]:
            chain = [first]
            for each in chain:
                chain += after[each.id]
            if self.is_touched(*(str(id) for each in chain for id in (each.id, each.fields.get("superseded_by")))):
                continue
            active = [each.id for each in chain if each.status == "active"]
            if len(active) > 1 or (not active and not put_away & {each.id for each in chain}):
                self.say(f"of the chain {[(each.id, each.status) for each in chain]} {active or 'none'} is active")

    def statuses(self) -> None:
        """The status of an entry is one that somebody set, and nobody set another after that."""
        setting: dict[str, list[tuple[Told, list[str]]]] = defaultdict(list)
        for call in self.told:
            if call.may_have_happened and call.verb in _SETS:
                made = call.result.get("id") if call.verb in (*_SAVING, "save-same") else call.words["id"]
                setting[made or ""].append((call, [call.result["status"]] if call.done else _SETS[call.verb]))
                if call.verb == "evolve":
                    setting[call.words["id"]].append((call, ["superseded"]))
        for id, calls in setting.items():
            last = {
                status
                for call, statuses in calls
                if not any(call.before(other) and other.done for other, _ in calls)
                for status in statuses
            }
            found = self.the(id)
            if found and found.status not in last and not self.is_touched(id):
                self.say(f"{id} is {found.status}, and should be {last}: {calls}")

    def tags(self) -> None:
        undone = {call.words["tag"]: call for call in self.told if call.verb == "undo" and call.may_have_happened}
        for call in self.told:
            if call.verb != "retag" or not call.done or self.is_touched(call.words["id"]):
                continue
            found, undo = self.the(call.words["id"]), undone.get(call.words["tag"])
            has = found is not None and call.words["tag"] in found.fields.get("tags", ())
            if found and not has and not undo:
                self.say("a tag is lost", call)
            if has and undo and undo.done:
                self.say("a tag is there, and was taken back", undo)

    def names(self) -> None:
        """What was renamed has its last name, and what links to it says so."""
        now: dict[str, str] = {}
        for call in self.told:
            if call.verb == "rename" and call.done:
                first = next((first for first, last in now.items() if last == call.words["id"]), call.words["id"])
                now[first] = call.result["id"]
        flying = {
            call.words["id"] for call in self.told if call.verb == "rename" and not call.done and call.may_have_happened
        }
        for first, last in now.items():
            if last not in flying and not self.the(last) and not self.is_touched(first, last):
                self.say(f"{first} was renamed to {last}, which is not there")
        linking = re.compile(r"See \[\[([a-z0-9-]+)\]\]")
        for each in self.lying:
            for slug in linking.findall(each.body):
                if not self.the(f"workflow/{slug}") and not self.is_touched(slug, each.id):
                    self.say(f"{each.path} links to {slug}, which is not there")

    def journal(self) -> None:
        """Each change that was acknowledged has its record."""
        made = {name.rpartition(" ")[2] for record in self.records for name in record.get("made", {})}
        about = {
            (record["verb"], name.rpartition(" ")[2]) for record in self.records for name in record.get("entries", ())
        }
        for call in self.told:
            if not call.done:
                continue
            if call.verb in _SAVING and call.result["id"] not in made:
                self.say("no record says that it was made", call)
            if call.verb in ("forget", "archive", "retag", "rename") and (call.verb, call.words["id"]) not in about:
                self.say("there is no record of it", call)
