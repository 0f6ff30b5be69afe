"""A service that speaks OpenAI's embeddings protocol: most hosted models do, and so do local servers."""

from __future__ import annotations

import json
import random
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from quire.backends.embedding.allowance import Budget, Pace, RamMeter, estimated
from quire.backends.embedding.service import NoReply, Reply, Service
from quire.errors import EmbedderRefused, EmbedderUnavailable, EmbeddingError, SelectionError
from quire.ports.embedder import Embedder, Identity, Meter, Progress, Role

if TYPE_CHECKING:
    from quire.ports.embedder import Vectors

_REQUEST_TOKENS = 100_000  # of one request, as estimated; services take three times as many
_LONGEST_PAUSE = 60.0  # seconds; a service that wants a longer one is unavailable
_NUMBER_BYTES = 32  # of one number of a vector in JSON, with room to spare
_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_NOTHING = "."  # stands for a text without a letter, which services refuse


class ApiEmbedder(Embedder):
    """`model` behind `url` (below which lies `/embeddings`), with vectors of `dimension` numbers. Needs numpy.

    `attempts` are made of each request of at most `batch` texts, with growing pauses between them, or those the service
    asks for. `requests_per_minute` and `tokens_per_minute` keep below its limits. `price` is that of a million tokens,
    and past `ceiling_tokens` or `ceiling_money` nothing is sent; `meter` keeps what was spent, and without one the
    process does. `version` is for you to change where the model behind the name has changed.

    Raises SelectionError at construction, by `code`: BAD_EMBEDDING_URL, BAD_EMBEDDING_KEY, BAD_EMBEDDING_OPTION. No
    request is made before the first text is given.
    """

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int,
        *,
        key: str = "",
        version: str = "1",
        max_tokens: int = 8191,
        batch: int = 128,
        query_prefix: str = "",
        passage_prefix: str = "",
        timeout: float = 30.0,
        attempts: int = 5,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        price: float = 0.0,
        ceiling_tokens: int | None = None,
        ceiling_money: float | None = None,
        meter: Meter | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        least = {"dimension": dimension, "max_tokens": max_tokens, "batch": batch, "attempts": attempts}
        limits = {"requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute}
        _check({**least, **limits, "timeout": timeout}, above=0)
        _check({"price": price, "ceiling_tokens": ceiling_tokens, "ceiling_money": ceiling_money}, above=-1)
        if ceiling_money is not None and not price:
            raise _bad("ceiling_money", "is set without a price", "Set price, that of a million tokens")
        self._service = Service(url, key, timeout)
        self._end = weakref.finalize(self, self._service.close)  # one that is forgotten gives its connection back, too
        self._prefixes: dict[Role, str] = {"query": query_prefix, "passage": passage_prefix}
        marks = [version, *filter(None, (query_prefix, passage_prefix))]
        self._identity = Identity(model, "+".join(mark.strip() for mark in marks), dimension)
        self._max_tokens, self._batch, self._attempts = max_tokens, batch, attempts
        self._most = min(_REQUEST_TOKENS, tokens_per_minute or _REQUEST_TOKENS)
        self._pace = Pace(requests_per_minute, tokens_per_minute, clock=clock, sleep=sleep)
        self._budget = Budget(
            meter or RamMeter(), price=price, tokens=ceiling_tokens, money=ceiling_money, where=self._service.name
        )
        self._sleep, self._chance = sleep, chance

    @property
    def identity(self) -> Identity:
        return self._identity

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def close(self) -> None:
        self._end()

    def __repr__(self) -> str:
        return f"ApiEmbedder({self._service.name!r}, {self._identity.key!r})"

    def _vectors(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        import numpy as np

        vectors = np.empty((len(texts), self._identity.dimension), np.float32)
        done = 0
        for batch, tokens in self._batches(texts, self._prefixes[role]):
            found = self._asked(batch, tokens)
            with np.errstate(over="ignore"):  # what is too large for a float is refused with all else that is no vector
                vectors[done : done + len(batch)] = found
            done += len(batch)
            progress(done)
        return vectors

    def _batches(self, texts: Sequence[str], prefix: str) -> Iterator[tuple[list[str], int]]:
        """The texts as they are sent, and how many tokens each batch of them is, about."""
        batch: list[str] = []
        tokens = 0
        for text in texts:
            ready = self._ready(prefix + text)
            size = estimated(ready)
            if batch and (len(batch) == self._batch or tokens + size > self._most):
                yield batch, tokens
                batch, tokens = [], 0
            batch.append(ready)
            tokens += size
        yield batch, tokens

    def _ready(self, text: str) -> str:
        """A text that a service takes: with a letter in it, in Unicode, and not too long."""
        text = text.encode("utf-8", "replace").decode("utf-8") if text.strip() else _NOTHING
        while (size := estimated(text)) > self._max_tokens and len(text) > 1:
            text = text[: max(1, min(len(text) - 1, len(text) * self._max_tokens // size))]
        return text

    def _asked(self, batch: list[str], tokens: int) -> list[list[float]]:
        """The vectors of one batch, after as many attempts as it takes or as there are. Raises EmbeddingError."""
        body = json.dumps({"model": self._identity.name, "input": batch}).encode()
        for attempt in range(1, self._attempts + 1):
            self._pace.wait(tokens)
            try:
                return self._attempt(body, len(batch), tokens)
            except EmbedderUnavailable as error:
                if attempt == self._attempts or error.retry_after > _LONGEST_PAUSE:
                    raise
                # Growing, and by chance, so that many who failed together do not come back together.
                pause = min(_LONGEST_PAUSE, 0.5 * 2**attempt) * (0.5 + self._chance() / 2)
                self._sleep(max(error.retry_after, pause))
        raise AssertionError("the last attempt returns or raises")

    def _attempt(self, body: bytes, count: int, tokens: int) -> list[list[float]]:
        used = 0
        self._budget.reserve(tokens)
        try:
            reply = self._service.post(body, 65_536 + count * self._identity.dimension * _NUMBER_BYTES)
            if reply.status != 200:
                raise self._refusal(reply)
            used = tokens  # unless it says better
            vectors, said = self._read(reply.body, count)
            used = said or tokens
            return vectors
        except NoReply as lost:
            used = tokens if lost.sent else 0  # it may have done the work; a ceiling counts that as done
            raise EmbedderUnavailable(
                f"no answer ({lost})", where=self._service.name, remedy="Check the network, or try again later"
            ) from lost
        finally:
            self._budget.settle(tokens, used)

    def _read(self, body: bytes, count: int) -> tuple[list[list[float]], int]:
        """The vectors of a reply in the order of the texts, and how many tokens it says they were, or 0."""
        try:
            reply = json.loads(body)
            found = {item["index"]: item["embedding"] for item in reply["data"]}
            vectors = [[float(number) for number in found[index]] for index in range(count)]
            said = reply.get("usage", {}).get("total_tokens", 0)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise EmbedderUnavailable(
                f"the answer is not a list of {count} embeddings ({type(error).__name__}: {_line(str(error))})",
                where=self._service.name,
                remedy="Check that the address is that of an embeddings service",
            ) from error
        if wrong := {len(vector) for vector in vectors} - {self._identity.dimension}:
            raise EmbedderRefused(
                f"its vectors have {wrong.pop()} dimensions, and {self._identity.dimension} are configured",
                where=self._service.name,
                remedy="Set dimension below [embedding.api] to what the model gives",
            )
        return vectors, said if isinstance(said, int) and said > 0 else 0

    def _refusal(self, reply: Reply) -> EmbeddingError:
        """The error for a reply that is none."""
        code, said = _said(reply.body)
        what = f"it answered {reply.status}: {self._service.without_key(said) or 'nothing'}"
        where = self._service.name
        if reply.status in _TRY_AGAIN and code != "insufficient_quota":
            remedy = f"Try again in {reply.retry_after:.0f} s" if reply.retry_after else "Try again later"
            return EmbedderUnavailable(what, where=where, remedy=remedy, retry_after=reply.retry_after)
        remedy = {
            401: "Check the key, and the name of the variable that holds it",
            403: "Check what the key is allowed to do",
            404: "Check the address and the name of the model",
            429: "The account has nothing left to spend: add to it",
        }.get(reply.status, "Check the address, the model and the options below [embedding.api]")
        return EmbedderRefused(what, where=where, remedy=remedy)


def _said(body: bytes) -> tuple[str, str]:
    """The code and the message of an error, as far as there are any."""
    try:
        error = json.loads(body)["error"]
        code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else ("", error)
    except (ValueError, TypeError, KeyError, RecursionError):
        code, message = "", body[:400].decode("utf-8", "replace")
    return str(code or ""), _line(str(message or ""))


def _line(text: str) -> str:
    """What a stranger wrote, on one line and short."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:200].strip()


def _check(options: dict[str, float | None], *, above: int) -> None:
    for name, value in options.items():
        if value is not None and not (value > above and value < float("inf")):
            raise _bad(name, f"is {value!r}", "Give it a number that makes sense, or leave it away")


def _bad(option: str, what: str, remedy: str) -> SelectionError:
    return SelectionError(
        f"{option} {what}", where=f"embedding.api.{option}", remedy=remedy, code="BAD_EMBEDDING_OPTION"
    )
