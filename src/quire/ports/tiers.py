"""What is true, what is derived from it, and which of the two may be synced."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass

from quire.locator import Locator


class Tier(enum.Enum):
    """Who owns the truth of a tree, and whether a sync service may replicate it."""

    SOURCE = "source"
    SHARED_ABSTRACTS = "shared-abstracts"
    LOCAL_INDEX = "local-index"

    @property
    def syncs(self) -> bool:
        """Whether the tree may be replicated. Not the local index: a database that is replicated by file corrupts."""
        return self is not Tier.LOCAL_INDEX

    @property
    def derived(self) -> bool:
        """Whether the tree can be rebuilt from SOURCE."""
        return self is not Tier.SOURCE


@dataclass(frozen=True, slots=True)
class TierLayout:
    """A root for each tier. Raises ValueError if two are the same: a derived tree must never overwrite the truth."""

    source: Locator = Locator("source")
    shared_abstracts: Locator = Locator("shared-abstracts")
    local_index: Locator = Locator("local-index")

    def __post_init__(self) -> None:
        roots = [self.root_for(tier) for tier in Tier]
        if len(set(roots)) != len(roots):
            raise ValueError("the three tiers need three roots; two are the same: " + ", ".join(map(repr, roots)))

    @property
    def never_sync_root(self) -> Locator:
        """The one tree that must not be replicated."""
        return self.local_index

    def root_for(self, tier: Tier) -> Locator:
        """The root of `tier`."""
        return {
            Tier.SOURCE: self.source,
            Tier.SHARED_ABSTRACTS: self.shared_abstracts,
            Tier.LOCAL_INDEX: self.local_index,
        }[tier]


class DerivedMaintenance(ABC):
    """The two operations that keep derived tiers true to their source."""

    @abstractmethod
    def reindex(self, tier: Tier) -> None:
        """Rebuild a derived tier from SOURCE."""

    @abstractmethod
    def changed_since(self, mtime: float) -> list[Locator]:
        """Source locators whose `Info.mtime` is newer than `mtime`."""
