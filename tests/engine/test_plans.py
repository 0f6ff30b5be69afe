"""Changes of several files happen whole or not at all, whoever dies, sleeps, or writes in between."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import quire
from quire import Memory
from quire.engine import plans
from quire.engine.entry import Status
from quire.errors import Busy, InvalidEntry, OutcomeUnknown, StorageFull
from quire.locator import Locator
from tests.engine.conftest import Time
from tests.engine.looking import ids

Open = Callable[..., Memory]


class Ticking(Time):
    """A clock that moves on whenever somebody looks at it."""

    def __call__(self) -> dt.datetime:
        self.forward(microseconds=1)
        return self.moment


class Killed(BaseException):
    """The process is no more."""


@pytest.fixture
def again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens one root as often as it is called, each time as another process would."""
    monkeypatch.setattr(plans, "_OWNER_MAY_LIVE", 0.0)
    opened: list[Memory] = []
    time = Ticking()

    def open_root(**more: Any) -> Memory:
        opened.append(quire.open(tmp_path / "root", timezone="UTC", now=time, **more))
        return opened[-1]

    yield open_root
    for memory in opened:
        memory.close()


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Callable[[Memory, str, str, Callable[[], object]], None]:
    """Do something before the first time that a memory calls a verb of its storage on a key with this ending."""

    def arrange(memory: Memory, verb: str, ending: str, act: Callable[[], object]) -> None:
        storage = memory.core.storage
        real = getattr(storage, verb)
        waiting = [act]

        def call(locator: Locator, *arguments: Any, **keywords: Any) -> Any:
            if waiting and locator.key.endswith(ending):
                waiting.pop()()
            return real(locator, *arguments, **keywords)

        monkeypatch.setattr(storage, verb, call)

    return arrange


Before = Callable[[Memory, str, str, Callable[[], object]], None]


def die() -> None:
    raise Killed


def refuse() -> None:
    raise StorageFull("no space", where="there")


def statuses(memory: Memory) -> dict[str, str]:
    return {entry.id: entry.status.value for entry in memory.list(status="all")}


def left_open(memory: Memory) -> list[str]:
    return [at.name for at in memory.core.storage.list(Locator(".journal/open"))]


def dies_evolving(again: Open, before: Before, verb: str, ending: str) -> None:
    """One that saved fix/x, and died while it evolved it."""
    memory = again()
    memory.save("First.", kind="fix", slug="x")
    before(memory, verb, ending, die)
    with pytest.raises(Killed):
        memory.evolve("fix/x", "Second.")


# Dying


@pytest.mark.parametrize(
    ("verb", "ending"), [("write_bytes", "/x-2.md"), ("write_bytes", "/x.md"), ("delete", ".json")]
)
def test_what_a_dead_process_began_is_finished_by_the_next_open(
    again: Open, before: Before, verb: str, ending: str
) -> None:
    dies_evolving(again, before, verb, ending)
    memory = again()
    assert [(found.outcome, found.change and found.change.verb) for found in memory.recovered] == [
        ("finished", "evolve")
    ]
    assert statuses(memory) == {"fix/x": "superseded", "fix/x-2": "active"}
    assert left_open(memory) == []
    assert [change.verb for change in memory.undo()] == ["evolve"]
    assert statuses(memory) == {"fix/x": "active"}


def test_who_has_built_upon_the_new_one_keeps_it(again: Open, before: Before) -> None:
    living = again()
    dies_evolving(again, before, "write_bytes", "/x.md")
    living.retag("fix/x-2", add=["seen"])
    memory = again()
    assert statuses(memory) == {"fix/x": "superseded", "fix/x-2": "active"}
    assert memory.get("fix/x-2").tags == ("seen",)


def test_who_has_built_upon_the_old_one_after_it_was_superseded_keeps_it(again: Open, before: Before) -> None:
    living = again()
    dies_evolving(again, before, "delete", ".json")
    living.forget("fix/x")
    memory = again()
    assert statuses(memory) == {"fix/x": "deleted", "fix/x-2": "active"}


@pytest.mark.parametrize("name", ["x", "x-2"])
def test_what_a_person_adds_meanwhile_is_kept(again: Open, before: Before, name: str) -> None:
    living = again()
    dies_evolving(again, before, "delete", ".json")
    at = living.get(f"fix/{name}").locator
    text = re.sub("updated: .*", "updated: 2026-06-02", living.core.storage.read(at))  # as an editor keeps it
    living.core.storage.write(at, text + "By hand.\n")
    memory = again()
    assert statuses(memory) == {"fix/x": "superseded", "fix/x-2": "active"}
    assert "By hand." in memory.get(f"fix/{name}").body


def test_the_old_one_may_be_removed_by_hand_meanwhile(again: Open, before: Before) -> None:
    living = again()
    dies_evolving(again, before, "delete", ".json")
    living.core.storage.delete(living.get("fix/x").locator)
    assert statuses(again()) == {"fix/x-2": "active"}


def test_a_new_version_goes_where_the_old_one_was_changed_before_it_was_superseded(again: Open, before: Before) -> None:
    living = again()
    dies_evolving(again, before, "write_bytes", "/x.md")
    living.retag("fix/x", add=["seen"])
    memory = again()
    assert [found.outcome for found in memory.recovered] == ["taken back"]
    assert statuses(memory) == {"fix/x": "active"}
    assert memory.get("fix/x").tags == ("seen",)
    assert left_open(memory) == []


def test_what_one_died_taking_back_is_taken_back_by_the_next(
    again: Open, before: Before, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = again()
    dies_evolving(again, before, "write_bytes", "/x.md")
    living.retag("fix/x", add=["seen"])
    with monkeypatch.context() as patch:
        patch.setattr(plans.Plans, "_reverse", lambda *_: die())
        with pytest.raises(Killed):
            again()
    memory = again()
    assert [found.outcome for found in memory.recovered] == ["taken back"]
    assert statuses(memory) == {"fix/x": "active"}
    assert left_open(memory) == []


# Racing


def test_two_that_evolve_in_one_second_do_not_take_each_others_steps_for_their_own(again: Open, before: Before) -> None:
    first, second = again(), again()
    first.save("First.", kind="fix", slug="x")

    def other() -> None:
        first.evolve("fix/x", "By the first.")
        first.archive("fix/x-2")

    before(second, "write_bytes", "/x-2.md", other)
    with pytest.raises(InvalidEntry, match="only an active entry evolves"):
        second.evolve("fix/x", "By the second.")
    assert statuses(first) == {"fix/x": "superseded", "fix/x-2": "archived"}
    assert first.get("fix/x-2").text == "By the first."


def test_who_loses_a_race_takes_back_nothing_but_its_own_steps(again: Open, before: Before) -> None:
    first, second = again(), again()
    first.save("First.", kind="fix", slug="x")
    before(second, "write_bytes", "/x-2.md", lambda: first.evolve("fix/x", "By the first."))
    with pytest.raises(InvalidEntry):
        second.evolve("fix/x", "By the second.")
    assert statuses(first) == {"fix/x": "superseded", "fix/x-2": "active"}


def test_nor_where_the_other_has_died_before_its_record(again: Open, before: Before) -> None:
    dead, second, living = again(), again(), again()
    dead.save("First.", kind="fix", slug="x")

    def other() -> None:
        before(dead, "append_bytes", ".jsonl", die)
        with pytest.raises(Killed):
            dead.evolve("fix/x", "By the dead.")
        living.archive("fix/x-2")

    before(second, "write_bytes", "/x-2.md", other)
    with pytest.raises(InvalidEntry, match="only an active entry evolves"):
        second.evolve("fix/x", "By the second.")
    assert statuses(again()) == {"fix/x": "superseded", "fix/x-2": "archived"}


def test_nor_where_the_second_dies_and_a_third_goes_on_with_it(again: Open, before: Before) -> None:
    first, second = again(), again()
    first.save("First.", kind="fix", slug="x")

    def other() -> None:
        first.evolve("fix/x", "By the first.")
        first.archive("fix/x-2")

    before(second, "write_bytes", "/x-2.md", other)
    before(second, "write_bytes", "/x.md", die)
    with pytest.raises(Killed):
        second.evolve("fix/x", "By the second.")
    memory = again()
    assert [found.outcome for found in memory.recovered] == ["taken back"]
    assert memory.get("fix/x-2").text == "By the first."
    assert statuses(memory) == {"fix/x": "superseded", "fix/x-2": "archived"}


# Sleeping


def test_who_wakes_to_find_its_change_finished_has_finished_it(again: Open, before: Before) -> None:
    sleeper = again()
    sleeper.save("First.", kind="fix", slug="x")

    def others() -> None:
        helper = again()
        helper.retag("fix/x", add=["seen"])

    before(sleeper, "write_bytes", "/x.md", others)
    assert sleeper.evolve("fix/x", "Second.").id == "fix/x-2"
    assert statuses(sleeper) == {"fix/x": "superseded", "fix/x-2": "active"}
    assert sleeper.get("fix/x").tags == ("seen",)


@pytest.mark.parametrize("ending", ["/x-2.md", "/x.md"])
def test_who_wakes_after_its_change_was_finished_and_undone_does_not_do_it_again(
    again: Open, before: Before, ending: str
) -> None:
    sleeper = again()
    sleeper.save("First.", kind="fix", slug="x")
    before(sleeper, "write_bytes", ending, lambda: again().undo())
    sleeper.evolve("fix/x", "Second.")
    assert statuses(sleeper) == {"fix/x": "active"}


def test_a_helper_that_may_not_write_gives_nothing_up(
    again: Open, before: Before, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper = again()
    sleeper.save("First.", kind="fix", slug="x")

    def helper() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(plans, "put", lambda *_: (_ for _ in ()).throw(Busy("held", where="x")))
            assert [found.outcome for found in again().recovered] == ["unfinished"]

    before(sleeper, "write_bytes", "/x.md", helper)
    assert sleeper.evolve("fix/x", "Second.").status is Status.ACTIVE
    assert left_open(again()) == []


# Refused


def test_a_memory_whose_record_is_refused_is_not_there(again: Open, before: Before) -> None:
    memory = again()
    before(memory, "append_bytes", ".jsonl", refuse)
    with pytest.raises(StorageFull):
        memory.save("First.", kind="fix", slug="x")
    assert ids(memory.list(status="all")) == []
    assert memory.save("First.", kind="fix", slug="x").id == "fix/x"


@pytest.mark.parametrize(("verb", "ending"), [("write_bytes", "/x.md"), ("append_bytes", ".jsonl")])
def test_a_change_that_is_refused_in_the_middle_is_taken_back(
    again: Open, before: Before, verb: str, ending: str
) -> None:
    memory = again()
    memory.save("First.", kind="fix", slug="x")
    before(memory, verb, ending, refuse)
    with pytest.raises(StorageFull):
        memory.evolve("fix/x", "Second.")
    assert statuses(memory) == {"fix/x": "active"}
    assert left_open(memory) == []
    assert memory.evolve("fix/x", "Second.").id == "fix/x-2"


def test_what_cannot_be_taken_back_either_is_said_to_be_unknown_and_settled_by_the_next_open(
    again: Open, before: Before
) -> None:
    memory = again()
    memory.save("First.", kind="fix", slug="x")
    before(memory, "write_bytes", "/x.md", refuse)
    before(memory, "delete", "/x-2.md", refuse)
    with pytest.raises(OutcomeUnknown, match="could not be taken back"):
        memory.evolve("fix/x", "Second.")
    assert statuses(again()) == {"fix/x": "active"}
    assert left_open(memory) == []


def test_what_was_done_again_since_is_not_taken_back_with_the_first_attempt(again: Open, before: Before) -> None:
    memory = again()
    memory.save("First.", kind="fix", slug="x")
    before(memory, "write_bytes", "/x.md", refuse)
    before(memory, "delete", "/x-2.md", refuse)
    with pytest.raises(OutcomeUnknown):
        memory.evolve("fix/x", "Second.")
    memory.core.storage.delete(memory.get("fix/x-2").locator)
    memory.evolve("fix/x", "Second.")
    assert statuses(again()) == {"fix/x": "superseded", "fix/x-2": "active"}


def test_a_plan_that_cannot_be_carried_out_keeps_nobody_from_opening_the_root(
    again: Open, before: Before, monkeypatch: pytest.MonkeyPatch
) -> None:
    dies_evolving(again, before, "write_bytes", "/x.md")
    with monkeypatch.context() as patch:
        patch.setattr(plans, "put", lambda *_: refuse())
        memory = again()
    assert [found.outcome for found in memory.recovered] == ["unfinished"]
    assert "cannot be finished now" in memory.recovered[0].said
    assert statuses(again()) == {"fix/x": "superseded", "fix/x-2": "active"}


def test_what_was_done_again_and_built_upon_is_not_taken_back_either(again: Open, before: Before) -> None:
    dead = again()
    dead.save("First.", kind="fix", slug="x")
    before(dead, "write_bytes", "/x-2.md", die)
    with pytest.raises(Killed):
        dead.evolve("fix/x", "Second.")
    living = dead
    living.evolve("fix/x", "Second.")
    living.retag("fix/x-2", add=["seen"])
    living.undo()
    at = living.get("fix/x").locator
    living.core.storage.write(at, "Something else altogether.\n")
    assert again().get("fix/x-2").text == "Second."


def test_a_record_of_what_was_taken_back_is_void(again: Open, before: Before) -> None:
    memory = again()
    memory.save("First.", kind="fix", slug="x")
    before(memory, "delete", ".json", refuse)
    with pytest.raises(StorageFull):
        memory.evolve("fix/x", "Second.")
    assert statuses(memory) == {"fix/x": "active"}
    assert [change.verb for change in memory.changes()] == ["save"]


# A text is never only in a copy that goes


def dies_renaming(again: Open, before: Before) -> None:
    memory = again()
    memory.save("The text.", kind="fix", slug="x")
    memory.save("See [[x]].", kind="fix", slug="y")
    before(memory, "append_bytes", ".jsonl", die)
    with pytest.raises(Killed):
        memory.rename("fix/x", "z")


def test_a_rename_that_cannot_be_finished_brings_the_old_name_back(again: Open, before: Before) -> None:
    living = again()
    dies_renaming(again, before)
    living.core.storage.write(living.get("fix/y").locator, "Nothing of it any more.\n")
    memory = again()
    assert [found.outcome for found in memory.recovered] == ["taken back"]
    assert memory.get("fix/x").text == "The text."
    assert "fix/z" not in statuses(memory)


def test_where_the_old_name_is_anothers_by_now_the_new_one_stays(again: Open, before: Before) -> None:
    living = again()
    dies_renaming(again, before)
    living.core.storage.write(living.get("fix/y").locator, "Nothing of it any more.\n")
    living.core.storage.write(living.get("fix/z").locator.parent.child("x.md"), "By hand.\n")
    memory = again()
    assert memory.get("fix/x").text == "By hand."
    assert memory.get("fix/z").text == "The text."


def test_what_is_half_done_is_purged_with_the_rest(again: Open, before: Before, tmp_path: Path) -> None:
    living, dead = again(), again()
    dead.save("Words that must go.", kind="fix", slug="x")
    before(dead, "delete", "/x.md", die)
    with pytest.raises(Killed):
        dead.archive("fix/x")
    living.purge("fix/x", yes=True)
    again()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"must go" in path.read_bytes()]


# Elsewhere


def test_a_plan_about_the_persons_notes_never_touches_the_root(again: Open, before: Before, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    memory = again(personal=tmp_path / "notes", run="asked")
    for name in ("a.md", "b.md"):
        memory.write_personal(name, "Words.\n", request="please write this")
    before(memory, "delete", ".json", die)
    with pytest.raises(Killed):
        memory.undo(run="asked")
    (tmp_path / "notes" / "a.md").write_text("Words.\n")  # as if it had died earlier
    without = again()
    assert [found.outcome for found in without.recovered] == ["unfinished"]
    assert "personal" in without.recovered[0].said
    assert not (tmp_path / "root" / "a.md").exists()
    assert [found.outcome for found in again(personal=tmp_path / "notes").recovered] == ["finished"]
    assert list((tmp_path / "notes").iterdir()) == []
