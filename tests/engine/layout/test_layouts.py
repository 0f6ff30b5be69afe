"""Layouts: `place` and `parse` are inverse, and the trees are those of the specification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire import InvalidScope, Locator, Owner, Scope
from quire.engine.kinds import Kinds, Shape
from quire.engine.layout import LAYOUTS, Layout, Place, RootLayout, VaultLayout, Zone
from quire.engine.slug import slug_of

# Kinds that are called as the folders of a layout are, so that what tells them apart is the path and not the name.
LOG, SINGLE = {"shape": "log", "owners": ["agent", "shared"]}, {"shape": "single", "owners": ["agent", "shared"]}
KINDS = Kinds(
    {
        "recipe": {},
        "standup": LOG,
        "users": {},
        "agents": {"shape": "single"},
        "projects": {},
        "knowledge": LOG,
        "default": SINGLE,
        "archive": {"directory": "preferences"},
        "inbox": {"directory": "always-load"},
    }
)
ROOT, VAULT = RootLayout(KINDS), VaultLayout(KINDS)
ALICE, CODER, SHARED = Scope(owner=Owner.USER, id="alice"), Scope(id="coder"), Scope(owner=Owner.SHARED)

names = st.one_of(
    st.sampled_from(["default", "atlas", "Müller", "日本", "a b", "memory", "users", "projects", "x-1", "knowledge"]),
    st.text("abcdefghij-_.", min_size=1, max_size=12).filter(lambda s: s[0] not in "._" and s[-1] != "."),
).filter(lambda name: name not in ("default_app", "default_project"))
slugs = st.text(min_size=1, max_size=20).map(slug_of)
days = st.dates().map(str)
log_names = st.one_of(days, st.builds("{}.{}".format, days, st.integers(2, 99)), days.map(lambda d: f"{d}.d1a2b3c.2"))


@st.composite
def places(draw: st.DrawFn, layout: Layout) -> Place:
    app = "default" if layout is VAULT else draw(names)
    scope = Scope(app, draw(names), draw(st.sampled_from(Owner)), draw(names))
    kind = draw(st.sampled_from(list(KINDS)))
    if kind.shape is Shape.LOG:
        return Place(scope, kind.name, draw(log_names))
    if kind.shape is Shape.SINGLE:
        return Place(scope, kind.name, "")
    zones = [zone for zone in layout.zones if kind.shape is Shape.NOTE or zone in (Zone.ACTIVE, Zone.ARCHIVE)]
    zone = draw(st.sampled_from(zones))
    return Place(scope, "" if zone is Zone.ALWAYS else kind.name, draw(slugs), zone)


@given(places(ROOT))
def test_root_parses_what_it_places(place: Place) -> None:
    assert ROOT.parse(ROOT.place(place)) == place


@given(places(VAULT))
def test_vault_parses_what_it_places(place: Place) -> None:
    assert VAULT.parse(VAULT.place(place)) == place


WORDS = [
    "default_app", "default_project", "default", "users", "agents", "knowledge", "memory", "Memory", "projects",
    "_users", "_archive", "_inbox", "_always-load", "_idea-incubator", "preferences", "fix", "idea", "skills",
    "skill_x", "episodes", ".cases", "cases", "episode-2026-06-01.md", "agent_case-2026-06-01.2.md", "SKILL.md",
    "user.md", "x.md", "_index.md", "alice", "a.txt", "inbox", "archive.md", "default.md", "agents.md",
    "knowledge-2026-06-01.md", "always-load",
]  # fmt: skip


@pytest.mark.parametrize("layout", [ROOT, VAULT])
@given(parts=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
def test_what_parses_is_placed_where_it_was(layout: Layout, parts: list[str]) -> None:
    locator = Locator("/".join(parts))
    place = layout.parse(locator)
    assert place is None or layout.place(place) == locator


@pytest.mark.parametrize(
    ("place", "key"),
    [
        (Place(ALICE, "profile", ""), "default_app/default_project/users/alice/user.md"),
        (
            Place(ALICE, "episode", "2026-06-01"),
            "default_app/default_project/users/alice/episodes/episode-2026-06-01.md",
        ),
        (
            Place(ALICE, "atomic_fact", "2026-06-01"),
            "default_app/default_project/users/alice/.atomic_facts/atomic_fact-2026-06-01.md",
        ),
        (
            Place(ALICE, "foresight", "2026-06-01"),
            "default_app/default_project/users/alice/.foresights/foresight-2026-06-01.md",
        ),
        (
            Place(CODER, "agent_case", "2026-06-01"),
            "default_app/default_project/agents/coder/.cases/agent_case-2026-06-01.md",
        ),
        (Place(CODER, "skill", "deploy"), "default_app/default_project/agents/coder/skills/skill_deploy/SKILL.md"),
        (Place(CODER, "fix", "lock"), "default_app/default_project/agents/coder/memory/fix/lock.md"),
        (Place(ALICE, "fix", "lock"), "default_app/default_project/users/alice/memory/fix/lock.md"),
        (Place(SHARED, "fix", "lock"), "default_app/default_project/knowledge/fix/lock.md"),
        (Place(Scope("shop", "atlas"), "soul", ""), "shop/atlas/agents/default/soul.md"),
        (
            Place(CODER, "fix", "lock", Zone.ARCHIVE),
            "default_app/default_project/agents/coder/memory/_archive/fix/lock.md",
        ),
    ],
)
def test_the_tree_of_root(place: Place, key: str) -> None:
    assert ROOT.place(place).key == key


@pytest.mark.parametrize(
    ("place", "key"),
    [
        (Place(Scope(), "insight", "x"), "Memory/insight/x.md"),
        (Place(Scope(), "crystallized", "x"), "Memory/crystallized/x.md"),
        (Place(Scope(), "", "x", Zone.ALWAYS), "Memory/_always-load/x.md"),
        (Place(Scope(), "fix", "x", Zone.INBOX), "Memory/_inbox/fix/x.md"),
        (Place(Scope(), "idea", "x", Zone.INBOX), "Memory/_idea-incubator/x.md"),
        (Place(Scope(), "fix", "x", Zone.ARCHIVE), "Memory/_archive/fix/x.md"),
        (Place(SHARED, "", "x", Zone.ALWAYS), "_always-load/x.md"),
        (Place(SHARED, "preference", "x"), "preferences/x.md"),
        (Place(SHARED, "feedback", "x"), "feedback/x.md"),
        (Place(SHARED, "workflow", "x", Zone.ARCHIVE), "_archive/workflow/x.md"),
        (Place(Scope(project="atlas", owner=Owner.SHARED), "workflow", "x"), "projects/atlas/workflow/x.md"),
        (Place(Scope(project="atlas"), "fix", "x"), "projects/atlas/Memory/fix/x.md"),
        (Place(ALICE, "episode", "2026-06-01"), "Memory/_users/alice/episodes/episode-2026-06-01.md"),
    ],
)
def test_the_tree_of_vault(place: Place, key: str) -> None:
    assert VAULT.place(place).key == key


@given(places(VAULT))
def test_no_truth_of_a_vault_lies_in_a_folder_that_sync_services_hide(place: Place) -> None:
    assert not any(part.startswith(".") for part in VAULT.place(place).parts)


def test_generated_and_harness_files_are_no_entries() -> None:
    for layout in (ROOT, VAULT):
        assert layout.parse(layout.contents(Scope())) is None
        assert layout.parse(layout.harness("atlas").child("PLAN.md")) is None
    assert VAULT.contents(Scope()).key == "Memory/_index.md"
    assert VAULT.harness("atlas").key == "projects/atlas/_harness"


def test_a_vault_holds_one_app_and_says_so() -> None:
    with pytest.raises(InvalidScope, match="holds one app"):
        VAULT.place(Place(Scope("shop"), "fix", "x"))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_chosen_by_its_name(name: str) -> None:
    assert LAYOUTS[name](KINDS).name == name
