"""A process that is stopped in the middle of a change, and wakes when others have gone on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.budget import budget
from tests.engine.campaigns.running import report

pytestmark = pytest.mark.torture


@pytest.mark.parametrize("world", ["root", "vault"])
def test_who_sleeps_in_front_of_a_file_call_and_who_does_not_are_both_told_the_truth(
    tmp_path: Path, trials: Path, world: str
) -> None:
    seed = random.SystemRandom().getrandbits(32)
    found = report("suspending", world, seed, budget(24, 1), trials, folder=tmp_path)
    assert found["both"] > found["stops"] // 4
