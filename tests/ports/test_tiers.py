from __future__ import annotations

import pytest

import quire.ports.tiers
from quire.locator import Locator
from quire.ports.tiers import DerivedMaintenance, Tier, TierLayout


def test_only_the_local_index_never_syncs_and_only_the_source_is_not_derived() -> None:
    assert {tier.value: (tier.syncs, tier.derived) for tier in Tier} == {
        "source": (True, False),
        "shared-abstracts": (True, True),
        "local-index": (False, True),
    }


def test_each_tier_has_a_root_and_the_index_has_the_one_that_never_syncs() -> None:
    layout = TierLayout()
    assert [layout.root_for(tier).key for tier in Tier] == ["source", "shared-abstracts", "local-index"]
    assert layout.never_sync_root == layout.local_index == Locator("local-index")
    moved = TierLayout(local_index=Locator("elsewhere"))
    assert moved.never_sync_root == moved.root_for(Tier.LOCAL_INDEX) == Locator("elsewhere")


@pytest.mark.parametrize("shared", ["source", "local-index", "./source//"])
def test_two_tiers_never_share_a_root(shared: str) -> None:
    with pytest.raises(ValueError, match="three roots"):
        TierLayout(shared_abstracts=Locator(shared))


def test_maintenance_is_named_and_left_to_an_implementation() -> None:
    assert DerivedMaintenance.__abstractmethods__ == {"reindex", "changed_since"}
    with pytest.raises(TypeError):
        DerivedMaintenance()  # type: ignore[abstract]
    assert not [thing for thing in vars(quire.ports.tiers).values() if type(thing).__name__ == "Maintenance"]
