"""`kill -9` between any two steps: the next open finishes what was begun, or takes it back; nothing else is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.budget import budget
from tests.engine.campaigns.running import report
from tests.engine.campaigns.scenes import WORLDS

pytestmark = pytest.mark.torture


def seed() -> int:
    return random.SystemRandom().getrandbits(32)


@pytest.mark.parametrize("world", WORLDS)
def test_whoever_dies_in_front_of_a_file_call_leaves_the_old_state_or_the_new(
    tmp_path: Path, trials: Path, world: str
) -> None:
    found = report("stepping", world, seed(), budget(36, 1), trials, folder=tmp_path)
    # A campaign in which a kill always came too early, or too late, would prove nothing.
    assert min(found["before"], found["after"]) > found["kills"] // 10


@pytest.mark.parametrize(("world", "kills"), [("root", budget(25, 700)), ("vault", budget(15, 300))])
def test_what_was_acknowledged_survives_kills_at_random_moments(
    tmp_path: Path, trials: Path, world: str, kills: int
) -> None:
    found = report("killing", world, seed(), kills, trials, folder=tmp_path)
    assert found["done"] > kills
    assert found["flying"] > kills // 4
