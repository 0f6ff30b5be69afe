"""Trees: a root of everos, or one of our own, whose paths say whose an entry is. Logs come in entry by entry."""

from __future__ import annotations

import pytest

import quire
from quire import Document, Locator, Memory
from quire.backends.ram import RamBackend
from quire.markdown.entries import Log
from tests.engine.conftest import Time
from tests.engine.looking import ids, tree
from tests.engine.transfer.carrying import everything, fill, outcomes, reason

ADA = "default_app/default_project/users/ada"
BOT = "default_app/default_project/agents/bot"
LOG = f"{ADA}/episodes/episode-2026-06-01.md"
HEADER = (
    "---\nid: episode_log_ada_2026-06-01\ntype: episode_daily\nfile_type: episode_daily\nschema_version: 1\n"
    "user_id: ada\ntrack: user\ndate: '2026-06-01'\nentry_count: {count}\nlast_appended_at: ''\n---\n"
)


def log(*texts: str, first: int = 1, name: str = "ep_20260601_") -> str:
    made = Log.parse(HEADER.format(count=first + len(texts) - 1))
    for number, text in enumerate(texts, first):
        made = made.append(f"{name}{number:08}", Document.parse(text))
    return made.text


@pytest.fixture
def everos(source: RamBackend) -> RamBackend:
    fill(
        source,
        {
            ".index/sqlite/system.db": b"\0",
            "ome.toml": "x = 1\n",
            LOG: log("Ada deployed.", "Ada went home."),
            f"{ADA}/.atomic_facts/atomic_fact-2026-06-01.md": log("Ada deploys on Mondays.", name="af_20260601_"),
            f"{ADA}/user.md": "---\nmine: 1  # kept\n---\nAda likes tabs.\n",
            f"{BOT}/skills/skill_deploy/SKILL.md": "---\nname: deploy\ndescription: How to deploy.\n---\nRun make.\n",
            f"{BOT}/skills/skill_deploy/scripts/run.sh": "make\n",
        },
    )
    return source


def test_an_everos_root_comes_in_with_its_owners_and_ids(memory: Memory, everos: RamBackend) -> None:
    result = memory.import_from(everos, name="everos")
    assert result.flavour == "everos"
    assert result.counts == {"new": 7, "left out": 1}
    assert memory.get("ep_20260601_00000002", scope="user:ada").text == "Ada went home."
    assert memory.get("af_20260601_00000001", scope="user:ada").text == "Ada deploys on Mondays."
    assert memory.get("profile", scope="user:ada").document.text.startswith("---\nmine: 1  # kept\n")
    skill = memory.get("skill/deploy", scope="agent:bot")
    assert memory.core.storage.read(skill.locator.parent.child("scripts", "run.sh")) == "make\n"
    assert [key for key in tree(memory) if key.endswith("_attachments/everos/ome.toml")]


def test_a_log_comes_in_byte_for_byte_where_nothing_is(memory: Memory, everos: RamBackend) -> None:
    memory.import_from(everos, name="everos")
    at = memory.get("ep_20260601_00000001", scope="user:ada").locator
    assert memory.core.storage.read_bytes(at) == everos.read_bytes(Locator(LOG))


def test_a_second_import_of_a_root_changes_nothing(memory: Memory, everos: RamBackend) -> None:
    memory.import_from(everos, name="everos")
    before = tree(memory)
    assert memory.import_from(everos, name="everos").counts == {"same": 7, "left out": 1}
    memory.core.storage.delete(Locator(".journal/imports/everos.jsonl"))
    assert memory.import_from(everos, name="everos").counts == {"same": 7, "left out": 1}
    assert tree(memory) == before


def test_an_id_that_is_anothers_is_not_taken_from_it(memory: Memory, everos: RamBackend, time: Time) -> None:
    mine = memory.append("Mine.", scope="user:ada")
    assert mine.id == "ep_20260601_00000001"
    result = memory.import_from(everos, name="everos")
    assert memory.get(mine.id, scope="user:ada").text == "Mine."
    assert memory.get("ep_20260601_00000002", scope="user:ada").text == "Ada went home."
    assert memory.get("ep_20260601_00000003", scope="user:ada").text == "Ada deployed."
    assert "ep_20260601_00000001 is another entry here" in reason(result, f"{LOG}#ep_20260601_00000001")
    before = tree(memory)
    assert memory.import_from(everos, name="everos").counts == {"same": 7, "left out": 1}
    memory.core.storage.delete(Locator(".journal/imports/everos.jsonl"))
    assert memory.import_from(everos, name="everos").counts == {"same": 7, "left out": 1}
    assert tree(memory) == before
    assert memory.append("Later.", scope="user:ada").id == "ep_20260601_00000004"


def test_an_id_that_was_given_and_taken_out_is_not_given_again(memory: Memory, everos: RamBackend) -> None:
    mine = memory.append("Mine.", scope="user:ada")
    memory.purge(mine.id, yes=True, scope="user:ada")
    memory.import_from(everos, name="everos")
    with pytest.raises(quire.EntryNotFound):
        memory.get(mine.id, scope="user:ada")
    assert memory.get("ep_20260601_00000003", scope="user:ada").text == "Ada deployed."


def test_a_log_that_grew_brings_what_is_new(memory: Memory, everos: RamBackend) -> None:
    memory.import_from(everos, name="everos")
    fill(everos, {LOG: log("Ada deployed.", "Ada went home early.", "Ada slept.")})
    again = memory.import_from(everos, name="everos")
    assert outcomes(again)[f"{LOG}#ep_20260601_00000001"] == "same"
    assert outcomes(again)[f"{LOG}#ep_20260601_00000002"] == "updated"
    assert outcomes(again)[f"{LOG}#ep_20260601_00000003"] == "new"
    found = memory.list(kind="episode", scope="user:ada")
    assert [entry.text for entry in found] == ["Ada deployed.", "Ada went home early.", "Ada slept."]


def test_entries_of_a_log_are_not_brought_back_either(memory: Memory, everos: RamBackend) -> None:
    memory.import_from(everos, name="everos")
    memory.forget("ep_20260601_00000001", scope="user:ada")
    memory.purge("ep_20260601_00000002", yes=True, scope="user:ada")
    again = memory.import_from(everos, name="everos")
    assert again.counts == {"same": 5, "away": 2, "left out": 1}


def test_an_entry_that_both_sides_changed_stays_ours(memory: Memory, everos: RamBackend) -> None:
    memory.import_from(everos, name="everos")
    memory.retag("ep_20260601_00000001", add=["mine"], scope="user:ada")
    fill(everos, {LOG: log("Ada deployed twice.", "Ada went home.")})
    again = memory.import_from(everos, name="everos")
    assert outcomes(again)[f"{LOG}#ep_20260601_00000001"] == "conflict"
    assert memory.get("ep_20260601_00000001", scope="user:ada").tags == ("mine",)


def test_undo_of_a_root_gives_the_tree_from_before(memory: Memory, everos: RamBackend) -> None:
    memory.append("Mine.", scope="user:ada")
    before = tree(memory)
    result = memory.import_from(everos, name="everos")
    imported = tree(memory)
    memory.undo(run=result.run)
    assert tree(memory) == before
    again = memory.import_from(everos, name="everos")
    assert again.counts == {"new": 7, "left out": 1}
    assert ids(memory.list(kind="episode", scope="user:ada")) == [
        "ep_20260601_00000001",
        "ep_20260601_00000002",
        "ep_20260601_00000004",
    ]
    assert len(tree(memory)) == len(imported)


def test_an_undone_log_comes_in_again_under_its_own_ids(memory: Memory, everos: RamBackend) -> None:
    result = memory.import_from(everos, name="everos")
    imported = tree(memory)
    memory.undo(run=result.run)
    memory.import_from(everos, name="everos")
    assert tree(memory) == imported


def test_what_of_a_log_cannot_be_merged_is_told(memory: Memory, source: RamBackend) -> None:
    memory.append("Mine.", scope="user:ada")
    loose = (
        log("One.", first=2) + "A line of a person\n" + log("Two.", first=3).partition("---\n<!")[2].join(["<!", ""])
    )
    result = memory.import_from(fill(source, {LOG: loose}), name="everos")
    assert [item.reason for item in result.of("refused")] == ["text between entries stays in the source"]
    assert [entry.text for entry in memory.list(scope="user:ada")] == ["Mine.", "One.", "Two."]


def test_a_profile_that_says_something_else_is_a_conflict(memory: Memory, everos: RamBackend) -> None:
    memory.save("Ada likes spaces.", kind="profile", scope="user:ada")
    result = memory.import_from(everos, name="everos")
    assert outcomes(result)[f"{ADA}/user.md"] == "conflict"
    assert memory.get("profile", scope="user:ada").text == "Ada likes spaces."


def test_a_layout_without_room_for_an_app_says_so_and_takes_the_rest(source: RamBackend) -> None:
    fill(source, {LOG: log("Ada deployed."), LOG.replace("default_app", "shop"): log("Ada sold.")})
    with quire.open(protocol="ram", layout="vault", timezone="UTC") as memory:
        result = memory.import_from(source, name="everos")
        assert len(result.of("new")) == 1
        [refused] = result.of("refused")
        assert refused.path.startswith("shop/")
        assert "holds one app" in refused.reason


# Our own


def save_all(memory: Memory) -> None:
    """One of each shape, in several scopes and states."""
    memory.save("Run the suites apart.", kind="fix", title="Locked database", tags=["sql"])
    memory.evolve("fix/locked-database", "Give each suite its own.")
    memory.save("Always tabs.", kind="preference", scope="shared", always_load=True)
    memory.save("Perhaps.", kind="idea", status="inbox")
    memory.archive(memory.save("Old.", kind="insight", slug="old").id)
    memory.forget(memory.save("Wrong.", kind="insight", slug="wrong").id)
    memory.save("Ada.", kind="profile")
    memory.save("Run make.", kind="skill", slug="deploy")
    memory.append("First.", scope="user:ada")
    memory.append("Second.", scope="user:ada")
    memory.append("A case.", kind="agent_case")
    memory.save("Project.", kind="workflow", scope="atlas/agent:coder")
    folder = memory.get("skill/deploy").locator.parent
    memory.core.storage.write(folder.child("references", "make.md"), "# make\n")
    base = "/".join(memory.core.layout.base(memory.core.scopes[0]))
    memory.core.storage.write_bytes(Locator(f"{base}/_attachments/x/a.png"), b"\x89PNG")


def test_what_is_exported_comes_in_byte_for_byte(memory: Memory, layout: str, time: Time) -> None:
    save_all(memory)
    out = RamBackend()
    memory.export_to(out, everywhere=True)
    assert everything(out) == tree(memory)
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as other:
        result = other.import_from(out, name="old")
        assert result.flavour == "quire"
        assert set(result.counts) == {"new"}
        assert tree(other) == tree(memory)
        assert set(other.import_from(out, name="old").counts) == {"same"}
        other.undo(run=result.run)
        assert tree(other) == {}


def essence(memory: Memory) -> dict[tuple[str, str], tuple[object, ...]]:
    """What every entry says, wherever it lies."""
    return {
        (str(entry.scope), entry.id): (entry.status, entry.always_load, entry.title, entry.created, entry.body)
        for entry in memory.list(everywhere=True, status="all")
    }


def test_another_layout_keeps_every_entry_and_field(memory: Memory, layout: str, time: Time) -> None:
    save_all(memory)
    out = RamBackend()
    memory.export_to(out, everywhere=True)
    other_layout = "vault" if layout == "root" else "root"
    with quire.open(protocol="ram", layout=other_layout, timezone="UTC", now=time) as other:
        result = other.import_from(out, name="old")
        assert set(result.counts) == {"new"}
        assert essence(other) == essence(memory)
        folder = other.get("skill/deploy").locator.parent
        assert other.core.storage.read(folder.child("references", "make.md")) == "# make\n"
        assert [key for key in tree(other) if key.endswith("/_attachments/x/a.png")]
        assert set(other.import_from(out, name="old").counts) == {"same"}


def test_two_roots_are_merged_without_loss(memory: Memory, layout: str, time: Time) -> None:
    """A laptop and a desktop: the same names, other memories."""
    memory.save("Mine.", kind="fix", slug="lock")
    memory.append("Mine.", scope="user:ada")
    with quire.open(protocol="ram", layout=layout, timezone="UTC", now=time) as other:
        time.forward(minutes=5)
        other.save("Theirs.", kind="fix", slug="lock")
        other.evolve("fix/lock", "Theirs, better.")
        other.append("Theirs.", scope="user:ada", derived_from=[])
        out = RamBackend()
        other.export_to(out, everywhere=True)
    memory.import_from(out, name="desktop")
    texts = {entry.id: entry.text for entry in memory.list(status="all")}
    assert texts == {"fix/lock": "Mine.", "fix/lock-2": "Theirs, better.", "fix/lock-3": "Theirs."} or texts == {
        "fix/lock": "Mine.",
        "fix/lock-2": "Theirs, better.",
        "fix/lock-2-2": "Theirs.",
    }
    assert sorted(entry.text for entry in memory.list(scope="user:ada")) == ["Mine.", "Theirs."]
    [newest] = [entry for entry in memory.list() if entry.text == "Theirs, better."]
    assert [entry.text for entry in memory.history(newest.id)] == ["Theirs.", "Theirs, better."]


def test_an_entry_edited_since_its_export_is_a_conflict_and_not_doubled(memory: Memory) -> None:
    saved = memory.save("Text.", kind="fix", slug="lock")
    out = RamBackend()
    memory.export_to(out)
    memory.retag(saved.id, add=["mine"])
    result = memory.import_from(out, name="old")
    assert [item.outcome.value for item in result.items] == ["conflict"]
    assert ids(memory.list()) == ["fix/lock"]


def test_a_generated_map_is_left_out(memory: Memory) -> None:
    memory.save("Text.", kind="fix", slug="lock")
    [key] = memory.index()
    out = RamBackend()
    memory.export_to(out)
    assert key not in everything(out)
    fill(out, {key: memory.core.storage.read_bytes(Locator(key))})
    assert outcomes(memory.import_from(out, name="old"))[key] == "left out"
