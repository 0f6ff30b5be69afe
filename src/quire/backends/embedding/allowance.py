"""What a service may be asked: so many requests and tokens a minute, and so much in all."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from quire.errors import OverBudget
from quire.ports.embedder import Meter, Spending

_MINUTE = 60.0


class RamMeter:
    """Spending as long as the process lives. Thread-safe."""

    def __init__(self) -> None:
        self._spent = Spending()
        self._lock = threading.Lock()

    def read(self) -> Spending:
        return self._spent

    def add(self, spent: Spending) -> None:
        with self._lock:
            self._spent = Spending(self._spent.tokens + spent.tokens, self._spent.money + spent.money)


class Pace:
    """At most `requests` and `tokens` within any minute; None is without limit."""

    def __init__(
        self,
        requests: int | None,
        tokens: int | None,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
    ) -> None:
        self._requests, self._tokens = requests, tokens
        self._clock, self._sleep = clock, sleep
        self._made: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def wait(self, tokens: int) -> None:
        """Return when a request of so many tokens may be made, which is then taken to be made."""
        while pause := self._pause(tokens):
            self._sleep(pause)

    def _pause(self, tokens: int) -> float:
        with self._lock:
            now = self._clock()
            while self._made and self._made[0][0] <= now - _MINUTE:
                self._made.popleft()
            too_many = self._requests is not None and len(self._made) >= self._requests
            used = sum(count for _, count in self._made)
            too_much = self._tokens is not None and used + tokens > self._tokens
            if self._made and (too_many or too_much):  # one that is over the limit by itself goes alone
                return max(self._made[0][0] + _MINUTE - now, 0.001)
            self._made.append((now, tokens))
            return 0.0


class Budget:
    """A ceiling on what the meter counts. `price` is that of a million tokens; None is without limit.

    A request is reserved before it is made, so that two threads do not pass the ceiling together. What it uses can be
    more than was estimated, so the ceiling is passed by that at most, once.
    """

    def __init__(self, meter: Meter, *, price: float, tokens: int | None, money: float | None, where: str) -> None:
        self._meter, self._price, self._where = meter, price, where
        self._tokens, self._money = tokens, money
        self._reserved = 0
        self._lock = threading.Lock()

    def reserve(self, tokens: int) -> None:
        """Raises OverBudget if so many tokens more would pass the ceiling."""
        with self._lock:
            spent = self._meter.read()
            whole = spent.tokens + self._reserved + tokens
            if self._tokens is not None and whole > self._tokens:
                raise self._over(f"{spent.tokens} of {self._tokens} tokens are spent", tokens, "ceiling_tokens")
            money = spent.money + self._cost(self._reserved + tokens)
            if self._money is not None and money > self._money:
                raise self._over(f"{spent.money:.4f} of {self._money:g} are spent", tokens, "ceiling_money")
            self._reserved += tokens

    def settle(self, reserved: int, used: int) -> None:
        """What was reserved is over, and so much was used."""
        with self._lock:
            self._reserved -= reserved
            if used:
                self._meter.add(Spending(used, self._cost(used)))

    def _cost(self, tokens: int) -> float:
        return tokens * self._price / 1_000_000

    def _over(self, what: str, tokens: int, option: str) -> OverBudget:
        return OverBudget(
            f"{what}, and this request needs about {tokens} tokens more",
            where=self._where,
            remedy=f"Raise {option} below [embedding.api], or wait until the counter is set back",
        )


def estimated(text: str) -> int:
    """About how many tokens a text is, rather too many: three letters of ASCII each, fewer of any other script."""
    ascii_letters = len(text.encode("ascii", "ignore"))
    return -(-ascii_letters // 3) + (len(text) - ascii_letters) * 3 // 2 + 1
