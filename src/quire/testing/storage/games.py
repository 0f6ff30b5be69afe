"""Random games: whatever is done to a backend, it answers as the model in memory does."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from quire.backends.ram import RamBackend
from quire.errors import NotFound, StorageError
from quire.locator import Locator
from quire.ports.storage import ABSENT, ANY, IfVersion, StorageBackend, version_of

KEYS = st.sampled_from(["a", "b", "a/b", "a/c", "a/b/d", "é", "e/f g", "a.md"]).map(Locator)
TEXTS = st.sampled_from(["", "one", "two\r\n", "\ufeffthree"])
VERSIONS: st.SearchStrategy[IfVersion] = st.one_of(st.sampled_from([ANY, ABSENT]), TEXTS.map(version_of))


def play(storage: StorageBackend, games: int) -> None:
    """Play `games` games of 25 moves, each in a folder of its own. Fails with the shortest game that differs."""
    numbers = itertools.count()

    class Game(StorageGame):
        def __init__(self) -> None:
            super().__init__(storage, storage.resolve(f"game-{next(numbers)}"))

    run_state_machine_as_test(
        Game,
        settings=settings(
            max_examples=games,
            stateful_step_count=25,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        ),
    )


class StorageGame(RuleBasedStateMachine):
    """One game: each move is made on both sides, and both must say the same."""

    def __init__(self, storage: StorageBackend, home: Locator) -> None:
        super().__init__()
        self.home = home
        self.sides = (storage, RamBackend())

    @rule(at=KEYS, text=TEXTS, if_version=VERSIONS)
    def write(self, at: Locator, text: str, if_version: IfVersion) -> None:
        self.both(lambda side, put: side.write(put(at), text, if_version=if_version) and None, at)

    @rule(at=KEYS, text=TEXTS)
    def append(self, at: Locator, text: str) -> None:
        self.both(lambda side, put: side.append_bytes(put(at), text.encode()) and None, at)

    @rule(at=KEYS)
    def read(self, at: Locator) -> None:
        self.both(lambda side, put: side.read(put(at)), at)

    @rule(at=KEYS, if_version=VERSIONS)
    def delete(self, at: Locator, if_version: IfVersion) -> None:
        self.both(lambda side, put: side.delete(put(at), if_version=if_version), at)

    @rule(one=KEYS, other=KEYS, if_version=VERSIONS)
    def move(self, one: Locator, other: Locator, if_version: IfVersion) -> None:
        self.both(lambda side, put: side.move(put(one), put(other), if_version=if_version) and None, one, other)

    @rule(at=KEYS)
    def mkdir(self, at: Locator) -> None:
        self.both(lambda side, put: side.mkdir(put(at)) and None, at)

    @rule(at=KEYS)
    def look(self, at: Locator) -> None:
        self.both(lambda side, put: [self.relative(child) for child in side.list(put(at))], at)
        self.both(lambda side, put: side.exists(put(at)), at)
        self.both(lambda side, put: (side.info(put(at)).size, side.info(put(at)).version), at)

    @invariant()
    def same_files(self) -> None:
        self.both(
            lambda side, put: [(self.relative(info.locator), info.size) for info in side.walk(put(Locator()))],
            Locator(),
        )

    def both(self, move: Callable[[StorageBackend, Callable[[Locator], Locator]], Any], *touched: Locator) -> None:
        """Make a move on both sides and compare what it returned or raised."""
        real, model = (self.outcome(move, side) for side in self.sides)
        self.prune(touched)
        assert real == model, f"the backend answers {real!r}, the model {model!r}"

    def outcome(self, move: Callable[[StorageBackend, Callable[[Locator], Locator]], Any], side: StorageBackend) -> Any:
        try:
            return move(side, lambda at: self.home.child(at.key) if at.key else self.home)
        except NotFound:
            return NotFound
        except StorageError:
            # Where two reasons to refuse meet, either may be named; the tests with one reason ask for the right name.
            return StorageError

    def prune(self, touched: tuple[Locator, ...]) -> None:
        """Whether an implied folder outlives its last file is open, so the game takes it away."""
        real, model = self.sides
        for at in touched:
            folder = self.home.child(at.key) if at.key else self.home
            while folder != self.home:
                if not model.exists(folder):
                    try:
                        real.delete(folder)
                    except NotFound:
                        pass
                folder = folder.parent

    def relative(self, at: Locator) -> str:
        return at.key[len(self.home.key) :]
