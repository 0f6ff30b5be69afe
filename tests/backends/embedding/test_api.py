"""An embedder behind an address: what it sends, how it bears a bad service, and what it may spend."""

from __future__ import annotations

import datetime as dt
import email.utils
import json
import pickle
import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from quire.backends.embedding.allowance import RamMeter
from quire.backends.embedding.api import ApiEmbedder
from quire.errors import EmbedderRefused, EmbedderUnavailable, OverBudget, QuireError, SelectionError
from quire.ports.embedder import Spending
from quire.testing.embedder import EmbedderTests
from tests.backends.embedding.serving import (
    DIMENSION,
    Answer,
    EmbeddingServer,
    content,
    cut,
    hang_up,
    never,
    status,
    vector_of,
    vectors,
)

KEY = "sk-very-secret-0123456789"


class Patience:
    """A clock that only sleeping moves, and how long each sleep was."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.opened: list[ApiEmbedder] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def patience() -> Iterator[Patience]:
    patience = Patience()
    yield patience
    for embedder in patience.opened:
        embedder.close()


def made(server: EmbeddingServer, patience: Patience, **options: Any) -> ApiEmbedder:
    given = {"key": KEY, "clock": patience.clock, "sleep": patience.sleep, "chance": lambda: 1.0, **options}
    patience.opened.append(ApiEmbedder(server.url, "some-model", DIMENSION, **given))
    return patience.opened[-1]


class TestApiEmbedder(EmbedderTests):
    @pytest.fixture
    def embedder(self, server: EmbeddingServer, patience: Patience) -> ApiEmbedder:
        return made(server, patience)


# What is sent


def test_sends_model_texts_and_key_and_nothing_else(server: EmbeddingServer, patience: Patience) -> None:
    made(server, patience).embed(["one", "two"], role="passage")
    [asked] = server.asked
    headers = asked.pop("headers")
    assert asked == {"path": "/v1/embeddings", "model": "some-model", "input": ["one", "two"]}
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_a_service_without_a_key_is_sent_none(server: EmbeddingServer, patience: Patience) -> None:
    made(server, patience, key="").embed(["one"], role="query")
    assert "Authorization" not in server.asked[0]["headers"]


def test_a_prefix_says_whether_a_text_asks_or_answers(server: EmbeddingServer, patience: Patience) -> None:
    embedder = made(server, patience, query_prefix="query: ", passage_prefix="passage: ")
    embedder.embed(["cats"], role="query")
    embedder.embed(["cats"], role="passage")
    assert [asked["input"] for asked in server.asked] == [["query: cats"], ["passage: cats"]]
    assert embedder.identity != made(server, patience).identity


def test_batches_hold_as_many_texts_and_tokens_as_they_may(server: EmbeddingServer, patience: Patience) -> None:
    texts = [f"text {number}" for number in range(10)]
    told: list[int] = []
    found = made(server, patience, batch=4).embed(texts, role="passage", progress=told.append)
    assert [len(asked["input"]) for asked in server.asked] == [4, 4, 2]
    assert told == [4, 8, 10]
    wanted = np.array([vector_of(text) for text in texts])
    assert np.allclose(found, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-6)
    server.asked.clear()
    made(server, patience, tokens_per_minute=100).embed(["w" * 200, "w" * 200], role="passage")
    assert [len(asked["input"]) for asked in server.asked] == [1, 1]


def test_a_text_that_a_service_would_refuse_is_made_one_it_takes(server: EmbeddingServer, patience: Patience) -> None:
    made(server, patience, max_tokens=100).embed(["", " \n", "\ud800x", "word " * 1000, "汉" * 1000], role="passage")
    [asked] = server.asked
    assert asked["input"][:3] == [".", ".", "?x"]
    assert 200 < len(asked["input"][3]) <= 300
    assert 50 < len(asked["input"][4]) <= 70


# A bad service


NO_EMBEDDINGS = [
    b"<html>hello</html>",
    b"[]",
    b'{"data": []}',
    b'{"data": [1]}',
    b'{"data": [{"index": 5, "embedding": []}]}',
    b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
    b"[" * 100_000,
    b"x" * 1_000_000,
]
PASSING = [*map(status, (408, 429, 500, 503)), cut, hang_up, *map(content, NO_EMBEDDINGS)]


@pytest.mark.parametrize("answer", PASSING)
def test_what_may_pass_is_tried_again(server: EmbeddingServer, patience: Patience, answer: Answer) -> None:
    server.answers = [answer, answer]
    made(server, patience).embed(["one"], role="query")
    assert len(server.asked) == 3
    assert patience.slept == [1.0, 2.0]


def test_after_the_last_attempt_it_is_unavailable(server: EmbeddingServer, patience: Patience) -> None:
    server.answers = [status(503, "we are full")] * 9
    with pytest.raises(EmbedderUnavailable, match="503: we are full") as caught:
        made(server, patience, attempts=4).embed(["one"], role="query")
    assert caught.value.remedy
    assert server.url in caught.value.where
    assert len(server.asked) == 4
    assert patience.slept == [1.0, 2.0, 4.0]


def test_pauses_grow_to_a_bound_and_differ_by_chance(server: EmbeddingServer, patience: Patience) -> None:
    server.answers = [status(500)] * 9
    made(server, patience, attempts=10, chance=lambda: 0.0).embed(["one"], role="query")
    assert patience.slept == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_pause_the_service_asks_for_is_kept(server: EmbeddingServer, patience: Patience) -> None:
    later = email.utils.format_datetime(dt.datetime.now(dt.UTC) + dt.timedelta(seconds=40), usegmt=True)
    server.answers = [status(429, Retry_After="17"), status(429, Retry_After=later), status(429, Retry_After="soon")]
    made(server, patience).embed(["one"], role="query")
    assert patience.slept[0] == 17
    assert 30 < patience.slept[1] <= 41
    assert patience.slept[2] == 4.0


def test_a_pause_that_is_too_long_is_left_to_the_caller(server: EmbeddingServer, patience: Patience) -> None:
    server.answers = [status(429, Retry_After="3600")]
    with pytest.raises(EmbedderUnavailable, match="Try again in 3600 s") as caught:
        made(server, patience).embed(["one"], role="query")
    assert caught.value.retry_after == 3600
    assert pickle.loads(pickle.dumps(caught.value)).retry_after == 3600
    assert patience.slept == []


def test_a_service_that_says_nothing_is_left(server: EmbeddingServer, patience: Patience) -> None:
    server.answers = [never] * 2
    with pytest.raises(EmbedderUnavailable, match="timed out"):
        made(server, patience, timeout=0.05, attempts=2).embed(["one"], role="query")


def test_a_connection_is_kept_and_one_that_was_hung_up_in_between_is_made_anew(
    server: EmbeddingServer, patience: Patience
) -> None:
    meter = RamMeter()
    embedder = made(server, patience, meter=meter)
    for _ in range(3):
        embedder.embed(["one"], role="query")
    assert len(server.connections) == 1
    server.answers = [hang_up]
    embedder.embed(["one"], role="query")
    assert len(server.connections) == 2
    assert patience.slept == []
    assert meter.read().tokens == 40


def test_where_nobody_listens_it_is_unavailable(patience: Patience) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    meter = RamMeter()
    embedder = ApiEmbedder(f"http://127.0.0.1:{port}", "m", 8, sleep=patience.sleep, meter=meter)
    with pytest.raises(EmbedderUnavailable, match="no answer"):
        embedder.embed(["one"], role="query")
    assert len(patience.slept) == 4
    assert meter.read() == Spending()


@pytest.mark.parametrize("code", [301, 400, 401, 403, 404, 413, 422])
def test_what_will_not_pass_is_not_tried_again(server: EmbeddingServer, patience: Patience, code: int) -> None:
    server.answers = [status(code, "never", Location="http://127.0.0.1:1/elsewhere")]
    with pytest.raises(EmbedderRefused, match=f"{code}: never") as caught:
        made(server, patience).embed(["one"], role="query")
    assert caught.value.remedy
    assert len(server.asked) == 1


def test_an_empty_account_is_not_tried_again(server: EmbeddingServer, patience: Patience) -> None:
    empty = json.dumps({"error": {"message": "You have no quota", "code": "insufficient_quota"}}).encode()
    server.answers = [lambda asked: asked.reply(429, empty)]
    with pytest.raises(EmbedderRefused, match="nothing left to spend"):
        made(server, patience).embed(["one"], role="query")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("vector", "says"),
    [
        (lambda _: [1.0] * 4, "4 dimensions, and 8 are configured"),
        (lambda _: [0.0] * 8, "length 0"),
        (lambda _: [float("nan")] * 8, "length nan"),
        (lambda _: [float("inf")] * 8, "length inf"),
        (lambda _: [1e39] * 8, "length inf"),
    ],
)
def test_what_is_not_a_vector_is_refused(server: EmbeddingServer, patience: Patience, vector: Any, says: str) -> None:
    server.answers = [vectors(vector)]
    with pytest.raises(EmbedderRefused, match=says):
        made(server, patience).embed(["one"], role="query")


def test_a_text_among_many_without_a_vector_is_named(server: EmbeddingServer, patience: Patience) -> None:
    server.answers = [vectors(lambda text: [0.0 if text == "two" else 1.0] * 8)]
    with pytest.raises(EmbedderRefused, match="text 2 of 3"):
        made(server, patience).embed(["one", "two", "three"], role="passage")


def test_the_key_is_in_no_message(server: EmbeddingServer, patience: Patience) -> None:
    server.answers = [status(401, f"Incorrect key: {KEY}\n\x1b[31m")]
    embedder = made(server, patience)
    with pytest.raises(EmbedderRefused, match="Incorrect key: …") as caught:
        embedder.embed(["one"], role="query")
    for text in (str(caught.value), repr(caught.value), repr(embedder)):
        assert KEY not in text
        assert "\x1b" not in text


# Limits and spending


def test_no_minute_has_more_requests_than_the_limit(server: EmbeddingServer, patience: Patience) -> None:
    embedder = made(server, patience, batch=1, requests_per_minute=3)
    embedder.embed(["text"] * 7, role="passage")
    assert patience.slept == [60.0, 60.0]
    assert len(server.asked) == 7


def test_no_minute_has_more_tokens_than_the_limit(server: EmbeddingServer, patience: Patience) -> None:
    embedder = made(server, patience, batch=1, tokens_per_minute=50)
    embedder.embed(["a" * 60] * 4, role="passage")  # 21 tokens each, by the estimate
    assert patience.slept == [60.0]


def test_counts_the_tokens_that_the_service_counted(server: EmbeddingServer, patience: Patience) -> None:
    meter = RamMeter()
    made(server, patience, batch=2, price=0.5, meter=meter).embed(["one", "two", "three"], role="passage")
    assert meter.read() == Spending(20, 20 * 0.5 / 1_000_000)


def test_counts_its_estimate_where_the_service_did_not_say(server: EmbeddingServer, patience: Patience) -> None:
    meter = RamMeter()
    server.answers = [lambda asked: asked.reply(200, asked.embeddings().replace(b'"total_tokens": 10', b""))]
    made(server, patience, meter=meter).embed(["abcdef"], role="passage")
    assert meter.read().tokens == 3


@pytest.mark.parametrize(("answer", "tokens"), [(cut, 13), (hang_up, 13), (status(500), 10), (status(429), 10)])
def test_work_whose_end_is_unknown_counts_as_done(
    server: EmbeddingServer, patience: Patience, answer: Answer, tokens: int
) -> None:
    meter = RamMeter()
    server.answers = [answer]
    made(server, patience, meter=meter).embed(["abcdef"], role="passage")
    assert meter.read().tokens == tokens


@pytest.mark.parametrize("ceiling", [{"ceiling_tokens": 25}, {"ceiling_money": 25e-6}])
def test_past_the_ceiling_nothing_is_sent(
    server: EmbeddingServer, patience: Patience, ceiling: dict[str, float]
) -> None:
    meter = RamMeter()
    embedder = made(server, patience, batch=1, price=1.0, meter=meter, **ceiling)
    embedder.embed(["a" * 15] * 2, role="passage")  # 6 tokens each by the estimate, 10 by the service
    with pytest.raises(OverBudget, match="spent") as caught:
        embedder.embed(["a" * 15], role="passage")
    assert "ceiling" in caught.value.remedy
    assert len(server.asked) == 2
    with pytest.raises(OverBudget):  # who comes later with the same meter is bound by it
        made(server, patience, price=1.0, meter=meter, **ceiling).embed(["a" * 15], role="passage")
    assert patience.slept == []


# What is configured


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://api.example.com/v1", "in the open"),
        ("http://127.0.0.1.example.com/v1", "in the open"),
        ("ftp://localhost/", "https://"),
        ("localhost:80", "https://"),
        ("", "https://"),
        ("https://user:secret@api.example.com/v1", "no key"),
        ("https://api.example.com/v1?key=secret", "no key"),
        ("https://api.example.com:port/v1", "not an address"),
        ("https://[::1/v1", "not an address"),
    ],
)
def test_refuses_an_address_that_would_not_do(url: str, says: str) -> None:
    with pytest.raises(SelectionError, match=says) as caught:
        ApiEmbedder(url, "m", 8)
    assert caught.value.code == "BAD_EMBEDDING_URL"
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["https://api.example.com", "http://localhost:1/v1/", "http://[::1]:1", "http://127.9.9.9"]
)
def test_takes_an_address_that_is_safe(url: str) -> None:
    ApiEmbedder(url, "m", 8).close()


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_refuses_a_key_that_is_none_and_does_not_show_it(key: str) -> None:
    with pytest.raises(SelectionError) as caught:
        ApiEmbedder("https://api.example.com", "m", 8, key=key)
    assert caught.value.code == "BAD_EMBEDDING_KEY"
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "option",
    [{"batch": 0}, {"timeout": 0}, {"timeout": float("nan")}, {"attempts": 0}, {"requests_per_minute": 0},
     {"ceiling_tokens": -1}, {"ceiling_money": 1.0}, {"price": float("inf")}, {"max_tokens": -5}],
)  # fmt: skip
def test_refuses_an_option_that_makes_no_sense(option: dict[str, Any]) -> None:
    with pytest.raises(QuireError) as caught:
        ApiEmbedder("https://api.example.com", "m", 8, **option)
    assert caught.value.code == "BAD_EMBEDDING_OPTION"


def test_the_identity_is_of_the_model_and_not_of_the_address() -> None:
    one, other = (ApiEmbedder(f"https://{host}.example.com", "m", 8).identity for host in "ab")
    assert one == other
    assert one.key == "m@1/8"
    assert ApiEmbedder("https://a.example.com", "m", 8, version="2").identity.key != one.key
