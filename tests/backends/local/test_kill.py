"""Whatever was acknowledged survives `kill -9`, whole; nothing of the dead is left over after the next open."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.backends.local import killing
from tests.budget import budget

pytestmark = pytest.mark.torture


@pytest.mark.parametrize(("kind", "kills"), [("device-local", budget(1000, 15_000)), ("vault", budget(200, 5_000))])
def test_acknowledged_writes_survive_kills_at_random_moments(tmp_path: Path, kind: str, kills: int) -> None:
    seed = random.SystemRandom().getrandbits(32)
    run = subprocess.run(
        [sys.executable, killing.__file__, kind, str(tmp_path / "root"), str(kills), str(seed)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "QUIRE_STATE_DIR": str(tmp_path / "state")},
    )
    assert run.returncode == 0, f"seed {seed}: {run.stderr[-3000:]}"
    report = json.loads(run.stdout)
    print(kind, report)
    assert report["kills"] >= kills
    # A campaign that never hit a write in flight would prove nothing.
    assert report["acknowledged"] > kills
    assert report["recovered"] > kills // 50
