"""Many processes on one root, and a person beside them: nothing that was acknowledged is lost."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.budget import budget
from tests.engine.campaigns import crowd
from tests.engine.campaigns.checker import Checker
from tests.engine.campaigns.running import end, start
from tests.engine.campaigns.scenes import WORLDS
from tests.engine.campaigns.staging import litter
from tests.engine.campaigns.telling import Told, read_told

pytestmark = pytest.mark.torture

SECONDS = budget(3, 60)
WORKERS = 8


def campaign(tmp_path: Path, name: str, *, workers: int, person: bool) -> tuple[int, list[Told]]:
    """Let them work, and check what they left. Returns the seed, and what everybody was told."""
    seed = random.SystemRandom().getrandbits(32)
    (tmp_path / "root").mkdir()
    crowd.begin(WORLDS[name], tmp_path)
    programs = [("crowd", f"w{number}") for number in range(workers)] + ([("person", "p")] if person else [])
    running = [
        start(module, name, tmp_path, who, seed + number, SECONDS, folder=tmp_path)
        for number, (module, who) in enumerate(programs)
    ]
    try:
        for process in running:
            end(process, SECONDS + 120)
    finally:
        for process in running:
            process.kill()
            process.communicate()
    with WORLDS[name].open(tmp_path, crowd.now) as memory:
        listing = memory.list(status="all", everywhere=True)
    assert not litter(tmp_path), f"seed {seed}: {litter(tmp_path)}"
    told = read_told(tmp_path / crowd.TOLD)
    wrong = Checker(tmp_path, told).check()
    print(f"{name}: seed {seed}, {len(listing)} entries, {Counter(call.outcome for call in told)}")
    print(f"done: {Counter(call.verb for call in told if call.done)}")
    assert not wrong, f"seed {seed}: {len(wrong)}: " + "\n".join(wrong[:5])
    if not person:
        assert not listing.faults
        with WORLDS[name].open(tmp_path, crowd.now) as memory:
            assert memory.undo()
    return seed, told


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_STATE_DIR", str(tmp_path / "state"))


@pytest.mark.parametrize("name", ["root", "vault"])
def test_what_eight_processes_are_told_is_true(tmp_path: Path, name: str) -> None:
    seed, told = campaign(tmp_path, name, workers=8, person=False)
    outcomes = Counter(call.outcome for call in told)
    # A campaign in which nobody was in another's way would prove nothing.
    assert outcomes["done"] > 10 * SECONDS, f"seed {seed}: {outcomes}"
    assert outcomes["INVALID_ENTRY"], f"seed {seed}: {outcomes}"


@pytest.mark.parametrize("name", ["root", "vault"])
def test_a_person_beside_them_loses_nothing_either(tmp_path: Path, name: str) -> None:
    seed, told = campaign(tmp_path, name, workers=4, person=True)
    acts = Counter(call.verb for call in told if call.verb.startswith("person-") and call.done)
    assert acts["person-save"] > SECONDS, f"seed {seed}: {acts}"
